//! What a process is started with.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use paseo_core::id::{ItemId, SessionId, TurnId};
use paseo_core::item::{CompactionExtra, Kind};
use paseo_core::permission::{Mode, Power};
use serde_json::Value;

use crate::attachment::Attachment;

/// Everything that a process needs.
#[derive(Debug, Clone)]
pub struct Launch {
    pub session: SessionId,
    pub directory: PathBuf,
    pub model: Option<String>,
    pub effort: Option<String>,
    pub permissions: Mode,
    /// Powers that it must do without, whatever the mode is; of [`Capabilities::withholds`](crate::provider::Capabilities::withholds).
    pub withheld: Vec<Power>,
    /// Every change to a file and every command waits for an [`Output::Ask`], whatever the mode and the user's own rules
    /// let through; what cannot be asked is denied. For those with [`Capabilities::guard`].
    ///
    /// [`Output::Ask`]: crate::provider::Output::Ask
    /// [`Capabilities::guard`]: crate::provider::Capabilities::guard
    pub guarded: bool,
    /// It runs in a terminal that people can take over, instead of behind pipes. For those with
    /// [`Capabilities::terminal`](crate::provider::Capabilities::terminal).
    pub terminal: Option<Terminal>,
    /// Added to the harness's own prompt; empty when there is nothing to add.
    pub prompt: String,
    /// Our MCP servers for this session. The user's own stay as they are.
    pub servers: Vec<McpServer>,
    /// Our tools, for those that want to be told ([`Capabilities::native_tools`](crate::provider::Capabilities::native_tools)).
    pub tools: Vec<Tool>,
    /// The models to try, in this order; the first is [`Launch::model`]. For those that choose the model themselves.
    pub chain: Vec<Choice>,
    /// Where a remote agent is.
    pub remote: Option<Remote>,
    /// What was said before, for those that do not remember it ([`Memory::Ours`](crate::provider::Memory::Ours)).
    pub past: Vec<Past>,
    /// The provider's own id of the conversation, to continue it.
    pub resume: Option<String>,
    /// How many turns the conversation had before.
    pub turns: u64,
    /// Our binary: it is also the shim.
    pub executable: PathBuf,
    /// Set on top of the daemon's environment; `PASEO_SESSION` and `PASEO_HOME` mark descendants.
    pub environment: Vec<(String, String)>,
    /// What of the daemon's environment it does not get: keys of others.
    pub removed: Vec<String>,
    /// How long it may take to answer for the first time, where it is to answer by itself.
    pub patience: Duration,
}

/// The terminal of a worker: a tmux session of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminal {
    /// The socket of our tmux server.
    pub socket: PathBuf,
    /// The name of the tmux session, of `[a-z0-9-]`.
    pub name: String,
    /// The turn that was under way when the previous driver of the terminal ended. The harness may still be at it.
    pub underway: Option<Underway>,
    /// What is in the transcript already, the newest of it.
    pub known: HashSet<ItemId>,
    /// Its harness was found there: nothing is started, nor looked for what only a start needs.
    pub attach: bool,
}

/// A turn that was not watched for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Underway {
    pub turn: TurnId,
    /// The harness is known to have taken its messages.
    pub handed: bool,
}

/// Where an MCP server of ours is. Its bearer token is the variable [`TOKEN_VARIABLE`] of [`Launch::environment`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    pub name: String,
    pub url: String,
}

/// A tool of ours, as an agent reads about it. Called by [`Output::ToolRequest`](crate::provider::Output::ToolRequest).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON schema of the arguments.
    pub schema: Value,
}

/// A model to try, and with what it is paid for.
#[derive(Clone, PartialEq, Eq)]
pub struct Choice {
    /// Without one: the provider's own choice.
    pub model: Option<String>,
    pub effort: Option<String>,
    /// How many tokens the model takes, where a person said so.
    pub context: Option<u64>,
    /// Without one: what the daemon's environment holds.
    pub access: Option<Access>,
}

/// A key that was read, and the server that it is for.
#[derive(Clone, PartialEq, Eq)]
pub struct Access {
    /// The id of the key, for people.
    pub key: String,
    pub secret: String,
    /// When it is not the provider's own.
    pub base_url: Option<String>,
}

/// Shown without the secret: what is printed ends up in logs.
impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("key", &self.key)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Choice")
            .field("model", &self.model)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

/// Where a remote agent is, and how it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// The slug of its definition.
    pub agent: String,
    /// Where messages are posted to.
    pub input_url: String,
    /// Where its answers are posted to.
    pub callback_url: String,
    /// Signs what is posted; only this session has it.
    pub secret: String,
    /// How long an attempt to post something may take.
    pub timeout: Duration,
}

impl Launch {
    /// Says whether its harness lives in a terminal, and is only to be watched.
    pub(crate) fn attaches(&self) -> bool {
        self.terminal.as_ref().is_some_and(|terminal| terminal.attach)
    }
}

impl Remote {
    /// How long an attempt may take when the definition says nothing.
    pub const TIMEOUT: Duration = Duration::from_secs(10);
}

/// Something that was said before.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    pub turn: Option<TurnId>,
    pub kind: Kind,
    pub text: String,
    /// Of a summary: where what follows it begins.
    pub kept: Option<CompactionExtra>,
    /// Of a message: the files that it brought, as far as they are told again.
    pub attachments: Vec<Attachment>,
}

/// Holds the token of this process only.
pub const TOKEN_VARIABLE: &str = "PASEO_TOKEN";

/// How long a harness waits for one of our tools, in seconds: longer than our own waits.
pub const TOOL_TIMEOUT_SECONDS: u64 = paseo_core::limits::TOOL_TIMEOUT_SECONDS;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!(Remote::TIMEOUT.as_secs(), 10);
    }
}
