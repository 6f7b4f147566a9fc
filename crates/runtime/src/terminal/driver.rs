//! The imperative shell of a harness in a terminal: types for it, looks at its screen and follows its session file.

use std::collections::{HashSet, VecDeque};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use paseo_core::envelope::together;
use paseo_core::id::{DeliveryId, ItemId, SessionId, TurnId};
use paseo_core::permission::{ON_SCREEN, Power, Request, Shape};
use serde_json::Value;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};

use super::bookmark::{Bookmark, Place};
use super::expected::{Expected, Full, Purpose};
use super::leaving::{Stop, ended};
use super::record::{Record, Span};
use super::resident::{Resident, Screen, Seen};
use super::tmux::{Error, Tmux};
use super::typing::{Move, Typing, spoken};
use crate::fresh::Ids;
use crate::provider::{Failed, FailureCode, Input, Message, Output, TurnEnd};

/// How often it is looked while something is being typed, and while it is not.
pub(super) const BUSY: Duration = Duration::from_millis(30);
pub(super) const CALM: Duration = Duration::from_millis(100);

/// How often it is looked for a file that may never come, and at the screen of a turn that goes on by itself.
const RARELY: Duration = Duration::from_secs(1);

/// How long a turn may take to end after it was interrupted, before the screen decides.
const INTERRUPT: Duration = Duration::from_secs(5);

/// How many lines of the last screen are told when it ends.
pub(super) const LAST_LINES: usize = 20;

/// A harness in a terminal.
pub(super) struct Driver {
    pub(super) resident: Box<dyn Resident>,
    pub(super) desk: Desk,
    pub(super) inputs: mpsc::Receiver<Input>,
    pub(super) outputs: mpsc::Sender<Output>,
    pub(super) ids: Ids,
    pub(super) record: Record,
    /// What stands before this in the file is known to everybody.
    pub(super) silent_until: u64,
    pub(super) known: HashSet<ItemId>,
    pub(super) reference: Option<String>,
    /// The turn that runs.
    pub(super) turn: Option<TurnId>,
    /// The newest turn of ours that the harness is known to have taken.
    pub(super) begun: Option<TurnId>,
    /// As the bookmark has it.
    pub(super) place: Place,
    pub(super) work: Work,
}

/// Where the terminal is.
pub(super) struct Desk {
    pub(super) tmux: Arc<Tmux>,
    pub(super) name: String,
    pub(super) pane: String,
    pub(super) home: PathBuf,
    pub(super) session: SessionId,
    /// `None` when it has ended already.
    pub(super) process: Option<AsyncFd<OwnedFd>>,
}

/// What is under way.
#[derive(Default)]
pub(super) struct Work {
    pub(super) typing: Option<Typing>,
    waiting: VecDeque<Typing>,
    /// What was typed and is not recorded yet.
    pub(super) expected: Expected,
    /// What was read from the session file and not dealt with yet.
    seen: VecDeque<(Span, Seen)>,
    /// When a turn that was interrupted is over even if its file does not say so.
    interrupted: Option<Instant>,
    /// A message was recorded whose turn is not known yet: until when that is waited for.
    pub(super) unclaimed: Option<Instant>,
    /// The harness has ended: nothing is waited for any more.
    pub(super) last_look: bool,
    looked_for_file: Option<Instant>,
    looked_at_screen: Option<Instant>,
    /// Nothing was typed into it since it was started.
    pub(super) fresh: bool,
    /// What its empty input line shows.
    idle_lines: HashSet<String>,
    /// What the screen asks a person.
    asked: Option<String>,
}

impl Work {
    /// Nothing is under way but what was typed and is not recorded yet.
    pub(super) fn expecting(expected: Expected) -> Self {
        Self { expected, ..Self::default() }
    }
}

impl Driver {
    pub(super) async fn run(mut self, mut word: oneshot::Receiver<()>) {
        let process = self.desk.process.take();
        let stop = loop {
            let pause = if self.work.typing.is_some() { BUSY } else { CALM };
            tokio::select! {
                word = &mut word => break Stop::by(word),
                () = ended(process.as_ref()) => break Stop::Ended,
                Some(input) = self.inputs.recv() => self.take(input).await,
                () = sleep(pause) => {}
            }
            self.follow().await;
            // A tmux that hangs does not block the exit.
            tokio::select! {
                biased;
                word = &mut word => break Stop::by(word),
                () = ended(process.as_ref()) => break Stop::Ended,
                () = self.act() => {}
            }
        };
        self.leave(stop, word).await;
    }

