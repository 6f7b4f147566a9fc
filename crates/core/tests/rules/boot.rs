//! What a daemon that was started again finds, at each stage of a turn.

use paseo_core::session::{self, Event, HeldReason, Hold, Outcome, Receipt, Source, Status, Verb};

use crate::bed::{Bed, agent, human, text, with_verb};

fn opened() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed
}

fn handed() -> Bed {
    let mut bed = opened();
    bed.hand();
    bed
}

fn steering() -> Bed {
    let mut bed = handed();
    bed.send(with_verb(Verb::Steer, human(2)));
    bed
}

fn waiting() -> Bed {
    let mut bed = handed();
    let (hash, text) = ("h".into(), text());
    let asked = Event::Asked { hash, text, tool: None, shape: None, question: false, destructive: false };
    bed.draft.push(asked);
    bed
}

#[test]
fn nothing_shows_busy_after_a_restart() {
    for make in [opened, handed, steering, waiting] {
        let mut bed = make();
        assert!(bed.session().condition.status.is_busy());
        bed.restart();
        assert_eq!(bed.session().condition.status, Status::Interrupted);
        assert_eq!(bed.session().condition.source, Source::Restart);
        assert_eq!(bed.session().turn, None);
        assert_eq!(bed.session().hold, Hold::None);
        bed.assert_replays();
    }
}

#[test]
fn an_opened_turn_gives_its_messages_back_with_a_mark() {
    let mut bed = opened();
    bed.send(human(3));
    bed.restart();
    assert_eq!(bed.queued(), [1, 3]);
    assert!(bed.session().queue[0].repeat);
    assert!(!bed.session().queue[1].repeat);
    assert!(bed.advance(), "queues go on");
    assert_eq!(bed.in_turn(), [1, 3]);
    assert_eq!(bed.receipt(1), Some(Receipt::Handing(2)));
}

#[test]
fn a_handed_turn_was_interrupted_and_is_not_run_again() {
    let mut bed = handed();
    bed.restart();
    assert_eq!(bed.receipt(1), Some(Receipt::Interrupted));
    assert!(!bed.advance());
}

#[test]
fn a_message_on_its_way_into_a_turn_goes_back_with_a_mark() {
    let mut bed = steering();
    bed.restart();
    assert_eq!(bed.receipt(1), Some(Receipt::Interrupted));
    assert_eq!(bed.queued(), [2]);
    assert!(bed.session().queue[0].repeat);
}

#[test]
fn an_ask_is_withdrawn() {
    let mut bed = waiting();
    bed.restart();
    let withdrawn = paseo_core::item::Decision::Withdrawn;
    assert!(bed.draft.events.contains(&Event::Decided { hash: "h".into(), decision: withdrawn }));
}

#[test]
fn after_two_attempts_a_message_is_held_with_its_mark() {
    let mut bed = opened();
    bed.restart();
    assert!(bed.advance());
    bed.restart();
    assert_eq!(bed.receipt(1), Some(Receipt::Held(HeldReason::Attempts)));
    assert!(bed.session().queue[0].repeat);
    assert!(!bed.advance(), "a message that kills its harness does not go on for ever");
    bed.send(agent(2, 50));
    assert_eq!(bed.in_turn(), [2], "others are not held with it");
    bed.complete();
    bed.send(human(3));
    assert_eq!(bed.in_turn(), [1, 3]);
    assert_eq!(bed.receipt(1), Some(Receipt::Handing(1)), "a person's word begins the count again");
    bed.assert_replays();
}

#[test]
fn a_message_that_was_never_taken_is_not_held_for_it() {
    let mut bed = handed();
    bed.send(with_verb(Verb::Steer, human(2)));
    bed.end(Outcome::Completed, Source::Protocol);
    assert!(bed.advance());
    bed.restart();
    assert_eq!(bed.receipt(2), Some(Receipt::Queued), "one attempt is left");
}

#[test]
fn order_is_kept_when_several_return() {
    let mut bed = Bed::new();
    for message in [human(1), human(2)] {
        bed.accept(message).unwrap();
    }
    bed.advance();
    bed.hand();
    bed.send(with_verb(Verb::Steer, human(3)));
    bed.send(with_verb(Verb::Steer, human(4)));
    bed.send(human(5));
    bed.restart();
    assert_eq!(bed.queued(), [3, 4, 5]);
    bed.advance();
    bed.send(human(6));
    bed.restart();
    assert_eq!(bed.queued(), [3, 4, 5, 6]);
}

#[test]
fn holds_are_as_they_were() {
    let mut bed = opened();
    session::hold_for_stop(&mut bed.draft);
    bed.restart();
    assert_eq!(bed.session().hold, Hold::Stopped);
    assert_eq!(bed.receipt(1), Some(Receipt::Held(HeldReason::Stopped)));
    assert!(!bed.advance());
}

#[test]
fn a_session_at_rest_is_left_alone() {
    let mut bed = handed();
    bed.end(Outcome::Completed, Source::Protocol);
    let before = bed.session().clone();
    bed.restart();
    assert_eq!(*bed.session(), before);
}
