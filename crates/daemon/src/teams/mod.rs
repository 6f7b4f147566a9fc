//! Teams: tasks, their leases, and the threads where work is talked about. What may be done is decided by `core`.

mod arrival;
mod clock;
mod departure;
mod edits;
mod inbox;
mod leases;
mod links;
mod refusal;
mod refusals;
mod talk;
#[cfg(test)]
mod tests;
mod timer;
pub(crate) mod view;

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::limits::{PAGE_ROWS, TASK_SUMMARY_CHARS};
use paseo_core::team::{self, By, Enrolled, Event, MessageRef, Outcome, Plan, Refused, TaskId, Team, TeamId};
use paseo_core::time::Timestamp;
use paseo_store::{HeadRow, Version, Which};
use paseo_wire::error::Code;
use paseo_wire::team::MessageOfTeam;

use clock::Clock;
pub(crate) use edits::EditedTask;
pub(crate) use inbox::Told;
pub(crate) use refusal::refused;
pub(crate) use refusals::RefusedWrite;
pub(crate) use talk::{NewThread, search};
use timer::Timer;

use crate::desk::{self, Desk, Done, Held, Subject};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::sessions::{RequestKey, Sessions, to_the_end};
use crate::threads::Threads;

/// All teams. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Teams {
    sessions: Sessions,
    threads: Threads,
    desk: Desk<Team>,
    timer: Arc<Timer>,
    clock: Clock,
    /// Held while a team is created, so that no second one of the same id is created meanwhile.
    founding: Arc<tokio::sync::Mutex<()>>,
}

type Change = desk::Change<Event>;

impl Subject for Team {
    type Id = TeamId;
    type Event = Event;

    fn stream(id: &TeamId) -> String {
        team::stream(id)
    }

    async fn read(journal: &Journal, id: &TeamId) -> Result<Option<(Self, Version)>, Failure> {
        journal.team(id).await
    }

    fn take_in(&mut self, event: &Event, at: Timestamp) {
        self.apply(event, at);
    }

    fn unknown(id: &TeamId) -> Failure {
        Failure::new(Code::NotFound, format!("team `{id}` not found")).hint("run `paseo team ls`")
    }
}

/// Who acts in a team.
#[derive(Debug, Clone)]
pub(crate) struct Acting {
    pub(crate) actor: Actor,
    /// `None`: a person.
    pub(crate) agent: Option<String>,
}

impl Acting {
    pub(crate) fn by(&self) -> By<'_> {
        self.agent.as_deref().map_or(By::Person, By::Agent)
    }

    /// Returns the name it goes by.
    pub(crate) fn id(&self) -> &str {
        self.by().id()
    }
}

/// A team that a session is to belong to.
#[derive(Debug, Clone)]
pub(crate) struct Joining {
    pub(crate) team: TeamId,
    /// As whom; without it by a name after what it is.
    pub(crate) agent: Option<String>,
}

/// An act on a task.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Claim { ttl: Option<i64> },
    Renew { epoch: u64, ttl: Option<i64> },
    Complete { epoch: u64, ending: Ending },
    Fail { epoch: u64, ending: Ending },
    Release { epoch: u64 },
    Reassign { to: Option<String>, ttl: Option<i64> },
    Cancel,
    Retry,
}

/// What came of a task, as it is told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ending {
    pub(crate) summary: Option<String>,
    pub(crate) message: Option<MessageRef>,
}

/// A task to be created.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewTask {
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) deps: Vec<String>,
    pub(crate) resources: Vec<String>,
    /// Takes patterns for names, as teamd does.
    pub(crate) literal: bool,
}

impl Teams {
    /// Opens all teams, and takes up the leases that there are.
    pub(crate) async fn load(sessions: Sessions, threads: Threads) -> Result<Self, Failure> {
        let desk = Desk::new(sessions.context.journal.clone());
        let clock = Clock::not_before(Timestamp::default());
        let mut teams =
            Self { sessions, threads, desk, timer: Arc::default(), clock, founding: Arc::default() };
        teams.resume().await?;
        Ok(teams)
    }

    /// Returns a team as it stands.
    pub(crate) async fn get(&self, id: &TeamId) -> Result<Arc<Team>, Failure> {
        self.desk.get(id).await
    }

    /// Keeps a team as it is while something is done in one of its threads.
    pub(crate) async fn hold(&self, id: &TeamId) -> Result<Held<Team>, Failure> {
        self.desk.hold(id).await
    }

