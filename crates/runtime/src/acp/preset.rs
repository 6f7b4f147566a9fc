//! What is known of agents that speak ACP, beyond what the protocol says.

use paseo_core::permission::{Mode, Power};
use serde_json::{Map, Value, json};

use crate::provider::McpServer;

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
    pub(super) asks: Asks,
    /// It can be handed our tools; without, it is not even tried.
    pub(super) mcp: bool,
    /// It can continue a conversation.
    pub(super) resume: bool,
    /// It lets the effort be chosen.
    pub(super) efforts: bool,
    pub(super) instructions: Instructions,
    /// What it finds in its environment.
    environment: fn(&Wants<'_>) -> Vec<(String, String)>,
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

/// What an environment is made for.
pub(super) struct Wants<'a> {
    pub(super) permissions: Mode,
    pub(super) withheld: &'a [Power],
    pub(super) prompt: &'a str,
    pub(super) servers: &'a [McpServer],
    /// Reads the daemon's own environment.
    pub(super) inherited: &'a dyn Fn(&str) -> Option<String>,
}

impl Preset {
    pub(super) fn environment(&self, wants: &Wants<'_>) -> Vec<(String, String)> {
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
    install: "install it, or name another command with `paseo providers add`",
    full_mode: None,
    ask_mode: None,
    asks: Asks::Never,
    mcp: true,
    resume: true,
    efforts: true,
    instructions: Instructions::Message,
    environment: |_| Vec::new(),
};

/// Those that are known.
pub static PRESETS: [Preset; 5] = [
    Preset {
        name: "opencode",
        program: "opencode",
        arguments: &["acp"],
        install: "install it with `npm install -g opencode-ai`",
        asks: Asks::AsTold,
        // Its models think as hard as they are configured to.
        efforts: false,
        environment: opencode,
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
        // It empties a conversation that is loaded in the minute it was last written in.
        resume: false,
        environment: |_| vec![pair("GEMINI_CLI_NO_RELAUNCH", "true")],
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
        // Otherwise our tools are hidden behind a search.
        environment: |_| vec![pair("ENABLE_TOOL_SEARCH", "false")],
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
        environment: codex,
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

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn codex(wants: &Wants<'_>) -> Vec<(String, String)> {
    let mode = if wants.permissions.is_full() { "agent-full-access" } else { "read-only" };
    let mut environment = vec![pair("INITIAL_AGENT_MODE", mode)];
    if !wants.prompt.is_empty() {
        let mut config = inherited(wants, "CODEX_CONFIG");
        config.insert("developer_instructions".to_owned(), wants.prompt.into());
        environment.push(("CODEX_CONFIG".to_owned(), Value::Object(config).to_string()));
    }
    environment
}

/// Opencode asks by its configuration. What the user set stays, but for what it may do.
fn opencode(wants: &Wants<'_>) -> Vec<(String, String)> {
    let mut config = inherited(wants, "OPENCODE_CONFIG_CONTENT");
    let rules = rules(wants);
    // What an agent of its own may do goes before what all may.
    let agents = ["build", "plan", "general", "explore"].map(|name| (name, json!({ "permission": rules })));
    let known = config.entry("agent").or_insert_with(|| json!({}));
    for (name, agent) in agents {
        known[name] = agent;
    }
    config.insert("permission".to_owned(), rules);
    // Whoever is denied something may do without.
    config.entry("experimental").or_insert_with(|| json!({}))["continue_loop_on_deny"] = true.into();
    vec![
        ("OPENCODE_CONFIG_CONTENT".to_owned(), Value::Object(config).to_string()),
        pair("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ]
}

/// Returns what opencode may do; the last rule that fits counts.
fn rules(wants: &Wants<'_>) -> Value {
    let by_itself = if wants.permissions.is_full() { "allow" } else { "ask" };
    let mut rules = Map::new();
    rules.insert("*".to_owned(), by_itself.into());
    for (power, tools) in [
        (Power::Read, &["read", "glob", "grep", "list", "lsp", "external_directory"][..]),
        (Power::Write, &["edit", "write", "patch"]),
        // A subagent may have powers of its own.
        (Power::Shell, &["bash", "task"]),
        (Power::Net, &["webfetch", "websearch", "codesearch"]),
    ] {
        let rule = match power {
            power if wants.withheld.contains(&power) || !wants.permissions.grants(power) => "deny",
            Power::Read => "allow",
            _ => by_itself,
        };
        tools.iter().for_each(|tool| drop(rules.insert((*tool).to_owned(), rule.into())));
    }
    // These touch nothing.
    for tool in ["todowrite", "todoread", "skill", "question"] {
        rules.insert(tool.to_owned(), "allow".into());
    }
    // What our own tools may do, the daemon decides.
    for server in wants.servers {
        rules.insert(format!("{}_*", server.name), "allow".into());
    }
    Value::Object(rules)
}

/// Returns an object that stands in the daemon's environment; an empty one when it makes no sense.
fn inherited(wants: &Wants<'_>, name: &str) -> Map<String, Value> {
    let text = (wants.inherited)(name).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(permissions: Mode, withheld: &[Power], inherited: &str) -> Value {
        let servers = [McpServer { name: "Paseo".into(), url: "http://127.0.0.1:1/mcp".into() }];
        let inherited = |_: &str| Some(inherited.to_owned());
        let wants = Wants { permissions, withheld, prompt: "", servers: &servers, inherited: &inherited };
        let environment = find("opencode").unwrap().environment(&wants);
        serde_json::from_str(&environment[0].1).unwrap()
    }

    #[test]
    fn opencode_is_told_before_what_to_ask() {
        let full = told(Mode::Full, &[], "");
        assert_eq!(
            (&full["permission"]["*"], &full["permission"]["bash"]),
            (&json!("allow"), &json!("allow"))
        );
        let ask = told(Mode::Ask, &[Power::Shell], "");
        let rules = &ask["permission"];
        let of = |tool: &str| rules[tool].as_str().unwrap();
        assert_eq!((of("*"), of("read"), of("edit"), of("bash")), ("ask", "allow", "ask", "deny"));
        assert_eq!(of("Paseo_*"), "allow");
        assert_eq!(&ask["agent"]["build"]["permission"], rules);
        let read_only = told(Mode::ReadOnly, &[], "");
        assert_eq!(read_only["permission"]["edit"], "deny");
    }

    #[test]
    fn what_the_user_configured_stays() {
        let told =
            told(Mode::Ask, &[], r#"{"model":"a/b","agent":{"mine":{"prompt":"x"}},"permission":"allow"}"#);
        assert_eq!((&told["model"], &told["agent"]["mine"]["prompt"]), (&json!("a/b"), &json!("x")));
        assert_eq!(told["permission"]["bash"], "ask");
        assert!(told_nonsense().is_object());
    }

    fn told_nonsense() -> Value {
        told(Mode::Full, &[], "{nonsense")
    }

    #[test]
    fn codex_is_told_how_much_it_may_and_what_to_heed() {
        let inherited = |_: &str| Some(r#"{"model":"m"}"#.to_owned());
        let wants = Wants {
            permissions: Mode::Ask,
            withheld: &[],
            prompt: "Be kind.",
            servers: &[],
            inherited: &inherited,
        };
        let environment = find("codex-acp").unwrap().environment(&wants);
        assert_eq!(environment[0].1, "read-only");
        let config: Value = serde_json::from_str(&environment[1].1).unwrap();
        assert_eq!(config, json!({ "model": "m", "developer_instructions": "Be kind." }));
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
