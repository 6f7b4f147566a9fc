//! Turns that a harness begins by itself: they are paid for like any other that no person asked for.

use paseo_core::cause::Exhausted;
use paseo_core::id::TurnId;
use paseo_core::limits::WAKES_PER_SESSION;
use paseo_core::session::{self, Outcome, Source, Status};

use crate::bed::{Bed, human, now};

fn begin(bed: &mut Bed, number: u8) -> Result<bool, Exhausted> {
    let cause = bed.causes.entry(1).or_default();
    let spent = session::open_own(&mut bed.draft, cause, TurnId::from_parts(now(), [number; 10]))?;
    spent.iter().for_each(|event| cause.apply(event, now()));
    Ok(spent.is_some())
}

fn asked_once() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.complete();
    bed
}

#[test]
fn it_runs_under_the_cause_of_the_last_turn() {
    let mut bed = asked_once();
    assert_eq!(begin(&mut bed, 200), Ok(true));
    assert_eq!(bed.turn_cause(), Some(1));
    assert_eq!(bed.session().condition.status, Status::Running);
    bed.send(human(2));
    assert_eq!(bed.queued(), [2], "a message waits for it");
    bed.end(Outcome::Completed, Source::Protocol);
    assert!(bed.advance());
    bed.assert_replays();
}

#[test]
fn it_is_bounded() {
    let mut bed = asked_once();
    for number in 0..WAKES_PER_SESSION as u8 {
        assert_eq!(begin(&mut bed, number), Ok(true));
        bed.end(Outcome::Completed, Source::Protocol);
    }
    assert_eq!(begin(&mut bed, 99), Err(Exhausted::Session));
    assert!(bed.session().turn.is_none());
}

#[test]
fn a_turn_under_way_is_not_replaced() {
    let mut bed = asked_once();
    bed.send(human(2));
    assert_eq!(begin(&mut bed, 200), Ok(false));
    assert_eq!(bed.in_turn(), [2]);
}