    /// Lists teams in order of their ids, from one on, which need not exist.
    pub(crate) async fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<HeadRow>, Failure> {
        let after = after.map(|after| format!("team/{after}"));
        let log = &self.sessions.context.journal.log;
        Ok(log.heads("team/", Which::All, after.as_deref(), limit.min(PAGE_ROWS)).await?)
    }

    /// Returns the teams that are not closed, in order, so many at most.
    pub(crate) async fn open(&self, limit: usize) -> Result<Vec<TeamId>, Failure> {
        let (mut open, mut after): (_, Option<TeamId>) = (Vec::new(), None);
        loop {
            let heads = self.list(after.as_ref().map(TeamId::as_str), PAGE_ROWS).await?;
            let last = heads.len() < PAGE_ROWS;
            for row in heads {
                let Some(id) = team::from_stream(&row.stream) else { continue };
                if self.get(&id).await?.closed_at.is_none() {
                    open.push(id.clone());
                }
                if open.len() == limit {
                    return Ok(open);
                }
                after = Some(id);
            }
            if last {
                return Ok(open);
            }
        }
    }

    /// Suggests an id for a new team, which no other has or had.
    pub(crate) async fn suggested(&self) -> Result<String, Failure> {
        let heads = self.list(None, PAGE_ROWS).await?;
        Ok(team::suggested(heads.iter().map(|row| row.stream.trim_start_matches("team/"))))
    }

    /// Returns another team that people would take for this one.
    async fn alike(&self, id: &TeamId) -> Result<Option<TeamId>, Failure> {
        let mut after: Option<TeamId> = None;
        loop {
            let heads = self.list(after.as_ref().map(TeamId::as_str), PAGE_ROWS).await?;
            let last = heads.len() < PAGE_ROWS;
            for other in heads.iter().filter_map(|row| team::from_stream(&row.stream)) {
                if other != *id && other.as_str().eq_ignore_ascii_case(id.as_str()) {
                    return Ok(Some(other));
                }
                after = Some(other);
            }
            if last {
                return Ok(None);
            }
        }
    }

    /// Makes a team.
    pub(crate) async fn create(
        &self,
        by: &Actor,
        id: &TeamId,
        directory: Option<String>,
        agents: Vec<Enrolled>,
    ) -> Result<Arc<Team>, Failure> {
        let created = team::found(id.clone(), directory, agents, by.clone()).map_err(refused)?;
        let (this, by, id) = (self.clone(), by.clone(), id.clone());
        to_the_end(async move { this.begin(&by, &id, created).await }).await
    }

