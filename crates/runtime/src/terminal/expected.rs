//! What we typed, or are about to, and the harness has not recorded yet. Pure.
//!
//! A text is expected from before its first key is pressed. Whatever the harness then records with that content is that
//! delivery, however soon or late it appears; only unexpected text is a person's. So nothing is forgotten that may
//! still be recorded: when too much is expected, nothing more is typed.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use paseo_core::id::{DeliveryId, TurnId};

/// How many letters of a long text are compared: of a long paste, some harnesses record only the beginning.
const ENOUGH: usize = 300;

/// From how many letters on a text is known wherever it is: no other author writes just that by chance. The envelopes
/// of what agents and the daemon say are longer.
const DISTINCT: usize = 20;

/// The most texts that are expected at once.
const LIMIT: usize = 64;

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
    /// A person was typing when it was pasted: it may have been submitted together with their letters.
    crowded: bool,
    /// It was called off, and then it was not in the harness's line any more.
    taken_back: bool,
}

/// Too much was typed that was never recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

impl Expected {
    /// Expects a text that is about to be typed, into a line that a person types in (`crowded`) or into an empty one.
    pub(super) fn expect(
        &mut self,
        purpose: Purpose,
        text: &str,
        since: u64,
        crowded: bool,
    ) -> Result<(), Full> {
        let start = Some(start(text));
        self.0.retain(|known| known.purpose != purpose || known.start != start);
        if self.0.len() >= LIMIT {
            return Err(Full);
        }
        self.0.push(Entry { purpose, since, start, crowded, taken_back: false });
        Ok(())
    }

    /// Expects a text of which only the turn is known.
    pub(super) fn expect_anything(&mut self, turn: TurnId, since: u64) {
        let purpose = Purpose::Turn(turn);
        self.0.push(Entry { purpose, since, start: None, crowded: false, taken_back: false });
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

    /// Notes that the harness listens again, with an empty line: what was called off is not there any more. Once anything
    /// else is recorded, it never comes.
    pub(super) fn take_back(&mut self) {
        for entry in &mut self.0 {
            entry.taken_back |= matches!(entry.purpose, Purpose::CalledOff(_));
        }
    }

    /// Returns what a recorded text was typed for, without taking it off the list. Several when a harness submitted them
    /// together, none when a person typed it.
    pub(super) fn find(&self, said: &str, at: u64) -> Vec<Purpose> {
        self.matches(said, at).into_iter().map(|place| self.0[place].purpose).collect()
    }

    /// Takes what a recorded text was typed for off the list, and returns it. With it goes what was called off and never
    /// comes: what was typed before this, as a harness takes what is typed in its order, and what was taken back before
    /// anything was recorded.
    pub(super) fn claim(&mut self, said: &str, at: u64) -> Vec<Purpose> {
        let places = self.matches(said, at);
        let claimed = places.iter().map(|place| self.0[*place].purpose).collect();
        let last = places.last().copied().unwrap_or_default();
        let mut place = 0;
        self.0.retain(|entry| {
            let is_called_off = matches!(entry.purpose, Purpose::CalledOff(_));
            let is_settled = is_called_off && at >= entry.since && (entry.taken_back || place < last);
            let stays = !places.contains(&place) && !is_settled;
            place += 1;
            stays
        });
        claimed
    }

    /// Returns the places of what a recorded text consists of, in the order in which it was typed.
    fn matches(&self, said: &str, at: u64) -> Vec<usize> {
        let begins = start(said);
        let due: Vec<(usize, &Entry)> =
            self.0.iter().enumerate().filter(|(_, entry)| at >= entry.since).collect();
        // One that is exactly it goes before those that are in it, and one that may still come before one that was taken
        // back.
        let is_exact = |entry: &Entry| entry.start.as_ref().is_none_or(|start| *start == begins);
        let exact = due.iter().filter(|(_, entry)| is_exact(entry));
        if let Some((place, _)) = exact.min_by_key(|(_, entry)| entry.taken_back) {
            return vec![*place];
        }
        let mut within: Vec<(usize, &Entry, &str)> = due
            .into_iter()
            .filter_map(|(place, entry)| Some((place, entry, entry.start.as_deref()?)))
            .filter(|(_, _, start)| !start.is_empty())
            .collect();
        // The longest first: a short one may be a part of it.
        within.sort_by_key(|(place, _, start)| (Reverse(start.len()), *place));
        let mut recorded = Recorded::new(said);
        let mut places: Vec<usize> = within
            .into_iter()
            .filter(|(_, entry, start)| {
                let anywhere = entry.crowded || start.chars().count() >= DISTINCT;
                recorded.take(start, anywhere)
            })
            .map(|(place, _, _)| place)
            .collect();
        places.sort_unstable();
        places
    }
}

/// A recorded text, of which pieces are taken.
struct Recorded {
    /// Without blanks. What was taken is overwritten.
    letters: String,
    /// Where lines begin and end.
    borders: HashSet<usize>,
}

impl Recorded {
    fn new(said: &str) -> Self {
        let mut borders = HashSet::from([0]);
        let mut all = String::new();
        for line in said.split(['\n', '\r']) {
            all.push_str(&letters(line));
            borders.insert(all.len());
        }
        Self { letters: all, borders }
    }

