//! The real harnesses, in homes of their own, with the scripted model behind them.
//!
//! `scripts/harnesses` installs them. Where they are missing a test has nothing to run; in CI that is a failure.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::home::TestHome;
use crate::model::ModelServer;

/// A harness that can be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Claude,
    Codex,
    Pi,
    Opencode,
    /// Codex behind the Agent Client Protocol, by a program around it.
    CodexAcp,
    /// Claude behind the Agent Client Protocol.
    ClaudeAcp,
    Gemini,
    Qwen,
    Copilot,
    /// Our own agent, on a model that speaks Chat Completions: there is nothing to install.
    OpenAi,
}

impl Program {
    pub const ALL: [Self; 10] = [
        Self::Claude,
        Self::Codex,
        Self::Pi,
        Self::OpenAi,
        Self::Opencode,
        Self::ClaudeAcp,
        Self::CodexAcp,
        Self::Gemini,
        Self::Qwen,
        Self::Copilot,
    ];

    /// Returns its name, as typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Pi => "pi",
            Self::Opencode => "opencode",
            Self::CodexAcp => "codex-acp",
            Self::ClaudeAcp => "claude-agent-acp",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Copilot => "copilot",
            Self::OpenAi => "openai",
        }
    }

    /// Returns the version that is installed.
    pub fn version(self) -> Option<String> {
        let package = match self {
            Self::Claude => "@anthropic-ai/claude-code",
            Self::Codex => "@openai/codex",
            Self::Pi => "@earendil-works/pi-coding-agent",
            Self::Opencode => "opencode-linux-x64",
            Self::CodexAcp => "@agentclientprotocol/codex-acp",
            Self::ClaudeAcp => "@agentclientprotocol/claude-agent-acp",
            Self::Gemini => "@google/gemini-cli",
            Self::Qwen => "@qwen-code/qwen-code",
            Self::Copilot => "@github/copilot",
            Self::OpenAi => return Some(env!("CARGO_PKG_VERSION").to_owned()),
        };
        let text = fs::read_to_string(packages().join(package).join("package.json")).ok()?;
        let package: Value = serde_json::from_str(&text).ok()?;
        package["version"].as_str().map(str::to_owned)
    }

    /// Returns where it is installed. In CI it must be.
    pub fn find(self) -> Option<PathBuf> {
        let packages = packages();
        // The native programs: what is in `.bin` needs node, and more memory.
        let found = match self {
            Self::Claude => first(&packages.join("@anthropic-ai"), "claude-code-linux-", "claude"),
            Self::Codex => first(&packages.join("@openai"), "codex-linux-", "vendor")
                .and_then(|vendor| first(&vendor, "", "bin/codex")),
            // These have none.
            Self::Pi | Self::CodexAcp | Self::ClaudeAcp | Self::Gemini | Self::Qwen => {
                first(&packages, ".bin", self.name())
            }
            Self::Copilot => first(&packages.join("@github"), "copilot-linux-", "copilot"),
            Self::Opencode => first(&packages, "opencode-linux-", "bin/opencode"),
            // It is in the program that is tested.
            Self::OpenAi => Some(PathBuf::from("paseo")),
        };
        let continuous = std::env::var_os("CI").is_some_and(|value| value == "true");
        assert!(
            found.is_some() || !continuous,
            "{} is not installed, and in CI its tests must run: run scripts/harnesses",
            self.name()
        );
        found
    }

    /// Returns it with a home of its own, talking to a model; `None` where it is not installed.
    pub fn with(self, model: &ModelServer) -> Option<Real> {
        let program = self.find()?;
        let directory = directory(self.name());
        let bin = directory.path().join("bin");
        fs::create_dir(&bin).expect("a directory for the program");
        symlink(&program, bin.join(self.name())).expect("a link to the program");
        if let Some(node) = first(&packages(), "node-linux-", "bin/node") {
            symlink(node, bin.join("node")).expect("a link to node");
        }
        let environment = match self {
            Self::Claude | Self::ClaudeAcp => claude(directory.path(), model),
            Self::Codex | Self::CodexAcp => codex(directory.path(), model),
            Self::Pi => pi(directory.path(), model),
            Self::Opencode => opencode(directory.path(), model),
            Self::Gemini => gemini(directory.path(), model),
            Self::Qwen => qwen(directory.path(), model),
            Self::Copilot => copilot(directory.path(), model),
            Self::OpenAi => openai(model),
        };
        Some(Real { program, directory, environment })
    }
}

