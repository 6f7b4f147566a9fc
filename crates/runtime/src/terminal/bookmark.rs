//! What the next driver of a terminal has to know: how far its session file was read, for which turn, and which texts were
//! typed and not recorded yet. tmux keeps it, so it lives exactly as long as the terminal.

use std::fmt;

use paseo_core::id::TurnId;

use super::expected::Expected;

/// Where we are in a session file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bookmark {
    pub(super) place: Place,
    /// What may still be recorded behind it.
    pub(super) expected: Expected,
}

/// How far a session file was read, and what was going on then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// What stands before this is dealt with.
    pub(super) position: u64,
    /// The turn that has begun, if one has.
    pub(super) begun: Option<TurnId>,
}

impl Place {
    pub(super) fn idle(position: u64) -> Self {
        Self { position, begun: None }
    }

    pub(super) fn begun(position: u64, turn: TurnId) -> Self {
        Self { position, begun: Some(turn) }
    }
}

impl Bookmark {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let (position, words) = words.split_first()?;
        let position = position.parse().ok()?;
        let (place, typed, rest) = match words {
            ["idle", rest @ ..] => (Place::idle(position), None, rest),
            ["begun", turn, rest @ ..] => (Place::begun(position, turn.parse().ok()?), None, rest),
            // As earlier versions wrote it: which turn was typed, but not which text.
            ["typed", turn, rest @ ..] => (Place::idle(position), Some(turn.parse().ok()?), rest),
            _ => return None,
        };
        let mut expected: Expected = rest.join(" ").parse().ok()?;
        if let Some(turn) = typed {
            expected.expect_anything(turn, position);
        }
        Some(Self { place, expected })
    }
}

impl fmt::Display for Bookmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place: Place { position, begun }, expected } = self;
        match begun {
            None => write!(f, "{position} idle{expected}"),
            Some(turn) => write!(f, "{position} begun {turn}{expected}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::expected::Purpose;
    use super::*;

    #[test]
    fn a_bookmark_is_read_as_it_was_written() {
        let turn = TurnId::from_parts(paseo_core::time::Timestamp::from_millis(1), [1; 10]);
        let mut expected = Expected::default();
        for place in [Place::idle(0), Place::begun(u64::MAX, turn)] {
            let bookmark = Bookmark { place, expected: expected.clone() };
            assert_eq!(Bookmark::parse(&bookmark.to_string()), Some(bookmark));
            expected.expect(Purpose::Turn(turn), "two words", 7, true).unwrap();
        }
        for text in ["", "x idle", "7", "7 begun", "7 begun x", "7 idle x", "7 typed", "7 other"] {
            assert_eq!(Bookmark::parse(text), None, "{text}");
        }
        let earlier = Bookmark::parse(&format!("7 typed {turn}")).unwrap();
        assert_eq!(earlier.place, Place::idle(7));
        assert_eq!(earlier.expected.find("whatever it was", 7), [Purpose::Turn(turn)]);
    }
}
