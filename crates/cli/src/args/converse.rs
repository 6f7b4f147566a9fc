//! Talking to agents by their definitions, and keeping them at hand.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Output;
use crate::duration;

/// Ask an agent by its definition's name and wait for the answer
///
/// A definition is a file that configures an agent; `paseo agents ls` lists their names. The message goes to the newest
/// agent with this definition in this directory. Reopens that agent if it is closed, or starts one. Prints the
/// answer on stdout and progress on stderr. Exit codes are those of `paseo run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo ask reading-list \"Add https://example.com/article\"
  git diff | paseo ask reviewer -
  paseo ask journal --session create \"What was yesterday about?\"")]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) words: AgentWords,
    /// Require an answer that satisfies this JSON Schema; the agent gets at most two chances to correct its answer
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,
    /// How long to wait for the answer, for example 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Print the answer as is, without rendering Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Send a message to an agent by its definition's name
///
/// Like `paseo ask`, but doesn't wait for the answer. A definition is a file that configures an agent; `paseo agents ls`
/// lists their names.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo tell todo \"Buy milk\"
  paseo trace $(paseo tell -q todo \"Buy milk\")")]
pub(crate) struct TellArgs {
    #[command(flatten)]
    pub(crate) words: AgentWords,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A message for the agent of a definition.
#[derive(Debug, Args)]
pub(crate) struct AgentWords {
    /// Name (slug) of the definition, see `paseo agents ls`
    #[arg(value_name = "SLUG")]
    pub(crate) agent: String,
    /// The message; `-` reads it from stdin
    pub(crate) message: OsString,
    /// Taken only to say what was meant.
    #[arg(hide = true)]
    pub(crate) extra: Vec<OsString>,
    /// Attach a file: an image, a PDF document or a text file (repeatable)
    #[arg(long = "attach", value_name = "FILE")]
    pub(crate) attachments: Vec<PathBuf>,
    /// Agent to use: latest, create (a new one), latest-or-create, or a handle [default: latest-or-create]
    #[arg(long, value_name = "WHICH")]
    pub(crate) session: Option<String>,
    /// Idempotency key: repeating the command with it sends the message only once
    #[arg(long)]
    pub(crate) key: Option<String>,
}

/// Switch to another agent; later switch back and hand over a summary
///
/// Switches to the newest agent with the given definition in this directory, or starts one. Remembers the previous agent:
/// the agent that you last wrote to or switched to. On a terminal, attaches to the new agent; otherwise prints its
/// handle.
///
/// With --back, asks the current agent for a summary of the decisions, sends it to the previous agent, and switches
/// back to that one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo switch journal
  paseo switch reviewer \"Look at the last commit\" --from 3f2a
  paseo switch --back
  paseo switch --back \"Tell them which of the three we chose, and why\"")]
pub(crate) struct SwitchArgs {
    /// Slug of the definition, then an optional first message. With --back: a question to ask instead of requesting a
    /// summary. `-` reads the message or question from stdin
    #[arg(value_name = "SLUG|MESSAGE", num_args = 0..)]
    pub(crate) words: Vec<OsString>,
    /// Switch back to the previous agent
    #[arg(long)]
    pub(crate) back: bool,
    /// The agent you are leaving [default: the one you used last]
    ///
    /// Without --back, it is the agent that a later --back returns to. With --back, it is the agent that writes the summary.
    #[arg(long, value_name = "HANDLE")]
    pub(crate) from: Option<String>,
    /// Start a new agent, even if one with this definition is open
    #[arg(long, conflicts_with = "back")]
    pub(crate) new: bool,
    /// Show the agent in the web app
    #[arg(long, conflicts_with = "back")]
    pub(crate) ui: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Send notifications when agents finish
#[derive(Debug, Args)]
#[command(
    after_help = "Notifications go to the browsers where you turned them on, under Settings › Notifications in \
                  the web app."
)]
pub(crate) struct NotifyArgs {
    /// Handles of the agents
    #[arg(required = true)]
    pub(crate) handles: Vec<String>,
    /// Stop the notifications
    #[arg(long)]
    pub(crate) off: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Pin agents to the top of lists, in the given order
#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    /// Handles of the agents
    #[arg(required = true)]
    pub(crate) handles: Vec<String>,
    /// Unpin the agents
    #[arg(long)]
    pub(crate) off: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
