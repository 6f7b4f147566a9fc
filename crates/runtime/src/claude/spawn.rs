//! How Claude Code is started: its command line and environment.

use std::ffi::OsString;
use std::path::Path;

use paseo_core::permission::{Mode, Power};
use serde_json::{Map, Value, json};

use super::{COMMAND_VARIABLE, hooks, tools};
use crate::process::Program;
use crate::provider::{Launch, McpServer, StartError, TOKEN_VARIABLE, TOOL_TIMEOUT_SECONDS};

/// Where it keeps its configuration and its login.
pub(super) const CONFIG_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

/// Has it read `CLAUDE.md` in directories that are added, whatever settings count.
const WORDS_VARIABLE: &str = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";

/// The longest prompt that fits into one argument.
const PROMPT_BYTES: usize = 120 * 1024;

/// What tells a program that it runs inside of Claude Code. The daemon may have been started from there.
const INSIDE: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    COMMAND_VARIABLE,
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
    "AI_AGENT",
];

/// How it is spoken to by a program.
const IN_LINES: &[&str] = &[
    "-p",
    "--input-format=stream-json",
    "--output-format=stream-json",
    "--verbose",
    "--include-partial-messages",
    "--replay-user-messages",
    "--forward-subagent-text",
    "--permission-prompt-tool=stdio",
];

/// As root it lets nobody skip its questions, unless they say by this variable that they know what they do.
pub(crate) const AS_ROOT: (&str, &str) = ("IS_SANDBOX", "1");

/// Says how to start a conversation, or to continue it when the launch says so.
pub(super) fn program(
    launch: &Launch,
    program: &Path,
    isolated_home: Option<&Path>,
    conversation: &str,
) -> Result<Program, StartError> {
    if launch.prompt.len() > PROMPT_BYTES {
        return Err(StartError {
            message: format!(
                "the prompt has {} bytes; Claude Code accepts at most {PROMPT_BYTES}",
                launch.prompt.len()
            ),
            hint: Some("shorten the agent definition".to_owned()),
        });
    }
    let mut environment = launch.environment.clone();
    environment.extend(settings(isolated_home));
    if has_own_hook(launch) {
        environment.push((WORDS_VARIABLE.to_owned(), "1".to_owned()));
    }
    if launch.terminal.is_some() && launch.permissions == Mode::Full && rustix::process::geteuid().is_root() {
        // They said so: `full`.
        let (name, value) = AS_ROOT;
        environment.push((name.to_owned(), value.to_owned()));
    }
    Ok(Program {
        shim: launch.executable.clone(),
        program: program.as_os_str().to_owned(),
        arguments: arguments(launch, conversation).into_iter().map(OsString::from).collect(),
        directory: launch.directory.clone(),
        session: launch.session,
        environment,
        removed: INSIDE.iter().map(|name| (*name).to_owned()).chain(launch.removed.clone()).collect(),
    })
}

/// Values are tied to their option by `=`: some options take all words that follow, and a value may begin with `-`.
fn arguments(launch: &Launch, conversation: &str) -> Vec<String> {
    let in_terminal = launch.terminal.is_some();
    let fixed = if in_terminal { &[] } else { IN_LINES };
    let mut arguments: Vec<String> = fixed.iter().map(|word| (*word).to_owned()).collect();
    arguments.push(format!("--permission-mode={}", permission_mode(launch)));
    let option = if launch.resume.is_some() { "resume" } else { "session-id" };
    arguments.push(format!("--{option}={conversation}"));
    let own = own_settings(launch);
    if !own.is_empty() {
        arguments.push(format!("--settings={}", Value::Object(own)));
    }
    let missing = |power: &Power| !launch.permissions.grants(*power) || launch.withheld.contains(power);
    let absent: Vec<&str> =
        Power::ALL.into_iter().filter(missing).flat_map(tools::of_power).copied().collect();
    if !absent.is_empty() {
        arguments.push(format!("--disallowedTools={}", absent.join(",")));
    }
    if let Some(model) = &launch.model {
        arguments.push(format!("--model={model}"));
    }
    if let Some(effort) = &launch.effort {
        arguments.push(format!("--effort={effort}"));
    }
    if !launch.prompt.is_empty() {
        arguments.push(format!("--append-system-prompt={}", launch.prompt));
    }
    // Else a resumed conversation would keep the prompt that it began with.
    arguments.push("--system-prompt-snapshot=off".to_owned());
    if !launch.servers.is_empty() {
        arguments.push(format!("--mcp-config={}", mcp_config(&launch.servers)));
    }
    if has_own_hook(launch) {
        // Where ours runs, those of a cloned repository would, too: its settings do not count. Its words do.
        arguments.push("--setting-sources=user".to_owned());
        arguments.push(format!("--add-dir={}", launch.directory.display()));
    }
    arguments
}

