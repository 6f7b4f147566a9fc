//! The bodies of the teamd protocol, as the OpenAPI document shows them.
//!
//! The daemon reads and writes them field by field, as leniently as the protocol's own server: null and `""` stand for
//! what is left out.

use serde::Serialize;
use utoipa::ToSchema;

use crate::time::Moment;
use crate::words::TaskStatus;

/// The body of `POST /v1/teams`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdCreateTeam {
    /// Without it `default`.
    pub team_id: Option<String>,
    pub agents: Option<Vec<TeamdAgent>>,
}

/// An agent of a team.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdAgent {
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub id: String,
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
    pub team_id: Option<String>,
    /// The agent of the credential, if it is given.
    #[schema(min_length = 1)]
    pub agent_id: Option<String>,
    #[schema(pattern = "\\S", max_length = 120)]
    pub title: String,
    pub description: Option<String>,
    /// Tasks that come first.
    pub deps: Option<Vec<String>>,
    /// Files and directories that the task needs for itself.
    pub resources: Option<Vec<String>>,
}

/// The body of `…/claim`, `…/cancel` and `…/retry`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdAct {
    pub team_id: Option<String>,
    /// The agent of the credential, if it is given.
    #[schema(min_length = 1)]
    pub agent_id: Option<String>,
    /// For how long a claimed task is leased.
    #[schema(minimum = 1, maximum = 86_400_000)]
    pub ttl_ms: Option<i64>,
}

/// The body of `…/renew` and `…/release`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdKeep {
    pub team_id: Option<String>,
    /// The agent of the credential, if it is given.
    #[schema(min_length = 1)]
    pub agent_id: Option<String>,
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
    pub team_id: Option<String>,
    /// The agent of the credential, if it is given.
    #[schema(min_length = 1)]
    pub agent_id: Option<String>,
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    pub epoch: i64,
    pub summary: Option<String>,
    /// Goes with `messageId`: where the whole is told.
    pub thread_id: Option<String>,
    pub message_id: Option<String>,
}

/// The body of `POST /v1/threads`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdCreateThread {
    pub team_id: Option<String>,
    /// The agent of the credential, if it is given.
    #[schema(min_length = 1)]
    pub agent_id: Option<String>,
    pub title: Option<String>,
    pub participants: Option<Vec<String>>,
    pub task_id: Option<String>,
}

/// The body of `POST /v1/threads/{thread}/messages`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdPost {
    pub team_id: Option<String>,
    /// The agent of the credential, if it is given.
    #[schema(min_length = 1)]
    pub agent_id: Option<String>,
    #[schema(pattern = "\\S")]
    pub message: String,
}

/// The body of `POST /v1/threads/{thread}/link`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdLink {
    pub team_id: Option<String>,
    /// The agent of the credential, if it is given.
    #[schema(min_length = 1)]
    pub agent_id: Option<String>,
    pub task_id: String,
}

/// A team.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdTeam {
    pub schema_version: String,
    pub team_id: String,
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
    pub schema_version: String,
    pub id: String,
    pub title: String,
    pub description: String,
    pub status: TaskStatus,
    pub reason: Option<String>,
    pub owner: Option<String>,
    pub deps: Vec<String>,
    pub resources: Vec<String>,
    pub lease: Option<TeamdLease>,
    pub epoch: u64,
    pub summary: Option<String>,
    pub message: Option<TeamdReference>,
    pub timestamps: TeamdTimes,
}

/// Who has a task, and until when.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdLease {
    pub holder: String,
    pub epoch: u64,
    pub expires_at: Moment,
}

/// A message in a thread.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdReference {
    pub thread_id: String,
    pub message_id: String,
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
    /// After a claim or a renewal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<TeamdLease>,
}

/// A thread of a team.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdThread {
    pub schema_version: String,
    pub id: String,
    pub title: String,
    pub participants: Vec<String>,
    pub task_id: Option<String>,
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

/// What was said in a thread.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdMessage {
    pub schema_version: String,
    pub id: String,
    pub thread_id: String,
    pub from: String,
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

/// Something that happened, as an inbox shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdEvent {
    pub schema_version: String,
    pub id: String,
    pub cursor: u64,
    #[serde(rename = "type")]
    pub kind: String,
    pub team_id: String,
    pub agent_id: String,
    pub actor: String,
    pub ts: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    pub summary: String,
    /// The whole text of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamdInbox {
    pub events: Vec<TeamdEvent>,
    /// A number, as a string: pass it as `since` to read on.
    pub next_since: String,
}

/// Whether an agent may write to a path, and why.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamdWriteAnswer {
    pub allow: bool,
    pub reason: String,
    pub advice: String,
}
