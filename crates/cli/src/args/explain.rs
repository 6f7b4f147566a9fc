//! Asking why: an agent, a message, a request.

use clap::Args;

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

/// List an agent's queued and held messages
///
/// In delivery order. Held messages wait until a person acts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo queue 3f2a
  paseo queue -q 3f2a | xargs -n 1 paseo trace")]
pub(crate) struct QueueArgs {
    /// Handle of the agent
    pub(crate) handle: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Trace a message step by step
///
/// `paseo send -q` prints the delivery id, `paseo inspect` that of the newest message.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo trace 3f2a
  paseo trace $(paseo send -q 3f2a \"Also update the docs\")")]
pub(crate) struct TraceArgs {
    /// Delivery id, or a handle for the agent's newest message
    pub(crate) delivery: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show everything that one human request led to
///
/// Lists every turn that descends from the request, with its depth, tokens and cost. Each request has a budget of
/// wakes: turns that agents, not people, started.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo cause 3f2a
  paseo cause 0198c5b2-7d7e-7000-8000-3f2a91cc0000
  paseo cause 0198c5b2-7d7e-7000-8000-3f2a91cc0000 --stop")]
pub(crate) struct CauseArgs {
    /// Cause id, see `paseo inspect` or `paseo trace`; or a handle for the request that the agent works on
    pub(crate) cause: String,
    /// Stop all its turns and hold its messages
    #[arg(long)]
    pub(crate) stop: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
