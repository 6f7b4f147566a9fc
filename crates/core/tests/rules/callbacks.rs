//! Answers of agents elsewhere: they come when they come, and are never lost.

use paseo_core::cause::{self, Cause};
use paseo_core::id::TurnId;
use paseo_core::limits::UNASKED_PER_HOUR;
use paseo_core::session::{self, Landing, Outcome, Receipt, Source, Status, Unasked};
use paseo_core::time::Timestamp;

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
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(session::call_back(&mut bed.draft, &Cause::default(), None, turn(9)), Landing::Aside);
}

#[test]
fn a_late_answer_settles_what_came_back_from_its_turn() {
    for (outcome, source) in [(Outcome::Failed, Source::Protocol), (Outcome::Interrupted, Source::Person)] {
        let mut bed = Bed::new();
        bed.send(human(1));
        let failed = bed.session().turn.as_ref().unwrap().id;
        bed.accept(human(2)).unwrap();
        if source == Source::Person {
            session::hold_for_stop(&mut bed.draft);
        }
        bed.end(outcome, source);
        assert_eq!(bed.queued(), [1, 2]);
        let Landing::Late(own, settled) = call_back(&mut bed, 1, Some(failed), 9) else { panic!("not late") };
        assert_eq!((own, settled.len()), (turn(9), 1));
        assert_eq!(bed.receipt(1), Some(Receipt::Answered));
        assert_eq!(bed.queued(), [2], "what was never sent still waits");
        assert_eq!(bed.causes[&1].woken, 0, "the turn that it answers was paid for");
        assert!(matches!(call_back(&mut bed, 1, Some(failed), 8), Landing::Own(..)), "it is answered once");
        bed.assert_replays();
    }
}

#[test]
fn an_answer_to_the_first_attempt_ends_the_second_when_it_holds_nothing_else() {
    for more in [false, true] {
        let mut bed = Bed::new();
        bed.send(human(1));
        let first = bed.session().turn.as_ref().unwrap().id;
        bed.restart();
        if more {
            bed.accept(human(2)).unwrap();
        }
        assert!(bed.advance());
        let second = bed.session().turn.as_ref().unwrap().id;
        let expected = if more { Landing::Aside } else { Landing::Answer(second) };
        assert_eq!(call_back(&mut bed, 1, Some(first), 9), expected);
        bed.assert_replays();
    }
}

#[test]
fn what_never_left_is_not_answered_by_anything() {
    let mut bed = Bed::new();
    bed.send(human(1));
    let unsent = bed.session().turn.as_ref().unwrap().id;
    session::end_unsent(&mut bed.draft, session::Ending::of(Outcome::Failed, Source::Daemon));
    assert!(matches!(call_back(&mut bed, 1, Some(unsent), 9), Landing::Own(..)));
    assert_eq!(bed.queued(), [1]);
}

#[test]
fn nobody_says_more_than_so_much_unasked_in_an_hour() {
    let at = |minutes: i64| Timestamp::from_millis(minutes * 60_000);
    let mut unasked = Unasked::default();
    for _ in 0..UNASKED_PER_HOUR {
        assert!(unasked.allows(at(0)));
        unasked.note(at(0));
    }
    assert!(!unasked.allows(at(59)) && !unasked.is_quiet(at(59)));
    assert!(unasked.allows(at(60)) && unasked.is_quiet(at(60)));
}
