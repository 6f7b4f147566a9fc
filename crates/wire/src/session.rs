//! Sessions on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::id::{ActorName, CauseId, FileId, MemberId, RequestHash, SessionId, TeamId, TurnId};
use crate::item::UsageView;
use crate::message::CheckView;
use crate::time::Moment;
use crate::words::{
    AgentColor, Guard, Hold, PermissionMode, Status, StatusSource, TeamRole, TodoPriority, TodoStatus,
};
use crate::worker::TerminalView;
use crate::worktree::WorktreeEntry;

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionView {
    pub id: SessionId,
    /// The shortest prefix of the id that is unique among the open agents.
    pub handle: String,
    /// Name given by a person.
    pub name: Option<String>,
    /// Slug of its definition; `default` is the built-in one.
    #[serde(default)]
    #[schema(required)]
    pub agent: String,
    /// Title given by the agent.
    pub title: Option<String>,
    pub status: Status,
    /// Where the status comes from.
    pub status_source: StatusSource,
    pub status_since: Moment,
    /// Error code, if something went wrong.
    pub status_code: Option<String>,
    /// Why it makes no progress at the moment. Not in the event stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    pub hold: Hold,
    /// When the rate limit ends. Until then, no turn starts by itself.
    pub parked_until: Option<Moment>,
    /// The current retry after a failed attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryView>,
    /// When the harness last sent output in the current turn. Not in the event stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard_at: Option<Moment>,
    pub provider: String,
    pub model: Option<String>,
    pub effort: Option<String>,
    pub permissions: PermissionMode,
    /// What counts from the next turn on, when a person changed it during this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_turn: Option<NextTurn>,
    pub labels: BTreeMap<String, String>,
    /// When a person pinned it. Pinned agents are listed first.
    #[serde(default)]
    pub pinned_at: Option<Moment>,
    /// Devices get a notification when it finishes, if they want those.
    #[serde(default)]
    #[schema(required)]
    pub notify_when_finished: bool,
    /// Attributes set by people and programs: any JSON, by name.
    #[serde(default)]
    #[schema(value_type = Object, required)]
    pub attributes: BTreeMap<String, Value>,
    /// Where it was started.
    pub project: String,
    /// Where it runs.
    pub directory: String,
    /// The git worktree created for it.
    pub worktree: Option<WorktreeView>,
    pub parent: Option<SessionId>,
    /// Its terminal, if it is a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<TerminalView>,
    /// Its team, and its id there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<MemberId>,
    /// The agent that the person came from.
    #[serde(default)]
    pub entered: Option<EnteredView>,
    /// The creator.
    pub created_by: ActorName,
    pub created_at: Moment,
    pub updated_at: Moment,
    /// Number of messages that wait for a turn.
    pub queued: usize,
    /// Number of messages that wait for a person.
    pub held: usize,
    /// The current turn.
    pub turn: Option<TurnId>,
    /// The cause of the current turn.
    pub cause: Option<CauseId>,
    /// Hash of its first open permission request.
    pub ask: Option<RequestHash>,
    /// Number of open permission requests.
    pub asks: usize,
    /// Number of turns since it was created or cleared.
    pub turns: u64,
    pub usage: UsageView,
    /// The agent's last text: at most 160 characters on one line. Null if it has said nothing, and in lists for closed
    /// agents. In lists of a definition's agents, the newest text by any author.
    #[serde(default)]
    pub last_snippet: Option<String>,
    /// Current step: the newest tool call without a result, in one line.
    #[serde(default)]
    pub step: Option<String>,
    /// Number of completed entries of its to-do list; null without a list.
    #[serde(default)]
    pub todo_done: Option<usize>,
    /// Number of entries of its to-do list, without cancelled ones.
    #[serde(default)]
    pub todo_total: Option<usize>,
    /// Icon of its definition: an emoji, or the name of an icon.
    #[serde(default)]
    pub icon: Option<String>,
    /// The color of its definition.
    #[serde(default)]
    pub color: Option<AgentColor>,
    /// Whether it has news (finished, failed, asked or held) that no person has looked at.
    #[serde(default)]
    #[schema(required)]
    pub unread: bool,
    /// Number of news so far: pass it to `looked` and `archive`.
    #[serde(default)]
    #[schema(required)]
    pub news: u64,
    /// Whether a person archived it and it has no news since.
    #[serde(default)]
    #[schema(required)]
    pub archived: bool,
    /// Its to-do list. Only in responses about one agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todo: Option<Vec<TodoView>>,
    /// Open agents that it started and that end with it. Only in responses about one agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<SessionId>>,
    /// `lease` if it may change only the files of tasks that it owns. Only in responses about one agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// The cause of the newest turn, even if it has ended. Only in responses about one agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_cause: Option<CauseId>,
    /// Handles of the agents that its turn waits for. Only in responses about one agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Vec<String>>,
    /// Result of checking its newest structured answer. Only in responses about one agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckView>,
    /// Why it follows another version of its definition than the file has. Only in responses about one agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// An entry of an agent's to-do list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TodoView {
    pub content: String,
    pub status: TodoStatus,
    pub priority: TodoPriority,
}

