//! Heads: what a stream's events come to.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cause::{self, Cause};
use crate::codec;
use crate::session::{self, Session};
use crate::settings::{self, Settings};
use crate::team::{self, Team};
use crate::thread::{self, Thread};
use crate::time::Timestamp;

/// About as long as most heads are, so that the buffer need not grow.
const USUAL_HEAD: usize = 1024;

/// An event as the log holds it. `data` is gone once the stream was deleted.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a> {
    pub kind: &'a str,
    pub v: u16,
    pub ts: Timestamp,
    pub data: Option<&'a str>,
}

/// What a stream came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    pub state: Vec<u8>,
    /// It is loaded at boot.
    pub live: bool,
    /// Which owner may write.
    pub epoch: u64,
}

/// Why a stream cannot be folded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Event(#[from] codec::Error),
    #[error("the stored state of {stream} is malformed: {reason}")]
    Head { stream: String, reason: String },
}

/// The head of a session's stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionHead {
    Session(Box<Session>),
    Deleted,
}

/// The head of a thread's stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadHead {
    Thread(Box<Thread>),
    Deleted,
}

/// The head of a team's stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeamHead {
    Team(Box<Team>),
    /// Its first event is not one that makes a team.
    Never,
}

/// A head as it was last folded, so that the next events need not decode it again.
#[derive(Debug)]
pub struct Memory(Kept);

#[derive(Debug)]
enum Kept {
    Session(SessionHead),
    Team(TeamHead),
}

/// What a stream came to, with its state encoded unless a [`Memory`] has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advanced {
    pub state: Option<Vec<u8>>,
    pub live: bool,
    pub epoch: u64,
}

