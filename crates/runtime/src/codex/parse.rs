//! What codex says, as far as we read it. Tolerant: what is missing, null or new is no error.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The code of a request that makes no sense to codex, such as one about a thread that it does not know.
pub(super) const INVALID_REQUEST: i64 = -32600;

/// The code of a request that we do not know.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;

/// One line of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    Notification {
        method: String,
        params: Value,
    },
    /// Codex wants an answer.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    /// The answer to a request of ours.
    Response {
        id: u64,
        result: Result<Value, RpcError>,
    },
}

/// Why codex did not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub(super) struct RpcError {
    #[serde(default)]
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
    /// Set for errors that have a kind of their own.
    #[serde(default)]
    pub(super) data: Option<Value>,
}

/// Reads a line; `None` when it is not the protocol.
pub(super) fn message(text: &str) -> Option<Message> {
    #[derive(Deserialize)]
    struct Line {
        id: Option<Value>,
        method: Option<String>,
        #[serde(default)]
        params: Value,
        #[serde(default)]
        result: Value,
        error: Option<RpcError>,
    }
    let line: Line = serde_json::from_str(text).ok()?;
    Some(match (line.id, line.method) {
        (Some(id), Some(method)) => Message::Request { id, method, params: line.params },
        (None, Some(method)) => Message::Notification { method, params: line.params },
        (Some(id), None) => {
            Message::Response { id: id.as_u64()?, result: line.error.map_or(Ok(line.result), Err) }
        }
        (None, None) => return None,
    })
}

/// Where a notification belongs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Place {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) thread_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) turn_id: String,
}

/// `item/started` and `item/completed`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ItemNote {
    #[serde(flatten)]
    pub(super) place: Place,
    pub(super) item: Entry,
}

/// An item with what all items have.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) id: String,
    #[serde(default)]
    started_at_ms: Option<u64>,
    #[serde(default)]
    completed_at_ms: Option<u64>,
    #[serde(flatten)]
    pub(super) item: Item,
}

impl Entry {
    /// Returns how long it took by the clock of codex.
    pub(super) fn lasted_ms(&self) -> u64 {
        match (self.started_at_ms, self.completed_at_ms) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => 0,
        }
    }
}

/// One thing in a thread.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Item {
    UserMessage {
        #[serde(default)]
        client_id: Option<String>,
        #[serde(default, deserialize_with = "or_default")]
        content: Vec<Value>,
    },
    AgentMessage {
        #[serde(default, deserialize_with = "or_default")]
        text: String,
    },
    Plan {
        #[serde(default, deserialize_with = "or_default")]
        text: String,
    },
    Reasoning {
        #[serde(default, deserialize_with = "or_default")]
        summary: Vec<String>,
        #[serde(default, deserialize_with = "or_default")]
        content: Vec<String>,
    },
    CommandExecution(Command),
    FileChange {
        #[serde(default, deserialize_with = "or_default")]
        changes: Vec<Change>,
        #[serde(default, deserialize_with = "or_default")]
        status: String,
    },
    McpToolCall(McpCall),
    DynamicToolCall {
        tool: String,
        #[serde(default)]
        arguments: Value,
        #[serde(default, deserialize_with = "or_default")]
        status: String,
        #[serde(default, deserialize_with = "or_default")]
        content_items: Vec<Value>,
        #[serde(default)]
        duration_ms: Option<u64>,
    },
    CollabAgentToolCall {
        tool: String,
        #[serde(default, deserialize_with = "or_default")]
        status: String,
        #[serde(default, deserialize_with = "or_default")]
        receiver_thread_ids: Vec<String>,
        #[serde(default)]
        prompt: Option<String>,
        #[serde(default)]
        agents_states: Value,
    },
    SubAgentActivity {
        kind: String,
        #[serde(default, deserialize_with = "or_default")]
        agent_path: String,
    },
    WebSearch {
        #[serde(default, deserialize_with = "or_default")]
        query: String,
        #[serde(default)]
        action: Value,
        #[serde(default)]
        results: Value,
    },
    ImageView {
        path: String,
    },
    ImageGeneration {
        #[serde(default, deserialize_with = "or_default")]
        status: String,
        #[serde(default)]
        revised_prompt: Option<String>,
        #[serde(default)]
        saved_path: Option<String>,
    },
    Sleep {
        #[serde(default)]
        duration_ms: u64,
    },
    ContextCompaction {},
    #[serde(other)]
    Unknown,
}

