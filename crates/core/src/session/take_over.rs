//! People who take over the keyboard of an agent's terminal.

use super::{Draft, Event, TakeOverEnd};
use crate::actor::Actor;

/// Notes that a person has the keyboard from now on. Another who had it has it no longer. False when the session is
/// closed, or has no terminal.
pub fn take_over(draft: &mut Draft, by: &Actor) -> bool {
    if !draft.session.is_open() || draft.session.profile.terminal.is_none() || !by.is_human() {
        return false;
    }
    let holder = draft.session.history.keyboard.as_deref().cloned();
    if let Some(holder) = holder.filter(|holder| holder != by) {
        draft.push(Event::TerminalReleased { by: holder, reason: TakeOverEnd::Taken });
    }
    if draft.session.history.keyboard.is_none() {
        draft.push(Event::TerminalTaken { by: by.clone() });
    }
    true
}

/// Notes that a person no longer has the keyboard. Says who had it; `None` if another viewer has it, or none does.
pub fn end_take_over(draft: &mut Draft, by: Option<&Actor>, reason: TakeOverEnd) -> Option<Actor> {
    let holder = draft.session.history.keyboard.as_deref().cloned()?;
    if by.is_some_and(|by| *by != holder) {
        return None;
    }
    draft.push(Event::TerminalReleased { by: holder.clone(), reason });
    Some(holder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SessionId;
    use crate::session::{Created, Session, Source, close};
    use crate::time::Timestamp;

    fn person(name: &str) -> Actor {
        Actor::Human(name.to_owned())
    }

    fn worker() -> Session {
        let created = Created {
            terminal: Some("red-1".to_owned()),
            ..Created::plain(SessionId::from_random([7; 16]), person("cli"), "scripted", "/")
        };
        Session::create(created, Timestamp::from_millis(0))
    }

    #[test]
    fn a_take_over_begins_and_ends_once() {
        let mut draft = Draft::new(worker(), Timestamp::from_millis(1));
        assert!(take_over(&mut draft, &person("ann")) && take_over(&mut draft, &person("ann")));
        assert_eq!(end_take_over(&mut draft, Some(&person("bob")), TakeOverEnd::Released), None);
        let ended = end_take_over(&mut draft, Some(&person("ann")), TakeOverEnd::Released);
        assert_eq!(ended, Some(person("ann")));
        assert_eq!(end_take_over(&mut draft, None, TakeOverEnd::Gone), None);
        assert_eq!(draft.events.len(), 2);
    }

    #[test]
    fn who_takes_it_from_another_ends_that_take_over() {
        let mut draft = Draft::new(worker(), Timestamp::from_millis(1));
        take_over(&mut draft, &person("ann"));
        take_over(&mut draft, &person("bob"));
        assert_eq!(
            draft.events[1..],
            [
                Event::TerminalReleased { by: person("ann"), reason: TakeOverEnd::Taken },
                Event::TerminalTaken { by: person("bob") }
            ]
        );
        assert_eq!(draft.session.history.keyboard.as_deref(), Some(&person("bob")));
    }

    #[test]
    fn only_people_take_over_and_only_what_is_there() {
        let mut draft = Draft::new(worker(), Timestamp::from_millis(1));
        assert!(!take_over(&mut draft, &Actor::Session(SessionId::from_random([8; 16]))));
        close(&mut draft, Source::Person);
        assert!(!take_over(&mut draft, &person("ann")));
    }
}
