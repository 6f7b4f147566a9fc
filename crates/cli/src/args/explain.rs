//! Asking why: an agent, a message, a request.

use std::ffi::OsString;

use clap::{ArgGroup, Args};

use super::Output;

/// Explain an agent's status and what to do next
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo why 3f2a
  paseo why 3f2a --json | jq -r '.next[]'")]
pub(crate) struct WhyArgs {
    /// Handle of the agent
    pub(crate) handle: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// List or change an agent's queued and held messages
///
/// Lists messages in delivery order. Held messages wait until a person writes to the agent or releases them. To choose a
/// message, type its id or a unique prefix of it.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("change").args(["cancel", "edit", "moved", "release", "release_all"])),
    group(ArgGroup::new("position").args(["before", "first", "last"])),
    after_help = "\
Examples:
  paseo queue 3f2a
  paseo queue 3f2a --cancel 0192f3a1-6b10
  paseo queue 3f2a --edit 0192f3a1-6b10 \"Use tabs instead\"
  paseo queue 3f2a --move 0192f3a1-6b10 --first
  paseo queue -q 3f2a | xargs -n 1 paseo trace"
)]
pub(crate) struct QueueArgs {
    /// Handle of the agent
    pub(crate) handle: String,
    /// New text for --edit; `-` reads it from stdin [default: opens $EDITOR]
    #[arg(requires = "edit")]
    pub(crate) text: Option<OsString>,
    /// Cancel a message and notify the agent that sent it, if any
    #[arg(long, value_name = "ID")]
    pub(crate) cancel: Option<String>,
    /// Replace the text of a message that a person wrote
    #[arg(long, value_name = "ID")]
    pub(crate) edit: Option<String>,
    /// Move a message; add --before, --first or --last
    #[arg(long = "move", value_name = "ID", requires = "position")]
    pub(crate) moved: Option<String>,
    /// Move it before this message
    #[arg(long, value_name = "ID", requires = "moved")]
    pub(crate) before: Option<String>,
    /// Move it to the front
    #[arg(long, requires = "moved")]
    pub(crate) first: bool,
    /// Move it to the end
    #[arg(long, requires = "moved")]
    pub(crate) last: bool,
    /// Release a held message for delivery
    #[arg(long, value_name = "ID")]
    pub(crate) release: Option<String>,
    /// Release all held messages
    #[arg(long)]
    pub(crate) release_all: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Trace a message step by step
///
/// Each message has a delivery id. `paseo send -q` prints it; `paseo inspect` shows an agent's newest one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo trace 3f2a
  paseo trace $(paseo send -q 3f2a \"Also update the docs\")")]
pub(crate) struct TraceArgs {
    /// Delivery id, or an agent's handle for its newest message
    pub(crate) delivery: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show all turns and agents that one request led to
///
/// Shows the agents that work on a person's request as a tree, then the turns and tasks of the request, with tokens and
/// cost. A wake is a turn that an agent started rather than a person. A request has a budget of wakes, and each of its agents
/// has a smaller budget.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo cause 3f2a
  paseo cause 3f2a --messages
  paseo cause 0198c5b2-7d7e-7000-8000-3f2a91cc0000 --stop")]
pub(crate) struct CauseArgs {
    /// Cause id (see `paseo inspect` or `paseo trace`), the delivery id of a message, or the handle of an agent that works
    /// on the request
    pub(crate) cause: String,
    /// List the request's messages instead, each with its delivery id and outcome
    #[arg(long, short, conflicts_with = "stop")]
    pub(crate) messages: bool,
    /// Stop all its turns and hold its messages
    #[arg(long)]
    pub(crate) stop: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show running agents, who talks to whom and who waits for whom
///
/// Lists the agents that are working and those they talked to in the last hour, grouped by project and parent agent. Then
/// lists their messages and the most expensive requests.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo map
  paseo map --all")]
pub(crate) struct MapArgs {
    /// Show all open agents
    #[arg(long, short)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
