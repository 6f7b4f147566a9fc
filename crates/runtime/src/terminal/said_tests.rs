//! Who said what a harness recorded. Nothing here waits: each record is complete before its driver looks at it.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, SessionId, TurnId};
use paseo_core::item::{Draft, Kind};
use paseo_core::time::Timestamp;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::bookmark::{Bookmark, Place};
use super::driver::{Desk, Driver, Work};
use super::record::Record;
use super::resident::{Resident, Screen, Seen};
use super::tmux::Tmux;
use super::typing::Move;
use crate::fresh::Ids;
use crate::provider::{Input, Message, Output, TurnEnd};

/// What the task of [`answered_before_the_driver_looks`] is.
pub(crate) const TASK: &str = "Please  <<say ready>>\nand stop";

/// A harness whose session file is where the test says, and lists one thing in a line.
struct Reading {
    file: PathBuf,
    /// Reads the lines; without one they are `said …`, `text …` and `over`.
    harness: Option<Box<dyn Resident>>,
    lines: u8,
}

impl Resident for Reading {
    fn readiness(&self, _screen: &str) -> Screen {
        Screen::Ready
    }

    fn in_line(&self, _screen: &str) -> Option<String> {
        None
    }

    fn has_commands(&self) -> bool {
        self.harness.is_some()
    }

    fn session_file(&self) -> Option<PathBuf> {
        self.file.is_file().then(|| self.file.clone())
    }

    fn line(&mut self, line: &str) -> Vec<Seen> {
        if let Some(harness) = &mut self.harness {
            return harness.line(line);
        }
        self.lines += 1;
        let id = Ids::derived(&["line", &self.lines.to_string()]).item(Timestamp::default());
        match line.split_once(' ') {
            Some(("said", text)) => vec![Seen::Said(text.replace("\\n", "\n"))],
            Some((_, text)) => {
                let draft = Draft::text(Kind::AssistantText, text);
                vec![Seen::Item { id, step: 1, parent: None, draft }]
            }
            None => vec![Seen::Ended(TurnEnd::Completed)],
        }
    }
}

/// A driver without a terminal: whatever it types goes nowhere, and the test writes what the harness records.
struct Play {
    folder: TempDir,
    driver: Driver,
    output: mpsc::Receiver<Output>,
}

impl Play {
    fn new(harness: Option<Box<dyn Resident>>) -> Self {
        Self::at(tempfile::tempdir().unwrap(), harness, Bookmark::default(), None)
    }

    fn at(
        folder: TempDir,
        harness: Option<Box<dyn Resident>>,
        bookmark: Bookmark,
        turn: Option<TurnId>,
    ) -> Self {
        let (_, inputs) = mpsc::channel(1);
        let (outputs, output) = mpsc::channel(64);
        let desk = Desk {
            tmux: Tmux::at(&folder.path().join("sock")),
            name: "red-1".to_owned(),
            pane: "%0".to_owned(),
            home: folder.path().to_owned(),
            session: SessionId::from_random([1; 16]),
            process: None,
        };
        let driver = Driver {
            resident: Box::new(Reading { file: folder.path().join("record"), harness, lines: 0 }),
            desk,
            inputs,
            outputs,
            ids: Ids::derived(&["play"]),
            record: Record::default(),
            silent_until: bookmark.place.position,
            known: HashSet::new(),
            reference: None,
            turn,
            begun: None,
            place: bookmark.place,
            work: Work::expecting(bookmark.expected),
        };
        Self { folder, driver, output }
    }

    /// Goes on as the next daemon does, which knows only what the bookmark says.
    fn restart(self, turn: Option<TurnId>) -> Self {
        let bookmark = self.driver.bookmark().to_string();
        Self::at(self.folder, None, Bookmark::parse(&bookmark).unwrap(), turn)
    }

    /// Is told something, and types it.
    async fn typed(&mut self, input: Input) {
        self.told(input).await;
        self.paste().await;
    }

    async fn told(&mut self, input: Input) {
        self.driver.take(input).await;
    }

    async fn paste(&mut self) {
        self.driver.next_typing();
        let typing = self.driver.work.typing.as_mut().unwrap();
        assert_eq!(typing.look(&Screen::Ready, "", None, Instant::now()), Move::Paste);
        self.driver.paste().await.unwrap();
    }

    /// The harness records this, all at once, before the driver looks again. Returns what the driver then tells.
    async fn records(&mut self, lines: &str) -> Vec<String> {
        let path = self.folder.path().join("record");
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, before + lines).unwrap();
        self.tells().await
    }

    async fn tells(&mut self) -> Vec<String> {
        self.driver.follow().await;
        std::iter::from_fn(|| self.output.try_recv().ok()).filter_map(|output| word(&output)).collect()
    }
}

