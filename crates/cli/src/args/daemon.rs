//! The daemon, its settings and its tokens.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Output;

#[derive(Debug, Args)]
pub(crate) struct UpArgs {
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Say whether the daemon runs, and what it does
///
/// Exits with 7 when it does not run. Never starts it.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DaemonCommand {
    /// Run the daemon in the foreground until ctrl-C
    Run {
        /// Report readiness on stdout and leave the terminal
        #[arg(long, hide = true)]
        detached: bool,
    },
    /// Print the daemon's log
    Logs(DaemonLogsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DaemonLogsArgs {
    /// Go on with what comes, until ctrl-C
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// How many of the newest lines
    #[arg(short = 'n', long, default_value_t = 200, value_name = "COUNT")]
    pub(crate) lines: usize,
}

/// What each setting means.
const SETTINGS: &str = "\
Settings (all off at first; they count for agents that no other agent started):
  perm_send_to_tab  agents may write to other open agents
  perm_read_tab     agents may read what other open agents said in their last turn
  perm_summon       agents may start agents of their own
  perm_todo         default agents may keep a todo list
  perm_user_agent   agents may start agents that stand beside them";

#[derive(Debug, Subcommand)]
pub(crate) enum SettingsCommand {
    /// Show all settings, or one
    #[command(after_help = SETTINGS)]
    Get {
        /// Which setting
        key: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Switch a setting
    #[command(after_help = SETTINGS)]
    Set {
        /// Which setting
        key: String,
        /// What it shall be
        value: Switch,
        #[command(flatten)]
        output: Output,
    },
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    #[value(alias = "true")]
    On,
    #[value(alias = "false")]
    Off,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print its secret, once
    Create {
        /// What it is for
        #[arg(long)]
        name: String,
        /// Where agents work in threads created with it through the bridge [default: here]
        #[arg(short = 'C', long, value_name = "DIR")]
        cwd: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// List tokens, without their secrets
    Ls {
        #[command(flatten)]
        output: Output,
    },
    /// Revoke a token
    Revoke {
        /// As `paseo token ls` shows it
        id: String,
        #[command(flatten)]
        output: Output,
    },
}
