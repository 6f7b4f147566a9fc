//! How fast the log takes events, all promises kept, next to a log that promises nothing but durability.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use paseo_core::actor::Actor;
use paseo_core::id::{SessionId, TurnId};
use paseo_core::item::Usage;
use paseo_core::session::{self, Created, Event};
use paseo_daemon::rules::Rules;
use paseo_store::{Appended, Batch, Expect, IdempotencyKey, Log, NewEvent, Sqlite, StreamAppend, sqlite};
use uuid::Uuid;

use super::bare_log::BareLog;
use crate::Options;
use crate::fixture::encoded;
use crate::report::{Limit, Row};
use crate::statistics::median;

/// Pairs of measurements, each made of the bare log and the real one.
const PAIRS: usize = 11;
/// How long each lasts.
const SPAN: Duration = Duration::from_millis(700);
/// What comes before it and does not count.
const WARM_UP: Duration = Duration::from_millis(200);

pub(crate) fn measure(_: &Options) -> Vec<Row> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    [(16, 0.6), (256, 0.3)]
        .into_iter()
        .map(|(writers, limit)| {
            let pairs: Vec<(f64, f64)> = (0..PAIRS)
                .map(|_| runtime.block_on(async { (bare(writers).await, full(writers).await) }))
                .collect();
            let rates = |side: fn(&(f64, f64)) -> f64| median(&pairs.iter().map(side).collect::<Vec<_>>());
            let ratio = rates(|(bare, full)| full / bare);
            Row::ratio(
                &format!("appends, {writers} writers"),
                format!("{:.0}/s", rates(|(_, full)| *full)),
                format!("bare log {:.0}/s", rates(|(bare, _)| *bare)),
                ratio,
                Limit::AtLeast(limit),
            )
        })
        .collect()
}

/// Returns how many events a second a log with all promises takes.
async fn full(writers: usize) -> f64 {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("log");
    let log = Arc::new(Sqlite::open(sqlite::Options::new(path, Arc::new(Rules))).expect("a log"));
    let mut tasks = Vec::new();
    for _ in 0..writers {
        let stream = session::stream(create(&log).await);
        let log = Arc::clone(&log);
        let version = std::cell::Cell::new(1u64);
        tasks.push(move || {
            let (log, stream, now) = (Arc::clone(&log), stream.clone(), version.get());
            version.set(now + 1);
            async move {
                let key = IdempotencyKey {
                    scope: "human:cli POST /api/sessions/{id}/messages".to_owned(),
                    key: Uuid::new_v4().to_string(),
                    body: [7; 32],
                    receipt: RECEIPT.to_owned(),
                };
                let append = StreamAppend { stream, expect: Expect::Version(now), events: vec![event()] };
                let batch =
                    Batch { actor: actor(), streams: vec![append], key: Some(key), ..Batch::default() };
                let appended = log.append(batch).await.expect("a stored batch");
                assert!(matches!(appended, Appended::New { .. }));
            }
        });
    }
    let rate = rate(tasks).await;
    log.close().await.expect("a closed log");
    rate
}

/// Returns how many events a second bare group commit takes.
async fn bare(writers: usize) -> f64 {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let log = Arc::new(BareLog::open(&directory.path().join("log")));
    let tasks: Vec<_> = (0..writers as i64)
        .map(|stream| {
            let log = Arc::clone(&log);
            let version = std::cell::Cell::new(1);
            move || {
                let (log, now) = (Arc::clone(&log), version.get());
                version.set(now + 1);
                async move {
                    log.append(stream, now, actor(), event()).await;
                }
            }
        })
        .collect();
    let rate = rate(tasks).await;
    Arc::into_inner(log).expect("no writer is left").close();
    rate
}

/// Runs all writers side by side, each appending one after the other, and counts.
async fn rate<A, F>(writers: Vec<A>) -> f64
where
    A: Fn() -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let begin = Instant::now() + WARM_UP;
    let end = begin + SPAN;
    let tasks: Vec<_> = writers
        .into_iter()
        .map(|append| {
            tokio::spawn(async move {
                let mut count = 0u64;
                loop {
                    append().await;
                    let now = Instant::now();
                    if now >= end {
                        return count;
                    }
                    count += u64::from(now >= begin);
                }
            })
        })
        .collect();
    let mut total = 0;
    for task in tasks {
        total += task.await.expect("a writer");
    }
    total as f64 / SPAN.as_secs_f64()
}

async fn create(log: &Sqlite) -> SessionId {
    let id = SessionId::from_uuid(Uuid::new_v4());
    let created = Event::Created(Box::new(Created {
        name: Some("a name".into()),
        ..Created::plain(id, Actor::Human("cli".into()), "scripted", "/home/someone/project")
    }));
    let append = StreamAppend {
        stream: session::stream(id),
        expect: Expect::Version(0),
        events: vec![encoded(&created)],
    };
    let batch = Batch { actor: actor(), streams: vec![append], ..Batch::default() };
    log.append(batch).await.expect("a created session");
    id
}

fn event() -> NewEvent {
    let usage = Usage { input_tokens: 1200, output_tokens: 80, cached_tokens: 1000, cost_micros: Some(420) };
    encoded(&Event::UsageAdded { turn: TurnId::from_uuid(Uuid::now_v7()), usage })
}

fn actor() -> String {
    Actor::Human("cli".into()).to_string()
}

/// As long as a real one.
const RECEIPT: &str = r#"{"delivery":"0198f2c0-0000-7000-8000-000000000000","session":"0198f2c0-0000-4000-8000-000000000000","handle":"0198","placement":"started","cause":"0198f2c0-0000-7000-8000-000000000000","seq":123456}"#;