fn word(output: &Output) -> Option<String> {
    Some(match output {
        Output::Handed { turn } => format!("handed {}", number(turn)),
        Output::Steered { .. } => "steered".to_owned(),
        Output::Typed { text, .. } => format!("a person: {text}"),
        Output::TurnBegan { .. } => "own turn".to_owned(),
        Output::TurnEnded { turn, .. } => format!("ended {}", number(turn)),
        Output::Item { draft, .. } if draft.kind == Kind::AssistantText => {
            format!("answer {}", draft.text.as_deref().unwrap_or_default())
        }
        _ => return None,
    })
}

fn turn(number: u8) -> TurnId {
    TurnId::from_parts(Timestamp::from_millis(1), [number; 10])
}

/// Returns the number of a turn that a test made; those of the driver's own have none.
fn number(id: &TurnId) -> String {
    (0..9).find(|number| turn(*number) == *id).map_or_else(|| "own".to_owned(), |number| number.to_string())
}

fn message(number: u8, text: &str) -> Message {
    let delivery = DeliveryId::from_parts(Timestamp::from_millis(1), [number; 10]);
    Message {
        attachments: Vec::new(),
        delivery,
        origin: Actor::Human("cli".to_owned()),
        text: text.to_owned(),
    }
}

fn begins(number: u8, text: &str) -> Input {
    Input::Turn { turn: turn(number), messages: vec![message(number, text)] }
}

fn steers(number: u8, text: &str) -> Input {
    Input::Steer { message: message(number, text) }
}

/// Plays a harness that records its task and answers it before its driver looks again. `lines` is what it writes down: the
/// task with other blanks, an answer, the end.
pub(crate) async fn answered_before_the_driver_looks(harness: Box<dyn Resident>, lines: &[String]) {
    let mut play = Play::new(Some(harness));
    play.typed(begins(1, TASK)).await;
    let told = play.records(&(lines.join("\n") + "\n")).await;
    assert_eq!(told, ["handed 1", "answer ready", "ended 1"]);
    assert!(play.driver.work.typing.is_none(), "nothing more is typed");
}

#[tokio::test]
async fn a_message_is_known_however_fast_it_is_recorded_and_answered() {
    let mut play = Play::new(None);
    play.typed(begins(1, "Fix the\n\nbug")).await;
    assert_eq!(
        play.records("said Fix the bug\ntext done\nover\n").await,
        ["handed 1", "answer done", "ended 1"]
    );
    // The same words, typed by a person.
    assert_eq!(
        play.records("said Fix the bug\ntext again\nover\n").await,
        ["a person: Fix the bug", "answer again", "ended own"]
    );
    // And once more by us.
    play.typed(begins(2, "Fix the bug")).await;
    assert_eq!(play.records("said Fix the bug\nover\n").await, ["handed 2", "ended 2"]);
}

#[tokio::test]
async fn what_a_person_typed_before_us_is_theirs_even_with_the_same_words() {
    let mut play = Play::new(None);
    play.told(begins(1, "go on")).await;
    assert_eq!(play.records("said go on\n").await, ["a person: go on"], "nothing was typed yet");
    // Recorded, and not read yet, when ours is typed.
    let path = play.folder.path().join("record");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "over\nsaid go on\nover\n").unwrap();
    play.paste().await;
    let told = play.records("said go on\nover\n").await;
    assert_eq!(told, ["ended own", "a person: go on", "ended own", "handed 1", "ended 1"]);
}

#[tokio::test]
async fn several_messages_are_told_apart() {
    let mut play = Play::new(None);
    play.typed(begins(1, "begin")).await;
    assert_eq!(play.records("said begin\n").await, ["handed 1"]);
    play.typed(steers(2, "left")).await;
    assert_eq!(play.records("said by hand\nsaid left\n").await, ["a person: by hand", "steered"]);
    play.typed(steers(3, "right")).await;
    assert_eq!(
        play.records("said right\nsaid right\nover\n").await,
        ["steered", "a person: right", "ended 1"]
    );
}

#[tokio::test]
async fn what_came_too_late_for_its_turn_belongs_to_the_one_that_has_it_now() {
    let mut play = Play::new(None);
    play.typed(begins(1, "begin")).await;
    play.records("said begin\n").await;
    play.typed(steers(2, "this way")).await;
    // The turn ends, and the harness takes the message as a turn of its own, before the driver looks.
    assert_eq!(play.records("over\nsaid this way\ntext done\nover\n").await, ["ended 1"], "it waits");
    play.told(begins(2, "this way")).await;
    assert_eq!(play.tells().await, ["handed 2", "answer done", "ended 2"]);
    assert!(play.driver.work.typing.is_none(), "it is not typed again");
}

