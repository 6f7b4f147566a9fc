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
  paseo worker attach red-1                 C-b d detaches
  paseo worker capture red-1 --lines 50
  paseo worker kill red-1")]
pub(crate) enum WorkerCommand {
    Start(Box<WorkerStartArgs>),
    /// List workers
    Ls {
        /// Only workers of this team
        #[arg(long, value_name = "ID")]
        team: Option<String>,
        /// Only workers whose names start with this
        #[arg(long, value_name = "TEXT")]
        prefix: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Attach to a worker's terminal; C-b d detaches
    Attach {
        /// Name or handle of the worker
        worker: String,
    },
    /// Print the screen of a worker's terminal
    Capture {
        /// Name or handle of the worker
        worker: String,
        /// Number of lines, counted from the end [default: 1000]
        #[arg(long, value_name = "N", value_parser = lines, allow_negative_numbers = true)]
        lines: Option<u32>,
        #[command(flatten)]
        output: Output,
    },
    /// Type a message into a worker's terminal when it is ready
    Send {
        /// Name or handle of the worker
        worker: String,
        /// The message; `-` reads it from stdin
        message: OsString,
        #[command(flatten)]
        output: Output,
    },
    /// End workers and their processes; transcripts stay
    Kill {
        /// Names or handles of the workers
        #[arg(required = true)]
        workers: Vec<String>,
        #[command(flatten)]
        output: Output,
    },
}

/// Most lines that the daemon returns at once.
const MOST_LINES: u32 = 10_000;

fn lines(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST_LINES).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to {MOST_LINES}, for example 50"))
}

/// Start a worker: a team agent in its own terminal
///
/// The prompt is typed into the terminal when the agent is ready. Its answers are posted to its thread.
#[derive(Debug, Args)]
pub(crate) struct WorkerStartArgs {
    /// What the worker should do; `-` reads it from stdin
    #[arg(value_name = "PROMPT")]
    pub(crate) task: OsString,
    /// Id of the team [default: the only one]
    #[arg(long, value_name = "ID")]
    pub(crate) team: Option<String>,
    /// Agent definition to use
    #[arg(long, value_name = "SLUG")]
    pub(crate) agent: Option<String>,
    /// Provider that can run in a terminal, for example pi, claude or codex [env: PASEO_PROVIDER] [default: from the definition, else the first that is ready]
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Model, as the provider names it
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Team thread to post the worker's answers to, by name or id, for example thread-0001 [default: a new thread]
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
    /// Name of the new thread
    #[arg(long, value_name = "TEXT", conflicts_with = "thread")]
    pub(crate) title: Option<String>,
    /// Name prefix; the worker is called PREFIX-NUMBER [default: the team's id]
    #[arg(long, value_name = "PREFIX")]
    pub(crate) prefix: Option<String>,
    /// Working directory [default: the team's project]
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Create a git worktree for the worker
    #[arg(long)]
    pub(crate) worktree: bool,
    /// Restrict which files the worker may change
    #[arg(long, value_name = "KIND")]
    pub(crate) guard: Option<WorkerGuard>,
    /// Idempotency key: repeating the command with it starts only one worker
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What keeps a worker from changing files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorkerGuard {
    /// Allow writes only to the resources of tasks that the worker owns
    Lease,
}
