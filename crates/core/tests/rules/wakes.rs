//! Wakes: what unattended turns cost, and who pays.

use paseo_core::cause;
use paseo_core::limits::{WAKES_PER_CAUSE, WAKES_PER_SESSION};
use paseo_core::session::{HeldReason, Outcome, Placement, Receipt, Source};

use crate::bed::{Bed, agent, completion, human, now, waited};

#[test]
fn six_agent_messages_start_and_the_seventh_is_held() {
    let mut bed = Bed::new();
    for number in 0..WAKES_PER_SESSION as u8 {
        bed.send(agent(number, 50));
        assert_eq!(bed.in_turn(), [number]);
        assert!(!bed.complete());
    }
    bed.send(agent(6, 50));
    assert_eq!(bed.receipt(6), Some(Receipt::Held(HeldReason::Budget)));
    assert_eq!(bed.causes[&50].woken, WAKES_PER_SESSION);
    bed.assert_replays();
}

#[test]
fn queueing_spends_nothing() {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed.send_all((0..20).map(|number| agent(number, 50)));
    assert!(!bed.causes.contains_key(&50));
    assert!(bed.complete());
    assert_eq!(bed.causes[&50].woken, 1, "one turn, one wake");
}

#[test]
fn people_are_never_throttled() {
    let mut bed = Bed::new();
    for number in 0..100 {
        bed.send(human(number));
        assert_eq!(bed.in_turn(), [number]);
        assert!(!bed.complete());
    }
    assert!(bed.causes.values().all(|cause| cause.woken == 0));
}

#[test]
fn a_new_request_brings_fresh_wakes() {
    let mut bed = Bed::new();
    bed.exhaust(50);
    bed.send(agent(1, 60));
    assert_eq!(bed.in_turn(), [1]);
}

#[test]
fn a_loop_that_always_queues_is_bounded_and_its_last_message_held() {
    let mut bed = Bed::new();
    bed.send(human(50));
    let mut turns = 1;
    for number in 51.. {
        bed.send(agent(number, 50));
        if !bed.complete() {
            assert_eq!(bed.receipt(number), Some(Receipt::Held(HeldReason::Budget)));
            break;
        }
        turns += 1;
    }
    assert_eq!(turns, 1 + WAKES_PER_SESSION);
}

#[test]
fn a_cause_has_a_total_that_other_sessions_share() {
    let mut bed = Bed::new();
    bed.causes.entry(50).or_default().woken = WAKES_PER_CAUSE;
    for message in [agent(1, 50), completion(2, 50)] {
        let id = message.delivery;
        bed.send(message);
        assert_eq!(bed.session().receipt(id), Some(Receipt::Held(HeldReason::Budget)));
    }
}

#[test]
fn news_of_ones_own_work_starts_when_words_no_longer_do() {
    let mut bed = Bed::new();
    bed.exhaust(50);
    bed.send(agent(1, 50));
    assert_eq!(bed.send(completion(2, 50)), Placement::Ready);
    assert_eq!(bed.in_turn(), [2]);
    assert_eq!(bed.receipt(1), Some(Receipt::Held(HeldReason::Budget)));
}

#[test]
fn news_that_waits_beside_words_without_wakes_still_starts() {
    let mut bed = Bed::new();
    bed.exhaust(50);
    bed.send(human(100));
    bed.send(agent(1, 50));
    bed.send(completion(2, 50));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [2]);
}

#[test]
fn a_stopped_cause_starts_nothing_more() {
    let mut bed = Bed::new();
    bed.causes.entry(50).or_default().apply(&cause::Event::Stopped {}, now());
    bed.send(agent(1, 50));
    bed.send(completion(2, 50));
    for number in [1, 2] {
        assert_eq!(bed.receipt(number), Some(Receipt::Held(HeldReason::CauseStopped)));
    }
}

#[test]
fn what_a_person_took_back_is_not_begun() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    bed.send_all([human(2), agent(3, 60)]);
    bed.causes.entry(2).or_default().apply(&cause::Event::Stopped {}, now());
    bed.end(Outcome::Completed, Source::Protocol);
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [3]);
    assert_eq!(bed.receipt(2), Some(Receipt::Held(HeldReason::CauseStopped)));
    // The person's next words bring it back.
    bed.hand();
    bed.send(human(4));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [2, 4]);
    bed.assert_replays();
}

#[test]
fn a_turn_answers_for_its_newest_person() {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed.send_all([agent(1, 50), human(2), human(3), agent(4, 60)]);
    assert!(bed.complete());
    assert_eq!(bed.turn_cause(), Some(3));
    assert_eq!(bed.causes.get(&50), None, "a person asked: nothing is spent");
}

#[test]
fn a_turn_without_a_person_answers_for_its_first_message() {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed.send_all([agent(1, 50), agent(2, 60)]);
    assert!(bed.complete());
    assert_eq!(bed.turn_cause(), Some(50));
    assert_eq!(bed.session().turn.as_ref().unwrap().hop, 1);
}

#[test]
fn a_person_carries_everything_that_was_held_for_budget() {
    let mut bed = Bed::new();
    bed.exhaust(50);
    bed.send(waited(agent(1, 50)));
    bed.send(agent(2, 50));
    bed.send(human(3));
    assert_eq!(bed.in_turn(), [1], "in order, and what is waited for stands alone");
    assert_eq!(bed.turn_cause(), Some(3), "the person's request pays");
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [2, 3]);
}

#[test]
fn a_person_carries_more_than_one_turn_takes() {
    let mut bed = Bed::new();
    bed.exhaust(50);
    bed.send_all((0..100).map(|number| agent(number, 50)));
    bed.send(human(200));
    let first = bed.in_turn();
    assert!(bed.complete());
    assert_eq!([first, bed.in_turn()].concat(), (0..100).chain([200]).collect::<Vec<_>>());
}
