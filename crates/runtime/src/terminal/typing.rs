//! Typing one message into a harness: when to paste, when to press Enter, and when to give up. Pure.

use std::time::Duration;

use tokio::time::Instant;

use super::expected::{self, Purpose, letters};
use super::resident::Screen;
use super::tmux::pasteable;

/// How long a harness may take to listen: a big one on a slow machine takes a while to start.
const START: Duration = Duration::from_secs(180);

/// How long a paste may take to show in the line, where something else has changed on the screen, and where nothing has:
/// some are shown as nothing at all.
const SETTLE: Duration = Duration::from_millis(400);
const SHOW: Duration = Duration::from_secs(1);

/// After how long Enter is pressed again. Pressed too soon after a paste, it may count as a part of it.
const AGAIN: Duration = Duration::from_millis(700);

/// How often Enter is pressed, each time after a longer while.
const PRESSES: u32 = 6;

/// How long after the last Enter a message may still turn up before a person is told.
const LAST: Duration = Duration::from_secs(5);

/// How long what a person has half typed must rest before it is taken out of the way, and for how long that is waited
/// for at most.
const REST: Duration = Duration::from_secs(2);
const POLITE: Duration = Duration::from_secs(15);

/// How long a line may take to show that it was emptied, and how often that is tried: once for each line of it.
const EMPTIES: Duration = Duration::from_millis(300);
const TRIES: u32 = 20;

/// What stands before a text that could be taken for a command, as before those of agents, and how that begins.
const HEADING: &str = "[message]\n\n";
const HEADING_BEGINS: char = '[';

/// What a person is told when a message is typed in and nothing comes of it.
const STALLED: &str = "the agent does not accept the typed message: it may hang, or wait for other input";

/// What is typed, and how far that is.
#[derive(Debug)]
pub(super) struct Typing {
    pub(super) purpose: Purpose,
    pub(super) text: String,
    letters: String,
    stage: Stage,
    /// Since when it has been waited for something.
    since: Instant,
    /// What it wanted from a person, as it was told last.
    told: Option<String>,
    /// What a person has half typed, since when it rests, and since when it has been waited for that.
    half_typed: Option<(String, Instant, Instant)>,
    /// What was taken out of the line, to be typed back.
    theirs: Option<String>,
    /// Only a person can help any more.
    stalled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    Waiting,
    Emptying { tries: u32 },
    Pasted { before: String },
    Entered { presses: u32 },
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Move {
    Nothing,
    /// Takes what a person has half typed out of the line.
    Empty,
    /// Takes this for what stands in a line that is empty.
    Learn(String),
    Paste,
    Enter,
    /// Says that a person has to answer something first.
    Tell(String),
    /// It does not work, for this reason.
    GiveUp(&'static str),
}

impl Typing {
    pub(super) fn new(purpose: Purpose, text: &str, now: Instant) -> Self {
        let text = pasteable(text);
        Self {
            purpose,
            letters: letters(&text),
            text,
            stage: Stage::Waiting,
            since: now,
            told: None,
            half_typed: None,
            theirs: None,
            stalled: false,
        }
    }

    /// Goes on after someone else has pasted it.
    pub(super) fn pasted(mut self) -> Self {
        self.stage = Stage::Pasted { before: String::new() };
        self
    }

    /// Goes back to where nothing was typed: the terminal did not take it.
    pub(super) fn not_pasted(&mut self, now: Instant) {
        self.enter(Stage::Waiting, now);
    }

    /// Waits again: the screen could not be read meanwhile.
    pub(super) fn unseen(&mut self, now: Instant) {
        self.since = now;
    }

    /// Says whether nothing of it was typed yet.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.stage, Stage::Waiting | Stage::Emptying { .. })
    }

    /// Says whether it was typed and not taken, so that only a person can help.
    pub(super) fn is_stalled(&self) -> bool {
        self.stalled
    }

    /// Says whether a person was typing into the line when it was emptied for this.
    pub(super) fn is_crowded(&self) -> bool {
        self.theirs.is_some()
    }

    /// Returns what a person had in the line before, once.
    pub(super) fn take_theirs(&mut self) -> Option<String> {
        self.theirs.take()
    }

    /// Says whether more was submitted than this.
    pub(super) fn is_less_than(&self, said: &str) -> bool {
        let said = letters(said);
        said.len() > self.letters.len() && said.contains(&self.letters)
    }

    /// Says whether it was submitted, alone or with more.
    pub(super) fn is_in(&self, said: &str) -> bool {
        expected::is_in(&self.text, said)
    }

    /// Says whether it is the same text as another.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        self.letters == other.letters
    }

