//! Receipts, through the whole life of a message.

use paseo_core::limits::RECENT_DELIVERIES;
use paseo_core::session::{self, Event, HeldReason, Outcome, Receipt, Source, Verb};

use crate::bed::{Bed, agent, delivery, human, with_verb};

#[test]
fn a_message_is_queued_handing_handed_answered() {
    let mut bed = Bed::new();
    bed.send(human(100));
    assert_eq!(bed.receipt(1), None);
    bed.send(human(1));
    assert_eq!(bed.receipt(1), Some(Receipt::Queued));
    assert!(bed.complete());
    assert_eq!(bed.receipt(1), Some(Receipt::Handing(1)));
    bed.hand();
    assert_eq!(bed.receipt(1), Some(Receipt::Handed));
    bed.end(Outcome::Completed, Source::Protocol);
    assert_eq!(bed.receipt(1), Some(Receipt::Answered));
    assert!(bed.receipt(1).unwrap().is_final());
    bed.assert_replays();
}

#[test]
fn the_end_of_the_turn_is_the_end_of_what_was_handed() {
    for (outcome, source, receipt) in [
        (Outcome::Failed, Source::ProcessExit, Receipt::Failed),
        (Outcome::Interrupted, Source::Person, Receipt::Interrupted),
        (Outcome::Interrupted, Source::Restart, Receipt::Interrupted),
    ] {
        let mut bed = Bed::new();
        bed.send(human(1));
        bed.hand();
        bed.end(outcome, source);
        assert_eq!(bed.receipt(1), Some(receipt));
        assert!(bed.queued().is_empty());
    }
}

#[test]
fn an_answer_confirms_what_it_answers() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.end(Outcome::Completed, Source::Protocol);
    assert_eq!(bed.receipt(1), Some(Receipt::Answered));
    assert!(!bed.advance(), "nothing is run twice");
}

#[test]
fn a_held_message_is_queued_again_when_a_person_writes() {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed.send(agent(1, 50));
    session::hold_for_stop(&mut bed.draft);
    assert_eq!(bed.receipt(1), Some(Receipt::Held(HeldReason::Stopped)));
    bed.send(human(2));
    assert_eq!(bed.receipt(1), Some(Receipt::Queued));
}

#[test]
fn a_waiting_message_can_be_cancelled_and_a_handed_one_cannot() {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed.send(human(1));
    for number in [1, 100] {
        bed.draft.push(Event::Cancelled { delivery: delivery(number) });
    }
    assert_eq!(bed.receipt(1), Some(Receipt::Cancelled));
    assert_eq!(bed.receipt(100), Some(Receipt::Handing(1)));
}

#[test]
fn a_steering_message_counts_its_own_handings() {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed.hand();
    bed.send(with_verb(Verb::Steer, human(1)));
    assert_eq!(bed.receipt(1), Some(Receipt::Handing(1)));
    bed.end(Outcome::Failed, Source::ProcessExit);
    bed.send(human(2));
    assert_eq!(bed.receipt(1), Some(Receipt::Handing(1)), "a person's word begins the count again");
}

#[test]
fn the_state_remembers_the_newest_settled_messages_only() {
    let mut bed = Bed::new();
    for number in 0..RECENT_DELIVERIES as u8 + 1 {
        bed.send(human(number));
        bed.complete();
    }
    assert_eq!(bed.receipt(0), None);
    assert_eq!(bed.receipt(1), Some(Receipt::Answered));
    assert_eq!(bed.session().recent.len(), RECENT_DELIVERIES);
}
