//! Model, effort and permission mode that people change after the start.

use paseo_core::actor::Actor;
use paseo_core::definition::Definition;
use paseo_core::id::SessionId;
use paseo_core::item::Usage;
use paseo_core::permission::Mode;
use paseo_core::session::{self, Created, Event, OptionsChange, Session, Spent, TooFree, configure};
use paseo_core::time::Timestamp;
use paseo_core::tool::Ceiling;

use crate::bed::{Bed, human, now};

fn model(name: &str) -> OptionsChange {
    OptionsChange { model: Some(Some(name.to_owned())), ..OptionsChange::default() }
}

fn mode(mode: Mode) -> OptionsChange {
    OptionsChange { permissions: Some(mode), ..OptionsChange::default() }
}

#[test]
fn an_idle_session_changes_at_once() {
    let mut bed = Bed::new();
    configure(&mut bed.draft, model("opus"), Mode::Full).unwrap();
    configure(&mut bed.draft, mode(Mode::Ask), Mode::Full).unwrap();
    let profile = &bed.session().profile;
    assert_eq!((profile.model.as_deref(), profile.permissions), (Some("opus"), Mode::Ask));
    assert_eq!(bed.session().options, None);
    bed.assert_replays();
}

#[test]
fn a_busy_session_changes_with_its_next_turn_and_all_changes_count() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    configure(&mut bed.draft, mode(Mode::ReadOnly), Mode::Full).unwrap();
    configure(&mut bed.draft, model("opus"), Mode::Full).unwrap();
    let profile = &bed.session().profile;
    assert_eq!((profile.model.as_deref(), profile.permissions), (None, Mode::Full));
    bed.complete();
    let profile = &bed.session().profile;
    assert_eq!((profile.model.as_deref(), profile.permissions), (Some("opus"), Mode::ReadOnly));
    bed.assert_replays();
}

#[test]
fn what_changes_nothing_is_no_event() {
    let mut bed = Bed::new();
    for change in [OptionsChange::default(), mode(Mode::Full)] {
        configure(&mut bed.draft, change, Mode::Full).unwrap();
    }
    let default = OptionsChange { model: Some(None), effort: Some(None), permissions: None };
    configure(&mut bed.draft, default, Mode::Full).unwrap();
    assert_eq!(bed.draft.events, []);
}

#[test]
fn nobody_gets_more_than_the_session_may_have() {
    let mut bed = Bed::new();
    configure(&mut bed.draft, mode(Mode::ReadOnly), Mode::Ask).unwrap();
    let refused = configure(&mut bed.draft, mode(Mode::Full), Mode::Ask);
    assert_eq!(refused, Err(TooFree { wanted: Mode::Full, freest: Mode::Ask }));
    configure(&mut bed.draft, mode(Mode::Ask), Mode::Ask).unwrap();
    assert_eq!(bed.session().profile.permissions, Mode::Ask);
}

#[test]
fn a_mode_that_a_person_chose_later_binds_what_the_session_starts() {
    let definition = Definition::built_in();
    let id = SessionId::from_random([1; 16]);
    let child = Created {
        ceiling: Some(Ceiling { tools: None, mode: Mode::Ask }),
        permissions: Mode::Ask,
        ..Created::plain(id, Actor::Session(SessionId::from_random([2; 16])), "scripted", "/project")
    };
    let own = Created::plain(id, crate::bed::person(), "scripted", "/project");
    for (created, freest) in [(own, Mode::Full), (child, Mode::Ask)] {
        let mut session = Session::create(created, now());
        assert_eq!(Ceiling::freest_mode(&session, &definition), freest);
        assert_eq!(Ceiling::of(&session, &definition).mode, freest);
        let options = session::Options { permissions: Some(Mode::ReadOnly), ..session.options() };
        session.apply(&Event::Configured(options), now());
        assert_eq!(Ceiling::of(&session, &definition).mode, Mode::ReadOnly);
        assert_eq!(Ceiling::freest_mode(&session, &definition), freest, "it may have that again");
    }
}

#[test]
fn what_is_used_is_counted_by_day_and_by_the_model_of_its_turn() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    let turn = bed.session().turn.as_ref().unwrap().id;
    let mut session = bed.session().clone();
    let usage = Usage { input_tokens: 1, ..Usage::default() };
    let at = |day: i64, hour: i64| Timestamp::from_millis((day * 24 + hour) * 3_600_000);
    let used = |session: &mut Session, at| session.apply(&Event::UsageAdded { turn, usage }, at);
    used(&mut session, at(10, 1));
    used(&mut session, at(10, 23));
    used(&mut session, at(11, 0));
    session.apply(
        &Event::Configured(session::Options { model: Some("opus".into()), ..session.options() }),
        at(11, 1),
    );
    used(&mut session, at(11, 2));
    session.turn = None;
    session.take_options();
    used(&mut session, at(11, 3));
    let spent = |day, model: Option<&str>, times: u64| Spent {
        day,
        model: model.map(str::to_owned),
        usage: Usage { input_tokens: times, ..Usage::default() },
    };
    assert_eq!(session.history.spent, [spent(10, None, 2), spent(11, None, 2), spent(11, Some("opus"), 1)]);
    assert_eq!(session.history.usage.input_tokens, 5);
}
