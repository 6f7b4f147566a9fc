//! The bodies of the teamd protocol, as the OpenAPI document shows them.
//!
//! The daemon reads and writes them field by field, as leniently as the protocol's own server: null and `""` stand for
//! what is left out.

use serde::Serialize;
use utoipa::ToSchema;

use crate::id::{MemberId, TaskId, TeamId, TeamThreadId, TeamdEventId, TeamdMessageId};
use crate::time::Moment;
use crate::words::{NoticeKind, TaskStatus, TeamdSchemaVersion, TeamdWriteReason};

/// The body of `POST /v1/teams`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdCreateTeam {
    /// Default `default`.
    pub team_id: Option<TeamId>,
    pub agents: Option<Vec<TeamdAgent>>,
}

/// An agent of a team.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdAgent {
    pub id: MemberId,
    #[schema(
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$",
        max_length = 64
    )]
    pub role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$",
        max_length = 64
    )]
    pub model: Option<String>,
}

/// The body of `POST /v1/tasks`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdCreateTask {
    pub team_id: Option<TeamId>,
    /// If given, it must be the agent of the credential.
    pub agent_id: Option<MemberId>,
    #[schema(pattern = "[^\\s\\x00-\\x1f\\x7f-\\x9f]", max_length = 120)]
    pub title: String,
    pub description: Option<String>,
    /// Tasks that must be completed first.
    pub deps: Option<Vec<TaskId>>,
    /// Files and directories that the task needs exclusively.
    pub resources: Option<Vec<String>>,
}

/// The body of `…/cancel` and `…/retry`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdAct {
    pub team_id: Option<TeamId>,
    /// If given, it must be the agent of the credential.
    pub agent_id: Option<MemberId>,
}

/// The body of `…/claim`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdClaim {
    pub team_id: Option<TeamId>,
    /// If given, it must be the agent of the credential.
    pub agent_id: Option<MemberId>,
    /// Length of the lease.
    #[schema(minimum = 1, maximum = 86_400_000)]
    pub ttl_ms: Option<i64>,
}

/// The body of `…/renew` and `…/release`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdKeep {
    pub team_id: Option<TeamId>,
    /// If given, it must be the agent of the credential.
    pub agent_id: Option<MemberId>,
    /// The epoch of the lease.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    pub epoch: i64,
    #[schema(minimum = 1, maximum = 86_400_000)]
    pub ttl_ms: Option<i64>,
}

/// The body of `…/complete` and `…/fail`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdEnd {
    pub team_id: Option<TeamId>,
    /// If given, it must be the agent of the credential.
    pub agent_id: Option<MemberId>,
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    pub epoch: i64,
    pub summary: Option<String>,
    /// Thread of the message with the full result. Goes with `messageId`.
    pub thread_id: Option<TeamThreadId>,
    pub message_id: Option<TeamdMessageId>,
}

/// The body of `POST /v1/threads`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdCreateThread {
    pub team_id: Option<TeamId>,
    /// If given, it must be the agent of the credential.
    pub agent_id: Option<MemberId>,
    pub title: Option<String>,
    pub participants: Option<Vec<MemberId>>,
    pub task_id: Option<TaskId>,
}

/// The body of `POST /v1/threads/{thread}/messages`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdPost {
    pub team_id: Option<TeamId>,
    /// If given, it must be the agent of the credential.
    pub agent_id: Option<MemberId>,
    #[schema(pattern = "\\S")]
    pub message: String,
}

/// The body of `POST /v1/threads/{thread}/link`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdLink {
    pub team_id: Option<TeamId>,
    /// If given, it must be the agent of the credential.
    pub agent_id: Option<MemberId>,
    pub task_id: TaskId,
}

/// A team.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdTeam {
    pub schema_version: TeamdSchemaVersion,
    pub team_id: TeamId,
    pub agents: Vec<TeamdAgent>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdTeams {
    pub teams: Vec<TeamdTeam>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdTeamAnswer {
    pub team: TeamdTeam,
}

/// A task.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdTask {
    pub schema_version: TeamdSchemaVersion,
    pub id: TaskId,
    pub title: String,
    pub description: String,
    pub status: TaskStatus,
    pub reason: Option<String>,
    pub owner: Option<MemberId>,
    pub deps: Vec<TaskId>,
    pub resources: Vec<String>,
    pub lease: Option<TeamdLease>,
    pub epoch: u64,
    pub summary: Option<String>,
    pub message: Option<TeamdReference>,
    pub timestamps: TeamdTimes,
}

/// The lease of a task.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdLease {
    pub holder: MemberId,
    pub epoch: u64,
    pub expires_at: Moment,
}

/// A message in a thread.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdReference {
    pub thread_id: TeamThreadId,
    pub message_id: TeamdMessageId,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdTimes {
    pub created_at: Moment,
    pub started_at: Option<Moment>,
    pub completed_at: Option<Moment>,
    pub failed_at: Option<Moment>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdTasks {
    pub tasks: Vec<TeamdTask>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdTaskAnswer {
    pub task: TeamdTask,
    /// Only after a claim or a renewal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<TeamdLease>,
}

/// A thread of a team.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdThread {
    pub schema_version: TeamdSchemaVersion,
    pub id: TeamThreadId,
    pub title: String,
    pub participants: Vec<MemberId>,
    pub task_id: Option<TaskId>,
    pub created_at: Moment,
    pub updated_at: Moment,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdThreads {
    pub threads: Vec<TeamdThread>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdThreadAnswer {
    pub thread: TeamdThread,
}

/// A message in a thread.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdMessage {
    pub schema_version: TeamdSchemaVersion,
    pub id: TeamdMessageId,
    pub thread_id: TeamThreadId,
    pub from: MemberId,
    pub body: String,
    pub ts: Moment,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdMessageAnswer {
    pub message: TeamdMessage,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdTail {
    pub thread: TeamdThread,
    pub messages: Vec<TeamdMessage>,
}

/// An event in an inbox.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdEvent {
    pub schema_version: TeamdSchemaVersion,
    pub id: TeamdEventId,
    pub cursor: u64,
    #[serde(rename = "type")]
    pub kind: NoticeKind,
    pub team_id: TeamId,
    pub agent_id: MemberId,
    pub actor: MemberId,
    pub ts: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<TeamThreadId>,
    pub summary: String,
    /// The whole text of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdInbox {
    pub events: Vec<TeamdEvent>,
    /// Cursor for the next request: pass it as `since`. A number, as a string.
    pub next_since: String,
}

/// Whether an agent may write to a path.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdWriteAnswer {
    pub allow: bool,
    pub reason: TeamdWriteReason,
    pub advice: String,
}
