//! What a session of an agent is opened with, and what is set in it then.

use std::path::PathBuf;
use std::time::Duration;

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    ClientCapabilities, ElicitationCapabilities, ElicitationFormCapabilities, ElicitationUrlCapabilities,
    FileSystemCapabilities, Implementation, InitializeRequest, SessionConfigKind, SessionConfigOption,
    SessionConfigOptionCategory, SessionConfigSelectOptions,
};
use paseo_core::permission::Mode;
use serde_json::{Value, json};

use super::parse::{read, text};
use super::preset::{Files, Instructions, Preset};
use crate::provider::{Attachment, Launch, McpServer, Message, TOKEN_VARIABLE};

/// How many values are named when one is not known.
const NAMED: usize = 20;

/// What a conversation needs to know of its launch.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    /// What people call the agent.
    pub(super) name: String,
    pub(super) preset: &'static Preset,
    /// The agent's mode for full agency, instead of the preset's.
    pub(super) mode: Option<String>,
    pub(super) directory: PathBuf,
    model: Option<String>,
    effort: Option<String>,
    permissions: Mode,
    /// It may not do everything that the user may.
    pub(super) confined: bool,
    /// What it holds counts at the moment of each change.
    pub(super) guarded: bool,
    /// What it was given to do everything as root.
    pub(super) as_root: Option<(&'static str, &'static str)>,
    prompt: String,
    pub(super) servers: Vec<McpServer>,
    token: String,
    /// The session to continue.
    pub(super) resume: Option<String>,
    /// How long it may take for each step until its session is open.
    pub(super) patience: Duration,
}

/// What the agent can do, by its own words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Able {
    /// Continues a session, and tells it all again.
    pub(super) load: bool,
    /// Continues a session in silence.
    pub(super) resume: bool,
    pub(super) list: bool,
    /// Reaches MCP servers over HTTP.
    pub(super) http: bool,
    /// Takes images in a message.
    pub(super) images: bool,
}

/// Something to be set in a session that is open.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) method: &'static str,
    pub(super) params: Value,
    /// What it is, for people.
    pub(super) what: String,
    /// Without it the session is not what was asked for.
    pub(super) required: bool,
}

impl Setup {
    pub(super) fn new(name: &str, preset: &'static Preset, mode: Option<String>, launch: &Launch) -> Self {
        let token = launch.environment.iter().rfind(|(name, _)| name == TOKEN_VARIABLE);
        Self {
            name: name.to_owned(),
            preset,
            mode,
            directory: launch.directory.clone(),
            model: launch.model.clone(),
            effort: launch.effort.clone(),
            permissions: launch.permissions,
            confined: !launch.permissions.is_full() || !launch.withheld.is_empty() || launch.guarded,
            guarded: launch.guarded,
            as_root: None,
            prompt: launch.prompt.clone(),
            servers: launch.servers.clone(),
            token: token.map(|(_, value)| value.clone()).unwrap_or_default(),
            resume: launch.resume.clone(),
            patience: launch.patience,
        }
    }

