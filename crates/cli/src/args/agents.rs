//! Definitions of agents.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List the agent definitions available here
    ///
    /// Your own definitions are in $PASEO_HOME/agents, a project's in .paseo/agents and .claude/agents. A change to a
    /// project's definition takes effect once you trust it. A change to one of your own definitions takes effect at
    /// once, unless it gives the agent more permissions than before: then you must trust it first.
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
        /// Show the version that you have not trusted yet
        #[arg(long)]
        untrusted: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check definitions for mistakes
    ///
    /// Prints each mistake as `file:line: message`. Exits with 1 when a definition can't be used.
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

/// Edit a definition and trust the result
///
/// Opens its file, or a new $PASEO_HOME/agents/<SLUG>.toml, in $VISUAL or $EDITOR.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// Slug of the definition, existing or new
    pub(crate) slug: String,
}

/// Trust new and changed definitions
///
/// Shows what changes and asks you to confirm. A change to a project's definition takes effect once you trust it. A
/// change to one of your own definitions takes effect at once, unless it gives the agent more permissions than before:
/// then you must trust it first.
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Which of your own definitions to trust [default: all of your own, and the project's]
    ///
    /// A project's definitions can only be trusted together.
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
