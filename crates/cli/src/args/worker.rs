//! Workers: agents of a team in terminals.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Output;

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  paseo worker start \"Do task-0001\" --team red
  paseo worker ls
  paseo worker attach red-1                 C-b d leaves it running
  paseo worker capture red-1 --lines 50
  paseo worker kill red-1")]
pub(crate) enum WorkerCommand {
    Start(Box<WorkerStartArgs>),
    /// List workers
    Ls {
        /// Only those of this team
        #[arg(long, value_name = "ID")]
        team: Option<String>,
        /// Only those whose names begin like this
        #[arg(long, value_name = "TEXT")]
        prefix: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Attach your terminal to that of a worker; C-b d leaves it running
    Attach {
        /// Its name or its handle
        worker: String,
    },
    /// Print what a worker's terminal shows
    Capture {
        /// Its name or its handle
        worker: String,
        /// How many lines, from the newest back [default: 1000]
        #[arg(long, value_name = "NUMBER", value_parser = lines, allow_negative_numbers = true)]
        lines: Option<u32>,
        #[command(flatten)]
        output: Output,
    },
    /// Type a message into a worker's terminal, as soon as it listens
    Send {
        /// Its name or its handle
        worker: String,
        /// What to type; `-` reads it from stdin
        message: OsString,
        #[command(flatten)]
        output: Output,
    },
    /// End workers, their terminals and everything that they started; what they said stays
    Kill {
        /// Their names or handles
        #[arg(required = true)]
        workers: Vec<String>,
        #[command(flatten)]
        output: Output,
    },
}

fn lines(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("`{text}` is no number of lines: expected 1 or more, for example 50"))
}

/// Start a worker: an agent of a team in a terminal of its own
///
/// The task is typed in as soon as it listens. What it answers is posted to its thread.
#[derive(Debug, Args)]
pub(crate) struct WorkerStartArgs {
    /// What it shall do; `-` reads it from stdin
    pub(crate) task: OsString,
    /// Which team [default: the only one]
    #[arg(long, value_name = "ID")]
    pub(crate) team: Option<String>,
    /// The definition that it follows
    #[arg(long, value_name = "SLUG")]
    pub(crate) agent: Option<String>,
    /// Which harness it runs, as pi, claude or codex [env: PASEO_PROVIDER] [default: the definition's, else the first that is ready]
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Which model it uses
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The thread of the team that its answers are posted to: thread-0001, its name or its id [default: a new one]
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
    /// What the new thread is about
    #[arg(long, value_name = "TEXT", conflicts_with = "thread")]
    pub(crate) title: Option<String>,
    /// How its name begins; a number follows [default: the team]
    #[arg(long, value_name = "TEXT")]
    pub(crate) prefix: Option<String>,
    /// Where it works [default: the project of the team]
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Give it a git worktree of its own
    #[arg(long)]
    pub(crate) worktree: bool,
    /// What keeps it from changing files
    #[arg(long, value_name = "KIND")]
    pub(crate) guard: Option<WorkerGuard>,
    /// Makes a repeated command start it once
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What keeps a worker from changing files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorkerGuard {
    /// It changes only what a task that it holds names
    Lease,
}
