//! What people do to messages that wait: edit, cancel, move and release them.

use paseo_core::actor::Actor;
use paseo_core::cause;
use paseo_core::id::{CauseId, DeliveryId};
use paseo_core::session::{self, Pending, Position};

use super::RequestKey;
use super::actor::SessionActor;
use super::changes::{Change, Stored};
use super::deliver::sealed;
use crate::failure::Failure;
use crate::{journal, mint};

/// A person's change of a queue.
pub(crate) struct Rearrange {
    pub(crate) by: Actor,
    pub(crate) what: Rearrangement,
    pub(crate) key: Option<RequestKey>,
}

/// Changes to waiting messages.
pub(crate) enum Rearrangement {
    /// The message gets other words.
    Edit(DeliveryId, String),
    Cancel(DeliveryId),
    Move(DeliveryId, Position),
    Release(DeliveryId),
    /// All that are held go on.
    ReleaseAll,
}

impl SessionActor {
    /// Changes the queue, once for each key. Says whether that made a difference.
    pub(super) async fn rearrange(&mut self, wish: Rearrange) -> Result<bool, Failure> {
        if let Some(key) = &wish.key
            && let Some(first) = self.context.journal.log.receipt(&key.scope, &key.key, key.body).await?
        {
            return serde_json::from_str(&first).map_err(Failure::internal);
        }
        loop {
            let mut change = self.begin(&wish.by);
            let (changed, opened) = match &wish.what {
                Rearrangement::Edit(delivery, text) => {
                    (self.edit(&mut change, &wish.by, *delivery, text).await?, None)
                }
                Rearrangement::Cancel(delivery) => {
                    session::cancel(&mut change.draft, &wish.by, *delivery, mint::watch())?;
                    (true, None)
                }
                Rearrangement::Move(delivery, position) => {
                    (session::move_to(&mut change.draft, &wish.by, *delivery, *position)?, None)
                }
                Rearrangement::Release(delivery) => self.release(&mut change, &wish.by, &[*delivery]).await?,
                Rearrangement::ReleaseAll => {
                    let session = &self.session;
                    let waits = |pending: &&Pending| session::is_releasable(session, pending);
                    let held: Vec<_> = session.queue.iter().filter(waits).map(|pending| pending.id).collect();
                    self.release(&mut change, &wish.by, &held).await?
                }
            };
            let mut spent = self.open_next(&mut change).await?;
            if let Some((cause, delivery)) = opened {
                let (by, session) = (wish.by.clone(), self.session.id);
                spent.open(cause, cause::Event::Opened { by, session, delivery });
            }
            let key = wish.key.clone().map(|key| sealed(key, &changed));
            match self.store(change, spent, key).await? {
                Stored::Conflict => {}
                Stored::Done => {
                    self.forget_texts();
                    return Ok(changed);
                }
                Stored::Repeat(first) => return serde_json::from_str(&first).map_err(Failure::internal),
            }
        }
    }

    /// Drafts other words for a message. Its files stay: they are listed beside its text.
    async fn edit(
        &mut self,
        change: &mut Change,
        by: &Actor,
        delivery: DeliveryId,
        text: &str,
    ) -> Result<bool, Failure> {
        let reference = journal::reference(text);
        let before = self.session.queue.iter().find(|pending| pending.id == delivery);
        let before = before.map(|pending| pending.text.id);
        if !session::edit(&mut change.draft, by, delivery, reference.clone())? {
            return Ok(false);
        }
        let extra = match before {
            Some(before) => self.context.journal.log.content(before.uuid()).await?.and_then(|row| row.extra),
            None => None,
        };
        change.entries.content(self.session.id, reference.id, text.to_owned(), extra);
        Ok(true)
    }

    /// Drafts a release. Returns whether anything was held, and the cause that is to be opened for it.
    async fn release(
        &mut self,
        change: &mut Change,
        by: &Actor,
        deliveries: &[DeliveryId],
    ) -> Result<(bool, Option<(CauseId, DeliveryId)>), Failure> {
        let mut stopped = Vec::new();
        for pending in self.session.queue.iter().filter(|pending| deliveries.contains(&pending.id)) {
            if self.context.journal.cause(pending.cause).await?.0.stopped {
                stopped.push(pending.cause);
            }
        }
        let fresh = mint::cause();
        let is_stopped = |cause: CauseId| stopped.contains(&cause);
        let released = session::release(&mut change.draft, by, deliveries, is_stopped, fresh)?;
        Ok((released.count > 0, released.opens.map(|delivery| (fresh, delivery))))
    }

    /// Forgets texts that no message has any longer.
    fn forget_texts(&mut self) {
        let turn = self.session.turn.iter().flat_map(|turn| turn.deliveries.iter().chain(&turn.steering));
        let kept: Vec<_> = self.session.queue.iter().chain(turn).map(|pending| pending.text.id).collect();
        self.texts.retain(|text, _| kept.contains(text));
    }
}
