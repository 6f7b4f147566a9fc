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
    /// Exits with 6 when somebody else was faster: the first answer wins.
    #[command(after_help = "\
Examples:
  paseo permit allow 3f2a             the only thing that this agent asks
  paseo permit allow 9b1c04de         exactly this
  paseo permit allow 9b1c04de --always")]
    Allow(PermitArgs),
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
pub(crate) struct PermitArgs {
    /// Which request: its hash as `paseo permit ls` shows it, or the agent that makes it
    #[arg(value_name = "HASH|HANDLE")]
    pub(crate) which: String,
    /// Answer the same from now on: for exactly this, in this project
    #[arg(long)]
    pub(crate) always: bool,
    /// Tell the agent something along with it
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}