    /// Decides what to do, given what the screen shows, and what stands in its line.
    pub(super) fn look(
        &mut self,
        readiness: &Screen,
        screen: &str,
        line: Option<String>,
        now: Instant,
    ) -> Move {
        if let Screen::Asks(words) = readiness {
            self.since = now;
            if self.told.as_ref() == Some(words) {
                return Move::Nothing;
            }
            self.told = Some(words.clone());
            return Move::Tell(words.clone());
        }
        let waited = now.duration_since(self.since);
        if *readiness == Screen::NotYet {
            return match waited > START {
                true if self.is_waiting() => Move::GiveUp("the agent does not accept typed input"),
                true => self.stall(),
                false => Move::Nothing,
            };
        }
        match (&self.stage, line) {
            (Stage::Waiting, Some(line)) => self.make_room(line, now),
            (Stage::Emptying { .. }, Some(_)) if waited <= EMPTIES => Move::Nothing,
            (Stage::Emptying { tries: 1 }, Some(line)) if self.theirs.as_ref() == Some(&line) => {
                // It cannot be emptied: it was not typed.
                self.theirs = None;
                self.enter(Stage::Waiting, now);
                Move::Learn(line)
            }
            (Stage::Emptying { tries }, Some(_)) if *tries < TRIES => {
                let tries = tries + 1;
                self.enter(Stage::Emptying { tries }, now);
                Move::Empty
            }
            (Stage::Waiting | Stage::Emptying { .. }, _) => {
                self.enter(Stage::Pasted { before: screen.to_owned() }, now);
                Move::Paste
            }
            // Before it is in the line an Enter may count as a part of it: then it would be waited for in vain.
            (Stage::Pasted { before }, line)
                if line.is_some() || waited > SHOW || (before != screen && waited > SETTLE) =>
            {
                self.enter(Stage::Entered { presses: 1 }, now);
                Move::Enter
            }
            (Stage::Pasted { .. }, _) => Move::Nothing,
            (Stage::Entered { presses }, _) if *presses < PRESSES && waited > AGAIN * *presses => {
                let presses = presses + 1;
                self.enter(Stage::Entered { presses }, now);
                Move::Enter
            }
            (Stage::Entered { presses }, _) if *presses >= PRESSES && waited > LAST => self.stall(),
            (Stage::Entered { .. }, _) => Move::Nothing,
        }
    }

    /// Leaves it to a person. What was pasted may be taken at any time, by one that was suspended, say: it cannot be
    /// called off any more.
    fn stall(&mut self) -> Move {
        if std::mem::replace(&mut self.stalled, true) {
            return Move::Nothing;
        }
        Move::Tell(STALLED.to_owned())
    }

    /// Empties the line once no person types into it.
    fn make_room(&mut self, line: String, now: Instant) -> Move {
        let (text, rests, since) = self.half_typed.get_or_insert_with(|| (line.clone(), now, now));
        if *text != line {
            (*text, *rests) = (line.clone(), now);
        }
        if now.duration_since(*rests) < REST && now.duration_since(*since) < POLITE {
            return Move::Nothing;
        }
        self.theirs = Some(line);
        self.enter(Stage::Emptying { tries: 1 }, now);
        Move::Empty
    }

    fn enter(&mut self, stage: Stage, now: Instant) {
        self.stage = stage;
        self.since = now;
    }
}

/// Makes of a text something that no harness takes for a command: of itself, of a shell, or to keep something in mind.
/// They know those by a sign at the beginning, or by a word that stands alone, like `exit`. Enter would complete what may
/// be the beginning of a name; behind a blank there is nothing to complete.
pub(super) fn spoken(text: &str) -> String {
    let begins = text.trim_start().chars().next();
    let is_speech = begins.is_some_and(|first| first.is_alphanumeric() || first == HEADING_BEGINS);
    let is_word = text.split_whitespace().nth(1).is_none();
    let heading = if is_speech && !is_word { "" } else { HEADING };
    format!("{heading}{text} ")
}

#[cfg(test)]
mod tests {
    use paseo_core::id::TurnId;

    use super::*;

    fn typing(text: &str, now: Instant) -> Typing {
        let turn = TurnId::from_parts(paseo_core::time::Timestamp::from_millis(1), [1; 10]);
        Typing::new(Purpose::Turn(turn), text, now)
    }

    #[test]
    fn it_waits_pastes_waits_and_presses_enter() {
        let now = Instant::now();
        let mut typing = typing("hi", now);
        assert_eq!(typing.look(&Screen::NotYet, "", None, now), Move::Nothing);
        assert_eq!(typing.look(&Screen::Ready, ">", None, now), Move::Paste);
        assert_eq!(typing.look(&Screen::Ready, ">", None, now), Move::Nothing);
        assert_eq!(typing.look(&Screen::Ready, "Welcome >", None, now), Move::Nothing, "that is not it");
        let line = Some("hi".to_owned());
        assert_eq!(typing.look(&Screen::Ready, "Welcome > hi", line, now), Move::Enter);
        assert_eq!(typing.look(&Screen::Ready, ">", None, now), Move::Nothing);
    }

    #[test]
    fn what_does_not_show_in_the_line_is_submitted_after_a_while() {
        let now = Instant::now();
        for (screen, after) in [("> [pasted]", SETTLE), (">", SHOW)] {
            let mut typing = typing("hi", now);
            assert_eq!(typing.look(&Screen::Ready, ">", None, now), Move::Paste);
            assert_eq!(typing.look(&Screen::Ready, screen, None, now + after), Move::Nothing);
            let later = now + after + Duration::from_millis(1);
            assert_eq!(typing.look(&Screen::Ready, screen, None, later), Move::Enter);
        }
    }

