//! Kinds of agents: listing them, and making commands such.

use clap::{Args, Subcommand};

use super::Output;

/// List providers and whether each is ready
///
/// The default is the provider set in the configuration, otherwise the first that is ready.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  paseo providers
  paseo providers --json | jq -r '.providers[] | select(.default).name'
  paseo providers models codex
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
    /// The command must speak the Agent Client Protocol (ACP) on its standard input and output. Takes effect immediately. Replaces a provider that you added under the same name.
    #[command(after_help = "\
Examples:
  paseo providers add helper -- helper --acp
  paseo providers add opencode-next --preset opencode -- /opt/opencode/bin/opencode acp
  paseo providers add careful --asks --mode yolo --env CAREFUL_HOME=/srv/careful -- careful-agent")]
    Add {
        /// Name of the provider: a-z, 0-9 and `-`
        name: String,
        /// Known agent to treat it as: opencode, gemini, claude-agent-acp, codex-acp, qwen, copilot or pi-acp
        #[arg(long)]
        preset: Option<String>,
        /// ACP mode to select when the agent runs with --permissions full
        #[arg(long)]
        mode: Option<String>,
        /// Declare that the agent asks before every change; enables --permissions ask and read-only
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
    /// List the models of a provider
    ///
    /// Asks the model server (openai, openai-compatible) or the program itself (codex). For the others, lists the models
    /// that your definitions name. You can pass a model that is not listed.
    Models {
        /// Name of the provider
        name: String,
        #[command(flatten)]
        output: Output,
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