/// An installed harness with a home of its own. Make it before the [`TestHome`] that uses it, so that it goes after.
#[derive(Debug)]
pub struct Real {
    program: PathBuf,
    directory: TempDir,
    environment: Vec<(&'static str, String)>,
}

impl Real {
    /// Returns the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the directory with its settings and conversations: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`.
    pub fn config(&self) -> PathBuf {
        self.directory.path().join("config")
    }

    /// Returns a directory that holds nothing but the program, under its name, and the node that runs it.
    pub fn bin(&self) -> PathBuf {
        self.directory.path().join("bin")
    }

    /// Returns what its environment must hold when a test starts it by itself. The node that runs it is first in `PATH`:
    /// some want a newer one than the one that is installed.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let known = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(self.bin()).chain(std::env::split_paths(&known));
        let path = std::env::join_paths(all).expect("a path");
        let path = ("PATH", path.into_string().expect("a path in UTF-8"));
        self.environment.iter().cloned().chain([path]).collect()
    }

    /// Makes it the harness of a daemon: first in `PATH`, and with its environment.
    pub fn install(&self, home: &mut TestHome) {
        home.prepend_path(&self.bin());
        self.environment.iter().for_each(|(name, value)| home.set(name, value));
    }
}

fn claude(directory: &Path, model: &ModelServer) -> Vec<(&'static str, String)> {
    let config = directory.join("config");
    let temporary = directory.join("tmp");
    [&config, &temporary].into_iter().for_each(|path| fs::create_dir(path).expect("a directory for claude"));
    // Otherwise its first start in a terminal asks, and asks the network.
    let state = json!({
        "hasCompletedOnboarding": true,
        "hasSeenAutoDefaultNotice": true,
        "projects": { "/": { "hasTrustDialogAccepted": true } },
    });
    fs::write(config.join(".claude.json"), state.to_string()).expect("claude's state");
    let settings = json!({ "skipDangerousModePermissionPrompt": true });
    fs::write(config.join("settings.json"), settings.to_string()).expect("claude's settings");
    vec![
        ("CLAUDE_CONFIG_DIR", text(&config)),
        ("CLAUDE_CODE_TMPDIR", text(&temporary)),
        ("ANTHROPIC_BASE_URL", model.url()),
        ("ANTHROPIC_AUTH_TOKEN", "scripted".into()),
        ("DISABLE_AUTOUPDATER", "1".into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        // It would go on for minutes.
        ("CLAUDE_CODE_MAX_RETRIES", "2".into()),
    ]
}

fn codex(directory: &Path, model: &ModelServer) -> Vec<(&'static str, String)> {
    let config = directory.join("config");
    fs::create_dir(&config).expect("a home for codex");
    // Without the last two it asks the network, and leaves a daemon behind.
    let settings = format!(
        r#"model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 2

[analytics]
enabled = false

[features]
plugins = false
daemon_auto_start = false

[projects."/"]
trust_level = "trusted"
"#,
        model.url()
    );
    fs::write(config.join("config.toml"), settings).expect("codex's settings");
    vec![("CODEX_HOME", text(&config)), ("SCRIPTED_KEY", "scripted".into())]
}

fn openai(model: &ModelServer) -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_API_KEY", "scripted".into()),
        ("OPENAI_BASE_URL", format!("{}/v1", model.url())),
        ("OPENAI_MODEL", "scripted".into()),
    ]
}

fn opencode(directory: &Path, model: &ModelServer) -> Vec<(&'static str, String)> {
    let config = directory.join("config");
    fs::create_dir_all(config.join("opencode")).expect("a home for opencode");
    let sees =
        json!({ "attachment": true, "modalities": { "input": ["text", "image"], "output": ["text"] } });
    let settings = json!({
        "autoupdate": false,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": { "baseURL": format!("{}/v1", model.url()), "apiKey": "scripted" },
            "models": { "scripted": sees, "scripted-two": {} },
        } },
    });
    fs::write(config.join("opencode/opencode.json"), settings.to_string()).expect("opencode's settings");
    // As if it had been started before with a network: otherwise it tries to reach one, and loads no plugin until it has.
    let lock = json!({ "packages": { "": { "dependencies": { "@opencode-ai/plugin": "*" } } } });
    fs::create_dir(config.join("opencode/node_modules")).expect("opencode's packages");
    fs::write(config.join("opencode/package-lock.json"), lock.to_string()).expect("opencode's packages");
    let own = |name: &'static str, folder: &str| (name, text(&directory.join(folder)));
    let mut environment = vec![
        ("XDG_CONFIG_HOME", text(&config)),
        own("XDG_DATA_HOME", "data"),
        own("XDG_CACHE_HOME", "cache"),
        own("XDG_STATE_HOME", "state"),
    ];
    // Otherwise it asks the network.
    for name in [
        "OPENCODE_DISABLE_AUTOUPDATE",
        "OPENCODE_DISABLE_MODELS_FETCH",
        "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    ] {
        environment.push((name, "1".into()));
    }
    environment
}

