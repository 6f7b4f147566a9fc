//! Going on when a limit that a harness reached has ended.

use paseo_core::actor::Actor;
use paseo_core::id::CauseId;
use paseo_core::session::{self, Class, Verb};
use tokio::time::Instant;

use super::actor::{RETRY, SessionActor, Timer};
use super::{Message, deliver};
use crate::mint;

impl SessionActor {
    /// Goes on with what waits, and with the turn that the limit cut off, once it has ended.
    pub(super) async fn unpark(&mut self) {
        let told = session::cut_off(&self.session).map(|cause| {
            let message = limit_over(cause);
            let incoming = deliver::incoming(&message);
            self.texts.insert(incoming.text.id, message.text.clone());
            (message, incoming)
        });
        let result = self
            .change(&Actor::Daemon, |change| {
                let over = session::unpark(&mut change.draft, mint::now());
                // In one batch: after a crash in between it would be told twice, or never.
                if let Some((message, incoming)) = told.as_ref().filter(|_| over) {
                    deliver::draft(change, message, incoming.clone(), false)?;
                }
                Ok(())
            })
            .await;
        self.timer.take_if(|(_, what)| *what == Timer::Unpark);
        if let Err(failure) = result {
            tracing::error!(session = %self.id(), error = %failure.message, "cannot continue after a limit");
            self.timer = Some((Instant::now() + RETRY, Timer::Unpark));
        }
    }
}

fn limit_over(cause: (CauseId, u32)) -> Message {
    Message {
        origin: Actor::Daemon,
        text: session::LIMIT_OVER.to_owned(),
        attachments: Vec::new(),
        verb: Verb::Queue,
        class: Class::Message,
        waited: false,
        aside: false,
        schema: None,
        notify: None,
        cause: Some(cause),
        key: None,
    }
}