/// Folds new events onto what a stream came to before.
pub fn fold(stream: &str, prior: Option<&[u8]>, events: &[Stored<'_>]) -> Result<Folded, Error> {
    let mut memory = None;
    let Advanced { state, live, epoch } = fold_on(stream, prior, &mut memory, events)?;
    let state = match (state, &memory) {
        (Some(state), _) => state,
        (None, Some(memory)) => encode(stream, memory)?,
        (None, None) => Vec::new(),
    };
    Ok(Folded { state, live, epoch })
}

/// Returns the state that a memory has.
pub fn encode(stream: &str, Memory(kept): &Memory) -> Result<Vec<u8>, Error> {
    match kept {
        Kept::Session(head) => bytes(stream, head),
        Kept::Team(head) => bytes(stream, head),
    }
}

/// Folds new events onto what a stream came to before. `memory` is empty, or what this left there when it last did;
/// then there need be no `prior`.
pub fn fold_on(
    stream: &str,
    prior: Option<&[u8]>,
    memory: &mut Option<Memory>,
    events: &[Stored<'_>],
) -> Result<Advanced, Error> {
    if stream.starts_with("session/") {
        fold_session(stream, prior, memory, events)
    } else if stream.starts_with("cause/") {
        let cause: Cause =
            fold_plain(stream, prior, events, |cause: &mut Cause, event: &cause::Event, at| {
                cause.apply(event, at)
            })?;
        Ok(Advanced { state: Some(bytes(stream, &cause)?), live: false, epoch: 0 })
    } else if stream.starts_with("thread/") {
        fold_thread(stream, prior, events)
    } else if stream.starts_with("team/") {
        fold_team(stream, prior, memory, events)
    } else if stream == settings::STREAM {
        let state: Settings =
            fold_plain(stream, prior, events, |state: &mut Settings, event: &settings::Event, at| {
                state.apply(event, at)
            })?;
        Ok(Advanced { state: Some(bytes(stream, &state)?), live: true, epoch: 0 })
    } else {
        Ok(Advanced { state: Some(Vec::new()), live: false, epoch: 0 })
    }
}

/// Reads a head.
pub fn read<T: DeserializeOwned>(stream: &str, state: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(state)
        .map_err(|error| Error::Head { stream: stream.to_owned(), reason: error.to_string() })
}

fn fold_session(
    stream: &str,
    prior: Option<&[u8]>,
    memory: &mut Option<Memory>,
    events: &[Stored<'_>],
) -> Result<Advanced, Error> {
    let mut head: Option<SessionHead> = match memory.take() {
        Some(Memory(Kept::Session(head))) => Some(head),
        Some(Memory(Kept::Team(_))) | None => prior.map(|state| read(stream, state)).transpose()?,
    };
    for stored in events {
        if stored.kind == "session.deleted" {
            head = Some(SessionHead::Deleted);
            continue;
        }
        let Some(event) = decode::<session::Event>(stored)? else { continue };
        match (&mut head, event) {
            (None, session::Event::Created(created)) => {
                head = Some(SessionHead::Session(Box::new(Session::create(*created, stored.ts))));
            }
            (Some(SessionHead::Session(session)), event) => session.apply(&event, stored.ts),
            (None | Some(SessionHead::Deleted), _) => {}
        }
    }
    let head = head.unwrap_or(SessionHead::Deleted);
    let (live, epoch) = match &head {
        // Pending notices about a closed one are sent at boot.
        SessionHead::Session(session) => {
            (session.is_open() || !session.watches.is_empty(), session.history.epoch)
        }
        SessionHead::Deleted => (false, 0),
    };
    *memory = Some(Memory(Kept::Session(head)));
    Ok(Advanced { state: None, live, epoch })
}

fn fold_team(
    stream: &str,
    prior: Option<&[u8]>,
    memory: &mut Option<Memory>,
    events: &[Stored<'_>],
) -> Result<Advanced, Error> {
    let mut head: Option<TeamHead> = match memory.take() {
        Some(Memory(Kept::Team(head))) => Some(head),
        Some(Memory(Kept::Session(_))) | None => prior.map(|state| read(stream, state)).transpose()?,
    };
    for stored in events {
        let Some(event) = decode::<team::Event>(stored)? else { continue };
        match &mut head {
            None => head = Team::create(&event, stored.ts).map(Box::new).map(TeamHead::Team),
            Some(TeamHead::Team(team)) => team.apply(&event, stored.ts),
            Some(TeamHead::Never) => {}
        }
    }
    let head = head.unwrap_or(TeamHead::Never);
    // A lease is held, and will run out by itself. The others are read on demand.
    let live = matches!(&head, TeamHead::Team(team) if !team.held.is_empty());
    *memory = Some(Memory(Kept::Team(head)));
    Ok(Advanced { state: None, live, epoch: 0 })
}

fn fold_thread(stream: &str, prior: Option<&[u8]>, events: &[Stored<'_>]) -> Result<Advanced, Error> {
    let mut head: Option<ThreadHead> = prior.map(|state| read(stream, state)).transpose()?;
    // What belonged to a deleted thread is still to be closed, until it is said that it was.
    let mut ending = false;
    for stored in events {
        if matches!(stored.kind, "thread.deleted" | "thread.ended") {
            (head, ending) = (Some(ThreadHead::Deleted), stored.kind == "thread.deleted");
            continue;
        }
        let Some(event) = decode::<thread::Event>(stored)? else { continue };
        match &mut head {
            None => head = Thread::create(&event, stored.ts).map(Box::new).map(ThreadHead::Thread),
            Some(ThreadHead::Thread(thread)) => thread.apply(&event, stored.ts),
            Some(ThreadHead::Deleted) => {}
        }
    }
    let head = head.unwrap_or(ThreadHead::Deleted);
    // The others are read on demand.
    let live = match &head {
        ThreadHead::Thread(thread) => thread.is_live(),
        ThreadHead::Deleted => ending,
    };
    Ok(Advanced { state: Some(bytes(stream, &head)?), live, epoch: 0 })
}

fn fold_plain<S, E>(
    stream: &str,
    prior: Option<&[u8]>,
    events: &[Stored<'_>],
    apply: impl Fn(&mut S, &E, Timestamp),
) -> Result<S, Error>
where
    S: Default + DeserializeOwned,
    E: DeserializeOwned,
{
    let mut state: S = prior.map(|bytes| read(stream, bytes)).transpose()?.unwrap_or_default();
    for stored in events {
        if let Some(event) = decode::<E>(stored)? {
            apply(&mut state, &event, stored.ts);
        }
    }
    Ok(state)
}

fn decode<E: DeserializeOwned>(stored: &Stored<'_>) -> Result<Option<E>, codec::Error> {
    stored.data.map_or(Ok(None), |data| codec::decode(stored.kind, stored.v, data))
}

fn bytes<T: Serialize>(stream: &str, state: &T) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(USUAL_HEAD);
    serde_json::to_writer(&mut bytes, state)
        .map(|()| bytes)
        .map_err(|error| Error::Head { stream: stream.to_owned(), reason: error.to_string() })
}
