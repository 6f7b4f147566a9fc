//! The web app: links into it, and the browsers that are logged in.

use clap::{Args, Subcommand};

use super::Output;

/// Open the web app
///
/// Prints a login link, valid for one browser and five minutes. On a desktop, also opens it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo open             open the web app on this machine
  paseo open --qr        log in on a phone
  paseo open --print     print only the link")]
pub(crate) struct OpenArgs {
    /// Print a QR code for the first address in `public_urls` of config.toml
    #[arg(long, conflicts_with = "json")]
    pub(crate) qr: bool,
    /// Print the link without opening it
    #[arg(long)]
    pub(crate) print: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DevicesCommand {
    /// List logged-in browsers
    Ls {
        #[command(flatten)]
        output: Output,
    },
    /// Log out a browser
    Revoke {
        /// Id of the device, see `paseo devices ls`
        id: String,
        #[command(flatten)]
        output: Output,
    },
}
