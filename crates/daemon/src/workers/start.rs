//! How a worker begins: a name, a seat in its team, a thread for its answers, a terminal.

use std::path::Path;
use std::sync::Arc;

use paseo_core::definition::{DEFAULT, Definition};
use paseo_core::label::Labels;
use paseo_core::limits::{MESSAGE_BYTES, PATH_BYTES};
use paseo_core::session::{Session, TeamSeat};
use paseo_core::team::{self, Malformed, Member, Team, TeamId, ThreadAlias};
use paseo_wire::error::Code;
use paseo_wire::message::CreatedSession;
use paseo_wire::words::Placement;
use paseo_wire::worker::{StartedWorker, WorkerView};

use super::{Pane, Workers};
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{NewSession, Notify, Order, RequestKey, routing, to_the_end};
use crate::teams::{Acting, Joining, NewThread};
use crate::tools::{admit_child, inherited, powers};
use crate::worktrees::{self, Wish};

/// A worker that somebody wants.
pub(crate) struct NewWorker {
    /// What is typed in first.
    pub(crate) task: String,
    /// Slug of its definition.
    pub(crate) definition: Option<String>,
    pub(crate) provider: Option<String>,
    /// The caller's default, for when neither the request nor the definition names a provider.
    pub(crate) default_provider: Option<String>,
    pub(crate) model: Option<String>,
    /// Where its answers go; without one a thread is made.
    pub(crate) thread: Option<ThreadAlias>,
    pub(crate) title: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) directory: Option<String>,
    pub(crate) worktree: bool,
    pub(crate) guard: bool,
    pub(crate) key: Option<RequestKey>,
}

impl Workers {
    /// Starts a worker in a team, for a person or for an agent of that team. A caller that hangs up leaves nothing half
    /// done: no worktree without a worker, and none whose thread does not say how to get to it.
    pub(crate) async fn start(
        &self,
        acting: &Acting,
        id: &TeamId,
        wanted: NewWorker,
    ) -> Result<StartedWorker, Failure> {
        let (this, acting, id) = (Self::of(&self.sessions)?, acting.clone(), id.clone());
        to_the_end(async move { this.begin(&acting, &id, wanted).await }).await
    }

    async fn begin(&self, acting: &Acting, id: &TeamId, wanted: NewWorker) -> Result<StartedWorker, Failure> {
        let context = &self.sessions.context;
        if let Some(started) = self.repeated(&wanted).await? {
            return Ok(started);
        }
        check_task(&wanted.task)?;
        let team = self.teams.get(id).await?;
        let prefix = match &wanted.prefix {
            Some(prefix) => {
                let bad = |bad: team::BadPrefix| Failure::new(Code::InvalidRequest, bad.to_string());
                team::check_prefix(prefix).map_err(bad)?.to_owned()
            }
            None => team::prefix_of(id.as_str()),
        };
        if let Some(alias) = wanted.thread {
            self.teams.tail(id, alias, 1).await?;
        }
        context.terminals.check().await?;
        let starter = context.directory.acting(&acting.actor)?;
        let family = match &starter {
            Some(_) => Some(context.families.lock().await),
            None => None,
        };
        let _making = context.terminals.making.lock().await;
        // The same request may have been the one that was waited for.
        if let Some(started) = self.repeated(&wanted).await? {
            return Ok(started);
        }
        self.admit(starter.as_deref())?;
        let order = self.order(acting, &team, starter.as_deref(), &wanted)?;
        let new = match &starter {
            None => order.by_person(context, None)?,
            Some(starter) => {
                let cause = inherited(starter, mint::session())?;
                let above = powers::ceiling(&self.sessions, starter);
                let mut new = order.by_agent(context, starter, &above, None, cause)?;
                new.parent = Some(starter.id);
                let notify = Notify { watch: mint::watch(), watcher: starter.id };
                new.with_task(&wanted.task, false, Some(notify))
            }
        };
        let created = self.make(acting, &team, &prefix, new, wanted).await?;
        drop(family);
        self.answer(created).await
    }

    /// Refuses more workers than there may be, and families that get too large.
    fn admit(&self, starter: Option<&Session>) -> Result<(), Failure> {
        if let Some(starter) = starter {
            admit_child(&self.sessions, starter)?;
        }
        let limit = self.sessions.context.terminals.limit;
        // Whose program has ended only shows its last screen.
        let there = self.open().iter().filter(|session| session.history.exit.is_none()).count();
        if there >= limit {
            return Err(Failure::new(Code::Conflict, format!("worker limit reached: {there} of {limit}"))
                .hint("kill one with `paseo worker kill`, or raise limits.workers in config.toml"));
        }
        Ok(())
    }

