//! An agent that another one started becomes an independent agent.

use paseo_core::actor::Actor;
use paseo_core::id::{SessionId, WatchId};
use paseo_core::label::Label;
use paseo_core::limits::LABELS;
use paseo_core::permission::Mode;
use paseo_core::session::{
    self, Class, Created, Draft, Event, Farewell, On, Outcome, Session, Source, Unpromotable, Watch,
};
use paseo_core::tool::Ceiling;
use paseo_core::wait::{self, Over};

use crate::bed::{agent, cause, delivery, now, person};

fn parent() -> SessionId {
    SessionId::from_random([9; 16])
}

fn watch(number: u8) -> WatchId {
    WatchId::from_parts(now(), [number; 10])
}

fn farewell(number: u8) -> Farewell {
    Farewell { waited: Vec::new(), watch: watch(number), cause: cause(200) }
}

/// A child that works on its parent's task, which the parent wants to be told about.
fn child() -> Draft {
    let plain =
        Created::plain(SessionId::from_random([1; 16]), Actor::Session(parent()), "scripted", "/project");
    let created = Created {
        parent: Some(parent()),
        ceiling: Some(Ceiling { tools: Some(["native_read".to_owned()].into()), mode: Mode::ReadOnly }),
        permissions: Mode::ReadOnly,
        ..plain
    };
    let mut draft = Draft::new(Session::create(created, now()), now());
    session::accept(&mut draft, agent(1, 50), false).unwrap();
    let task = Watch {
        id: watch(1),
        watcher: parent(),
        on: On::Delivery(delivery(1)),
        cause: cause(50),
        hop: 2,
        class: Class::Completion,
        due: None,
        request: None,
        notice: None,
    };
    session::arm(&mut draft, task).unwrap();
    draft
}

#[test]
fn it_leaves_its_parent_and_keeps_everything_else() {
    let mut draft = child();
    let before = draft.session.clone();
    assert_eq!(session::promote(&mut draft, &person(), &farewell(2)), Ok(parent()));
    let now = &draft.session;
    assert_eq!(now.profile.parent, None);
    assert!(now.labels.is_ui());
    let kept = session::Profile { parent: None, ..before.profile.clone() };
    assert_eq!(now.profile, kept, "above all its ceiling, and who started it");
    assert_eq!((&now.queue, &now.turn, &now.history), (&before.queue, &before.turn, &before.history));
    let again = session::promote(&mut draft, &person(), &farewell(3));
    assert_eq!(again, Err(Unpromotable::NoChild));
}

#[test]
fn its_parent_is_told_once_and_of_nothing_else() {
    let mut draft = child();
    let idle =
        Watch { id: watch(5), on: On::Idle, class: Class::Passive, ..draft.session.watches[0].clone() };
    session::arm(&mut draft, idle).unwrap();
    let other =
        Watch { id: watch(6), watcher: SessionId::from_random([8; 16]), ..draft.session.watches[0].clone() };
    session::arm(&mut draft, other.clone()).unwrap();
    session::promote(&mut draft, &person(), &farewell(2)).unwrap();
    session::gather(&mut draft, |_| false);
    let notices = session::notices(&draft.session);
    assert_eq!(notices.len(), 1);
    assert_eq!(
        (notices[0].watcher, notices[0].class),
        (parent(), Class::Completion),
        "it waits for an answer"
    );
    assert_eq!((notices[0].cause, notices[0].hop), (cause(50), 2));
    assert_eq!(notices[0].watches.iter().map(|watch| watch.on).collect::<Vec<_>>(), [On::Promotion]);
    session::disarm_notice(&mut draft, notices[0].id);
    assert_eq!(draft.session.watches, [other], "watches of others stay");
    session::close(&mut draft, Source::Person);
    session::gather(&mut draft, |_| false);
    assert!(session::notices(&draft.session).iter().all(|notice| notice.watcher != parent()));
}

#[test]
fn a_parent_that_waits_for_nothing_is_not_woken() {
    let mut draft = child();
    session::disarm(&mut draft, watch(1));
    session::promote(&mut draft, &person(), &farewell(2)).unwrap();
    session::gather(&mut draft, |_| false);
    let notices = session::notices(&draft.session);
    assert_eq!((notices.len(), notices[0].class), (1, Class::Passive));
    assert_eq!((notices[0].cause, notices[0].hop), (cause(50), 2), "from the message that waits");
}

#[test]
fn a_call_that_waits_ends_and_is_the_one_that_tells() {
    let mut draft = child();
    // One waits for its task, the other is a second call that no watch was armed for.
    let farewell = Farewell { waited: vec![watch(1), watch(4)], ..farewell(2) };
    session::promote(&mut draft, &person(), &farewell).unwrap();
    assert_eq!(wait::over(&draft.session, watch(4)), Some(Over::Promoted));
    assert_eq!(wait::over(&draft.session, watch(1)), Some(Over::Promoted));
    let mut crashed = draft.clone();
    session::gather(&mut draft, |waited| farewell.waited.contains(&waited));
    assert!(session::notices(&draft.session).is_empty());
    session::disarm(&mut draft, watch(1));
    session::disarm(&mut draft, watch(4));
    assert!(draft.session.watches.is_empty());
    session::gather(&mut crashed, |_| false);
    assert_eq!(
        session::notices(&crashed.session).len(),
        1,
        "after a crash nobody waits: one notice tells it"
    );
}

#[test]
fn an_outcome_that_is_on_its_way_is_still_told() {
    let mut draft = child();
    session::cancel(&mut draft, &person(), delivery(1), watch(7)).unwrap();
    session::gather(&mut draft, |_| false);
    session::promote(&mut draft, &person(), &farewell(2)).unwrap();
    session::gather(&mut draft, |_| false);
    let notices: Vec<WatchId> = session::notices(&draft.session).iter().map(|notice| notice.id).collect();
    assert_eq!(notices, [watch(1), watch(2)]);
}

#[test]
fn only_people_promote_and_only_open_children() {
    let mut draft = child();
    let events = draft.events.len();
    for by in [Actor::Session(parent()), Actor::Session(draft.session.id), Actor::Daemon] {
        assert_eq!(session::promote(&mut draft, &by, &farewell(2)), Err(Unpromotable::PeopleOnly));
    }
    assert_eq!(draft.events.len(), events);
    session::close(&mut draft, Source::Person);
    assert_eq!(session::promote(&mut draft, &person(), &farewell(2)), Err(Unpromotable::Closed));
}

#[test]
fn there_is_room_for_the_label_or_nothing_happens() {
    let mut draft = child();
    let full = (0..LABELS).map(|n| Label { key: format!("k{n}"), value: "v".into() }).collect();
    session::label(&mut draft, full, Vec::new()).unwrap();
    let events = draft.events.len();
    let refused = session::promote(&mut draft, &person(), &farewell(2));
    assert!(matches!(refused, Err(Unpromotable::Labels(_))), "{refused:?}");
    assert_eq!(draft.events.len(), events);
}

#[test]
fn the_log_alone_leads_to_the_same() {
    let mut draft = child();
    session::promote(&mut draft, &person(), &farewell(2)).unwrap();
    let events: Vec<Event> = draft.events.clone();
    let mut again = child();
    let known = again.events.len();
    again.extend(events.into_iter().skip(known));
    assert_eq!(again.session, draft.session);
    session::end(&mut again, session::Ending::of(Outcome::Interrupted, Source::Restart));
    assert_eq!(again.session.profile.parent, None);
}
