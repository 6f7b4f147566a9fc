//! Talking to agents by their definitions, and keeping them at hand.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Output;
use crate::duration;

/// Ask the agent of a definition, and wait for its answer
///
/// The message goes to the agent's newest session here; without one, a new session is started. A closed one is
/// opened again. The answer goes to stdout, progress to stderr, and the exit codes are those of `paseo run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo ask reading-list \"Add https://example.com/article\"
  git diff | paseo ask reviewer -
  paseo ask journal --session create \"What was yesterday about?\"")]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) words: AgentWords,
    /// How long to wait for the answer, as in 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Show the answer as it is, not rendered as Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Tell the agent of a definition something, and wait for nothing
///
/// As `paseo ask`, but prints the receipt and returns at once.
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
    /// Which agent, as `paseo agents ls` names it
    pub(crate) agent: String,
    /// What to say; `-` reads it from stdin
    pub(crate) message: OsString,
    /// Attach a file: an image, a PDF document or a text file (repeatable)
    #[arg(long = "attach", value_name = "FILE")]
    pub(crate) attachments: Vec<PathBuf>,
    /// Which of its sessions: latest, create, latest-or-create, or a handle [default: latest-or-create]
    #[arg(long, value_name = "WHICH")]
    pub(crate) session: Option<String>,
    /// Send it once, however often it is repeated with the same key
    #[arg(long)]
    pub(crate) key: Option<String>,
}

/// Go to the agent of a definition, and come back
///
/// Goes to the agent's newest session here, or starts one, and notes where you came from: the agent of this directory that
/// you wrote to or went to last. On a terminal you are attached to it; elsewhere its handle is printed.
///
/// With --back the agent is asked for a summary of what was decided, which is passed on to the agent that you came
/// from; then you are there again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo switch journal
  paseo switch reviewer \"Look at the last commit\" --from 3f2a
  paseo switch --back
  paseo switch --back \"Tell them which of the three we chose, and why\"")]
pub(crate) struct SwitchArgs {
    /// Which agent, as `paseo agents ls` names it; then what to say to it at once. With --back: what to ask the agent
    /// for, instead of a summary. `-` reads it from stdin
    #[arg(value_name = "AGENT|MESSAGE", required_unless_present = "back", num_args = 0..=2)]
    pub(crate) words: Vec<OsString>,
    /// Go back to where you came from
    #[arg(long)]
    pub(crate) back: bool,
    /// The agent that you come from; with --back the one that you leave [default: where you were last]
    #[arg(long, value_name = "HANDLE")]
    pub(crate) from: Option<String>,
    /// Show it in the web app
    #[arg(long, conflicts_with = "back")]
    pub(crate) ui: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Keep agents at hand: pinned ones come first in lists, in the order in which they are named here
#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    /// Which agents
    #[arg(required = true)]
    pub(crate) handles: Vec<String>,
    /// Take the pin away
    #[arg(long)]
    pub(crate) off: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
