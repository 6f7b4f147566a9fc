//! How a command fails: an exit code, words, what to do, and what could have been meant.

use std::fs::File;
use std::io;

use paseo_client::Error;
use paseo_wire::error::{Code, Exit};
use paseo_wire::session::Candidate;
use rustix::io::Errno;
use serde::Serialize;

/// File descriptors that every command needs, with some to spare.
const NEEDED_FILES: usize = 12;

/// Why a command did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// Empty when nothing needs to be said.
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) candidates: Vec<Candidate>,
    /// The daemon's name for it, when it comes from there.
    pub(crate) code: Option<Code>,
}

/// What `--json` prints on stderr when a command fails.
#[derive(Debug, Serialize)]
pub(crate) struct FailureView<'a> {
    error: FailureBody<'a>,
}

/// Why a command did not succeed.
#[derive(Debug, Serialize)]
pub(crate) struct FailureBody<'a> {
    /// An error code of the API, or what the exit code means in one word.
    code: String,
    message: &'a str,
    hint: Option<&'a str>,
    /// What could have been meant.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    candidates: &'a [Candidate],
}

impl Failure {
    /// Makes a failure with words.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None, candidates: Vec::new(), code: None }
    }

    /// Makes a failure in how the command was typed.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Ends the command without another word.
    pub(crate) fn silent(exit: Exit) -> Self {
        Self::new(exit, "")
    }

    /// Takes another failure of the same kind in, so that both are told at once.
    pub(crate) fn join(&mut self, other: Self) {
        self.message = format!("{}; {}", self.message, other.message);
        for candidate in other.candidates {
            if !self.candidates.contains(&candidate) {
                self.candidates.push(candidate);
            }
        }
    }

    /// Returns it in the words of `--json`.
    pub(crate) fn view(&self) -> FailureView<'_> {
        let named = self.code.as_ref().map(|code| code.as_str());
        let code = named.unwrap_or_else(|| word(self.exit));
        let Self { message, hint, candidates, .. } = self;
        FailureView {
            error: FailureBody { code: code.to_owned(), message, hint: hint.as_deref(), candidates },
        }
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Says that a process may not open another file or socket.
pub(crate) fn is_out_of_files(error: &io::Error) -> bool {
    let none_left = [Errno::MFILE, Errno::NFILE].map(|errno| Some(errno.raw_os_error()));
    none_left.contains(&error.raw_os_error())
}

/// Refuses to begin without the file descriptors that any command needs: what comes later would not say what is short.
pub(crate) fn need_files() -> Result<(), Failure> {
    let files: io::Result<Vec<File>> = (0..NEEDED_FILES).map(|_| File::open("/dev/null")).collect();
    match files {
        Err(error) if is_out_of_files(&error) => Err(out_of_files()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// This command may not open another file: the daemon has nothing to do with it.
pub(crate) fn out_of_files() -> Failure {
    Failure::new(Exit::AgentError, "too many open files")
        .hint("raise the limit with `ulimit -n`, or close programs that hold many files open")
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Unreachable { reason, .. } if is_out_of_files(&reason) => out_of_files(),
            Error::Api(body) => {
                let hint = body.hint.or_else(|| default_hint(&body.code));
                let (exit, code) = (body.code.exit(), Some(body.code));
                Self { exit, message: body.message, hint, candidates: body.candidates, code }
            }
            Error::Unreachable { .. } => Self::new(Exit::Unreachable, error.to_string())
                .hint("run `paseo status` or `paseo daemon logs`"),
            Error::Protocol(_) => Self::new(Exit::Unreachable, error.to_string())
                .hint("the daemon may be a different version; run `paseo restart`"),
        }
    }
}

impl From<io::Error> for Failure {
    /// A reader that went away, as in `paseo ls | head`, is no reason for words.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::silent(Exit::Ok),
            _ => Self::new(Exit::AgentError, format!("cannot write the output: {error}")),
        }
    }
}

/// Returns what an exit code means.
fn word(exit: Exit) -> &'static str {
    match exit {
        Exit::Ok => "ok",
        Exit::AgentError => "agent_error",
        Exit::Usage => "usage",
        Exit::NotFound => "not_found",
        Exit::WaitingForPermission => "waiting_for_permission",
        Exit::Timeout => "timeout",
        Exit::Refused => "refused",
        Exit::Unreachable => "unreachable",
        Exit::Interrupted => "interrupted",
    }
}

fn default_hint(code: &Code) -> Option<String> {
    let hint = match code {
        Code::NotFound | Code::Ambiguous => {
            "list all agents with `paseo ls -ag`; a handle has at least 4 characters"
        }
        Code::Busy => "wait with `paseo wait`, or stop it with `paseo stop`",
        Code::CannotSteer => "send without --steer to queue the message",
        Code::KeyReused => "use a new --key for a new message",
        Code::Closed => "reopen it with `paseo reopen`",
        _ => return None,
    };
    Some(hint.to_owned())
}
