//! Feeds the index of words from the log: after the append, a little at a time, from where it stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use paseo_core::codec;
use paseo_core::id::ContentId;
use paseo_core::item::Entry;
use paseo_core::search::{self, Subject, Text};
use paseo_core::{session, thread};
use paseo_store::{Body, Find, Home, Indexing, MAX_SEARCHED, Record, Seq, Source};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};

use crate::failure::Failure;
use crate::journal::Journal;
use crate::stop::Stop;

/// Events that are read at once, and bytes of text that are taken in at once: so long do appends wait for the writer.
const EVENTS: usize = 128;
const BYTES: u64 = 64 * 1024;
/// How long new events wait for others to be indexed with, while no search waits.
const LEISURE: Duration = Duration::from_millis(250);
/// When what failed is tried again.
const AGAIN: Duration = Duration::from_secs(2);

/// Follows the log. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Feeder {
    journal: Journal,
    reached: watch::Sender<Seq>,
    /// How many wait for the index, and what tells of one more.
    waiting: Arc<AtomicUsize>,
    wanted: Arc<Notify>,
}

/// What some events bring, and how much of it is text.
struct Meal {
    indexing: Indexing,
    bytes: u64,
}

impl Feeder {
    pub(crate) fn new(journal: Journal) -> Self {
        Self { journal, reached: watch::Sender::new(0), waiting: Arc::default(), wanted: Arc::default() }
    }

    /// Feeds the index until the daemon stops.
    pub(crate) async fn follow(self, stop: Stop) {
        tokio::select! {
            () = self.feed_on() => {}
            () = stop.requested() => {}
        }
    }

    /// Waits, but not for long, until the index has come to a point; returns how many events it is short of.
    pub(crate) async fn caught_up(&self, point: Seq, patience: Duration) -> u64 {
        let mut reached = self.reached.subscribe();
        let _counted = Waiting::new(&self.waiting);
        self.wanted.notify_one();
        // That the time was up is told by how far it has come.
        let _ = timeout(patience, reached.wait_for(|reached| *reached >= point)).await;
        point.saturating_sub(*self.reached.borrow())
    }

    async fn feed_on(&self) {
        let mut head = self.journal.log.watch();
        let mut place = None;
        loop {
            if let Err(failure) = self.feed_up_to_now(&mut place, &mut head).await {
                tracing::warn!(error = %failure.message, "cannot index the log; will retry");
                place = None;
                sleep(AGAIN).await;
                continue;
            }
            if head.changed().await.is_err() {
                return;
            }
            // Events come in swarms, and each time something is taken in costs as much as several of them.
            let _ = timeout(LEISURE, self.wanted.notified()).await;
        }
    }

    /// Feeds the index from its place, which the index itself says when it is not known.
    async fn feed_up_to_now(
        &self,
        place: &mut Option<Seq>,
        head: &mut watch::Receiver<Seq>,
    ) -> Result<(), Failure> {
        let log = &self.journal.log;
        loop {
            let after = match *place {
                Some(after) => after,
                None => *place.insert(log.indexed(search::VERSION).await?),
            };
            self.reached.send_replace(after);
            if after >= *head.borrow_and_update() {
                return Ok(());
            }
            let records = log.read(after, EVENTS).await?;
            if records.is_empty() {
                return Ok(());
            }
            let began = Instant::now();
            let Meal { indexing, .. } = meal(after, &records);
            let upto = indexing.upto;
            // When another daemon has been here, it goes on from where that one stopped.
            *place = log.index(indexing).await?.then_some(upto);
            if self.waiting.load(Ordering::SeqCst) == 0 {
                // Half of the writer's time is for others.
                sleep(began.elapsed()).await;
            }
        }
    }
}

/// Counts one who waits, for as long as it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::SeqCst);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns what the first of these events bring: as many as have not too much text.
fn meal(after: Seq, records: &[Record]) -> Meal {
    let indexing = Indexing { after, upto: after, version: search::VERSION, ..Indexing::default() };
    let mut meal = Meal { indexing, bytes: 0 };
    for record in records {
        if meal.bytes >= BYTES {
            break;
        }
        // What cannot be read is not found. The log keeps it, and its readers report what is wrong.
        if let Err(error) = take_in(record, &mut meal) {
            tracing::warn!(seq = record.seq, %error, "cannot index an event; skipped");
        }
        meal.indexing.upto = record.seq;
    }
    meal
}

