//! Stop, close, reopen, clear; asks, names and labels.

use paseo_core::actor::Actor;
use paseo_core::item::Decision;
use paseo_core::label::Malformed;
use paseo_core::limits::LABELS;
use paseo_core::session::{
    self, Event, HeldReason, Hold, Outcome, Placement, Receipt, Refusal, Retry, Source, Status, Uprooted,
    Worktree,
};

use crate::bed::{Bed, agent, delivery, human, now, text};

fn running() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed.hand();
    bed
}

#[test]
fn a_stop_keeps_the_queue_until_a_person_writes() {
    let mut bed = running();
    bed.send(agent(1, 50));
    assert!(session::hold_for_stop(&mut bed.draft));
    assert_eq!(bed.send(agent(2, 50)), Placement::Held(HeldReason::Stopped));
    bed.end(Outcome::Interrupted, Source::Person);
    assert_eq!(bed.session().condition.status, Status::Idle);
    assert!(!bed.advance());
    bed.send(human(3));
    assert_eq!(bed.in_turn(), [1, 2, 3]);
}

#[test]
fn a_stop_before_the_harness_confirmed_keeps_the_message() {
    let mut bed = Bed::new();
    bed.send(human(1));
    session::hold_for_stop(&mut bed.draft);
    bed.end(Outcome::Interrupted, Source::Person);
    assert_eq!(bed.receipt(1), Some(Receipt::Held(HeldReason::Stopped)));
}

#[test]
fn a_person_who_writes_to_a_stopping_session_is_next() {
    let mut bed = running();
    session::hold_for_stop(&mut bed.draft);
    assert_eq!(bed.send(human(1)), Placement::Queued);
    bed.end(Outcome::Interrupted, Source::Person);
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [1]);
}

#[test]
fn there_is_nothing_to_stop_in_an_idle_session() {
    let mut bed = Bed::new();
    assert!(!session::hold_for_stop(&mut bed.draft));
    assert_eq!(bed.session().hold, Hold::None);
}

#[test]
fn a_closed_session_keeps_what_waits() {
    let mut bed = running();
    bed.send(agent(1, 50));
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(bed.session().condition.status, Status::Closed);
    assert_eq!(bed.receipt(100), Some(Receipt::Interrupted));
    assert_eq!(bed.receipt(1), Some(Receipt::Queued));
    assert!(!bed.advance());
    session::reopen(&mut bed.draft);
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [1]);
    bed.assert_replays();
}

#[test]
fn closing_and_reopening_twice_is_closing_and_reopening_once() {
    let mut bed = Bed::new();
    let source = Source::of(&Actor::Daemon);
    session::close(&mut bed.draft, source);
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(bed.draft.session.condition.source, Source::Daemon, "no person did it");
    session::reopen(&mut bed.draft);
    session::reopen(&mut bed.draft);
    assert_eq!(bed.draft.events, [Event::Closed { source }, Event::Reopened {}]);
}

#[test]
fn clearing_waits_for_the_turn_and_keeps_the_queue() {
    let mut bed = running();
    bed.send(agent(1, 50));
    assert_eq!(session::clear(&mut bed.draft), Err(Refusal::Busy));
    bed.draft.push(Event::Referenced { reference: Some("r".into()) });
    bed.end(Outcome::Failed, Source::ProcessExit);
    assert_eq!(session::clear(&mut bed.draft), Ok(()));
    assert_eq!(bed.session().history.reference, None);
    assert_eq!(bed.session().condition.status, Status::Idle);
    assert_eq!(bed.queued(), [1]);
}

#[test]
fn clearing_does_not_reopen() {
    let mut bed = Bed::new();
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(session::clear(&mut bed.draft), Ok(()));
    assert_eq!(bed.session().condition.status, Status::Closed);
}

#[test]
fn an_answer_to_an_older_ask_decides_nothing() {
    let mut bed = running();
    for hash in ["old", "new"] {
        bed.draft.push(Event::Asked {
            hash: hash.into(),
            text: text(),
            tool: None,
            shape: None,
            question: false,
            destructive: false,
        });
    }
    bed.draft.push(Event::Decided { hash: "old".into(), decision: Decision::Allow });
    assert_eq!(bed.session().condition.status, Status::Waiting);
    bed.draft.push(Event::Decided { hash: "new".into(), decision: Decision::Allow });
    assert_eq!(bed.session().condition.status, Status::Running);
}

