//! Definitions of agents.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List the definitions that agents can follow here
    ///
    /// Yours are in $PASEO_HOME/agents, those of a project in .paseo/agents and .claude/agents; the latter count once
    /// you have trusted them. A change of yours that grants more waits until you trust it, too.
    Ls {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        output: Output,
    },
    /// Show a definition with everything that it comes to
    Show {
        /// Which one, as `paseo agents ls` names it
        slug: String,
        #[command(flatten)]
        place: Place,
        /// The version that is not trusted, and not the one that counts instead
        #[arg(long)]
        untrusted: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Look for mistakes in definitions
    ///
    /// Prints file:line: message for each, and exits with 1 when a definition cannot be used.
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

/// Edit one of your definitions, and trust what you save
///
/// Opens $VISUAL or $EDITOR with the file that defines it, or with a new $PASEO_HOME/agents/<SLUG>.toml.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// Which one, as `paseo agents ls` names it, or a new one
    pub(crate) slug: String,
}

/// Trust changed definitions, yours and those of a project
///
/// Shows what would count and how it differs from what does, and asks. A change of yours waits when it grants more
/// than before; the definitions of a project count as long as they stay as they are.
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Only changes of these definitions of yours
    #[arg(value_name = "SLUG", conflicts_with = "revoke")]
    pub(crate) slugs: Vec<String>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Do not ask
    #[arg(short, long, conflicts_with = "revoke")]
    pub(crate) yes: bool,
    /// Take the trust back
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose definitions are meant.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Those of this directory [default: the current one]
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}
