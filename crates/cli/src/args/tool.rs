//! Help around the command line itself.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Check the installation and suggest fixes
///
/// Changes nothing and doesn't start the daemon. Exits with 1 when a check fails; warnings don't count.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Watch a one-minute demo; needs no account
///
/// Runs scripted agents in a temporary git repository and home, and removes both at the end.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Don't pause between steps
    #[arg(long)]
    pub(crate) fast: bool,
    /// Keep the repository and the home
    #[arg(long)]
    pub(crate) keep: bool,
}

/// Print shell completions
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo completions bash > ~/.local/share/bash-completion/completions/paseo
  paseo completions zsh > ~/.zfunc/_paseo
  paseo completions fish > ~/.config/fish/completions/paseo.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Print the manual page, or write one per command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo man | man -l -
  paseo man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write one page per command to this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
