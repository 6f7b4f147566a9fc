//! Attempts that break off, as far as agents let us know.

use super::super::preset::find;
use super::*;
use crate::provider::Retry;

/// A turn of an agent that is known by its name.
fn running(name: &str) -> Bed {
    let mut bed = Bed::of(find(name).unwrap_or(&PLAIN), &launch());
    bed.answer("initialize", hello());
    bed.answer("session/new", json!({ "sessionId": SESSION }));
    if bed.written.last().is_some_and(|line| line["method"] == "session/set_mode") {
        bed.answer("session/set_mode", json!({}));
    }
    bed.turn(1, "go");
    bed.outputs.clear();
    bed
}

fn say(bed: &mut Bed, message: &str, text: &str) {
    let content = json!({ "type": "text", "text": text });
    bed.update(json!({ "sessionUpdate": "agent_message_chunk", "messageId": message, "content": content }));
}

fn call(bed: &mut Bed, id: &str, status: &str) {
    bed.update(json!({ "sessionUpdate": "tool_call", "toolCallId": id, "title": "bash", "status": status }));
}

fn plugin(bed: &mut Bed, mut params: Value) {
    params["sessionId"] = SESSION.into();
    bed.line(&json!({ "jsonrpc": "2.0", "method": "_paseo/retry", "params": params }));
}

fn finish(bed: &mut Bed) {
    bed.answer("session/prompt", json!({ "stopReason": "end_turn" }));
}

/// Returns what was shown by attempts that broke off.
fn broken(bed: &Bed) -> Vec<&str> {
    let mut broken = bed.outputs.iter().filter_map(|output| match output {
        Output::BrokeOff { items, .. } => Some(items),
        _ => None,
    });
    let broken: Vec<_> = broken.by_ref().flatten().collect();
    let grown = bed.outputs.iter().filter_map(|output| match output {
        Output::Delta { item, text, .. } if broken.contains(&item) => Some(text.as_str()),
        _ => None,
    });
    grown.collect()
}

#[test]
fn opencode_tells_by_our_plugin_when_the_next_attempt_begins() {
    let mut bed = running("opencode");
    // It tells plugins before it tells us what it streamed.
    plugin(&mut bed, json!({ "stage": "waiting", "attempt": 1, "message": "reset" }));
    say(&mut bed, "m", "hal");
    call(&mut bed, "c", "pending");
    bed.wake();
    assert!(bed.texts(&Kind::AssistantText).is_empty(), "it may still break off");
    plugin(&mut bed, json!({ "stage": "begins" }));
    say(&mut bed, "m", "whole");
    // What it makes of the call comes last of all.
    bed.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed" }));
    finish(&mut bed);
    assert_eq!((broken(&bed), bed.texts(&Kind::AssistantText)), (vec!["hal"], vec!["whole"]));
    assert_eq!(bed.notices(), [("retrying", "Retrying (attempt 1): reset")]);
    let counted = Output::BrokeOff { items: vec![], retry: Some(Retry { attempt: Some(1), of: None }) };
    assert!(bed.outputs.contains(&counted));
    assert_eq!(bed.drafts().iter().filter(|draft| matches!(draft.kind, Kind::ToolCall { .. })).count(), 0);
    assert_eq!(bed.raws(), 0);
}

/// The plugin tells that another attempt began, of the message `m`.
fn begins(bed: &mut Bed, calls: &[&str]) {
    plugin(bed, json!({ "stage": "begins", "messageId": "m", "calls": calls }));
}

/// The plugin tells a text that opencode keeps of the message `m`.
fn said(bed: &mut Bed, text: &str) {
    plugin(bed, json!({ "stage": "said", "messageId": "m", "partId": text, "text": text }));
}

fn think(bed: &mut Bed, text: &str) {
    let content = json!({ "type": "text", "text": text });
    bed.update(json!({ "sessionUpdate": "agent_thought_chunk", "messageId": "t", "content": content }));
}

/// Something that arrives.
type Step = fn(&mut Bed);

