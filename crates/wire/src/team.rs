//! Teams: agents that share tasks, each of which one of them has for a time.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{SessionId, TaskId, TeamId};
use crate::time::Moment;
use crate::whole;
use crate::words::{NoticeKind, TaskStatus, TeamRole, WriteReason};

/// A team, in a list and by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamView {
    pub id: TeamId,
    /// The project, which the resources of tasks are parts of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// In order of their ids.
    pub agents: Vec<AgentOfTeam>,
    /// Number of tasks, and of those in progress.
    pub tasks: usize,
    pub in_progress: usize,
    pub threads: usize,
    pub created_by: String,
    pub created_at: Moment,
    pub updated_at: Moment,
    /// Nothing is done in it since then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Moment>,
}

/// One who belongs to a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentOfTeam {
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub id: String,
    /// `worker` unless it is said.
    #[serde(default = "worker")]
    pub role: TeamRole,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$",
        max_length = 64
    )]
    pub model: Option<String>,
    /// The session that acts as this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// What that session goes by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// That session was closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

fn worker() -> TeamRole {
    TeamRole::Worker
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskView {
    pub id: TaskId,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub status: TaskStatus,
    /// Why it is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who has it, or who finished it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    pub deps: Vec<TaskId>,
    /// Parts of the project that it needs for itself.
    pub resources: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseView>,
    /// How often the task was claimed or assigned.
    pub epoch: u64,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Where the whole is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageOfTeam>,
    pub created_by: String,
    pub created_at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
}

/// The right to work on a task, for a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeaseView {
    pub holder: String,
    /// What the holder says when it is done.
    pub epoch: u64,
    pub expires_at: Moment,
}

/// Something that was said in a thread of the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageOfTeam {
    /// `thread-0001` and so on.
    #[schema(pattern = "^thread-([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000|[1-9][0-9]{4,8})$")]
    pub thread: String,
    #[schema(pattern = "^(msg-)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")]
    pub id: String,
}

/// A page of teams or tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamQuery {
    /// Pass `next` to read on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub after: Option<String>,
    /// 100 unless it is said; more than 500 counts as 500, and 0 as 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// A page of teams, in order of their ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub teams: Vec<TeamView>,
    /// Pass as `after` to read on.
    pub next: Option<String>,
}

/// A page of tasks, in order of their ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskPage {
    pub seq: u64,
    pub tasks: Vec<TaskView>,
    /// Pass as `after` to read on.
    pub next: Option<String>,
}

/// A team by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamAnswer {
    pub seq: u64,
    pub team: TeamView,
}

/// A task by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskAnswer {
    pub seq: u64,
    pub team: TeamId,
    pub task: TaskView,
}

/// The body of `POST /api/teams`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTeam {
    /// Letters, digits, `-`, `_` and `.`.
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentOfTeam>,
}

/// The body of `POST /api/teams/{team}/agents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EnrolAgent {
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<TeamRole>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$",
        max_length = 64
    )]
    pub model: Option<String>,
}

/// The body of `POST /api/teams/{team}/tasks`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTask {
    #[schema(pattern = "\\S", max_length = 120)]
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deps: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
}

/// The body of `…/claim`: from now on for this long.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimTask {
    /// Five minutes unless this says otherwise; at most a day.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole::optional_signed")]
    #[schema(minimum = 1, maximum = 86_400_000)]
    pub ttl_ms: Option<i64>,
}

/// The body of `…/renew`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RenewTask {
    #[serde(deserialize_with = "whole::natural")]
    pub epoch: u64,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole::optional_signed")]
    #[schema(minimum = 1, maximum = 86_400_000)]
    pub ttl_ms: Option<i64>,
}

/// The body of `…/complete` and `…/fail`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndTask {
    #[serde(deserialize_with = "whole::natural")]
    pub epoch: u64,
    /// What came of it, in few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Where the whole is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageOfTeam>,
}

/// The body of `…/release`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseTask {
    #[serde(deserialize_with = "whole::natural")]
    pub epoch: u64,
}

/// The body of `…/reassign`; without `to`, the task returns to the queue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReassignTask {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole::optional_signed")]
    #[schema(minimum = 1, maximum = 86_400_000)]
    pub ttl_ms: Option<i64>,
}

/// The query of an inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InboxQuery {
    /// Whose inbox; people only, as others read their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The last cursor that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// 100 unless it is said; more than 500 counts as 500, and 0 as 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// One line of an inbox, or of the audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticeView {
    pub cursor: u64,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: NoticeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// What was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who did it: `user`, an agent, or `daemon`.
    pub actor: String,
    /// Whom it was done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// The session that acts as `to` from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The reason, if the daemon acted on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub ts: Moment,
}

/// A page of an inbox, or of the audit trail, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticePage {
    pub notices: Vec<NoticeView>,
    /// Pass as `after` to read on; null: there is no more yet. To wait for more, remember the last `cursor`.
    pub next: Option<u64>,
}

/// The query of an audit trail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticeQuery {
    /// The last cursor that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// 100 unless it is said; more than 500 counts as 500, and 0 as 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The query that goes with a new token of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgainQuery {
    /// `true`: an agent that was removed is added again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// The query of `GET /api/teams/{team}/can-write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WriteQuery {
    pub path: String,
    /// Whose; people only, as others ask for themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// Whether an agent may write to a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WriteAnswer {
    pub allow: bool,
    pub reason: WriteReason,
    /// In words, with what to do.
    pub advice: String,
}
