//! Who may type into a terminal: one person at a time.

use std::time::Duration;

use crate::actor::Actor;

/// A holder whose connection was lost may come back within this time.
pub const LOST: Duration = Duration::from_secs(15);
/// A holder who types nothing for this long loses the keyboard.
pub const IDLE: Duration = Duration::from_secs(10 * 60);

/// The keyboard of one terminal. Viewers are known by numbers that are never used again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keyboard {
    held: Option<Held>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Held {
    by: Actor,
    viewer: u64,
    /// When they last typed, or took it.
    typed: Duration,
    /// Since when their connection is gone.
    lost: Option<Duration>,
    /// They type no more; what follows from that is being done.
    ending: bool,
}

/// What taking the keyboard led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Take {
    /// No viewer had it.
    Free,
    /// The same person had it, and lost the connection.
    Resumed,
    /// It was taken from another.
    From(Actor),
}

/// Why a take-over ended without the holder's doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The connection was lost and did not come back.
    Lost,
    /// Nothing was typed for long.
    Idle,
}

impl Keyboard {
    /// Returns who has it.
    pub fn holder(&self) -> Option<&Actor> {
        self.held.as_ref().map(|held| &held.by)
    }

    /// Says whether this viewer has it.
    pub fn is_held_by(&self, viewer: u64) -> bool {
        self.held.as_ref().is_some_and(|held| held.viewer == viewer && held.lost.is_none() && !held.ending)
    }

    /// Takes it for a viewer. Refuses with the holder's name while another has it, unless it is taken by force.
    pub fn take(&mut self, viewer: u64, by: &Actor, force: bool, now: Duration) -> Result<Take, Actor> {
        let take = match &self.held {
            None => Take::Free,
            Some(held) if held.ending => Take::Free,
            Some(held) if held.viewer == viewer => Take::Resumed,
            Some(held) if held.lost.is_some() && held.by == *by => Take::Resumed,
            Some(held) if force => Take::From(held.by.clone()),
            Some(held) => return Err(held.by.clone()),
        };
        self.held = Some(Held { by: by.clone(), viewer, typed: now, lost: None, ending: false });
        Ok(take)
    }

    /// Notes that a viewer types. False when it does not have the keyboard.
    pub fn typed(&mut self, viewer: u64, now: Duration) -> bool {
        match &mut self.held {
            Some(held) if held.viewer == viewer && held.lost.is_none() && !held.ending => {
                held.typed = now;
                true
            }
            _ => false,
        }
    }

    /// Begins to give it back: from now on this viewer types nothing. Returns who had it, if that was this viewer.
    /// It is taken until [`Self::free`], unless another takes it first.
    pub fn end(&mut self, viewer: u64) -> Option<Actor> {
        let held = self.held.as_mut().filter(|held| held.viewer == viewer)?;
        held.ending = true;
        Some(held.by.clone())
    }

    /// Says whether this viewer had it last and gives it back.
    pub fn is_ending(&self, viewer: u64) -> bool {
        self.held.as_ref().is_some_and(|held| held.viewer == viewer && held.ending)
    }

    /// Makes it free once this viewer has given it back.
    pub fn free(&mut self, viewer: u64) {
        self.held.take_if(|held| held.viewer == viewer && held.ending);
    }

    /// Notes that the connection of a viewer is gone. It may come back.
    pub fn lose(&mut self, viewer: u64, now: Duration) {
        if let Some(held) = self.held.as_mut().filter(|held| held.viewer == viewer && held.lost.is_none()) {
            held.lost = Some(now);
        }
    }

    /// Begins to take it from a holder who is gone, or types nothing: as [`Self::end`], of the viewer that is returned.
    pub fn expire(&mut self, now: Duration) -> Option<(u64, Actor, Left)> {
        let held = self.held.as_mut().filter(|held| !held.ending)?;
        let why = match held.lost {
            Some(lost) if now >= lost + LOST => Left::Lost,
            None if now >= held.typed + IDLE => Left::Idle,
            _ => return None,
        };
        held.ending = true;
        Some((held.viewer, held.by.clone(), why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(name: &str) -> Actor {
        Actor::Human(name.to_owned())
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn one_person_types_at_a_time() {
        let mut keyboard = Keyboard::default();
        assert_eq!(keyboard.take(1, &person("ann"), false, at(0)), Ok(Take::Free));
        assert_eq!(keyboard.take(2, &person("bob"), false, at(1)), Err(person("ann")));
        assert!(keyboard.typed(1, at(1)) && !keyboard.typed(2, at(1)));
        assert_eq!(keyboard.end(2), None, "it is not theirs");
        assert_eq!(keyboard.end(1), Some(person("ann")));
        assert!(!keyboard.typed(1, at(2)) && !keyboard.is_held_by(1));
        keyboard.free(2);
        assert_eq!(keyboard.holder(), Some(&person("ann")), "her take-over is still being ended");
        keyboard.free(1);
        assert!(keyboard.holder().is_none());
    }

    #[test]
    fn who_takes_it_while_another_gives_it_back_keeps_it() {
        for next in ["ann", "bob"] {
            let mut keyboard = Keyboard::default();
            keyboard.take(1, &person("ann"), false, at(0)).unwrap();
            keyboard.end(1);
            assert!(keyboard.is_ending(1));
            assert_eq!(keyboard.take(2, &person(next), false, at(1)), Ok(Take::Free));
            assert!(!keyboard.is_ending(1), "nothing is left to be ended");
            keyboard.free(1);
            assert!(keyboard.is_held_by(2) && keyboard.typed(2, at(2)), "{next}");
        }
    }

    #[test]
    fn it_can_be_taken_by_force_also_from_oneself() {
        let mut keyboard = Keyboard::default();
        keyboard.take(1, &person("ann"), false, at(0)).unwrap();
        assert_eq!(keyboard.take(2, &person("ann"), false, at(1)), Err(person("ann")), "another tab has it");
        assert_eq!(keyboard.take(2, &person("bob"), true, at(1)), Ok(Take::From(person("ann"))));
        assert!(!keyboard.is_held_by(1) && keyboard.is_held_by(2));
        keyboard.lose(1, at(2));
        assert!(keyboard.is_held_by(2), "who lost it has nothing more to lose");
    }

    #[test]
    fn who_lost_the_connection_comes_back_within_fifteen_seconds() {
        let mut keyboard = Keyboard::default();
        keyboard.take(1, &person("ann"), false, at(0)).unwrap();
        keyboard.lose(1, at(10));
        assert!(!keyboard.typed(1, at(11)));
        assert_eq!(keyboard.take(2, &person("bob"), false, at(12)), Err(person("ann")));
        assert_eq!(keyboard.expire(at(24)), None);
        assert_eq!(keyboard.take(3, &person("ann"), false, at(24)), Ok(Take::Resumed));
        assert_eq!(keyboard.expire(at(40)), None);
        keyboard.lose(3, at(50));
        assert_eq!(keyboard.expire(at(65)), Some((3, person("ann"), Left::Lost)));
        assert_eq!(keyboard.expire(at(66)), None);
    }

    #[test]
    fn who_types_nothing_for_ten_minutes_loses_it() {
        let mut keyboard = Keyboard::default();
        keyboard.take(1, &person("ann"), false, at(0)).unwrap();
        assert!(keyboard.typed(1, at(100)));
        assert_eq!(keyboard.expire(at(699)), None);
        assert_eq!(keyboard.expire(at(700)), Some((1, person("ann"), Left::Idle)));
        assert!(!keyboard.typed(1, at(701)));
    }
}
