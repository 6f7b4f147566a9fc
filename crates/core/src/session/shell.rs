//! Shells that people open where an agent works. They are the people's own: nothing that happens in them is the agent's.

use super::{Draft, Event, ShellEnd};
use crate::actor::Actor;

/// Notes that a person opened a shell. Each has at most one. False when the session is closed, or they have one.
pub fn open_shell(draft: &mut Draft, by: &Actor) -> bool {
    if !draft.session.is_open() || !by.is_human() || draft.session.history.shells.contains(by) {
        return false;
    }
    draft.push(Event::ShellOpened { by: by.clone() });
    true
}

/// Notes that the shell of a person has ended, if they have one.
pub fn close_shell(draft: &mut Draft, by: &Actor, reason: ShellEnd) -> bool {
    if !draft.session.history.shells.contains(by) {
        return false;
    }
    draft.push(Event::ShellClosed { by: by.clone(), reason });
    true
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

    fn draft() -> Draft {
        let created = Created::plain(SessionId::from_random([7; 16]), person("cli"), "scripted", "/");
        Draft::new(Session::create(created, Timestamp::from_millis(0)), Timestamp::from_millis(1))
    }

    #[test]
    fn each_person_has_one_shell_that_opens_and_closes_once() {
        let mut draft = draft();
        assert!(open_shell(&mut draft, &person("ann")) && !open_shell(&mut draft, &person("ann")));
        assert!(open_shell(&mut draft, &person("bob")));
        assert!(close_shell(&mut draft, &person("ann"), ShellEnd::Exited));
        assert!(!close_shell(&mut draft, &person("ann"), ShellEnd::Exited));
        assert_eq!(draft.session.history.shells, [person("bob")]);
        assert!(open_shell(&mut draft, &person("ann")));
    }

    #[test]
    fn only_people_open_them_and_they_end_with_the_agent() {
        let mut draft = draft();
        assert!(!open_shell(&mut draft, &Actor::Session(SessionId::from_random([8; 16]))));
        open_shell(&mut draft, &person("ann"));
        close(&mut draft, Source::Person);
        let ended = Event::ShellClosed { by: person("ann"), reason: ShellEnd::Gone };
        assert!(draft.events.contains(&ended) && draft.session.history.shells.is_empty());
        assert!(!open_shell(&mut draft, &person("bob")));
    }
}