    #[test]
    fn enter_is_pressed_again_but_never_into_a_question() {
        let mut now = Instant::now();
        let mut typing = typing("hi", now).pasted();
        let line = Some("hi".to_owned());
        assert_eq!(typing.look(&Screen::Ready, "> hi", line, now), Move::Enter);
        now += AGAIN * 2;
        let question = Screen::Asks("Delete everything?".to_owned());
        assert_eq!(typing.look(&question, "?", None, now), Move::Tell("Delete everything?".to_owned()));
        assert_eq!(typing.look(&question, "?", None, now), Move::Nothing);
        assert_eq!(typing.look(&Screen::Ready, "> hi", None, now), Move::Nothing);
        let mut presses = 1;
        let told = loop {
            now += Duration::from_millis(500);
            match typing.look(&Screen::Ready, "> hi", None, now) {
                Move::Enter => presses += 1,
                Move::Nothing => {}
                other => break other,
            }
        };
        assert_eq!((presses, told), (PRESSES, Move::Tell(STALLED.to_owned())));
        // It may be taken at any time: it is neither typed again nor given up.
        for readiness in [Screen::Ready, Screen::NotYet] {
            now += START * 2;
            assert_eq!(typing.look(&readiness, "> hi", None, now), Move::Nothing);
        }
        assert!(typing.is_stalled());
    }

    #[test]
    fn what_a_person_has_half_typed_makes_room_and_comes_back() {
        let mut now = Instant::now();
        let mut typing = typing("hi", now);
        let mut look = |typing: &mut Typing, line: &str, millis: u64| {
            now += Duration::from_millis(millis);
            typing.look(&Screen::Ready, line, Some(line.to_owned()).filter(|line| !line.is_empty()), now)
        };
        assert_eq!(look(&mut typing, "dra", 0), Move::Nothing);
        assert_eq!(look(&mut typing, "draft", 1_900), Move::Nothing, "they type");
        assert_eq!(look(&mut typing, "draft", 2_000), Move::Empty);
        assert!(typing.is_waiting());
        assert_eq!(look(&mut typing, "draft", 10), Move::Nothing);
        assert_eq!(look(&mut typing, "dr", 400), Move::Empty, "there is more of it");
        assert_eq!(look(&mut typing, "", 30), Move::Paste);
        assert!(typing.is_crowded());
        assert_eq!(typing.take_theirs().as_deref(), Some("draft"));
        assert!(
            typing.is_less_than("draft hi") && !typing.is_less_than(" h i ") && !typing.is_less_than("h")
        );
    }

    #[test]
    fn what_cannot_be_taken_out_of_a_line_is_nobodys() {
        let mut now = Instant::now();
        let mut typing = typing("hi", now);
        let shown = || Some("Ask anything".to_owned());
        assert_eq!(typing.look(&Screen::Ready, "", shown(), now), Move::Nothing);
        now += REST;
        assert_eq!(typing.look(&Screen::Ready, "", shown(), now), Move::Empty);
        now += EMPTIES * 2;
        assert_eq!(typing.look(&Screen::Ready, "", shown(), now), Move::Learn("Ask anything".to_owned()));
        assert_eq!(typing.look(&Screen::Ready, "", None, now), Move::Paste);
        assert_eq!(typing.take_theirs(), None);
    }

    #[test]
    fn what_could_be_a_command_is_headed() {
        for said in
            ["Fix it!", "é !ls", "1 and /2", "[message from tab 3f2a]\n\n!ls", "  go on\n/exit", "修 复"]
        {
            assert_eq!(spoken(said), format!("{said} "));
        }
        for taken in [
            "!ls",
            "  !touch x",
            "\n/exit",
            "/model gpt",
            "# note",
            "@file it",
            "? what",
            "$a b",
            "&b c",
            "exit",
        ] {
            assert_eq!(spoken(taken), format!("[message]\n\n{taken} "));
        }
    }

    #[test]
    fn what_never_listens_is_given_up() {
        let now = Instant::now();
        let mut typing = typing("hi", now);
        let late = now + START + Duration::from_secs(1);
        assert!(matches!(typing.look(&Screen::NotYet, "", None, late), Move::GiveUp(_)));
    }

    #[test]
    fn while_nobody_sees_the_screen_no_time_passes_and_what_was_not_pasted_is_pasted() {
        let mut now = Instant::now();
        let mut typing = typing("hi", now);
        now += START * 2;
        typing.unseen(now);
        assert_eq!(typing.look(&Screen::NotYet, "", None, now), Move::Nothing);
        assert_eq!(typing.look(&Screen::Ready, ">", None, now), Move::Paste);
        typing.not_pasted(now);
        assert!(typing.is_waiting());
        assert_eq!(typing.look(&Screen::Ready, ">", None, now), Move::Paste);
    }
}