/// A command that was or is run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Command {
    pub(super) command: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) cwd: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) status: String,
    /// A guess of codex at what it does, for display only: `find -delete` counts as a search.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) command_actions: Vec<CommandAction>,
    #[serde(default)]
    pub(super) aggregated_output: Option<String>,
    #[serde(default)]
    pub(super) exit_code: Option<i32>,
    #[serde(default)]
    pub(super) duration_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct CommandAction {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) path: Option<String>,
}

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Change {
    pub(super) path: String,
    pub(super) kind: ChangeKind,
    /// The whole text of a file that is added or deleted; the hunks of one that is changed.
    #[serde(default)]
    pub(super) diff: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(super) enum ChangeKind {
    Add,
    Delete,
    Update {
        #[serde(default)]
        move_path: Option<String>,
    },
}

/// A call of a tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct McpCall {
    pub(super) server: String,
    pub(super) tool: String,
    #[serde(default)]
    pub(super) arguments: Value,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) status: String,
    /// Holds `content`, as the server gave it.
    #[serde(default)]
    pub(super) result: Value,
    #[serde(default)]
    pub(super) error: Value,
    #[serde(default)]
    pub(super) duration_ms: Option<u64>,
}

/// A piece of an item that grows: all kinds of deltas.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delta {
    #[serde(flatten)]
    pub(super) place: Place,
    pub(super) item_id: String,
    #[serde(default, deserialize_with = "or_default", alias = "message")]
    pub(super) delta: String,
}

/// `turn/started` and `turn/completed`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TurnNote {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) thread_id: String,
    pub(super) turn: Turn,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Turn {
    pub(super) id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) status: String,
    #[serde(default)]
    pub(super) error: Option<TurnError>,
}

/// Why a turn, or a request within it, failed.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TurnError {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) message: String,
    /// A word, or an object with the word as its only key.
    #[serde(default)]
    pub(super) codex_error_info: Value,
    #[serde(default)]
    pub(super) additional_details: Option<String>,
}

/// `error`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ErrorNote {
    #[serde(default)]
    pub(super) thread_id: String,
    pub(super) error: TurnError,
    #[serde(default)]
    pub(super) will_retry: bool,
}

/// `thread/tokenUsage/updated`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageNote {
    #[serde(flatten)]
    pub(super) place: Place,
    pub(super) token_usage: TokenUsage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct TokenUsage {
    /// Of the whole thread.
    pub(super) total: Tokens,
    /// Of the last request.
    pub(super) last: Tokens,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Tokens {
    pub(super) input_tokens: u64,
    pub(super) cached_input_tokens: u64,
    pub(super) output_tokens: u64,
}

/// Takes null for nothing: codex writes absent values both ways.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Reads the parameters of a notification.
pub(super) fn read<'a, T: Deserialize<'a>>(params: &'a Value) -> Option<T> {
    T::deserialize(params).ok()
}

/// Returns a text field, empty when there is none.
pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn notifications_requests_and_responses_are_told_apart() {
        let read = |value: Value| message(&value.to_string());
        assert!(matches!(read(json!({"method": "a", "params": {}})), Some(Message::Notification { .. })));
        assert!(matches!(read(json!({"method": "a", "id": 0})), Some(Message::Request { .. })));
        assert!(matches!(read(json!({"id": 3, "result": null})), Some(Message::Response { id: 3, .. })));
        let error = read(json!({"id": 3, "error": {"code": -32600, "message": "no"}}));
        let Some(Message::Response { result: Err(error), .. }) = error else { panic!("{error:?}") };
        assert_eq!((error.code, error.message.as_str()), (INVALID_REQUEST, "no"));
        for nonsense in ["", "{", "[]", "null", "{}", r#"{"id":"x"}"#] {
            assert_eq!(message(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn null_is_as_good_as_missing_and_the_unknown_is_no_error() {
        let entry: Entry = read(&json!({
            "type": "commandExecution", "id": "c", "command": "ls", "cwd": null, "status": "new word",
            "commandActions": null, "aggregatedOutput": null, "exitCode": null, "durationMs": null,
            "surprise": [1], "startedAtMs": 5, "completedAtMs": 9,
        }))
        .unwrap();
        assert_eq!(entry.lasted_ms(), 4);
        assert!(matches!(entry.item, Item::CommandExecution(command) if command.command == "ls"));
        let entry: Entry = read(&json!({ "type": "timeTravel", "id": "t", "when": "now" })).unwrap();
        assert_eq!(entry.item, Item::Unknown);
    }
}
