//! Listing kinds of agents.

use clap::Args;

use super::Output;

/// List the kinds of agents, and which of them could be used now
///
/// The default is the one that is configured, else the first that is ready.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo providers
  paseo providers --json | jq -r '.providers[] | select(.default).name'")]
pub(crate) struct ProvidersArgs {
    #[command(flatten)]
    pub(crate) output: Output,
}
