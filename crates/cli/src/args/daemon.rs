//! The daemon, its settings and its tokens.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Output;

#[derive(Debug, Args)]
pub(crate) struct UpArgs {
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Show the daemon's status
///
/// Exits with 7 when the daemon is not running. Never starts it.
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
    /// Keep printing new lines until ctrl-C
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Print the newest N lines
    #[arg(short = 'n', long, default_value_t = 200, value_name = "N", value_parser = super::count)]
    pub(crate) lines: usize,
}

/// What each setting means.
const SETTINGS: &str = "\
All settings are off by default. Those that start with `perm_` apply only to agents that people started.

Settings:
  perm_send_to_tab  agents may send messages to other open agents
  perm_read_tab     agents may read the last answer of other open agents
  perm_summon       agents may start subagents
  perm_todo         agents without a definition may keep a to-do list
  perm_user_agent   agents may start independent agents
  web_shell         people may open a shell of their own beside an agent

In these names, a tab is an open agent.";

/// Without a command, shows all settings.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = SETTINGS)]
pub(crate) struct SettingsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SettingsCommand>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SettingsCommand {
    /// Show all settings, or one
    #[command(after_help = SETTINGS)]
    Get {
        /// Name of the setting
        key: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Change a setting
    #[command(after_help = SETTINGS)]
    Set {
        /// Name of the setting
        key: String,
        /// New value
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
    /// Create a token and print its secret, once
    Create {
        /// Name of the token
        #[arg(long)]
        name: String,
        /// Working directory for threads that API clients create with this token [default: the current directory]
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
        /// Id or name of the token, see `paseo token ls`
        #[arg(value_name = "ID|NAME")]
        token: String,
        #[command(flatten)]
        output: Output,
    },
}