    /// Says what is to be made, from what was asked for and what the definition and the team say.
    fn order(
        &self,
        acting: &Acting,
        team: &Team,
        starter: Option<&Session>,
        wanted: &NewWorker,
    ) -> Result<Order, Failure> {
        let (directory, project) = self.place(team, starter, wanted.directory.as_deref())?;
        let definition = self.definition(starter, &project, wanted.definition.as_deref())?;
        if definition.is_external() {
            return Err(Failure::new(
                Code::Conflict,
                format!("`{}` is external and cannot run in a terminal", definition.slug),
            )
            .hint("choose another definition"));
        }
        let own = wanted.provider.clone().or_else(|| definition.provider.clone());
        let context = &self.sessions.context;
        let held = starter.is_some_and(|starter| context.is_held(starter));
        let guarded = wanted.guard || definition.guarded || held;
        let provider =
            context.providers.in_terminal(own.as_deref(), wanted.default_provider.as_deref(), guarded)?;
        Ok(Order {
            by: acting.actor.clone(),
            definition,
            project,
            directory,
            provider: Some(provider),
            default_provider: None,
            model: wanted.model.clone(),
            effort: None,
            labels: Labels::default(),
            name: None,
            aside: true,
            guarded: wanted.guard,
        })
    }

    /// Returns the definition that it follows. Agents start what they see.
    fn definition(
        &self,
        starter: Option<&Session>,
        project: &str,
        slug: Option<&str>,
    ) -> Result<Arc<Definition>, Failure> {
        let context = &self.sessions.context;
        let slug = slug.unwrap_or(DEFAULT);
        let Some(starter) = starter.filter(|_| slug != DEFAULT) else {
            return match starter {
                None => routing::for_person(context, project, slug),
                Some(_) => context.definitions.catalogue(project).get(slug),
            };
        };
        let catalogue = context.definitions.catalogue(project);
        let own = catalogue.followed(starter)?;
        let seen = catalogue.all().find(|definition| definition.slug == slug && own.sees(definition));
        seen.cloned().ok_or_else(|| {
            let all = catalogue.all().filter(|definition| own.sees(definition));
            let all: Vec<&str> = all.map(|definition| definition.slug.as_str()).collect();
            let slug: String = slug.chars().take(64).flat_map(char::escape_debug).collect();
            Failure::new(
                Code::NotFound,
                format!("agent definition `{slug}` not found, or you are not allowed to start it"),
            )
            .hint(format!("choose one of: {}", all.join(", ")))
        })
    }

    /// Returns where it works, and its project. An agent's workers work where it works itself, or below.
    fn place(
        &self,
        team: &Team,
        starter: Option<&Session>,
        asked: Option<&str>,
    ) -> Result<(String, String), Failure> {
        let project = match starter {
            Some(starter) => starter.profile.project.clone(),
            None => team.directory.clone().or_else(|| asked.map(str::to_owned)).ok_or_else(|| {
                Failure::new(Code::Conflict, format!("team {} has no working directory", team.id))
                    .hint("pass --cwd")
            })?,
        };
        let home = starter.map_or(project.as_str(), |starter| starter.profile.directory.as_str());
        let place = real(&Path::new(home).join(asked.unwrap_or(".")))?;
        if !place.starts_with(real(Path::new(home))?) {
            let whose = if starter.is_some() { "your working directory" } else { "the team's project" };
            let asked: String =
                asked.unwrap_or_default().chars().take(200).flat_map(char::escape_debug).collect();
            return Err(Failure::new(Code::Forbidden, format!("`{asked}` is outside {whose}"))
                .hint(format!("choose a directory in {home}")));
        }
        let text = place.to_str().filter(|text| text.len() <= PATH_BYTES).map(str::to_owned);
        let text =
            text.ok_or_else(|| Failure::new(Code::InvalidRequest, "the path is too long, or not UTF-8"))?;
        Ok((text, project))
    }

    async fn make(
        &self,
        acting: &Acting,
        team: &Team,
        prefix: &str,
        new: NewSession,
        wanted: NewWorker,
    ) -> Result<CreatedSession, Failure> {
        let context = &self.sessions.context;
        let name = self.free_name(team, prefix).await?;
        let id = new.id;
        // Refused before it has a place in the team, a thread or a number: those cannot be taken back.
        let seat = TeamSeat { team: team.id.clone(), agent: name.clone(), leads: false };
        let planned = NewSession { team: Some(seat), terminal: Some(name.clone()), ..new.clone() };
        self.sessions.check(&planned).await?;
        let wish = Wish { make: wanted.worktree.then_some(true), ..Wish::default() };
        let place = worktrees::prepare(&context.home, id, new.directory.clone(), false, wish).await?;
        let seated = self.seat(acting, team, &name, &new, &wanted).await;
        let (seat, alias) = match seated {
            Ok(seated) => seated,
            Err(failure) => {
                if let Some(made) = place.made {
                    made.undo().await;
                }
                return Err(failure);
            }
        };
        let thread = self.teams.get(&team.id).await?.threads.get(&alias).map(|known| known.thread);
        let new = NewSession {
            name: Some(name.clone()),
            team: Some(seat),
            terminal: Some(name.clone()),
            reports_to: thread,
            directory: place.directory.clone(),
            worktree: place.made.as_ref().map(|made| made.worktree.clone()),
            notes: place.notes(),
            prompt: Some(wanted.task.clone()),
            key: wanted.key,
            ..new
        };
        let created = self.sessions.create(new).await;
        let came_to_be = created.as_ref().is_ok_and(|created| created.session.id == id.to_string());
        if !came_to_be {
            self.teams.stayed_away(&acting.actor, &team.id, id, None).await;
            if let Some(made) = place.made {
                made.undo().await;
            }
        }
        let created = created?;
        if came_to_be && let Err(failure) = self.teams.boarded(&acting.actor, &team.id, id).await {
            tracing::error!(worker = name, error = %failure.message, "cannot record who started a worker");
        }
        if wanted.thread.is_none() {
            let text = instructions(&name, &created);
            if let Err(failure) = self.teams.post_status(acting, &team.id, alias, &text).await {
                tracing::warn!(worker = name, error = %failure.message, "cannot post how to attach to a worker");
            }
        }
        Ok(created)
    }

