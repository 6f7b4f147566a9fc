//! A harness: the agent program at the other end, with moods. What it took is the truth of a run.

use paseo_core::id::{CauseId, DeliveryId, TurnId};
use paseo_core::session::{Outcome, Source, Turn};
use paseo_core::tool::Grants;

use super::ledger::Messages;
use super::owner::Input;
use super::random::Random;

/// A process that runs one turn. It dies with the daemon.
#[derive(Debug)]
pub(super) struct Harness {
    pub(super) turn: TurnId,
    pub(super) cause: CauseId,
    pub(super) hop: u32,
    messages: Vec<DeliveryId>,
    steering: Vec<DeliveryId>,
    mood: Mood,
    stopping: bool,
    /// How many things the agent still wants to say or do to others.
    words: usize,
    /// How many calls it waits for.
    waiting: usize,
    /// The tools that it was given.
    pub(super) grants: Grants,
    temper: Temper,
}

/// What a run's agents and people are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Temper {
    /// Harnesses fail, people stop and close.
    Moody,
    /// Everybody goes on talking, until nobody pays for it any more.
    Loud,
    /// Everybody starts agents that start agents.
    Fertile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Reading,
    Working,
    Asking,
}

/// What a harness does in one step.
#[derive(Debug)]
pub(super) enum Act {
    /// Tells its owner something and goes on.
    Tell(Input),
    /// Tells its owner that it is done.
    Finish(Input),
    /// Turns to the others.
    Speak,
    Nothing,
}

impl Harness {
    /// Receives the messages of a turn.
    pub(super) fn start(turn: &Turn, grants: Grants, words: usize, temper: Temper) -> Self {
        Self {
            turn: turn.id,
            cause: turn.cause,
            hop: turn.hop,
            messages: turn.deliveries.iter().map(|pending| pending.id).collect(),
            steering: Vec::new(),
            mood: Mood::Reading,
            stopping: false,
            words,
            waiting: 0,
            grants,
            temper,
        }
    }

    /// Waits for one more call.
    pub(super) fn wait(&mut self) {
        self.waiting += 1;
    }

    /// One of its calls came back.
    pub(super) fn resume(&mut self) {
        self.waiting -= 1;
    }

    /// Says whether it can do something by itself.
    pub(super) fn is_ready(&self) -> bool {
        self.waiting == 0 || self.stopping
    }

    /// Dies while it waits, or does not.
    pub(super) fn fail(&self) -> Option<Act> {
        (self.waiting > 0).then(|| self.finish(Outcome::Failed, Source::ProcessExit))
    }

    /// Receives a message into the running turn.
    pub(super) fn steer(&mut self, message: DeliveryId) {
        self.steering.push(message);
    }

    /// Is told to stop. It may still finish on its own.
    pub(super) fn interrupt(&mut self) {
        self.stopping = true;
    }

    /// Does something.
    pub(super) fn act(&mut self, random: &mut Random, ledger: &mut Messages) -> Act {
        if self.stopping && random.percent(60) {
            return self.finish(Outcome::Interrupted, Source::Person);
        }
        if self.waiting > 0 {
            return Act::Nothing;
        }
        match self.mood {
            Mood::Reading => self.read(random, ledger),
            Mood::Asking => {
                self.mood = Mood::Working;
                Act::Tell(Input::Answered(self.turn))
            }
            Mood::Working => self.work(random, ledger),
        }
    }

    fn read(&mut self, random: &mut Random, ledger: &mut Messages) -> Act {
        match random.below(20) {
            0 if self.temper == Temper::Moody => return self.finish(Outcome::Failed, Source::ProcessExit),
            1..=9 => return Act::Nothing,
            _ => {}
        }
        self.messages.iter().for_each(|id| ledger.take(*id));
        if random.percent(5) {
            // Some answer without ever confirming.
            return self.complete(ledger);
        }
        self.mood = Mood::Working;
        // Some take the words and die before they say so.
        if random.percent(5) {
            return self.finish(Outcome::Failed, Source::ProcessExit);
        }
        Act::Tell(Input::Confirmed(self.turn))
    }

    fn work(&mut self, random: &mut Random, ledger: &mut Messages) -> Act {
        match random.below(20) {
            0 if self.temper == Temper::Moody => self.finish(Outcome::Failed, Source::Protocol),
            1 if self.temper == Temper::Moody => self.finish(Outcome::Failed, Source::ProcessExit),
            2 => {
                self.mood = Mood::Asking;
                Act::Tell(Input::Asked(self.turn))
            }
            3..=6 if !self.steering.is_empty() => {
                let message = self.steering.remove(0);
                ledger.take(message);
                Act::Tell(Input::Took(message))
            }
            3..=18 if self.words > 0 => {
                self.words -= 1;
                Act::Speak
            }
            _ => self.complete(ledger),
        }
    }

    /// Ends in order, which says that what was not taken up was left alone.
    fn complete(&mut self, ledger: &mut Messages) -> Act {
        self.steering.drain(..).for_each(|id| ledger.leave(id));
        self.finish(Outcome::Completed, Source::Protocol)
    }

    fn finish(&self, outcome: Outcome, source: Source) -> Act {
        Act::Finish(Input::Ended { turn: self.turn, outcome, source })
    }
}
