//! The sessions behind seats.

use std::collections::BTreeSet;
use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::definition::{self, Definition};
use paseo_core::id::{CauseId, SessionId};
use paseo_core::label::Labels;
use paseo_core::permission::Mode;
use paseo_core::session::{SeatOf, Session};
use paseo_core::thread::{self, Control, Due, Posted, Profile, Seat, Thread};
use paseo_core::tool::Ceiling;
use paseo_wire::error::Code;
use serde_json::Value;

use super::Threads;
use super::coordinator::{Trigger, once};
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{NewSession, Order};
use crate::tools::powers;

/// The model of those that shall choose it themselves.
const DEFAULT_MODEL: &str = "default";

impl Threads {
    /// Says how a worker of the thread's team is written to, where it was to be said that nobody is woken.
    pub(super) fn point_to_worker(&self, thread: &Thread, to: &str, remarks: &mut [String]) {
        let (Some(remark), Some(team)) = (remarks.first_mut(), &thread.team) else { return };
        let is_meant = |session: &Session| {
            session.profile.terminal.as_deref() == Some(to)
                && session.profile.team.as_ref().is_some_and(|seat| seat.team == *team)
        };
        if self.sessions.context.directory.all().iter().any(|session| is_meant(session)) {
            *remark = format!(
                "`{to}` is a worker, and threads do not wake workers. Write to it with `paseo worker send \
                 {to} \"…\"`; its answers are posted to its own thread."
            );
        }
    }

    /// Makes the session behind a seat.
    pub(super) async fn seat(
        &self,
        thread: &Thread,
        due: &Due,
        seat: &Seat,
        trigger: &Trigger,
    ) -> Result<SessionId, Failure> {
        let paid = (trigger.posted.cause, trigger.posted.hop);
        // What it may do follows whoever invited it, not whoever says something to it first.
        let by = seat.inviter.clone().unwrap_or_else(|| host(thread, &trigger.by));
        let new = self.plan(thread, &due.seat, &seat.profile, by, paid).await?;
        let seat = Some(SeatOf { thread: thread.id, seat: due.seat.clone() });
        // Tried again after a crash it is the same session, with what it was told already.
        let key = Some(once(thread.id, due, "seat"));
        let created = self.sessions.create(NewSession { seat, key, ..new }).await?;
        created.session.id.parse().map_err(Failure::internal)
    }

    /// Plans the session of a participant. Who is invited by an agent may do what that one may pass on, and no more.
    pub(super) async fn plan(
        &self,
        thread: &Thread,
        id: &str,
        profile: &Profile,
        by: Actor,
        paid: (CauseId, u32),
    ) -> Result<NewSession, Failure> {
        let context = &self.sessions.context;
        let directory = thread.directory.clone().ok_or_else(|| {
            Failure::new(Code::InvalidRequest, "this thread has no working directory for its agents")
                .hint("set one with `paseo thread cwd`, then send the message again")
        })?;
        let client = profile.client.as_deref().unwrap_or_default();
        let (definition, provider) = match self.runner(&directory, client)? {
            Runner::Definition(definition) => (definition, None),
            Runner::Provider(name) => {
                let catalogue = context.definitions.catalogue(&directory);
                (catalogue.get(definition::DEFAULT)?, Some(name))
            }
        };
        let order = Order {
            by,
            definition,
            project: directory.clone(),
            directory,
            provider,
            default_provider: profile.provider.clone(),
            model: profile.model.clone().filter(|model| model != DEFAULT_MODEL),
            effort: None,
            labels: Labels::default(),
            name: Some(profile.nickname.clone().unwrap_or_else(|| id.to_owned())),
            aside: true,
            guarded: false,
        };
        let inviter = match &order.by {
            Actor::Session(inviter) => *inviter,
            // Whoever is elsewhere has nothing to pass on: whom they invite may look.
            Actor::Seat(_) | Actor::Agent(_) => {
                let new = order.by_person(context, Some(Mode::ReadOnly))?;
                let ceiling = Some(Ceiling { tools: Some(Default::default()), mode: Mode::ReadOnly });
                return Ok(NewSession { tools: Some(Vec::new()), ceiling, ..new });
            }
            Actor::Human(_) | Actor::Daemon => return order.by_person(context, None),
        };
        let (inviter, _) = context
            .journal
            .session(inviter)
            .await?
            .ok_or_else(|| Failure::internal("the inviting agent no longer exists"))?;
        let above = powers::above(&self.sessions, &inviter, &order.definition.slug);
        // A program as it is asks for nothing by name: it has what is passed on to it.
        let passed: Option<Vec<String>> = above.tools.as_ref().map(|tools| tools.iter().cloned().collect());
        let passed = passed.filter(|_| order.definition.is_built_in());
        order.by_agent(context, &inviter, &above, passed.as_deref(), paid)
    }
}

impl Threads {
    /// Returns what a participant will not have because the agent that invited it may not pass it on.
    pub(crate) async fn withheld(&self, thread: &Thread, id: &str, inviter: SessionId) -> Vec<String> {
        let Some(seat) = thread.invited.get(id) else { return Vec::new() };
        let by = Actor::Session(inviter);
        let Ok(new) = self.plan(thread, id, &seat.profile, by, (mint::cause(), 0)).await else {
            return Vec::new();
        };
        let seat = Some(SeatOf { thread: thread.id, seat: id.to_owned() });
        let created = NewSession { seat, ..new }.created();
        self.sessions.context.withheld(&Session::create(created, mint::now()))
    }

