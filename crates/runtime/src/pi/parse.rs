//! What pi says, as far as we read it. Tolerant: what is missing, null or new is no error.
//!
//! Each line is looked at twice: for its type, then for what that type holds. An older pi repeats the whole message
//! in each piece of it; what is not asked for is passed over without being copied.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Returns the type of a line; `None` when it is not the protocol.
pub(super) fn kind(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        r#type: String,
    }
    serde_json::from_str::<Head>(text).ok().map(|head| head.r#type)
}

/// Reads what a line of a known type holds.
pub(super) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// The answer to a command of ours.
#[derive(Debug, Deserialize)]
pub(super) struct Response {
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) success: bool,
    #[serde(default)]
    pub(super) data: Option<Data>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) error: String,
}

/// What answers hold: those to `get_state` and `get_commands`, and the outcome of a prompt (1.x).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Data {
    pub(super) session_file: Option<String>,
    pub(super) is_streaming: bool,
    pub(super) is_compacting: bool,
    pub(super) disposition: Option<String>,
    pub(super) model: Option<Model>,
    pub(super) commands: Vec<SlashCommand>,
}

/// A command that pi offers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SlashCommand {
    #[serde(deserialize_with = "or_default")]
    pub(super) name: String,
    pub(super) description: Option<String>,
}

/// The model that is chosen.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Model {
    pub(super) provider: String,
    /// What may be put into a message: text, image.
    pub(super) input: Option<Vec<String>>,
}

/// `message_start` and `message_end`.
#[derive(Debug, Deserialize)]
pub(super) struct MessageNote {
    pub(super) message: Message,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Message {
    #[serde(deserialize_with = "or_default")]
    pub(super) role: String,
    pub(super) content: Value,
    pub(super) usage: Option<Usage>,
    pub(super) stop_reason: Option<String>,
    pub(super) error_message: Option<String>,
    /// A message of an extension that people are meant to see.
    pub(super) display: bool,
}

/// Tokens and dollars of one request. `input` is without what came from or went into the cache.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
    pub(super) cost: Cost,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct Cost {
    pub(super) total: f64,
}

/// `message_update`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Update {
    pub(super) assistant_message_event: Piece,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Piece {
    pub(super) r#type: String,
    #[serde(default)]
    pub(super) content_index: usize,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) delta: String,
}

/// `tool_execution_start`, `tool_execution_update` and `tool_execution_end`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolNote {
    pub(super) tool_call_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) tool_name: String,
    #[serde(default)]
    pub(super) args: Value,
    #[serde(default, alias = "partialResult", deserialize_with = "or_default")]
    pub(super) result: ToolResult,
    #[serde(default)]
    pub(super) is_error: bool,
    #[serde(default)]
    pub(super) duration_ms: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ToolResult {
    pub(super) content: Value,
    pub(super) details: Value,
    /// What a script would get (1.x).
    pub(super) structured_content: Value,
}

/// `agent_end`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct End {
    pub(super) will_retry: bool,
}

/// `auto_retry_start`, `auto_retry_end`, `compaction_end` and `extension_error`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Note {
    pub(super) attempt: u64,
    pub(super) max_attempts: u64,
    pub(super) error_message: Option<String>,
    pub(super) aborted: bool,
    pub(super) will_retry: bool,
    pub(super) error: Option<String>,
}

/// `extension_ui_request`: an extension tells or asks.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Wish {
    pub(super) id: String,
    pub(super) method: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) title: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) message: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) placeholder: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) options: Vec<String>,
    pub(super) status_key: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) status_text: String,
}

/// What our extension tells.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Told {
    pub(super) ready: bool,
    pub(super) failed: Option<Failure>,
}

/// What the model's server answered a request with that failed. Empty when there was no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Failure {
    pub(super) status: Option<u16>,
    pub(super) retry_after: Option<String>,
}

/// What our extension asks.
#[derive(Debug, Deserialize)]
pub(super) struct Question {
    pub(super) call: String,
    pub(super) tool: String,
    #[serde(default)]
    pub(super) input: Value,
}

/// Takes null for nothing.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Returns the texts of a message or of a result.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_type_or_is_not_the_protocol() {
        assert_eq!(kind(r#"{"type":"agent_start"}"#).as_deref(), Some("agent_start"));
        for nonsense in ["", "{", "[]", "null", "{}", r#"{"type":7}"#, "pi says hello"] {
            assert_eq!(kind(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn null_is_as_good_as_missing() {
        let note: ToolNote =
            read(r#"{"type":"x","toolCallId":"c","toolName":null,"result":null,"details":null}"#).unwrap();
        assert_eq!((note.tool_call_id.as_str(), note.tool_name.as_str()), ("c", ""));
        let update: ToolNote =
            read(r#"{"toolCallId":"c","partialResult":{"content":[{"type":"text","text":"a"}]}}"#).unwrap();
        assert_eq!(text_of(&update.result.content), "a");
    }

    #[test]
    fn the_message_that_an_older_one_repeats_is_passed_over() {
        let line = r#"{"type":"message_update","message":{"role":"assistant","content":[]},
            "assistantMessageEvent":{"type":"text_delta","contentIndex":1,"delta":"b","partial":{"content":["ab"]}}}"#;
        let piece = read::<Update>(line).unwrap().assistant_message_event;
        assert_eq!(
            (piece.r#type.as_str(), piece.content_index, piece.delta.as_str()),
            ("text_delta", 1, "b")
        );
    }
}
