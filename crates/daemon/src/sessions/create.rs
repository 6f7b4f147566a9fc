//! How a session begins, with its first message if there is one: one batch.

use paseo_core::actor::Actor;
use paseo_core::cause::{self, Cause};
use paseo_core::glob::Glob;
use paseo_core::id::{CauseId, SessionId, ThreadId};
use paseo_core::label::Labels;
use paseo_core::permission::Mode;
use paseo_core::session::{
    self, Class, Created, Draft, Event, Opening, SeatOf, Session, TeamSeat, Verb, Worktree,
};
use paseo_core::time::Timestamp;
use paseo_core::tool::Ceiling;
use paseo_store::{Appended, Error, Version};
use paseo_wire::error::Code;
use paseo_wire::message::{CreatedSession, PlaceNotes};
use paseo_wire::words::ProviderReason;

use super::actor::Beginning;
use super::changes::{Change, note_held};
use super::deliver::{draft, incoming, opened, receipt, sealed};
use super::{Message, Notify, RequestKey, Sessions, to_the_end};
use crate::attachments::Claimed;
use crate::failure::Failure;
use crate::journal::Entries;
use crate::mint;
use crate::previews::Next;

/// What a session is made from.
#[derive(Clone)]
pub(crate) struct NewSession {
    pub(crate) id: SessionId,
    pub(crate) by: Actor,
    pub(crate) provider: String,
    /// Why this one: told in the answer.
    pub(crate) provider_reason: ProviderReason,
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<String>,
    pub(crate) permissions: Mode,
    pub(crate) parent: Option<SessionId>,
    /// The definition that it follows; without one: the built-in one.
    pub(crate) definition: Option<String>,
    /// The definition is the project's own.
    pub(crate) of_project: bool,
    /// Instead of what its definition lets through.
    pub(crate) tools: Option<Vec<Glob>>,
    pub(crate) ceiling: Option<Ceiling>,
    /// The agent that starts it, when one does.
    pub(crate) spawned: Option<Spawned>,
    pub(crate) labels: Labels,
    /// The seat in a thread that it is behind.
    pub(crate) seat: Option<SeatOf>,
    /// The team that it belongs to.
    pub(crate) team: Option<TeamSeat>,
    /// It changes nothing but what a task that it owns covers.
    pub(crate) guarded: bool,
    /// The terminal that it runs in.
    pub(crate) terminal: Option<String>,
    /// The thread that its answers are posted to.
    pub(crate) reports_to: Option<ThreadId>,
    pub(crate) name: Option<String>,
    pub(crate) project: String,
    pub(crate) directory: String,
    pub(crate) worktree: Option<Worktree>,
    /// What a person should know about where it runs.
    pub(crate) notes: Option<PlaceNotes>,
    pub(crate) prompt: Option<String>,
    /// The files of the prompt.
    pub(crate) attachments: Vec<Claimed>,
    /// The JSON Schema that the answer to the prompt has to satisfy, as JSON.
    pub(crate) schema: Option<String>,
    /// The prompt is said in passing.
    pub(crate) aside: bool,
    pub(crate) key: Option<RequestKey>,
}

/// That an agent starts a session.
#[derive(Clone, Copy)]
pub(crate) struct Spawned {
    pub(crate) by: SessionId,
    /// What the session descends from, and what it is asked to do with it.
    pub(crate) cause: (CauseId, u32),
    /// A caller waits for the answer to the first message.
    pub(crate) waited: bool,
    /// Who is notified of its outcome.
    pub(crate) notify: Option<Notify>,
}

impl NewSession {
    /// Gives it something to do at once, for the agent that starts it.
    pub(crate) fn with_task(mut self, task: &str, waited: bool, notify: Option<Notify>) -> Self {
        self.prompt = Some(task.to_owned());
        self.spawned = self.spawned.map(|spawned| Spawned { waited, notify, ..spawned });
        self
    }

    /// Returns the event that it begins with.
    pub(crate) fn created(&self) -> Created {
        let new = self.clone();
        Created {
            session: new.id,
            by: new.by,
            provider: new.provider,
            model: new.model,
            effort: new.effort,
            permissions: new.permissions,
            parent: new.parent,
            definition: new.definition,
            of_project: new.of_project,
            tools: new.tools,
            ceiling: new.ceiling,
            project: new.project,
            directory: new.directory,
            worktree: new.worktree,
            labels: new.labels,
            name: new.name,
            seat: new.seat,
            team: new.team,
            guarded: new.guarded,
            terminal: new.terminal,
            reports_to: new.reports_to,
        }
    }
}

impl Sessions {
    /// Makes a session and hands it its first message.
    pub(crate) async fn create(&self, new: NewSession) -> Result<CreatedSession, Failure> {
        let this = self.clone();
        // As a task of its own: the caller may disconnect between the log and the directory.
        to_the_end(async move {
            // Others may spend from the same cause meanwhile.
            loop {
                if let Some(created) = this.try_create(new.clone()).await? {
                    return Ok(created);
                }
            }
        })
        .await
    }