    /// Returns the parameters of `initialize`. Terminals are not offered: agents run commands themselves, below our
    /// shim, and a terminal of ours would be a second way to do the same.
    pub(super) fn hello(&self) -> Value {
        let reads = self.preset.files == Files::ReadAndWrite;
        let files = FileSystemCapabilities::new().read_text_file(reads).write_text_file(true);
        let us = Implementation::new("paseo", env!("CARGO_PKG_VERSION")).title("Paseo".to_owned());
        let forms = ElicitationCapabilities::new()
            .form(ElicitationFormCapabilities::new())
            .url(ElicitationUrlCapabilities::new());
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().fs(files).elicitation(forms))
            .client_info(us);
        // Plain data always serialises.
        serde_json::to_value(hello).unwrap_or_default()
    }

    /// Says whether the agent is handed our tools.
    pub(super) fn hands_tools(&self, able: Able) -> bool {
        able.http && self.preset.mcp
    }

    /// Returns the request that continues the session, if there is one and the agent can: method and parameters.
    pub(super) fn resume(&self, able: Able) -> Option<(&'static str, Value)> {
        let session = self.resume.as_ref().filter(|_| self.preset.resume)?;
        let method = match able {
            Able { resume: true, .. } => "session/resume",
            Able { load: true, .. } => "session/load",
            Able { .. } => return None,
        };
        let mut params = self.open(able);
        params["sessionId"] = session.as_str().into();
        Some((method, params))
    }

    /// Returns the parameters that open a session.
    pub(super) fn open(&self, able: Able) -> Value {
        let header = json!({ "name": "Authorization", "value": format!("Bearer {}", self.token) });
        let server = |server: &McpServer| json!({ "type": "http", "name": server.name, "url": server.url, "headers": [header] });
        let servers: Vec<Value> = match self.hands_tools(able) {
            true => self.servers.iter().map(server).collect(),
            false => Vec::new(),
        };
        let mut params = json!({ "cwd": self.directory, "mcpServers": servers });
        if self.preset.instructions == Instructions::Meta && !self.prompt.is_empty() {
            params["_meta"] = json!({ "systemPrompt": { "append": self.prompt } });
        }
        params
    }

    /// Returns what a turn is: with what is added to the agent's prompt, when this is where it is told.
    pub(super) fn prompt(&self, first: bool, tools: bool, messages: &[Message]) -> Value {
        let texts: Vec<String> = messages.iter().map(Message::with_texts).collect();
        let mut blocks = Vec::new();
        if first && self.preset.instructions == Instructions::Message && !self.prompt.is_empty() {
            blocks.push(format!("<instructions>\n{}\n</instructions>", self.prompt));
        }
        if first && self.is_corrected(tools) {
            blocks.push(format!("<instructions>\n{NO_TOOLS}\n</instructions>"));
        }
        blocks.push(texts.join("\n\n"));
        let image = |file: &Attachment| json!({ "type": "image", "mimeType": file.kind.media_type(), "data": file.base64() });
        let images = messages.iter().flat_map(Message::images).map(image);
        blocks.into_iter().map(|text| json!({ "type": "text", "text": text })).chain(images).collect()
    }

    /// Says whether the prompt promises tools of ours that the agent does not take.
    fn is_corrected(&self, tools: bool) -> bool {
        !tools && !self.prompt.is_empty() && !self.servers.is_empty()
    }

    /// Returns what the agent is told beside its messages, when that is not just the prompt.
    pub(super) fn corrected(&self, tools: bool) -> Option<String> {
        self.is_corrected(tools).then(|| format!("{}\n\n{NO_TOOLS}", self.prompt))
    }

    /// Returns what is to be set in a session that was opened with this answer, or what of it cannot be.
    pub(super) fn steps(&self, session: &str, opened: &Value) -> Result<Vec<Step>, String> {
        let options: Vec<SessionConfigOption> = options(opened);
        let mut steps = Vec::new();
        let (mode, required) = match self.permissions {
            Mode::Full => (self.mode.as_deref().or(self.preset.full_mode), false),
            Mode::Ask | Mode::ReadOnly => (self.preset.ask_mode, true),
        };
        if let Some(mode) = mode {
            steps.extend(self.set_mode(session, opened, &options, mode, required)?);
        }
        if let Some((id, value)) = self.preset.ask_option.filter(|_| required) {
            let option = options.iter().find(|option| option.id.0.as_ref() == id);
            let option = option.ok_or_else(|| {
                format!(
                    "{} has no option `{id}`, so Paseo cannot tell whether it asks for permission",
                    self.name
                )
            })?;
            steps.push(self.set(session, option, value, id)?);
        }
        if let Some(model) = &self.model {
            steps.push(self.set_model(session, opened, &options, model)?);
        }
        if let Some(effort) = &self.effort {
            let option = of_category(&options, &SessionConfigOptionCategory::ThoughtLevel, "thought_level");
            let option =
                option.ok_or_else(|| format!("{} does not support choosing an effort", self.name))?;
            steps.push(self.set(session, option, effort, "effort")?);
        }
        Ok(steps)
    }

    fn set_mode(
        &self,
        session: &str,
        opened: &Value,
        options: &[SessionConfigOption],
        mode: &str,
        required: bool,
    ) -> Result<Option<Step>, String> {
        let offered = opened.pointer("/modes/availableModes").and_then(Value::as_array);
        let offered: Vec<&str> = offered.into_iter().flatten().map(|mode| text(mode, "id")).collect();
        if offered.contains(&mode) {
            let params = json!({ "sessionId": session, "modeId": mode });
            let what = format!("mode `{mode}`");
            return Ok(Some(Step { method: "session/set_mode", params, what, required }));
        }
        let option = of_category(options, &SessionConfigOptionCategory::Mode, "mode");
        match option.map(|option| self.set(session, option, mode, "mode")) {
            Some(Ok(step)) => Ok(Some(Step { required, ..step })),
            // In full agency we allow whatever it asks.
            _ if !required => Ok(None),
            Some(Err(unknown)) => Err(unknown),
            None => Err(format!(
                "{} has no mode `{mode}`, which Paseo needs to receive its permission requests; it has: {}",
                self.name,
                listed(&offered)
            )),
        }
    }

    fn set_model(
        &self,
        session: &str,
        opened: &Value,
        options: &[SessionConfigOption],
        model: &str,
    ) -> Result<Step, String> {
        if let Some(option) = of_category(options, &SessionConfigOptionCategory::Model, "model") {
            return self.set(session, option, model, "model");
        }
        // What came before options of all kinds.
        let offered = opened.pointer("/models/availableModels").and_then(Value::as_array);
        let offered: Vec<&str> = offered.into_iter().flatten().map(|model| text(model, "modelId")).collect();
        if offered.is_empty() {
            return Err(format!("{} does not support choosing a model; leave it out", self.name));
        }
        if !offered.contains(&model) {
            return Err(format!("{} has no model `{model}`; it has: {}", self.name, listed(&offered)));
        }
        let params = json!({ "sessionId": session, "modelId": model });
        let what = format!("model `{model}`");
        Ok(Step { method: "session/set_model", params, what, required: true })
    }

    fn set(
        &self,
        session: &str,
        option: &SessionConfigOption,
        value: &str,
        what: &str,
    ) -> Result<Step, String> {
        let known = values(option);
        if !known.contains(&value) {
            return Err(format!("{} has no {what} `{value}`; it has: {}", self.name, listed(&known)));
        }
        let params = json!({ "sessionId": session, "configId": option.id, "value": value });
        let what = format!("{what} `{value}`");
        Ok(Step { method: "session/set_config_option", params, what, required: true })
    }
}