fn take_in(record: &Record, meal: &mut Meal) -> Result<(), String> {
    let Some(data) = &record.data else { return Ok(()) };
    let stream = &record.stream;
    let (mut subjects, mut home, mut ordinal) = (Vec::new(), None, None);
    let mut bytes = 0;
    match &record.body {
        Body::Item { ordinal: own, content: Some(content) } => {
            let Some(session) = session::from_stream(stream) else { return Ok(()) };
            let entry: Entry = serde_json::from_str(data).map_err(|error| error.to_string())?;
            subjects.extend(search::of_item(session, &entry, ContentId::from_uuid(content.id)));
            ordinal = Some(*own);
            bytes = content.len;
        }
        Body::Item { content: None, .. } => {}
        Body::Control { .. } if stream.starts_with("session/") => {
            let event = codec::decode(&record.kind, record.v, data).map_err(|error| error.to_string())?;
            if let Some(event) = &event {
                subjects = search::of_session(event, &record.actor);
                bytes = match event {
                    session::Event::Accepted(accepted) => accepted.text.len,
                    session::Event::Edited { text, .. } => text.len,
                    _ => 0,
                };
            }
            home = search::home(event.as_ref(), None);
        }
        Body::Control { .. } if stream.starts_with("thread/") => {
            let event = codec::decode(&record.kind, record.v, data).map_err(|error| error.to_string())?;
            if let Some(event) = &event {
                subjects.extend(search::of_thread(event));
                if let thread::Event::Posted(posted) = event {
                    bytes = posted.text.len;
                }
            }
            home = search::home(None, event.as_ref());
        }
        Body::Control { .. } => {}
    }
    meal.indexing.homes.extend(home.map(|places| Home { stream: Arc::clone(stream), places }));
    if !subjects.is_empty() {
        meal.bytes += bytes.min(MAX_SEARCHED as u64);
    }
    meal.indexing.finds.extend(subjects.into_iter().map(|subject| find(record, ordinal, subject)));
    Ok(())
}

fn find(record: &Record, ordinal: Option<u64>, subject: Subject) -> Find {
    let source = match subject.text {
        Text::Content(id) => Source::Content(id.uuid()),
        Text::Extra(id, field) => Source::Extra(id.uuid(), field),
        Text::Data(field) => Source::Data(field),
    };
    Find {
        stream: Arc::clone(&record.stream),
        seq: record.seq,
        ordinal,
        source,
        class: subject.class.word().to_owned(),
        who: subject.who,
        ts: record.ts,
    }
}

#[cfg(test)]
mod tests {
    use paseo_store::ContentRow;
    use uuid::Uuid;

    use super::*;
    use crate::http::tests::House;
    use crate::mint;

    #[tokio::test]
    async fn who_searches_learns_how_far_the_index_is_behind() {
        let house = House::new().await;
        house.session().await;
        let (feeder, stop) = (house.app.feeder.clone(), house.app.stop.clone());
        let head = feeder.journal.head();
        assert!(head > 0);
        assert_eq!(feeder.caught_up(head, Duration::ZERO).await, head, "nobody feeds it yet");
        let following = tokio::spawn(feeder.clone().follow(stop.clone()));
        assert_eq!(feeder.caught_up(head, Duration::from_secs(30)).await, 0);
        stop.request();
        following.await.unwrap();
    }

    #[test]
    fn what_is_taken_in_at_once_is_bounded_by_its_text() {
        let stream: Arc<str> = session::stream(mint::session()).into();
        let record = |seq, kind: &str, len| Record {
            seq,
            stream: Arc::clone(&stream),
            id: Uuid::nil(),
            ts: 0,
            actor: "daemon".into(),
            kind: kind.into(),
            v: 1,
            data: Some(format!("{{\"step\":0,\"kind\":\"{kind}\"}}")),
            body: Body::Item {
                ordinal: seq,
                content: Some(ContentRow {
                    id: Uuid::from_u128(seq.into()),
                    len,
                    sha256: [0; 32],
                    text: paseo_store::Text::Erased,
                    extra: None,
                }),
            },
        };
        let eaten = |kind: &str, len| {
            let records: Vec<Record> = (11..=20).map(|seq| record(seq, kind, len)).collect();
            let meal = meal(10, &records);
            (meal.indexing.upto, meal.indexing.finds.len())
        };
        assert_eq!(eaten("assistant_text", 10), (20, 10));
        // However long a text is, only its start is searched.
        assert_eq!(eaten("assistant_text", 10 * BYTES), (12, 2));
        assert_eq!(eaten("thinking", 10 * BYTES), (20, 0));
        assert_eq!(eaten("unheard_of", 10), (20, 0), "what cannot be read is passed by");
    }
}
