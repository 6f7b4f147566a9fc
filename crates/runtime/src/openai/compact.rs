//! Making a conversation shorter: which part is summarised, and what the model is asked then. Pure.

use paseo_core::cut::head_and_tail;
use serde_json::{Value, json};

use super::history::{Entry, History, Said};

/// A conversation that fills more of the context than this, in percent, is made shorter.
const FULL: u64 = 80;
/// As much of the context, in percent, is kept word for word.
const KEPT: u64 = 30;
/// As much of the context, in percent, the model is given to summarise.
const READ: u64 = 60;
/// Who has less than this was refused for another reason than its length.
const LONG_TOKENS: u64 = 4_000;

const TASK: &str = "Summarise the older part of a conversation between an agent and its user, so that the \
                    agent can continue without it. Keep what the agent needs: what the user wants and has \
                    decided, what was found out, which files matter and what was done to them, and what is \
                    left to do. Write at most one page. Output only the summary.";

/// Says whether a conversation of so many tokens has to be made shorter for a model.
pub(super) fn is_full(tokens: u64, context: u64) -> bool {
    tokens > context / 100 * FULL
}

/// Says whether a conversation may be too long for a model whose size is not known well.
pub(super) fn is_long(history: &History) -> bool {
    history.tokens() >= LONG_TOKENS && first_kept(history, 0).is_some()
}

/// Returns the first entry that is kept word for word, in a model's context. `None`: nothing can be summarised.
pub(super) fn plan(history: &History, context: u64) -> Option<usize> {
    // What fills the context although a model took it all is more than was thought.
    let room = (context / 100 * KEPT).min(history.tokens() / 2);
    first_kept(history, room)
}

/// As much is kept as fits into the room, and at least what cannot be split: a call is never parted from its result.
fn first_kept(history: &History, room: u64) -> Option<usize> {
    let entries = history.entries();
    let mut kept = 0;
    let mut found = None;
    for (place, entry) in entries.iter().enumerate().skip(1).rev() {
        kept += entry.tokens();
        if kept > room && found.is_some() {
            break;
        }
        if may_begin(&entries[place - 1], entry) {
            found = Some(place);
        }
    }
    found
}

fn may_begin(before: &Entry, entry: &Entry) -> bool {
    match entry.said {
        Said::User { .. } => true,
        Said::Assistant { .. } => matches!(before.said, Said::Result { .. }),
        Said::Result { .. } => false,
    }
}

/// Returns the messages that ask for a summary of what stands before an entry.
pub(super) fn question(history: &History, first: usize, context: u64) -> Vec<Value> {
    let mut text = String::new();
    let mut add = |who: &str, said: &str| {
        text.push_str(who);
        text.push_str(": ");
        text.push_str(said);
        text.push_str("\n\n");
    };
    if let Some(summary) = history.summary() {
        add("Summary of the earlier conversation", summary);
    }
    for entry in history.entries().iter().take(first) {
        match &entry.said {
            Said::User { text, images } => {
                add("User", text);
                // What they showed is in what was said about them.
                images.iter().for_each(|_| add("User", "(an image)"));
            }
            Said::Assistant { text, calls } => {
                if !text.is_empty() {
                    add("Agent", text);
                }
                calls.iter().for_each(|made| add(&format!("Agent calls {}", made.name), &made.input));
            }
            Said::Result { text, .. } => add("Result", text),
        }
    }
    let room = usize::try_from(context / 100 * READ * 4).unwrap_or(usize::MAX);
    let text = head_and_tail(&text, room);
    vec![json!({ "role": "system", "content": TASK }), json!({ "role": "user", "content": text })]
}

/// Returns what the transcript says about it.
pub(super) fn notice(summarised: usize, summary: &str) -> String {
    let messages = if summarised == 1 { "message was" } else { "messages were" };
    format!(
        "{summarised} older {messages} summarised because the model's context is full:\n\n{}",
        summary.trim()
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::history::Made;
    use super::*;

    /// Makes a conversation of words: `u`ser, `a`gent, `c`all with its result; the number says how long.
    fn history(steps: &[(char, usize)]) -> History {
        let mut history = History::default();
        for (number, (step, size)) in steps.iter().enumerate() {
            let text = "x".repeat(*size);
            match step {
                'u' => history.user(None, &text, &[]),
                'a' => history.assistant(None, text),
                _ => {
                    let call = format!("c{number}");
                    history.call(None, Made { call: call.clone(), name: "shell".into(), input: "{}".into() });
                    history.result(None, call, &text);
                }
            }
        }
        history
    }

    #[test]
    fn the_last_turns_are_kept() {
        let steps = [('u', 4000), ('a', 4000), ('u', 400), ('a', 400), ('u', 40), ('a', 40)];
        assert_eq!(plan(&history(&steps), 1000), Some(2));
        assert_eq!(plan(&history(&steps), 400), Some(4));
    }

    #[test]
    fn a_long_turn_is_cut_between_its_calls() {
        let steps = [('u', 400), ('c', 4000), ('c', 4000), ('c', 400)];
        let history = history(&steps);
        let first = plan(&history, 1000).unwrap();
        assert_eq!((first, history.entries().len()), (5, 7));
        assert!(matches!(history.entries()[first].said, Said::Assistant { .. }));
    }

    #[test]
    fn what_cannot_be_split_is_not_summarised() {
        assert_eq!(plan(&history(&[('u', 100_000)]), 1000), None);
        assert_eq!(plan(&history(&[('u', 40), ('c', 100_000)]), 1000), None);
        assert_eq!(plan(&History::default(), 1000), None);
    }

    #[test]
    fn only_a_long_conversation_is_refused_for_its_length() {
        assert!(!is_long(&history(&[('u', 40), ('a', 40), ('u', 40)])));
        assert!(is_long(&history(&[('u', 20_000), ('a', 40), ('u', 40)])));
    }

    #[test]
    fn the_question_holds_all_of_the_older_part_that_fits() {
        let mut history = history(&[('u', 10), ('c', 10), ('u', 10)]);
        let asked = question(&history, 3, 10_000)[1]["content"].as_str().unwrap().to_owned();
        assert_eq!(asked, "User: xxxxxxxxxx\n\nAgent calls shell: {}\n\nResult: xxxxxxxxxx\n\n");
        history.compact(3, "they spoke".into());
        let again = question(&history, 1, 10_000)[1]["content"].as_str().unwrap().to_owned();
        assert!(again.starts_with("Summary of the earlier conversation: they spoke\n\nUser: "), "{again}");
        let long = question(&self::history(&[('u', 100_000), ('u', 1)]), 1, 1000);
        assert!(long[1]["content"].as_str().unwrap().len() < 2500);
    }

    proptest! {
        #[test]
        fn no_call_is_parted_from_its_result_and_something_is_always_kept(
            steps in proptest::collection::vec((prop_oneof![Just('u'), Just('a'), Just('c')], 0_usize..3000), 0..40),
            context in 1000_u64..20_000,
        ) {
            let mut history = history(&steps);
            let whole = history.clone();
            if let Some(first) = plan(&history, context) {
                prop_assert!(first > 0 && first < history.entries().len());
                history.compact(first, "s".into());
                let messages = history.messages("");
                let results = messages.iter().filter(|message| message["role"] == "tool").count();
                let kept = whole.entries()[first..].iter();
                prop_assert_eq!(results, kept.filter(|entry| matches!(entry.said, Said::Result { .. })).count());
                prop_assert!(history.tokens() <= whole.tokens() + 4);
            }
        }
    }
}
