//! Sessions on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::id::{CauseId, FileId, SessionId, TeamId, TurnId};
use crate::item::UsageView;
use crate::message::CheckView;
use crate::time::Moment;
use crate::words::{Guard, Hold, PermissionMode, Status, StatusSource, TeamRole, TodoPriority, TodoStatus};
use crate::worker::TerminalView;
use crate::worktree::WorktreeEntry;

/// A session, as lists and pages show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionView {
    pub id: SessionId,
    /// The shortest prefix of the id that names it among the open ones.
    pub handle: String,
    /// Given by a person.
    pub name: Option<String>,
    /// Slug of the definition that it follows; `default` is the built-in one.
    #[serde(default)]
    #[schema(required)]
    pub agent: String,
    /// Given by the agent.
    pub title: Option<String>,
    pub status: Status,
    /// How the status is known.
    pub status_source: StatusSource,
    pub status_since: Moment,
    /// Code of what went wrong, when something did.
    pub status_code: Option<String>,
    /// Why it has not got further, when only this moment knows. Lists and answers have it, the stream does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    pub hold: Hold,
    /// When a limit that was reached ends; until then nothing starts by itself.
    pub parked_until: Option<Moment>,
    /// The attempt that is made because one broke off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryView>,
    /// When the harness last said anything in the turn under way. Lists and answers have it, the stream does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard_at: Option<Moment>,
    pub provider: String,
    pub model: Option<String>,
    pub effort: Option<String>,
    pub permissions: PermissionMode,
    pub labels: BTreeMap<String, String>,
    /// When a person pinned it: pinned ones are listed first.
    #[serde(default)]
    pub pinned_at: Option<Moment>,
    /// What people and programs noted about it: any JSON, by name.
    #[serde(default)]
    #[schema(value_type = Object, required)]
    pub attributes: BTreeMap<String, Value>,
    /// Where it was started.
    pub project: String,
    /// Where it runs.
    pub directory: String,
    /// The git worktree that was made for it.
    pub worktree: Option<WorktreeView>,
    pub parent: Option<SessionId>,
    /// The terminal that it runs in, if it is a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<TerminalView>,
    /// The team that it belongs to, and what it is called there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// Where the person who is in it came from.
    #[serde(default)]
    pub entered: Option<EnteredView>,
    /// Who made it.
    pub created_by: String,
    pub created_at: Moment,
    pub updated_at: Moment,
    /// Messages that wait for a turn.
    pub queued: usize,
    /// Messages that wait for a person.
    pub held: usize,
    /// The turn under way.
    pub turn: Option<TurnId>,
    /// The cause of the turn under way.
    pub cause: Option<CauseId>,
    /// Hash of the first ask that it waits for.
    pub ask: Option<String>,
    /// How many asks it waits for.
    pub asks: usize,
    /// Turns since it was made or cleared.
    pub turns: u64,
    pub usage: UsageView,
    /// Preview of the newest text: at most 160 characters on one line. Only answers about one
    /// session have it, and lists of a definition's sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_snippet: Option<String>,
    /// What it has set itself to do. Only answers about one session have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todo: Option<Vec<TodoView>>,
    /// Ids of the open sessions that it started and that end with it. Only answers about one session have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<SessionId>>,
    /// `lease` when it changes nothing but what a task that it holds covers. Only answers about one session have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// The cause of the newest turn, also when it is over. Only answers about one session have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_cause: Option<CauseId>,
    /// Handles of the agents that its turn waits for right now. Only answers about one session have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Vec<String>>,
    /// How the newest answer that has an output schema compares with it. Only answers about one session have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckView>,
    /// Why it follows another version of its definition than the file holds. Only answers about one session have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// One thing that an agent has set itself to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TodoView {
    pub content: String,
    pub status: TodoStatus,
    pub priority: TodoPriority,
}

/// That a person came into a session from another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EnteredView {
    /// Id of the session that they came from.
    pub from: SessionId,
    pub by: String,
    pub at: Moment,
}

/// A git worktree that belongs to Paseo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WorktreeView {
    /// What all checkouts of the repository share, usually a `.git`.
    pub repository: String,
    pub path: String,
    pub branch: String,
    /// The commit that it began at.
    pub base: String,
}

/// Something a handle could have meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Candidate {
    pub handle: String,
    pub id: SessionId,
    pub name: Option<String>,
    pub status: Status,
}

/// A page of sessions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub sessions: Vec<SessionView>,
    /// Pass as `after` to read on.
    pub next: Option<String>,
    pub hidden: Hidden,
}

