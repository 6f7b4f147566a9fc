//! OpenAI Responses, as codex speaks it.

use std::time::Duration;

use serde_json::{Value, json};

use super::frame::Frame;
use super::reply::{Content, Conversation, Part, Reply};
use super::tools::{Input, Invocation};
use crate::script;

/// Reads a request.
pub(super) fn read(request: &Value, session: &str) -> Conversation {
    let mut conversation = Conversation {
        model: request["model"].as_str().unwrap_or_default().to_owned(),
        session: session.to_owned(),
        ..Conversation::default()
    };
    let input = match &request["input"] {
        Value::String(text) => vec![json!({ "type": "message", "role": "user", "content": text })],
        Value::Array(items) => items.clone(),
        _ => Vec::new(),
    };
    for item in input {
        match item["type"].as_str() {
            Some("function_call_output" | "custom_tool_call_output") => {
                conversation.tools += 1;
                conversation.since += 1;
            }
            Some("message") | None if item["role"] == "user" => {
                if let Some(prompt) = said(&item["content"]) {
                    conversation.turns += 1;
                    conversation.since = 0;
                    conversation.prompt = prompt;
                }
            }
            _ => {}
        }
    }
    conversation
}

/// Writes a reply as one object.
pub(super) fn whole(reply: &Reply) -> Value {
    let mut response = response(reply, "completed");
    let parts = reply.parts.iter().enumerate();
    response["output"] = parts.filter_map(|(index, part)| item(reply, index, part)).collect();
    response["usage"] = usage(reply);
    response
}

/// Writes a reply as a stream.
pub(super) fn frames(reply: &Reply) -> Vec<Frame> {
    let now = Duration::ZERO;
    let created = json!({ "response": response(reply, "in_progress") });
    let mut frames = vec![
        Frame::named(now, "response.created", created.clone()),
        Frame::named(now, "response.in_progress", created),
    ];
    for (index, part) in reply.parts.iter().enumerate() {
        let Some(done) = item(reply, index, part) else {
            frames.push(if part.content == Content::Hang { Frame::Hang } else { Frame::Cut });
            return frames;
        };
        let mut added = done.clone();
        added["status"] = "in_progress".into();
        for grows in ["content", "summary"] {
            if added.get(grows).is_some() {
                added[grows] = json!([]);
            }
        }
        frames.push(Frame::named(
            now,
            "response.output_item.added",
            json!({ "output_index": index, "item": added }),
        ));
        frames.extend(deltas(&done["id"], index, part));
        if part.torn {
            continue;
        }
        frames.push(Frame::named(
            now,
            "response.output_item.done",
            json!({ "output_index": index, "item": done }),
        ));
    }
    frames.push(Frame::named(now, "response.completed", json!({ "response": whole(reply) })));
    frames
}

fn deltas(id: &Value, index: usize, part: &Part) -> Vec<Frame> {
    let now = Duration::ZERO;
    let place = |extra: Value| {
        let mut place = json!({ "item_id": id, "output_index": index });
        if let (Some(place), Value::Object(extra)) = (place.as_object_mut(), extra) {
            place.extend(extra);
        }
        place
    };
    let mut frames = Vec::new();
    match &part.content {
        Content::Text(text) => {
            let opened = json!({ "content_index": 0, "part": { "type": "output_text", "text": "", "annotations": [] } });
            frames.push(Frame::named(now, "response.content_part.added", place(opened)));
            frames.extend(script::deltas(text).into_iter().map(|piece| {
                let delta = place(json!({ "content_index": 0, "delta": piece }));
                Frame::named(part.pause, "response.output_text.delta", delta)
            }));
            if !part.torn {
                let whole = place(json!({ "content_index": 0, "text": text }));
                frames.push(Frame::named(now, "response.output_text.done", whole));
            }
        }
        Content::Thought(text) => {
            let opened = json!({ "summary_index": 0, "part": { "type": "summary_text", "text": "" } });
            frames.push(Frame::named(now, "response.reasoning_summary_part.added", place(opened)));
            frames.extend(script::deltas(text).into_iter().map(|piece| {
                let delta = place(json!({ "summary_index": 0, "delta": piece }));
                Frame::named(part.pause, "response.reasoning_summary_text.delta", delta)
            }));
        }
        Content::Call(Invocation { input: Input::Json(input), .. }) => {
            let delta = place(json!({ "delta": part.half(&input.to_string()) }));
            frames.push(Frame::named(part.pause, "response.function_call_arguments.delta", delta));
        }
        Content::Call(Invocation { input: Input::Text(text), .. }) => {
            let delta = place(json!({ "delta": part.half(text) }));
            frames.push(Frame::named(part.pause, "response.custom_tool_call_input.delta", delta));
        }
        Content::Break | Content::Hang => {}
    }
    frames
}

/// Returns what a person said with a message; codex adds some that nobody said.
fn said(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    };
    let added = [
        "<environment_context>",
        "# AGENTS.md",
        "<user_instructions>",
        "<turn_aborted>",
        "<skill",
        "<permissions",
    ];
    let start = text.trim_start();
    (!start.is_empty() && !added.iter().any(|mark| start.starts_with(mark))).then_some(text)
}

fn response(reply: &Reply, status: &str) -> Value {
    json!({
        "id": format!("resp_{}", reply.id), "object": "response", "created_at": 0, "status": status,
        "model": reply.model, "output": [], "usage": null, "error": null,
    })
}

fn item(reply: &Reply, index: usize, part: &Part) -> Option<Value> {
    let id = format!("{}_{index}", reply.id);
    let item = match &part.content {
        Content::Text(text) => json!({
            "id": format!("msg_{id}"), "type": "message", "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        Content::Thought(text) => json!({
            "id": format!("rs_{id}"), "type": "reasoning", "encrypted_content": "scripted",
            "summary": [{ "type": "summary_text", "text": text }],
        }),
        Content::Call(Invocation { namespace, name, input: Input::Json(input), .. }) => {
            let mut item = json!({
                "id": format!("fc_{id}"), "type": "function_call", "status": "completed",
                "call_id": format!("call_{id}"), "name": name, "arguments": input.to_string(),
            });
            if let Some(namespace) = namespace {
                item["namespace"] = namespace.as_str().into();
            }
            item
        }
        Content::Call(Invocation { name, input: Input::Text(text), .. }) => json!({
            "id": format!("ctc_{id}"), "type": "custom_tool_call", "status": "completed",
            "call_id": format!("call_{id}"), "name": name, "input": text,
        }),
        Content::Break | Content::Hang => return None,
    };
    Some(item)
}

fn usage(reply: &Reply) -> Value {
    let usage = reply.usage;
    json!({
        "input_tokens": usage.input, "input_tokens_details": { "cached_tokens": usage.cached },
        "output_tokens": usage.output, "output_tokens_details": { "reasoning_tokens": usage.reasoning },
        "total_tokens": usage.input + usage.output,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_codex_adds_is_no_prompt_and_results_are_counted_from_the_last_one() {
        let user = |text: &str| json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] });
        let request = json!({ "model": "m", "input": [
            { "type": "message", "role": "developer", "content": [{ "type": "input_text", "text": "rules" }] },
            user("<environment_context>…</environment_context>"),
            user("first"),
            { "type": "function_call", "name": "exec_command" },
            { "type": "function_call_output", "output": "x" },
            user("second"),
            { "type": "custom_tool_call_output", "output": "y" },
        ] });
        let conversation = read(&request, "s");
        assert_eq!(conversation.prompt, "second");
        assert_eq!((conversation.turns, conversation.tools, conversation.since), (2, 2, 1));
    }
}