    /// Gives it a place in its team, and a thread for its answers.
    async fn seat(
        &self,
        acting: &Acting,
        team: &Team,
        name: &str,
        new: &NewSession,
        wanted: &NewWorker,
    ) -> Result<(TeamSeat, ThreadAlias), Failure> {
        let joining = Joining { team: team.id.clone(), agent: Some(name.to_owned()) };
        let member = Member { role: "worker".to_owned(), model: new.model.clone(), session: Some(new.id) };
        let (seat, _) = self.teams.join(&acting.actor, &joining, name, member).await?;
        if let Some(alias) = wanted.thread {
            return Ok((seat, alias));
        }
        let title = wanted.title.clone().unwrap_or_else(|| title(name, &wanted.task));
        let thread = NewThread { title, participants: vec![name.to_owned()], task: None };
        match self.teams.start_thread(acting, &team.id, thread).await {
            Ok((_, alias)) => Ok((seat, alias)),
            Err(failure) => {
                self.teams.stayed_away(&acting.actor, &team.id, new.id, None).await;
                Err(failure)
            }
        }
    }

    /// Returns a name that no terminal has and nobody in the team ever had.
    async fn free_name(&self, team: &Team, prefix: &str) -> Result<String, Failure> {
        let (panes, open) = (self.sessions.context.terminals.all().await?, self.open());
        let terminals = open.iter().filter_map(|session| session.profile.terminal.as_deref());
        let shown = panes.iter().map(Pane::name);
        Ok(team::next_name(prefix, team.names().chain(terminals).chain(shown)))
    }

    /// Returns the worker that the same request has started before, if it has.
    async fn repeated(&self, wanted: &NewWorker) -> Result<Option<StartedWorker>, Failure> {
        let Some(key) = &wanted.key else { return Ok(None) };
        let log = &self.sessions.context.journal.log;
        let Some(first) = log.receipt(&key.scope, &key.key, key.body).await? else { return Ok(None) };
        self.answer(serde_json::from_str(&first).map_err(Failure::internal)?).await.map(Some)
    }

    async fn answer(&self, created: CreatedSession) -> Result<StartedWorker, Failure> {
        let journal = &self.sessions.context.journal;
        let seq = journal.head();
        let id = created.session.id.parse().map_err(Failure::internal)?;
        let (session, _) = journal
            .session(id)
            .await?
            .ok_or_else(|| Failure::new(Code::NotFound, "that worker was deleted"))?;
        let held = created.receipt.filter(|receipt| receipt.placement == Placement::Held);
        let worker: WorkerView = self.show(&session).await?;
        let notice = self.sessions.context.definitions.notice(&session);
        Ok(StartedWorker { seq, worker, held: held.and_then(|held| held.reason), notice })
    }
}

/// What the thread of a worker begins with.
fn instructions(name: &str, created: &CreatedSession) -> String {
    let handle = &created.session.handle;
    format!(
        "Started {name} ({handle}). Its answers are posted here.\n\nWatch or take over: `paseo worker \
         attach {name}`\nShow its terminal: `paseo worker capture {name}`\nSend a message: `paseo worker \
         send {name} \"…\"`\nKill it: `paseo worker kill {name}`"
    )
}

fn title(name: &str, task: &str) -> String {
    const CHARS: usize = 60;
    let line = task.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).take(CHARS).collect();
    if line.is_empty() { name.to_owned() } else { format!("{name}: {line}") }
}

fn check_task(task: &str) -> Result<(), Failure> {
    if task.trim().is_empty() {
        return Err(Failure::new(Code::InvalidRequest, "the task is empty"));
    }
    if task.len() > MESSAGE_BYTES {
        let length = task.len();
        let message = format!("the task has {length} bytes; the limit is {MESSAGE_BYTES}");
        return Err(Failure::new(Code::TooLarge, message));
    }
    Ok(())
}

/// Reads how a team calls a thread.
pub(crate) fn alias(text: &str) -> Result<ThreadAlias, Failure> {
    text.parse().map_err(|malformed: Malformed| Failure::new(Code::InvalidRequest, malformed.to_string()))
}

fn real(path: &Path) -> Result<std::path::PathBuf, Failure> {
    let real = path.canonicalize().ok().filter(|path| path.is_dir());
    real.ok_or_else(|| {
        let shown: String = path.to_string_lossy().chars().take(200).flat_map(char::escape_debug).collect();
        Failure::new(Code::NotFound, format!("`{shown}` is not a directory"))
    })
}
