//! The lines that we write.

use serde_json::{Value, json};

use crate::provider::{Answer, Attachment, Message};

/// A message of people or peers, with an id by which its uptake is told.
pub(super) fn user(uuid: &str, messages: &[Message]) -> String {
    let content: Vec<Value> = messages.iter().flat_map(content).collect();
    json!({
        "type": "user",
        "uuid": uuid,
        "session_id": "",
        "parent_tool_use_id": null,
        "message": { "role": "user", "content": content },
    })
    .to_string()
}

/// A message as blocks: its text, then its files.
fn content(message: &Message) -> Vec<Value> {
    let text = json!({ "type": "text", "text": message.text });
    [text].into_iter().chain(message.attachments.iter().map(block)).collect()
}

fn block(file: &Attachment) -> Value {
    let media_type = file.kind.media_type();
    if let Some(text) = file.text() {
        let source = json!({ "type": "text", "media_type": media_type, "data": text });
        return json!({ "type": "document", "source": source, "title": file.name });
    }
    let source = json!({ "type": "base64", "media_type": media_type, "data": file.base64() });
    match file.kind.is_image() {
        true => json!({ "type": "image", "source": source }),
        false => json!({ "type": "document", "source": source, "title": file.name }),
    }
}

/// Ends the running turn.
pub(super) fn interrupt(request: &str) -> String {
    control(request, json!({ "subtype": "interrupt" }))
}

/// Takes a message back that was not taken up yet.
pub(super) fn take_back(request: &str, uuid: &str) -> String {
    control(request, json!({ "subtype": "cancel_async_message", "message_uuid": uuid }))
}

/// Ends a command that runs in the background. Unlike killing it, this does not wake the agent.
pub(super) fn stop_task(request: &str, task: &str) -> String {
    control(request, json!({ "subtype": "stop_task", "task_id": task }))
}

/// Asks to be told before each use of a tool.
pub(super) fn initialize(request: &str) -> String {
    let hooks = json!({ "PreToolUse": [{ "hookCallbackIds": ["before_tool"] }] });
    control(request, json!({ "subtype": "initialize", "hooks": hooks }))
}

/// Asks what the conversation has cost, and not for where that comes from: that takes long.
pub(super) fn usage(request: &str) -> String {
    control(request, json!({ "subtype": "get_usage", "skip_behaviors": true }))
}

/// Answers what we were told before the use of a tool. `asks`: whatever the settings say, it asks.
pub(super) fn before_tool(request: &str, asks: bool) -> String {
    let decision = json!({ "hookEventName": "PreToolUse", "permissionDecision": "ask" });
    let response = if asks { json!({ "hookSpecificOutput": decision }) } else { json!({}) };
    let response = json!({ "subtype": "success", "request_id": request, "response": response });
    json!({ "type": "control_response", "response": response }).to_string()
}

/// Answers an ask. `input` is what is allowed.
pub(super) fn decision(request: &str, answer: &Answer, input: &Value) -> String {
    let response = match answer {
        Answer::Allow { .. } | Answer::Choose { .. } => json!({ "behavior": "allow", "updatedInput": input }),
        Answer::Deny { message } => json!({ "behavior": "deny", "message": message }),
        // A tool has no fields.
        Answer::Fill { .. } | Answer::Cancel => {
            json!({ "behavior": "deny", "message": "Permission denied." })
        }
    };
    self::response(request, &response)
}

/// Answers a request with what it wants to know.
pub(super) fn response(request: &str, response: &Value) -> String {
    let response = json!({ "subtype": "success", "request_id": request, "response": response });
    json!({ "type": "control_response", "response": response }).to_string()
}

/// Refuses what we cannot answer, so that the harness does not wait.
pub(super) fn unsupported(request: &str, subtype: &str) -> String {
    let error = format!("`{subtype}` is not supported here");
    let response = json!({ "subtype": "error", "request_id": request, "error": error });
    json!({ "type": "control_response", "response": response }).to_string()
}

fn control(request: &str, body: Value) -> String {
    json!({ "type": "control_request", "request_id": request, "request": body }).to_string()
}
