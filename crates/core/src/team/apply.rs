//! How each event changes a team.

use super::{Assigned, Event, Lapsed, Lease, Outcome, Stage, Task, TaskCreated, TaskId, Team, TeamThread};
use crate::time::Timestamp;

impl Team {
    /// Begins a team; `None` for anything but its creation.
    pub fn create(event: &Event, at: Timestamp) -> Option<Self> {
        let Event::Created { team, directory, agents, by } = event else { return None };
        Some(Self {
            id: team.clone(),
            directory: directory.clone(),
            created_by: by.clone(),
            created_at: at,
            updated_at: at,
            agents: agents.iter().map(|agent| (agent.id.clone(), agent.member.clone())).collect(),
            tasks: Default::default(),
            held: Default::default(),
            refusals: Default::default(),
            threads: Default::default(),
            former: Default::default(),
            ended: Default::default(),
            closed_at: None,
            version: 1,
        })
    }

    /// Takes an event in.
    pub fn apply(&mut self, event: &Event, at: Timestamp) {
        self.updated_at = self.updated_at.max(at);
        self.version += 1;
        match event {
            Event::Created { .. } => {}
            Event::Enrolled(enrolled) => {
                self.former.remove(&enrolled.id);
                self.agents.insert(enrolled.id.clone(), enrolled.member.clone());
            }
            Event::WriteRefused(refused) => self.keep_refusal(refused, at),
            Event::Left { agent, session, .. } => {
                self.agents.remove(agent);
                self.refusals.remove(agent);
                self.former.insert(agent.clone());
                session.iter().for_each(|session| _ = self.ended.remove(session));
            }
            Event::WorkerStarted { session, .. } => _ = self.ended.remove(session),
            Event::WorkerEnded { session, .. } => _ = self.ended.insert(*session),
            Event::Closed { .. } => self.closed_at = Some(at),
            Event::ThreadStarted(started) => {
                let thread = TeamThread {
                    thread: started.thread,
                    title: started.title.clone(),
                    participants: started.participants.iter().cloned().collect(),
                    task: started.task,
                    created_at: at,
                    updated_at: at,
                };
                self.threads.insert(started.alias, thread);
            }
            Event::ThreadLinked { thread, task, .. } => {
                if let Some(thread) = self.threads.get_mut(thread) {
                    (thread.task, thread.updated_at) = (Some(*task), at);
                }
            }
            Event::ThreadPosted { thread, .. } => {
                if let Some(thread) = self.threads.values_mut().find(|known| known.thread == *thread) {
                    thread.updated_at = at;
                }
            }
            Event::TaskCreated(created) => {
                let task = Task {
                    title: created.title.clone(),
                    description: created.description.clone(),
                    deps: created.deps.clone(),
                    resources: created.resources.clone(),
                    stage: Stage::Open,
                    owner: None,
                    lease: None,
                    lapsed: None,
                    epoch: 0,
                    outcome: Outcome::default(),
                    created_by: created.by.clone(),
                    created_at: at,
                    started_at: None,
                    ended_at: None,
                };
                self.tasks.insert(created.task, task);
            }
            Event::TaskEdited(edited) => {
                if let Some(task) = self.tasks.get_mut(&edited.task) {
                    let TaskCreated { title, description, deps, resources, .. } = edited.as_ref().clone();
                    (task.title, task.description) = (title, description);
                    (task.deps, task.resources) = (deps, resources);
                }
            }
            Event::Claimed { task, holder, epoch, ttl_ms, expires_at } => {
                let assigned = Assigned { holder: holder.clone(), ttl_ms: *ttl_ms, expires_at: *expires_at };
                self.give(*task, &assigned, *epoch, at);
            }
            Event::Renewed { task, ttl_ms, expires_at, .. } => {
                if let Some(lease) = self.tasks.get_mut(task).and_then(|task| task.lease.as_mut()) {
                    (lease.ttl_ms, lease.expires_at) = (*ttl_ms, *expires_at);
                }
            }
            Event::Expired { task, holder, epoch } => {
                let lapsed = Lapsed { holder: holder.clone(), epoch: *epoch };
                self.take(*task, Stage::Open, |task| (task.owner, task.lapsed) = (None, Some(lapsed)));
            }
            Event::Completed { task, outcome, .. } => self.finish(*task, Stage::Completed, outcome, at),
            Event::Failed { task, outcome, .. } => self.finish(*task, Stage::Failed, outcome, at),
            Event::Released { task, .. } | Event::Reassigned { task, to: None, .. } => {
                self.take(*task, Stage::Open, |task| task.owner = None);
            }
            Event::Reassigned { task, to: Some(to), epoch, .. } => self.give(*task, to, *epoch, at),
            Event::Canceled { task, .. } => {
                self.take(*task, Stage::Canceled, |task| (task.owner, task.ended_at) = (None, Some(at)));
            }
            Event::Retried { task, .. } => self.take(*task, Stage::Open, |task| {
                (task.owner, task.ended_at, task.outcome) = (None, None, Outcome::default());
            }),
        }
    }

    fn give(&mut self, id: TaskId, to: &Assigned, epoch: u64, at: Timestamp) {
        let Some(task) = self.tasks.get_mut(&id) else { return };
        let Assigned { holder, ttl_ms, expires_at } = to.clone();
        task.owner = Some(holder.clone());
        task.lease = Some(Lease { holder, epoch, ttl_ms, expires_at });
        (task.stage, task.epoch, task.lapsed, task.started_at) = (Stage::InProgress, epoch, None, Some(at));
        self.held.insert(id);
    }

    fn take(&mut self, id: TaskId, stage: Stage, change: impl FnOnce(&mut Task)) {
        let Some(task) = self.tasks.get_mut(&id) else { return };
        (task.stage, task.lease, task.lapsed) = (stage, None, None);
        change(task);
        self.held.remove(&id);
    }

    fn finish(&mut self, id: TaskId, stage: Stage, outcome: &Outcome, at: Timestamp) {
        self.take(id, stage, |task| (task.outcome, task.ended_at) = (outcome.clone(), Some(at)));
    }
}
