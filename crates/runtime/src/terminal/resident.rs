//! What is known of a harness that lives in a terminal: how it is started there, when it listens, and what it writes down.

use std::ffi::OsString;
use std::path::PathBuf;

use paseo_core::id::ItemId;
use paseo_core::item::Draft;
use paseo_core::time::Timestamp;

use crate::process::Program;
use crate::provider::TurnEnd;

/// A harness in a terminal. Pure: its driver types, looks at the screen and reads files for it.
pub(crate) trait Resident: Send {
    /// Reads from its screen whether it takes what is typed.
    fn readiness(&self, screen: &str) -> Screen;

    /// Reads from its screen what stands in the line that is typed into, be it what a person has half typed or what it
    /// shows while nobody has; `None` when nothing does.
    fn in_line(&self, screen: &str) -> Option<String>;

    /// Returns the keys that empty one line of what is typed, and do nothing where nothing is.
    fn emptying(&self) -> &'static [&'static str] {
        &["C-e", "C-u"]
    }

    /// Says whether some of what is typed is a command to it, or to a shell, instead of something that is said.
    fn has_commands(&self) -> bool {
        true
    }

    /// Returns where it writes its session down, among files that are there; `None` until that can be told. Asked again
    /// until there is an answer.
    fn session_file(&self) -> Option<PathBuf>;

    /// Takes in one line of that file, from its beginning on.
    fn line(&mut self, line: &str) -> Vec<Seen>;

    /// Returns the key, in the words of tmux, that ends a turn.
    fn interrupt(&self) -> &'static str {
        "Escape"
    }

    /// Returns the keys that empty the line, for those that put a message back into it when its turn is ended before it
    /// was answered.
    fn taken_back(&self) -> &'static [&'static str] {
        &[]
    }
}

/// How a harness is started in a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Boarding {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    /// Set on top of the launch's own.
    pub(crate) environment: Vec<(String, String)>,
    /// What of our own environment it does not get, beside what the launch says.
    pub(crate) removed: Vec<String>,
}

/// For tests: how a harness is started, and what is known of it.
#[cfg(test)]
pub(crate) type Aboard = (Boarding, Box<dyn Resident>);

impl From<Program> for Boarding {
    fn from(program: Program) -> Self {
        let Program { program, arguments, environment, removed, .. } = program;
        Self { program: program.into(), arguments, environment, removed }
    }
}

/// What a screen shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Screen {
    /// It takes what is typed.
    Ready,
    /// It does not yet.
    NotYet,
    /// It wants something that only a person can answer, in these words: a login, leave to trust a directory.
    Asks(String),
}

/// What a harness wrote down.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Seen {
    /// The id that the conversation can be continued by.
    Reference(String),
    /// It accepted this typed text.
    Said(String),
    /// Something for the transcript. The id is derived from the line: the same each time it is read.
    Item { id: ItemId, step: u32, parent: Option<String>, draft: Draft },
    /// The turn is over.
    Ended(TurnEnd),
}

/// Reads when a line was written, so that what is made of it has the same ids each time.
pub(crate) fn timestamp(written: &str) -> Timestamp {
    let millis = written.parse().map_or(0, jiff::Timestamp::as_millisecond);
    Timestamp::from_millis(millis)
}