fn gemini(directory: &Path, model: &ModelServer) -> Vec<(&'static str, String)> {
    let home = directory.join("config");
    fs::create_dir_all(home.join(".gemini")).expect("a home for gemini");
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
        "general": { "enableAutoUpdate": false, "maxAttempts": 2 },
        "model": { "name": "gemini-2.5-flash" },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
    });
    fs::write(home.join(".gemini/settings.json"), settings.to_string()).expect("gemini's settings");
    vec![
        ("HOME", text(&home)),
        ("GEMINI_API_KEY", "scripted".into()),
        ("GOOGLE_GEMINI_BASE_URL", model.url()),
        ("GEMINI_TELEMETRY_ENABLED", "false".into()),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true".into()),
    ]
}

fn qwen(directory: &Path, model: &ModelServer) -> Vec<(&'static str, String)> {
    let home = directory.join("config");
    fs::create_dir_all(home.join(".qwen")).expect("a home for qwen");
    let settings = json!({
        "security": { "auth": { "selectedType": "openai" }, "folderTrust": { "enabled": false } },
        "general": { "enableAutoUpdate": false },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
    });
    fs::write(home.join(".qwen/settings.json"), settings.to_string()).expect("qwen's settings");
    [vec![("HOME", text(&home))], openai(model)].concat()
}

fn copilot(directory: &Path, model: &ModelServer) -> Vec<(&'static str, String)> {
    let home = directory.join("config");
    fs::create_dir(&home).expect("a home for copilot");
    vec![
        ("HOME", text(&home)),
        ("COPILOT_HOME", text(&home.join(".copilot"))),
        ("COPILOT_AUTO_UPDATE", "false".into()),
        // It asks nobody but this model.
        ("COPILOT_OFFLINE", "true".into()),
        ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", model.url())),
        ("COPILOT_PROVIDER_API_KEY", "scripted".into()),
        ("COPILOT_MODEL", "scripted".into()),
    ]
}

fn pi(directory: &Path, model: &ModelServer) -> Vec<(&'static str, String)> {
    let config = directory.join("config");
    fs::create_dir(&config).expect("a directory for pi");
    let models = [("scripted", &["text", "image"][..]), ("scripted-two", &["text"])]
        .map(|(id, input)| json!({ "id": id, "reasoning": true, "input": input }));
    let servers = json!({ "providers": { "scripted": {
        "baseUrl": format!("{}/v1", model.url()), "api": "openai-completions", "apiKey": "$SCRIPTED_API_KEY",
        "models": models,
    } } });
    fs::write(config.join("models.json"), servers.to_string()).expect("pi's models");
    // It would go on for a quarter of a minute.
    let settings = json!({
        "defaultProvider": "scripted", "defaultModel": "scripted",
        "retry": { "maxRetries": 2, "baseDelayMs": 20, "provider": { "maxRetries": 0 } },
    });
    fs::write(config.join("settings.json"), settings.to_string()).expect("pi's settings");
    vec![
        ("PI_CODING_AGENT_DIR", text(&config)),
        ("SCRIPTED_API_KEY", "scripted".into()),
        ("PI_OFFLINE", "1".into()),
    ]
}

/// Where `scripts/harnesses` installs them: the pinned ones, or those that `PASEO_HARNESSES` names.
fn packages() -> PathBuf {
    let chosen = std::env::var_os("PASEO_HARNESSES").map(PathBuf::from);
    chosen.unwrap_or_else(|| root().join("target/harnesses")).join("node_modules")
}

/// A temporary directory in `target`, as codex wants none in `/tmp` for its home.
fn directory(name: &str) -> TempDir {
    let parent = root().join("target/tmp");
    fs::create_dir_all(&parent).expect("a directory for temporary homes");
    tempfile::Builder::new().prefix(&format!("{name}-")).tempdir_in(parent).expect("a temporary directory")
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    path.canonicalize().expect("the repository")
}

/// Returns `inner` in the first directory whose name starts with `prefix`.
fn first(parent: &Path, prefix: &str, inner: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(parent).ok()?;
    let matching = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    matching.map(|entry| entry.path().join(inner)).find(|path| path.exists())
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").to_owned()
}
