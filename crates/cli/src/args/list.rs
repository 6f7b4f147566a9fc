//! Listing agents.

use clap::Args;
use paseo_core::label::Label;

use super::Output;

/// List agents
///
/// Without a label: agents that run in the background, are not closed and were started in or under this
/// directory. Pinned ones come first, with a star.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo ls --ui                   what the web app shows
  paseo ls --label env=ci -g      with this label, wherever it was started
  paseo ls --agent reviewer -a    every session of one definition
  paseo ls --watch                what runs here, as it changes
  paseo ls -q | xargs paseo stop")]
pub(crate) struct ListArgs {
    /// Only agents with this label (repeatable; all must match)
    #[arg(short, long = "label", value_name = "KEY=VALUE")]
    pub(crate) labels: Vec<Label>,
    /// Only agents of the web app: the same as --label ui=true
    #[arg(long)]
    pub(crate) ui: bool,
    /// Only agents that follow this definition
    #[arg(long, value_name = "SLUG")]
    pub(crate) agent: Option<String>,
    /// Closed agents too
    #[arg(short, long)]
    pub(crate) all_statuses: bool,
    /// Agents of every directory
    #[arg(short, long)]
    pub(crate) global: bool,
    /// Show it again whenever something changes, until ctrl-C
    #[arg(short, long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
