//! Whose turn it is, when it begins and how it ends.

use paseo_core::item::{Kind, ToolOutcome};
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::{CONVERSATION, Play, fixture, lines_of, message, position, turn};
use crate::driver::{Action, Adapter as _};
use crate::provider::{FailureCode, Input, Output, TurnEnd};

#[test]
fn a_turn_is_one_user_line_with_each_text_as_given() {
    let mut play = Play::new();
    let messages = vec![message(1, "one\n"), message(2, "  two")];
    play.input(Input::Turn { turn: turn(1), messages });
    let [line] = play.written.as_slice() else { panic!("{:?}", play.written) };
    assert_eq!(line["uuid"], turn(1).to_string());
    let content = json!([{ "type": "text", "text": "one\n" }, { "type": "text", "text": "  two" }]);
    assert_eq!(line["message"]["content"], content);
    assert_eq!(play.told, []);
}

#[test]
fn a_turn_is_handed_by_its_replay_and_ended_by_its_result() {
    let mut play = Play::new();
    let turn = play.turn(1);
    let lines = lines_of!("tool_fails", turn);
    let replay = position(&lines, "isReplay");
    play.lines(&lines[..replay]);
    assert_eq!(play.take(), []);
    play.line(&lines[replay]);
    assert_eq!(play.take(), [Output::Handed { turn }]);
    // It is on disk a little later.
    assert!(matches!(play.done.last(), Some(Action::Wake(_))));
    let actions = play.adapter.wake(Timestamp::from_millis(9));
    play.act(actions);
    assert_eq!(play.take(), [Output::Reference(CONVERSATION.into())]);
    play.lines(&lines[replay + 1..]);
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn, end: TurnEnd::Completed }));
    let asks = play.told.iter().filter(|output| matches!(output, Output::Ask(_))).count();
    let items: Vec<_> = play.words().into_iter().filter(|word| !matches!(*word, "delta" | "ask")).collect();
    let expected = [
        "thinking",
        "assistant_text",
        "tool_call",
        "tool_result",
        "assistant_text",
        "usage",
        "reference",
        "ended",
    ];
    assert_eq!((items.as_slice(), asks), (expected.as_slice(), 1));
}

#[test]
fn a_refused_login_is_a_failure_and_no_answer() {
    let mut play = Play::new();
    let turn = play.turn(1);
    play.lines(&lines_of!("not_logged_in", turn));
    // The retry is the first sign that the message was taken up.
    assert_eq!(play.words(), ["handed", "broke_off", "notice", "reference", "ended"]);
    assert!(matches!(play.kinds()[0], Kind::Notice { code } if code == "retrying"));
    let TurnEnd::Failed(failed) = play.end() else { panic!("not failed") };
    assert_eq!(failed.code, FailureCode::NotLoggedIn);
    assert_eq!(failed.text, "Not logged in · Please run /login");
}

#[test]
fn a_used_up_limit_says_until_when() {
    let mut play = Play::new();
    let turn = play.turn(1);
    play.lines(&lines_of!("limit", turn));
    let TurnEnd::Failed(failed) = play.end() else { panic!("not failed") };
    assert_eq!(failed.code, FailureCode::RateLimited);
    assert_eq!(failed.until, Some(Timestamp::from_millis(1_794_749_490_000)));
    // The next turn is not to blame.
    play.turn(2);
    play.lines(&lines_of!("tool_fails", super::turn(2)));
    assert_eq!(play.end(), &TurnEnd::Completed);
}

#[test]
fn a_steered_message_is_confirmed_when_it_is_taken_up() {
    let mut play = Play::new();
    let (turn, steered) = (play.turn(1), message(9, "steered words"));
    let lines = lines_of!("steer", turn, steered.delivery);
    let queued = lines.iter().rposition(|line| line.contains(r#""state":"queued""#)).unwrap();
    play.lines(&lines[..queued]);
    play.input(Input::Steer { message: steered.clone() });
    assert_eq!(play.written.last().unwrap()["uuid"], steered.delivery.to_string());
    let taken_up = queued + position(&lines[queued..], "isReplay");
    play.lines(&lines[queued..taken_up]);
    assert!(!play.words().contains(&"steered"));
    play.line(&lines[taken_up]);
    assert_eq!(play.told.last(), Some(&Output::Steered { delivery: steered.delivery, item: None }));
    play.lines(&lines[taken_up + 1..]);
    assert_eq!(play.words().iter().filter(|word| **word == "ended").count(), 1);
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn, end: TurnEnd::Completed }));
}

#[test]
fn what_is_steered_too_late_keeps_the_turn_open() {
    let mut play = Play::new();
    let turn = play.turn(1);
    let lines = lines_of!("tool_fails", turn);
    let result = position(&lines, r#""type":"result""#);
    play.lines(&lines[..result]);
    let late = message(9, "late");
    play.input(Input::Steer { message: late.clone() });
    play.line(&lines[result]);
    assert!(!play.words().contains(&"ended"));
    // It is taken up as a turn of the program's own.
    for line in lines_of!("tool_fails", late.delivery) {
        play.line(&line);
    }
    assert!(play.told.contains(&Output::Steered { delivery: late.delivery, item: None }));
    assert!(!play.words().contains(&"began"));
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn, end: TurnEnd::Completed }));
    assert_eq!(play.words().iter().filter(|word| **word == "ended").count(), 1);
}

