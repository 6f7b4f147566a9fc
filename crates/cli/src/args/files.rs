//! Projects, and the files of agents.

use clap::Args;

use super::Output;

/// List projects: directories that agents worked in
///
/// Directories in one git checkout count as one project. Includes projects of closed agents, most recently used first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo projects
  cd \"$(paseo projects -q | head -1)\"")]
pub(crate) struct ProjectsArgs {
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Show tokens and cost by day, project or model
///
/// Days are in UTC. Excludes deleted agents, and external agents that report no usage.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo usage
  paseo usage --by model --since 2026-01-01
  paseo usage --json | jq .total.cost_micros")]
pub(crate) struct UsageArgs {
    /// How to group the rows
    #[arg(long, value_name = "WHAT", value_parser = ["day", "project", "model"], default_value = "day")]
    pub(crate) by: String,
    /// First day [default: 29 days before --until]
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub(crate) since: Option<String>,
    /// Last day [default: today]
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub(crate) until: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// List the files of an agent, or print one
///
/// Lists one directory, without ignored files. Paths are relative to the agent's directory; files outside it are not
/// shown.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo files 3f2a
  paseo files 3f2a src --ignored
  paseo files 3f2a src/main.rs --show")]
pub(crate) struct FilesArgs {
    /// Handle of the agent
    pub(crate) handle: String,
    /// Directory or file, relative to the agent's directory
    pub(crate) path: Option<String>,
    /// Also list files that git ignores
    #[arg(short, long, conflicts_with = "show")]
    pub(crate) ignored: bool,
    /// Print the text of a file
    #[arg(short, long, requires = "path")]
    pub(crate) show: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
