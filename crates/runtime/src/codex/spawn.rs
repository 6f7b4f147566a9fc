//! How codex is started: its program, command line and environment, and what its threads are opened with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use paseo_core::id::TurnId;
use paseo_core::permission::{Mode, Power};
use serde_json::{Map, Value, json};

use super::hooks::{guarding_arguments, guarding_arguments_in_terminal};
use crate::keys::{CODEX_KEY, CODEX_URL};
use crate::models::{self, Model, Talk};
use crate::process::Program;
use crate::programs::is_executable;
use crate::provider::{Attachment, Launch, McpServer, Message, TOKEN_VARIABLE, TOOL_TIMEOUT_SECONDS};

/// Where codex keeps its configuration, login and conversations.
pub(super) const HOME_VARIABLE: &str = "CODEX_HOME";

/// Codex sets this for the commands that it runs, and for nothing else.
pub(crate) const COMMAND_VARIABLE: &str = "CODEX_THREAD_ID";

/// Says how codex is asked for its models: by the app server, which needs no conversation for that.
pub(super) fn listing(program: PathBuf, isolated_home: Option<&Path>, removed: Vec<String>) -> Talk {
    let mut arguments = vec![OsString::from("app-server")];
    let mut environment = Vec::new();
    if let Some(home) = isolated_home {
        environment.push((HOME_VARIABLE.to_owned(), home.display().to_string()));
        arguments.extend(["-c", "features.plugins=false"].map(OsString::from));
    }
    let client = json!({ "name": "paseo", "version": env!("CARGO_PKG_VERSION") });
    Talk {
        name: super::NAME,
        program,
        arguments,
        environment,
        removed: [vec![COMMAND_VARIABLE.to_owned()], removed].concat(),
        says: vec![
            json!({ "id": 1, "method": "initialize", "params": { "clientInfo": client } }),
            json!({ "method": "initialized" }),
            json!({ "id": LISTING, "method": "model/list", "params": { "limit": 100 } }),
        ],
    }
}

/// Finds the answer to that.
pub(super) fn listed(line: &Value) -> Option<Option<(Vec<Model>, bool)>> {
    let is_answer = line.get("id").and_then(Value::as_i64) == Some(LISTING);
    is_answer.then(|| line.get("result").and_then(models::of_codex))
}

/// The number of the request for models.
const LISTING: i64 = 2;

/// Makes the program to run.
///
/// The user's configuration is theirs: nothing in it is set aside, neither their MCP servers nor their plugins. The
/// app server asks for no update and leaves no daemon behind, so nothing has to be. A home of our own has no plugins;
/// there codex shall not go and look for some.
pub(super) fn program(launch: &Launch, program: PathBuf, isolated_home: Option<&Path>) -> Program {
    let mut environment = launch.environment.clone();
    let mut arguments = match launch.terminal {
        Some(_) => in_terminal(launch),
        None => vec!["app-server".to_owned()],
    };
    if let Some(home) = isolated_home {
        environment.push((HOME_VARIABLE.to_owned(), home.display().to_string()));
        arguments.extend(["-c", "features.plugins=false"].map(str::to_owned));
    }
    if launch.terminal.is_some() && isolated_home.is_some() {
        // It would ask a person. The home is ours, and so is what we let in.
        let directory = launch.directory.canonicalize().unwrap_or_else(|_| launch.directory.clone());
        let trusted = json!({ directory.to_string_lossy(): { "trust_level": "trusted" } });
        arguments.extend(setting("projects", &trusted));
    }
    arguments.extend(key_arguments(&launch.environment));
    match launch.terminal {
        _ if !launch.guarded => {}
        Some(_) => arguments.extend(guarding_arguments_in_terminal(&launch.executable)),
        None => arguments.extend(guarding_arguments(&launch.executable)),
    }
    Program {
        shim: launch.executable.clone(),
        program: program.into_os_string(),
        arguments: arguments.into_iter().map(OsString::from).collect(),
        directory: launch.directory.clone(),
        session: launch.session,
        environment,
        // We may run under a codex ourselves.
        removed: [vec![COMMAND_VARIABLE.to_owned()], launch.removed.clone()].concat(),
    }
}