#[test]
fn a_steered_message_that_is_never_taken_up_does_not_hold_the_turn_for_ever() {
    let mut play = Play::new();
    let turn = play.turn(1);
    let lines = lines_of!("tool_fails", turn);
    let result = position(&lines, r#""type":"result""#);
    play.lines(&lines[..result]);
    play.input(Input::Steer { message: message(9, "late") });
    play.lines(&lines[result..]);
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn, end: TurnEnd::Completed }));
}

#[test]
fn an_interrupted_turn_ends_with_its_commands_and_the_next_is_clean() {
    let mut play = Play::new();
    let first = play.turn(1);
    let lines = lines_of!("interrupt", first, turn(2));
    let answered = position(&lines, "still_queued");
    play.lines(&lines[..answered]);
    play.input(Input::Interrupt);
    assert_eq!(play.requests(), ["interrupt"]);
    let idle = position(&lines, r#""state":"idle""#);
    play.take();
    play.lines(&lines[answered..=idle]);
    assert_eq!(play.words(), ["tool_result", "usage", "reference", "ended"]);
    assert!(matches!(play.kinds()[0], Kind::ToolResult { outcome: ToolOutcome::Interrupted, .. }));
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn: first, end: TurnEnd::Interrupted }));
    assert!(matches!(play.done.last(), Some(Action::EndCommands { .. })));
    play.take();
    let second = play.turn(2);
    play.lines(&lines[idle + 1..]);
    let words: Vec<_> = play.words().into_iter().filter(|word| *word != "delta").collect();
    assert_eq!(words, ["handed", "reference", "assistant_text", "usage", "reference", "ended"]);
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn: second, end: TurnEnd::Completed }));
}

#[test]
fn an_interrupt_takes_back_what_was_steered_and_not_taken_up() {
    let mut play = Play::new();
    let (turn, steered) = (play.turn(1), message(9, "x"));
    let lines = lines_of!("taken_back", turn, steered.delivery);
    let queued = lines.iter().rposition(|line| line.contains(r#""state":"queued""#)).unwrap();
    play.lines(&lines[..queued]);
    play.input(Input::Steer { message: steered.clone() });
    play.input(Input::Interrupt);
    assert_eq!(play.requests(), ["cancel_async_message", "interrupt"]);
    play.lines(&lines[queued..]);
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn, end: TurnEnd::Interrupted }));
    assert!(!play.words().contains(&"steered") && !play.words().contains(&"began"));
}

#[test]
fn what_was_taken_up_before_the_interrupt_is_still_confirmed() {
    let mut play = Play::new();
    let (turn, steered) = (play.turn(1), message(9, "steered words"));
    let lines = lines_of!("steer", turn, steered.delivery);
    let queued = lines.iter().rposition(|line| line.contains(r#""state":"queued""#)).unwrap();
    play.lines(&lines[..queued]);
    play.input(Input::Steer { message: steered.clone() });
    play.input(Input::Interrupt);
    let taken_up = queued + position(&lines[queued..], "isReplay");
    play.lines(&lines[queued..=taken_up]);
    assert_eq!(play.told.last(), Some(&Output::Steered { delivery: steered.delivery, item: None }));
}

#[test]
fn what_is_steered_after_the_end_begins_no_turn() {
    let mut play = Play::new();
    let turn = play.turn(1);
    play.lines(&lines_of!("tool_fails", turn));
    let written = play.written.len();
    play.input(Input::Steer { message: message(9, "late") });
    assert_eq!(play.written.len(), written);
}

#[test]
fn a_turn_that_was_not_taken_up_is_taken_back() {
    let mut play = Play::new();
    let turn = play.turn(1);
    play.input(Input::Interrupt);
    assert_eq!(play.requests(), ["cancel_async_message", "interrupt"]);
    let answer = json!({ "type": "control_response", "response": {
        "subtype": "success", "request_id": turn.to_string(), "response": { "cancelled": true } } });
    play.line(&answer.to_string());
    assert_eq!(play.take(), [Output::TurnEnded { turn, end: TurnEnd::Interrupted }]);
    // Nothing of it sticks to the next.
    let next = play.turn(2);
    play.lines(&lines_of!("tool_fails", next));
    assert_eq!(play.end(), &TurnEnd::Completed);
}

#[test]
fn a_turn_that_is_dropped_before_it_begins_is_over() {
    for (interrupt, state) in [(true, "cancelled"), (false, "refused")] {
        let mut play = Play::new();
        let turn = play.turn(1);
        if interrupt {
            play.input(Input::Interrupt);
        }
        play.line(&json!({ "type": "command_lifecycle", "command_uuid": turn, "state": state }).to_string());
        assert_eq!(play.words(), ["ended"]);
        assert_eq!(play.end() == &TurnEnd::Interrupted, interrupt);
    }
}

#[test]
fn an_interrupt_that_came_too_early_is_sent_again() {
    let mut play = Play::new();
    let turn = play.turn(1);
    play.input(Input::Interrupt);
    assert_eq!(play.requests(), ["cancel_async_message", "interrupt"]);
    // It was not taken back, and begins.
    let lines = lines_of!("interrupt", turn, super::turn(2));
    let idle = position(&lines, r#""state":"idle""#);
    play.lines(&lines[..=idle]);
    assert_eq!(play.requests(), ["cancel_async_message", "interrupt", "interrupt"]);
    assert_eq!(play.end(), &TurnEnd::Interrupted);
}

#[test]
fn an_interrupt_that_comes_too_late_is_not_sent() {
    let mut play = Play::new();
    let turn = play.turn(1);
    play.lines(&lines_of!("tool_fails", turn));
    play.input(Input::Interrupt);
    assert_eq!(play.requests(), [""; 0]);
}

#[test]
fn a_turn_of_its_own_begins_and_ends() {
    let mut play = Play::new();
    let turn = play.turn(1);
    let lines = lines_of!("background", turn);
    let idle = position(&lines, r#""state":"idle""#);
    play.lines(&lines[..=idle]);
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn, end: TurnEnd::Completed }));
    play.take();
    play.lines(&lines[idle + 1..]);
    let words: Vec<_> = play.words().into_iter().filter(|word| *word != "delta").collect();
    assert_eq!(words, ["notice", "background", "began", "assistant_text", "usage", "reference", "ended"]);
    let Some(Output::TurnBegan { turn: own }) = play.told.get(2) else { panic!("{:?}", play.told) };
    assert_ne!(*own, turn);
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn: *own, end: TurnEnd::Completed }));
}

