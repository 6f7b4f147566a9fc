//! Workers: agents whose harness runs in a terminal of its own, which people can take over.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{ActorName, SessionId, TeamId, TeamThreadId};
use crate::time::Moment;
use crate::words::{PlacementReason, Status};

/// A worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerView {
    /// Name of its terminal, and its id in its team.
    pub name: String,
    /// Id and handle of its agent.
    pub session: SessionId,
    pub handle: String,
    /// Its team; empty if it left, or the team was closed.
    #[schema(value_type = String)]
    pub team: TeamId,
    /// Thread of the team to which its answers are posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<TeamThreadId>,
    /// Slug of its definition; `default` is the built-in one.
    pub agent: String,
    pub provider: String,
    /// Status from its log.
    pub status: Status,
    pub directory: String,
    /// It may change only the files of tasks that it owns, since its program started.
    pub guarded: bool,
    /// What changes when it is restarted, and how to restart it; missing if nothing changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_next_start: Option<String>,
    /// Whether its program runs.
    pub alive: bool,
    /// The status is unknown, because tmux is missing or does not answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// Why the status is unknown, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// How its program ended; the terminal still shows its last screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<ExitView>,
    /// Number of people who watch its terminal, attached by tmux or in a browser.
    pub attached: usize,
    /// Person who took over its keyboard in a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_over_by: Option<ActorName>,
    /// A person typed its current message into its terminal.
    pub person: bool,
    pub created_at: Moment,
    /// Command that attaches to its terminal.
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

/// The terminal of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TerminalView {
    pub name: String,
    /// How its program ended; missing while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<ExitView>,
    /// A person typed its current message into the terminal.
    pub person: bool,
    /// Person who took over its keyboard in a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_over_by: Option<ActorName>,
}

/// The body of `POST /api/workers`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartWorker {
    /// The task: the first message typed into its terminal.
    #[schema(pattern = "\\S")]
    pub task: String,
    /// Its team. By default the caller's team, or the only team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// Slug of its definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// By default, the provider of the definition, else the default provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The provider to use when neither this request nor the definition names one. Without it, the daemon's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_provider: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$")]
    pub model: Option<String>,
    /// Thread of the team to which its answers are posted. By default, a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Title of a new thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Prefix of its name; a number follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Absolute path of its working directory, inside the project of the team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
    /// Create a git worktree for it.
    #[serde(default)]
    pub worktree: bool,
    /// Restrict it to the files of tasks that it owns.
    #[serde(default)]
    pub guard: bool,
}

/// A started worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StartedWorker {
    pub seq: u64,
    pub worker: WorkerView,
    /// Why the task is held, if it could not be typed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<PlacementReason>,
    /// Why the worker follows another version of its definition than the file has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// One worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerAnswer {
    pub seq: u64,
    pub worker: WorkerView,
}

/// A page of workers, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerList {
    pub seq: u64,
    pub workers: Vec<WorkerView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// The query of `GET /api/workers`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorkerQuery {
    /// Only workers of this team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// Only workers whose name begins with this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The `next` of the previous page. Conflicts once its row is gone: read the list again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Default and maximum 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 500)]
    pub limit: Option<usize>,
}

/// The query of `GET /api/workers/{worker}/capture`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CaptureQuery {
    /// Number of lines from the end. Default 1000, at most 10000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 10_000, default = 1000)]
    pub lines: Option<u32>,
}

/// The contents of a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Capture {
    pub name: String,
    /// Plain text, without control characters.
    pub text: String,
    /// The terminal has more lines above.
    pub truncated: bool,
}

/// How to attach to a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AttachView {
    pub name: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The same, as one shell command.
    pub command: String,
}

/// The body of `POST /api/workers/{worker}/send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SendToWorker {
    #[schema(pattern = "\\S")]
    pub message: String,
}
