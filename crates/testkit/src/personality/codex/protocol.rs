//! The words of codex's app-server. Fields are those of real captures; what nobody reads is left out.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::super::{mcp, pen, string};
use crate::model::reply::Usage;

/// Answers a request.
pub(super) fn answer(id: &Value, result: &Value) {
    pen::line(&json!({ "id": id, "result": result }));
}

/// Refuses a request. Codex has one code for everything.
pub(super) fn refuse(id: &Value, message: &str) {
    pen::line(&json!({ "id": id, "error": { "code": -32600, "message": message } }));
}

pub(super) fn notify(method: &str, parameters: Value) {
    pen::line(&json!({ "method": method, "params": parameters, "emittedAtMs": pen::now() }));
}

/// Asks the client, and returns the id that the answer will have.
pub(super) fn ask(method: &str, parameters: Value) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    pen::line(&json!({ "method": method, "id": id, "params": parameters }));
    id.to_string()
}

pub(super) fn turn(id: &str, status: &str, error: Option<&Value>) -> Value {
    json!({
        "id": id, "rootTurnId": id, "items": [], "itemsView": "notLoaded", "status": status, "error": error,
        "startedAt": null, "completedAt": null, "durationMs": null,
    })
}

pub(super) fn counts(usage: Usage) -> Value {
    json!({
        "totalTokens": usage.input + usage.output, "inputTokens": usage.input, "cachedInputTokens": usage.cached,
        "cacheWriteInputTokens": 0, "outputTokens": usage.output, "reasoningOutputTokens": usage.reasoning,
    })
}

/// What a thread was started with.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) thread: String,
    pub(super) directory: PathBuf,
    pub(super) model: String,
    pub(super) approval: String,
    /// Tools that the client has.
    pub(super) tools: Vec<String>,
    pub(super) servers: Vec<mcp::Server>,
    sandbox: Value,
}

impl Settings {
    pub(super) fn read(thread: String, parameters: &Value) -> Result<Self, String> {
        let servers = connect(&thread, &parameters["config"])?;
        let here = || std::env::current_dir().unwrap_or_default();
        let tools = parameters["dynamicTools"].as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(Self {
            thread,
            directory: string(parameters, "cwd").map_or_else(here, PathBuf::from),
            model: string(parameters, "model").unwrap_or_else(|| "scripted".into()),
            approval: string(parameters, "approvalPolicy").unwrap_or_else(|| "on-request".into()),
            tools: tools.iter().filter_map(|tool| string(tool, "name")).collect(),
            servers,
            sandbox: parameters["sandbox"].clone(),
        })
    }

    /// The answer to whoever opened the thread.
    pub(super) fn describe(&self, path: &Path) -> Value {
        let sandbox = match self.sandbox.as_str() {
            Some("danger-full-access") => "dangerFullAccess",
            Some("workspace-write") => "workspaceWrite",
            _ => "readOnly",
        };
        json!({
            "thread": {
                "id": self.thread, "sessionId": self.thread, "preview": "", "ephemeral": false,
                "modelProvider": "scripted", "model": self.model, "createdAt": pen::now() / 1000,
                "updatedAt": pen::now() / 1000, "status": { "type": "idle" }, "path": path,
                "cwd": self.directory, "cliVersion": "0.166.0", "source": "vscode", "gitInfo": null, "name": null,
                "turns": [],
            },
            "model": self.model, "modelProvider": "scripted", "serviceTier": null, "cwd": self.directory,
            "instructionSources": [], "approvalPolicy": self.approval, "approvalsReviewer": "user",
            "sandbox": { "type": sandbox }, "reasoningEffort": null,
        })
    }
}

/// Connects to the MCP servers. Only one that is required stops the thread.
fn connect(thread: &str, config: &Value) -> Result<Vec<mcp::Server>, String> {
    let flat = config.as_object().into_iter().flatten();
    let flat =
        flat.filter_map(|(key, value)| Some((key.strip_prefix("mcp_servers.")?.to_owned(), value.clone())));
    let nested = config["mcp_servers"].as_object().cloned().unwrap_or_default();
    let mut servers = Vec::new();
    for (name, config) in flat.chain(nested) {
        let tell = |status: &str, error: Option<&str>| {
            let event = json!({ "threadId": thread, "name": name, "status": status, "error": error });
            notify("mcpServer/startupStatus/updated", event);
        };
        tell("starting", None);
        match mcp::Server::connect(&name, config["url"].as_str().unwrap_or_default(), headers(&config)) {
            Ok(server) => {
                tell("ready", None);
                servers.push(server);
            }
            Err(problem) => {
                tell("failed", Some(&problem));
                if config["required"] == true {
                    return Err(format!("required MCP servers failed to initialize: {name}: {problem}"));
                }
            }
        }
    }
    Ok(servers)
}

fn headers(config: &Value) -> Vec<(String, String)> {
    let pairs = |name: &str| config[name].as_object().cloned().unwrap_or_default().into_iter();
    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let mut headers: Vec<(String, String)> =
        pairs("http_headers").map(|(name, value)| (name, text(value))).collect();
    headers.extend(pairs("env_http_headers").map(|(name, value)| (name, variable(&text(value)))));
    if let Some(name) = config["bearer_token_env_var"].as_str() {
        headers.push(("Authorization".into(), format!("Bearer {}", variable(name))));
    }
    headers
}

/// Which turn of a thread runs: known to the reader of requests and to the turn itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Active(Arc<Mutex<Option<Now>>>);

#[derive(Debug)]
struct Now {
    turn: String,
    /// `turn/started` was sent.
    begun: bool,
}

impl Active {
    /// Returns the turn that runs, or starts one.
    pub(super) fn start(&self) -> String {
        let mut now = self.now();
        now.get_or_insert_with(|| Now { turn: pen::id(), begun: false }).turn.clone()
    }

    /// Says that a turn begins. One that came too late for the last is a new one.
    pub(super) fn begin(&self, wanted: &str) -> String {
        let mut now = self.now();
        let new = || Now { turn: wanted.to_owned(), begun: false };
        let now = now.get_or_insert_with(new);
        now.begun = true;
        now.turn.clone()
    }

    pub(super) fn end(&self) {
        *self.now() = None;
    }

    pub(super) fn running(&self) -> Option<String> {
        self.now().as_ref().map(|now| now.turn.clone())
    }

    pub(super) fn has_begun(&self) -> bool {
        self.now().as_ref().is_some_and(|now| now.begun)
    }

    fn now(&self) -> MutexGuard<'_, Option<Now>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