/// Corrects what the prompt promises, when the agent takes no tools of ours.
const NO_TOOLS: &str =
    "Paseo's tools are not available here, despite any instructions above. Continue without them.";

fn options(opened: &Value) -> Vec<SessionConfigOption> {
    let all = opened.get("configOptions").and_then(Value::as_array);
    all.into_iter().flatten().filter_map(read).collect()
}

fn of_category<'a>(
    options: &'a [SessionConfigOption],
    category: &SessionConfigOptionCategory,
    id: &str,
) -> Option<&'a SessionConfigOption> {
    let by_category = options.iter().find(|option| option.category.as_ref() == Some(category));
    by_category.or_else(|| options.iter().find(|option| option.id.0.as_ref() == id))
}

fn values(option: &SessionConfigOption) -> Vec<&str> {
    let SessionConfigKind::Select(select) = &option.kind else { return Vec::new() };
    match &select.options {
        SessionConfigSelectOptions::Ungrouped(all) => all.iter().map(|one| one.value.0.as_ref()).collect(),
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).map(|one| one.value.0.as_ref()).collect()
        }
        _ => Vec::new(),
    }
}

fn listed(values: &[&str]) -> String {
    match values {
        [] => "none".to_owned(),
        values if values.len() > NAMED => {
            format!("{}, and {} more", values[..NAMED].join(", "), values.len() - NAMED)
        }
        values => values.join(", "),
    }
}
