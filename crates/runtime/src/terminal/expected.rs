//! What we typed, or are about to, and the harness has not recorded yet. Pure.
//!
//! A text is expected from before its first key is pressed. Whatever the harness then records with that content is that
//! delivery, however soon or late it appears; only what nobody expects is a person's.

use std::fmt;
use std::str::FromStr;

use paseo_core::id::{DeliveryId, TurnId};

/// How many letters of a long text are compared: of a long paste, some harnesses record only the beginning.
const ENOUGH: usize = 300;

/// The most texts that are expected at once. The oldest are given up.
const LIMIT: usize = 16;

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Turn(TurnId),
    Steer(DeliveryId),
    /// It was for a turn that was interrupted before the harness took it.
    CalledOff(TurnId),
}

/// The texts that are expected, in the order in which they were typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Expected(Vec<Entry>);

/// One text. As text, it holds no blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    purpose: Purpose,
    /// How long the session file was before the first key was pressed: it cannot be recorded before this.
    since: u64,
    /// How it begins, without blanks. `None` when that is not known: then it is whatever comes next.
    start: Option<String>,
}

impl Expected {
    /// Expects a text that is about to be typed.
    pub(super) fn expect(&mut self, purpose: Purpose, text: &str, since: u64) {
        self.push(Entry { purpose, since, start: Some(start(text)) });
    }

    /// Expects a text of which only the turn is known.
    pub(super) fn expect_anything(&mut self, turn: TurnId, since: u64) {
        self.push(Entry { purpose: Purpose::Turn(turn), since, start: None });
    }

    fn push(&mut self, entry: Entry) {
        self.0.retain(|known| known.purpose != entry.purpose || known.start != entry.start);
        if self.0.len() == LIMIT {
            self.0.remove(0);
        }
        self.0.push(entry);
    }

    /// Expects a text no longer: it was not typed after all.
    pub(super) fn withdraw(&mut self, purpose: Purpose) {
        self.0.retain(|entry| entry.purpose != purpose);
    }

    /// Returns the newest turn of which something is expected.
    pub(super) fn turn(&self) -> Option<TurnId> {
        self.0.iter().rev().find_map(|entry| match entry.purpose {
            Purpose::Turn(turn) => Some(turn),
            Purpose::Steer(_) | Purpose::CalledOff(_) => None,
        })
    }

    /// Says whether a text was typed for a turn already.
    pub(super) fn has(&self, turn: TurnId, text: &str) -> bool {
        let start = start(text);
        let is_it = |entry: &Entry| entry.start.as_ref().is_none_or(|known| *known == start);
        self.0.iter().any(|entry| entry.purpose == Purpose::Turn(turn) && is_it(entry))
    }

    /// Moves what was steered into a turn that is over to the turn that has its messages now.
    pub(super) fn adopt(&mut self, turn: TurnId, deliveries: &[DeliveryId]) {
        for entry in &mut self.0 {
            if matches!(entry.purpose, Purpose::Steer(delivery) if deliveries.contains(&delivery)) {
                entry.purpose = Purpose::Turn(turn);
            }
        }
    }

    /// Notes that a turn was interrupted before the harness took what was typed for it.
    pub(super) fn call_off(&mut self, turn: TurnId) {
        for entry in &mut self.0 {
            if entry.purpose == Purpose::Turn(turn) {
                entry.purpose = Purpose::CalledOff(turn);
            }
        }
    }

    /// Calls off what was typed for every other turn than this one: those are over.
    pub(super) fn call_off_others(&mut self, turn: Option<TurnId>) {
        for entry in &mut self.0 {
            if let Purpose::Turn(typed) = entry.purpose
                && turn != Some(typed)
            {
                entry.purpose = Purpose::CalledOff(typed);
            }
        }
    }

    /// Returns what a recorded text was typed for, without taking it off the list. Several when a harness submitted them
    /// together, none when a person typed it.
    pub(super) fn find(&self, said: &str, at: u64) -> Vec<Purpose> {
        self.matches(said, at).into_iter().map(|place| self.0[place].purpose).collect()
    }

