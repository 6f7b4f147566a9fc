//! What is known of agents that speak ACP, beyond what the protocol says.

use std::path::Path;

use paseo_core::permission::{Mode, Power};
use serde_json::{Map, Value, json};

use super::opencode;
use crate::provider::{McpServer, StartError};
use crate::{claude, codex};

/// An agent that is known by its name.
#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    pub(super) program: &'static str,
    pub(super) arguments: &'static [&'static str],
    /// How to get it.
    pub(super) install: &'static str,
    /// The agent's mode in which it may do everything.
    pub(super) full_mode: Option<&'static str>,
    /// The agent's mode in which it asks; needed wherever it is held.
    pub(super) ask_mode: Option<&'static str>,
    /// What else must be set wherever it is held: an option of its session, and the value.
    pub(super) ask_option: Option<(&'static str, &'static str)>,
    pub(super) asks: Asks,
    pub(super) files: Files,
    /// It can be handed our tools; without, it is not even tried.
    pub(super) mcp: bool,
    /// It can continue a conversation.
    pub(super) resume: bool,
    /// It lets the effort be chosen.
    pub(super) efforts: bool,
    pub(super) instructions: Instructions,
    pub(super) retries: Retries,
    /// What it sets in the environment of its commands, and of nothing else: those that a stop leaves are known by it.
    pub(super) command_variable: Option<&'static str>,
    /// What it must find in its environment to do everything as root, when it refuses to otherwise.
    pub(super) as_root: Option<(&'static str, &'static str)>,
    /// What it finds in its environment.
    environment: fn(&Wants<'_>) -> Environment,
}

/// Before what an agent asks for leave. What it does not ask about, nobody can keep it from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// Before nothing that could be relied on.
    Never,
    /// Before everything but reading.
    BeforeChanges,
    /// Before whatever it is told to.
    AsTold,
}

impl Asks {
    /// Returns the permission modes that can be kept.
    pub(super) fn modes(self) -> &'static [Mode] {
        match self {
            Self::Never => &[Mode::Full],
            Self::BeforeChanges | Self::AsTold => &Mode::ALL,
        }
    }

    /// Returns the powers that can be withheld.
    pub(super) fn withholds(self) -> &'static [Power] {
        match self {
            Self::Never => &[],
            Self::BeforeChanges => &[Power::Write, Power::Shell, Power::Net],
            Self::AsTold => &Power::ALL,
        }
    }
}

/// How an agent lets know that an attempt broke off: ACP itself has no word for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retries {
    /// In no way, or only after everything that the attempt said.
    Untold,
    /// Beside the protocol, while calls whose input is not whole yet may still be taken back.
    Told,
    /// Another message begins where none was expected: no call came between.
    NewMessage,
}

/// Which files an agent is offered to have us serve: what it survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    ReadAndWrite,
    /// It reads by itself.
    Write,
}

/// How an agent is told what is added to its prompt: ACP itself has no place for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instructions {
    /// Before the first message of each process.
    Message,
    /// In the `_meta` of the request that opens the session.
    Meta,
    /// In its environment.
    Environment,
}

/// Names and values, or why they cannot be said.
pub(super) type Environment = Result<Vec<(String, String)>, StartError>;

/// What an environment is made for.
pub(super) struct Wants<'a> {
    pub(super) permissions: Mode,
    pub(super) withheld: &'a [Power],
    pub(super) prompt: &'a str,
    pub(super) servers: &'a [McpServer],
    pub(super) directory: &'a Path,
    /// Our plugin for opencode, which tells of attempts that broke off.
    pub(super) plugin: Option<&'a Path>,
    /// Reads the daemon's own environment.
    pub(super) inherited: &'a dyn Fn(&str) -> Option<String>,
}

impl Preset {
    /// Returns what it finds in its environment, or why that cannot be said.
    pub(super) fn environment(&self, wants: &Wants<'_>) -> Environment {
        (self.environment)(wants)
    }
}

/// Returns what is known by a name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// Any agent of which nothing is known.
pub(super) const PLAIN: Preset = Preset {
    name: "acp",
    program: "",
    arguments: &[],
    install: "install it, or configure another command with `paseo providers add`",
    full_mode: None,
    ask_mode: None,
    ask_option: None,
    asks: Asks::Never,
    files: Files::ReadAndWrite,
    mcp: true,
    resume: true,
    efforts: true,
    instructions: Instructions::Message,
    retries: Retries::Untold,
    command_variable: None,
    as_root: None,
    environment: |_| Ok(Vec::new()),
};