    async fn act(&mut self) {
        self.type_on().await;
        self.watch().await;
    }

    pub(super) async fn take(&mut self, input: Input) {
        match input {
            Input::Turn { turn, messages } => self.begin(turn, &messages).await,
            Input::Steer { message } if self.turn.is_some() => {
                let typing = self.typing(Purpose::Steer(message.delivery), &message.text);
                self.work.waiting.push_back(typing);
            }
            Input::Interrupt => self.interrupt().await,
            // Nothing is asked and no tool is called through us.
            Input::Steer { .. } | Input::Permission { .. } | Input::ToolResult { .. } => {}
        }
    }

    async fn begin(&mut self, turn: TurnId, messages: &[Message]) {
        if self.begun == Some(turn) {
            return;
        }
        let text = together(messages.iter().map(|message| (&message.origin, message.text.as_str())));
        let typing = self.typing(Purpose::Turn(turn), &text);
        let deliveries: Vec<DeliveryId> = messages.iter().map(|message| message.delivery).collect();
        self.work.expected.adopt(turn, &deliveries);
        let is_typed = self.work.expected.has(turn, &typing.text);
        match &mut self.work.typing {
            // It was on its way into a turn that is over: now it is a turn of its own.
            Some(steered) if is_typed && steered.is_same_as(&typing) => steered.purpose = Purpose::Turn(turn),
            _ => self.work.typing = Some(if is_typed { typing.pasted() } else { typing }),
        }
        self.follow().await;
    }

    fn typing(&self, purpose: Purpose, text: &str) -> Typing {
        let said = if self.resident.has_commands() { spoken(text) } else { text.to_owned() };
        Typing::new(purpose, &said, Instant::now())
    }

    /// Reads what the harness wrote since.
    pub(super) async fn follow(&mut self) {
        let now = Instant::now();
        let busy = self.turn.is_some() || self.work.typing.is_some();
        let due = self.work.looked_for_file.is_none_or(|last| busy || now.duration_since(last) >= RARELY);
        if !self.record.is_found() && due {
            self.work.looked_for_file = Some(now);
            if let Some(path) = self.resident.session_file() {
                self.record.open(path);
            }
        }
        loop {
            while let Some((line, seen)) = self.work.seen.pop_front() {
                if !self.see(line, &seen).await {
                    return self.work.seen.push_front((line, seen));
                }
            }
            let Some(line) = self.record.next() else { return };
            let is_known = line.span.end <= self.silent_until;
            let seen = self.resident.line(&line.text).into_iter();
            let news = seen.filter(|seen| !is_known || matches!(seen, Seen::Reference(_)));
            self.work.seen.extend(news.map(|seen| (line.span, seen)));
        }
    }

    /// Takes in what stands in a line. False when it has to wait.
    async fn see(&mut self, line: Span, seen: &Seen) -> bool {
        match seen {
            Seen::Reference(reference) => self.refer(reference.clone()).await,
            Seen::Said(text) => return self.said(text, line).await,
            Seen::Item { id, step, parent, draft } => {
                if self.known.insert(*id) {
                    let (id, step, parent, draft) = (*id, *step, parent.clone(), draft.clone());
                    self.tell(Output::Item { id, step, parent, draft }).await;
                }
            }
            Seen::Ended(end) => self.turn_ended(end.clone()).await,
        }
        true
    }

    async fn refer(&mut self, reference: String) {
        if self.reference.as_ref() != Some(&reference) {
            self.reference = Some(reference.clone());
            self.tell(Output::Reference(reference)).await;
        }
    }

    async fn turn_ended(&mut self, end: TurnEnd) {
        self.work.interrupted = None;
        self.answered().await;
        // What was to come into the turn comes after it, in a turn of its own.
        self.work.waiting.clear();
        self.work.typing.take_if(|typing| typing.is_waiting() && matches!(typing.purpose, Purpose::Steer(_)));
        // The bookmark stays at its beginning: it is unknown yet whether this was heard.
        if let Some(turn) = self.turn.take() {
            self.tell(Output::TurnEnded { turn, end }).await;
        }
    }