/// How a person came to an agent from another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EnteredView {
    /// The agent that they came from.
    pub from: SessionId,
    pub by: ActorName,
    pub at: Moment,
}

/// A git worktree that belongs to Paseo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorktreeView {
    /// The directory shared by all checkouts of the repository, usually a `.git`.
    pub repository: String,
    pub path: String,
    pub branch: String,
    /// The commit that it started from.
    pub base: String,
}

/// An agent that a handle could mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Candidate {
    pub handle: String,
    pub id: SessionId,
    pub name: Option<String>,
    pub status: Status,
}

/// A page of agents, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub sessions: Vec<SessionView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
    pub hidden: Hidden,
}

/// An agent in one line: what a table shows of it. Empty fields are omitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionLine {
    pub handle: String,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked_until: Option<Moment>,
    /// The current retry after a failed attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryView>,
    /// When the harness last sent output in the current turn. Not in the event stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default)]
    #[schema(required)]
    pub agent: String,
    pub provider: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned_at: Option<Moment>,
    /// Its terminal, if it is a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<TerminalView>,
    /// Its id in its team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<MemberId>,
    /// Where it was started.
    pub project: String,
    pub updated_at: Moment,
}

impl From<SessionView> for SessionLine {
    fn from(view: SessionView) -> Self {
        Self {
            handle: view.handle,
            status: view.status,
            status_reason: view.status_reason,
            parked_until: view.parked_until,
            retry: view.retry,
            heard_at: view.heard_at,
            name: view.name,
            title: view.title,
            agent: view.agent,
            provider: view.provider,
            labels: view.labels,
            pinned_at: view.pinned_at,
            terminal: view.terminal,
            member: view.member,
            project: view.project,
            updated_at: view.updated_at,
        }
    }
}

/// A retry after a failed attempt to get an answer from the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetryView {
    /// Number of the attempt; null if unknown.
    pub attempt: Option<u32>,
    /// Maximum number of attempts; null if unknown.
    pub of: Option<u32>,
    /// When the previous attempt failed.
    pub since: Moment,
}

/// A page of agents, newest first, each in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionLines {
    /// The point in the log to stream from.
    pub seq: u64,
    pub sessions: Vec<SessionLine>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
    pub hidden: Hidden,
}

/// Number of agents hidden by each filter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hidden {
    /// Closed ones.
    pub status: usize,
    /// Started elsewhere.
    pub project: usize,
    /// By labels.
    pub labels: usize,
    /// Of other definitions.
    #[serde(default)]
    pub agent: usize,
}