#[test]
fn a_message_that_meets_a_turn_of_its_own_waits_for_its_own_result() {
    let mut play = Play::new();
    let first = play.turn(1);
    let lines = lines_of!("background", first);
    let idle = position(&lines, r#""state":"idle""#);
    play.lines(&lines[..=idle]);
    play.take();
    // It was written just before the program went on by itself.
    let second = play.turn(2);
    play.lines(&lines[idle + 1..]);
    assert!(!play.words().contains(&"handed"));
    let Some(Output::TurnEnded { turn: own, .. }) = play.told.last() else { panic!("not ended") };
    assert_ne!(*own, second);
    assert!(play.told.contains(&Output::TurnBegan { turn: *own }));
    play.take();
    play.lines(&lines_of!("tool_fails", second));
    assert_eq!(play.words()[..2], ["handed", "reference"]);
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn: second, end: TurnEnd::Completed }));
}

#[test]
fn a_message_that_a_turn_of_its_own_takes_up_makes_that_turn_ours() {
    let mut play = Play::new();
    let first = play.turn(1);
    let lines = lines_of!("background", first);
    let idle = position(&lines, r#""state":"idle""#);
    play.lines(&lines[..=idle]);
    let result = lines.iter().rposition(|line| line.contains(r#""type":"result""#)).unwrap();
    play.lines(&lines[idle + 1..result]);
    play.take();
    let second = play.turn(2);
    let replay = position(&lines_of!("tool_fails", second), "isReplay");
    play.line(&lines_of!("tool_fails", second)[replay]);
    assert_eq!(play.words(), ["ended", "handed", "reference"]);
    play.lines(&lines[result..]);
    assert_eq!(play.told.last(), Some(&Output::TurnEnded { turn: second, end: TurnEnd::Completed }));
}

#[test]
fn background_work_of_the_turn_is_stopped_with_it() {
    let mut play = Play::new();
    let turn = play.turn(1);
    let lines = lines_of!("background", turn);
    let result = position(&lines, r#""type":"result""#);
    play.lines(&lines[..result]);
    play.input(Input::Interrupt);
    assert_eq!(play.requests(), ["stop_task", "interrupt"]);
    assert_eq!(play.written[play.written.len() - 2]["request"]["task_id"], "b140z3k4x");
}

#[test]
fn a_conversation_that_is_not_known_is_forgotten() {
    let mut play = Play::with(&[], true);
    let turn = play.turn(1);
    play.lines(&lines_of!("unknown_conversation"));
    assert_eq!(play.words(), ["forgotten", "ended"]);
    let TurnEnd::Failed(failed) = play.end() else { panic!("not failed") };
    assert_eq!(failed.code, FailureCode::ResumeFailed);
    assert!(matches!(play.told.last(), Some(Output::TurnEnded { turn: ended, .. }) if *ended == turn));
    // Nor is it for a turn that comes after the news.
    let mut play = Play::with(&[], true);
    play.lines(&lines_of!("unknown_conversation"));
    play.turn(1);
    assert_eq!(play.words(), ["forgotten", "ended"]);
    assert_eq!(play.written, [Value::Null; 0]);
}
