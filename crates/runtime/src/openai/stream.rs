//! What a model's answer says, piece by piece. Tolerant: servers leave out, add and repeat.

use paseo_core::item::Usage;
use serde::Deserialize;
use serde_json::Value;

/// A piece of an answer; or, without streaming, all of it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Chunk {
    #[serde(default, deserialize_with = "or_default")]
    choices: Vec<Choice>,
    #[serde(default, deserialize_with = "or_default")]
    usage: Option<Tokens>,
    /// Some servers tell in the middle of a stream that they failed.
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
struct Choice {
    #[serde(default, alias = "message", deserialize_with = "or_default")]
    delta: Delta,
    #[serde(default, deserialize_with = "or_default")]
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Delta {
    #[serde(default, deserialize_with = "or_default")]
    content: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    reasoning_content: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    reasoning: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    tool_calls: Vec<CallDelta>,
}

#[derive(Debug, Default, Deserialize)]
struct CallDelta {
    #[serde(default, deserialize_with = "or_default")]
    index: Option<usize>,
    #[serde(default, deserialize_with = "or_default")]
    id: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    function: Function,
}

#[derive(Debug, Default, Deserialize)]
struct Function {
    #[serde(default, deserialize_with = "or_default")]
    name: Option<String>,
    /// Text, though some servers give the object itself.
    #[serde(default)]
    arguments: Value,
}

#[derive(Debug, Default, Deserialize)]
struct Tokens {
    #[serde(default, deserialize_with = "or_default")]
    prompt_tokens: u64,
    #[serde(default, deserialize_with = "or_default")]
    completion_tokens: u64,
    #[serde(default, deserialize_with = "or_default")]
    prompt_tokens_details: Details,
}

#[derive(Debug, Default, Deserialize)]
struct Details {
    #[serde(default, deserialize_with = "or_default")]
    cached_tokens: u64,
}

/// Reads a value; what is null or of another kind counts as missing.
fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned + Default,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// An answer, as far as it has come.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) thought: String,
    pub(super) calls: Vec<Wanted>,
    pub(super) usage: Option<Usage>,
    /// The model said why it ended.
    pub(super) finished: Option<String>,
    /// There was anything that an answer is made of.
    pub(super) begun: bool,
}

/// A call that the model wants.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Wanted {
    index: Option<usize>,
    id: Option<String>,
    pub(super) name: String,
    /// As the model wrote them; perhaps no JSON.
    pub(super) arguments: String,
}

/// What a piece added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Added {
    pub(super) text: String,
    pub(super) thought: String,
}

impl Reply {
    /// Takes in a piece. `Err` when the server says that it failed.
    pub(super) fn take(&mut self, chunk: Chunk) -> Result<Added, String> {
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(error_words(&error));
        }
        if let Some(tokens) = chunk.usage {
            self.begun = true;
            self.usage = Some(Usage {
                input_tokens: tokens.prompt_tokens,
                output_tokens: tokens.completion_tokens,
                cached_tokens: tokens.prompt_tokens_details.cached_tokens,
                cost_micros: None,
            });
        }
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(Added::default()) };
        self.begun = true;
        let Delta { content, reasoning_content, reasoning, tool_calls } = choice.delta;
        let added = Added {
            text: content.unwrap_or_default(),
            thought: reasoning_content.or(reasoning).unwrap_or_default(),
        };
        self.text.push_str(&added.text);
        self.thought.push_str(&added.thought);
        tool_calls.into_iter().for_each(|call| self.call(call));
        self.finished = choice.finish_reason.filter(|reason| !reason.is_empty()).or(self.finished.take());
        Ok(added)
    }

    /// Adds a piece of a call to the call that it belongs to.
    fn call(&mut self, delta: CallDelta) {
        let CallDelta { index, id, function } = delta;
        let id = id.filter(|id| !id.is_empty());
        let open = self.calls.iter_mut().rev().find(|call| match (index, &id) {
            // Some servers number every call 0, and only their ids differ.
            (Some(index), Some(id)) => call.index == Some(index) && call.id.as_ref() == Some(id),
            (Some(index), None) => call.index == Some(index),
            (None, Some(id)) => call.id.as_ref() == Some(id),
            (None, None) => true,
        });
        let name = function.name.unwrap_or_default();
        let arguments = match function.arguments {
            Value::Null => String::new(),
            Value::String(piece) => piece,
            object => object.to_string(),
        };
        match open {
            Some(call) => {
                // Some repeat the name with every piece.
                if call.name.is_empty() {
                    call.name = name;
                }
                call.arguments.push_str(&arguments);
            }
            None => self.calls.push(Wanted { index, id, name, arguments }),
        }
    }

    /// Returns its length in bytes.
    pub(super) fn len(&self) -> usize {
        let calls = self.calls.iter().map(|call| call.name.len() + call.arguments.len());
        self.text.len() + self.thought.len() + calls.sum::<usize>()
    }
}

