//! Where a conversation's turns take what comes in while they run.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Personality, memory::Memory, record};

/// Something that came in for a conversation.
#[derive(Debug)]
pub(super) enum Nudge {
    Message(Message),
    /// With the request to answer, if it is the turn that answers.
    Interrupt(Value),
    /// An answer to a question of ours.
    Answer {
        id: String,
        value: Value,
    },
    /// Ends what an interrupt left running (codex).
    Clean,
    /// A command in the background came to its end (claude).
    Finished {
        task: String,
        code: i32,
    },
    /// There will be no more input.
    End,
}

#[derive(Debug, Clone)]
pub(super) struct Message {
    /// The sender's id for it.
    pub(super) id: Option<String>,
    pub(super) text: String,
    /// The turn it shall start (codex).
    pub(super) turn: String,
    /// As it came.
    pub(super) content: Value,
}

#[derive(Debug)]
pub(super) struct Desk {
    inbox: Receiver<Nudge>,
    pub(super) personality: Personality,
    pub(super) messages: VecDeque<Message>,
    pub(super) interrupted: bool,
    pub(super) interrupts: Vec<Value>,
    pub(super) finished: VecDeque<(String, i32)>,
    pub(super) clean: bool,
    pub(super) ended: bool,
    answers: Vec<(String, Value)>,
    /// How many deltas this turn had; the crashing one counts them.
    deltas: usize,
    garbage: bool,
}

/// Makes a desk and the way to put something on it.
pub(super) fn desk(personality: Personality) -> (SyncSender<Nudge>, Desk) {
    let (sender, inbox) = sync_channel(1024);
    let desk = Desk {
        inbox,
        personality,
        messages: VecDeque::new(),
        interrupted: false,
        interrupts: Vec::new(),
        finished: VecDeque::new(),
        clean: false,
        ended: false,
        answers: Vec::new(),
        deltas: 0,
        garbage: personality == Personality::Garbage,
    };
    (sender, desk)
}

impl Desk {
    /// Starts a turn: what was said to the last one does not count any more.
    pub(super) fn open(&mut self) {
        self.interrupted = false;
        self.deltas = 0;
        if self.personality == Personality::Wedged {
            loop {
                self.wait(Duration::from_secs(3600));
            }
        }
    }

    /// Says, once, that garbage is due.
    pub(super) fn take_garbage(&mut self) -> bool {
        std::mem::take(&mut self.garbage)
    }

    /// Waits for something to do.
    pub(super) fn idle(&mut self) {
        match self.inbox.recv() {
            Ok(nudge) => self.take(nudge),
            Err(_) => self.ended = true,
        }
    }

    /// Takes in what comes for a while; less when the turn is interrupted.
    pub(super) fn wait(&mut self, pause: Duration) {
        let end = Instant::now() + pause;
        loop {
            match self.inbox.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(nudge) => self.take(nudge),
                Err(RecvTimeoutError::Timeout) => return,
                // The turn goes on without input.
                Err(RecvTimeoutError::Disconnected) => {
                    self.ended = true;
                    std::thread::sleep(end.saturating_duration_since(Instant::now()));
                    return;
                }
            }
            if self.interrupted {
                return;
            }
        }
    }

    /// Waits before a delta, which a crashing fake may not survive.
    pub(super) fn before_delta(&mut self, pause: Duration, memory: &Memory) {
        self.wait(pause.max(self.personality.pause()));
        self.deltas += 1;
        if self.deltas > 2 {
            self.maybe_crash(memory);
        }
    }

    /// Dies, if that is its character.
    pub(super) fn maybe_crash(&self, memory: &Memory) {
        let crashes = match self.personality {
            Personality::Crashing => true,
            Personality::CrashingOnce => !memory.has_crashed(),
            _ => false,
        };
        if crashes {
            memory.crash();
            std::process::exit(3);
        }
    }

    /// Waits for the answer to a question; none when the turn is interrupted.
    pub(super) fn answer(&mut self, id: &str) -> Option<Value> {
        loop {
            if let Some(place) = self.answers.iter().position(|(known, _)| known == id) {
                return Some(self.answers.remove(place).1);
            }
            if self.interrupted || self.ended {
                return None;
            }
            self.wait(Duration::from_millis(5));
        }
    }

    fn take(&mut self, nudge: Nudge) {
        match nudge {
            Nudge::Message(message) => self.messages.push_back(message),
            Nudge::Interrupt(request) => {
                self.interrupted |= self.personality != Personality::Late;
                self.interrupts.push(request);
            }
            Nudge::Answer { id, value } => self.answers.push((id, value)),
            Nudge::Clean => self.clean = true,
            Nudge::Finished { task, code } => self.finished.push_back((task, code)),
            Nudge::End => self.ended = true,
        }
    }
}

/// Hands every line of input to a function, until there is none.
pub(super) fn each_line(mut take: impl FnMut(&str)) {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if !line.trim().is_empty() {
            take(&line);
        }
        // Whoever reads in the record that it came may rely on its being on the desk.
        record::input(&line);
    }
}
