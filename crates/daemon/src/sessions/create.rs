//! How a session begins, with its first message if there is one: one batch.

use paseo_core::actor::Actor;
use paseo_core::cause;
use paseo_core::id::SessionId;
use paseo_core::label::Labels;
use paseo_core::permission::Mode;
use paseo_core::session::{self, Class, Created, Draft, Event, Opening, Session, Verb, Worktree};
use paseo_core::time::Timestamp;
use paseo_store::{Appended, Version};
use paseo_wire::message::{CreatedSession, PlaceNotes};

use super::actor::Beginning;
use super::changes::Change;
use super::deliver::{draft, incoming, opened, receipt, sealed};
use super::{Message, RequestKey, Sessions};
use crate::failure::Failure;
use crate::journal::Entries;
use crate::mint;

/// What a session is made from.
pub(crate) struct NewSession {
    pub(crate) id: SessionId,
    pub(crate) by: Actor,
    pub(crate) provider: String,
    /// Why this one: told in the answer.
    pub(crate) provider_reason: String,
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<String>,
    pub(crate) permissions: Mode,
    pub(crate) labels: Labels,
    pub(crate) name: Option<String>,
    pub(crate) project: String,
    pub(crate) directory: String,
    pub(crate) worktree: Option<Worktree>,
    /// What a person should know about where it runs.
    pub(crate) notes: Option<PlaceNotes>,
    pub(crate) prompt: Option<String>,
    pub(crate) key: Option<RequestKey>,
}

impl Sessions {
    /// Makes a session and hands it its first message.
    pub(crate) async fn create(&self, new: NewSession) -> Result<CreatedSession, Failure> {
        let context = &self.context;
        let (id, now, before) = (new.id, mint::now(), context.journal.head());
        let created = Created {
            session: id,
            by: new.by.clone(),
            provider: new.provider,
            model: new.model,
            effort: new.effort,
            permissions: new.permissions,
            parent: None,
            project: new.project,
            directory: new.directory,
            worktree: new.worktree,
            labels: new.labels,
            name: new.name,
        };
        let mut change = Change {
            draft: Draft::new(Session::create(created.clone(), now), now),
            entries: Entries::by(&new.by),
        };
        let handle = context.directory.handle(id);
        let mut first = None;
        if let Some(text) = new.prompt {
            let message = Message {
                origin: new.by.clone(),
                text,
                verb: Verb::Queue,
                class: Class::Message,
                waited: false,
                cause: None,
                key: None,
            };
            let incoming = incoming(&message);
            let (delivery, cause) = (incoming.delivery, incoming.cause);
            let placement = draft(&mut change, &message, incoming, false)?;
            if let Some(plan) = session::next(&change.draft.session) {
                // A person's message spends nothing.
                let opening = session::open(&mut change.draft, plan, &cause::Cause::default(), mint::turn());
                debug_assert!(matches!(opening, Opening::Opened(None)));
            }
            let receipt = receipt(&change.draft.session, placement, delivery, cause, before, handle.clone());
            first = Some((receipt, cause, opened(&message, id, delivery)));
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
        if let Some((receipt, cause, event)) = first {
            entries = entries.stream(cause::stream(cause), 0, &[event]);
            answer.receipt = Some(receipt);
        }
        let key = new.key.map(|key| sealed(key, &answer));
        let batch = entries.with(|batch| batch.key = key).into_batch();
        let changing = context.directory.change(before);
        let ts = match context.journal.log.append(batch).await? {
            Appended::New { ts, .. } => Timestamp::from_millis(ts),
            Appended::Repeat { receipt } => return serde_json::from_str(&receipt).map_err(Failure::internal),
        };

        let mut session = Session::create(created, ts);
        events.iter().skip(1).for_each(|event| session.apply(event, ts));
        // First the actor, then the world: nobody shall find the session without it.
        if session.turn.is_some() {
            self.wake(session.clone(), events.len() as Version, Beginning::Fresh);
        }
        context.directory.put(&session, events.len() as Version);
        drop(changing);
        Ok(answer)
    }
}