#[test]
fn the_answer_is_what_the_last_attempt_said_in_whatever_order_it_arrives() {
    let orders: [(&str, &[Step]); 6] = [
        (
            "in order",
            &[|b| say(b, "m", "hal"), |b| begins(b, &[]), |b| say(b, "m", "halo"), |b| said(b, "halo")],
        ),
        ("late", &[|b| begins(b, &[]), |b| said(b, "halo"), |b| say(b, "m", "hal"), |b| say(b, "m", "halo")]),
        (
            "half late",
            &[
                |b| say(b, "m", "h"),
                |b| begins(b, &[]),
                |b| say(b, "m", "al"),
                |b| say(b, "m", "ha"),
                |b| said(b, "halo"),
                |b| say(b, "m", "lo\n"),
            ],
        ),
        (
            "after two",
            &[
                |b| begins(b, &[]),
                |b| say(b, "m", "hal"),
                |b| begins(b, &[]),
                |b| say(b, "m", "hal"),
                |b| say(b, "m", "halo"),
                |b| said(b, "halo"),
            ],
        ),
        ("never", &[|b| begins(b, &[]), |b| say(b, "m", "halo"), |b| said(b, "halo"), |b| said(b, "halo")]),
        (
            "news last",
            &[
                |b| say(b, "m", "hal"),
                |b| say(b, "m", "halo"),
                |b| begins(b, &[]),
                |b| {
                    say(b, "m", "!");
                    said(b, "halo!");
                },
            ],
        ),
    ];
    for (order, steps) in orders {
        let mut bed = running("opencode");
        steps.iter().for_each(|step| step(&mut bed));
        finish(&mut bed);
        let answer = if order == "news last" { "halo!" } else { "halo" };
        assert_eq!(bed.texts(&Kind::AssistantText), [answer], "{order}");
    }
}

#[test]
fn text_that_arrives_late_is_no_text_of_its_own() {
    let mut bed = running("opencode");
    begins(&mut bed, &[]);
    say(&mut bed, "m", "hal");
    think(&mut bed, "hm");
    said(&mut bed, "whole");
    say(&mut bed, "m", "whole");
    finish(&mut bed);
    assert_eq!((broken(&bed), bed.texts(&Kind::AssistantText)), (vec!["hal"], vec!["whole"]));
    assert_eq!(bed.texts(&Kind::Thinking), ["hm"]);
    let mut bed = running("opencode");
    begins(&mut bed, &[]);
    say(&mut bed, "m", "hal");
    call(&mut bed, "c", "in_progress");
    assert_eq!((broken(&bed), bed.texts(&Kind::AssistantText)), (vec!["hal"], vec![]), "before a call");
    said(&mut bed, "");
    say(&mut bed, "m", "never confirmed");
    finish(&mut bed);
    assert_eq!(bed.texts(&Kind::AssistantText), ["never confirmed"], "nothing is lost without the plugin");
}

#[test]
fn a_call_that_was_never_made_may_arrive_late_and_its_id_may_be_used_again() {
    let calls =
        |bed: &Bed| bed.drafts().iter().filter(|draft| matches!(draft.kind, Kind::ToolCall { .. })).count();
    let mut bed = running("opencode");
    begins(&mut bed, &["c"]);
    call(&mut bed, "c", "pending");
    say(&mut bed, "m", "whole");
    assert_eq!(calls(&bed), 0);
    bed.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "in_progress" }));
    bed.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed" }));
    assert_eq!(calls(&bed), 1, "one that runs is another");
}

#[test]
fn what_is_said_before_a_call_stays_once_the_call_is_made() {
    let mut bed = running("opencode");
    say(&mut bed, "m1", "looking");
    call(&mut bed, "c", "pending");
    bed.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "in_progress" }));
    let words: Vec<_> = bed.drafts().iter().map(|draft| draft.kind.word()).collect();
    assert_eq!(words, ["assistant_text", "tool_call"], "in this order, while it runs");
    bed.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed" }));
    say(&mut bed, "m2", "hal");
    plugin(&mut bed, json!({ "stage": "waiting", "attempt": 1, "message": "reset" }));
    plugin(&mut bed, json!({ "stage": "begins" }));
    say(&mut bed, "m2", "whole");
    finish(&mut bed);
    assert_eq!((broken(&bed), bed.texts(&Kind::AssistantText)), (vec!["hal"], vec!["looking", "whole"]));
}

