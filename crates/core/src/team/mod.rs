//! Teams: agents that share tasks. Who works on what is decided by leases, which run out and are numbered: whoever
//! lost one can finish nothing any more.

mod apply;
mod departure;
mod edit;
mod event;
mod guard;
mod lease;
mod name;
mod notice;
mod overlap;
mod plan;
mod primer;
mod refusal;
mod resource;
mod worker;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use departure::{close, leave};
pub use edit::{Edit, edit};
pub use event::{Assigned, Enrolled, Event, Outcome, TaskCreated, ThreadStarted, WriteRefused};
pub use guard::{Site, Unleased, Wish, Worktree, guard, is_alone, may_run, may_write};
pub use lease::{
    Due, LEASE_MS, MAX_LEASE_MS, MIN_LEASE_MS, abandoned, attention, cancel, claim, complete, due, extend,
    fail, reassign, release, renew, retry,
};
pub use name::{Malformed, TaskId, TeamId, ThreadAlias, check_agent, suggested};
pub use notice::{Notice, audit, inbox};
pub use overlap::{Needs, Overlap};
pub use plan::{Plan, Thread, enrol, found, join, let_in, link, plan, start_thread, stayed_away};
pub use primer::primer;
pub use refusal::write_refused;
pub use resource::{Misplaced, Resource};
pub use worker::{
    BadPrefix, check_prefix, in_order, next_name, place, prefix_of, worker_ended, worker_started,
};
pub use write::{Permit, Reason, can_write};

use crate::actor::Actor;
use crate::content::ContentRef;
use crate::id::{PostId, SessionId, ThreadId};
use crate::thread::USER;
use crate::time::Timestamp;

/// The role whose bearers direct the others.
pub const LEADER: &str = "leader";
/// The role of everybody else.
pub const WORKER: &str = "worker";

/// Returns the name of a team's stream.
pub fn stream(id: &TeamId) -> String {
    format!("team/{id}")
}

/// Returns the team that a stream belongs to.
pub fn from_stream(stream: &str) -> Option<TeamId> {
    stream.strip_prefix("team/")?.parse().ok()
}

/// The state of a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    pub id: TeamId,
    /// The project, which resources are parts of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    pub created_by: Actor,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, Member>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tasks: BTreeMap<TaskId, Task>,
    /// The tasks that are leased now.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub held: BTreeSet<TaskId>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub threads: BTreeMap<ThreadAlias, TeamThread>,
    /// What the guard refused its members lately, oldest first.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refusals: BTreeMap<String, Vec<Refusal>>,
    /// Those who left it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub former: BTreeSet<String>,
    /// The sessions of workers that were ended.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ended: BTreeSet<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// How many events there are.
    #[serde(default)]
    pub version: u64,
}

/// One who belongs to a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The session that acts as this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

/// A unit of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<ContentRef>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deps: Vec<TaskId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resource>,
    pub stage: Stage,
    /// Who has it, or who finished it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<Lease>,
    /// Its last lease ran out, and it has not been claimed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapsed: Option<Lapsed>,
    /// How often it was leased.
    #[serde(default)]
    pub epoch: u64,
    #[serde(default)]
    pub outcome: Outcome,
    pub created_by: String,
    pub created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
}

/// How far a task is, apart from what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    Open,
    InProgress,
    Completed,
    Failed,
    Canceled,
}

/// The right to work on a task, for a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub holder: String,
    pub epoch: u64,
    pub ttl_ms: i64,
    pub expires_at: Timestamp,
}

/// A lease that ran out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lapsed {
    pub holder: String,
    pub epoch: u64,
}

/// Something that the guard refused a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub at: Timestamp,
    /// What it wanted to do.
    pub what: ContentRef,
    /// The word that clients know.
    pub reason: String,
    /// Why not, as people read it.
    pub why: String,
}

/// A thread of a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamThread {
    pub thread: ThreadId,
    pub title: String,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub participants: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Something that was said in a thread of the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRef {
    pub thread: ThreadAlias,
    pub post: PostId,
}

/// How far a task is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It waits for these, in order.
    Blocked(Vec<Blocker>),
    Pending,
    InProgress,
    Completed,
    Failed,
    Canceled,
}

/// What a task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocker {
    pub task: TaskId,
    /// What it is stuck at: it will not complete by itself.
    pub stuck: Option<Stage>,
}

