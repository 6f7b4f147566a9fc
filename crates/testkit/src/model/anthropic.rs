//! Anthropic Messages, as claude speaks it.

use std::time::Duration;

use serde_json::{Value, json};

use super::frame::Frame;
use super::reply::{Content, Conversation, Part, Reply, Usage};
use super::tools::{Input, Invocation};
use crate::script;

/// What claude puts around a message that came while it worked.
const STEERED: &str = "The user sent a new message while you were working:";

/// Reads a request.
pub(crate) fn read(request: &Value, session: &str) -> Conversation {
    let mut conversation = Conversation {
        model: request["model"].as_str().unwrap_or_default().to_owned(),
        session: session.to_owned(),
        directory: directory(request),
        ..Conversation::default()
    };
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    for message in messages.iter().filter(|message| message["role"] == "user") {
        for block in blocks(&message["content"]) {
            if block["type"] == "tool_result" {
                conversation.tools += 1;
                conversation.since += 1;
            }
            // What was sent meanwhile can also stand inside of a result.
            for text in texts(&block) {
                if let Some(prompt) = said(&text) {
                    conversation.turns += 1;
                    conversation.since = 0;
                    conversation.prompt = prompt.to_owned();
                }
            }
        }
    }
    conversation
}

/// Writes a reply as one object.
pub(crate) fn whole(reply: &Reply) -> Value {
    let content: Vec<Value> =
        reply.parts.iter().enumerate().filter_map(|(index, part)| block(reply, index, part)).collect();
    let mut message = message(reply);
    message["content"] = content.into();
    message["stop_reason"] = stop_reason(reply).into();
    message["usage"] = usage(reply.usage, reply.usage.output);
    message
}

/// Writes a reply as a stream.
pub(crate) fn frames(reply: &Reply) -> Vec<Frame> {
    let now = Duration::ZERO;
    let mut frames = vec![
        Frame::named(now, "message_start", json!({ "message": message(reply) })),
        Frame::named(now, "ping", json!({})),
    ];
    for (index, part) in reply.parts.iter().enumerate() {
        let pause = part.pause;
        let start = |block: Value| {
            Frame::named(now, "content_block_start", json!({ "index": index, "content_block": block }))
        };
        let delta = |delta: Value| {
            Frame::named(pause, "content_block_delta", json!({ "index": index, "delta": delta }))
        };
        match &part.content {
            Content::Text(text) => {
                frames.push(start(json!({ "type": "text", "text": "" })));
                let pieces = script::deltas(text).into_iter();
                frames.extend(pieces.map(|text| delta(json!({ "type": "text_delta", "text": text }))));
            }
            Content::Thought(text) => {
                frames.push(start(json!({ "type": "thinking", "thinking": "", "signature": "" })));
                let pieces = script::deltas(text).into_iter();
                frames
                    .extend(pieces.map(|text| delta(json!({ "type": "thinking_delta", "thinking": text }))));
                frames.push(delta(json!({ "type": "signature_delta", "signature": "c2NyaXB0ZWQ=" })));
            }
            Content::Call(invocation) => {
                frames.push(start(tool_use(reply, index, invocation, json!({}))));
                let input = input(invocation).to_string();
                frames.push(delta(json!({ "type": "input_json_delta", "partial_json": part.half(&input) })));
            }
            Content::Break => {
                frames.push(Frame::Cut);
                return frames;
            }
            Content::Hang => {
                frames.push(Frame::Hang);
                return frames;
            }
        }
        if !part.torn {
            frames.push(Frame::named(now, "content_block_stop", json!({ "index": index })));
        }
    }
    let end = json!({
        "delta": { "stop_reason": stop_reason(reply), "stop_sequence": null },
        "usage": { "output_tokens": reply.usage.output },
    });
    frames.push(Frame::named(now, "message_delta", end));
    frames.push(Frame::named(now, "message_stop", json!({})));
    frames
}

/// Returns what a person said with a text; harnesses add many that nobody said.
fn said(text: &str) -> Option<&str> {
    let text = text.trim();
    if let Some((_, message)) = text.split_once(STEERED) {
        let message = message.split("\n\nIMPORTANT:").next().unwrap_or(message);
        return Some(message.split("</system-reminder>").next().unwrap_or(message).trim());
    }
    // The end of background work starts a turn that nobody asked for.
    if let Some((_, notification)) = text.split_once("<task-notification>") {
        let summary =
            notification.split_once("<summary>").and_then(|(_, rest)| rest.split_once("</summary>"));
        return Some(summary.map_or("a task ended", |(summary, _)| summary));
    }
    let added =
        ["<system-reminder>", "[Request interrupted", "[Image: source:", "<local-command", "<command-name>"];
    (!text.is_empty() && !added.iter().any(|start| text.starts_with(start))).then_some(text)
}