#[test]
fn a_message_of_opencode_that_ends_without_its_end_is_replaced_by_the_next() {
    let mut bed = running("opencode");
    plugin(&mut bed, json!({ "stage": "unfinished", "messageId": "m1" }));
    say(&mut bed, "m1", "hal");
    say(&mut bed, "m2", "whole");
    finish(&mut bed);
    assert_eq!((broken(&bed), bed.texts(&Kind::AssistantText)), (vec!["hal"], vec!["whole"]));
    let mut last = running("opencode");
    plugin(&mut last, json!({ "stage": "unfinished", "messageId": "m1" }));
    say(&mut last, "m1", "all there is");
    finish(&mut last);
    assert_eq!((broken(&last), last.texts(&Kind::AssistantText)), (vec![], vec!["all there is"]));
}

#[test]
fn a_turn_that_fails_or_is_stopped_between_attempts_leaves_no_half_answer() {
    let mut failed = running("opencode");
    say(&mut failed, "m", "hal");
    failed.refuse("session/prompt", -32603);
    assert_eq!((broken(&failed), failed.texts(&Kind::AssistantText)), (vec!["hal"], vec![]));
    let mut stopped = running("opencode");
    say(&mut stopped, "m", "hal");
    plugin(&mut stopped, json!({ "stage": "waiting", "attempt": 4, "message": "reset" }));
    stopped.input(Input::Interrupt);
    stopped.answer("session/prompt", json!({ "stopReason": "cancelled" }));
    assert_eq!((broken(&stopped), stopped.texts(&Kind::AssistantText)), (vec!["hal"], vec![]));
    let mut cut = running("opencode");
    say(&mut cut, "m", "said");
    cut.input(Input::Interrupt);
    cut.answer("session/prompt", json!({ "stopReason": "cancelled" }));
    assert_eq!((broken(&cut), cut.texts(&Kind::AssistantText)), (vec![], vec!["said"]));
}

#[test]
fn what_a_plugin_says_of_other_sessions_does_not_concern_us() {
    let mut bed = running("opencode");
    say(&mut bed, "m", "mine");
    let params = json!({ "sessionId": "a subagent's", "stage": "begins" });
    bed.line(&json!({ "jsonrpc": "2.0", "method": "_paseo/retry", "params": params }));
    finish(&mut bed);
    assert_eq!((broken(&bed), bed.texts(&Kind::AssistantText)), (vec![], vec!["mine"]));
}

#[test]
fn codex_acp_tells_beside_the_protocol() {
    let mut bed = running("codex-acp");
    say(&mut bed, "m1", "first");
    call(&mut bed, "c", "completed");
    say(&mut bed, "m2", "hal");
    let error = json!({ "message": "Reconnecting... 1/5", "willRetry": true });
    bed.update(json!({ "sessionUpdate": "session_info_update", "_meta": { "codex": { "error": error } } }));
    say(&mut bed, "m3", "whole");
    finish(&mut bed);
    assert_eq!((broken(&bed), bed.texts(&Kind::AssistantText)), (vec!["hal"], vec!["first", "whole"]));
    assert_eq!(bed.notices(), [("retrying", "Reconnecting... 1/5")]);
}

#[test]
fn another_message_of_claude_agent_acp_without_a_call_between_replaces_the_first() {
    let mut bed = running("claude-agent-acp");
    say(&mut bed, "m1", "looking");
    call(&mut bed, "c", "completed");
    say(&mut bed, "m2", "hal");
    say(&mut bed, "m3", "whole");
    finish(&mut bed);
    assert_eq!((broken(&bed), bed.texts(&Kind::AssistantText)), (vec!["hal"], vec!["looking", "whole"]));
}

#[test]
fn of_others_nobody_can_tell() {
    let mut bed = running("helper");
    say(&mut bed, "m1", "one");
    say(&mut bed, "m2", "two");
    finish(&mut bed);
    assert_eq!((broken(&bed), bed.texts(&Kind::AssistantText)), (vec![], vec!["one", "two"]));
}
