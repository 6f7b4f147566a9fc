//! The queue: what becomes one turn, and in which order.

use paseo_core::attachment::{Attached, Kind};
use paseo_core::id::FileId;
use paseo_core::limits::{ATTACHMENTS_BYTES, TURN_DELIVERIES};
use paseo_core::session::{Accepted, HeldReason, Outcome, Receipt, Source};

use crate::bed::{Bed, agent, completion, delivery, human, passive, waited};

fn busy() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed
}

#[test]
fn several_waiting_messages_become_one_turn_in_order() {
    let mut bed = busy();
    for message in [human(1), agent(2, 50), human(3)] {
        bed.send(message);
    }
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [1, 2, 3]);
    assert!(bed.queued().is_empty());
    bed.assert_replays();
}

#[test]
fn a_clean_turn_with_an_empty_queue_starts_nothing() {
    let mut bed = busy();
    assert!(!bed.complete());
}

#[test]
fn a_message_that_someone_waits_for_stands_alone() {
    let mut bed = busy();
    for message in [agent(1, 50), waited(agent(2, 50)), agent(3, 50), agent(4, 50)] {
        bed.send(message);
    }
    for expected in [vec![1], vec![2], vec![3, 4]] {
        assert!(bed.complete());
        assert_eq!(bed.in_turn(), expected);
    }
    assert!(!bed.complete());
}

#[test]
fn a_turn_takes_a_bounded_number_and_the_rest_follows() {
    let mut bed = busy();
    bed.send_all((0..100).map(|number| agent(number, 50)));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), (0..TURN_DELIVERIES as u8).collect::<Vec<_>>());
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), (TURN_DELIVERIES as u8..100).collect::<Vec<_>>());
}

#[test]
fn passive_lines_never_start_a_turn_and_ride_along() {
    let mut bed = Bed::new();
    bed.send(passive(1, 50));
    bed.send(passive(2, 50));
    assert_eq!(bed.session().turn, None);
    bed.send(human(3));
    assert_eq!(bed.in_turn(), [1, 2, 3]);
}

#[test]
fn passive_lines_ride_along_with_a_message_that_somebody_waits_for() {
    let mut bed = Bed::new();
    bed.send(passive(1, 50));
    bed.send(waited(human(2)));
    assert_eq!(bed.in_turn(), [1, 2]);
    bed.send(human(3));
    bed.send(waited(human(4)));
    bed.send(passive(5, 50));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [3]);
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [4], "what comes later rides with the next");
}

#[test]
fn passive_lines_leave_room_for_what_they_ride_with() {
    let mut bed = Bed::new();
    bed.send_all((0..100).map(|number| passive(number, 50)));
    bed.send(human(200));
    let room = TURN_DELIVERIES as u8 - 1;
    assert_eq!(bed.in_turn(), (0..room).chain([200]).collect::<Vec<_>>());
    bed.send(human(201));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), (room..100).chain([201]).collect::<Vec<_>>());
}

#[test]
fn nobody_waits_for_a_passive_line() {
    let mut bed = Bed::new();
    bed.send(waited(passive(1, 50)));
    bed.send(human(2));
    assert_eq!(bed.in_turn(), [1, 2]);
}

#[test]
fn passive_lines_ride_past_a_held_message() {
    let mut bed = busy();
    bed.exhaust(50);
    bed.send(passive(1, 50));
    bed.send(agent(2, 50));
    assert!(!bed.complete());
    assert_eq!(bed.receipt(1), Some(Receipt::Queued));
    bed.send(agent(3, 60));
    assert_eq!(bed.in_turn(), [1, 3]);
}

#[test]
fn a_request_with_wakes_is_not_held_with_one_that_has_none() {
    let mut bed = busy();
    bed.exhaust(50);
    bed.send(agent(1, 50));
    bed.send(agent(2, 60));
    bed.send(agent(3, 50));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [2]);
    assert_eq!(bed.receipt(1), Some(Receipt::Held(HeldReason::Budget)));
    assert_eq!(bed.receipt(3), Some(Receipt::Held(HeldReason::Budget)));
}

#[test]
fn news_rides_along_with_words_and_words_pay() {
    let mut bed = busy();
    bed.send(completion(1, 50));
    bed.send(agent(2, 60));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [1, 2]);
    assert_eq!(bed.turn_cause(), Some(60));
}

#[test]
fn what_returns_keeps_its_order_before_what_waits() {
    let mut bed = Bed::new();
    for message in [human(1), human(2), human(3)] {
        bed.accept(message).unwrap();
    }
    assert!(bed.advance());
    bed.send(human(4));
    bed.end(Outcome::Failed, Source::ProcessExit);
    assert_eq!(bed.queued(), [1, 2, 3, 4]);
    let repeats: Vec<bool> = bed.session().queue.iter().map(|pending| pending.repeat).collect();
    assert_eq!(repeats, [true, true, true, false]);
    assert_eq!(bed.session().queue[0].id, delivery(1));
    bed.assert_replays();
}

#[test]
fn one_turn_takes_no_more_files_than_a_harness_can_be_given() {
    let with_file = |message: u8, len: u64| {
        let id = FileId::from_uuid(uuid::Uuid::from_u128(u128::from(message)));
        Accepted { attachments: vec![Attached { id, kind: Kind::Png, len }], ..human(message) }
    };
    let mut bed = busy();
    bed.send(passive(1, 50));
    bed.send(with_file(2, ATTACHMENTS_BYTES - 10));
    bed.send(with_file(3, 10));
    bed.send(with_file(4, 1));
    bed.send(human(5));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [1, 2, 3]);
    let kept = &bed.session().turn.as_ref().unwrap().deliveries[1].attachments;
    assert_eq!(kept[0].len, ATTACHMENTS_BYTES - 10);
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [4, 5]);
    bed.assert_replays();
}
