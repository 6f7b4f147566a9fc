//! A limit that was reached: until it ends, nothing starts by itself.

use paseo_core::actor::Actor;
use paseo_core::limits::{PARK_LONGEST_SECONDS, PARK_SHORTEST_SECONDS, WAKES_PER_SESSION};
use paseo_core::session::{self, Accepted, Ending, Hold, Outcome, Placement, Source, Status};
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
    reach_limit(&mut bed);
    bed
}

fn reach_limit(bed: &mut Bed) {
    let ending = Ending {
        code: Some("rate_limited".into()),
        until: Some(later(UNTIL)),
        ..Ending::of(Outcome::Failed, Source::Protocol)
    };
    session::end(&mut bed.draft, ending);
}

/// What the daemon sends when a limit is over: for the cause of the turn that was cut off.
fn limit_over(bed: &Bed, number: u8) -> Option<Accepted> {
    let (cause, hop) = session::cut_off(bed.session())?;
    Some(Accepted { origin: Actor::Daemon, cause, hop, ..agent(number, 1) })
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

#[test]
fn a_limit_lasts_as_long_as_it_says_within_reason() {
    let until = |told: i64| session::parked_until(later(told), now());
    let longest = PARK_LONGEST_SECONDS * 1_000;
    let shortest = Some(later(PARK_SHORTEST_SECONDS * 1_000));
    assert_eq!(until(1), Some(later(1)));
    assert_eq!(until(longest), Some(later(longest)));
    assert_eq!(until(longest + 1), None, "no limit lasts that long");
    assert_eq!(session::parked_until(Timestamp::from_millis(i64::MAX), now()), None);
    // The past says nothing about the future, and is not tried again at once.
    assert_eq!(until(0), shortest);
    assert_eq!(session::parked_until(Timestamp::from_millis(0), now()), shortest);
    assert_eq!(session::parked_until(Timestamp::from_millis(i64::MIN), now()), shortest);
}

#[test]
fn a_turn_that_was_cut_off_goes_on_after_the_limit() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    reach_limit(&mut bed);
    let told = limit_over(&bed, 9).unwrap();
    assert!(!session::unpark(&mut bed.draft, later(UNTIL - 1)));
    assert!(session::unpark(&mut bed.draft, later(UNTIL)));
    assert_eq!(session::cut_off(bed.session()), None, "it is told once");
    assert_eq!(bed.send(told), Placement::Ready);
    assert_eq!((bed.in_turn(), bed.turn_cause()), (vec![9], Some(1)));
    bed.assert_replays();
}

#[test]
fn a_message_that_was_not_taken_up_is_what_goes_on_after_the_limit() {
    let mut bed = Bed::new();
    bed.send(human(1));
    reach_limit(&mut bed);
    assert_eq!(bed.queued(), [1]);
    assert_eq!(session::cut_off(bed.session()), None);
    session::unpark(&mut bed.draft, later(UNTIL));
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [1]);
}

#[test]
fn what_a_person_stopped_does_not_go_on_after_the_limit() {
    let mut bed = parked();
    assert!(session::cut_off(bed.session()).is_some());
    assert!(session::hold_for_stop(&mut bed.draft));
    assert_eq!(session::cut_off(bed.session()), None);
}

#[test]
fn a_limit_that_is_reached_over_and_over_ends_with_the_wakes() {
    let mut bed = Bed::new();
    bed.send(human(1));
    let mut resumed = 0;
    loop {
        bed.hand();
        reach_limit(&mut bed);
        let told = limit_over(&bed, 10 + u8::try_from(resumed).unwrap()).unwrap();
        session::unpark(&mut bed.draft, later(UNTIL));
        bed.send(told);
        if bed.session().turn.is_none() {
            break;
        }
        resumed += 1;
    }
    assert_eq!(resumed, WAKES_PER_SESSION);
    assert_eq!(bed.session().hold, Hold::Budget);
    bed.assert_replays();
}
