//! What the next one who drives a terminal has to know: how far its session file was read, and for which turn. Kept by
//! tmux itself, so it is there exactly as long as the terminal is.

use std::fmt;

use paseo_core::id::TurnId;

/// Where we are in a session file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bookmark {
    /// What stands before this is dealt with.
    pub(super) position: u64,
    pub(super) state: Progress,
}

/// What was going on then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Idle,
    /// The messages of a turn are being typed in; whether they were taken stands behind this.
    Typed(TurnId),
    /// The turn has begun.
    Begun(TurnId),
}

impl Bookmark {
    pub(super) fn idle(position: u64) -> Self {
        Self { position, state: Progress::Idle }
    }

    pub(super) fn typed(position: u64, turn: TurnId) -> Self {
        Self { position, state: Progress::Typed(turn) }
    }

    pub(super) fn begun(position: u64, turn: TurnId) -> Self {
        Self { position, state: Progress::Begun(turn) }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let position = words.next()?.parse().ok()?;
        let state = match (words.next()?, words.next()) {
            ("idle", None) => Progress::Idle,
            ("typed", Some(turn)) => Progress::Typed(turn.parse().ok()?),
            ("begun", Some(turn)) => Progress::Begun(turn.parse().ok()?),
            _ => return None,
        };
        Some(Self { position, state })
    }
}

impl fmt::Display for Bookmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.position;
        match self.state {
            Progress::Idle => write!(f, "{position} idle"),
            Progress::Typed(turn) => write!(f, "{position} typed {turn}"),
            Progress::Begun(turn) => write!(f, "{position} begun {turn}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bookmark_is_read_as_it_was_written() {
        let turn = TurnId::from_parts(paseo_core::time::Timestamp::from_millis(1), [1; 10]);
        for bookmark in [Bookmark::idle(0), Bookmark::typed(7, turn), Bookmark::begun(u64::MAX, turn)] {
            assert_eq!(Bookmark::parse(&bookmark.to_string()), Some(bookmark));
        }
        for text in ["", "x idle", "7", "7 begun", "7 begun x", "7 idle x"] {
            assert_eq!(Bookmark::parse(text), None, "{text}");
        }
    }
}
