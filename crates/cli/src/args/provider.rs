//! Kinds of agents: listing them, and making commands such.

use clap::{Args, Subcommand};

use super::Output;

/// List the kinds of agents, and which of them could be used now
///
/// The default is the one that is configured, else the first that is ready.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  paseo providers
  paseo providers --json | jq -r '.providers[] | select(.default).name'
  paseo providers add helper -- /opt/helper/bin/helper --acp
  paseo providers rm helper"
)]
pub(crate) struct ProvidersArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProvidersCommand>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProvidersCommand {
    /// Make a command a kind of agent
    ///
    /// It must speak the Agent Client Protocol on its standard input and output. It counts at once, for
    /// `--provider` and in definitions. One of the same name is replaced.
    #[command(after_help = "\
Examples:
  paseo providers add helper -- helper --acp
  paseo providers add opencode-next --preset opencode -- /opt/opencode/bin/opencode acp
  paseo providers add careful --asks --mode yolo --env CAREFUL_HOME=/srv/careful -- careful-agent")]
    Add {
        /// What to call it: a-z, 0-9 and `-`
        name: String,
        /// The known agent whose ways it has: opencode, gemini, claude-agent-acp, codex-acp, qwen, copilot or pi-acp
        #[arg(long)]
        preset: Option<String>,
        /// Its own mode in which it may do everything
        #[arg(long)]
        mode: Option<String>,
        /// It asks before it changes anything, so that --permissions ask and read-only can be kept
        #[arg(long)]
        asks: bool,
        /// Set in its environment, as NAME=VALUE. Stored as it is: no place for secrets
        #[arg(long, value_name = "NAME=VALUE")]
        env: Vec<String>,
        #[command(flatten)]
        output: Output,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Forget a command that was added
    ///
    /// Agents of this kind keep what was said, and start no more.
    Rm {
        /// Which one
        name: String,
        #[command(flatten)]
        output: Output,
    },
}
