//! Calls of the model that codex makes no item of: it refused them before they began, or does not know the tool.
//!
//! What the model wrote comes as raw items. A call that was answered and never became an item is told by these.

use std::collections::{HashMap, HashSet};

use paseo_core::item::{Draft, Kind, ToolCallExtra, ToolClass, ToolOutcome};
use serde_json::Value;

use super::parse::text;

/// The tools whose calls show in another way.
const SHOWN_ELSEWHERE: [&str; 1] = ["update_plan"];
/// The tools that work although they have no item: they go on with a command that has one.
const WITHOUT_ITEM: [&str; 1] = ["write_stdin"];

/// The tool that puts questions to a person.
const QUESTION: &str = "request_user_input";
/// Stands for a secret answer.
const SECRET: &str = "A secret answer was given.";

/// The calls of the running turn.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Those that became items.
    shown: HashSet<String>,
    /// What the model wrote and was not answered yet: the name and the input.
    raw: HashMap<String, (String, String)>,
    /// Those that put questions to a person, and whether one asks for a secret.
    asked: HashMap<String, bool>,
}

impl Calls {
    /// Notes that a call became an item.
    pub(super) fn shown(&mut self, id: &str) {
        self.shown.insert(id.to_owned());
    }

    /// Notes that a call put questions to a person.
    pub(super) fn asked(&mut self, id: &str, secret: bool) {
        *self.asked.entry(id.to_owned()).or_default() |= secret;
    }

    /// Says whether the result of a call may hold a secret. If codex does not say which call asked, all may.
    fn is_secret(&self, call: &str, name: &str) -> bool {
        match self.asked.get(call) {
            Some(secret) => *secret,
            None => name.ends_with(QUESTION) && self.asked.values().any(|secret| *secret),
        }
    }

    /// Takes in a raw item. Returns the call and the result that nothing else tells of.
    pub(super) fn raw(&mut self, item: &Value) -> Option<(Draft, Draft)> {
        let call = text(item, "call_id").to_owned();
        match text(item, "type") {
            "function_call" => {
                self.raw.insert(call, (name(item), text(item, "arguments").to_owned()));
                None
            }
            "custom_tool_call" => {
                self.raw.insert(call, (name(item), text(item, "input").to_owned()));
                None
            }
            "function_call_output" | "custom_tool_call_output" => {
                let (name, input) = self.raw.remove(&call)?;
                let told = self.shown.contains(&call) || SHOWN_ELSEWHERE.contains(&name.as_str());
                let output =
                    if self.is_secret(&call, &name) { SECRET.to_owned() } else { words(&item["output"]) };
                let worked = WITHOUT_ITEM.contains(&name.as_str()) || self.asked.contains_key(&call);
                (!told).then(|| drafts(call, name, input, output, worked))
            }
            _ => None,
        }
    }

    /// Forgets the turn.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }
}

fn name(item: &Value) -> String {
    match text(item, "namespace") {
        "" => text(item, "name").to_owned(),
        // Some end with what sets them apart from the name.
        space if space.ends_with("__") => format!("{space}{}", text(item, "name")),
        space => format!("{space}__{}", text(item, "name")),
    }
}

fn drafts(call: String, name: String, input: String, output: String, worked: bool) -> (Draft, Draft) {
    let outcome = if worked { ToolOutcome::Ok } else { ToolOutcome::Error };
    let arguments = serde_json::from_str::<Value>(&input).unwrap_or_default();
    let telling = ["cmd", "command"].iter().find_map(|field| arguments.get(field)?.as_str());
    let title = telling.unwrap_or(&name).lines().next().unwrap_or_default().to_owned();
    let class = if telling.is_some() { ToolClass::Execute } else { ToolClass::Other };
    let began = Draft {
        kind: Kind::ToolCall { call: call.clone(), name, class },
        text: Some(input),
        extra: serde_json::to_string(&ToolCallExtra { title, locations: Vec::new() }).ok(),
    };
    let kind = Kind::ToolResult { call, outcome, exit_code: None, duration_ms: 0 };
    (began, Draft::text(kind, output))
}

/// Returns the text of an output: it is one, or a list of pieces.
fn words(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        Value::Array(pieces) => pieces.iter().map(|piece| text(piece, "text")).collect::<Vec<_>>().join("\n"),
        Value::Object(_) => words(output.get("content").unwrap_or(&Value::Null)),
        _ => String::new(),
    }
}
