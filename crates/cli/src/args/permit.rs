//! Answering agents.

use clap::{Args, Subcommand};

use super::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum PermitCommand {
    /// List open permission requests, oldest first
    Ls {
        #[command(flatten)]
        output: Output,
    },
    /// Allow a permission request
    ///
    /// A hash identifies exactly the request that was shown. With a handle, the command shows the agent's request and
    /// asks you to confirm.
    ///
    /// The first answer wins: exits with 6 when the request was answered already.
    #[command(after_help = "\
Examples:
  paseo permit allow 9b1c04de         the request with this hash
  paseo permit allow 9b1c04de --always
  paseo permit allow $(paseo permit ls -q)
  paseo permit allow 3f2a             the agent's only request, after you confirm
  paseo permit allow 3f2a --yes       the agent's only request, unseen")]
    Allow(AllowArgs),
    /// Deny a permission request
    ///
    /// The first answer wins: exits with 6 when the request was answered already.
    #[command(after_help = "\
Examples:
  paseo permit deny 3f2a -m \"Not on this branch\"")]
    Deny(PermitArgs),
    /// List permission rules: requests answered with --always
    Rules {
        #[command(flatten)]
        output: Output,
    },
    /// Delete a permission rule
    Forget {
        /// Rule id, see `paseo permit rules`
        rule: String,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AllowArgs {
    /// Allow the agent's request without showing it first
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: PermitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PermitArgs {
    /// Hashes of requests, see `paseo permit ls`; or handles of agents
    #[arg(value_name = "HASH|HANDLE", required = true)]
    pub(crate) which: Vec<String>,
    /// Give the same answer to this exact request from now on, in this project (a denial: also below it, for every tool)
    #[arg(long)]
    pub(crate) always: bool,
    /// Message for the agent; the answer, if the agent asked a question
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}
