//! Logs with a long past, made with the real engine and the real rules.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::content::ContentRef;
use paseo_core::id::{CauseId, ContentId, DeliveryId, SessionId, TurnId};
use paseo_core::item::{Draft, Entry, Kind, Place, Usage};
use paseo_core::label::Labels;
use paseo_core::session::{self, Accepted, Class, Created, Event, Outcome, Source, Verb};
use paseo_core::{cause, codec, search};
use paseo_daemon::rules::Rules;
use paseo_store::{
    Batch, Expect, Indexing, Log, NewContent, NewEvent, NewItem, Sqlite, StreamAppend, sqlite,
};
use serde::Serialize;
use uuid::Uuid;

/// Sessions of the large log. Each has 20 control events (of its own and of its causes), all are idle.
pub(crate) const SESSIONS: u64 = 10_000;
/// Its events, of which 20 in 100 are control events.
pub(crate) const EVENTS: u64 = 1_000_000;
/// Items of the session that has few.
pub(crate) const FEW: u64 = 10;
const ITEMS: u64 = 70;
const CONTROLS: u64 = 20;
const TURNS: usize = 3;
/// Items of the session that has many: what is left.
pub(crate) const MANY: u64 = EVENTS - SESSIONS * CONTROLS - (SESSIONS - 2) * ITEMS - FEW;

/// Changes whenever what is made changes.
const EDITION: u32 = 2;
/// Sessions that are written at a time.
const AT_ONCE: usize = 64;
const TEXT: &str = "What an agent says is about this long: a few sentences on what it found, which file it is in, \
and what it is going to do about that, so that a person who looks over its shoulder can follow along.";

/// Returns the session with few items.
pub(crate) fn few() -> SessionId {
    SessionId::from_random([0x11; 16])
}

/// Returns the session with many items.
pub(crate) fn many() -> SessionId {
    SessionId::from_random([0x22; 16])
}

/// Returns the large log, which is made once and kept in `cache`.
pub(crate) fn large(cache: &Path) -> PathBuf {
    fs::create_dir_all(cache).expect("a directory to keep the log in");
    let path = cache.join(format!("log-{EDITION}.sqlite3"));
    // One of another format, or one that is not finished, is made again.
    let usable = path.exists() && Sqlite::open(options(&path)).is_ok();
    if !usable {
        eprintln!("making a log of {EVENTS} events, which is kept for the next time");
        let making = cache.join("making.sqlite3");
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(cache.join(format!("making.sqlite3{suffix}")));
        }
        let others = (0..SESSIONS - 2).map(|_| (SessionId::from_uuid(Uuid::new_v4()), ITEMS));
        fill(&making, "/work", others.chain([(few(), FEW), (many(), MANY)]));
        fs::rename(&making, &path).expect("a log in its place");
    }
    path
}

/// What an idle session has behind it.
pub(crate) struct Past {
    pub(crate) id: SessionId,
    pub(crate) name: String,
    pub(crate) labels: Labels,
    pub(crate) items: u64,
    /// Returns an item by its ordinal.
    pub(crate) item: fn(u64) -> Draft,
}

/// Fills a new log with idle sessions, each with so many items, all of them alike.
pub(crate) fn fill(path: &Path, project: &str, sessions: impl Iterator<Item = (SessionId, u64)>) {
    let item = |_| Draft::text(Kind::AssistantText, TEXT);
    let past = |(id, items)| Past {
        id,
        name: "an agent with a name".to_owned(),
        labels: Labels::default(),
        items,
        item,
    };
    write(path, project, sessions.map(past), true);
}

/// Fills a new log with idle sessions, whose words the daemon has yet to index.
pub(crate) fn fill_unindexed(path: &Path, project: &str, sessions: impl Iterator<Item = Past>) {
    write(path, project, sessions, false);
}