impl Status {
    /// Returns the word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Blocked(_) => "blocked",
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }

    /// Says in words what a task waits for.
    pub fn reason(&self) -> Option<String> {
        let Self::Blocked(blockers) = self else { return None };
        let one = |blocker: &Blocker| match blocker.stuck {
            Some(Stage::Failed) => format!("{0} failed; retry {0}, or cancel this task", blocker.task),
            Some(Stage::Canceled) => {
                format!("{0} was canceled; retry {0}, or cancel this task", blocker.task)
            }
            Some(Stage::Open | Stage::InProgress | Stage::Completed) | None => {
                format!("{} is not completed", blocker.task)
            }
        };
        Some(blockers.iter().map(one).collect::<Vec<_>>().join("; "))
    }
}

impl Lease {
    /// Says whether it counts at a time.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.expires_at > now
    }
}

/// Who acts in a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By<'a> {
    Person,
    Agent(&'a str),
}

impl<'a> By<'a> {
    /// Returns the name it goes by.
    pub fn id(self) -> &'a str {
        match self {
            Self::Person => USER,
            Self::Agent(id) => id,
        }
    }
}

impl Team {
    /// Says how far a task is, and what it waits for.
    pub fn status(&self, task: &Task) -> Status {
        match task.stage {
            Stage::InProgress => Status::InProgress,
            Stage::Completed => Status::Completed,
            Stage::Failed => Status::Failed,
            Stage::Canceled => Status::Canceled,
            Stage::Open => {
                let blockers: Vec<Blocker> = task.deps.iter().filter_map(|dep| self.blocker(*dep)).collect();
                if blockers.is_empty() { Status::Pending } else { Status::Blocked(blockers) }
            }
        }
    }

    fn blocker(&self, dep: TaskId) -> Option<Blocker> {
        let stage = self.tasks.get(&dep).map_or(Stage::Canceled, |task| task.stage);
        let stuck = matches!(stage, Stage::Failed | Stage::Canceled).then_some(stage);
        (stage != Stage::Completed).then_some(Blocker { task: dep, stuck })
    }

    /// Returns a task.
    pub fn task(&self, id: TaskId) -> Result<&Task, Refused> {
        self.tasks.get(&id).ok_or_else(|| Refused::NoTask(id, self.id.clone()))
    }

    /// Returns the live leases of a time, with their tasks.
    pub fn leases(&self, now: Timestamp) -> impl Iterator<Item = (TaskId, &Task, &Lease)> {
        self.held.iter().filter_map(move |id| {
            let task = self.tasks.get(id)?;
            let lease = task.lease.as_ref().filter(|lease| lease.is_live(now))?;
            Some((*id, task, lease))
        })
    }

    /// Returns the agent that a session acts as.
    pub fn agent_of(&self, session: SessionId) -> Option<&str> {
        self.agents.iter().find(|(_, member)| member.session == Some(session)).map(|(id, _)| id.as_str())
    }

    /// Says whether a session belongs to it now: it has not left, and the team is there.
    pub fn is_member(&self, session: SessionId) -> bool {
        self.closed_at.is_none() && self.agent_of(session).is_some()
    }

    /// Returns a thread of the team by its real id.
    pub fn thread(&self, id: ThreadId) -> Option<(ThreadAlias, &TeamThread)> {
        self.threads.iter().find(|(_, thread)| thread.thread == id).map(|(alias, thread)| (*alias, thread))
    }

    /// Returns every name that a member has or had in it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.agents.keys().chain(&self.former).map(String::as_str)
    }

    /// Says whether a caller may decide about a task that another member holds: people, leaders and its creator may.
    fn directs(&self, by: By<'_>, task: &Task) -> bool {
        self.leads(by) || task.created_by == by.id()
    }

    /// Says whether a caller may decide about everything in the team.
    fn leads(&self, by: By<'_>) -> bool {
        match by {
            By::Person => true,
            By::Agent(id) => self.agents.get(id).is_some_and(|member| member.role == LEADER),
        }
    }

    /// Refuses what cannot be done any more once it is closed.
    pub fn open(&self) -> Result<(), Refused> {
        match self.closed_at {
            Some(_) => Err(Refused::Closed { team: self.id.clone() }),
            None => Ok(()),
        }
    }
}

/// Writes a time as people type it.
fn lasting(millis: i64) -> String {
    match millis {
        0 => "0s".to_owned(),
        days if days % 86_400_000 == 0 => format!("{}d", days / 86_400_000),
        hours if hours % 3_600_000 == 0 => format!("{}h", hours / 3_600_000),
        minutes if minutes % 60_000 == 0 => format!("{}m", minutes / 60_000),
        seconds if seconds % 1_000 == 0 => format!("{}s", seconds / 1_000),
        other => format!("{other}ms"),
    }
}

/// Returns a member as the caller reads it: a person is `you` to themself.
fn addressed(agent: &str) -> &str {
    if agent == USER { "you" } else { agent }
}