/// Whatever mode the user's settings say. Behind pipes every mode asks us, unless a rule of theirs allows it: see `hooks`.
/// In a terminal it asks whoever sits there; a reader shall have nothing to ask. Who is guarded there has us asked by a
/// hook, and a person where that is gone.
fn permission_mode(launch: &Launch) -> &'static str {
    match launch.permissions {
        _ if launch.terminal.is_none() || launch.guarded => "default",
        Mode::Full => "bypassPermissions",
        Mode::ReadOnly => "dontAsk",
        Mode::Ask => "default",
    }
}

/// Says whether it has us asked by a hook of ours in its settings, and not by what it writes.
fn has_own_hook(launch: &Launch) -> bool {
    launch.terminal.is_some() && launch.guarded
}

/// Returns the settings that hold for this process alone.
fn own_settings(launch: &Launch) -> Map<String, Value> {
    let mut own = Map::new();
    if launch.permissions != Mode::Full {
        // Those of a cloned repository would run without anybody being asked. Ours is none of these, but in a terminal.
        own.insert("disableAllHooks".to_owned(), true.into());
    }
    if launch.terminal.is_none() {
        return own;
    }
    // It writes the end of a turn down only where it shows it.
    own.insert("showTurnDuration".to_owned(), true.into());
    if launch.permissions == Mode::Full {
        // It would ask whether that is meant, at the first time: choosing `full` has answered that.
        own.insert("skipDangerousModePermissionPrompt".to_owned(), true.into());
    } else if !launch.servers.is_empty() {
        // The daemon itself decides what its tools may do.
        let ours: Vec<String> = launch.servers.iter().map(|server| format!("mcp__{}", server.name)).collect();
        own.insert("permissions".to_owned(), json!({ "allow": ours }));
    }
    if has_own_hook(launch)
        && let Value::Object(guarding) = hooks::settings(&launch.executable)
    {
        own.extend(guarding);
    }
    own
}

/// Names the token's variable, never the token.
fn mcp_config(servers: &[McpServer]) -> Value {
    let entries: Map<String, Value> = servers
        .iter()
        .map(|server| {
            let headers = json!({ "Authorization": format!("Bearer ${{{TOKEN_VARIABLE}}}") });
            // Else the tools have to be searched for before they are seen.
            let entry = json!({ "type": "http", "url": server.url, "headers": headers, "alwaysLoad": true });
            (server.name.clone(), entry)
        })
        .collect();
    json!({ "mcpServers": entries })
}

fn settings(isolated_home: Option<&Path>) -> Vec<(String, String)> {
    let patience = (TOOL_TIMEOUT_SECONDS * 1000).to_string();
    let mut settings = vec![
        ("DISABLE_AUTOUPDATER".to_owned(), "1".to_owned()),
        ("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS".to_owned(), "1".to_owned()),
        ("MCP_TOOL_TIMEOUT".to_owned(), patience.clone()),
        ("CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT".to_owned(), patience),
    ];
    settings
        .extend(isolated_home.map(|home| (CONFIG_VARIABLE.to_owned(), home.to_string_lossy().into_owned())));
    settings
}

#[cfg(test)]
pub(super) mod tests {
    use paseo_core::id::SessionId;

    use super::*;

    pub(in super::super) fn launch() -> Launch {
        Launch {
            session: SessionId::from_random([7; 16]),
            directory: "/project".into(),
            model: Some("opus".into()),
            effort: Some("high".into()),
            permissions: Mode::Full,
            withheld: Vec::new(),
            guarded: false,
            terminal: None,
            prompt: "-- be kind".into(),
            servers: vec![McpServer { name: "Paseo".into(), url: "http://127.0.0.1:1/mcp".into() }],
            tools: Vec::new(),
            chain: Vec::new(),
            remote: None,
            past: Vec::new(),
            resume: None,
            turns: 0,
            executable: "/bin/paseo".into(),
            environment: vec![(TOKEN_VARIABLE.into(), "secret".into())],
            removed: vec!["KEY_OF_OTHERS".to_owned()],
            patience: std::time::Duration::from_secs(60),
        }
    }