fn write(path: &Path, project: &str, sessions: impl Iterator<Item = Past>, indexed: bool) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let log = Arc::new(Sqlite::open(options(path)).expect("a log"));
        let mut waiting = VecDeque::new();
        for past in sessions {
            let (log, batches) = (Arc::clone(&log), batches(past, project));
            // Those of a session one after the other: the log numbers items as they come.
            waiting.push_back(tokio::spawn(async move {
                for batch in batches {
                    log.append(batch).await.expect("a stored batch");
                }
            }));
            if waiting.len() >= AT_ONCE {
                waiting.pop_front().expect("one that waits").await.expect("a stored past");
            }
        }
        for past in waiting {
            past.await.expect("a stored past");
        }
        if indexed {
            // What a daemon does once for all that it has not seen yet is not what an idle one does.
            let after = log.indexed(search::VERSION).await.expect("an index");
            let upto = *log.watch().borrow();
            let seen = Indexing { after, upto, version: search::VERSION, ..Indexing::default() };
            assert!(log.index(seen).await.expect("an index"), "an index that is done");
        }
        log.close().await.expect("a closed log");
    });
}

fn options(path: &Path) -> sqlite::Options {
    sqlite::Options::new(path, Arc::new(Rules))
}

/// Returns the past of a session: its control events in one batch, its items in pages.
fn batches(past: Past, project: &str) -> Vec<Batch> {
    let Past { id, name, labels, items, item } = past;
    let stream = session::stream(id);
    let by = Actor::Human("cli".into());
    let mut events = vec![
        Event::Created(Box::new(Created {
            name: Some(name),
            labels,
            ..Created::plain(id, by.clone(), "scripted", project)
        })),
        Event::Referenced { reference: Some(id.to_string()) },
    ];
    let mut batch = Batch { actor: by.to_string(), ..Batch::default() };
    let mut turn = TurnId::from_uuid(Uuid::now_v7());
    for _ in 0..TURNS {
        turn = TurnId::from_uuid(Uuid::now_v7());
        let (delivery, cause) = (DeliveryId::from_uuid(Uuid::now_v7()), CauseId::from_uuid(Uuid::now_v7()));
        let content = ContentId::from_uuid(Uuid::now_v7());
        let text = ContentRef { id: content, len: TEXT.len() as u64, sha256: "0".repeat(64) };
        events.extend([
            Event::Accepted(Accepted {
                attachments: Vec::new(),
                delivery,
                origin: by.clone(),
                verb: Verb::Queue,
                cause,
                hop: 0,
                text,
                class: Class::Message,
                waited: false,
                aside: false,
                schema: None,
                corrects: None,
            }),
            Event::TurnOpened { turn, cause, hop: 0, deliveries: vec![delivery] },
            Event::TurnHanded { turn },
            Event::UsageAdded {
                turn,
                usage: Usage { input_tokens: 1200, output_tokens: 80, ..Usage::default() },
            },
            Event::TurnEnded {
                turn,
                outcome: Outcome::Completed,
                source: Source::Protocol,
                code: None,
                until: None,
            },
        ]);
        let opened = cause::Event::Opened { by: by.clone(), session: id, delivery };
        batch.streams.push(append(cause::stream(cause), vec![encoded(&opened)]));
    }
    let controls = events.iter().map(encoded).collect();
    batch.streams.insert(0, append(stream.clone(), controls));
    let mut batches = vec![batch];
    let ordinals: Vec<u64> = (1..=items).collect();
    let pages = ordinals.chunks(500);
    batches.extend(pages.map(|page| transcript(&stream, turn, page.iter().map(|ordinal| item(*ordinal)))));
    batches
}

fn transcript(stream: &str, turn: TurnId, drafts: impl Iterator<Item = Draft>) -> Batch {
    let mut batch = Batch { actor: Actor::Daemon.to_string(), ..Batch::default() };
    for Draft { kind, text, extra } in drafts {
        let word = kind.word().to_owned();
        let entry = Entry { place: Place { turn: Some(turn), step: 1, ..Place::default() }, kind };
        let content = Uuid::now_v7();
        let (owner, text) = (stream.to_owned(), text.unwrap_or_default());
        batch.contents.push(NewContent { id: content, owner, text, extra });
        batch.items.push(NewItem {
            stream: stream.to_owned(),
            id: Uuid::now_v7(),
            kind: word,
            v: 1,
            data: serde_json::to_string(&entry).expect("an entry as JSON"),
            content: Some(content),
        });
    }
    batch
}

fn append(stream: String, events: Vec<NewEvent>) -> StreamAppend {
    StreamAppend { stream, expect: Expect::Version(0), events }
}

/// Encodes an event as the daemon does.
pub(crate) fn encoded<E: Serialize>(event: &E) -> NewEvent {
    let codec::Encoded { kind, v, data } = codec::encode(event);
    NewEvent { id: Uuid::now_v7(), kind, v, data }
}
