//! What the model says, in no API's words. It remembers nothing: all it needs stands in the conversation.

use std::collections::HashMap;
use std::time::Duration;

use super::tools::{Invocation, Toolbox};
use crate::script::{self, Call, Status, Step};

/// What an API's request comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Conversation {
    /// The last text of the user.
    pub(crate) prompt: String,
    /// How many texts the user sent.
    pub(crate) turns: usize,
    /// How many results of tools there are.
    pub(crate) tools: usize,
    /// How many of them came after the prompt.
    pub(crate) since: usize,
    pub(crate) model: String,
    pub(crate) directory: Option<String>,
    /// Tells equal prompts of different sessions apart, as far as the harness does.
    pub(crate) session: String,
}

/// What the model answers with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Reply(Reply),
    Failure(Status),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// Unlike any other reply's in the same conversation.
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) usage: Usage,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    /// The pause before each delta.
    pub(crate) pause: Duration,
    pub(crate) content: Content,
    /// The stream is cut in the middle of it: a [`Content::Break`] follows.
    pub(crate) torn: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Text(String),
    Thought(String),
    Call(Invocation),
    Break,
    Hang,
}

/// The same for the same conversation, whatever the harness put around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: usize,
    pub(crate) cached: usize,
    pub(crate) output: usize,
    pub(crate) reasoning: usize,
}

impl Reply {
    pub(crate) fn calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.content, Content::Call(_)))
    }

    pub(super) fn breaks(&self) -> bool {
        self.parts.iter().any(|part| part.content == Content::Break)
    }
}

impl Part {
    /// Returns what of the input of a call is sent: half of it, when the stream is cut in its middle.
    pub(super) fn half<'a>(&self, input: &'a str) -> &'a str {
        let end = if self.torn { input.len() / 2 } else { input.len() };
        let end = (0..=end).rev().find(|end| input.is_char_boundary(*end));
        &input[..end.unwrap_or(0)]
    }
}

impl Conversation {
    /// Returns what every final text ends with. It proves that the context was carried over.
    fn footer(&self) -> String {
        format!("[turns={} tools={} model={}]", self.turns, self.tools, self.model)
    }
}

/// How often what happens only so many times has happened: the one thing that no conversation tells.
#[derive(Debug, Default)]
pub(crate) struct Mishaps(HashMap<String, u32>);

impl Mishaps {
    /// Says whether it happens once more, and counts it.
    fn again(&mut self, conversation: &Conversation, place: usize, times: Option<u32>) -> bool {
        let Some(times) = times else { return true };
        let Conversation { session, turns, since, prompt, .. } = conversation;
        let seen = self.0.entry(format!("{session} {turns} {since} {place} {prompt}")).or_default();
        *seen += 1;
        *seen <= times
    }
}

/// Answers a conversation. `number` makes ids differ between two answers to the same one.
pub(crate) fn answer(
    conversation: &Conversation,
    toolbox: &Toolbox,
    mishaps: &mut Mishaps,
    number: usize,
) -> Answer {
    let steps = match script::parse(&conversation.prompt) {
        Ok(steps) if steps.is_empty() => {
            vec![Step::Say(format!("Received: {}", start(&conversation.prompt)))]
        }
        Ok(steps) => steps,
        Err(malformed) => vec![Step::Say(malformed.to_string())],
    };
    let mut rounds = script::rounds(steps);
    let last = rounds.len() - 1;
    let round = rounds.swap_remove(conversation.since.min(last));
    let mut parts = Vec::new();
    let mut pause = Duration::ZERO;
    let is_exact = matches!(round.last(), Some(Step::Exactly(_)));
    for (place, step) in round.into_iter().enumerate() {
        let content = match step {
            Step::Slow(wanted) => {
                pause = wanted;
                continue;
            }
            Step::Status(status) if mishaps.again(conversation, place, status.times) => {
                return Answer::Failure(status);
            }
            Step::Break(times) if mishaps.again(conversation, place, times) => Content::Break,
            Step::Torn(torn) if mishaps.again(conversation, place, torn.times) => {
                let whole = torn.in_call && !torn.text.is_empty();
                if whole || !torn.in_call {
                    parts.push(Part { pause, content: Content::Text(torn.text), torn: !whole });
                }
                if torn.in_call {
                    let call = Call::Bash("echo torn".to_owned());
                    let call = toolbox.invoke(&call, conversation.directory.as_deref());
                    parts.push(Part { pause, content: Content::Call(call), torn: true });
                }
                Content::Break
            }
            Step::Status(_) | Step::Break(_) | Step::Torn(_) => continue,
            Step::Say(text) | Step::Exactly(text) => Content::Text(text),
            Step::Think(text) => Content::Thought(text),
            Step::Big(size) => Content::Text(big(size)),
            Step::Hang => Content::Hang,
            Step::Call(call) => Content::Call(toolbox.invoke(&call, conversation.directory.as_deref())),
        };
        let breaks = content == Content::Break;
        parts.push(Part { pause, content, torn: false });
        if breaks {
            break;
        }
    }
    let mut reply = Reply {
        id: format!("{number}_{}_{}", conversation.turns, conversation.tools),
        model: conversation.model.clone(),
        usage: usage(conversation, &parts),
        parts,
    };
    if !reply.calls() && !reply.breaks() && !is_exact {
        finish(&mut reply.parts, pause, &conversation.footer());
    }
    Answer::Reply(reply)
}

