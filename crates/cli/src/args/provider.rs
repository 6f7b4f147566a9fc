//! Kinds of agents: listing them, and making commands such.

use clap::{Args, Subcommand};

use super::Output;

/// List providers and whether each is ready
///
/// The default is the provider from the configuration, else the first that is ready.
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
    /// Add an ACP agent as a provider
    ///
    /// The command must speak the Agent Client Protocol (ACP) on its standard input and output. Takes effect at once
    /// for `--provider` and in definitions, and replaces an added provider of the same name.
    #[command(after_help = "\
Examples:
  paseo providers add helper -- helper --acp
  paseo providers add opencode-next --preset opencode -- /opt/opencode/bin/opencode acp
  paseo providers add careful --asks --mode yolo --env CAREFUL_HOME=/srv/careful -- careful-agent")]
    Add {
        /// Name of the provider: a-z, 0-9 and `-`
        name: String,
        /// Treat it like this known agent: opencode, gemini, claude-agent-acp, codex-acp, qwen, copilot or pi-acp
        #[arg(long)]
        preset: Option<String>,
        /// Mode to set in the agent when it runs with --permissions full
        #[arg(long)]
        mode: Option<String>,
        /// The agent asks before every change, so it supports --permissions ask and read-only
        #[arg(long)]
        asks: bool,
        /// Set an environment variable; stored in plain text, so not for secrets
        #[arg(long, value_name = "NAME=VALUE")]
        env: Vec<String>,
        #[command(flatten)]
        output: Output,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Remove an added provider
    ///
    /// Its agents keep their transcripts but can't start again.
    Rm {
        /// Name of the provider
        name: String,
        #[command(flatten)]
        output: Output,
    },
}
