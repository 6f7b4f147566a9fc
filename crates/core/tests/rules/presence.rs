//! Which session a person is in, and where they came from.

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::session::{Event, Session, enter, whereabouts};
use paseo_core::time::Timestamp;

use crate::bed::{Bed, human, person};

fn other() -> SessionId {
    SessionId::from_random([9; 16])
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// A session with a number, in which these things happened.
fn session(number: u8, events: &[(i64, Event)]) -> Session {
    let mut session = Bed::new().draft.session;
    session.id = SessionId::from_random([number; 16]);
    events.iter().for_each(|(time, event)| session.apply(event, at(*time)));
    session
}

fn entered(from: Option<SessionId>, by: &Actor) -> Event {
    Event::Entered { from, by: by.clone() }
}

#[test]
fn a_person_is_where_they_wrote_or_came_last() {
    let (me, you) = (person(), Actor::Human("device:2".into()));
    let wrote = session(1, &[(10, Event::Accepted(human(1)))]);
    let came = session(2, &[(20, entered(Some(wrote.id), &me))]);
    let yours = session(3, &[(30, entered(Some(wrote.id), &you))]);
    let never = session(4, &[]);
    let all = [wrote, came, yours, never];
    assert_eq!(whereabouts(&all, &me).map(|session| session.id), Some(all[1].id));
    assert_eq!(whereabouts(&all[..1], &me).map(|session| session.id), Some(all[0].id));
    assert_eq!(whereabouts(&all, &you).map(|session| session.id), Some(all[2].id));
    assert_eq!(whereabouts(&all[3..], &me), None);
}

#[test]
fn whoever_goes_back_is_not_there_any_more() {
    let me = person();
    let home = session(1, &[(10, Event::Accepted(human(1)))]);
    let left = [(20, entered(Some(home.id), &me)), (30, Event::Accepted(human(2))), (40, entered(None, &me))];
    let all = [home, session(2, &left)];
    assert_eq!(all[1].entered, None);
    assert_eq!(whereabouts(&all, &me).map(|session| session.id), Some(all[0].id));
    // What somebody else said there still counts for them.
    let you = Actor::Human("device:2".into());
    assert_eq!(session(2, &[left[1].clone(), (40, entered(None, &you))]).last_visit(&me), Some(at(30)));
}

#[test]
fn coming_again_counts_and_going_back_from_nowhere_does_not() {
    let mut bed = Bed::new();
    enter(&mut bed.draft, &person(), None);
    assert!(bed.draft.events.is_empty());
    enter(&mut bed.draft, &person(), Some(other()));
    enter(&mut bed.draft, &person(), Some(other()));
    assert_eq!(bed.draft.events.len(), 2);
    enter(&mut bed.draft, &person(), None);
    assert_eq!(bed.session().entered, None);
    bed.assert_replays();
}