    /// Begins a team, unless there is one like it.
    async fn begin(&self, by: &Actor, id: &TeamId, created: Event) -> Result<Arc<Team>, Failure> {
        let mut change = Change::default();
        let _alone = self.founding.lock().await;
        if let Some(other) = self.alike(id).await? {
            let message = format!("`{id}` differs from team {other} only in case");
            return Err(Failure::new(Code::Conflict, message)
                .hint(format!("choose another id; `paseo team show {other}` shows it")));
        }
        change.events.push(created);
        match self.desk.open(by, id, change, None).await {
            Ok(Done::New(team, ())) => Ok(team),
            Ok(Done::Repeat(_)) => self.get(id).await,
            Err(failure) if failure.code == Code::Conflict => {
                let closed = self.get(id).await.is_ok_and(|team| team.closed_at.is_some());
                let (what, hint) = match closed {
                    true => ("was closed, and its id is not reused", "choose another id".to_owned()),
                    false => (
                        "already exists",
                        format!("choose another id; `paseo team show {id}` shows the team"),
                    ),
                };
                Err(Failure::new(Code::Conflict, format!("team {id} {what}")).hint(hint))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Says who an actor is in a team.
    pub(crate) fn acting(&self, team: &Team, actor: &Actor) -> Result<Acting, Failure> {
        let agent = match actor {
            Actor::Human(_) => return Ok(Acting { actor: actor.clone(), agent: None }),
            Actor::Agent(agent) => match agent.split_once('/') {
                Some((of, id)) if of == team.id.as_str() && team.agents.contains_key(id) => Some(id),
                _ => None,
            },
            Actor::Session(session) => team.agent_of(*session),
            Actor::Seat(_) | Actor::Daemon => None,
        };
        match agent {
            Some(agent) => Ok(Acting { actor: actor.clone(), agent: Some(agent.to_owned()) }),
            None => Err(Failure::new(Code::Forbidden, format!("you are not in team {}", team.id))
                .hint("start an agent in the team with `paseo run --team`")),
        }
    }

    /// Makes a task. Says which, and whether it was made before by the same request.
    pub(crate) async fn create_task(
        &self,
        acting: &Acting,
        id: &TeamId,
        wanted: NewTask,
        key: Option<RequestKey>,
    ) -> Result<(Arc<Team>, TaskId, bool), Failure> {
        let description = wanted.description.as_deref().filter(|text| !text.trim().is_empty());
        description.map_or(Ok(()), edits::check_description)?;
        let project = self.get(id).await?.directory.clone();
        edits::check_resources(project.as_deref(), &wanted.resources, wanted.literal).await?;
        let done = self.desk.change(
            &acting.actor,
            id,
            key,
            |team, change| {
                let plan = Plan {
                    title: wanted.title.clone(),
                    description: description.map(|text| change.text(text)),
                    deps: wanted.deps.clone(),
                    resources: wanted.resources.clone(),
                };
                let created = team::plan(team, acting.by(), plan).map_err(refused)?;
                let task = created.task;
                change.events.push(Event::TaskCreated(Box::new(created)));
                Ok(task)
            },
            TaskId::to_string,
        );
        match done.await? {
            Done::New(team, task) => Ok((team, task, false)),
            Done::Repeat(task) => Ok((self.get(id).await?, task.parse().map_err(Failure::internal)?, true)),
        }
    }

    /// Does something with a task.
    pub(crate) async fn act(
        &self,
        acting: &Acting,
        id: &TeamId,
        task: TaskId,
        act: Act,
    ) -> Result<Arc<Team>, Failure> {
        if let Act::Complete { ending, .. } | Act::Fail { ending, .. } = &act {
            let long = |text: &String| text.chars().count() > TASK_SUMMARY_CHARS;
            if ending.summary.as_ref().is_some_and(long) {
                return Err(Failure::new(
                    Code::TooLarge,
                    format!("the summary is too long; the limit is {TASK_SUMMARY_CHARS} characters"),
                )
                .hint("post the full text to a team thread, and refer to that message"));
            }
        }
        let (this, acting, id) = (self.clone(), acting.clone(), id.clone());
        to_the_end(async move {
            let unsaid = this.unsaid(&id, &act).await?;
            let decide = |team: &Team, change: &mut Change| {
                let events = this.decided(team, change, &acting, task, &act)?;
                // Who may do it at all comes first, as clients know it.
                unsaid.clone().map_or(Ok(events), Err)
            };
            this.decide(&acting.actor, &id, None, decide).await.map(|(team, _)| team)
        })
        .await
    }

    /// Refuses a message that was never posted where it is said to be.
    async fn unsaid(&self, id: &TeamId, act: &Act) -> Result<Option<Refused>, Failure> {
        let (Act::Complete { ending, .. } | Act::Fail { ending, .. }) = act else { return Ok(None) };
        let Some(MessageRef { thread, post }) = ending.message else { return Ok(None) };
        let Some(known) = self.get(id).await?.threads.get(&thread).map(|known| known.thread) else {
            return Ok(None);
        };
        let place = self.threads.place(known, post).await?;
        Ok(place.is_none().then_some(Refused::NoMessage { thread, post }))
    }

    fn decided(
        &self,
        team: &Team,
        change: &mut Change,
        acting: &Acting,
        task: TaskId,
        act: &Act,
    ) -> Result<Vec<Event>, Refused> {
        let (by, now) = (acting.by(), self.clock.now());
        match act {
            Act::Claim { ttl } => team::claim(team, task, by, *ttl, now),
            Act::Renew { epoch, ttl } => team::renew(team, task, by, *epoch, *ttl, now),
            Act::Complete { epoch, ending } => {
                team::complete(team, task, by, *epoch, kept(change, ending), now)
            }
            Act::Fail { epoch, ending } => team::fail(team, task, by, *epoch, kept(change, ending), now),
            Act::Release { epoch } => team::release(team, task, by, *epoch, now),
            Act::Reassign { to, ttl } => {
                let is_open = |session| self.sessions.context.directory.get(session).is_some();
                let to =
                    to.as_deref().map(|to| if to == By::Person.id() { By::Person } else { By::Agent(to) });
                team::reassign(team, task, by, to, *ttl, now, is_open)
            }
            Act::Cancel => team::cancel(team, task, by),
            Act::Retry => team::retry(team, task, by),
        }
    }

    /// Tells those who take part in a thread of a team that something was said there.
    pub(crate) fn heard(&self, id: &TeamId, event: Event) {
        let (teams, id) = (self.clone(), id.clone());
        tokio::spawn(async move {
            match teams.get(&id).await {
                Ok(team) => teams.tell(&team, vec![event]),
                Err(failure) => {
                    tracing::warn!(team = %id, error = %failure.message, "cannot notify the members of a team")
                }
            }
        });
    }

    /// Says whether a member may write to a path now: for a session, as its guard would.
    pub(crate) async fn can_write(&self, team: &Team, agent: &str, path: &str) -> team::Permit {
        let context = &self.sessions.context;
        let session = team.agents.get(agent).and_then(|member| context.directory.get(member.session?));
        match session {
            Some(session) => context.permit(&session, team, agent, path).await,
            None => team::can_write(team, agent, path, self.now()),
        }
    }

    /// Returns the time that leases run on.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Decides on the current state of a team, stores the result, and notifies whom it concerns. It is always
    /// carried out to the end: what was stored has its consequences, even if the client is gone.
    async fn decide(
        &self,
        by: &Actor,
        id: &TeamId,
        key: Option<RequestKey>,
        decide: impl Fn(&Team, &mut Change) -> Result<Vec<Event>, Refused>,
    ) -> Result<(Arc<Team>, Vec<Event>), Failure> {
        self.decide_about(by, id, key, &[], decide).await
    }

    /// The same; the leases of these tasks are looked at again whatever came of it.
    async fn decide_about(
        &self,
        by: &Actor,
        id: &TeamId,
        key: Option<RequestKey>,
        tasks: &[TaskId],
        decide: impl Fn(&Team, &mut Change) -> Result<Vec<Event>, Refused>,
    ) -> Result<(Arc<Team>, Vec<Event>), Failure> {
        let done = self.desk.change_then(
            by,
            id,
            key,
            |team, change| {
                let events = decide(team, change).map_err(refused)?;
                change.events.extend(events.iter().cloned());
                Ok(events)
            },
            |_| String::new(),
            |team, events| self.watch(team, tasks, events),
        );
        match done.await? {
            Done::New(team, events) => {
                self.tell(&team, events.clone());
                Ok((team, events))
            }
            Done::Repeat(_) => Ok((self.get(id).await?, Vec::new())),
        }
    }
}

/// Returns as whom a caller acts that may not belong to the team.
fn actor<'a>(team: &'a Team, by: &'a Actor) -> By<'a> {
    match by {
        Actor::Session(session) => team.agent_of(*session).map_or(By::Person, By::Agent),
        Actor::Agent(agent) => agent.split_once('/').map_or(By::Person, |(_, id)| By::Agent(id)),
        Actor::Human(_) | Actor::Seat(_) | Actor::Daemon => By::Person,
    }
}

/// Returns how an actor is called in a team.
fn name<'a>(team: &'a Team, by: &'a Actor) -> &'a str {
    match by {
        Actor::Daemon => "daemon",
        _ => actor(team, by).id(),
    }
}

fn kept(change: &mut Change, told: &Ending) -> Outcome {
    let summary = told.summary.as_deref().map(str::trim).filter(|text| !text.is_empty());
    Outcome { summary: summary.map(|text| change.text(text)), message: told.message }
}

/// Reads a reference to a message: its thread and its id, or none.
pub(crate) fn referred(thread: Option<String>, id: Option<String>) -> Result<Option<MessageOfTeam>, Failure> {
    match (thread, id) {
        (Some(thread), Some(id)) => Ok(Some(MessageOfTeam { thread: thread.into(), id: id.into() })),
        (None, None) => Ok(None),
        _ => Err(Failure::new(Code::InvalidRequest, "`threadId` and `messageId` must be given together")
            .hint("give both, as returned when the message was posted, or neither")),
    }
}

/// Reads what came of a task.
pub(crate) fn ending(summary: Option<String>, message: Option<MessageOfTeam>) -> Result<Ending, Failure> {
    let message = message
        .map(|MessageOfTeam { thread, id }| {
            let post = id.strip_prefix("msg-").unwrap_or(&id).parse().map_err(|_| {
                let id: String = id.chars().take(64).flat_map(char::escape_debug).collect();
                Failure::new(Code::InvalidRequest, format!("`{id}` is not a message id"))
                    .hint("run `paseo thread tail THREAD --ids` to see the ids")
            })?;
            let thread = thread.parse().map_err(|malformed: team::Malformed| {
                Failure::new(Code::InvalidRequest, malformed.to_string())
            })?;
            Ok::<_, Failure>(MessageRef { thread, post })
        })
        .transpose()?;
    Ok(Ending { summary, message })
}
