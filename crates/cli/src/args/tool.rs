//! Help around the command line itself.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Check this machine and say how to fix what is wrong
///
/// Never starts or changes anything. Exits with 1 when something fails; warnings are fine.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// See Paseo at work, without any account
///
/// Runs scripted agents in a git repository and a home of their own, under your temporary directory. Takes
/// less than a minute and leaves nothing behind.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Do not pause for reading
    #[arg(long)]
    pub(crate) fast: bool,
    /// Leave the repository and the home there
    #[arg(long)]
    pub(crate) keep: bool,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo completions bash > ~/.local/share/bash-completion/completions/paseo
  paseo completions zsh > ~/.zfunc/_paseo
  paseo completions fish > ~/.config/fish/completions/paseo.fish")]
pub(crate) struct CompletionsArgs {
    /// Which shell
    pub(crate) shell: Shell,
}

/// Print the manual page, or write one page for each command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo man | man -l -
  paseo man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write all pages into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
