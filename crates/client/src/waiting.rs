//! Which messages wait, and why: read from the events of their session.

use paseo_wire::message::DeliveryView;
use paseo_wire::session::SessionView;
use paseo_wire::stream::{EventFrame, Frame};
use paseo_wire::time::Moment;
use serde_json::Value;

use crate::{Client, Error};

/// A message that no turn has taken up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub delivery: String,
    pub origin: String,
    pub since: Moment,
    /// queued or held.
    pub stage: String,
    /// Why it is held.
    pub reason: Option<String>,
}

impl Client {
    /// Returns the messages that wait in a session, oldest first.
    ///
    /// Reads the session's whole past, so it takes its time where that is long. May be cancelled.
    pub async fn waiting(&self, session: &SessionView) -> Result<Vec<Waiting>, Error> {
        let wanted = session.queued + session.held;
        let mut known = Known::default();
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let mut events = self.events(0, &[format!("session:{}", session.id)]);
        loop {
            if let Frame::Event(event) = events.next().await? {
                known.note(&event);
                // The log tells what happened; whether that is all of it, only the present knows.
                if known.waiting().count() == wanted
                    && let Some(waiting) = self.still_wait(&session.id, &known).await?
                {
                    return Ok(waiting);
                }
            }
        }
    }

    /// Asks what became of each message. `None` when one of them waits no longer.
    async fn still_wait(&self, session: &str, known: &Known) -> Result<Option<Vec<Waiting>>, Error> {
        let mut waiting = Vec::new();
        for one in known.waiting() {
            let DeliveryView { stage, reason, .. } = self.delivery(session, &one.delivery).await?;
            if !matches!(stage.as_str(), "queued" | "held") {
                return Ok(None);
            }
            waiting.push(Waiting { stage, reason, ..one.clone() });
        }
        Ok(Some(waiting))
    }
}

/// Every message so far, and whether it waits.
#[derive(Default)]
struct Known(Vec<(Waiting, bool)>);

impl Known {
    fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        self.0.iter().filter(|(_, waits)| *waits).map(|(one, _)| one)
    }

    /// Takes an event in.
    fn note(&mut self, event: &EventFrame) {
        let text = |key: &str| event.data.get(key).and_then(Value::as_str);
        match (event.kind.as_str(), text("delivery")) {
            ("delivery.accepted", Some(delivery)) => {
                let origin = text("origin").unwrap_or(&event.actor).to_owned();
                let (delivery, stage) = (delivery.to_owned(), "queued".to_owned());
                self.0.push((Waiting { delivery, origin, since: event.ts, stage, reason: None }, true));
            }
            ("delivery.handing" | "delivery.cancelled", Some(delivery)) => self.set(delivery, false),
            ("delivery.returned", Some(delivery)) => self.set(delivery, true),
            ("turn.opened", _) => {
                let taken = event.data.get("deliveries").and_then(Value::as_array);
                for delivery in taken.into_iter().flatten().filter_map(Value::as_str) {
                    self.set(delivery, false);
                }
            }
            _ => {}
        }
    }

    fn set(&mut self, delivery: &str, waits: bool) {
        if let Some((_, known)) = self.0.iter_mut().find(|(one, _)| one.delivery == delivery) {
            *known = waits;
        }
    }
}
