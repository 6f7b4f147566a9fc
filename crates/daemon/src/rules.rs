//! The core's rules, in the form that the log asks for.
//!
//! Public for whoever opens a log of this daemon without the daemon: the benchmarks do.

use std::any::Any;

use paseo_core::fold;
use paseo_core::time::Timestamp;
use paseo_store as store;

/// Folds streams with `paseo-core`.
pub struct Rules;

impl store::Fold for Rules {
    fn fold(
        &self,
        stream: &str,
        prior: Option<&[u8]>,
        events: &[store::Record],
    ) -> Result<store::Folded, String> {
        let folded = fold::fold(stream, prior, &stored(events)).map_err(|error| error.to_string())?;
        Ok(store::Folded { state: folded.state, live: folded.live, epoch: folded.epoch })
    }

    fn fold_on(
        &self,
        stream: &str,
        prior: Option<&[u8]>,
        memory: &mut store::Memory,
        events: &[store::Record],
    ) -> Result<store::Advanced, String> {
        let mut kept = memory.take().and_then(|kept| kept.downcast::<fold::Memory>().ok()).map(|kept| *kept);
        let advanced =
            fold::fold_on(stream, prior, &mut kept, &stored(events)).map_err(|error| error.to_string())?;
        *memory = kept.map(|kept| -> Box<dyn Any + Send> { Box::new(kept) });
        Ok(store::Advanced { state: advanced.state, live: advanced.live, epoch: advanced.epoch })
    }

    fn encode(&self, stream: &str, memory: &store::Memory) -> Result<Vec<u8>, String> {
        match memory.as_ref().and_then(|kept| kept.downcast_ref::<fold::Memory>()) {
            Some(kept) => fold::encode(stream, kept).map_err(|error| error.to_string()),
            None => Err(format!("the state of {stream} is not in memory")),
        }
    }
}

pub(crate) fn stored(events: &[store::Record]) -> Vec<fold::Stored<'_>> {
    events
        .iter()
        .map(|record| fold::Stored {
            kind: &record.kind,
            v: record.v,
            ts: Timestamp::from_millis(record.ts),
            data: record.data.as_deref(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use paseo_core::actor::Actor;
    use paseo_core::cause;
    use paseo_core::id::SessionId;
    use paseo_core::session::{self, Class, Created, Draft, Event, Outcome, Session, Source, Verb};
    use paseo_core::settings;
    use paseo_store::{Erasure, HeadRow, Log, Sqlite, Which, sqlite};
    use tokio::task::JoinSet;

    use super::Rules;
    use crate::journal::{self, Entries};
    use crate::mint;

    /// A session that was asked something and answered.
    fn history(id: SessionId) -> (Vec<Event>, Entries, cause::Event, paseo_core::id::CauseId) {
        let by = Actor::Human("cli".into());
        let created =
            Created { name: Some("a name".into()), ..Created::plain(id, by.clone(), "scripted", "/") };
        let mut entries = Entries::by(&by);
        let mut draft = Draft::new(Session::create(created.clone(), mint::now()), mint::now());
        let text = journal::reference("hello");
        entries.content(id, text.id, "hello".into(), None);
        let (delivery, cause) = (mint::delivery(), mint::cause());
        let opened = cause::Event::Opened { by: by.clone(), session: id, delivery };
        let (verb, class) = (Verb::Queue, Class::Message);
        let incoming = session::Accepted {
            attachments: Vec::new(),
            delivery,
            origin: by,
            verb,
            cause,
            hop: 0,
            text,
            class,
            waited: false,
            aside: false,
            schema: None,
            corrects: None,
        };
        session::accept(&mut draft, incoming, true).unwrap();
        let plan = session::next(&draft.session).unwrap();
        session::open(&mut draft, plan, &cause::Cause::default(), mint::turn());
        session::end(&mut draft, session::Ending::of(Outcome::Interrupted, Source::Restart));
        let mut events = vec![Event::Created(Box::new(created))];
        events.append(&mut draft.events);
        (events, entries, opened, cause)
    }

    #[tokio::test]
    async fn heads_are_what_a_replay_gives() {
        let folder = tempfile::tempdir().unwrap();
        let log = Sqlite::open(sqlite::Options::new(folder.path().join("log"), Arc::new(Rules))).unwrap();
        let ids = [mint::session(), mint::session()];
        for id in ids {
            let (events, entries, opened, cause) = history(id);
            let entries = entries.session(id, 0, &events).stream(cause::stream(cause), 0, &[opened]);
            log.append(entries.into_batch()).await.unwrap();
        }
        // What is folded onto a state that is remembered comes to the same as a replay.
        let version = log.head(&session::stream(ids[1])).await.unwrap().unwrap().version;
        let renamed = Event::Renamed { name: Some("another".into()) };
        let batch = Entries::by(&Actor::Daemon).session(ids[1], version, &[renamed]).into_batch();
        log.append(batch).await.unwrap();
        let version = log.head(&session::stream(ids[0])).await.unwrap().unwrap().version;
        let mut deletion = Entries::by(&Actor::Daemon);
        deletion.erase(Erasure::Stream { stream: session::stream(ids[0]) });
        log.append(deletion.session(ids[0], version, &[Event::Deleted {}]).into_batch()).await.unwrap();
        let changed = settings::Event::Changed { key: settings::Key::PermReadTab, value: true };
        let batch =
            Entries::by(&Actor::Daemon).stream(settings::STREAM.to_owned(), 0, &[changed]).into_batch();
        log.append(batch).await.unwrap();

        let before: Vec<HeadRow> = log.heads("", Which::All, None, 500).await.unwrap();
        assert_eq!(before.len(), 5);
        log.rebuild_heads().await.unwrap();
        assert_eq!(log.heads("", Which::All, None, 500).await.unwrap(), before);
        let live: Vec<String> = log
            .heads("", Which::Live, None, 500)
            .await
            .unwrap()
            .iter()
            .map(|row| row.stream.to_string())
            .collect();
        assert_eq!(live, [session::stream(ids[1]), settings::STREAM.to_owned()]);
    }

    /// Many sessions change at once, so that their heads are written later than their events.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn heads_that_are_written_later_are_what_a_replay_gives() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = Arc::new(Sqlite::open(sqlite::Options::new(&path, Arc::new(Rules))).unwrap());
        let mut sessions = JoinSet::new();
        for _ in 0..32 {
            let log = Arc::clone(&log);
            sessions.spawn(async move {
                let id = mint::session();
                let (events, entries, opened, cause) = history(id);
                let version = events.len() as u64;
                let entries = entries.session(id, 0, &events).stream(cause::stream(cause), 0, &[opened]);
                log.append(entries.into_batch()).await.unwrap();
                for n in 0..20 {
                    let renamed = Event::Renamed { name: Some(n.to_string()) };
                    let batch = Entries::by(&Actor::Daemon).session(id, version + n, &[renamed]).into_batch();
                    log.append(batch).await.unwrap();
                }
            });
        }
        sessions.join_all().await;
        let heads: Vec<HeadRow> = log.heads("", Which::All, None, 500).await.unwrap();
        assert_eq!(heads.len(), 64);
        log.rebuild_heads().await.unwrap();
        assert_eq!(log.heads("", Which::All, None, 500).await.unwrap(), heads);
    }
}