#[test]
fn a_confirmation_that_comes_too_late_changes_nothing() {
    let mut bed = running();
    let turn = bed.session().turn.as_ref().unwrap().id;
    bed.end(Outcome::Completed, Source::Protocol);
    bed.draft.push(Event::TurnHanded { turn });
    assert_eq!(bed.session().condition.status, Status::Idle);
    bed.send(agent(1, 50));
    bed.end(Outcome::Failed, Source::ProcessExit);
    bed.draft.push(Event::Handing { delivery: delivery(1), turn });
    assert_eq!(bed.queued(), [1], "no turn, no way into it");
}

#[test]
fn the_newest_attempt_is_known_until_its_turn_ends() {
    let mut bed = running();
    let turn = bed.session().turn.as_ref().unwrap().id;
    let retry = |bed: &Bed| bed.session().turn.as_ref().and_then(|turn| turn.retry);
    assert_eq!(retry(&bed), None);
    bed.draft.push(Event::TurnRetried { turn, attempt: Some(1), of: Some(5) });
    bed.draft.push(Event::TurnRetried { turn, attempt: Some(2), of: Some(5) });
    assert_eq!(retry(&bed), Some(Retry { attempt: Some(2), of: Some(5), since: now() }));
    assert_eq!(bed.session().condition.status, Status::Running);
    bed.end(Outcome::Completed, Source::Protocol);
    bed.send(human(7));
    bed.draft.push(Event::TurnRetried { turn, attempt: None, of: None });
    assert_eq!(retry(&bed), None, "of another turn");
}

#[test]
fn a_title_is_given_once_per_task() {
    let mut bed = running();
    assert_eq!(session::title(&mut bed.draft, "first".into()), Ok(()));
    assert_eq!(session::title(&mut bed.draft, "second".into()), Err(Refusal::TitledAlready));
    bed.send(agent(1, 50));
    assert_eq!(session::title(&mut bed.draft, "third".into()), Err(Refusal::TitledAlready));
    bed.send(human(2));
    assert_eq!(session::title(&mut bed.draft, "fourth".into()), Ok(()));
    assert_eq!(bed.session().naming.shown(), Some("fourth"));
    session::rename(&mut bed.draft, Some("mine".into()));
    assert_eq!(bed.session().naming.shown(), Some("mine"));
}

#[test]
fn labels_change_only_when_they_differ_and_stay_few() {
    let mut bed = Bed::new();
    let label = |number: usize| format!("k{number}=v").parse().unwrap();
    session::label(&mut bed.draft, (0..LABELS).map(label).collect(), vec![]).unwrap();
    session::label(&mut bed.draft, vec![label(0)], vec!["absent".into()]).unwrap();
    assert_eq!(bed.draft.events.len(), 1);
    let many = session::label(&mut bed.draft, vec![label(LABELS)], vec![]);
    assert_eq!(many, Err(Malformed::Many(LABELS + 1)));
    session::label(&mut bed.draft, vec![label(LABELS)], vec!["k0".into()]).unwrap();
    assert_eq!(bed.session().labels.len(), LABELS);
    bed.assert_replays();
}

#[test]
fn a_worktree_that_was_removed_stays_the_sessions_own() {
    let mut bed = Bed::new();
    session::uproot(&mut bed.draft, Some("refs/x".to_owned()));
    assert!(bed.draft.events.is_empty(), "it has none");
    let worktree = Worktree {
        repository: "/repo/.git".to_owned(),
        path: "/worktrees/one".to_owned(),
        branch: "paseo/one".to_owned(),
        base: "0".repeat(40),
    };
    bed.draft.session.profile.worktree = Some(Box::new(worktree.clone()));
    session::uproot(&mut bed.draft, Some("refs/x".to_owned()));
    let profile = &bed.session().profile;
    assert_eq!(profile.worktree.as_deref(), Some(&worktree));
    assert_eq!(profile.uprooted, Some(Uprooted { kept: Some("refs/x".to_owned()) }));
    // A turn can only begin in it when someone has brought it back.
    bed.send(human(1));
    assert!(bed.session().profile.uprooted.is_some());
    bed.hand();
    assert_eq!(bed.session().profile.uprooted, None);
}