/// Returns what a server says about its failure, for people.
pub(super) fn error_words(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str).or(error.as_str());
    message.map_or_else(|| error.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(chunks: &[Value]) -> Reply {
        let mut reply = Reply::default();
        for chunk in chunks {
            reply.take(serde_json::from_value(chunk.clone()).unwrap()).unwrap();
        }
        reply
    }

    fn delta(delta: Value) -> Value {
        json!({ "choices": [{ "delta": delta, "finish_reason": null }], "usage": null, "x": 1 })
    }

    #[test]
    fn pieces_come_together() {
        let reply = reply(&[
            delta(json!({ "role": "assistant", "content": null })),
            delta(json!({ "reasoning_content": "h" })),
            delta(json!({ "reasoning": "m" })),
            delta(json!({ "content": "a" })),
            delta(json!({ "content": "b" })),
            json!({ "choices": [{ "finish_reason": "stop" }] }),
            json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 2,
                "prompt_tokens_details": { "cached_tokens": 3 } } }),
        ]);
        assert_eq!((reply.text.as_str(), reply.thought.as_str()), ("ab", "hm"));
        assert_eq!(reply.finished.as_deref(), Some("stop"));
        let usage = Usage { input_tokens: 7, output_tokens: 2, cached_tokens: 3, cost_micros: None };
        assert_eq!(reply.usage, Some(usage));
    }

    #[test]
    fn calls_are_told_apart_by_index_and_by_id() {
        let call = |call: Value| delta(json!({ "tool_calls": [call] }));
        let found = reply(&[
            call(json!({ "index": 0, "id": "a", "function": { "name": "x", "arguments": "{\"p\":" } })),
            call(json!({ "index": 0, "function": { "arguments": "1}" } })),
            call(json!({ "index": 1, "id": "b", "function": { "name": "y", "arguments": { "q": 2 } } })),
            call(json!({ "index": 0, "id": "c", "function": { "name": "z", "arguments": null } })),
        ]);
        let calls: Vec<_> =
            found.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
        assert_eq!(calls, [("x", "{\"p\":1}"), ("y", "{\"q\":2}"), ("z", "")]);
    }

    #[test]
    fn an_answer_that_was_not_streamed_is_one_piece() {
        let message = json!({ "role": "assistant", "content": "hi" });
        let found = reply(&[json!({ "choices": [{ "message": message, "finish_reason": "stop" }] })]);
        assert_eq!((found.text.as_str(), found.finished.as_deref()), ("hi", Some("stop")));
    }

    #[test]
    fn what_is_of_another_kind_counts_as_missing() {
        let found =
            reply(&[json!({ "choices": "none", "usage": [] }), delta(json!({ "content": 7 })), json!({})]);
        assert_eq!((found.text.as_str(), found.calls.len()), ("", 0));
    }

    #[test]
    fn a_failure_in_the_middle_is_told() {
        let error = json!({ "error": { "code": 502, "message": "upstream is gone" } });
        let told = Reply::default().take(serde_json::from_value(error).unwrap());
        assert_eq!(told, Err("upstream is gone".to_owned()));
    }
}
