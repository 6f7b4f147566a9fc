//! Google's `generateContent`, as gemini speaks it.

use std::time::Duration;

use serde_json::{Value, json};

use super::frame::Frame;
use super::reply::{Content, Conversation, Part, Reply};
use super::tools::Input;
use crate::script;

/// What gemini tells the model about the machine, before the first message of a person.
const CONTEXT: &str = "<session_context>";

/// What a path asks a model for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Stream,
    Whole,
    Count,
}

/// Returns the model and the method that a path names: `/v1beta/models/NAME:METHOD`.
pub(super) fn route(path: &str) -> Option<(&str, Method)> {
    let (model, method) = path.strip_prefix("/v1beta/models/")?.split_once(':')?;
    let method = match method {
        "streamGenerateContent" => Method::Stream,
        "generateContent" => Method::Whole,
        "countTokens" => Method::Count,
        _ => return None,
    };
    Some((model, method))
}

/// Reads a request. Its model stands in the path.
pub(super) fn read(request: &Value, session: &str) -> Conversation {
    let mut conversation = Conversation {
        model: request["model"].as_str().unwrap_or_default().to_owned(),
        session: session.to_owned(),
        ..Conversation::default()
    };
    for content in array(&request["contents"]).iter().filter(|content| content["role"] == "user") {
        let parts = array(&content["parts"]);
        let results = parts.iter().filter(|part| part["functionResponse"].is_object()).count();
        conversation.tools += results;
        conversation.since += results;
        let texts = parts.iter().filter_map(|part| part["text"].as_str());
        let texts: Vec<&str> = texts.filter(|text| !text.starts_with(CONTEXT)).collect();
        let said = texts.join("\n");
        if results == 0 && !said.is_empty() {
            conversation.turns += 1;
            conversation.since = 0;
            conversation.prompt = said;
        }
    }
    conversation
}

/// Writes a reply as one object.
pub(super) fn whole(reply: &Reply) -> Value {
    let parts = reply.parts.iter().enumerate().flat_map(|(index, part)| parts(reply, index, part, false));
    last(reply, parts.collect())
}

/// Writes a reply as a stream.
pub(super) fn frames(reply: &Reply) -> Vec<Frame> {
    let mut frames = Vec::new();
    for (index, part) in reply.parts.iter().enumerate() {
        match part.content {
            Content::Break => return frames.into_iter().chain([Frame::Cut]).collect(),
            Content::Hang => return frames.into_iter().chain([Frame::Hang]).collect(),
            Content::Text(_) | Content::Thought(_) | Content::Call(_) => {}
        }
        let pieces = parts(reply, index, part, true).into_iter();
        frames.extend(pieces.map(|piece| Frame::data(part.pause, chunk(reply, vec![piece]))));
    }
    frames.push(Frame::data(Duration::ZERO, last(reply, Vec::new())));
    frames
}

fn parts(reply: &Reply, index: usize, part: &Part, cut: bool) -> Vec<Value> {
    let pieces = |text: &str| -> Vec<String> {
        if cut {
            script::deltas(text).into_iter().map(str::to_owned).collect()
        } else {
            vec![text.to_owned()]
        }
    };
    match &part.content {
        Content::Text(text) => pieces(text).into_iter().map(|text| json!({ "text": text })).collect(),
        Content::Thought(text) => {
            pieces(text).into_iter().map(|text| json!({ "text": text, "thought": true })).collect()
        }
        Content::Call(invocation) => {
            let arguments = match &invocation.input {
                Input::Json(input) => input.clone(),
                Input::Text(text) => json!({ "input": text }),
            };
            let id = format!("call_{}_{index}", reply.id);
            vec![json!({ "functionCall": { "id": id, "name": invocation.name, "args": arguments } })]
        }
        Content::Break | Content::Hang => Vec::new(),
    }
}

fn chunk(reply: &Reply, parts: Vec<Value>) -> Value {
    json!({
        "candidates": [{ "index": 0, "content": { "role": "model", "parts": parts } }],
        "modelVersion": reply.model, "responseId": reply.id,
    })
}

fn last(reply: &Reply, parts: Vec<Value>) -> Value {
    // Gemini asks again when the end comes without any part.
    let parts = if parts.is_empty() { vec![json!({ "text": "" })] } else { parts };
    let usage = reply.usage;
    let mut chunk = chunk(reply, parts);
    chunk["candidates"][0]["finishReason"] = "STOP".into();
    chunk["usageMetadata"] = json!({
        "promptTokenCount": usage.input, "cachedContentTokenCount": usage.cached,
        "candidatesTokenCount": usage.output, "thoughtsTokenCount": usage.reasoning,
        "totalTokenCount": usage.input + usage.output + usage.reasoning,
    });
    chunk
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_and_the_method_stand_in_the_path() {
        let path = "/v1beta/models/gemini-2.5-flash:streamGenerateContent";
        assert_eq!(route(path), Some(("gemini-2.5-flash", Method::Stream)));
        assert_eq!(route("/v1beta/models/m:countTokens"), Some(("m", Method::Count)));
        assert_eq!(route("/v1beta/models/m:embedContent"), None);
        assert_eq!(route("/v1/models"), None);
    }

    #[test]
    fn results_of_tools_are_no_words_of_the_user() {
        let conversation = read(
            &json!({ "model": "m", "contents": [
                { "role": "user", "parts": [{ "text": "<session_context>\nHere." }, { "text": "<<bash a>>" }] },
                { "role": "model", "parts": [{ "functionCall": { "name": "run_shell_command", "args": {} } }] },
                { "role": "user", "parts": [{ "functionResponse": { "name": "run_shell_command" } }] },
            ] }),
            "",
        );
        assert_eq!((conversation.turns, conversation.tools, conversation.since), (1, 1, 1));
        assert_eq!(conversation.prompt, "<<bash a>>");
    }
}
