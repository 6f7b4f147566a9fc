//! Attempts that break off.

use super::*;
use crate::provider::Retry;

fn grow(bed: &mut Bed, id: &str, text: &str) {
    bed.item(1, "started", json!({ "type": "agentMessage", "id": id, "text": "" }));
    bed.say("item/agentMessage/delta", json!({ "turnId": "u1", "itemId": id, "delta": text }));
}

fn finish(bed: &mut Bed, id: &str, text: &str) {
    bed.item(1, "completed", json!({ "type": "agentMessage", "id": id, "text": text }));
}

fn error(words: &str) -> Value {
    json!({ "message": words, "codexErrorInfo": { "responseStreamDisconnected": { "httpStatusCode": null } } })
}

/// Returns what was shown by attempts that broke off, each with the attempt that follows.
fn broken(bed: &Bed) -> Vec<(Vec<&str>, Option<Retry>)> {
    let grown = |id| {
        bed.outputs.iter().find_map(move |output| match output {
            Output::Delta { item, text, .. } if item == id => Some(text.as_str()),
            _ => None,
        })
    };
    let broken = bed.outputs.iter().filter_map(|output| match output {
        Output::BrokeOff { items, retry } => Some((items.iter().filter_map(grown).collect(), *retry)),
        _ => None,
    });
    broken.collect()
}

#[test]
fn what_was_begun_and_not_finished_breaks_off() {
    let mut bed = Bed::running();
    grow(&mut bed, "m1", "first");
    finish(&mut bed, "m1", "first");
    grow(&mut bed, "m2", "hal");
    bed.say("error", json!({ "error": error("Reconnecting... 1/5"), "willRetry": true, "turnId": "u1" }));
    grow(&mut bed, "m3", "whole");
    finish(&mut bed, "m3", "whole");
    bed.complete(1, "completed");
    assert_eq!(broken(&bed), [(vec!["hal"], Some(Retry { attempt: Some(1), of: Some(5) }))]);
    assert_eq!(texts(&bed.drafts(), "assistant_text"), ["first", "whole"]);
}

#[test]
fn a_turn_that_fails_leaves_no_half_answer() {
    let mut bed = Bed::running();
    grow(&mut bed, "m1", "hal");
    let error = error("stream disconnected before completion");
    bed.say("error", json!({ "error": error, "willRetry": false, "turnId": "u1" }));
    bed.say("turn/completed", json!({ "turn": { "id": "u1", "status": "failed", "error": error } }));
    assert_eq!(broken(&bed), [(vec!["hal"], None)]);
    assert!(texts(&bed.drafts(), "assistant_text").is_empty());
}

#[test]
fn what_a_subagent_said_breaks_off_only_there() {
    let mut bed = Bed::running();
    grow(&mut bed, "m1", "mine");
    let params = json!({ "threadId": "child", "error": error("Reconnecting... 1/5"), "willRetry": true, "turnId": "x" });
    bed.say("error", params);
    finish(&mut bed, "m1", "mine");
    assert_eq!(broken(&bed), [(vec![], None)]);
    assert_eq!(texts(&bed.drafts(), "assistant_text"), ["mine"]);
}

#[test]
fn which_attempt_follows_stands_at_the_end_of_the_words() {
    let retry = |words: &str| super::super::failure::retry(&serde_json::from_value(error(words)).unwrap());
    assert_eq!(retry("Reconnecting... 2/5"), Retry { attempt: Some(2), of: Some(5) });
    for words in ["", "Reconnecting...", "see a/b", "1/x"] {
        assert_eq!(retry(words), Retry::default(), "{words}");
    }
}
