//! Listing agents.

use clap::Args;
use paseo_core::label::Label;

use super::Output;

/// List agents
///
/// Lists the open agents started in or below this directory. Agents started with --ui have a list of their own, `paseo ls
/// --ui`. Pinned agents come first, with a star.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo ls --ui                   agents that the web app shows
  paseo ls --label env=ci -g      agents with this label, in every directory
  paseo ls --agent reviewer -a    all agents with one definition
  paseo ls --watch                update the list as it changes
  paseo ls -q | xargs paseo stop")]
pub(crate) struct ListArgs {
    /// Only agents with this label (repeatable; all must match)
    #[arg(short, long = "label", value_name = "KEY=VALUE", value_parser = super::label)]
    pub(crate) labels: Vec<Label>,
    /// Only agents shown in the web app; short for --label ui=true
    #[arg(long)]
    pub(crate) ui: bool,
    /// Only agents with this definition
    #[arg(long, value_name = "SLUG")]
    pub(crate) agent: Option<String>,
    /// Include closed agents
    #[arg(short, long, visible_alias = "all")]
    pub(crate) all_statuses: bool,
    /// Include agents of every directory
    #[arg(short, long)]
    pub(crate) global: bool,
    /// Update the list as it changes, until ctrl-C
    #[arg(short, long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