    /// Refuses an invitation of somebody that could never be woken. Programs of the protocol may know more than Paseo.
    pub(crate) fn check_client(&self, thread: &Thread, content: &Value) -> Result<(), Failure> {
        let Ok(Control { invite: Some(invite), .. }) =
            thread::control(thread, content, &self.others(thread.id))
        else {
            return Ok(());
        };
        let (Some(client), Some(directory)) = (&invite.profile.client, &thread.directory) else {
            return Ok(());
        };
        let context = &self.sessions.context;
        if let Some(provider) =
            invite.profile.provider.as_deref().filter(|name| context.providers.get(name).is_none())
        {
            return Err(context.providers.unknown(provider));
        }
        match self.runner(directory, client) {
            Err(failure) if failure.code == Code::NotFound => {
                let catalogue = context.definitions.catalogue(directory);
                let client: String = client.chars().take(60).flat_map(char::escape_debug).collect();
                let slugs: Vec<&str> = catalogue.all().map(|known| known.slug.as_str()).collect();
                let providers = context.providers.names().join(", ");
                let message = format!("`{client}` is neither a provider nor an agent definition");
                Err(Failure::new(Code::ProviderUnavailable, message)
                    .hint(format!("providers: {providers}; definitions: {}", slugs.join(", "))))
            }
            _ => Ok(()),
        }
    }

    /// Says whether an invited participant is run by another program, which reads the thread and answers by itself: one
    /// for which a token of the thread exists, or whose client is neither a provider nor a definition of ours.
    pub(super) fn is_elsewhere(&self, thread: &Thread, id: &str) -> bool {
        let Some(seat) = thread.invited.get(id) else { return false };
        if self.token_holders(thread.id).contains(id) {
            return true;
        }
        let client = seat.profile.client.as_deref().unwrap_or_default();
        let home = || self.sessions.context.home.display().to_string();
        let directory = thread.directory.clone().unwrap_or_else(home);
        self.runner(&directory, client).is_err_and(|failure| failure.code == Code::NotFound)
    }

    /// Returns what runs participants of a client: a provider, a definition, or a provider by another of its names.
    fn runner(&self, directory: &str, client: &str) -> Result<Runner, Failure> {
        let context = &self.sessions.context;
        let provider = |name: &str| context.providers.get(name).map(|_| Runner::Provider(name.to_owned()));
        if let Some(provider) = provider(client) {
            return Ok(provider);
        }
        match context.definitions.catalogue(directory).get(client) {
            Ok(definition) => Ok(Runner::Definition(definition)),
            Err(failure) if failure.code == Code::NotFound => {
                definition::provider(client).and_then(provider).ok_or(failure)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Says why participants follow another version of their definition than the file holds.
    pub(crate) fn notices(&self, thread: &Thread, ids: &[impl AsRef<str>]) -> Vec<String> {
        let Some(directory) = thread.directory.as_deref() else { return Vec::new() };
        let catalogue = self.sessions.context.definitions.catalogue(directory);
        let clients = ids.iter().filter_map(|id| thread.invited.get(id.as_ref())?.profile.client.as_deref());
        let slugs: BTreeSet<String> = clients
            .filter_map(|client| match self.runner(directory, client).ok()? {
                Runner::Definition(definition) => Some(definition.slug.clone()),
                Runner::Provider(_) => Some(definition::DEFAULT.to_owned()),
            })
            .collect();
        slugs.iter().filter_map(|slug| catalogue.told(slug)).collect()
    }

    /// Takes out of a message whom its author may not have do things, and says so. A person's own agents may wake each
    /// other.
    pub(super) fn hold_back(&self, thread: &Thread, by: &Actor, posted: &mut Posted) -> Vec<String> {
        let directory = &self.sessions.context.directory;
        let author = match directory.acting(by) {
            Ok(None) => return Vec::new(),
            Ok(Some(author)) => author,
            Err(_) => {
                let from = &posted.from;
                return posted
                    .wakes
                    .drain(..)
                    .map(|id| format!("{id} was not woken: {from} is closed."))
                    .collect();
            }
        };
        let mut remarks = Vec::new();
        posted.wakes.retain(|id| {
            let seat = thread.invited.get(id);
            let may = match seat.and_then(|seat| seat.session).and_then(|id| directory.get(id)) {
                Some(target) => powers::may_write_to(&self.sessions, &author, &target).is_ok(),
                None => {
                    author.profile.created_by.is_human()
                        || seat.is_some_and(|seat| seat.inviter.as_ref() == Some(by))
                }
            };
            if !may {
                remarks.push(format!(
                    "{id} was not woken: it has permissions that {} cannot pass on.",
                    posted.from
                ));
            }
            may
        });
        remarks
    }
}

/// What runs the participants of a client.
enum Runner {
    Provider(String),
    Definition(Arc<Definition>),
}

/// Returns the person whose agent it is: who asks for it, or who made the thread.
fn host(thread: &Thread, asking: &Actor) -> Actor {
    if asking.is_human() { asking.clone() } else { thread.created_by.clone() }
}
