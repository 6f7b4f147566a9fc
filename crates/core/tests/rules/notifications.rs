//! Which news of a session people are told of outside the app.

use paseo_core::inbox::Need;
use paseo_core::notification::{Kind, notices};
use paseo_core::session::{self, Ending, Event, HeldReason, Outcome, Session, Source};
use paseo_core::time::Timestamp;

use crate::bed::{Bed, agent, delivery, human, now, text};

fn running() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    bed
}

fn ask(bed: &mut Bed, hash: &str, question: bool) {
    bed.draft.push(Event::Asked {
        hash: hash.into(),
        text: text(),
        tool: None,
        shape: None,
        question,
        destructive: false,
    });
}

/// Does something to a session and returns what people are told of it.
fn told(bed: &mut Bed, act: impl FnOnce(&mut Bed)) -> Vec<Kind> {
    let before = bed.session().clone();
    act(bed);
    between(Some(&before), bed.session())
}

fn between(before: Option<&Session>, after: &Session) -> Vec<Kind> {
    notices(before, after, now()).into_iter().map(|notice| notice.kind).collect()
}

#[test]
fn each_request_is_told_once() {
    let mut bed = running();
    assert_eq!(told(&mut bed, |bed| ask(bed, "a", false)), [Kind::Need(Need::Permission)]);
    assert_eq!(told(&mut bed, |bed| ask(bed, "b", true)), [Kind::Need(Need::Question)]);
    assert_eq!(told(&mut bed, |_| {}), []);
    let mut worker = bed.session().clone();
    worker.profile.terminal = Some("paseo-red-1".into());
    assert_eq!(between(None, &worker), [Kind::Need(Need::Terminal); 2]);
}

#[test]
fn failures_and_limits_are_told_unless_a_person_brought_them_about() {
    let mut bed = running();
    let failed = told(&mut bed, |bed| bed.end(Outcome::Failed, Source::Protocol));
    assert_eq!(failed, [Kind::Need(Need::Failure)]);
    let mut bed = running();
    let until = Some(Timestamp::from_millis(now().as_millis() + 60_000));
    let ending = Ending { until, ..Ending::of(Outcome::Failed, Source::Protocol) };
    let limited = told(&mut bed, |bed| session::end(&mut bed.draft, ending));
    assert_eq!(limited, [Kind::Need(Need::RateLimit)]);
    let mut bed = running();
    let stopped = told(&mut bed, |bed| {
        session::hold_for_stop(&mut bed.draft);
        bed.end(Outcome::Interrupted, Source::Person);
    });
    assert_eq!(stopped, []);
}

#[test]
fn held_messages_are_told_unless_a_person_held_them() {
    for (reason, expected) in
        [(HeldReason::Budget, vec![Kind::Need(Need::Hold)]), (HeldReason::Stopped, Vec::new())]
    {
        let mut bed = running();
        bed.accept(agent(2, 50)).unwrap();
        let event = Event::DeliveriesHeld { deliveries: vec![delivery(2)], reason };
        assert_eq!(told(&mut bed, |bed| bed.draft.push(event)), expected, "{reason:?}");
    }
}

#[test]
fn the_end_of_a_turn_is_told_only_to_those_who_asked() {
    let mut bed = running();
    assert_eq!(told(&mut bed, |bed| bed.end(Outcome::Completed, Source::Protocol)), []);
    session::tell(&mut bed.draft, true);
    bed.send(human(2));
    let finished = told(&mut bed, |bed| assert!(!bed.complete()));
    assert_eq!(finished, [Kind::Finished]);
    // A person already looked at it.
    bed.send(human(3));
    let read = told(&mut bed, |bed| {
        bed.complete();
        session::look(&mut bed.draft, None).unwrap();
    });
    assert_eq!(read, []);
    session::tell(&mut bed.draft, false);
    session::tell(&mut bed.draft, false);
    bed.send(human(4));
    assert_eq!(told(&mut bed, |bed| assert!(!bed.complete())), []);
    bed.assert_replays();
}

#[test]
fn a_turn_that_another_follows_at_once_has_not_finished() {
    let mut bed = running();
    session::tell(&mut bed.draft, true);
    bed.send(human(2));
    assert_eq!(told(&mut bed, |bed| assert!(bed.complete())), []);
    assert_eq!(told(&mut bed, |bed| assert!(!bed.complete())), [Kind::Finished]);
}

#[test]
fn a_session_that_is_reopened_has_no_news() {
    let mut bed = running();
    bed.end(Outcome::Failed, Source::Protocol);
    assert_eq!(between(None, bed.session()), [Kind::Need(Need::Failure)], "it failed at once");
    let later = Timestamp::from_millis(now().as_millis() + 1);
    assert_eq!(notices(None, bed.session(), later), []);
}

#[test]
fn asking_to_be_told_moves_nothing_in_lists() {
    let mut bed = Bed::new();
    let before = bed.session().updated_at;
    session::tell(&mut bed.draft, true);
    assert!(bed.session().attention.awaited);
    assert_eq!(bed.session().updated_at, before);
}
