//! Waiting for what another agent does, within limits.

use paseo_core::actor::Actor;
use paseo_core::id::{SessionId, TurnId, WatchId};
use paseo_core::session::{self, Class, Hold, Receipt, Session, Verb};
use paseo_core::wait::{self, Over};
use tokio::time::{Instant, sleep_until};

use super::Way;
use super::arguments::held_words;
use crate::failure::Failure;
use crate::sessions::{Command, Sessions};
use crate::view;

/// How a wait ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// Nothing more will happen to the message. Without a turn it was never taken up.
    Settled {
        receipt: Receipt,
        turn: Option<TurnId>,
    },
    /// A person canceled the message.
    Canceled,
    /// A person made the other one an independent agent.
    Promoted,
    /// The message waits for a person, and why.
    Held(&'static str),
    /// A turn failed before the message was taken up: it waits for the next one.
    Failed,
    TimedOut,
    /// A person wrote to the one who waits.
    Words(String),
    /// A person wrote to the one who waits; the message comes when its turn is over.
    Called,
    /// The turn of the one who waits is over.
    Left,
}

/// Who waits, and how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub(super) caller: SessionId,
    /// The turn in which it waits.
    pub(super) turn: Option<TurnId>,
    pub(super) until: Instant,
    /// How the call came in.
    pub(super) way: Way,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// What becomes of a message, by the watch on it.
    Message(SessionId, WatchId),
    /// A child of the one who waits has nothing left to do by itself.
    Rest(SessionId),
}

/// Waits.
pub(super) async fn wait(
    sessions: &Sessions,
    patience: Patience,
    awaited: Awaited,
) -> Result<Ended, Failure> {
    let directory = &sessions.context.directory;
    loop {
        // Before looking, so that nothing is missed in between.
        let changed = directory.changes();
        let ended = match awaited {
            Awaited::Message(target, watch) => settled(sessions, target, watch).await?,
            Awaited::Rest(target) => {
                directory.get(target).map_or(Some(GONE), |session| rested(&session, patience.caller))
            }
        };
        if let Some(ended) = ended {
            return Ok(ended);
        }
        let caller = directory.get(patience.caller);
        let turn = caller.as_ref().and_then(|caller| caller.turn.as_ref()).map(|turn| turn.id);
        if turn != patience.turn {
            return Ok(Ended::Left);
        }
        if caller.is_some_and(|caller| has_words(&caller)) {
            // Only who surely gets them may take them.
            match patience.way {
                Way::Process => return Ok(Ended::Called),
                Way::Harness => {
                    if let Some(words) = sessions.ask(patience.caller, Command::TakeWords).await? {
                        return Ok(Ended::Words(words));
                    }
                }
            }
        }
        tokio::select! {
            () = changed => {}
            () = sleep_until(patience.until) => return Ok(Ended::TimedOut),
        }
    }
}

/// Nobody is there any more.
const GONE: Ended = Ended::Settled { receipt: Receipt::Cancelled, turn: None };

async fn settled(sessions: &Sessions, target: SessionId, watch: WatchId) -> Result<Option<Ended>, Failure> {
    let context = &sessions.context;
    let over = match context.directory.get(target) {
        Some(session) => wait::over(&session, watch),
        // Closed, perhaps in the middle of it.
        None => match context.journal.session(target).await? {
            Some((session, _)) => wait::over(&session, watch),
            None => Some(Over::Closed),
        },
    };
    Ok(over.map(|over| match over {
        Over::Settled(due) if due.receipt == Receipt::Cancelled => Ended::Canceled,
        Over::Promoted => Ended::Promoted,
        Over::Settled(due) => Ended::Settled { receipt: due.receipt, turn: due.turn },
        Over::Held(reason) => Ended::Held(held_words(Some(&reason.into()))),
        Over::Halted(Hold::Error) => Ended::Failed,
        Over::Halted(hold) => Ended::Held(held_words(Some(&view::word(&hold).as_str().into()))),
        Over::Closed => GONE,
        Over::Idle | Over::Told => Ended::Left,
    }))
}

fn rested(session: &Session, parent: SessionId) -> Option<Ended> {
    if session.profile.parent != Some(parent) {
        return Some(Ended::Promoted);
    }
    if session.turn.is_some() || session::next(session).is_some() {
        return None;
    }
    let mut words = session.queue.iter().filter(|pending| pending.class == Class::Message);
    match words.find_map(|pending| pending.held) {
        Some(reason) => Some(Ended::Held(held_words(Some(&reason.into())))),
        None => Some(Ended::Settled { receipt: Receipt::Answered, turn: None }),
    }
}

fn has_words(caller: &Session) -> bool {
    caller.queue.iter().any(|pending| {
        matches!(pending.origin, Actor::Human(_))
            && pending.held.is_none()
            && pending.class == Class::Message
            && pending.verb != Verb::Interrupt
    })
}