/// A session in one line: what a table shows of it. What says nothing is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionLine {
    pub handle: String,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked_until: Option<Moment>,
    /// The attempt that is made because one broke off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryView>,
    /// When the harness last said anything in the turn under way. Lists and answers have it, the stream does not.
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
    /// The terminal that it runs in, if it is a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<TerminalView>,
    /// What it is called in its team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
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

/// An attempt to get an answer from the model after one that broke off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetryView {
    /// Which one it is; `None` when the harness does not say.
    pub attempt: Option<u32>,
    /// How many the harness makes at most.
    pub of: Option<u32>,
    /// When the one before it broke off.
    pub since: Moment,
}

/// A page of sessions, newest first, each in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionLines {
    /// The point in the log to stream from.
    pub seq: u64,
    pub sessions: Vec<SessionLine>,
    /// Pass as `after` to read on.
    pub next: Option<String>,
    pub hidden: Hidden,
}

/// How many sessions each filter hid.
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
    /// `true`: delete even what is in use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// The query of `GET /api/sessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionQuery {
    /// `key=value`, comma-separated; all must match. Inside, commas are written `%2C` and percent signs `%25`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^[^=,\\s\\x00-\\x1f\\x7f-\\x9f]+=[^,\\x00-\\x1f\\x7f-\\x9f]*(,[^=,\\s\\x00-\\x1f\\x7f-\\x9f]+=[^,\\x00-\\x1f\\x7f-\\x9f]*)*$"
    )]
    pub labels: Option<String>,
    /// `true`: only what the web app shows, those with `ui=true` and open ones that descend from them. Without labels
    /// and this: only background sessions.
    #[serde(default)]
    pub ui: bool,
    /// `true`: neither labels nor `ui` filter anything.
    #[serde(default)]
    pub any_labels: bool,
    /// `true`: closed ones too.
    #[serde(default)]
    pub all_statuses: bool,
    /// Only sessions started in or under this directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Only sessions that follow this definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Where the page before this one ended: its `next`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = r"^((pinned-)?-?[0-9]{1,18}:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|closed.*)$"
    )]
    pub after: Option<String>,
    /// 500 unless it is said; more than 500 counts as 500, and 0 as 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `true`: of each session only what a line in a table shows; the answer is `SessionLines`.
    #[serde(default)]
    pub brief: bool,
}

/// One session with the point in the log to stream from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionAnswer {
    pub seq: u64,
    pub session: SessionView,
}

/// What Paseo adds to the prompt of a session's harness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptView {
    /// Word for word; empty when nothing is added.
    pub prompt: String,
}

/// The body of `POST /api/sessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSession {
    /// Slug of the definition that it follows. What else is said here beats what the definition says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Without one: that of the definition, else the default provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The provider to use when neither this request nor the definition names one. Without it, the daemon's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_provider: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$")]
    pub model: Option<String>,
    /// How hard it thinks, in the provider's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Without it: that of the definition, else full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionMode>,
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is started: an absolute path. It runs there too, unless `cwd` or its definition says otherwise.
    #[schema(pattern = "^/")]
    pub directory: String,
    /// Where it runs, whatever its definition says: an absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub cwd: Option<String>,
    /// Whether it gets a git worktree of its own. By default those with `ui=true` do, in a git repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<bool>,
    /// The worktree's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_name: Option<String>,
    /// Where the worktree's branch starts: a branch, tag or commit. By default what the checkout is on.
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
    /// The JSON Schema that the answer has to satisfy: the final answer is one JSON document, corrected at most twice. At most
    /// 64 KB, without references that lead out of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = crate::message::json_schema)]
    pub output_schema: Option<Value>,
    /// The team that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub team: Option<String>,
    /// As whom; by default a name after its definition or provider, with a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$")]
    pub team_agent: Option<String>,
    /// `worker` unless this says otherwise; a `leader` is told to direct the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_role: Option<TeamRole>,
    /// `lease`: it changes nothing but what a task that it holds covers. Needs a team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
}

/// The body of `PATCH /api/sessions/{id}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PatchSession {
    /// A new name; an empty one takes it away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default)]
    pub set_labels: BTreeMap<String, String>,
    #[serde(default)]
    pub unset_labels: Vec<String>,
    /// Whether it is listed first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Attributes to set, by name; null takes one away.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub attributes: BTreeMap<String, Value>,
}

/// What happened to a session on request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionAnswer {
    pub seq: u64,
    /// False when there was nothing to do.
    pub changed: bool,
    pub handle: String,
    pub id: SessionId,
    /// Messages that waited and are gone with a deleted session.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: usize,
    /// Open sessions that were closed with it: those that descend from it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub closed_with: usize,
    /// The worktree of a closed or deleted session, which stays behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<WorktreeEntry>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