/// Adds the footer to the last text, or as a text of its own.
fn finish(parts: &mut Vec<Part>, pause: Duration, footer: &str) {
    match parts.last_mut() {
        Some(Part { content: Content::Text(text), .. }) => {
            text.push(' ');
            text.push_str(footer);
        }
        _ => parts.push(Part { pause, content: Content::Text(footer.to_owned()), torn: false }),
    }
}

fn usage(conversation: &Conversation, parts: &[Part]) -> Usage {
    let thoughts = parts.iter().filter(|part| matches!(part.content, Content::Thought(_))).count();
    Usage {
        input: 1000 * conversation.turns + 100 * conversation.tools,
        cached: 500 * conversation.turns.saturating_sub(1),
        output: 10 * parts.len(),
        reasoning: 10 * thoughts,
    }
}

fn start(text: &str) -> String {
    text.chars().take(200).collect()
}

fn big(size: usize) -> String {
    const LINE: &str = "The quick brown fox jumps over the lazy dog and then goes home.\n";
    let mut text = LINE.repeat(size / LINE.len() + 1);
    text.truncate(size);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn conversation(prompt: &str, since: usize) -> Conversation {
        Conversation {
            prompt: prompt.into(),
            turns: 2,
            tools: 3,
            since,
            model: "m".into(),
            ..Default::default()
        }
    }

    fn contents(prompt: &str, since: usize) -> Vec<Content> {
        match answer(&conversation(prompt, since), &Toolbox::default(), &mut Mishaps::default(), 1) {
            Answer::Reply(reply) => reply.parts.into_iter().map(|part| part.content).collect(),
            Answer::Failure(status) => panic!("{status:?}"),
        }
    }

    #[test]
    fn the_results_since_the_prompt_say_where_the_script_is() {
        let prompt = "<<say a>> <<bash ls>> <<say b>>";
        let call = Toolbox::default().invoke(&Call::Bash("ls".into()), None);
        assert_eq!(contents(prompt, 0), [Content::Text("a".into()), Content::Call(call)]);
        let last = [Content::Text("b [turns=2 tools=3 model=m]".into())];
        assert_eq!(contents(prompt, 1), last);
        assert_eq!(contents(prompt, 9), last);
    }

    #[test]
    fn every_final_text_has_the_footer() {
        assert_eq!(contents("hello", 0), [Content::Text("Received: hello [turns=2 tools=3 model=m]".into())]);
        assert_eq!(contents("<<think x>>", 0)[1], Content::Text("[turns=2 tools=3 model=m]".into()));
        assert_eq!(contents("<<exactly 7>>", 0), [Content::Text("7".into())], "unless it is to be exact");
        let Content::Text(text) = &contents("<<oops>>", 0)[0] else { panic!("a text") };
        assert!(text.contains("is no directive") && text.ends_with("model=m]"), "{text}");
    }

    #[test]
    fn a_mishap_happens_so_many_times_and_then_no_more() {
        let mut mishaps = Mishaps::default();
        let mut fails = |session: &str, times: &str| {
            let mut conversation = conversation(&format!("<<status 500{times}>> <<say ok>>"), 0);
            conversation.session = session.into();
            matches!(answer(&conversation, &Toolbox::default(), &mut mishaps, 1), Answer::Failure(_))
        };
        assert_eq!([0; 4].map(|_| fails("a", " times=2")), [true, true, false, false]);
        assert_eq!([0; 3].map(|_| fails("b", " times=2")), [true, true, false]);
        assert_eq!([0; 3].map(|_| fails("a", "")), [true, true, true]);
    }

    #[test]
    fn usage_is_the_same_for_the_same_conversation() {
        let tools = Toolbox::read(&json!({}));
        let Answer::Reply(reply) =
            answer(&conversation("<<think x>><<say y>>", 0), &tools, &mut Mishaps::default(), 7)
        else {
            panic!("a reply")
        };
        assert_eq!(reply.usage, Usage { input: 2300, cached: 500, output: 20, reasoning: 10 });
        assert_eq!(reply.id, "7_2_3");
    }
}
