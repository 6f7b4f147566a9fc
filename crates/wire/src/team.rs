//! Teams: agents that share tasks, each of which one of them has for a time.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{ActorName, MemberId, PostId, SessionId, TaskId, TeamId, TeamThreadId};
use crate::time::Moment;
use crate::whole;
use crate::words::{Guard, NoticeKind, NoticeReason, TaskStatus, TeamRole, WriteReason};

/// A team, in a list and by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamView {
    pub id: TeamId,
    /// Directory of the project. Resources of tasks are relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// By id.
    pub agents: Vec<AgentOfTeam>,
    /// Number of tasks, and of those in progress.
    pub tasks: usize,
    pub in_progress: usize,
    pub threads: usize,
    /// The version of the newest event: the number of events so far.
    pub version: u64,
    pub created_by: ActorName,
    pub created_at: Moment,
    pub updated_at: Moment,
    /// When the team was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Moment>,
}

/// A member of a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentOfTeam {
    pub id: MemberId,
    /// Default `worker`.
    #[serde(default = "worker")]
    pub role: TeamRole,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$",
        max_length = 64
    )]
    pub model: Option<String>,
    /// The agent of this member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The handle of that agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// That agent was closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// What restricts that agent. Only in responses about one team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// The newest write that its guard refused. Only in responses about one team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusalView>,
}

/// A write that a member's guard refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefusalView {
    pub agent: MemberId,
    pub at: Moment,
    /// What the member wanted to do, such as "write to `src/a`".
    pub what: String,
    pub reason: WriteReason,
    /// Explanation.
    pub why: String,
}

/// Recent refused writes of a team, newest first. The team keeps the last 10 of each member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefusalList {
    pub refusals: Vec<RefusalView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// The query of a list of refused writes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefusalQuery {
    /// Only those of this member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<MemberId>,
    /// The `next` of the previous page. Conflicts once its row is gone: read the list again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Default and maximum 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 500)]
    pub limit: Option<usize>,
}

fn worker() -> TeamRole {
    TeamRole::Worker
}

/// A daemon of before does not say what time it is.
fn unsaid() -> Moment {
    paseo_core::time::Timestamp::default().into()
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
    /// Its owner, or the agent that finished it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<MemberId>,
    pub deps: Vec<TaskId>,
    /// Files and directories that it needs exclusively, relative to the project.
    pub resources: Vec<String>,
    /// Other tasks that are not over and need the same files: different members cannot own both at the same time. At most
    /// 8; tasks of which one waits for the other are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 8)]
    pub overlaps: Vec<OverlapView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseView>,
    /// Number of times that the task was claimed or assigned.
    pub epoch: u64,
    /// Summary of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Message with the full result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageOfTeam>,
    pub created_by: MemberId,
    pub created_at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
}

/// Another task that needs the same files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OverlapView {
    pub task: TaskId,
    /// The resource of this task, and that of the other.
    pub own: String,
    pub theirs: String,
}

/// The right to work on a task for a limited time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeaseView {
    pub holder: MemberId,
    /// Epoch of the lease: pass it to `complete`, `fail`, `renew` and `release`.
    pub epoch: u64,
    pub expires_at: Moment,
}

/// A message in a thread of the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageOfTeam {
    pub thread: TeamThreadId,
    /// Requests may begin it with `msg-`, as the teamd protocol does.
    #[schema(value_type = String, pattern = "^(msg-)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")]
    pub id: PostId,
}

/// The query of a list of teams.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamQuery {
    /// The `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub after: Option<String>,
    /// Default 100, at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
}

/// The query of a list of tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskQuery {
    /// The `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Default 100, at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
    /// The tasks as they were at this moment. Default: as they are now. Excludes `version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
    /// The tasks after the event with this version. Excludes `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64)]
    pub version: Option<u64>,
}

/// A page of teams, in order of their ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub teams: Vec<TeamView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
}

/// A page of tasks, in order of their ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskPage {
    pub seq: u64,
    /// The clock that leases run on.
    #[serde(default = "unsaid")]
    #[schema(required)]
    pub now: Moment,
    pub tasks: Vec<TaskView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
}

/// A team by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamAnswer {
    pub seq: u64,
    /// The clock that leases run on.
    #[serde(default = "unsaid")]
    #[schema(required)]
    pub now: Moment,
    /// False if there was nothing to do: the member had left, or the team was closed. Only in responses about leaving and
    /// closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    pub team: TeamView,
}

/// A task by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskAnswer {
    pub seq: u64,
    /// The clock that leases run on.
    #[serde(default = "unsaid")]
    #[schema(required)]
    pub now: Moment,
    pub team: TeamId,
    pub task: TaskView,
}

/// The body of `POST /api/teams`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTeam {
    /// Letters, digits, `-`, `_` and `.`.
    pub id: TeamId,
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
    pub id: MemberId,
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
    #[schema(pattern = "[^\\s\\x00-\\x1f\\x7f-\\x9f]", max_length = 120)]
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deps: Vec<TaskId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
}

/// The body of `PATCH …/tasks/{task}`. What is missing stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditTask {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "\\S", max_length = 120)]
    pub title: Option<String>,
    /// An empty one removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// All dependencies from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deps: Option<Vec<TaskId>>,
    /// All resources from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Vec<String>>,
}

/// The body of `…/claim`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimTask {
    /// Length of the lease. Default 5 minutes, at most a day.
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
    /// Short summary of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Message with the full result.
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
    pub to: Option<MemberId>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole::optional_signed")]
    #[schema(minimum = 1, maximum = 86_400_000)]
    pub ttl_ms: Option<i64>,
}

/// The query of an inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InboxQuery {
    /// Member whose inbox to read. Only people may name one; others read their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<MemberId>,
    /// The last `cursor` seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Default 100, at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
}

/// An entry of an inbox or of the audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticeView {
    pub cursor: u64,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: NoticeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<TeamThreadId>,
    /// The message that was posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<PostId>,
    /// The actor: an agent, `user` for a person, or `daemon`.
    pub actor: MemberId,
    /// The member that it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<MemberId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// The agent of `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The reason, if the daemon acted on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoticeReason>,
    pub ts: Moment,
}

/// A page of an inbox or of the audit trail, oldest first unless the request asks for the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticePage {
    pub notices: Vec<NoticeView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page; to poll, keep the last `cursor`.
    #[schema(required)]
    pub next: Option<u64>,
}

/// The query of an audit trail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticeQuery {
    /// The last `cursor` seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// List the newest entries first; `after` then continues with older ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub newest: bool,
    /// Default 100, at most 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
}

/// The query that goes with a new token of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgainQuery {
    /// Add the agent again if it was removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// The query of `GET /api/teams/{team}/can-write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WriteQuery {
    /// The path to write to: absolute, or relative to the directory of the team.
    pub path: String,
    /// Member to check. Only people may name one; others ask for themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<MemberId>,
}

/// Whether an agent may write to a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WriteAnswer {
    pub allow: bool,
    pub reason: WriteReason,
    /// Explanation, and what to do.
    pub advice: String,
}
