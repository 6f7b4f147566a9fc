//! Attempts that break off.

use serde_json::{Value, json};

use super::*;
use crate::provider::Retry;

fn event(event: Value) -> String {
    json!({ "type": "stream_event", "event": event }).to_string()
}

fn start(message: &str) -> String {
    event(json!({ "type": "message_start", "message": { "id": message } }))
}

fn block(index: u64, kind: &str) -> String {
    let content = json!({ "type": kind, "text": "", "thinking": "", "id": "c", "name": "Bash", "input": {} });
    event(json!({ "type": "content_block_start", "index": index, "content_block": content }))
}

fn delta(index: u64, text: &str) -> String {
    let delta = json!({ "type": "text_delta", "text": text });
    event(json!({ "type": "content_block_delta", "index": index, "delta": delta }))
}

fn stop() -> [String; 1] {
    [event(json!({ "type": "message_stop" }))]
}

fn whole() -> [String; 2] {
    [
        event(json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } })),
        event(json!({ "type": "message_stop" })),
    ]
}

fn said(message: &str, text: &str) -> String {
    json!({ "type": "assistant", "message": { "id": message, "content": [{ "type": "text", "text": text }] } }).to_string()
}

/// A turn that runs, and has told nothing yet.
fn running() -> Play {
    let mut play = Play::new();
    let turn = play.turn(1).to_string();
    play.line(
        &json!({ "type": "user", "uuid": turn, "isReplay": true, "message": { "content": "go" } })
            .to_string(),
    );
    play.take();
    play
}

/// Returns what grew and broke off, and what was said.
fn fates(play: &Play) -> (Vec<&str>, Vec<&str>) {
    let broken: Vec<_> = play
        .told
        .iter()
        .filter_map(|output| match output {
            Output::BrokeOff { items, .. } => Some(items),
            _ => None,
        })
        .flatten()
        .collect();
    let grown = play.told.iter().filter_map(|output| match output {
        Output::Delta { item, text, .. } if broken.contains(&item) => Some(text.as_str()),
        _ => None,
    });
    let said = play.told.iter().filter_map(|output| match output {
        Output::Item { id, draft, .. } if draft.kind == Kind::AssistantText => {
            assert!(!broken.contains(&id), "what broke off is not said");
            draft.text.as_deref()
        }
        _ => None,
    });
    (grown.collect(), said.collect())
}

#[test]
fn a_message_without_its_end_breaks_off() {
    let mut play = running();
    play.lines(&[start("m1"), block(0, "text"), delta(0, "hal")]);
    play.lines(&stop());
    assert_eq!(fates(&play), (vec!["hal"], vec![]), "at once, and not when the next begins");
    let retry = json!({ "type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "retry_delay_ms": 5 });
    play.line(&retry.to_string());
    let told = Output::BrokeOff { items: vec![], retry: Some(Retry { attempt: Some(1), of: Some(10) }) };
    assert!(play.told.contains(&told), "{:?}", play.told);
    play.lines(&[start("m2"), block(0, "text"), delta(0, "whole"), said("m2", "whole")]);
    play.lines(&whole());
    assert_eq!(fates(&play), (vec!["hal"], vec!["whole"]));
}

#[test]
fn an_answer_that_comes_at_once_after_an_error_replaces_what_was_streamed() {
    let mut play = running();
    play.lines(&[start("m1"), block(0, "text"), delta(0, "hal")]);
    play.lines(&stop());
    // Nothing of it is streamed.
    play.line(&said("m2", "whole"));
    assert_eq!(fates(&play), (vec!["hal"], vec!["whole"]));
}

#[test]
fn a_stream_that_stops_without_a_word_breaks_off_when_the_next_begins() {
    let mut play = running();
    play.lines(&[
        start("m1"),
        block(0, "text"),
        delta(0, "hal"),
        start("m2"),
        block(0, "text"),
        delta(0, "whole"),
    ]);
    play.line(&said("m2", "whole"));
    assert_eq!(fates(&play), (vec!["hal"], vec!["whole"]));
}

#[test]
fn a_block_that_is_finished_stays_and_what_the_model_is_told_then_is_nobodys() {
    let mut play = running();
    play.lines(&[
        start("m1"),
        block(0, "text"),
        delta(0, "first"),
        said("m1", "first"),
        block(1, "tool_use"),
    ]);
    play.lines(&stop());
    let resume = json!({ "type": "user", "isSynthetic": true, "message": { "role": "user", "content": "Your response above was cut off mid-stream." } });
    play.line(&resume.to_string());
    play.lines(&[start("m2"), block(0, "text"), delta(0, "second"), said("m2", "second")]);
    play.lines(&whole());
    assert_eq!(fates(&play), (vec![], vec!["first", "second"]));
    assert!(!play.words().contains(&"notice"), "{:?}", play.words());
    // One that follows a whole message is a summary.
    play.line(&resume.to_string());
    assert!(play.words().contains(&"notice"), "{:?}", play.words());
}

#[test]
fn what_a_person_cuts_off_was_said() {
    let mut play = running();
    play.lines(&[start("m1"), block(0, "text"), delta(0, "hal")]);
    play.input(Input::Interrupt);
    play.lines(&stop());
    assert_eq!(fates(&play), (vec![], vec![]), "the daemon keeps it");
}