/// Says whose lease it is, as the caller reads it.
fn whose(holder: &str, reader: By<'_>) -> String {
    if holder == reader.id() { "your".to_owned() } else { format!("{holder}'s") }
}

/// Says who owns a task, as the caller reads it.
fn holds(holder: &str, reader: By<'_>) -> String {
    if holder == reader.id() { "you own".to_owned() } else { format!("{holder} owns") }
}

/// Says why nothing can be done with a task that is not in progress.
fn standing(status: &str, blockers: &[TaskId]) -> String {
    let named = blockers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match (status, blockers) {
        ("completed" | "failed" | "canceled", _) => format!("already {status}"),
        (_, []) => "not owned by any member".to_owned(),
        (_, [_]) => format!("not owned by any member; it is blocked until {named} is completed"),
        _ => format!("not owned by any member; it is blocked until {named} are completed"),
    }
}

/// Says which limit a lease exceeds.
fn out_of_range(millis: i64) -> String {
    let bound = if millis > MAX_LEASE_MS { "at most one day (24h)" } else { "at least 1 ms" };
    format!("a lease lasts {bound}, not {}", lasting(millis))
}

/// Why something cannot be done in a team.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{0} not found in team {1}")]
    NoTask(TaskId, TeamId),
    #[error("dependency {0} not found in this team")]
    NoDependency(TaskId, TeamId),
    #[error("{0} cannot depend on itself")]
    OwnDependency(TaskId, TeamId),
    #[error("{0} not found in team {1}")]
    NoThread(ThreadAlias, TeamId),
    #[error("{task} cannot be claimed: {why}")]
    NotClaimable { task: TaskId, why: String, status: &'static str },
    #[error("{task} cannot be assigned: {why}")]
    NotAssignable { task: TaskId, why: String },
    /// `deed`: claimed or assigned. `holds`: who holds the other task, as the caller reads it.
    #[error("{task} cannot be {deed} now: {holds} {other}, whose resource `{held}` overlaps `{wanted}`")]
    Overlap {
        task: TaskId,
        deed: &'static str,
        other: TaskId,
        holds: String,
        held: Resource,
        wanted: Resource,
    },
    #[error("{task} is {}", standing(.status, .blockers))]
    NotInProgress { task: TaskId, status: &'static str, blockers: Vec<TaskId> },
    /// `whose`: as the caller reads it.
    #[error("{whose} lease on {task} (epoch {epoch}) has expired")]
    Expired { task: TaskId, whose: String, epoch: u64 },
    #[error("{task} is owned by {holder}, not {}", addressed(.agent))]
    HolderMismatch { task: TaskId, holder: String, agent: String },
    #[error("you already own {task} (epoch {epoch})")]
    YoursAlready { task: TaskId, epoch: u64 },
    #[error("`{agent}` is not in this team; members: {there}")]
    NoAgent { agent: String, there: String },
    #[error("`{agent}` was removed from team {team}")]
    TakenOut { agent: String, team: TeamId },
    #[error("you own {task} at epoch {now}, not {given}")]
    EpochMismatch { task: TaskId, given: u64, now: u64 },
    #[error("only a person, a team leader or the creator of {task} can do this")]
    NotYours { task: TaskId },
    #[error("only a person or a team leader can do this")]
    NotLeader,
    #[error("team {team} is closed and read-only")]
    Closed { team: TeamId },
    #[error("{task} is already {status}")]
    Over { task: TaskId, status: &'static str },
    /// `holds`: who owns the task, as the caller reads it.
    #[error("{holds} {task}: only its title and description can be edited until it is free")]
    HeldWhileEdited { task: TaskId, holds: String },
    #[error("{task} cannot depend on {through}, which depends on {task}")]
    Cycle { task: TaskId, through: TaskId },
    #[error("{task} is {status}; only failed or canceled tasks can be retried")]
    NotRetriable { task: TaskId, status: &'static str },
    #[error("{}", out_of_range(*.0))]
    Ttl(i64),
    #[error("{0}")]
    Invalid(String),
    #[error("two members have the id `{0}`")]
    SameId(String),
    #[error("{0}")]
    Full(String),
    #[error("another open agent is already the member `{id}` of this team")]
    Taken { id: String, other: SessionId },
    #[error("the id `{id}` in team {team} is taken: it belongs to a member outside Paseo {why}")]
    Engaged { id: String, team: TeamId, why: &'static str },
    #[error("message `{post}` not found in {thread}")]
    NoMessage { thread: ThreadAlias, post: PostId },
    #[error(transparent)]
    Name(#[from] Malformed),
    #[error(transparent)]
    Resource(#[from] Misplaced),
}

#[cfg(test)]
mod guard_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
