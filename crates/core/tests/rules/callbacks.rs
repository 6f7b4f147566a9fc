//! Answers of agents elsewhere: they come when they come, and are never lost.

use paseo_core::cause::{self, Cause};
use paseo_core::id::TurnId;
use paseo_core::session::{self, Landing, Outcome, Receipt, Source, Status};

use crate::bed::{Bed, agent, human, now};

fn turn(number: u8) -> TurnId {
    TurnId::from_parts(now(), [number; 10])
}

/// Takes in words, as the owner does.
fn call_back(bed: &mut Bed, cause: u8, answers: Option<TurnId>, fresh: u8) -> Landing {
    let state = bed.causes.entry(cause).or_default();
    let landing = session::call_back(&mut bed.draft, state, answers, turn(fresh));
    if let Landing::Own(_, spent) = &landing {
        state.apply(spent, now());
    }
    landing
}

#[test]
fn the_answer_ends_the_turn_and_the_queue_goes_on() {
    for (named, handed) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut bed = Bed::new();
        bed.send_all([human(1), human(2)]);
        let running = bed.session().turn.as_ref().unwrap().id;
        if handed {
            bed.hand();
        }
        assert_eq!(call_back(&mut bed, 1, named.then_some(running), 9), Landing::Answer(running));
        assert_eq!(bed.receipt(1), Some(Receipt::Answered), "an answer confirms what it answers");
        assert!(bed.advance());
        assert_eq!(bed.in_turn(), [2]);
        bed.assert_replays();
    }
}

#[test]
fn what_comes_late_is_a_turn_of_its_own_and_costs_a_wake() {
    let mut bed = Bed::new();
    bed.send(human(1));
    let stopped = bed.session().turn.as_ref().unwrap().id;
    bed.hand();
    session::hold_for_stop(&mut bed.draft);
    bed.end(Outcome::Interrupted, Source::Person);
    let hold = bed.session().hold;
    assert!(matches!(call_back(&mut bed, 1, Some(stopped), 9), Landing::Own(id, _) if id == turn(9)));
    assert_eq!((bed.causes[&1].woken, bed.session().condition.status), (1, Status::Idle));
    assert!(bed.session().turn.is_none());
    assert_eq!(bed.session().hold, hold, "who stopped it still holds what waits");
    bed.assert_replays();
}

#[test]
fn what_answers_another_turn_does_not_end_the_running_one() {
    let mut bed = Bed::new();
    bed.send(human(1));
    let first = bed.session().turn.as_ref().unwrap().id;
    bed.complete();
    bed.send(human(2));
    assert_eq!(call_back(&mut bed, 2, Some(first), 9), Landing::Aside);
    assert_eq!(bed.in_turn(), [2]);
}

#[test]
fn without_a_wake_it_is_noted_and_nothing_runs() {
    let mut bed = Bed::new();
    assert_eq!(call_back(&mut bed, 1, None, 9), Landing::Aside, "nobody ever asked it anything");
    bed.send(agent(1, 50));
    bed.complete();
    bed.exhaust(50);
    let before = bed.session().clone();
    assert_eq!(call_back(&mut bed, 50, None, 9), Landing::Aside);
    assert_eq!(*bed.session(), before);
    let mut stopped = Cause::default();
    stopped.apply(&cause::Event::Stopped {}, now());
    assert_eq!(session::call_back(&mut bed.draft, &stopped, None, turn(9)), Landing::Aside);
    session::close(&mut bed.draft);
    assert_eq!(session::call_back(&mut bed.draft, &Cause::default(), None, turn(9)), Landing::Aside);
}
