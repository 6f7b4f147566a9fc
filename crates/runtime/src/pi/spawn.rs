//! How pi is started: its command line and environment, and what our extension is told.
//!
//! The user's `~/.pi/agent` is theirs: it is used as it is and never written to. What is ours comes with the process:
//! an extension (`-e`), which brings our tools, asks for leave and tells why a model failed.
//!
//! Our tools do not come by the MCP client that pi has since 1.0, though an extension could tell it of our servers: it
//! gives up on a call after five minutes without an answer (1.5.0), and some of ours wait for an hour.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use paseo_core::permission::{Mode, Power};
use serde_json::{Value, json};

use super::tools;
use super::version::Generation;
use crate::keys::{PI_KEY, PI_URL};
use crate::process::Program;
use crate::provider::{Launch, StartError, TOOL_TIMEOUT_SECONDS};

/// Where pi keeps its configuration, logins and conversations.
pub(super) const HOME_VARIABLE: &str = "PI_CODING_AGENT_DIR";

/// Our extension sets this for the commands that pi runs, and for nothing else.
pub(super) const COMMAND_VARIABLE: &str = "PASEO_PI_COMMAND";

/// What our extension is to do.
const SETTINGS_VARIABLE: &str = "PASEO_PI";

/// The longest prompt that fits into one argument.
const PROMPT_BYTES: usize = 120 * 1024;

/// What tells a program that it runs inside of pi. The daemon may have been started from there.
const INSIDE: [&str; 8] = [
    COMMAND_VARIABLE,
    "PI_SESSION_ID",
    "PI_SESSION_FILE",
    "PI_PROVIDER",
    "PI_MODEL",
    "PI_REASONING_LEVEL",
    "PI_CODING_AGENT",
    "AI_AGENT",
];

/// The model servers whose key has another name than theirs.
const KEY_NAMES: [(&str, &str); 9] = [
    ("google", "GEMINI_API_KEY"),
    ("azure-openai-responses", "AZURE_OPENAI_API_KEY"),
    ("vercel-ai-gateway", "AI_GATEWAY_API_KEY"),
    ("github-copilot", "COPILOT_GITHUB_TOKEN"),
    ("huggingface", "HF_TOKEN"),
    ("kimi-coding", "KIMI_API_KEY"),
    ("moonshotai", "MOONSHOT_API_KEY"),
    ("opencode-go", "OPENCODE_API_KEY"),
    ("google-vertex", "GOOGLE_CLOUD_API_KEY"),
];

/// What is found out about this machine before a start.
#[derive(Debug, Clone)]
pub(super) struct Ground<'a> {
    pub(super) program: PathBuf,
    pub(super) generation: Generation,
    pub(super) isolated_home: Option<&'a Path>,
    /// Our extension.
    pub(super) extension: PathBuf,
    /// The conversation to continue: a file that is there.
    pub(super) conversation: Option<&'a str>,
    /// Where our extension writes down what happens in a terminal.
    pub(super) record: Option<&'a Path>,
}

/// Makes the program to run.
pub(super) fn program(launch: &Launch, ground: &Ground<'_>) -> Result<Program, StartError> {
    if launch.prompt.len() > PROMPT_BYTES {
        return Err(StartError {
            message: format!(
                "the prompt has {} bytes; pi accepts at most {PROMPT_BYTES}",
                launch.prompt.len()
            ),
            hint: Some("shorten the agent definition".to_owned()),
        });
    }
    let mut environment = environment(launch, ground)?;
    environment.push((SETTINGS_VARIABLE.to_owned(), settings(launch, ground.record).to_string()));
    Ok(Program {
        shim: launch.executable.clone(),
        program: ground.program.clone().into_os_string(),
        arguments: arguments(launch, ground),
        directory: launch.directory.clone(),
        session: launch.session,
        environment,
        removed: [&INSIDE.map(str::to_owned), &launch.removed[..]].concat(),
    })
}

