//! A limit that was reached: until it ends, nothing starts by itself.

use paseo_core::session::{self, Ending, Hold, Outcome, Placement, Source, Status};
use paseo_core::time::Timestamp;

use crate::bed::{Bed, agent, human, now};

const UNTIL: i64 = 60_000;

fn later(millis: i64) -> Timestamp {
    Timestamp::from_millis(now().as_millis() + millis)
}

/// A session whose turn hit a limit, with one message of a peer waiting.
fn parked() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    bed.send(agent(2, 50));
    let ending = Ending {
        code: Some("rate_limited".into()),
        until: Some(later(UNTIL)),
        ..Ending::of(Outcome::Failed, Source::Protocol)
    };
    session::end(&mut bed.draft, ending);
    bed
}

#[test]
fn what_waits_goes_on_when_the_limit_ends_and_not_before() {
    let mut bed = parked();
    assert!(!bed.advance());
    assert_eq!(bed.session().parked(), Some(later(UNTIL)));
    assert_eq!(bed.session().condition.status, Status::Error);
    session::unpark(&mut bed.draft, later(UNTIL - 1));
    assert!(!bed.advance());
    session::unpark(&mut bed.draft, later(UNTIL));
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [2]);
    bed.assert_replays();
}

#[test]
fn an_agent_waits_with_the_others() {
    let mut bed = parked();
    assert_eq!(bed.send(agent(3, 50)), Placement::Queued);
    assert_eq!(bed.queued(), [2, 3]);
}

#[test]
fn a_person_tries_again_at_once() {
    let mut bed = parked();
    bed.send(human(3));
    assert_eq!(bed.session().parked(), None);
    assert_eq!(bed.in_turn(), [2, 3]);
    bed.assert_replays();
}

#[test]
fn the_end_of_a_limit_does_not_lift_a_stop() {
    let mut bed = parked();
    assert!(session::hold_for_stop(&mut bed.draft));
    session::unpark(&mut bed.draft, later(UNTIL));
    assert_eq!(bed.session().hold, Hold::Stopped);
    assert!(!bed.advance());
}
