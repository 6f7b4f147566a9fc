//! The web app: links into it, and the browsers that are logged in.

use clap::{Args, Subcommand};

use super::Output;

/// Open the web app
///
/// Prints a link that logs one browser in, once, within five minutes. On a desktop it is opened too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo open             here
  paseo open --qr        on a phone that can reach this machine
  paseo open --print     only the link, to pass on")]
pub(crate) struct OpenArgs {
    /// Print a QR code of the link under the first public URL
    #[arg(long, conflicts_with = "json")]
    pub(crate) qr: bool,
    /// Only print the link
    #[arg(long)]
    pub(crate) print: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DevicesCommand {
    /// List the browsers that are logged in
    Ls {
        #[command(flatten)]
        output: Output,
    },
    /// Log a browser out
    Revoke {
        /// As `paseo devices ls` shows it
        id: String,
        #[command(flatten)]
        output: Output,
    },
}