    /// Takes a text out, if it is there: as whole lines, which is how harnesses submit several at once, or anywhere.
    fn take(&mut self, start: &str, anywhere: bool) -> bool {
        let is_cut = start.chars().count() >= ENOUGH;
        let is_line =
            |at: usize| self.borders.contains(&at) && (is_cut || self.borders.contains(&(at + start.len())));
        let found = self.letters.match_indices(start).map(|(at, _)| at).find(|at| anywhere || is_line(*at));
        let Some(at) = found else { return false };
        self.letters.replace_range(at..at + start.len(), &TAKEN.to_string().repeat(start.len()));
        true
    }
}

/// What stands where something was taken. No letter is a control character.
const TAKEN: char = '\0';

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
    /// Writes each as ` purpose:id:since:start`, with its start in hexadecimal, and `:crowded` if it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Entry { purpose, since, start, crowded, taken_back } in &self.0 {
            match purpose {
                Purpose::Turn(turn) => write!(f, " turn:{turn}")?,
                Purpose::Steer(delivery) => write!(f, " steer:{delivery}")?,
                Purpose::CalledOff(turn) if *taken_back => write!(f, " back:{turn}")?,
                Purpose::CalledOff(turn) => write!(f, " off:{turn}")?,
            }
            write!(f, ":{since}:")?;
            match start {
                Some(start) => start.bytes().try_for_each(|byte| write!(f, "{byte:02x}"))?,
                None => f.write_str("?")?,
            }
            if *crowded {
                f.write_str(":crowded")?;
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
        "off" | "back" => Purpose::CalledOff(id.parse().ok()?),
        _ => return None,
    };
    let start = match start {
        "?" => None,
        hex => Some(unhex(hex)?),
    };
    let crowded = match parts.next() {
        None => false,
        Some("crowded") => true,
        Some(_) => return None,
    };
    let entry = Entry { purpose, since: since.parse().ok()?, start, crowded, taken_back: kind == "back" };
    Some(entry).filter(|_| parts.next().is_none())
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

    impl Expected {
        /// Types something into an empty line.
        fn typed(&mut self, purpose: Purpose, text: &str, since: u64) {
            self.expect(purpose, text, since, false).unwrap();
        }
    }

    #[test]
    fn blanks_do_not_matter_and_words_do() {
        let mut expected = Expected::default();
        expected.typed(Purpose::Turn(turn(1)), "Fix  the\n\tbug", 0);
        for other in ["Fix the", "", "fix the bug", "Fix that bug"] {
            assert_eq!(expected.find(other, 0), NONE, "{other}");
        }
        for same in ["Fix the bug", " Fixthe\u{a0}bug\n", "Fix\rthe\r\nbug"] {
            assert_eq!(expected.find(same, 0), [Purpose::Turn(turn(1))], "{same}");
        }
        assert_eq!(expected.claim("Fix the bug", 0), [Purpose::Turn(turn(1))]);
        assert_eq!(expected.claim("Fix the bug", 0), NONE, "the second time it is a person's");
    }