    /// Takes what a recorded text was typed for off the list, and returns it. A harness takes what is typed in its order:
    /// what was called off before this never comes.
    pub(super) fn claim(&mut self, said: &str, at: u64) -> Vec<Purpose> {
        let places = self.matches(said, at);
        let claimed = self.find(said, at);
        let mut place = 0;
        self.0.retain(|entry| {
            let stays = !places.contains(&place) && !matches!(entry.purpose, Purpose::CalledOff(_));
            place += 1;
            stays
        });
        claimed
    }

    fn matches(&self, said: &str, at: u64) -> Vec<usize> {
        let (whole, begins) = (letters(said), start(said));
        let due =
            |(place, entry): (usize, &Entry)| (at >= entry.since).then_some((place, entry.start.clone()));
        let due: Vec<(usize, Option<String>)> = self.0.iter().enumerate().filter_map(due).collect();
        // One that is exactly it goes before those that are in it.
        let exact = due.iter().find(|(_, start)| start.as_ref().is_none_or(|start| *start == begins));
        if let Some((place, _)) = exact {
            return vec![*place];
        }
        let within = |start: &String| !start.is_empty() && whole.contains(start.as_str());
        due.iter().filter(|(_, start)| start.as_ref().is_some_and(within)).map(|(place, _)| *place).collect()
    }
}

/// Says whether a text, as far as it is compared, is in what was recorded.
pub(super) fn is_in(text: &str, said: &str) -> bool {
    letters(said).contains(&start(text))
}

/// Returns the letters of a text. Harnesses change the blanks.
pub(super) fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect()
}

fn start(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(ENOUGH).collect()
}

impl fmt::Display for Expected {
    /// Writes each as ` purpose:id:since:start`, with its start in hexadecimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Entry { purpose, since, start } in &self.0 {
            match purpose {
                Purpose::Turn(turn) => write!(f, " turn:{turn}")?,
                Purpose::Steer(delivery) => write!(f, " steer:{delivery}")?,
                Purpose::CalledOff(turn) => write!(f, " off:{turn}")?,
            }
            write!(f, ":{since}:")?;
            match start {
                Some(start) => start.bytes().try_for_each(|byte| write!(f, "{byte:02x}"))?,
                None => f.write_str("?")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Expected {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.split_whitespace().map(entry).collect::<Option<_>>().map(Self).ok_or(())
    }
}

fn entry(word: &str) -> Option<Entry> {
    let mut parts = word.split(':');
    let (kind, id, since, start) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let purpose = match kind {
        "turn" => Purpose::Turn(id.parse().ok()?),
        "steer" => Purpose::Steer(id.parse().ok()?),
        "off" => Purpose::CalledOff(id.parse().ok()?),
        _ => return None,
    };
    let start = match start {
        "?" => None,
        hex => Some(unhex(hex)?),
    };
    Some(Entry { purpose, since: since.parse().ok()?, start }).filter(|_| parts.next().is_none())
}

fn unhex(hex: &str) -> Option<String> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = hex.as_bytes().chunks(2).map(|pair| byte(pair).filter(|_| pair.len() == 2));
    String::from_utf8(bytes.collect::<Option<_>>()?).ok()
}

#[cfg(test)]
mod tests {
    use paseo_core::time::Timestamp;

    use super::*;

    const NONE: [Purpose; 0] = [];

    fn turn(number: u8) -> TurnId {
        TurnId::from_parts(Timestamp::from_millis(1), [number; 10])
    }

    fn steer(number: u8) -> Purpose {
        Purpose::Steer(DeliveryId::from_parts(Timestamp::from_millis(1), [number; 10]))
    }

    #[test]
    fn blanks_do_not_matter_and_words_do() {
        let mut expected = Expected::default();
        expected.expect(Purpose::Turn(turn(1)), "Fix  the\n\tbug", 0);
        for other in ["Fix the", "", "fix the bug", "Fix that bug"] {
            assert_eq!(expected.find(other, 0), NONE, "{other}");
        }
        for same in ["Fix the bug", " Fixthe\u{a0}bug\n", "draft: Fix the bug "] {
            assert_eq!(expected.find(same, 0), [Purpose::Turn(turn(1))], "{same}");
        }
        assert_eq!(expected.claim("Fix the bug", 0), [Purpose::Turn(turn(1))]);
        assert_eq!(expected.claim("Fix the bug", 0), NONE, "the second time it is a person's");
    }

