//! Leases end on time by themselves; those of agents at work are extended before.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::fold::{self, TeamHead};
use paseo_core::id::SessionId;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::session::Session;
use paseo_core::team::{self, Event, TaskId, Team, TeamId};
use paseo_runtime::process_table::goes_on;
use paseo_store::Which;

use super::{Teams, name};
use crate::failure::Failure;
use crate::stop::Stop;

/// How many leases end in one batch.
const BATCH: usize = 2_000;
/// Longest wait while there are leases: a machine that slept is back on time.
const LONGEST: Duration = Duration::from_secs(1);
/// How long to wait before what could not be noted is tried again.
const AGAIN_MS: i64 = 1_000;

impl Teams {
    /// Takes up the leases that there are.
    pub(super) async fn resume(&mut self) -> Result<(), Failure> {
        let log = &self.sessions.context.journal.log;
        let (mut after, mut noted): (Option<String>, _) = (None, self.clock.now());
        let mut open = Vec::new();
        loop {
            let heads = log.heads("team/", Which::Live, after.as_deref(), PAGE_ROWS).await?;
            let Some(last) = heads.last() else { break };
            after = Some(last.stream.to_string());
            for row in &heads {
                if let TeamHead::Team(team) =
                    fold::read(&row.stream, &row.head.state).map_err(Failure::internal)?
                {
                    noted = noted.max(team.updated_at);
                    open.push(team);
                }
            }
        }
        self.clock = super::Clock::not_before(noted);
        for team in open {
            self.look_at(&team, team.held.iter().copied());
        }
        Ok(())
    }

    /// Gives back what a session has that was closed.
    pub(crate) async fn left(&self, by: &Actor, id: &TeamId, session: &Session) -> Result<(), Failure> {
        let left = self.decide(&Actor::Daemon, id, None, |team, _| {
            let left = team.agent_of(session.id);
            let is_worker = session.profile.terminal.is_some();
            let ended = is_worker.then(|| team::worker_ended(team, session.id, name(team, by))).flatten();
            Ok(ended.into_iter().chain(team::abandoned(team, |holder| left == Some(holder))).collect())
        });
        left.await.map(drop)
    }

    /// Notes who started a worker.
    pub(crate) async fn boarded(&self, by: &Actor, id: &TeamId, session: SessionId) -> Result<(), Failure> {
        let began = self.decide(by, id, None, |team, _| {
            Ok(team::worker_started(team, session, name(team, by)).into_iter().collect())
        });
        began.await.map(drop)
    }

    /// Gives back what sessions have that were closed just before a daemon ended.
    async fn clear_up(&self) -> Result<(), Failure> {
        let directory = &self.sessions.context.directory;
        for id in self.timer.teams() {
            let decided = self.decide(&Actor::Daemon, &id, None, |team, _| {
                let session = |holder: &str| team.agents.get(holder).and_then(|member| member.session);
                Ok(team::abandoned(team, |holder| {
                    session(holder).is_some_and(|session| directory.get(session).is_none())
                }))
            });
            decided.await?;
        }
        Ok(())
    }

    /// Looks at leases when they need it, until the daemon stops.
    pub(crate) async fn keep_time(self, stop: Stop) {
        if let Err(failure) = self.clear_up().await {
            tracing::error!(error = %failure.message, "cannot record expired leases");
        }
        if let Err(failure) = self.revoke_leftovers().await {
            tracing::error!(error = %failure.message, "cannot revoke tokens of agents that left");
        }
        loop {
            let now = self.clock.now();
            for (id, tasks) in self.timer.due(now) {
                for tasks in tasks.chunks(BATCH) {
                    self.look(&id, tasks).await;
                }
            }
            let wait = self.timer.next().map(|at| {
                let left = at.as_millis().saturating_sub(self.clock.now().as_millis());
                Duration::from_millis(u64::try_from(left).unwrap_or(0)).min(LONGEST)
            });
            let sleep = async {
                match wait {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = sleep => {}
                () = self.timer.sooner.notified() => {}
                () = stop.requested() => return,
            }
        }
    }

    /// Notes which leases of a team ended, and extends those of agents at work.
    async fn look(&self, id: &TeamId, tasks: &[TaskId]) {
        let decided = self.decide_about(&Actor::Daemon, id, None, tasks, |team, _| {
            let (now, tasks) = (self.clock.now(), tasks.iter().copied());
            let mut events = team::extend(team, tasks.clone(), |agent| self.is_at_work(team, agent), now);
            events.extend(team::due(team, tasks, now));
            Ok(events)
        });
        if let Err(failure) = decided.await {
            tracing::error!(team = %id, error = %failure.message, "cannot record expired leases");
            let again = paseo_core::time::Timestamp::from_millis(self.clock.now().as_millis() + AGAIN_MS);
            tasks.iter().for_each(|task| self.timer.set(id, *task, Some(again)));
        }
    }

    /// Has the timer look at these tasks, and at what events changed.
    pub(super) fn watch(&self, team: &Team, tasks: &[TaskId], events: &[Event]) {
        let leased = events.iter().filter_map(|event| match event {
            Event::Claimed { task, .. }
            | Event::Renewed { task, .. }
            | Event::Reassigned { task, .. }
            | Event::Expired { task, .. }
            | Event::Completed { task, .. }
            | Event::Failed { task, .. }
            | Event::Released { task, .. }
            | Event::Canceled { task, .. } => Some(*task),
            _ => None,
        });
        self.look_at(team, tasks.iter().copied().chain(leased));
    }

    fn look_at(&self, team: &Team, tasks: impl Iterator<Item = TaskId>) {
        let now = self.clock.now();
        for task in tasks {
            self.timer.set(&team.id, task, team::attention(team, task, now).map(|due| due.at));
        }
    }

    /// Says whether the session of an agent is in a turn, and its process is known to go on with it. Whoever is still
    /// looked for after a restart may have been suspended meanwhile.
    fn is_at_work(&self, team: &Team, agent: &str) -> bool {
        let session = team.agents.get(agent).and_then(|member| member.session);
        let session = session.and_then(|session| self.sessions.context.directory.get(session));
        session.is_some_and(|session| {
            let shims = self.sessions.context.credentials.shims(session.id);
            session.turn.is_some() && !shims.is_empty() && shims.into_iter().all(goes_on)
        })
    }
}
