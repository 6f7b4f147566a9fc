//! Which models a provider offers, as its server or its harness says.

mod endpoint;
mod talk;

use paseo_core::limits::MODELS;
use serde_json::Value;

use crate::provider::{Access, StartError};

pub(crate) use endpoint::{Server, ask as ask_server};
pub(crate) use talk::{Talk, talk};

/// Longest name of a model, in characters.
const NAME_CHARS: usize = 200;

/// With what a provider asks.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// A key that a person has set, for those that are paid with one; without it, what the environment holds.
    pub access: Option<Access>,
    /// Variables that the harness does not find in its environment.
    pub removed: Vec<String>,
}

/// The models that a provider offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    pub source: Source,
    pub models: Vec<Model>,
    /// There are more.
    pub truncated: bool,
}

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The model server.
    Endpoint,
    /// The program that runs the agent.
    Harness,
}

/// A model that can be chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// What people pass as the model.
    pub id: String,
    /// What its provider calls it.
    pub name: Option<String>,
    /// How hard it can think; empty when that is not said.
    pub efforts: Vec<String>,
    /// Used when no model is chosen.
    pub default: bool,
}

/// Why a provider does not say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It has no way to.
    #[error("it cannot list its models")]
    Untold,
    /// Something has to be installed or set first.
    #[error("{}", .0.message)]
    Unset(StartError),
    #[error("{0} does not accept the key (status {1})")]
    KeyRefused(String, u16),
    #[error("{0} answered with status {1}")]
    Status(String, u16),
    #[error("cannot reach {0}: {1}")]
    Unreachable(String, String),
    #[error("{0} sent something other than a list of models")]
    Malformed(String),
    #[error("{0} took longer than {1} s")]
    Slow(String, u64),
}

impl Error {
    /// Says what to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Untold => None,
            Self::Unset(error) => error.hint.clone(),
            Self::KeyRefused(..) => {
                Some("check the key in the daemon's environment or in `[[keys]]`".to_owned())
            }
            Self::Status(..) | Self::Malformed(_) => {
                Some("check the server's address; you can still pass any model by name".to_owned())
            }
            Self::Unreachable(..) | Self::Slow(..) => {
                Some("try again; you can still pass any model by name".to_owned())
            }
        }
    }
}

/// Keeps what can be shown and chosen: each once, and not too many.
pub(crate) fn offered(source: Source, models: impl IntoIterator<Item = Model>, more: bool) -> Offered {
    let mut kept: Vec<Model> = Vec::new();
    let mut truncated = more;
    for model in models {
        if !is_name(&model.id) || kept.iter().any(|known| known.id == model.id) {
            continue;
        }
        if kept.len() == MODELS {
            truncated = true;
            break;
        }
        let name = model.name.filter(|name| is_name(name) && *name != model.id);
        kept.push(Model { name, ..model });
    }
    Offered { source, models: kept, truncated }
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= NAME_CHARS && !text.chars().any(char::is_control)
}

/// Reads the list of a server that speaks the API of OpenAI.
pub(crate) fn of_openai(answer: &Value) -> Option<Vec<Model>> {
    let data = answer.get("data")?.as_array()?;
    let id = |model: &Value| Some(Model { id: text(model, "id")?, ..Model::default() });
    Some(data.iter().filter_map(id).collect())
}

/// Reads what codex answers to `model/list`, and whether there is more.
pub(crate) fn of_codex(result: &Value) -> Option<(Vec<Model>, bool)> {
    let data = result.get("data")?.as_array()?;
    let shown = data.iter().filter(|model| model.get("hidden").and_then(Value::as_bool) != Some(true));
    let model = |model: &Value| {
        let efforts = model.get("supportedReasoningEfforts").and_then(Value::as_array);
        let efforts = efforts.into_iter().flatten().filter_map(|effort| text(effort, "reasoningEffort"));
        Some(Model {
            id: text(model, "model").or_else(|| text(model, "id"))?,
            name: text(model, "displayName"),
            efforts: efforts.collect(),
            default: model.get("isDefault").and_then(Value::as_bool).unwrap_or_default(),
        })
    };
    let more = result.get("nextCursor").is_some_and(Value::is_string);
    Some((shown.filter_map(model).collect(), more))
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plain(id: &str) -> Model {
        Model { id: id.to_owned(), ..Model::default() }
    }

    #[test]
    fn a_server_lists_ids() {
        let answer =
            json!({ "object": "list", "data": [{ "id": "a", "owned_by": "x" }, { "id": 7 }, { "id": "b" }] });
        assert_eq!(of_openai(&answer), Some(vec![plain("a"), plain("b")]));
        for other in [json!([]), json!({ "data": {} }), json!({ "error": "no" }), json!("x")] {
            assert_eq!(of_openai(&other), None, "{other}");
        }
    }

    #[test]
    fn codex_lists_models_with_their_efforts() {
        let result = json!({ "data": [
            { "id": "one", "model": "one", "displayName": "One", "hidden": false, "isDefault": true,
              "supportedReasoningEfforts": [{ "reasoningEffort": "low", "description": "x" }, { "reasoningEffort": "high" }] },
            { "id": "secret", "model": "secret", "hidden": true },
            { "id": "two" },
        ], "nextCursor": "x" });
        let one = Model {
            id: "one".into(),
            name: Some("One".into()),
            efforts: vec!["low".into(), "high".into()],
            default: true,
        };
        assert_eq!(of_codex(&result), Some((vec![one, plain("two")], true)));
        assert_eq!(of_codex(&json!({ "models": [] })), None);
    }

    #[test]
    fn what_cannot_be_shown_or_is_too_much_is_left_out() {
        let long = "x".repeat(NAME_CHARS + 1);
        let models = ["a", "", " ", "a", "b\u{1b}[2J", &long, "c"].map(plain);
        let kept = offered(Source::Endpoint, models, false);
        assert_eq!((kept.models, kept.truncated), (vec![plain("a"), plain("c")], false));
        let many = offered(Source::Endpoint, (0..=MODELS).map(|n| plain(&n.to_string())), false);
        assert_eq!((many.models.len(), many.truncated), (MODELS, true));
    }
}
