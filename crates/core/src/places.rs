//! Whose turn is next to get a process, where no more than so many may live: a person's before those that agents began,
//! which never take all places.

use crate::limits::PERSON_PLACES;
use crate::session::{Class, Turn};

/// For whom a process works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beneficiary {
    /// Its turn was begun by a person's message.
    Person,
    /// By anything else: an agent's message, news, a thread.
    Others,
}

/// How the places are taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// How many processes may live.
    pub total: usize,
    /// Places of those who wait for others, and whose place these may have.
    pub lent: usize,
    /// Processes that work for people.
    pub people: usize,
    /// All further processes.
    pub others: usize,
}

impl Beneficiary {
    /// Says who began a turn.
    pub fn of(turn: &Turn) -> Self {
        let mut words = turn.deliveries.iter().filter(|pending| pending.class != Class::Passive);
        if words.any(|pending| pending.origin.is_human()) { Self::Person } else { Self::Others }
    }
}

impl Load {
    /// Returns which of those that wait, the first first, gets a place now.
    pub fn next(&self, waiting: impl IntoIterator<Item = Beneficiary>) -> Option<usize> {
        if self.people + self.others >= self.places() {
            return None;
        }
        let mut first = None;
        for (at, beneficiary) in waiting.into_iter().enumerate() {
            match beneficiary {
                Beneficiary::Person => return Some(at),
                Beneficiary::Others => first = first.or(Some(at)),
            }
        }
        first.filter(|_| self.others < self.open_to_others())
    }

    /// Returns how many processes that work for others have to make room, as more of these wait than may live.
    pub fn too_many_others(&self, waiting: usize) -> usize {
        (self.others + waiting).saturating_sub(self.open_to_others())
    }

    /// Returns how many processes have to make room, whatever they work for. No one makes room for a turn that may not
    /// have the place.
    pub fn too_many(&self, people_waiting: usize, others_waiting: usize) -> usize {
        let others = others_waiting.min(self.open_to_others().saturating_sub(self.others));
        (self.people + self.others + people_waiting + others).saturating_sub(self.places())
    }

    /// Who waits for others needs no processor, and they may need its place.
    fn places(&self) -> usize {
        self.total + self.lent
    }

    fn open_to_others(&self) -> usize {
        // A single place serves all.
        if self.total < 2 { self.places() } else { self.places() - PERSON_PLACES }
    }
}

#[cfg(test)]
mod tests {
    use super::Beneficiary::{Others, Person};
    use super::*;

    fn load(total: usize, people: usize, others: usize) -> Load {
        Load { total, lent: 0, people, others }
    }

    #[test]
    fn a_person_goes_first() {
        assert_eq!(load(8, 0, 0).next([Others, Others, Person, Person]), Some(2));
        assert_eq!(load(8, 0, 0).next([Others, Others]), Some(0));
        assert_eq!(load(8, 1, 7).next([Person]), None);
        assert_eq!(load(8, 0, 0).next([]), None);
    }

    #[test]
    fn others_leave_a_place_for_people() {
        assert_eq!(load(8, 0, 6).next([Others]), Some(0));
        assert_eq!(load(8, 0, 7).next([Others]), None);
        assert_eq!(load(8, 0, 7).next([Others, Person]), Some(1));
        assert_eq!(
            load(8, 7, 0).next([Others]),
            Some(0),
            "people may take all but leave what they do not use"
        );
        assert_eq!(load(1, 0, 0).next([Others]), Some(0), "a single place serves all");
        // A row of agents that wait for each other never stands still.
        for lent in 0..4 {
            let row = Load { total: 2, lent, people: 0, others: lent };
            assert_eq!(row.next([Others]), Some(0), "{row:?}");
        }
    }

    #[test]
    fn nobody_makes_room_for_those_who_may_not_come() {
        let full = load(8, 1, 7);
        assert_eq!((full.too_many_others(5), full.too_many(0, 5)), (5, 0));
        assert_eq!(full.too_many(1, 5), 1);
        let roomy = load(8, 4, 4);
        assert_eq!((roomy.too_many_others(1), roomy.too_many(0, 1)), (0, 1));
        assert_eq!((load(1, 0, 1).too_many_others(1), load(1, 1, 0).too_many(0, 1)), (1, 1));
        assert_eq!(load(2, 0, 3).too_many(0, 0), 1, "after a place that was lent is taken back");
    }
}