    #[test]
    fn of_a_long_text_the_beginning_is_enough() {
        let mut expected = Expected::default();
        let long = "word ".repeat(1000);
        expected.expect(steer(1), &long, 0);
        assert_eq!(expected.claim(&long[..2000], 0), [steer(1)]);
    }

    #[test]
    fn several_are_told_apart_whatever_is_recorded_first() {
        let mut expected = Expected::default();
        expected.expect(steer(1), "go", 0);
        expected.expect(steer(2), "let us go", 0);
        assert_eq!(expected.claim("let us go", 0), [steer(2)], "the shorter one is not meant");
        assert_eq!(expected.claim("go", 0), [steer(1)]);
        // The same twice is two.
        expected.expect(steer(3), "again", 0);
        expected.expect(steer(4), "again", 0);
        assert_eq!(
            (expected.claim("again", 0), expected.claim("again", 0)),
            (vec![steer(3)], vec![steer(4)])
        );
        // A harness may submit what it has queued as one.
        expected.expect(steer(5), "one", 0);
        expected.expect(steer(6), "two", 0);
        assert_eq!(expected.claim("one\n\ntwo", 0), [steer(5), steer(6)]);
    }

    #[test]
    fn what_was_recorded_before_it_was_typed_is_a_persons() {
        let mut expected = Expected::default();
        expected.expect(Purpose::Turn(turn(1)), "go on", 100);
        assert_eq!(expected.claim("go on", 99), NONE);
        assert_eq!(expected.claim("something else", 120), NONE);
        assert_eq!(expected.claim("go on", 140), [Purpose::Turn(turn(1))]);
    }

    #[test]
    fn what_was_called_off_is_the_next_or_never_comes() {
        let mut expected = Expected::default();
        expected.expect(Purpose::Turn(turn(1)), "stop me", 0);
        expected.call_off(turn(1));
        assert_eq!(expected.clone().claim("stop me", 0), [Purpose::CalledOff(turn(1))]);
        assert_eq!(expected.claim("by hand", 0), NONE);
        assert_eq!(expected.claim("stop me", 0), NONE);
        // After a restart, so is what belongs to turns that are over.
        expected.expect(Purpose::Turn(turn(2)), "old", 0);
        expected.expect(Purpose::Turn(turn(3)), "new", 0);
        expected.call_off_others(Some(turn(3)));
        assert_eq!(expected.find("old", 0), [Purpose::CalledOff(turn(2))]);
        assert_eq!(expected.find("new", 0), [Purpose::Turn(turn(3))]);
    }

    #[test]
    fn what_was_steered_too_late_belongs_to_the_turn_that_has_it_now() {
        let mut expected = Expected::default();
        let Purpose::Steer(delivery) = steer(1) else { unreachable!() };
        expected.expect(steer(1), "this way", 0);
        assert!(!expected.has(turn(2), "this way"));
        expected.adopt(turn(2), &[delivery]);
        assert!(expected.has(turn(2), "this  way") && !expected.has(turn(2), "that way"));
        assert_eq!(expected.claim("this way", 0), [Purpose::Turn(turn(2))]);
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let mut expected = Expected::default();
        assert_eq!((expected.to_string().as_str(), "".parse()), ("", Ok(Expected::default())));
        expected.expect(Purpose::Turn(turn(1)), "é漢字 \"; $(x) #{y}", 7);
        expected.expect(steer(2), "", 8);
        expected.expect(Purpose::CalledOff(turn(3)), "x", u64::MAX);
        expected.expect_anything(turn(4), 9);
        let written = expected.to_string();
        assert!(written.chars().all(|c| c.is_ascii_alphanumeric() || " :-?".contains(c)), "{written}");
        assert_eq!(written.parse(), Ok(expected));
        for bad in ["x", "turn:x:1:", "turn:1", " steer:::", "off:1:2:3:4"] {
            assert_eq!(bad.parse::<Expected>(), Err(()), "{bad}");
        }
    }
}
