//! Definitions of agents.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List the agent definitions available here
    ///
    /// Your own definitions are in $PASEO_HOME/agents, a project's in .paseo/agents and .claude/agents. A project's
    /// definitions take effect after you trust them, and so does a change to your own that grants more.
    Ls {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        output: Output,
    },
    /// Show a resolved definition
    Show {
        /// Slug of the definition, see `paseo agents ls`
        slug: String,
        #[command(flatten)]
        place: Place,
        /// Show the version that waits for trust
        #[arg(long)]
        untrusted: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check definitions for mistakes
    ///
    /// Prints `file:line: message` for each, and exits with 1 when a definition can't be used.
    Check {
        #[command(flatten)]
        place: Place,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    Trust(TrustArgs),
    Edit(EditArgs),
}

/// Edit one of your definitions and trust the result
///
/// Opens its file, or a new $PASEO_HOME/agents/<SLUG>.toml, in $VISUAL or $EDITOR.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// Slug of the definition, existing or new
    pub(crate) slug: String,
}

/// Trust new and changed definitions
///
/// Shows what changes and asks you to confirm. A change to your own definitions needs trust when it grants more than
/// before; every change to a project's definitions does.
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Only these of your own definitions
    #[arg(value_name = "SLUG", conflicts_with = "revoke")]
    pub(crate) slugs: Vec<String>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Don't ask for confirmation
    #[arg(short, long, conflicts_with = "revoke")]
    pub(crate) yes: bool,
    /// Revoke trust
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose definitions are meant.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Project directory [default: the current directory]
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}