    /// Goes on with what is to be typed.
    async fn type_on(&mut self) {
        self.next_typing();
        if self.work.typing.is_none() {
            return;
        }
        let Ok(screen) = self.desk.tmux.screen(&self.desk.pane).await else {
            return self.work.typing.iter_mut().for_each(|typing| typing.unseen(Instant::now()));
        };
        let readiness = self.resident.readiness(&screen);
        let stalled = self.work.typing.as_ref().is_some_and(Typing::is_stalled);
        if !matches!(readiness, Screen::Asks(_)) && !stalled {
            self.answered().await;
        }
        let line = match readiness {
            Screen::Ready => self.in_line(&screen),
            _ => None,
        };
        let Some(typing) = &mut self.work.typing else { return };
        match typing.look(&readiness, &screen, line, Instant::now()) {
            Move::Nothing => {}
            Move::Empty => {
                self.desk.note(self.desk.tmux.press(&self.desk.name, self.resident.emptying()).await);
            }
            Move::Learn(line) => {
                self.work.idle_lines.insert(line);
            }
            Move::Paste => {
                if let Err(Full) = self.paste().await {
                    let why = "too many earlier messages were typed, and the agent recorded none of them";
                    self.give_up(why, &screen).await;
                }
            }
            Move::Enter => self.desk.note(self.desk.tmux.press(&self.desk.name, &["Enter"]).await),
            Move::Tell(words) => self.ask_person(words).await,
            Move::GiveUp(why) => self.give_up(why, &screen).await,
        }
    }

    /// Types no more of a message. One that was to go into the running turn stays with the daemon.
    async fn give_up(&mut self, why: &str, screen: &str) {
        let Some(mut typing) = self.work.typing.take() else { return };
        self.give_back(typing.take_theirs()).await;
        if let Purpose::Turn(turn) = typing.purpose {
            let shown = last_lines(screen);
            let text =
                format!("Could not type the message into the terminal: {why}. The terminal shows:\n{shown}");
            let code = FailureCode::Own("not_submitted".to_owned());
            let end = TurnEnd::Failed(Failed { code, text, until: None });
            self.tell(Output::TurnEnded { turn, end }).await;
        }
    }

    /// Takes up what is to be typed next.
    pub(super) fn next_typing(&mut self) {
        if self.work.typing.is_none() {
            self.work.typing = self.work.waiting.pop_front();
        }
    }

    /// Pastes what is to be typed. From before the first key on it is expected, here and by the next driver: what cannot
    /// be is not typed.
    pub(super) async fn paste(&mut self) -> Result<(), Full> {
        let Some(typing) = &self.work.typing else { return Ok(()) };
        let (purpose, text, crowded) = (typing.purpose, typing.text.clone(), typing.is_crowded());
        self.work.expected.expect(purpose, &text, self.record.length(), crowded)?;
        if let Purpose::Turn(_) = purpose {
            let unread = self.work.seen.front().map(|(line, _)| line.begin);
            self.place = Place::idle(unread.unwrap_or_else(|| self.record.position()));
        }
        let pasted = self.desk.paste(&self.bookmark(), &text).await;
        if matches!(pasted, Err(Error::Silent { .. })) {
            self.work.expected.withdraw(purpose);
            self.work.typing.iter_mut().for_each(|typing| typing.not_pasted(Instant::now()));
        }
        self.desk.note(pasted);
        Ok(())
    }

    /// Returns what a person has in the line.
    fn in_line(&mut self, screen: &str) -> Option<String> {
        let line = self.resident.in_line(screen);
        if std::mem::take(&mut self.work.fresh) {
            // It listens for the first time: nothing was typed yet.
            self.work.idle_lines.extend(line.clone());
        }
        line.filter(|line| !self.work.idle_lines.contains(line))
    }

    /// Types back what was taken out of the way.
    pub(super) async fn give_back(&mut self, theirs: Option<String>) {
        if let Some(theirs) = theirs {
            self.desk.note(self.desk.tmux.paste(&self.desk.name, &theirs).await);
        }
    }

