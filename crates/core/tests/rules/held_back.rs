//! What waits and is not wanted any more: news that are known, and the messages of a request that was stopped.

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::session::{self, Accepted, HeldReason, Receipt};

use crate::bed::{Bed, agent, cause, completion, human, passive};

#[test]
fn only_the_news_of_that_work_are_taken_back() {
    let peer = |n: u8| Actor::Session(SessionId::from_random([n; 16]));
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.send_all([
        Accepted { origin: peer(9), ..completion(2, 1) },
        Accepted { origin: peer(8), ..completion(3, 1) },
        Accepted { origin: peer(9), ..agent(4, 1) },
        Accepted { origin: peer(9), ..passive(5, 1) },
    ]);
    session::forget_news(&mut bed.draft, SessionId::from_random([9; 16]));
    assert_eq!(bed.queued(), [3, 4, 5]);
    assert_eq!(bed.receipt(2), Some(Receipt::Cancelled));
    bed.assert_replays();
}

#[test]
fn what_descends_from_a_stopped_request_waits_for_a_person() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.send_all([agent(2, 7), human(3), agent(4, 7)]);
    session::hold_cause(&mut bed.draft, cause(7));
    let events = bed.draft.events.len();
    session::hold_cause(&mut bed.draft, cause(7));
    assert_eq!(bed.draft.events.len(), events, "once");
    for message in [2, 4] {
        assert_eq!(bed.receipt(message), Some(Receipt::Held(HeldReason::CauseStopped)));
    }
    assert!(bed.complete(), "the others go on");
    assert_eq!(bed.in_turn(), [3]);
    assert!(!bed.complete());
    assert_eq!(bed.queued(), [2, 4]);
    bed.assert_replays();
}