    fn words(launch: &Launch) -> Vec<String> {
        let program = program(launch, Path::new("/bin/claude"), None, "c-1").unwrap();
        program.arguments.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn a_new_conversation_has_an_id_that_we_chose() {
        let words = words(&launch());
        assert!(words.contains(&"--session-id=c-1".to_owned()));
        for expected in ["--model=opus", "--effort=high", "--append-system-prompt=-- be kind"] {
            assert!(words.contains(&expected.to_owned()), "{expected}");
        }
        assert!(!words.iter().any(|word| word.starts_with("--resume")));
        assert!(!words.iter().any(|word| word.starts_with("--disallowedTools")));
        assert!(!words.contains(&"--strict-mcp-config".to_owned()));
    }

    #[test]
    fn an_old_conversation_is_continued_with_the_newest_prompt() {
        let words = words(&Launch { resume: Some("c-1".into()), ..launch() });
        assert!(words.contains(&"--resume=c-1".to_owned()));
        assert!(words.contains(&"--system-prompt-snapshot=off".to_owned()));
        assert!(!words.iter().any(|word| word.starts_with("--session-id")));
    }

    #[test]
    fn every_mode_asks_us_and_readers_lose_their_hands() {
        for mode in Mode::ALL {
            let words = words(&Launch { permissions: mode, ..launch() });
            assert!(words.contains(&"--permission-prompt-tool=stdio".to_owned()));
            assert!(words.contains(&"--permission-mode=default".to_owned()));
            let withheld = words.iter().find(|word| word.starts_with("--disallowedTools="));
            assert_eq!(withheld.is_some(), mode == Mode::ReadOnly);
            let hooks = words.contains(&r#"--settings={"disableAllHooks":true}"#.to_owned());
            assert_eq!(hooks, mode != Mode::Full);
            assert!(withheld.is_none_or(|word| word.contains("Bash") && word.contains("Write")));
        }
    }

    #[test]
    fn what_is_withheld_is_not_there_whatever_the_mode() {
        let words =
            words(&Launch { permissions: Mode::Ask, withheld: vec![Power::Read, Power::Net], ..launch() });
        let absent = words.iter().find_map(|word| word.strip_prefix("--disallowedTools=")).unwrap();
        assert_eq!(absent, "Read,NotebookRead,LS,Glob,Grep,WebFetch,WebSearch");
    }

    #[test]
    fn no_secret_is_on_the_command_line() {
        let words = words(&launch()).join(" ");
        assert!(!words.contains("secret"));
        assert!(words.contains(r#""Authorization":"Bearer ${PASEO_TOKEN}""#), "{words}");
    }

    #[test]
    fn the_environment_is_the_users_but_for_what_is_ours() {
        let isolated = Path::new("/own");
        let program = program(&launch(), Path::new("/bin/claude"), Some(isolated), "c-1").unwrap();
        let value = |name: &str| {
            program.environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        };
        assert_eq!(value("MCP_TOOL_TIMEOUT"), Some("3900000"));
        assert_eq!(value("CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT"), Some("3900000"));
        assert_eq!(value("DISABLE_AUTOUPDATER"), Some("1"));
        assert_eq!(value(CONFIG_VARIABLE), Some("/own"));
        for name in ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"] {
            assert!(program.removed.iter().any(|removed| removed == name), "{name}");
            assert!(program.removed.contains(&"KEY_OF_OTHERS".to_owned()));
        }
        assert_eq!(settings(None).iter().find(|(name, _)| name == CONFIG_VARIABLE), None);
    }

    #[test]
    fn a_prompt_that_no_argument_holds_is_refused() {
        let launch = Launch { prompt: "x".repeat(PROMPT_BYTES + 1), ..launch() };
        assert!(program(&launch, Path::new("/bin/claude"), None, "c-1").is_err());
    }
}
