//! What can go wrong with tmux, in words for people.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::process_table;

/// Why tmux did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`tmux` is not installed, or not on the daemon's PATH")]
    NotInstalled,
    #[error("{found} is too old: workers need tmux 3.2 or newer")]
    TooOld { found: String },
    #[error("the tmux socket path is too long: {} has {} bytes, the limit is 107", .0.display(), .0.as_os_str().len())]
    SocketPath(PathBuf),
    #[error("invalid worker name `{0}`: use at most 64 of a-z, 0-9 and `-`")]
    BadName(String),
    #[error("worker `{name}` not found; {}", listed(.existing))]
    NotFound { name: String, existing: Vec<String> },
    #[error("worker `{0}` already exists")]
    Taken(String),
    #[error("`{0}` is not a tmux key; valid keys are Enter, Escape, Up, C-c and so on")]
    BadKey(String),
    #[error("tmux refused `{command}`: {stderr}")]
    Refused { command: String, stderr: String },
    #[error("tmux did not answer `{command}` within {} s{}", .after.as_secs(), whose(*.server, *.suspended))]
    Silent { command: String, after: Duration, server: Option<u32>, suspended: bool },
    #[error("cannot start the tmux server: {0}")]
    NoServer(String),
    #[error("cannot reach the tmux server at {}: {error}", .socket.display())]
    Unreachable { socket: PathBuf, error: io::Error },
    #[error("lost the connection to tmux: {0}")]
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
                "install it: `apt install tmux` or `dnf install tmux`; if it is installed, run `paseo \
                 down` and `paseo up` in a shell that has it on the PATH"
            }
            Self::TooOld { .. } => "install a newer tmux and put it first on the daemon's PATH",
            Self::SocketPath(_) => "choose a shorter PASEO_HOME",
            Self::NotFound { .. } => "run `paseo worker ls`",
            Self::Silent { server: Some(pid), suspended: true, .. } => {
                return Some(format!(
                    "run `kill -CONT {pid}` to resume it; its workers and their messages are still there"
                ));
            }
            Self::Silent { server: Some(pid), .. } => {
                return Some(format!(
                    "try again in a moment; if it never answers, run `kill -9 {pid}` to end it and its \
                     workers"
                ));
            }
            Self::Unreachable { .. } => {
                "check whether its server hangs and who may open that socket; no other server was started"
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
        [] => "no workers exist".to_owned(),
        names => {
            format!(
                "existing: {}",
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            )
        }
    }
}
