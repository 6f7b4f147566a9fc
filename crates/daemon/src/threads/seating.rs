//! The sessions behind seats.

use paseo_core::id::SessionId;
use paseo_core::label::Labels;
use paseo_core::session::SeatOf;
use paseo_core::thread::{Due, Seat, Thread};
use paseo_wire::error::Code;

use super::Threads;
use super::coordinator::Trigger;
use crate::failure::Failure;
use crate::sessions::{NewSession, Order};
use crate::tools::powers;

/// The model of those that shall choose it themselves.
const DEFAULT_MODEL: &str = "default";

impl Threads {
    /// Makes the session behind a seat.
    pub(super) async fn seat(
        &self,
        thread: &Thread,
        due: &Due,
        seat: &Seat,
        trigger: &Trigger,
    ) -> Result<SessionId, Failure> {
        let context = &self.sessions.context;
        let directory = thread.directory.clone().ok_or_else(|| {
            Failure::new(Code::InvalidRequest, "this thread has no directory for its agents to work in")
                .hint("say where with `paseo thread cwd`, then say it again")
        })?;
        let client = seat.profile.client.as_deref().unwrap_or_default();
        let catalogue = context.definitions.catalogue(&directory);
        let (definition, provider) = match context.providers.get(client) {
            Some(_) => (catalogue.get(paseo_core::definition::DEFAULT)?, Some(client.to_owned())),
            None => (catalogue.get(client)?, None),
        };
        let order = Order {
            by: trigger.by.clone(),
            definition,
            project: directory.clone(),
            directory,
            provider,
            model: seat.profile.model.clone().filter(|model| model != DEFAULT_MODEL),
            effort: None,
            labels: Labels::default(),
            name: Some(seat.profile.nickname.clone().unwrap_or_else(|| due.seat.clone())),
            aside: true,
        };
        // Who was invited by an agent may do what that agent may pass on, and no more.
        let new = match seat.inviter {
            Some(inviter) => {
                let (inviter, _) = context
                    .journal
                    .session(inviter)
                    .await?
                    .ok_or_else(|| Failure::internal("whoever invited it is gone"))?;
                let above = powers::above(&self.sessions, &inviter, &order.definition.slug);
                order.by_agent(context, &inviter, &above, None, (trigger.posted.cause, trigger.posted.hop))?
            }
            None => order.by_person(context, None)?,
        };
        let seat = Some(SeatOf { thread: thread.id, seat: due.seat.clone() });
        let created = self.sessions.create(NewSession { seat, ..new }).await?;
        created.session.id.parse().map_err(Failure::internal)
    }
}
