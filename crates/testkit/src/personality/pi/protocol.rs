//! Pi's words, and what it is started with.

use serde_json::{Value, json};

use super::super::mcp::Server;
use super::super::pen;

/// Which pi it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    Early,
    Recent,
}

impl Age {
    pub(super) fn from_environment() -> Self {
        match std::env::var("PASEO_FAKE_PI").as_deref() {
            Ok("1.5.0") => Self::Recent,
            _ => Self::Early,
        }
    }

    pub(super) fn version(self) -> &'static str {
        match self {
            Self::Early => "0.73.1",
            Self::Recent => "1.5.0",
        }
    }
}

/// What it was started with, and what Paseo's extension was told.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) age: Age,
    pub(super) session: Option<String>,
    pub(super) model: String,
    /// Paseo's extension is loaded.
    pub(super) extended: bool,
    pub(super) ask: bool,
    without: Vec<String>,
    pub(super) servers: Vec<Server>,
}

impl Settings {
    pub(super) fn read(arguments: &[String], age: Age) -> Result<Self, String> {
        let mut settings = Self {
            age,
            session: None,
            model: "scripted".to_owned(),
            extended: false,
            ask: false,
            without: Vec::new(),
            servers: Vec::new(),
        };
        let mut words = arguments.iter();
        let mut mode = None;
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or(format!("{word} wants a value"));
            match word.as_str() {
                "--mode" => mode = Some(value()?),
                "--session" => settings.session = Some(value()?),
                "--model" => {
                    let model = value()?;
                    settings.model = model.rsplit('/').next().unwrap_or_default().to_owned();
                }
                "--thinking" | "--append-system-prompt" => drop(value()?),
                "-e" => {
                    let path = value()?;
                    std::fs::metadata(&path).map_err(|_| format!("Failed to load extension \"{path}\""))?;
                    settings.extended = true;
                }
                "--no-extensions" => {}
                other => return Err(format!("Unknown option: {other}")),
            }
        }
        if mode.as_deref() != Some("rpc") {
            return Err("only --mode rpc is spoken here".to_owned());
        }
        if settings.model.contains("unknown") {
            return Err(format!(
                "Model \"{}\" not found. Use --list-models to see available models.",
                settings.model
            ));
        }
        if settings.extended {
            settings.extend()?;
        }
        Ok(settings)
    }

    /// Does what Paseo's extension does when it is loaded.
    fn extend(&mut self) -> Result<(), String> {
        let told = std::env::var("PASEO_PI").unwrap_or_else(|_| "{}".to_owned());
        let told: Value = serde_json::from_str(&told).map_err(|error| error.to_string())?;
        self.ask = told["ask"] == true;
        let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.without = told["without"].as_array().into_iter().flatten().map(words).collect();
        for server in told["servers"].as_array().into_iter().flatten() {
            let token = format!("Bearer {}", std::env::var("PASEO_TOKEN").unwrap_or_default());
            let (name, url) = (words(&server["name"]), words(&server["url"]));
            let connected = Server::connect(&name, &url, vec![("authorization".to_owned(), token)]);
            self.servers.push(
                connected.map_err(|why| format!("the MCP server {name} at {url} is unavailable: {why}"))?,
            );
        }
        Ok(())
    }

    /// Returns the tools that the model is offered.
    pub(super) fn offered(&self) -> Vec<Value> {
        let own = [
            ("read", vec!["path"]),
            ("bash", vec!["command"]),
            ("edit", vec!["path", "edits"]),
            ("write", vec!["path", "content"]),
        ];
        let own = own.into_iter().filter(|(name, _)| !self.without.iter().any(|without| without == name));
        let own = own.map(|(name, fields)| {
            let properties: serde_json::Map<_, _> =
                fields.into_iter().map(|field| (field.to_owned(), json!({}))).collect();
            json!({ "name": name, "parameters": { "properties": properties } })
        });
        let theirs = self.servers.iter().flat_map(|server| {
            let name =
                |tool: &Value| format!("mcp__{}__{}", server.name, tool["name"].as_str().unwrap_or_default());
            server
                .tools
                .iter()
                .map(move |tool| json!({ "name": name(tool), "parameters": tool["inputSchema"] }))
        });
        own.chain(theirs).collect()
    }
}

/// Writes what Paseo's extension tells.
pub(super) fn tell(what: &Value) {
    pen::line(&json!({
        "type": "extension_ui_request", "id": pen::id(), "method": "setStatus", "statusKey": "paseo",
        "statusText": what.to_string(),
    }));
}

pub(super) fn answer(id: &Value, command: &str, data: Value) {
    let mut line = json!({ "id": id, "type": "response", "command": command, "success": true });
    if !data.is_null() {
        line["data"] = data;
    }
    pen::line(&line);
}

pub(super) fn refuse(id: &Value, command: &str, error: &str) {
    let mut line = json!({ "type": "response", "command": command, "success": false, "error": error });
    if !id.is_null() {
        line["id"] = id.clone();
    }
    pen::line(&line);
}