/// Returns what a person would type, for a thread that is new or continued.
fn in_terminal(launch: &Launch) -> Vec<String> {
    let setup = Setup::new(launch);
    let mut arguments: Vec<String> = Vec::new();
    if let Some(thread) = &launch.resume {
        arguments.extend(["resume".to_owned(), thread.clone()]);
    }
    let (approval, sandbox) = match launch.permissions {
        // There it does not know any more that it is to ask about whatever is not trusted. What is more than reading
        // then fails, or it asks the person at the terminal.
        Mode::Ask => ("on-request", "read-only"),
        // Nothing is given up to the hooks alone: without them it has to ask.
        Mode::Full if launch.guarded => ("on-request", "read-only"),
        mode => policies(mode),
    };
    arguments.extend(["-a", approval, "-s", sandbox].map(str::to_owned));
    if let Some(model) = &launch.model {
        arguments.push(format!("--model={model}"));
    }
    // It would ask about an update, and leave a daemon behind.
    arguments.extend(setting("check_for_update_on_startup", &false.into()));
    arguments.extend(setting("features.daemon_auto_start", &false.into()));
    arguments.extend(setting("approvals_reviewer", &"user".into()));
    if !launch.prompt.is_empty() {
        arguments.extend(setting("developer_instructions", &launch.prompt.as_str().into()));
    }
    if let Value::Object(config) = setup.config() {
        arguments.extend(config.iter().flat_map(|(name, value)| setting(name, value)));
    }
    arguments
}

/// Returns the words that set something for one process.
fn setting(name: &str, value: &Value) -> [String; 2] {
    ["-c".to_owned(), format!("{name}={}", toml(value))]
}

/// Writes a value down in one line of TOML.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            let fields: Vec<String> = fields
                .map(|(name, value)| format!("{}={}", toml(&name.as_str().into()), toml(value)))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(toml).collect::<Vec<_>>().join(",")),
        // Strings are the same in JSON, but for one letter that TOML does not take as it is.
        other => other.to_string().replace('\u{7f}', "\\u007f"),
    }
}

/// Makes codex use the key that the launch brings. The app server looks for none in its environment by itself: a model
/// server has to say under which name it is there.
fn key_arguments(environment: &[(String, String)]) -> Vec<String> {
    let value =
        |wanted: &str| environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    if value(CODEX_KEY).is_none() {
        return Vec::new();
    }
    let url = Value::from(value(CODEX_URL).unwrap_or("https://api.openai.com/v1"));
    let server = format!(r#"{{name="paseo",base_url={url},wire_api="responses",env_key="{CODEX_KEY}"}}"#);
    [
        "-c".to_owned(),
        r#"model_provider="paseo""#.to_owned(),
        "-c".to_owned(),
        format!("model_providers.paseo={server}"),
    ]
    .into()
}

/// Returns the native program when the one that was found is npm's wrapper: that costs a Node process and a start.
pub(super) fn native(found: PathBuf) -> PathBuf {
    let real = std::fs::canonicalize(&found).unwrap_or_else(|_| found.clone());
    let wrapper = real.file_name().is_some_and(|name| name == "codex.js");
    let package = real.parent().and_then(Path::parent).filter(|_| wrapper);
    let Some((package, (name, triple))) = package.zip(platform()) else { return found };
    let inner = Path::new("vendor").join(triple).join("bin/codex");
    let beside = package.parent().map(|scope| scope.join(name).join(&inner));
    let within = package.join("node_modules/@openai").join(name).join(&inner);
    let bundled = package.join(&inner);
    beside.into_iter().chain([within, bundled]).find(|program| is_executable(program)).unwrap_or(found)
}

/// Returns the package of the native program for this machine, and the name of the folder in it.
fn platform() -> Option<(&'static str, &'static str)> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some(("codex-linux-x64", "x86_64-unknown-linux-musl")),
        ("linux", "aarch64") => Some(("codex-linux-arm64", "aarch64-unknown-linux-musl")),
        ("macos", "x86_64") => Some(("codex-darwin-x64", "x86_64-apple-darwin")),
        ("macos", "aarch64") => Some(("codex-darwin-arm64", "aarch64-apple-darwin")),
        _ => None,
    }
}

/// Takes back what was added to the prompt of a thread earlier.
const NO_PROMPT: &str = "No instructions are added now. Instructions added earlier in this conversation no \
                         longer apply.";

/// What threads and turns are opened with.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    pub(super) directory: PathBuf,
    model: Option<String>,
    effort: Option<String>,
    permissions: Mode,
    withheld: Vec<Power>,
    prompt: String,
    pub(super) servers: Vec<McpServer>,
    /// The thread to continue.
    pub(super) resume: Option<String>,
}

/// A thread that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) id: String,
    pub(super) resumed: bool,
    /// What codex really uses, be it chosen or configured.
    pub(super) model: String,
    pub(super) effort: Option<String>,
}

