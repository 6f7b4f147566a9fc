//! Answering agents.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum PermitCommand {
    /// List open permission requests, oldest first
    Ls {
        #[command(flatten)]
        output: Output,
    },
    /// Allow a permission request, or answer a question or a form
    ///
    /// A hash from `paseo permit ls` allows exactly that request. With a handle, the command shows the agent's request
    /// and asks you to confirm.
    ///
    /// If the request has a form, give each value with `--field`, or all of them as JSON with `--answers`. Without
    /// either, the command asks you for the values if it runs in a terminal; secrets are not shown as you type.
    ///
    /// The first answer wins: exits with 6 when the request was answered already.
    #[command(after_help = "\
Examples:
  paseo permit allow 9b1c04de         the request with this hash
  paseo permit allow 9b1c04de --always
  paseo permit allow $(paseo permit ls -q)
  paseo permit allow 3f2a             the agent's only request, after you confirm
  paseo permit allow 3f2a --yes       the agent's only request, unseen
  paseo permit allow 9b1c04de --field size=3 --field color=blue")]
    Allow(AllowArgs),
    /// Deny a permission request
    ///
    /// The first answer wins: exits with 6 when the request was answered already.
    #[command(after_help = "\
Examples:
  paseo permit deny 3f2a -m \"Not on this branch\"")]
    Deny(DenyArgs),
    /// List permission rules: answers given with --always
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
pub(crate) struct DenyArgs {
    /// Dismiss a form or link that an MCP server sent, neither accepting nor declining it
    #[arg(long, conflicts_with = "always")]
    pub(crate) cancel: bool,
    /// Message for the agent, for example the reason
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) answer: PermitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AllowArgs {
    /// Allow the agent's request without showing it first
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Value for a field of the request's form (repeatable); to choose several options of one field, repeat it
    #[arg(short, long = "field", value_name = "NAME=VALUE", conflicts_with = "answers")]
    pub(crate) fields: Vec<String>,
    /// Read answers from a file, or `-` for stdin: a line for each question, or a JSON object for a form
    #[arg(long, value_name = "FILE", conflicts_with = "message")]
    pub(crate) answers: Option<PathBuf>,
    /// Message for the agent. If the agent asked a question, this is your answer
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) answer: PermitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PermitArgs {
    /// Hashes of requests, see `paseo permit ls`; or handles of agents
    #[arg(value_name = "HASH|HANDLE", required = true)]
    pub(crate) which: Vec<String>,
    /// Remember the answer as a rule. Before you answer, `paseo permit ls` shows what the rule would cover
    #[arg(long)]
    pub(crate) always: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
