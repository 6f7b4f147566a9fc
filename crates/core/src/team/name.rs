//! Names in a team: its own, its tasks', its threads'.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::thread;

/// The text is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error(
        "invalid id `{0}` for {1}: use at most 64 letters, digits, `-`, `_` and `.`, starting with a \
         letter or digit and not ending with `.`"
    )]
    Name(String, &'static str),
    #[error("`{0}` is reserved and cannot be the id of {1}; choose another")]
    Reserved(String, &'static str),
    #[error("invalid {1} id `{0}`: expected an id such as {1}-0001")]
    Number(String, &'static str),
}

/// The id of a team, as people choose it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TeamId(String);

impl TeamId {
    /// Returns it as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Suggests an id for a new team to people who have none in mind. One that was closed keeps its own.
pub fn suggested<'a>(taken: impl Iterator<Item = &'a str> + Clone) -> String {
    let colours = ["red", "blue", "green"].map(str::to_owned).into_iter();
    let mut ids = colours.chain((1..).map(|number: u32| format!("team-{number}")));
    let is_free = |id: &String| !taken.clone().any(|taken| taken.eq_ignore_ascii_case(id));
    ids.find(is_free).unwrap_or_default()
}

impl fmt::Display for TeamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for TeamId {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        // What an actor, a stream and a path are made of must not be taken for two parts of them.
        named(text, "a team").map(|()| Self(text.to_owned()))
    }
}

impl From<TeamId> for String {
    fn from(id: TeamId) -> Self {
        id.0
    }
}

impl TryFrom<String> for TeamId {
    type Error = Malformed;

    fn try_from(text: String) -> Result<Self, Malformed> {
        text.parse()
    }
}

/// Checks that an agent can be called this.
pub fn check_agent(id: &str) -> Result<(), Malformed> {
    named(id, "a member")
}

fn named(text: &str, what: &'static str) -> Result<(), Malformed> {
    if thread::is_reserved(text) {
        return Err(Malformed::Reserved(shown(text), what));
    }
    if thread::is_name(text) { Ok(()) } else { Err(Malformed::Name(shown(text), what)) }
}

fn shown(text: &str) -> String {
    let more = text.chars().nth(64).map(|_| '…');
    text.chars().take(64).flat_map(char::escape_debug).chain(more).collect()
}

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($word, "-{:04}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = Malformed;

            fn from_str(text: &str) -> Result<Self, Malformed> {
                let number = text.strip_prefix(concat!($word, "-")).and_then(|digits| digits.parse().ok());
                // One id has one way of being written.
                let id = number.filter(|number| *number > 0).map(Self).filter(|id| id.to_string() == text);
                id.ok_or_else(|| Malformed::Number(shown(text), $word))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }

        impl TryFrom<String> for $name {
            type Error = Malformed;

            fn try_from(text: String) -> Result<Self, Malformed> {
                text.parse()
            }
        }
    };
}

numbered!(
    /// A task of a team: `task-0001` and so on.
    TaskId,
    "task"
);
numbered!(
    /// A thread as its team calls it: `thread-0001` and so on.
    ThreadAlias,
    "thread"
);
