//! Answering agents.

use clap::{Args, Subcommand};

use super::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum PermitCommand {
    /// List what agents ask, oldest first, and exactly what it is
    Ls {
        #[command(flatten)]
        output: Output,
    },
    /// Allow what an agent asks
    ///
    /// A hash names exactly what was shown. With a handle, what the agent asks now is shown, and you confirm it.
    ///
    /// Exits with 6 when somebody else was faster: the first answer wins.
    #[command(after_help = "\
Examples:
  paseo permit allow 9b1c04de         exactly this
  paseo permit allow 9b1c04de --always
  paseo permit allow 3f2a             the only thing that this agent asks, once you confirm it
  paseo permit allow 3f2a --yes       whatever it is")]
    Allow(AllowArgs),
    /// Deny what an agent asks
    ///
    /// Exits with 6 when somebody else was faster: the first answer wins.
    #[command(after_help = "\
Examples:
  paseo permit deny 3f2a -m \"Not on this branch\"")]
    Deny(PermitArgs),
    /// List what was answered with --always
    Rules {
        #[command(flatten)]
        output: Output,
    },
    /// Forget what was answered with --always
    Forget {
        /// Which rule, as `paseo permit rules` names it
        rule: String,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AllowArgs {
    /// Allow what a handle asks without looking at it
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: PermitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PermitArgs {
    /// Which request: its hash as `paseo permit ls` shows it, or the agent that makes it
    #[arg(value_name = "HASH|HANDLE")]
    pub(crate) which: String,
    /// Answer the same from now on, for exactly this, in this project. A denial holds for every tool, and everywhere
    /// below the project
    #[arg(long)]
    pub(crate) always: bool,
    /// Tell the agent something along with it; to a question, it is the answer
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}