    /// Refuses what [`Self::create`] would refuse: for callers that make other things for a session first.
    pub(crate) async fn check(&self, new: &NewSession) -> Result<(), Failure> {
        let (context, now) = (&self.context, mint::now());
        context.dress(&Session::create(new.created(), now))?;
        if let Some(spawned) = new.spawned {
            let (cause, _) = context.journal.cause(spawned.cause.0).await?;
            spawn(&cause, spawned, new.id, now)?;
        }
        Ok(())
    }

    /// Refuses files that its agent does not take.
    pub(crate) fn check_attachments(&self, new: &NewSession) -> Result<(), Failure> {
        let attached: Vec<_> = new.attachments.iter().map(|file| file.attached.clone()).collect();
        let session = Session::create(new.created(), mint::now());
        self.context.check_attachments(&session.profile, &attached)
    }

    /// Makes a session; `None` when someone else was faster to spend from its cause.
    async fn try_create(&self, new: NewSession) -> Result<Option<CreatedSession>, Failure> {
        let context = &self.context;
        let (id, now, before) = (new.id, mint::now(), context.journal.head());
        let created = new.created();
        let session = Session::create(created.clone(), now);
        // What its definition wants and cannot have is told before there is a session.
        context.dress(&session)?;
        self.check_attachments(&new)?;
        let mut change = Change { draft: Draft::new(session, now), entries: Entries::by(&new.by) };
        let handle = context.directory.handle(id);
        // What it costs the request that it descends from.
        let mut paid = None;
        if let Some(spawned) = new.spawned {
            let (mut state, version) = context.journal.cause(spawned.cause.0).await?;
            let event = spawn(&state, spawned, id, now)?;
            state.apply(&event, now);
            paid = Some((spawned.cause.0, state, version, vec![event]));
        }
        let mut first = None;
        if let Some(text) = new.prompt {
            let message = Message {
                origin: new.by.clone(),
                text,
                attachments: new.attachments,
                verb: Verb::Queue,
                class: Class::Message,
                waited: new.spawned.is_some_and(|spawned| spawned.waited),
                aside: new.aside,
                schema: new.schema,
                notify: new.spawned.and_then(|spawned| spawned.notify),
                cause: new.spawned.map(|spawned| spawned.cause),
                key: None,
            }
            .contained();
            let incoming = incoming(&message);
            let (delivery, cause) = (incoming.delivery, incoming.cause);
            let placement = draft(&mut change, &message, incoming, false)?;
            if let Some(plan) = session::next(&change.draft.session) {
                // A person's message spends nothing.
                let nothing = Cause::default();
                let state = paid.as_ref().map_or(&nothing, |(_, state, ..)| state);
                match session::open(&mut change.draft, plan, state, mint::turn()) {
                    Opening::Opened(spent) => paid.iter_mut().for_each(|paid| paid.3.extend(spent.clone())),
                    Opening::Held(exhausted) => note_held(&mut change, exhausted),
                    // Nothing was answered yet.
                    Opening::Abandoned(_) => {}
                }
            }
            let receipt = receipt(&change.draft.session, placement, delivery, cause, before, handle.clone());
            let opens = message.cause.is_none().then(|| (cause, opened(&message, id, delivery)));
            first = Some((receipt, opens));
        }

        let mut events = vec![Event::Created(Box::new(created.clone()))];
        events.append(&mut change.draft.events);
        let mut entries = change.entries.session(id, 0, &events);
        let mut answer = CreatedSession {
            session: crate::view::session(&change.draft.session, handle),
            receipt: None,
            provider_reason: new.provider_reason,
            place: new.notes,
        };
        if let Some((receipt, opens)) = first {
            if let Some((cause, event)) = opens {
                entries = entries.stream(cause::stream(cause), 0, &[event]);
            }
            answer.receipt = Some(receipt);
        }
        let key = new.key.map(|key| sealed(key, &answer));
        if let Some((cause, _, version, events)) = paid {
            entries = entries.stream(cause::stream(cause), version, &events);
        }
        let batch = entries.with(|batch| batch.key = key).into_batch();
        let changing = context.directory.change(before);
        let (ts, seq) = match context.journal.log.append(batch).await {
            Ok(Appended::New { ts, seq, .. }) => (Timestamp::from_millis(ts), seq),
            Ok(Appended::Repeat { receipt }) => {
                return serde_json::from_str(&receipt).map(Some).map_err(Failure::internal);
            }
            Err(Error::Conflict { .. }) if new.spawned.is_some() => return Ok(None),
            Err(error) => return Err(error.into()),
        };

        let mut session = Session::create(created, ts);
        events.iter().skip(1).for_each(|event| session.apply(event, ts));
        context.previews.put(id, seq, Next::empty());
        // The actor comes first: the session must not be found without it.
        if session.turn.is_some() {
            self.wake(session.clone(), events.len() as Version, Beginning::Fresh);
        }
        context.directory.put(session, events.len() as Version);
        drop(changing);
        Ok(Some(answer))
    }
}

/// Charges a session to the request that it descends from.
fn spawn(cause: &Cause, spawned: Spawned, id: SessionId, now: Timestamp) -> Result<cause::Event, Failure> {
    cause.spawn(spawned.by, id, now).map_err(|refused| {
        Failure::new(Code::Conflict, refused.to_string()).hint("use the agents that already exist")
    })
}
