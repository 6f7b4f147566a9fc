//! What can go wrong with tmux, in words for people.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::process_table;

/// Why tmux did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`tmux` is not installed, or not on the PATH of the daemon")]
    NotInstalled,
    #[error("{found} is too old: workers need tmux 3.2 or newer")]
    TooOld { found: String },
    #[error("the path of the tmux socket is too long: {} has {} bytes, at most 107 work", .0.display(), .0.as_os_str().len())]
    SocketPath(PathBuf),
    #[error("`{0}` cannot be the name of a worker: it takes 1 to 64 characters of a-z, 0-9 and -")]
    BadName(String),
    #[error("there is no worker `{name}`; there {}", listed(.existing))]
    NotFound { name: String, existing: Vec<String> },
    #[error("there is a worker `{0}` already")]
    Taken(String),
    #[error("`{0}` is no key that tmux knows; keys are Enter, Escape, Up, C-c and so on")]
    BadKey(String),
    #[error("tmux refused `{command}`: {stderr}")]
    Refused { command: String, stderr: String },
    #[error("tmux did not answer `{command}` within {} s{}", .after.as_secs(), whose(*.server, *.suspended))]
    Silent { command: String, after: Duration, server: Option<u32>, suspended: bool },
    #[error("the tmux server cannot be started: {0}")]
    NoServer(String),
    #[error("the tmux server cannot be reached at {}: {error}", .socket.display())]
    Unreachable { socket: PathBuf, error: io::Error },
    #[error("the connection to tmux broke: {0}")]
    Broken(#[from] io::Error),
}

impl Error {
    /// Says that a command was not answered, by the server that is this process.
    pub(super) fn silent(command: String, after: Duration, server: Option<u32>) -> Self {
        Self::Silent { command, after, server, suspended: server.is_some_and(process_table::is_stopped) }
    }

    /// Returns the word for it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotInstalled => "tmux_not_installed",
            Self::TooOld { .. } => "tmux_too_old",
            Self::BadName(_) | Self::BadKey(_) => "invalid",
            Self::NotFound { .. } => "session_not_found",
            Self::Taken(_) => "session_exists",
            Self::SocketPath(_)
            | Self::Refused { .. }
            | Self::Silent { .. }
            | Self::NoServer(_)
            | Self::Unreachable { .. }
            | Self::Broken(_) => "tmux_error",
        }
    }

    /// Says what to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotInstalled => {
                "install it: `apt install tmux` or `dnf install tmux`; if it is there, `paseo down` and `paseo up` where \
                 it is on the PATH"
            }
            Self::TooOld { .. } => "install a newer tmux and put it first on the daemon's PATH",
            Self::SocketPath(_) => "choose a shorter PASEO_HOME",
            Self::NotFound { .. } => "`paseo worker ls` lists them",
            Self::Silent { server: Some(pid), suspended: true, .. } => {
                return Some(format!(
                    "`kill -CONT {pid}` lets it go on; its workers and what waits for them are still there"
                ));
            }
            Self::Silent { server: Some(pid), .. } => {
                return Some(format!(
                    "try again in a moment; if it never answers, `kill -9 {pid}` ends it together with its workers"
                ));
            }
            Self::Unreachable { .. } => {
                "nothing was started in its place; see whether its server hangs, and who may open that socket"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// Names the server that does not answer.
fn whose(server: Option<u32>, suspended: bool) -> String {
    match (server, suspended) {
        (Some(pid), true) => format!(": its server, process {pid}, is suspended"),
        (Some(pid), false) => format!(": its server, process {pid}, hangs"),
        (None, _) => String::new(),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "are none".to_owned(),
        [name] => format!("is `{name}`"),
        names => {
            format!("are {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        }
    }
}
