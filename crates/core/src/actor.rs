//! Who does something. One credential, one actor.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::SessionId;

/// The device of people who type into the terminal of an agent.
pub const TERMINAL: &str = "terminal";

/// Who acts on the log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Actor {
    /// A person, through one of their devices (`cli`, `token:ci`, `phone`).
    Human(String),
    /// An agent, through its own session.
    Session(SessionId),
    /// An outside client's seat in a thread.
    Seat(String),
    /// An agent of a team.
    Agent(String),
    /// The daemon itself.
    Daemon,
}

impl Actor {
    /// Says whether a person is acting.
    pub fn is_human(&self) -> bool {
        matches!(self, Self::Human(_))
    }

    /// Returns the session that acts, when one does.
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Self::Session(id) => Some(*id),
            Self::Human(_) | Self::Seat(_) | Self::Agent(_) | Self::Daemon => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human(device) => write!(f, "human:{device}"),
            Self::Session(id) => write!(f, "session:{id}"),
            Self::Seat(seat) => write!(f, "seat:{seat}"),
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Daemon => f.write_str("daemon"),
        }
    }
}

/// The text names no actor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid actor `{0}`: expected human:…, session:…, seat:…, agent:… or daemon")]
pub struct Malformed(pub String);

impl FromStr for Actor {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        if text == "daemon" {
            return Ok(Self::Daemon);
        }
        let malformed = || Malformed(text.to_owned());
        let (kind, name) = text.split_once(':').ok_or_else(malformed)?;
        match kind {
            _ if name.is_empty() => Err(malformed()),
            "human" => Ok(Self::Human(name.to_owned())),
            "session" => name.parse().map(Self::Session).map_err(|_| malformed()),
            "seat" => Ok(Self::Seat(name.to_owned())),
            "agent" => Ok(Self::Agent(name.to_owned())),
            _ => Err(malformed()),
        }
    }
}

impl From<Actor> for String {
    fn from(actor: Actor) -> Self {
        actor.to_string()
    }
}

impl TryFrom<String> for Actor {
    type Error = Malformed;

    fn try_from(text: String) -> Result<Self, Malformed> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actors_survive_a_round_trip() {
        let id = SessionId::from_random([7; 16]);
        for actor in [
            Actor::Human("cli".into()),
            Actor::Session(id),
            Actor::Seat("t/1".into()),
            Actor::Agent("team/a".into()),
            Actor::Daemon,
        ] {
            assert_eq!(actor.to_string().parse::<Actor>(), Ok(actor));
        }
    }

    #[test]
    fn nonsense_is_no_actor() {
        for text in ["", "human", "human:", "session:abc", "root:x"] {
            assert!(text.parse::<Actor>().is_err(), "{text}");
        }
    }
}
