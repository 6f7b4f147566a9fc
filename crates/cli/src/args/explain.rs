//! Asking why: an agent, a message, a request.

use clap::Args;

use super::Output;

/// Say why an agent is as it is, and what to do next
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo why 3f2a
  paseo why 3f2a --json | jq -r '.next[]'")]
pub(crate) struct WhyArgs {
    /// Which agent
    pub(crate) handle: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the messages that wait for an agent
///
/// In the order in which it takes them up. What is held waits until a person acts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo queue 3f2a
  paseo queue -q 3f2a | xargs -n 1 paseo trace")]
pub(crate) struct QueueArgs {
    /// Which agent
    pub(crate) handle: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Print the life of a message, step by step
///
/// `paseo send` names the delivery in its receipt, `paseo inspect` that of the newest message.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo trace 3f2a
  paseo trace $(paseo send -q 3f2a \"Also update the docs\")")]
pub(crate) struct TraceArgs {
    /// Which message, as its receipt names it; or an agent: the newest message for it
    pub(crate) delivery: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show everything that one human request led to
///
/// Every turn that descends from it, by how many agents stand between, with tokens and cost. A request may
/// start a bounded number of turns that nobody asked for; wakes are those that were used.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo cause 3f2a
  paseo cause 0198c5b2-7d7e-7000-8000-3f2a91cc0000
  paseo cause 0198c5b2-7d7e-7000-8000-3f2a91cc0000 --stop")]
pub(crate) struct CauseArgs {
    /// Which request, as a receipt, `paseo inspect` or `paseo trace` names it; or an agent: what it works on, or did last
    pub(crate) cause: String,
    /// End all of it: its turns stop, its messages are held
    #[arg(long)]
    pub(crate) stop: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