/// The query of a deletion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForceQuery {
    /// Delete even what is in use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// The query of `GET /api/sessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionQuery {
    /// Comma-separated `key=value` pairs that must all match. Write `%2C` for a comma and `%25` for a percent sign in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^[^=,\\s\\x00-\\x1f\\x7f-\\x9f]+=[^,\\x00-\\x1f\\x7f-\\x9f]*(,[^=,\\s\\x00-\\x1f\\x7f-\\x9f]+=[^,\\x00-\\x1f\\x7f-\\x9f]*)*$"
    )]
    pub labels: Option<String>,
    /// Only agents that the web app shows: those with `ui=true`, and open ones that descend from them. Without `labels`
    /// and `ui`, only background agents.
    #[serde(default)]
    pub ui: bool,
    /// Ignore `labels` and `ui`.
    #[serde(default)]
    pub any_labels: bool,
    /// Include closed agents.
    #[serde(default)]
    pub all_statuses: bool,
    /// Only agents started in or under this directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub project: Option<String>,
    /// Only agents that follow this definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_-]{1,64}$")]
    pub agent: Option<String>,
    /// The `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = r"^((pinned-)?-?[0-9]{1,18}:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|closed.*)$"
    )]
    pub after: Option<String>,
    /// Default and maximum 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 500)]
    pub limit: Option<usize>,
    /// Return only the fields that a table shows; the response is `SessionLines`.
    #[serde(default)]
    pub brief: bool,
}

/// One agent with the point in the log to stream from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionAnswer {
    pub seq: u64,
    pub session: SessionView,
}

/// The text that Paseo adds to the prompt of an agent's harness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptView {
    /// Empty if nothing is added.
    pub prompt: String,
}

/// The body of `POST /api/sessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSession {
    /// Slug of its definition. Other fields of this request override the definition.
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
    /// Reasoning effort; the values depend on the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// By default, the mode of the definition, else `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionMode>,
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Absolute path of the project. It also runs there, unless `cwd` or its definition names another directory.
    #[schema(pattern = "^/")]
    pub directory: String,
    /// Absolute path of its working directory, whatever its definition says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub cwd: Option<String>,
    /// Whether it gets a git worktree of its own. By default only agents with `ui=true` in a git repository do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<bool>,
    /// Name of the worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_name: Option<String>,
    /// Branch, tag or commit to start the worktree's branch from. By default, the commit of the checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "\\S")]
    pub prompt: Option<String>,
    /// Ids of uploaded files for the prompt: see `POST /api/attachments`. At most 10, of 32 MB in sum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 10)]
    pub attachments: Vec<FileId>,
    /// JSON Schema for the answer: the final answer is one JSON document, corrected at most twice. At most 64 KB, without
    /// references to other documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = crate::message::json_schema)]
    pub output_schema: Option<Value>,
    /// The team that it joins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// Its id in the team. By default, the name of its definition or provider with a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_agent: Option<MemberId>,
    /// Default `worker`. A `leader` is instructed to direct the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_role: Option<TeamRole>,
    /// `lease` restricts it to the files of tasks that it owns. Needs a team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
}

/// What the next turn of an agent runs with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NextTurn {
    pub model: Option<String>,
    pub effort: Option<String>,
    pub permissions: PermissionMode,
}

/// The body of `PATCH /api/sessions/{id}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PatchSession {
    /// New name; an empty one removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default)]
    pub set_labels: BTreeMap<String, String>,
    #[serde(default)]
    pub unset_labels: Vec<String>,
    /// Whether it is pinned, and so listed first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Whether devices get a notification when it finishes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify_when_finished: Option<bool>,
    /// Attributes to set, by name; null removes one.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub attributes: BTreeMap<String, Value>,
    /// The model, from the next turn on; an empty one is the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard it thinks, in the provider's words, from the next turn on; an empty one is the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// The permission mode, from the next turn on. Refused where the definition or the parent agent allows less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionMode>,
}

/// The body of `POST /api/sessions/{id}/looked` and `POST /api/sessions/{id}/archive`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeenNews {
    /// The `news` of the agent as it was displayed. A smaller number than an earlier one changes nothing; a larger one
    /// than the agent has is refused. By default, all news so far.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::whole::optional_natural"
    )]
    pub news: Option<u64>,
}

/// The result of an action on an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionAnswer {
    pub seq: u64,
    /// False if there was nothing to do.
    pub changed: bool,
    pub handle: String,
    pub id: SessionId,
    /// Number of queued messages lost with a deleted agent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: usize,
    /// Number of descendants that were closed with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub closed_with: usize,
    /// The worktree of a closed or deleted agent, which is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<WorktreeEntry>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
