//! OpenAI Chat Completions, as pi and opencode speak it.

use std::time::Duration;

use serde_json::{Value, json};

use super::frame::Frame;
use super::reply::{Content, Conversation, Reply};
use super::tools::{Input, Invocation};
use crate::script;

/// Reads a request.
pub(super) fn read(request: &Value, session: &str) -> Conversation {
    let mut conversation = Conversation {
        model: request["model"].as_str().unwrap_or_default().to_owned(),
        session: session.to_owned(),
        ..Conversation::default()
    };
    for message in request["messages"].as_array().map(Vec::as_slice).unwrap_or_default() {
        match message["role"].as_str() {
            Some("tool") => {
                conversation.tools += 1;
                conversation.since += 1;
            }
            Some("user") => {
                conversation.turns += 1;
                conversation.since = 0;
                conversation.prompt = text(&message["content"]);
            }
            _ => {}
        }
    }
    conversation
}

/// Writes a reply as one object.
pub(super) fn whole(reply: &Reply) -> Value {
    let mut text = String::new();
    let mut thought = String::new();
    let mut calls = Vec::new();
    for part in &reply.parts {
        match &part.content {
            Content::Text(more) => text.push_str(more),
            Content::Thought(more) => thought.push_str(more),
            Content::Call(invocation) => calls.push(tool_call(reply, calls.len(), invocation)),
            Content::Break | Content::Hang => {}
        }
    }
    let mut message = json!({ "role": "assistant", "content": text });
    if !thought.is_empty() {
        message["reasoning_content"] = thought.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    json!({
        "id": format!("chatcmpl-{}", reply.id), "object": "chat.completion", "created": 0, "model": reply.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason(reply) }],
        "usage": usage(reply),
    })
}

/// Writes a reply as a stream.
pub(super) fn frames(reply: &Reply) -> Vec<Frame> {
    let now = Duration::ZERO;
    let mut frames =
        vec![Frame::data(now, chunk(reply, json!({ "role": "assistant", "content": "" }), None))];
    let mut calls = 0;
    for part in &reply.parts {
        let mut delta = |delta: Value| frames.push(Frame::data(part.pause, chunk(reply, delta, None)));
        match &part.content {
            Content::Text(text) => {
                script::deltas(text).into_iter().for_each(|piece| delta(json!({ "content": piece })));
            }
            Content::Thought(text) => {
                script::deltas(text)
                    .into_iter()
                    .for_each(|piece| delta(json!({ "reasoning_content": piece })));
            }
            Content::Call(invocation) => {
                let mut call = tool_call(reply, calls, invocation);
                let arguments = call["function"]["arguments"].as_str().unwrap_or_default().to_owned();
                call["function"]["arguments"] = part.half(&arguments).into();
                delta(json!({ "tool_calls": [call] }));
                calls += 1;
            }
            Content::Break | Content::Hang => {
                frames.push(if part.content == Content::Hang { Frame::Hang } else { Frame::Cut });
                return frames;
            }
        }
    }
    frames.push(Frame::data(now, chunk(reply, json!({}), Some(finish_reason(reply)))));
    let mut last = chunk(reply, json!({}), None);
    last["choices"] = json!([]);
    last["usage"] = usage(reply);
    frames.push(Frame::data(now, last));
    frames.push(Frame::data(now, "[DONE]"));
    frames
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

fn chunk(reply: &Reply, delta: Value, finish: Option<&str>) -> Value {
    json!({
        "id": format!("chatcmpl-{}", reply.id), "object": "chat.completion.chunk", "created": 0,
        "model": reply.model, "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
    })
}

fn tool_call(reply: &Reply, index: usize, invocation: &Invocation) -> Value {
    let arguments = match &invocation.input {
        Input::Json(input) => input.to_string(),
        Input::Text(text) => json!({ "input": text }).to_string(),
    };
    json!({
        "index": index, "id": format!("call_{}_{index}", reply.id), "type": "function",
        "function": { "name": invocation.name, "arguments": arguments },
    })
}

fn finish_reason(reply: &Reply) -> &'static str {
    if reply.calls() { "tool_calls" } else { "stop" }
}

fn usage(reply: &Reply) -> Value {
    let usage = reply.usage;
    json!({
        "prompt_tokens": usage.input, "prompt_tokens_details": { "cached_tokens": usage.cached },
        "completion_tokens": usage.output, "completion_tokens_details": { "reasoning_tokens": usage.reasoning },
        "total_tokens": usage.input + usage.output,
    })
}