    #[test]
    fn a_persons_words_are_theirs_though_ours_are_in_them() {
        let mut expected = Expected::default();
        expected.typed(steer(1), "ok", 0);
        expected.typed(Purpose::Turn(turn(2)), "do it", 0);
        for theirs in ["look at this", "is that ok", "ok, go on", "could you do it again", "do it\u{a0}ok?"] {
            assert_eq!(expected.claim(theirs, 0), NONE, "{theirs}");
        }
        assert_eq!(expected.claim("ok", 0), [steer(1)]);
        assert_eq!(expected.claim("do it", 0), [Purpose::Turn(turn(2))]);
    }

    #[test]
    fn what_was_submitted_with_a_persons_letters_is_known_where_they_typed_and_when_it_is_distinct() {
        let typed = |text: &str, crowded: bool| {
            let mut expected = Expected::default();
            expected.expect(steer(1), text, 0, crowded).unwrap();
            expected
        };
        for said in ["draFix the bug", "Fix the bug ft", "dra Fix the bug ft"] {
            assert_eq!(typed("Fix the bug", true).claim(said, 0), [steer(1)], "{said}");
            assert_eq!(typed("Fix the bug", false).claim(said, 0), NONE, "{said}");
        }
        // What others than people say has an envelope. It never becomes a person's, whatever it goes along with.
        for ours in ["[message from daemon]\n\nx", "[message from tab 3f2a]\n\nok"] {
            assert_eq!(typed(ours, false).claim(&format!("draft{ours}and more"), 0), [steer(1)], "{ours}");
        }
    }

    #[test]
    fn of_a_long_text_the_beginning_is_enough() {
        let mut expected = Expected::default();
        let long = "word ".repeat(1000);
        expected.typed(steer(1), &long, 0);
        assert_eq!(expected.claim(&long[..2000], 0), [steer(1)]);
    }

    #[test]
    fn several_are_told_apart_whatever_is_recorded_first() {
        let mut expected = Expected::default();
        expected.typed(steer(1), "go", 0);
        expected.typed(steer(2), "let us go", 0);
        assert_eq!(expected.claim("let us go", 0), [steer(2)], "the shorter one is not meant");
        assert_eq!(expected.claim("go", 0), [steer(1)]);
        // The same twice is two.
        expected.typed(steer(3), "again", 0);
        expected.typed(steer(4), "again", 0);
        assert_eq!(
            (expected.claim("again", 0), expected.claim("again", 0)),
            (vec![steer(3)], vec![steer(4)])
        );
    }

    #[test]
    fn a_harness_may_submit_what_it_has_queued_as_one() {
        let mut expected = Expected::default();
        expected.typed(steer(5), "one", 0);
        expected.typed(steer(6), "two\nlines", 0);
        expected.typed(steer(7), "lines", 0);
        let said = "one\n\ntwo\nlines\nby hand";
        assert_eq!(expected.claim(said, 0), [steer(5), steer(6)], "the last is a part of another");
        assert_eq!(expected.claim("lines\nlines", 0), [steer(7)]);
    }

    #[test]
    fn what_was_recorded_before_it_was_typed_is_a_persons() {
        let mut expected = Expected::default();
        expected.typed(Purpose::Turn(turn(1)), "go on", 100);
        assert_eq!(expected.claim("go on", 99), NONE);
        assert_eq!(expected.claim("something else", 120), NONE);
        assert_eq!(expected.claim("go on", 140), [Purpose::Turn(turn(1))]);
    }