    /// Looks at what goes on without us: a question to a person, a turn that was interrupted.
    async fn watch(&mut self) {
        let now = Instant::now();
        let due = self.work.looked_at_screen.is_none_or(|last| now.duration_since(last) >= RARELY);
        if self.turn.is_none() || self.work.typing.is_some() || !due {
            return;
        }
        self.work.looked_at_screen = Some(now);
        let Ok(screen) = self.desk.tmux.screen(&self.desk.pane).await else { return };
        let readiness = self.resident.readiness(&screen);
        if !matches!(readiness, Screen::Asks(_)) {
            self.answered().await;
        }
        match readiness {
            Screen::Asks(words) => self.ask_person(words).await,
            Screen::Ready if self.work.interrupted.is_some_and(|until| now >= until) => {
                let keys = self.resident.taken_back();
                let is_empty = if keys.is_empty() {
                    self.in_line(&screen).is_none()
                } else {
                    let pressed = self.desk.tmux.press(&self.desk.name, keys).await;
                    let is_pressed = pressed.is_ok();
                    self.desk.note(pressed);
                    is_pressed
                };
                if is_empty {
                    self.work.expected.take_back();
                }
                self.turn_ended(TurnEnd::Interrupted).await;
            }
            Screen::Ready | Screen::NotYet => {}
        }
    }

    /// Tells that only a person in the terminal can answer what its screen asks.
    async fn ask_person(&mut self, words: String) {
        if self.work.asked.as_ref() == Some(&words) {
            return;
        }
        self.answered().await;
        let name = &self.desk.name;
        let text = format!("{words} (answer in the terminal: `paseo worker attach {name}`)");
        self.work.asked = Some(words);
        let request = Request {
            // It asks one thing at a time.
            call: ON_SCREEN.to_owned(),
            tool: ON_SCREEN.to_owned(),
            input: Value::Null,
            power: Power::Read,
            shape: Shape::Question { text },
            form: None,
        };
        self.tell(Output::Ask(request)).await;
    }

    /// Takes a question back that stands on the screen no more.
    pub(super) async fn answered(&mut self) {
        if self.work.asked.take().is_some() {
            self.tell(Output::AskWithdrawn { call: ON_SCREEN.to_owned() }).await;
        }
    }

    async fn interrupt(&mut self) {
        let typing = self.work.typing.take_if(|typing| matches!(typing.purpose, Purpose::Turn(_)));
        if let Some(typing) = typing
            && let Purpose::Turn(turn) = typing.purpose
        {
            if typing.is_waiting() {
                // Nothing was typed yet.
                return self.tell(Output::TurnEnded { turn, end: TurnEnd::Interrupted }).await;
            }
            self.turn = Some(turn);
            self.work.expected.call_off(turn);
        }
        self.work.interrupted = Some(Instant::now() + INTERRUPT);
        let key = self.resident.interrupt();
        self.desk.note(self.desk.tmux.press(&self.desk.name, &[key]).await);
    }

    /// Returns the turn of which nothing was typed yet.
    pub(super) fn untyped(&self) -> Option<TurnId> {
        let typing = self.work.typing.as_ref().filter(|typing| typing.is_waiting())?;
        match typing.purpose {
            Purpose::Turn(turn) => Some(turn),
            Purpose::Steer(_) | Purpose::CalledOff(_) => None,
        }
    }

    pub(super) async fn tell(&mut self, output: Output) {
        // The receiver may be gone; the terminal goes on.
        self.outputs.send(output).await.ok();
    }

    /// Takes up a turn that was taken before we came, and tells so.
    pub(super) async fn take_up(&mut self, turn: TurnId) {
        self.turn = Some(turn);
        self.begun = Some(turn);
        self.tell(Output::Handed { turn }).await;
    }

    /// Notes for the next driver how far we are.
    pub(super) async fn mark(&mut self, place: Place) {
        self.place = place;
        self.desk.mark(&self.bookmark()).await;
    }

    pub(super) fn bookmark(&self) -> Bookmark {
        Bookmark { place: self.place, expected: self.work.expected.clone() }
    }
}

impl Desk {
    async fn mark(&self, bookmark: &Bookmark) {
        self.note(self.tmux.mark(&self.name, &bookmark.to_string()).await);
    }

    /// Pastes a message. The next driver has to know before that it may have been pasted.
    async fn paste(&self, before: &Bookmark, text: &str) -> Result<(), Error> {
        self.tmux.mark(&self.name, &before.to_string()).await?;
        self.tmux.paste(&self.name, text).await
    }

    /// Failures of tmux show in the outcome of the turn.
    pub(super) fn note<T>(&self, done: Result<T, Error>) {
        if let Err(error) = done {
            tracing::warn!(%error, name = self.name, "a terminal does not respond to commands");
        }
    }
}

fn last_lines(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}