fn texts(block: &Value) -> Vec<String> {
    match block["type"].as_str() {
        Some("text") => block["text"].as_str().map(str::to_owned).into_iter().collect(),
        Some("tool_result") => {
            let inner = blocks(&block["content"]);
            let texts = inner.iter().filter_map(|block| block["text"].as_str());
            texts.filter(|text| text.contains(STEERED)).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![json!({ "type": "text", "text": text })],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}

/// Claude tells the model where it works, and wants absolute paths back.
fn directory(request: &Value) -> Option<String> {
    const MARK: &str = "Primary working directory: ";
    let all = [&request["system"], &request["messages"]].map(Value::to_string).concat();
    let (_, rest) = all.split_once(MARK)?;
    rest.split("\\n").next().map(str::to_owned)
}

pub(crate) fn message(reply: &Reply) -> Value {
    json!({
        "id": format!("msg_{}", reply.id), "type": "message", "role": "assistant", "model": reply.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(reply.usage, 1),
    })
}

pub(crate) fn block(reply: &Reply, index: usize, part: &Part) -> Option<Value> {
    match &part.content {
        Content::Text(text) => Some(json!({ "type": "text", "text": text })),
        Content::Thought(text) => {
            Some(json!({ "type": "thinking", "thinking": text, "signature": "c2NyaXB0ZWQ=" }))
        }
        Content::Call(invocation) => Some(tool_use(reply, index, invocation, input(invocation))),
        Content::Break | Content::Hang => None,
    }
}

fn tool_use(reply: &Reply, index: usize, invocation: &Invocation, input: Value) -> Value {
    json!({ "type": "tool_use", "id": format!("toolu_{}_{index}", reply.id), "name": invocation.name, "input": input })
}

fn input(invocation: &Invocation) -> Value {
    match &invocation.input {
        Input::Json(input) => input.clone(),
        Input::Text(text) => json!({ "input": text }),
    }
}

fn stop_reason(reply: &Reply) -> &'static str {
    if reply.calls() { "tool_use" } else { "end_turn" }
}

fn usage(usage: Usage, output: usize) -> Value {
    json!({
        "input_tokens": usage.input, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached, "output_tokens": output,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claude_adds_is_no_prompt_and_results_are_counted_from_the_last_one() {
        let request = json!({ "model": "m", "messages": [
            { "role": "user", "content": [
                { "type": "text", "text": "<system-reminder>\n - Primary working directory: /w\n</system-reminder>" },
                { "type": "text", "text": "first" },
            ] },
            { "role": "assistant", "content": [] },
            { "role": "user", "content": [{ "type": "tool_result", "content": "x" }] },
            { "role": "user", "content": "[Request interrupted by user]" },
            { "role": "user", "content": "second" },
            { "role": "user", "content": [{ "type": "tool_result", "content": "y" }] },
        ] });
        let conversation = read(&request, "s");
        assert_eq!(conversation.prompt, "second");
        assert_eq!((conversation.turns, conversation.tools, conversation.since), (2, 2, 1));
        assert_eq!(conversation.directory.as_deref(), Some("/w"));
    }

    #[test]
    fn the_end_of_background_work_is_a_prompt() {
        let reminder =
            "<system-reminder>\n<task-notification>\n<summary>It is done</summary>\n</task-notification>";
        let request = json!({ "messages": [
            { "role": "user", "content": "<<background sleep 1>>" },
            { "role": "user", "content": [{ "type": "tool_result", "content": "x" }] },
            { "role": "user", "content": [{ "type": "text", "text": reminder }] },
        ] });
        let conversation = read(&request, "");
        assert_eq!(
            (conversation.prompt.as_str(), conversation.turns, conversation.since),
            ("It is done", 2, 0)
        );
    }

    #[test]
    fn a_message_sent_meanwhile_is_a_prompt() {
        let reminder = format!("<system-reminder>\n{STEERED}\n<<say b>>\n\nIMPORTANT: …\n</system-reminder>");
        let request = json!({ "messages": [
            { "role": "user", "content": "<<bash a>>" },
            { "role": "user", "content": [
                { "type": "tool_result", "content": "x" }, { "type": "text", "text": reminder },
            ] },
        ] });
        let conversation = read(&request, "");
        assert_eq!(
            (conversation.prompt.as_str(), conversation.turns, conversation.since),
            ("<<say b>>", 2, 0)
        );
    }
}
