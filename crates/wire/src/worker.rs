//! Workers: agents whose harness runs in a terminal of its own, which people can take over.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{SessionId, TeamId};
use crate::time::Moment;
use crate::words::{PlacementReason, Status};

/// A worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerView {
    /// The name of its terminal, and its own in its team.
    pub name: String,
    /// Id and handle of its session.
    pub session: SessionId,
    pub handle: String,
    /// The team that it belongs to now; empty once it left, or the team was closed.
    pub team: TeamId,
    /// The thread of the team that its answers are posted to, as `thread-0001`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Slug of the definition that it follows; `default` is the built-in one.
    pub agent: String,
    pub provider: String,
    /// As its log says.
    pub status: Status,
    pub directory: String,
    /// It changes nothing but what a task that it holds covers: its program was started so.
    pub guarded: bool,
    /// What counts from its next start on, and how it is started again; nothing when that is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_next_start: Option<String>,
    /// Its program runs.
    pub alive: bool,
    /// The status is unknown, because tmux is missing or does not answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// Why the status is unknown, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// How its program ended; the terminal still shows its last screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<ExitView>,
    /// How many people look at its terminal now.
    pub attached: usize,
    /// A person typed what it works on into its terminal.
    pub person: bool,
    pub created_at: Moment,
    /// What a person types to see its terminal.
    pub attach: String,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExitView {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    pub at: Moment,
}

/// The terminal of a session that is a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TerminalView {
    pub name: String,
    /// How its program ended; nothing while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<ExitView>,
    /// A person typed what it works on into the terminal.
    pub person: bool,
}

/// Asks for a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartWorker {
    /// What is typed in first: what it shall do.
    #[schema(pattern = "\\S")]
    pub task: String,
    /// Its team [default: the caller's team, or the only one].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub team: Option<String>,
    /// Slug of its definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Instead of the definition's, or the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The provider to use when neither this request nor the definition names one. Without it, the daemon's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_provider: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$")]
    pub model: Option<String>,
    /// The thread of the team that its answers are posted to; without one, one is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// What that thread is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How its name begins; a number follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Where it works: in the project of the team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
    /// It works in a git worktree of its own.
    #[serde(default)]
    pub worktree: bool,
    /// It changes nothing but what a task that it holds covers.
    #[serde(default)]
    pub guard: bool,
}

/// What came of a request for a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StartedWorker {
    pub seq: u64,
    pub worker: WorkerView,
    /// The task could not be typed in: it waits, for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<PlacementReason>,
    /// Why the worker follows another version of its definition than its file holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// One worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerAnswer {
    pub seq: u64,
    pub worker: WorkerView,
}

/// All workers, in order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerList {
    pub seq: u64,
    pub workers: Vec<WorkerView>,
}

/// Asks for workers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerQuery {
    /// Of this team only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub team: Option<String>,
    /// Whose name begins like this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

/// Asks for what a terminal shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CaptureQuery {
    /// How many lines, from the newest back: 1000 unless it is said, at most 10000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 4_294_967_295_i64)]
    pub lines: Option<u32>,
}

/// What a terminal shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Capture {
    pub name: String,
    /// Plain text, without control characters.
    pub text: String,
    /// There is more above.
    pub truncated: bool,
}

/// How a person gets to a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AttachView {
    pub name: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The same as one line for a shell.
    pub command: String,
}

/// Types something into a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SendToWorker {
    #[schema(pattern = "\\S")]
    pub message: String,
}
