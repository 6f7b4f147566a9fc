//! The traffic of the last hour, brought up to date on request: only new entries of the log are read.

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::codec;
use paseo_core::time::Timestamp;
use paseo_core::traffic::{Counts, Traffic, WINDOW_MS};
use paseo_core::{cause, session, thread};
use paseo_store::{Body, Record, Seq};
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;

use crate::failure::Failure;
use crate::mint;
use crate::sessions::Context;

/// Events that are read at once, and at most before a request is answered: what lies further back is not counted.
const PAGE: usize = 500;
const EVENTS: Seq = 100_000;

/// Counts traffic. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct TrafficCounter(Arc<Mutex<Option<Counter>>>);

struct Counter {
    traffic: Traffic,
    /// Events up to this were counted.
    reached: Seq,
    /// Everything since then was counted.
    since: Timestamp,
}

/// What was counted, from when on.
pub(crate) struct Counted {
    pub(crate) counts: Counts,
    pub(crate) since: Timestamp,
}

impl TrafficCounter {
    /// Returns the traffic of the last hour.
    pub(crate) async fn last_hour(&self, context: &Context) -> Result<Counted, Failure> {
        let mut held = self.0.lock().await;
        let now = mint::now();
        let head = context.journal.head();
        let counter = match held.take() {
            // After such a long time it is cheaper to start over.
            Some(counter) if head - counter.reached <= EVENTS => counter,
            Some(_) | None => Counter::begin(context, now).await?,
        };
        // A failure leaves nothing half counted: the next request starts over.
        let counter = counter.read_up_to(context, head).await?;
        let counter = held.insert(counter);
        let hour = Timestamp::from_millis(now.as_millis() - WINDOW_MS);
        Ok(Counted { counts: counter.traffic.until(now), since: counter.since.max(hour) })
    }
}

impl Counter {
    async fn begin(context: &Context, now: Timestamp) -> Result<Self, Failure> {
        let hour = Timestamp::from_millis(now.as_millis() - WINDOW_MS);
        let (head, by_time) = (context.journal.head(), context.journal.before(hour).await?);
        let reached = by_time.max(head.saturating_sub(EVENTS));
        let first = context.journal.log.read(reached, 1).await?;
        let since = match first.first() {
            Some(record) if reached > by_time => Timestamp::from_millis(record.ts),
            Some(_) | None => hour,
        };
        let mut traffic = Traffic::default();
        for session in context.directory.all() {
            if let Some(turn) = &session.turn {
                traffic.working(session.id, turn.id, turn.cause);
            }
        }
        Ok(Self { traffic, reached, since })
    }

    async fn read_up_to(mut self, context: &Context, head: Seq) -> Result<Self, Failure> {
        while self.reached < head {
            let records = context.journal.log.read(self.reached, PAGE).await?;
            let Some(last) = records.last() else { break };
            self.reached = last.seq;
            for record in &records {
                self.take(record)?;
            }
        }
        Ok(self)
    }

    fn take(&mut self, record: &Record) -> Result<(), Failure> {
        if !matches!(record.body, Body::Control { .. }) {
            return Ok(());
        }
        let at = Timestamp::from_millis(record.ts);
        if let Some(of) = session::from_stream(&record.stream) {
            if let Some(event) = decode(record)? {
                self.traffic.session(of, at, &event);
            }
        } else if let Some(of) = cause::from_stream(&record.stream) {
            if let Some(event) = decode(record)? {
                self.traffic.cause(of, at, &event);
            }
        } else if let Some(of) = thread::from_stream(&record.stream) {
            let by: Result<Actor, _> = record.actor.parse();
            if let (Ok(by), Some(event)) = (by, decode(record)?) {
                self.traffic.thread(of, at, &by, &event);
            }
        }
        Ok(())
    }
}

fn decode<E: DeserializeOwned>(record: &Record) -> Result<Option<E>, Failure> {
    let Some(data) = &record.data else { return Ok(None) };
    codec::decode(&record.kind, record.v, data).map_err(Failure::internal)
}
