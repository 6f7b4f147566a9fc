//! What there is to tell of what happened: the audit trail, and each agent's inbox. Both are read from the events.

use std::fmt;

use super::{Event, TaskId, Team, ThreadAlias};
use crate::content::ContentRef;
use crate::id::{PostId, SessionId};
use crate::thread::USER;

/// One line of an inbox, or of the audit trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub kind: &'static str,
    pub task: Option<TaskId>,
    pub thread: Option<ThreadAlias>,
    /// What was said, when something was.
    pub said: Option<(PostId, ContentRef)>,
    /// Who did it: `user`, an agent, or `daemon`.
    pub actor: String,
    /// Whom it was done to, when that is another.
    pub to: Option<String>,
    pub epoch: Option<u64>,
    /// The session that acts as this member from then on.
    pub session: Option<SessionId>,
    /// Why, if no member asked for it.
    pub reason: Option<&'static str>,
}

impl fmt::Display for Notice {
    /// One line, without the words of the message: readers fetch those.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "INBOX: {}", self.kind)?;
        match (self.thread, self.task) {
            (Some(thread), _) => write!(f, " {thread}")?,
            (None, Some(task)) => write!(f, " {task}")?,
            // What happens to an agent and not to a task names the agent.
            (None, None) => self.to.iter().try_for_each(|agent| write!(f, " {agent}"))?,
        }
        write!(f, " by {}", self.actor)
    }
}

impl Notice {
    /// Returns it as a sentence in the words of teamd, such as `Task task-0001 claimed by ann`.
    pub fn summary(&self) -> String {
        let (subject, verb) = self.kind.split_once('_').unwrap_or(("", self.kind));
        let subject = match (subject, self.task, &self.to) {
            ("task", Some(task), _) => format!("Task {task}"),
            ("agent" | "worker" | "write", _, Some(agent)) => format!("Agent {agent}"),
            ("thread", ..) => self.thread.map_or_else(String::new, |thread| format!("Thread {thread}")),
            _ => "Team".to_owned(),
        };
        let verb = if verb == "left" { "removed".to_owned() } else { verb.replace('_', " ") };
        format!("{subject} {verb} by {}", self.actor)
    }
}

/// Returns what an event comes to in the audit trail.
pub fn audit(team: &Team, event: &Event) -> Vec<Notice> {
    match event {
        Event::Created { by, .. } => {
            let by = if by.is_human() { USER.to_owned() } else { by.to_string() };
            vec![notice("team_created", &by)]
        }
        Event::Enrolled(enrolled) => {
            let (to, session) = (Some(enrolled.id.clone()), enrolled.member.session);
            let by = enrolled.by.as_deref().unwrap_or(USER);
            vec![Notice { to, session, ..notice("agent_enrolled", by) }]
        }
        Event::Left { agent, session, by } => {
            vec![Notice { to: Some(agent.clone()), session: *session, ..notice("agent_left", by) }]
        }
        Event::WorkerStarted { agent, session, by } => {
            vec![Notice { to: Some(agent.clone()), session: Some(*session), ..notice("worker_started", by) }]
        }
        Event::WorkerEnded { agent, session, by } => {
            vec![Notice { to: Some(agent.clone()), session: Some(*session), ..notice("worker_ended", by) }]
        }
        Event::WriteRefused(refused) => {
            let (to, session) = (Some(refused.agent.clone()), Some(refused.session));
            vec![Notice { to, session, ..notice("write_refused", DAEMON) }]
        }
        Event::Closed { by } => vec![notice("team_closed", by)],
        Event::ThreadStarted(started) => {
            let thread = Some(started.alias);
            vec![Notice { thread, task: started.task, ..notice("thread_started", &started.by) }]
        }
        Event::ThreadLinked { thread, task, by } => {
            let thread = Some(*thread);
            vec![Notice { thread, task: Some(*task), ..notice("thread_linked_task", by) }]
        }
        Event::ThreadPosted { thread, post, text, from } => match team.thread(*thread) {
            Some((alias, thread)) => vec![Notice {
                thread: Some(alias),
                task: thread.task,
                said: Some((*post, text.clone())),
                ..notice("thread_message", from)
            }],
            None => Vec::new(),
        },
        Event::TaskCreated(created) => vec![on(created.task, "task_created", &created.by)],
        Event::TaskEdited(edited) => vec![on(edited.task, "task_edited", &edited.by)],
        Event::Claimed { task, holder, epoch, .. } => vec![at(*epoch, on(*task, "task_claimed", holder))],
        Event::Renewed { task, holder, epoch, by_itself, .. } => {
            let by = if *by_itself { DAEMON } else { holder };
            vec![at(*epoch, on(*task, "task_renewed", by))]
        }
        Event::Expired { task, holder, epoch } => {
            let expired = at(*epoch, on(*task, "task_expired", DAEMON));
            vec![Notice { to: Some(holder.clone()), ..expired }]
        }
        Event::Completed { task, holder, epoch, unblocks, .. } => {
            let freed = unblocks.iter().map(|task| on(*task, "task_unblocked", holder));
            std::iter::once(at(*epoch, on(*task, "task_completed", holder))).chain(freed).collect()
        }
        Event::Failed { task, holder, epoch, .. } => vec![at(*epoch, on(*task, "task_failed", holder))],
        Event::Released { task, holder, epoch, by_itself: false } => {
            vec![at(*epoch, on(*task, "task_released", holder))]
        }
        Event::Released { task, holder, epoch, by_itself: true } => {
            let released = at(*epoch, on(*task, "task_released", DAEMON));
            vec![Notice {
                to: Some(holder.clone()),
                reason: Some("the holder was closed or left the team"),
                ..released
            }]
        }
        Event::Reassigned { task, by, to, epoch } => {
            let to = to.as_ref().map(|to| to.holder.clone());
            let kind = if to.is_some() { "task_assigned" } else { "task_taken_back" };
            vec![Notice { to, ..at(*epoch, on(*task, kind, by)) }]
        }
        Event::Canceled { task, by } => vec![on(*task, "task_canceled", by)],
        Event::Retried { task, by } => vec![on(*task, "task_retried", by)],
    }
}

/// Returns what an event comes to in an agent's inbox: what others did, and what was said in its threads.
pub fn inbox(team: &Team, event: &Event, agent: &str) -> Vec<Notice> {
    let told = match event {
        Event::Created { .. }
        | Event::Enrolled(_)
        | Event::WorkerStarted { .. }
        | Event::WorkerEnded { .. }
        | Event::WriteRefused(_)
        | Event::ThreadStarted(_)
        | Event::ThreadLinked { .. }
        | Event::Renewed { .. } => false,
        // The others hear of the tasks that are free now.
        Event::Left { agent: left, .. } => left == agent,
        Event::ThreadPosted { thread, .. } => {
            team.thread(*thread).is_some_and(|(_, thread)| thread.participants.contains(agent))
        }
        _ => true,
    };
    let notices = if told { audit(team, event) } else { Vec::new() };
    notices.into_iter().filter(|notice| notice.actor != agent).collect()
}

const DAEMON: &str = "daemon";

fn notice(kind: &'static str, actor: &str) -> Notice {
    let actor = actor.to_owned();
    Notice {
        kind,
        task: None,
        thread: None,
        said: None,
        actor,
        to: None,
        epoch: None,
        session: None,
        reason: None,
    }
}

fn on(task: TaskId, kind: &'static str, actor: &str) -> Notice {
    Notice { task: Some(task), ..notice(kind, actor) }
}

fn at(epoch: u64, notice: Notice) -> Notice {
    Notice { epoch: Some(epoch), ..notice }
}