    #[test]
    fn what_was_called_off_may_come_until_it_is_settled() {
        let mut expected = Expected::default();
        expected.typed(Purpose::Turn(turn(1)), "stop me", 0);
        expected.call_off(turn(1));
        assert_eq!(expected.claim("by hand, and submitted before", 0), NONE);
        assert_eq!(expected.find("stop me", 0), [Purpose::CalledOff(turn(1))]);
        // What was typed after it was taken: it never comes.
        expected.typed(Purpose::Turn(turn(2)), "next", 0);
        assert_eq!(expected.claim("next", 0), [Purpose::Turn(turn(2))]);
        assert_eq!(expected.claim("stop me", 0), NONE);
        // After a restart, so is what belongs to turns that are over.
        expected.typed(Purpose::Turn(turn(2)), "old", 0);
        expected.typed(Purpose::Turn(turn(3)), "new", 0);
        expected.call_off_others(Some(turn(3)));
        assert_eq!(expected.find("old", 0), [Purpose::CalledOff(turn(2))]);
        assert_eq!(expected.find("new", 0), [Purpose::Turn(turn(3))]);
    }

    #[test]
    fn what_was_taken_back_is_the_next_or_never_comes() {
        let mut expected = Expected::default();
        expected.typed(Purpose::Turn(turn(1)), "stop me", 10);
        expected.call_off(turn(1));
        expected.take_back();
        assert_eq!(expected.clone().claim("stop me", 10), [Purpose::CalledOff(turn(1))]);
        assert_eq!(expected.claim("from before", 9), NONE);
        assert_eq!(expected.find("stop me", 10), [Purpose::CalledOff(turn(1))]);
        // The same words once more are for their own turn.
        let mut again = expected.clone();
        again.typed(Purpose::Turn(turn(2)), "stop me", 20);
        assert_eq!(again.claim("stop me", 20), [Purpose::Turn(turn(2))]);
        assert_eq!(expected.claim("by hand", 10), NONE);
        assert_eq!(expected.claim("stop me", 10), NONE);
    }

    #[test]
    fn nothing_is_forgotten_and_no_more_is_typed_than_can_be_kept() {
        let mut expected = Expected::default();
        for number in 0..64 {
            expected.typed(steer(number), &format!("word {number}"), 0);
        }
        assert_eq!(expected.expect(steer(99), "one more", 0, false), Err(Full));
        assert_eq!(expected.expect(steer(3), "word 3", 0, false), Ok(()), "that is expected already");
        assert_eq!(expected.find("word 0", 0), [steer(0)], "the oldest is still ours");
        assert_eq!(expected.claim("word 0", 0), [steer(0)]);
        assert_eq!(expected.expect(steer(99), "one more", 0, false), Ok(()));
    }

    #[test]
    fn what_was_steered_too_late_belongs_to_the_turn_that_has_it_now() {
        let mut expected = Expected::default();
        let Purpose::Steer(delivery) = steer(1) else { unreachable!() };
        expected.typed(steer(1), "this way", 0);
        assert!(!expected.has(turn(2), "this way"));
        expected.adopt(turn(2), &[delivery]);
        assert!(expected.has(turn(2), "this  way") && !expected.has(turn(2), "that way"));
        assert_eq!(expected.claim("this way", 0), [Purpose::Turn(turn(2))]);
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let mut expected = Expected::default();
        assert_eq!((expected.to_string().as_str(), "".parse()), ("", Ok(Expected::default())));
        expected.typed(Purpose::CalledOff(turn(5)), "gone", 0);
        expected.take_back();
        expected.typed(Purpose::Turn(turn(1)), "é漢字 \"; $(x) #{y}", 7);
        expected.expect(steer(2), "", 8, true).unwrap();
        expected.typed(Purpose::CalledOff(turn(3)), "x", u64::MAX);
        expected.expect_anything(turn(4), 9);
        let written = expected.to_string();
        assert!(written.chars().all(|c| c.is_ascii_alphanumeric() || " :-?".contains(c)), "{written}");
        assert_eq!(written.parse(), Ok(expected));
        for bad in ["x", "turn:x:1:", "turn:1", " steer:::", "off:1:2:3:4"] {
            assert_eq!(bad.parse::<Expected>(), Err(()), "{bad}");
        }
    }
}
