//! The lines of Claude Code, as far as we read them. Tolerant: what is missing is empty, what is new is ignored, and
//! the order of keys does not matter.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A line.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line {
    System(System),
    StreamEvent(StreamEvent),
    Assistant(Assistant),
    User(User),
    Result(Box<TurnResult>),
    ControlRequest(ControlRequest),
    ControlResponse(ControlResponse),
    ControlCancelRequest(ControlCancel),
    CommandLifecycle(Lifecycle),
    RateLimitEvent(RateLimit),
    #[serde(other)]
    Other,
}

/// Something about the program itself; the fields depend on the subtype.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct System {
    pub subtype: String,
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

impl System {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.fields.get(name).and_then(Value::as_u64)
    }
}

/// A piece of what the model streams.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamEvent {
    pub event: Event,
    pub parent_tool_use_id: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    MessageStart,
    ContentBlockStart {
        #[serde(default)]
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        #[serde(default)]
        index: u64,
        delta: Delta,
    },
    /// Says why the message ended: one that was cut off has none.
    MessageDelta,
    MessageStop,
    /// Nothing that is shown.
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(other)]
    Other,
}

/// One finished block of an answer. The message's id repeats for each.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Assistant {
    pub message: Message,
    pub parent_tool_use_id: Option<String>,
    /// Set when it is the program that speaks, about a failed request.
    pub error: Option<String>,
    pub api_error_status: Option<u64>,
    /// What the answer to the failed request said about a limit.
    pub api_error_params: RateLimit,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message {
    pub id: String,
    pub content: Content,
}

/// Text, or blocks.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    Blocks(Vec<Value>),
    Other(Value),
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
    },
    /// What the model thought, unreadable.
    RedactedThinking,
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(default)]
        content: Content,
        #[serde(default)]
        is_error: bool,
    },
    #[serde(other)]
    Other,
}

/// Results of tools, or what a person (or the program in their place) said.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct User {
    pub message: Message,
    pub uuid: Option<String>,
    pub parent_tool_use_id: Option<String>,
    #[serde(rename = "isReplay")]
    pub is_replay: bool,
    #[serde(rename = "isSynthetic")]
    pub is_synthetic: bool,
    pub tool_use_result: Value,
    pub tool_result_meta: Vec<ToolResultMeta>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolResultMeta {
    pub id: String,
    /// Why the tool did not run, or not to its end.
    pub non_execution_kind: Option<String>,
}

/// What the tool `Edit` and its like say about what they did.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FileChange {
    #[serde(alias = "notebook_path")]
    pub file_path: String,
    #[serde(alias = "original_file")]
    pub original_file: Option<String>,
    #[serde(alias = "updated_file")]
    pub content: Option<String>,
    pub structured_patch: Vec<PatchHunk>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PatchHunk {
    pub old_start: u64,
    pub old_lines: u64,
    pub new_start: u64,
    pub new_lines: u64,
    pub lines: Vec<String>,
}

/// The end of a turn.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct TurnResult {
    pub subtype: String,
    pub is_error: bool,
    pub result: Option<String>,
    pub errors: Vec<String>,
    pub num_turns: u64,
    pub session_id: Option<String>,
    pub api_error_status: Option<u64>,
    pub terminal_reason: Option<String>,
    /// Of this turn.
    pub usage: TokenCount,
    /// Of this process since it began.
    pub total_cost_usd: Option<f64>,
    pub user_message_uuids: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenCount {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_creation_input_tokens: u64,
    pub cache_read_input_tokens: u64,
}

/// The program asks us something.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ControlRequest {
    pub request_id: String,
    pub request: ControlQuestion,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ControlQuestion {
    pub subtype: String,
    pub tool_name: String,
    pub input: Value,
    pub tool_use_id: Option<String>,
    pub mcp_server: Option<ServerName>,
    pub requires_user_interaction: bool,
    /// The rest is of an elicitation.
    pub mcp_server_name: String,
    pub message: String,
    pub mode: String,
    pub url: String,
    pub requested_schema: Value,
    pub property_order: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ServerName {
    pub name: String,
}

/// The program answers us. (It also repeats our own answers, which mean nothing to us.)
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ControlResponse {
    pub response: ControlAnswer,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ControlAnswer {
    pub subtype: String,
    pub request_id: String,
    pub response: Value,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ControlCancel {
    pub request_id: String,
}

/// The fate of a message of ours.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Lifecycle {
    pub command_uuid: String,
    pub state: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct RateLimit {
    pub rate_limit_info: RateLimitInfo,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RateLimitInfo {
    pub status: String,
    /// In seconds since the epoch.
    pub resets_at: Option<i64>,
    pub rate_limit_type: Option<String>,
    pub utilization: Option<f64>,
}

/// Reads a line. `None` when it is none of theirs.
pub(super) fn read(text: &str) -> Option<Line> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    let fields = value.as_object_mut()?;
    // Null means missing, which is how the types above take it.
    fields.retain(|_, value| !value.is_null());
    for (name, value) in fields.iter_mut() {
        if name != "tool_use_result"
            && let Some(inner) = value.as_object_mut()
        {
            inner.retain(|_, value| !value.is_null());
        }
    }
    serde_json::from_value(value).ok()
}

/// Reads a block of a message. `None` when its shape is not known.
pub(super) fn block(value: &Value) -> Option<Block> {
    Block::deserialize(value).ok()
}

/// Returns the text of a result; what is no text is named.
pub(super) fn text_of(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Other(value) => value.to_string(),
        Content::Blocks(blocks) => {
            let texts = blocks.iter().map(|value| match block(value) {
                Some(Block::Text { text }) => text,
                _ => format!("[{}]", value.get("type").and_then(Value::as_str).unwrap_or("unknown")),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

/// Says whether there is nothing but text.
pub(super) fn is_text(content: &Content) -> bool {
    match content {
        Content::Blocks(blocks) => {
            blocks.iter().all(|value| matches!(block(value), Some(Block::Text { .. })))
        }
        Content::Text(_) | Content::Other(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_may_stand_anywhere_and_nulls_are_missing() {
        let line =
            r#"{"is_error":true,"subtype":"success","errors":null,"api_error_status":401,"type":"result"}"#;
        let Some(Line::Result(result)) = read(line) else { panic!("not a result") };
        assert!(result.is_error && result.errors.is_empty());
        assert_eq!(result.api_error_status, Some(401));
    }

    #[test]
    fn what_is_new_is_known_as_such() {
        assert!(matches!(read(r#"{"type":"from_the_future","a":[1]}"#), Some(Line::Other)));
        for not_theirs in ["", "hello", "[1]", "{}", r#"{"type":7}"#, r#"{"type":"result","usage":7}"#] {
            assert!(read(not_theirs).is_none(), "{not_theirs}");
        }
    }

    #[test]
    fn nulls_in_what_a_tool_gets_are_kept() {
        let line = r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"T","input":{"a":null},"tool_use_id":null}}"#;
        let Some(Line::ControlRequest(asked)) = read(line) else { panic!("not a request") };
        assert_eq!(asked.request.input, serde_json::json!({ "a": null }));
        assert_eq!(asked.request.tool_use_id, None);
    }
}