fn arguments(launch: &Launch, ground: &Ground<'_>) -> Vec<OsString> {
    let mode: &[&str] = match launch.terminal {
        None => &["--mode", "rpc"],
        // It would ask about what is in the project. Behind pipes it takes none of that.
        Some(_) if ground.generation == Generation::Recent => &["--no-approve"],
        Some(_) => &[],
    };
    let mut arguments: Vec<OsString> = mode.iter().chain(&["-e"]).map(OsString::from).collect();
    arguments.push(ground.extension.clone().into_os_string());
    let mut option = |name: &str, value: &str| arguments.extend([name, value].map(OsString::from));
    if let Some(conversation) = ground.conversation {
        option("--session", conversation);
    }
    if let Some(model) = &launch.model {
        option("--model", model);
    }
    if let Some(effort) = &launch.effort {
        option("--thinking", effort);
    }
    if !launch.prompt.is_empty() {
        option("--append-system-prompt", &launch.prompt);
    }
    if launch.permissions != Mode::Full && ground.generation == Generation::Early {
        // Those of a cloned repository would run without anybody being asked. Newer ones want it trusted first.
        arguments.push("--no-extensions".into());
    }
    arguments
}

fn settings(launch: &Launch, record: Option<&Path>) -> Value {
    let servers: Vec<Value> =
        launch.servers.iter().map(|server| json!({ "name": server.name, "url": server.url })).collect();
    let missing = |power: &Power| !launch.permissions.grants(*power) || launch.withheld.contains(power);
    let without: Vec<Power> = Power::ALL.into_iter().filter(missing).collect();
    json!({
        "servers": servers,
        "ask": asks(launch),
        // In a terminal a question would come to the person there.
        "leave": launch.terminal.is_some().then(|| format!("/api/sessions/{}/leave", launch.session)),
        "without": tools::of_powers(&without),
        "endpoint": endpoint(launch),
        "timeout": TOOL_TIMEOUT_SECONDS,
        "record": record,
    })
}

/// Says whether leave is to be asked for each tool.
pub(super) fn asks(launch: &Launch) -> bool {
    launch.guarded || launch.permissions != Mode::Full || !launch.withheld.is_empty()
}

/// Returns the environment.
///
/// A key is for the model server that the model names. Pi looks for it in a variable that is called after that server.
fn environment(launch: &Launch, ground: &Ground<'_>) -> Result<Vec<(String, String)>, StartError> {
    let ours = |(name, _): &&(String, String)| name != PI_KEY && name != PI_URL;
    let mut environment: Vec<(String, String)> = launch.environment.iter().filter(ours).cloned().collect();
    for (name, value) in [("PI_SKIP_VERSION_CHECK", "1"), ("PI_TELEMETRY", "0")] {
        environment.push((name.to_owned(), value.to_owned()));
    }
    if let Some(home) = ground.isolated_home {
        environment.push((HOME_VARIABLE.to_owned(), home.display().to_string()));
    }
    let Some(key) = value(launch, PI_KEY) else { return Ok(environment) };
    let Some(server) = server(launch) else {
        return Err(StartError {
            message: "a key for pi needs a model that names its provider".to_owned(),
            hint: Some("write the model as provider/id, such as anthropic/claude-sonnet-4-5".to_owned()),
        });
    };
    environment.push((key_name(server), key.to_owned()));
    // It would win over the key.
    environment.push(("ANTHROPIC_OAUTH_TOKEN".to_owned(), String::new()));
    Ok(environment)
}

/// Returns where the key is good for, if that is not where pi would ask.
fn endpoint(launch: &Launch) -> Option<Value> {
    Some(json!({ "provider": server(launch)?, "url": value(launch, PI_URL)? }))
}

/// Returns the model server that the model names.
fn server(launch: &Launch) -> Option<&str> {
    launch.model.as_deref()?.split_once('/').map(|(server, _)| server)
}

fn value<'a>(launch: &'a Launch, wanted: &str) -> Option<&'a str> {
    launch.environment.iter().rfind(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
}

