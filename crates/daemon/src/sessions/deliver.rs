//! Delivery: how a message enters a session. One way for people and agents.

use paseo_core::cause;
use paseo_core::id::{CauseId, DeliveryId};
use paseo_core::places::Beneficiary;
use paseo_core::session::{self, Accepted, Class, On, Placement, Receipt as Stage, Session, Source, Watch};
use paseo_store::{IdempotencyKey, Seq};
use paseo_wire::message::Receipt;
use paseo_wire::words::{self, PlacementReason};

use super::actor::SessionActor;
use super::changes::{Change, Stored};
use super::{Message, Notify, RequestKey};
use crate::attachments;
use crate::failure::Failure;
use crate::journal;
use crate::mint;

/// What came of a message.
enum Taken {
    New(Receipt, Placement),
    /// The request was made before; this is its receipt.
    Before(Receipt),
}

impl SessionActor {
    /// Takes a message in and says where it went.
    pub(super) async fn deliver(&mut self, message: Message) -> Result<Receipt, Failure> {
        let message = message.contained();
        let incoming = incoming(&message);
        let (delivery, text) = (incoming.delivery, incoming.text.id);
        self.texts.insert(text, message.text.clone());
        match self.take_in(&message, incoming).await {
            Ok(Taken::New(receipt, placement)) => {
                if message.origin.is_human() && message.class == Class::Message {
                    // Its turn may still wait for a place.
                    self.context.processes.work_for(self.session.id, Beneficiary::Person);
                }
                match placement {
                    Placement::Steer => self.steer(delivery).await,
                    Placement::Interrupt => self.interrupt(Source::Person).await,
                    Placement::Ready | Placement::Queued | Placement::Held(_) => {}
                }
                Ok(receipt)
            }
            Ok(Taken::Before(receipt)) => {
                self.texts.remove(&text);
                Ok(receipt)
            }
            Err(failure) => {
                self.texts.remove(&text);
                Err(failure)
            }
        }
    }

    async fn take_in(&mut self, message: &Message, incoming: Accepted) -> Result<Taken, Failure> {
        let before = self.context.journal.head();
        let provider = self.context.providers.get(&self.session.profile.provider);
        let can_steer = provider.is_some_and(|provider| provider.capabilities().steer);
        let (delivery, cause) = (incoming.delivery, incoming.cause);
        self.context.check_attachments(&self.session.profile, &incoming.attachments)?;
        if message.origin.is_human() {
            self.come_back().await?;
        }
        let was_ended = self.is_in_terminal() && !self.session.is_open();
        loop {
            let mut change = self.begin(&message.origin);
            let placement = draft(&mut change, message, incoming.clone(), can_steer)?;
            let mut spent = self.open_next(&mut change).await?;
            if message.cause.is_none() {
                spent.open(cause, opened(message, self.session.id, delivery));
            } else if message.origin.is_human() && message.class == Class::Message {
                // Nothing is paid for a person's words, so that nothing else tells the cause who works for it.
                let (_, version) = self.context.journal.cause(cause).await?;
                spent.open_at(cause, version, opened(message, self.session.id, delivery));
            }
            let mut receipt =
                receipt(&change.draft.session, placement, delivery, cause, before, self.handle());
            let is_worker = self.session.profile.terminal.is_some();
            if receipt.placement == words::Placement::Started
                && is_worker
                && self.context.terminals.is_silent()
            {
                receipt.reason = Some(PlacementReason::Terminal);
            }
            let key = message.key.clone().map(|key| sealed(key, &receipt));
            match self.store(change, spent, key).await? {
                Stored::Conflict => {}
                Stored::Done => {
                    if was_ended && self.session.is_open() {
                        self.note_return(&message.origin).await;
                    }
                    return Ok(Taken::New(receipt, placement));
                }
                Stored::Repeat(first) => {
                    return serde_json::from_str(&first).map(Taken::Before).map_err(Failure::internal);
                }
            }
        }
    }

    fn handle(&self) -> String {
        self.context.directory.handle(self.session.id)
    }
}

/// Makes the core's words of a message.
pub(super) fn incoming(message: &Message) -> Accepted {
    let (cause, hop) = message.cause.unwrap_or_else(|| (mint::cause(), 0));
    Accepted {
        delivery: mint::delivery(),
        origin: message.origin.clone(),
        verb: message.verb,
        cause,
        hop,
        text: journal::reference(&message.text),
        class: message.class,
        waited: message.waited,
        aside: message.aside,
        attachments: message.attachments.iter().map(|file| file.attached.clone()).collect(),
        schema: message.schema.as_deref().map(journal::reference),
        corrects: None,
    }
}

/// Drafts a message into a session, with its text and the recipient of its outcome.
pub(super) fn draft(
    change: &mut Change,
    message: &Message,
    incoming: Accepted,
    can_steer: bool,
) -> Result<Placement, Failure> {
    let session = change.draft.session.id;
    let extra = attachments::extra(&message.attachments)?;
    change.entries.content(session, incoming.text.id, message.text.clone(), extra);
    message.attachments.iter().for_each(|file| change.entries.claim(session, file.attached.id));
    if let (Some(schema), Some(text)) = (&incoming.schema, &message.schema) {
        change.entries.content(session, schema.id, text.clone(), None);
    }
    let (on, class) = (On::Delivery(incoming.delivery), Class::Completion);
    let (cause, hop, request) = (incoming.cause, incoming.hop + 1, Some(incoming.text.id));
    let placement = session::accept(&mut change.draft, incoming, can_steer)?;
    if let Some(Notify { watch: id, watcher }) = message.notify {
        let watch = Watch { id, watcher, on, cause, hop, class, due: None, request, notice: None };
        session::arm(&mut change.draft, watch)?;
    }
    Ok(placement)
}

/// Makes the event that opens a person's cause.
pub(super) fn opened(
    message: &Message,
    session: paseo_core::id::SessionId,
    delivery: DeliveryId,
) -> cause::Event {
    cause::Event::Opened { by: message.origin.clone(), session, delivery }
}

/// Makes the receipt of a message from the state that it led to.
pub(super) fn receipt(
    session: &Session,
    placement: Placement,
    delivery: DeliveryId,
    cause: CauseId,
    before: Seq,
    handle: String,
) -> Receipt {
    let (placement, reason) = match (placement, session.receipt(delivery)) {
        (Placement::Steer, _) => (words::Placement::Steering, None),
        (Placement::Interrupt, _) => (words::Placement::Interrupting, None),
        (_, Some(Stage::Held(reason))) => (words::Placement::Held, Some(reason.into())),
        (Placement::Ready, Some(Stage::Handing(_))) => (words::Placement::Started, None),
        // It was free, and the turn that has begun is for what was kept for it.
        (Placement::Ready, _) if session.turn.is_some() => {
            (words::Placement::Queued, Some(PlacementReason::Earlier))
        }
        _ if session.parked().is_some() => (words::Placement::Queued, Some(PlacementReason::Limit)),
        _ => (words::Placement::Queued, None),
    };
    Receipt {
        delivery: delivery.into(),
        session: session.id.into(),
        handle,
        placement,
        reason,
        cause: cause.into(),
        seq: before,
        notice: None,
    }
}

/// Completes a key with the receipt that repeats will get.
pub(super) fn sealed<T: serde::Serialize>(key: RequestKey, receipt: &T) -> IdempotencyKey {
    // A receipt is plain data with string keys: it always serialises.
    let receipt = serde_json::to_string(receipt).unwrap_or_default();
    IdempotencyKey { scope: key.scope, key: key.key, body: key.body, receipt }
}