/// Those that are known.
pub static PRESETS: [Preset; 7] = [
    Preset {
        name: opencode::NAME,
        program: "opencode",
        arguments: &["acp"],
        install: "install it with `npm install -g opencode-ai`",
        ask_mode: Some(opencode::AGENT),
        asks: Asks::AsTold,
        // Its models think as hard as they are configured to.
        efforts: false,
        retries: Retries::Told,
        environment: opencode::environment,
        ..PLAIN
    },
    Preset {
        name: "gemini",
        program: "gemini",
        arguments: &["--acp"],
        install: "install it with `npm install -g @google/gemini-cli`",
        full_mode: Some("yolo"),
        ask_mode: Some("default"),
        asks: Asks::BeforeChanges,
        // It does not understand that a file is missing, whatever it is told, and then makes none.
        files: Files::Write,
        // It empties a conversation that is loaded in the minute it was last written in.
        resume: false,
        environment: |_| Ok(vec![pair("GEMINI_CLI_NO_RELAUNCH", "true")]),
        ..PLAIN
    },
    Preset {
        name: "claude-agent-acp",
        program: "claude-agent-acp",
        install: "install it with `npm install -g @agentclientprotocol/claude-agent-acp`",
        full_mode: Some("bypassPermissions"),
        ask_mode: Some("default"),
        asks: Asks::BeforeChanges,
        instructions: Instructions::Meta,
        retries: Retries::NewMessage,
        command_variable: Some(claude::COMMAND_VARIABLE),
        as_root: Some(claude::AS_ROOT),
        // Otherwise our tools are hidden behind a search.
        environment: |_| Ok(vec![pair("ENABLE_TOOL_SEARCH", "false")]),
        ..PLAIN
    },
    Preset {
        name: "codex-acp",
        program: "codex-acp",
        install: "install it with `npm install -g @agentclientprotocol/codex-acp`",
        full_mode: Some("agent-full-access"),
        ask_mode: Some("read-only"),
        asks: Asks::BeforeChanges,
        instructions: Instructions::Environment,
        // It leaves them running after a stop.
        command_variable: Some(codex::COMMAND_VARIABLE),
        environment: codex_environment,
        ..PLAIN
    },
    Preset {
        name: "qwen",
        program: "qwen",
        arguments: &["--acp"],
        install: "install it with `npm install -g @qwen-code/qwen-code`",
        full_mode: Some("yolo"),
        ask_mode: Some("default"),
        asks: Asks::BeforeChanges,
        ..PLAIN
    },
    Preset {
        name: "copilot",
        program: "copilot",
        arguments: &["--acp"],
        install: "install it with `npm install -g @github/copilot`",
        ask_mode: Some("https://agentclientprotocol.com/protocol/session-modes#agent"),
        // People may have switched it on for all of its sessions.
        ask_option: Some(("allow_all", "off")),
        asks: Asks::BeforeChanges,
        ..PLAIN
    },
    Preset {
        name: "pi-acp",
        program: "pi-acp",
        install: "install it with `npm install -g pi-acp`",
        // It takes servers and forgets them.
        mcp: false,
        ..PLAIN
    },
];

pub(super) fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn codex_environment(wants: &Wants<'_>) -> Environment {
    let mode = if wants.permissions.is_full() { "agent-full-access" } else { "read-only" };
    let mut config = inherited(wants, "CODEX_CONFIG")?;
    if !wants.prompt.is_empty() {
        config.insert("developer_instructions".to_owned(), wants.prompt.into());
    }
    let mut without = |feature: &str| {
        let features = config.entry("features").or_insert_with(|| json!({}));
        if !features.is_object() {
            *features = json!({});
        }
        features[feature] = false.into();
    };
    if wants.withheld.contains(&Power::Shell) {
        // In its mode that asks, commands run without a question, in a sandbox where they can read.
        without("shell_tool");
    } else if !wants.permissions.is_full() {
        // What is typed into a running terminal is not asked about: one yes to `bash` would be a yes to all.
        without("unified_exec_tty");
    }
    if wants.withheld.contains(&Power::Net) {
        config.insert("web_search".to_owned(), "disabled".into());
    }
    let config = (!config.is_empty()).then(|| ("CODEX_CONFIG".to_owned(), Value::Object(config).to_string()));
    Ok(std::iter::once(pair("INITIAL_AGENT_MODE", mode)).chain(config).collect())
}

/// Returns an object that stands in the daemon's environment; an empty one when there is nothing.
pub(super) fn inherited(wants: &Wants<'_>, name: &str) -> Result<Map<String, Value>, StartError> {
    let text = (wants.inherited)(name).unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_str(&text).map_err(|error| StartError {
        message: format!("the variable {name} is not a JSON object, so Paseo cannot add to it: {error}"),
        hint: Some(format!("write {name} as plain JSON without comments, or unset it")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex_is_told_how_much_it_may_and_what_to_heed() {
        let inherited = |_: &str| Some(r#"{"model":"m"}"#.to_owned());
        let wants = Wants {
            permissions: Mode::Ask,
            withheld: &[],
            prompt: "Be kind.",
            servers: &[],
            plugin: None,
            directory: Path::new("/nowhere"),
            inherited: &inherited,
        };
        let environment = find("codex-acp").unwrap().environment(&wants).unwrap();
        assert_eq!(environment[0].1, "read-only");
        let config: Value = serde_json::from_str(&environment[1].1).unwrap();
        let features = json!({ "unified_exec_tty": false });
        let told = json!({ "model": "m", "developer_instructions": "Be kind.", "features": features });
        assert_eq!(config, told);
        // Who has no shell and no network is not even offered them.
        let inherited = |_: &str| Some(r#"{"features":{"goals":true}}"#.to_owned());
        let withheld = [Power::Shell, Power::Net];
        let held = Wants { withheld: &withheld, prompt: "", inherited: &inherited, ..wants };
        let environment = find("codex-acp").unwrap().environment(&held).unwrap();
        let config: Value = serde_json::from_str(&environment[1].1).unwrap();
        let features = json!({ "goals": true, "shell_tool": false });
        assert_eq!(config, json!({ "features": features, "web_search": "disabled" }));
    }

    #[test]
    fn who_never_asks_promises_nothing() {
        assert_eq!(PLAIN.asks.modes(), [Mode::Full]);
        assert_eq!(PLAIN.asks.withholds(), []);
        assert!(
            PRESETS.iter().all(|preset| preset.asks != Asks::AsTold || preset.asks.withholds() == Power::ALL)
        );
    }
}