#[tokio::test]
async fn what_came_too_late_for_its_turn_is_nobodys_words_when_no_turn_has_it() {
    let mut play = Play::new(None);
    play.typed(begins(1, "begin")).await;
    play.records("said begin\n").await;
    play.typed(steers(2, "this way")).await;
    play.driver.work.last_look = true;
    assert_eq!(play.records("over\nsaid this way\nover\n").await, ["ended 1", "own turn", "ended own"]);
}

#[tokio::test]
async fn a_message_that_goes_with_others_after_it_was_typed_is_known_as_well() {
    let mut play = Play::new(None);
    play.typed(begins(1, "begin")).await;
    play.records("said begin\n").await;
    play.typed(steers(2, "this way")).await;
    play.records("over\n").await;
    let messages = vec![message(2, "this way"), message(3, "and that way")];
    play.typed(Input::Turn { turn: turn(2), messages }).await;
    let whole = play.driver.work.typing.as_ref().unwrap().text.replace('\n', "\\n");
    let told = play.records(&format!("said this way\nover\nsaid {whole}\nover\n")).await;
    assert_eq!(told, ["handed 2", "ended 2", "own turn", "ended own"]);
}

#[tokio::test]
async fn the_next_daemon_knows_what_this_one_typed() {
    let mut play = Play::new(None);
    play.typed(begins(1, "begin")).await;
    let mut play = play.restart(None);
    // It was recorded and answered meanwhile, and this daemon was not told what was to be typed.
    assert_eq!(play.records("said begin\ntext done\n").await, ["handed 1", "answer done"]);
    play.told(begins(1, "begin")).await;
    assert!(play.driver.work.typing.is_none(), "it is not typed again");

    play.typed(steers(2, "left")).await;
    let mut play = play.restart(Some(turn(1)));
    assert_eq!(
        play.records("said left\nsaid left\nover\n").await[1..],
        ["steered", "a person: left", "ended 1"]
    );
}

#[tokio::test]
async fn the_next_daemon_goes_on_with_what_is_in_the_line() {
    let mut play = Play::new(None);
    play.typed(begins(1, "begin")).await;
    let mut play = play.restart(None);
    play.told(begins(1, "begin")).await;
    let typing = play.driver.work.typing.as_mut().unwrap();
    let line = Some("begin".to_owned());
    assert_eq!(typing.look(&Screen::Ready, "> begin", line, Instant::now()), Move::Enter);
    assert_eq!(play.records("said begin\nover\n").await, ["handed 1", "ended 1"]);
    assert_eq!(play.driver.place, Place::begun(11, turn(1)));
}

#[tokio::test]
async fn a_long_paste_is_known_by_its_beginning() {
    let mut play = Play::new(None);
    let long = "many words ".repeat(2_000);
    play.typed(begins(1, &long)).await;
    let told = play.records(&format!("said {} [+ 1900 lines]\nover\n", &long[..1_000])).await;
    assert_eq!(told[0], "handed 1");
}

#[tokio::test]
async fn what_was_called_off_and_is_taken_all_the_same_is_not_a_persons() {
    let mut play = Play::new(None);
    play.typed(begins(1, "begin")).await;
    play.told(Input::Interrupt).await;
    assert_eq!(play.records("said begin\nover\n").await, ["handed 1", "ended 1"]);
}

#[tokio::test]
async fn a_persons_words_are_theirs_though_a_message_that_waits_is_in_them() {
    let mut play = Play::new(None);
    play.typed(begins(1, "do it")).await;
    // All of it is recorded and answered before the driver looks: theirs was queued when ours was typed.
    let told =
        play.records("said could you do it again\ntext twice\nover\nsaid do it\ntext once\nover\n").await;
    assert_eq!(
        told,
        [
            "a person: could you do it again",
            "answer twice",
            "ended own",
            "handed 1",
            "answer once",
            "ended 1"
        ]
    );
}

#[tokio::test]
async fn what_was_called_off_is_not_a_persons_though_a_persons_words_come_first() {
    let mut play = Play::new(None);
    play.typed(begins(1, "begin")).await;
    play.told(Input::Interrupt).await;
    assert_eq!(
        play.records("said by hand\nsaid begin\nover\n").await,
        ["a person: by hand", "handed 1", "ended 1"]
    );
}

#[tokio::test]
async fn nothing_is_typed_that_could_not_be_told_from_a_persons_words() {
    let mut play = Play::new(None);
    for number in 10..74 {
        play.typed(begins(number, &format!("word {number}"))).await;
        play.told(Input::Interrupt).await;
    }
    play.told(begins(9, "one more")).await;
    assert!(play.driver.paste().await.is_err());
    // The oldest is still known to be ours.
    assert_eq!(play.records("said word 10\n").await, ["handed own"]);
}
