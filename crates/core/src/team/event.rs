//! What happens in a team.

use serde::{Deserialize, Serialize};

use super::{Member, MessageRef, Resource, TaskId, TeamId, ThreadAlias};
use crate::actor::Actor;
use crate::content::ContentRef;
use crate::id::{PostId, SessionId, ThreadId};
use crate::time::Timestamp;

/// An event of the stream `team/<id>`. Where it says `by` or `from`: `user`, or the id of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data")]
pub enum Event {
    #[serde(rename = "team.created")]
    Created {
        team: TeamId,
        /// The project, which resources are parts of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directory: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        agents: Vec<Enrolled>,
        by: Actor,
    },
    /// A member joined, or got another role.
    #[serde(rename = "team.enrolled")]
    Enrolled(Enrolled),
    /// A member left.
    #[serde(rename = "team.left")]
    Left {
        agent: String,
        /// The session that acted as this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        by: String,
    },
    /// The harness of one runs in a terminal from now on.
    #[serde(rename = "team.worker_started")]
    WorkerStarted { agent: String, session: SessionId, by: String },
    /// It was ended, and its terminal with it. Who did it may also be `daemon`.
    #[serde(rename = "team.worker_ended")]
    WorkerEnded { agent: String, session: SessionId, by: String },
    /// The guard did not let a member change something.
    #[serde(rename = "team.write_refused")]
    WriteRefused(Box<WriteRefused>),
    /// Nothing happens in it from now on.
    #[serde(rename = "team.closed")]
    Closed { by: String },
    #[serde(rename = "team.thread_started")]
    ThreadStarted(Box<ThreadStarted>),
    #[serde(rename = "team.thread_linked")]
    ThreadLinked { thread: ThreadAlias, task: TaskId, by: String },
    /// A message was posted in one of its threads.
    #[serde(rename = "team.thread_posted")]
    ThreadPosted { thread: ThreadId, post: PostId, text: ContentRef, from: String },
    #[serde(rename = "task.created")]
    TaskCreated(Box<TaskCreated>),
    /// A task was edited: this is the whole of it from now on.
    #[serde(rename = "task.edited")]
    TaskEdited(Box<TaskCreated>),
    #[serde(rename = "task.claimed")]
    Claimed { task: TaskId, holder: String, epoch: u64, ttl_ms: i64, expires_at: Timestamp },
    #[serde(rename = "task.renewed")]
    Renewed {
        task: TaskId,
        holder: String,
        epoch: u64,
        ttl_ms: i64,
        expires_at: Timestamp,
        /// The daemon did it: its holder is in a turn.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_itself: bool,
    },
    /// A lease ran out before its holder was done.
    #[serde(rename = "task.expired")]
    Expired { task: TaskId, holder: String, epoch: u64 },
    #[serde(rename = "task.completed")]
    Completed {
        task: TaskId,
        holder: String,
        epoch: u64,
        #[serde(default)]
        outcome: Outcome,
        /// What can be done now that this is.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unblocks: Vec<TaskId>,
    },
    #[serde(rename = "task.failed")]
    Failed {
        task: TaskId,
        holder: String,
        epoch: u64,
        #[serde(default)]
        outcome: Outcome,
    },
    /// Its holder gave it back.
    #[serde(rename = "task.released")]
    Released {
        task: TaskId,
        holder: String,
        epoch: u64,
        /// The daemon did it: its holder was deleted or closed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_itself: bool,
    },
    /// It was reassigned, or returned to the queue.
    #[serde(rename = "task.reassigned")]
    Reassigned {
        task: TaskId,
        by: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Assigned>,
        epoch: u64,
    },
    #[serde(rename = "task.canceled")]
    Canceled { task: TaskId, by: String },
    /// A failed or canceled task was reopened.
    #[serde(rename = "task.retried")]
    Retried { task: TaskId, by: String },
}

/// One who belongs to a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrolled {
    pub id: String,
    #[serde(flatten)]
    pub member: Member,
    /// Who added it. Missing for the members that a team was created with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Something that the guard refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteRefused {
    pub agent: String,
    /// The session that wanted it: that of the member, or one that works for it.
    pub session: SessionId,
    /// What it wanted to do, such as "write to `src/a`".
    pub what: ContentRef,
    /// The word that clients know.
    pub reason: String,
    /// Why not, as people read it.
    pub why: String,
}

/// A task as it was created, or is after an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCreated {
    pub task: TaskId,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<ContentRef>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deps: Vec<TaskId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resource>,
    pub by: String,
}

/// A thread that belongs to a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadStarted {
    pub alias: ThreadAlias,
    pub thread: ThreadId,
    pub title: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub participants: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    pub by: String,
}

/// Who has a task now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assigned {
    pub holder: String,
    pub ttl_ms: i64,
    pub expires_at: Timestamp,
}

/// What came of a task, in few words, and where the whole is told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<ContentRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageRef>,
}