impl Setup {
    pub(super) fn new(launch: &Launch) -> Self {
        Self {
            directory: launch.directory.clone(),
            model: launch.model.clone(),
            effort: launch.effort.clone(),
            permissions: launch.permissions,
            withheld: launch.withheld.clone(),
            prompt: launch.prompt.clone(),
            servers: launch.servers.clone(),
            resume: launch.resume.clone(),
        }
    }

    /// Returns the request that opens the thread: its method and parameters.
    pub(super) fn open(&self) -> (&'static str, Value) {
        let (approval, sandbox) = policies(self.permissions);
        let mut params = json!({
            "cwd": self.directory,
            "approvalPolicy": approval,
            // The user's setting names who answers in a terminal: here it is the daemon.
            "approvalsReviewer": "user",
            "sandbox": sandbox,
            "config": self.config(),
        });
        if let Some(model) = &self.model {
            params["model"] = model.as_str().into();
        }
        match &self.resume {
            Some(thread) => {
                params["threadId"] = thread.as_str().into();
                params["excludeTurns"] = true.into();
                ("thread/resume", params)
            }
            None => {
                if !self.prompt.is_empty() {
                    params["developerInstructions"] = self.prompt.as_str().into();
                }
                // Some calls show in what the model wrote only. A thread that is resumed cannot be asked for that.
                params["experimentalRawEvents"] = true.into();
                ("thread/start", params)
            }
        }
    }

    /// Returns the parameters of `turn/start`. The user's message carries the turn's id, so that its uptake is seen.
    pub(super) fn turn(&self, thread: &Thread, turn: TurnId, messages: &[Message]) -> Value {
        let mut params = json!({
            "threadId": thread.id,
            "clientUserMessageId": turn.to_string(),
            "input": input(messages),
        });
        let effort = self.effort.as_ref().or(thread.effort.as_ref());
        if let Some(effort) = &self.effort {
            params["effort"] = effort.as_str().into();
        }
        // A thread that is resumed ignores `developerInstructions`. These are compared with what the thread had in
        // its last turn, by codex itself, and enter the conversation only when they differ.
        if thread.resumed {
            // What is left out stays as it was: that there is nothing more must be said.
            let prompt = if self.prompt.is_empty() { NO_PROMPT } else { &self.prompt };
            params["collaborationMode"] = json!({
                "mode": "default",
                "settings": {
                    "model": thread.model,
                    "reasoning_effort": effort,
                    "developer_instructions": prompt,
                },
            });
        }
        params
    }

    fn config(&self) -> Value {
        let mut config = Map::new();
        for server in &self.servers {
            let settings = json!({
                "url": server.url,
                "bearer_token_env_var": TOKEN_VARIABLE,
                // Otherwise a server that is slow to start is missing in the first turn, without a word.
                "required": true,
                "tool_timeout_sec": TOOL_TIMEOUT_SECONDS,
                // The daemon itself decides what its tools may do.
                "default_tools_approval_mode": "approve",
            });
            config.insert(format!("mcp_servers.{}", server.name), settings);
        }
        if let Some(effort) = &self.effort {
            config.insert("model_reasoning_effort".to_owned(), effort.as_str().into());
        }
        if self.permissions == Mode::Ask {
            // What is typed into a running terminal is not asked about: one yes to `bash` would be a yes to all.
            config.insert("features.unified_exec_tty".to_owned(), false.into());
        }
        let without = |power: Power| self.withheld.contains(&power) || !self.permissions.grants(power);
        if without(Power::Read) {
            config.insert("features.view_image".to_owned(), false.into());
            // It reads by commands, and some that only read are not asked about.
            if without(Power::Shell) {
                config.insert("features.shell_tool".to_owned(), false.into());
            }
        }
        if without(Power::Net) {
            config.insert("web_search".to_owned(), "disabled".into());
        }
        Value::Object(config)
    }
}

/// Returns messages as codex takes them: one text, then the images.
pub(super) fn input(messages: &[Message]) -> Value {
    let texts: Vec<String> = messages.iter().map(Message::with_texts).collect();
    let text = json!({ "type": "text", "text": texts.join("\n\n") });
    // As they are: codex says nothing when it cannot read a file.
    let image = |file: &Attachment| json!({ "type": "image", "url": file.data_url() });
    [text].into_iter().chain(messages.iter().flat_map(Message::images).map(image)).collect()
}

/// Returns when codex asks, and what holds it back when it does not.
///
/// In `ask`, `untrusted` asks about every command and change. The sandbox must be off: it would hold back what a
/// person has just allowed.
fn policies(mode: Mode) -> (&'static str, &'static str) {
    match mode {
        Mode::Full => ("never", "danger-full-access"),
        Mode::Ask => ("untrusted", "danger-full-access"),
        Mode::ReadOnly => ("never", "read-only"),
    }
}