/// Returns the variable in which pi looks for the key of a model server.
fn key_name(server: &str) -> String {
    if let Some((_, name)) = KEY_NAMES.iter().find(|(known, _)| *known == server) {
        return (*name).to_owned();
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("{}_API_KEY", server.chars().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch() -> Launch {
        super::super::tests::launch(Path::new("/project"))
    }

    fn ground(generation: Generation) -> Ground<'static> {
        Ground {
            program: "/bin/pi".into(),
            generation,
            isolated_home: None,
            extension: "/home/pi/paseo.js".into(),
            conversation: None,
            record: None,
        }
    }

    fn words(launch: &Launch, ground: &Ground<'_>) -> Vec<String> {
        let program = program(launch, ground).unwrap();
        program.arguments.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    fn variable(launch: &Launch, ground: &Ground<'_>, wanted: &str) -> Option<String> {
        let environment = program(launch, ground).unwrap().environment;
        environment.into_iter().find(|(name, _)| name == wanted).map(|(_, value)| value)
    }

    fn told(launch: &Launch) -> Value {
        let settings = variable(launch, &ground(Generation::Early), SETTINGS_VARIABLE).unwrap();
        serde_json::from_str(&settings).unwrap()
    }

    #[test]
    fn what_is_chosen_is_on_the_command_line_and_no_secret_is() {
        let ground = Ground { conversation: Some("/s/a.jsonl"), ..ground(Generation::Early) };
        let line = words(&launch(), &ground).join("\n");
        for expected in [
            "--mode\nrpc\n-e\n/home/pi/paseo.js",
            "--session\n/s/a.jsonl",
            "--model\nanthropic/opus",
            "--thinking\nhigh",
            "--append-system-prompt\n-- be kind",
        ] {
            assert!(line.contains(expected), "{expected}");
        }
        assert!(!line.contains("secret") && !line.contains("--no-extensions"));
        assert!(program(&launch(), &ground).unwrap().removed.contains(&"KEY_OF_OTHERS".to_owned()));
    }

    #[test]
    fn every_mode_but_full_asks_and_readers_lose_their_hands() {
        for mode in Mode::ALL {
            let launch = Launch { permissions: mode, ..launch() };
            assert_eq!(told(&launch)["ask"], mode != Mode::Full);
            let without = told(&launch)["without"].clone();
            let expected = if mode == Mode::ReadOnly {
                json!(["write", "edit", "bash", "powershell"])
            } else {
                json!([])
            };
            assert_eq!(without, expected);
        }
        let withheld = Launch { withheld: vec![Power::Shell], ..launch() };
        assert_eq!(told(&withheld)["ask"], true);
        assert_eq!(told(&withheld)["without"], json!(["bash", "powershell"]));
    }

    #[test]
    fn who_must_ask_runs_no_extension_of_the_project() {
        let launch = Launch { permissions: Mode::Ask, ..launch() };
        assert!(words(&launch, &ground(Generation::Early)).contains(&"--no-extensions".to_owned()));
        // It would lose its own MCP with them, and runs them in trusted projects only.
        assert!(!words(&launch, &ground(Generation::Recent)).contains(&"--no-extensions".to_owned()));
    }

    #[test]
    fn the_extension_is_told_of_our_servers_and_of_our_patience() {
        let told = told(&launch());
        assert_eq!(told["servers"], json!([{ "name": "Paseo", "url": "http://127.0.0.1:1/mcp" }]));
        assert_eq!(told["timeout"], 3900);
    }

    #[test]
    fn a_key_is_for_the_server_that_the_model_names() {
        let with = |model: Option<&str>| {
            let mut launch = Launch { model: model.map(str::to_owned), ..launch() };
            launch.environment.push((PI_KEY.into(), "sk".into()));
            launch.environment.push((PI_URL.into(), "http://u".into()));
            launch
        };
        let ground = ground(Generation::Early);
        for (model, name) in [
            ("anthropic/opus", "ANTHROPIC_API_KEY"),
            ("google/gemini-3-pro", "GEMINI_API_KEY"),
            ("my-own/x/y", "MY_OWN_API_KEY"),
        ] {
            let launch = with(Some(model));
            assert_eq!(variable(&launch, &ground, name).as_deref(), Some("sk"));
            assert_eq!(variable(&launch, &ground, PI_KEY), None);
            let endpoint = &told(&launch)["endpoint"];
            assert_eq!(endpoint, &json!({ "provider": model.split('/').next(), "url": "http://u" }));
        }
        for model in [None, Some("opus")] {
            let refused = program(&with(model), &ground).unwrap_err();
            assert!(refused.hint.unwrap().contains("provider/id"));
        }
    }

    #[test]
    fn a_configuration_of_its_own_is_used_when_one_is_set() {
        let own = Ground { isolated_home: Some(Path::new("/own")), ..ground(Generation::Early) };
        assert_eq!(variable(&launch(), &own, HOME_VARIABLE).as_deref(), Some("/own"));
        assert_eq!(variable(&launch(), &ground(Generation::Early), HOME_VARIABLE), None);
    }

    #[test]
    fn a_prompt_that_fits_into_no_argument_is_refused() {
        let long = Launch { prompt: "x".repeat(PROMPT_BYTES + 1), ..launch() };
        assert!(program(&long, &ground(Generation::Early)).unwrap_err().message.contains("at most"));
    }
}
