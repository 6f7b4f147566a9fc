//! What lists show of a transcript: the agent's last words, its current step, how far its list is. Derived from stored items,
//! and made of conversation text: it is kept in memory only, so that what is erased from the log is gone.

use crate::id::TurnId;
use crate::item::{Entry, Kind, ToolCallExtra};
use crate::limits::OPEN_CALLS;
use crate::snippet::{snippet, words};
use crate::todo::{self, Todo};

/// A transcript in a few words. Taking an item in twice changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// The last thing that the agent said.
    pub said: Option<Box<str>>,
    /// What went wrong last.
    pub error: Option<Box<str>>,
    pub progress: Option<Progress>,
    /// Calls without a result, oldest first.
    calls: Vec<Call>,
}

/// How far a list of what is to be done is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub done: usize,
    pub total: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    id: Box<str>,
    turn: Option<TurnId>,
    title: Box<str>,
}

/// Says whether items of a kind can change a preview.
pub fn concerns(kind: &str) -> bool {
    matches!(kind, "assistant_text" | "tool_call" | "tool_result" | "todo" | "error")
}

/// Says whether an item is the agent's own words.
pub fn is_said(entry: &Entry, text: &str) -> bool {
    entry.kind == Kind::AssistantText && is_own(entry) && !snippet(text).is_empty()
}

/// Says whether an item is the agent's own: not of a subagent of the harness, nor of an attempt that broke off.
pub fn is_own(entry: &Entry) -> bool {
    !entry.place.superseded && entry.place.parent.is_none()
}

impl Preview {
    /// Takes an item in, with its text and side information.
    pub fn take(&mut self, entry: &Entry, text: &str, extra: Option<&str>) {
        if !is_own(entry) {
            return;
        }
        match &entry.kind {
            Kind::AssistantText => replace(&mut self.said, words(text)),
            Kind::Error { .. } => replace(&mut self.error, snippet(text)),
            Kind::Todo => self.progress = progress(text),
            Kind::ToolCall { call, name, .. } => {
                self.end_call(call);
                let extra = extra.and_then(|extra| serde_json::from_str::<ToolCallExtra>(extra).ok());
                let title = extra.map(|extra| snippet(&extra.title)).filter(|title| !title.is_empty());
                let title = title.unwrap_or_else(|| snippet(name)).into();
                self.calls.push(Call { id: call.as_str().into(), turn: entry.place.turn, title });
                let forgotten = self.calls.len().saturating_sub(OPEN_CALLS);
                self.calls.drain(..forgotten);
            }
            Kind::ToolResult { call, .. } => self.end_call(call),
            Kind::UserText { .. }
            | Kind::Thinking
            | Kind::Permission { .. }
            | Kind::Usage(_)
            | Kind::Notice { .. }
            | Kind::Raw { .. } => {}
        }
    }

    /// Returns what the agent does in a turn right now: the newest call that has no result.
    pub fn step(&self, turn: TurnId) -> Option<&str> {
        let of_turn = self.calls.iter().rev().find(|call| call.turn == Some(turn));
        of_turn.map(|call| call.title.as_ref())
    }

    fn end_call(&mut self, id: &str) {
        self.calls.retain(|call| call.id.as_ref() != id);
    }
}

/// Counts a list, given as JSON. `None` when it is empty. What was cancelled is neither done nor to be done.
pub fn progress(list: &str) -> Option<Progress> {
    let list: Vec<Todo> = serde_json::from_str(list).ok()?;
    let count = |wanted: fn(todo::Status) -> bool| list.iter().filter(|one| wanted(one.status)).count();
    let total = count(|status| status != todo::Status::Cancelled);
    let done = count(|status| status == todo::Status::Completed);
    (total > 0).then_some(Progress { done, total })
}

fn replace(line: &mut Option<Box<str>>, short: String) {
    if !short.is_empty() {
        *line = Some(short.into());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::item::{Place, ToolClass, ToolOutcome};
    use crate::time::Timestamp;

    fn turn(number: u8) -> TurnId {
        TurnId::from_parts(Timestamp::from_millis(1), [number; 10])
    }

    fn entry(kind: Kind) -> Entry {
        Entry { place: Place { turn: Some(turn(1)), ..Place::default() }, kind }
    }

    fn call(id: &str) -> Entry {
        entry(Kind::ToolCall { call: id.into(), name: "shell".into(), class: ToolClass::Execute })
    }

    fn result(id: &str) -> Entry {
        let outcome = ToolOutcome::Ok;
        entry(Kind::ToolResult { call: id.into(), outcome, exit_code: None, duration_ms: 0 })
    }

    fn title(words: &str) -> String {
        serde_json::to_string(&ToolCallExtra { title: words.into(), locations: Vec::new() }).unwrap()
    }

    #[test]
    fn the_last_words_are_the_agents_own() {
        let mut preview = Preview::default();
        preview.take(&entry(Kind::AssistantText), "Done:\n\u{202e}all  tests pass", None);
        assert_eq!(preview.said.as_deref(), Some("Done: \u{202e}all tests pass"));
        let mut below = entry(Kind::AssistantText);
        below.place.parent = Some("call".into());
        preview.take(&below, "said by a subagent", None);
        let mut broken = entry(Kind::AssistantText);
        broken.place.superseded = true;
        preview.take(&broken, "half a sen", None);
        preview.take(&entry(Kind::Thinking), "hm", None);
        preview.take(&entry(Kind::AssistantText), " \n", None);
        assert_eq!(preview.said.as_deref(), Some("Done: \u{202e}all tests pass"));
    }

    #[test]
    fn the_step_is_the_newest_call_of_the_turn_without_a_result() {
        let mut preview = Preview::default();
        preview.take(&call("a"), "{}", Some(&title("Run cargo test")));
        preview.take(&call("b"), "{}", None);
        assert_eq!(preview.step(turn(1)), Some("shell"));
        preview.take(&result("b"), "ok", None);
        assert_eq!(preview.step(turn(1)), Some("Run cargo test"));
        assert_eq!(preview.step(turn(2)), None);
        preview.take(&result("a"), "ok", None);
        assert_eq!(preview, Preview::default());
    }

    #[test]
    fn progress_counts_what_is_left_to_do() {
        let list = |statuses: &[&str]| {
            let one = |status: &&str| format!(r#"{{"content":"x","status":"{status}","priority":"low"}}"#);
            format!("[{}]", statuses.iter().map(one).collect::<Vec<_>>().join(","))
        };
        let counted = |statuses: &[&str]| progress(&list(statuses)).map(|found| (found.done, found.total));
        assert_eq!(counted(&["completed", "in_progress", "pending", "cancelled"]), Some((1, 3)));
        assert_eq!(counted(&[]), None);
        assert_eq!(counted(&["cancelled"]), None);
        assert_eq!(progress("not a list"), None);
    }

    proptest! {
        /// A reader of the log may meet an item that it was told of already.
        #[test]
        fn taking_the_newest_item_twice_changes_nothing(items in prop::collection::vec((0..4u8, 0..5u8), 0..40)) {
            let (mut once, mut twice) = (Preview::default(), Preview::default());
            for (what, id) in items {
                let id = id.to_string();
                let item = match what {
                    0 => call(&id),
                    1 => result(&id),
                    2 => entry(Kind::AssistantText),
                    _ => entry(Kind::Error { code: "x".into() }),
                };
                once.take(&item, &id, None);
                twice.take(&item, &id, None);
                twice.take(&item, &id, None);
                prop_assert_eq!(&once, &twice);
                prop_assert!(once.calls.len() <= OPEN_CALLS);
            }
        }
    }
}
