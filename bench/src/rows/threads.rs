//! Threads: however long, however many write.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use paseo_core::actor::Actor;
use paseo_core::content::ContentRef;
use paseo_core::id::{CauseId, ContentId, PostId, ThreadId};
use paseo_core::thread::{self as threads, Event, Posted, USER};
use paseo_core::time::Timestamp;
use paseo_daemon::rules::Rules;
use paseo_store::{Batch, Expect, Log, Sqlite, StreamAppend, sqlite};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::fixture::encoded;
use crate::http::{Connection, EventReader, find};
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds};

const FEW: u64 = 10;
const MANY: u64 = 1_000_000;
const READS: usize = 1000;
const STATE_MS: f64 = 1.0;
/// Those who write, for how long, and how often each; those who watch.
const WRITERS: usize = 16;
const MINUTE: Duration = Duration::from_secs(60);
const PACE: Duration = Duration::from_millis(50);
const WATCHERS: usize = 100;
/// How long those who watch may take after those who write are done.
const PATIENCE: Duration = Duration::from_secs(120);
/// Changes whenever what is made changes.
const EDITION: u32 = 1;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let mut rows = state(options);
    rows.push(order(options));
    rows
}

fn few() -> ThreadId {
    ThreadId::from_parts(Timestamp::from_millis(1), [1; 10])
}

fn many() -> ThreadId {
    ThreadId::from_parts(Timestamp::from_millis(2), [2; 10])
}

/// The state of a thread with few events, and of one with many.
fn state(options: &Options) -> Vec<Row> {
    let daemon = Daemon::start(daemon::home(&options.binary, Some(&log(&options.cache))));
    let mut connection = Connection::open(&daemon.socket);
    let mut read = |id: ThreadId| {
        let start = Instant::now();
        let body = connection.request("GET", &format!("/api/threads/{id}"), "");
        assert!(find(&body, b"\"participants\"").is_some(), "a state");
        milliseconds(start.elapsed())
    };
    let times: Vec<(f64, f64)> = (0..READS).map(|_| (read(few()), read(many()))).skip(READS / 10).collect();
    let short = median(&times.iter().map(|(short, _)| *short).collect::<Vec<_>>());
    let long = median(&times.iter().map(|(_, long)| *long).collect::<Vec<_>>());
    vec![
        Row::ratio(
            &format!("threads: state with {MANY} events"),
            format!("{long:.3} ms"),
            format!("{FEW} events: {short:.3} ms"),
            long / short,
            Limit::AtMost(1.5),
        ),
        Row::bar("threads: state over the socket, median", long, STATE_MS, "ms"),
    ]
}

/// Returns a log with both threads, which is made once and kept in `cache`.
fn log(cache: &Path) -> PathBuf {
    fs::create_dir_all(cache).expect("a directory to keep the log in");
    let path = cache.join(format!("threads-{EDITION}.sqlite3"));
    let usable = path.exists() && Sqlite::open(sqlite::Options::new(&path, Arc::new(Rules))).is_ok();
    if !usable {
        eprintln!("making a thread of {MANY} events, which is kept for the next time");
        let making = cache.join("making-threads.sqlite3");
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(cache.join(format!("making-threads.sqlite3{suffix}")));
        }
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let log = Sqlite::open(sqlite::Options::new(&making, Arc::new(Rules))).expect("a log");
            for (id, events) in [(few(), FEW), (many(), MANY)] {
                fill(&log, id, events).await;
            }
            log.close().await.expect("a closed log");
        });
        fs::rename(&making, &path).expect("a log in its place");
    }
    path
}

async fn fill(log: &Sqlite, id: ThreadId, events: u64) {
    let by = Actor::Human("cli".into());
    let post = || PostId::from_uuid(Uuid::now_v7());
    let cause = CauseId::from_uuid(Uuid::now_v7());
    let text = ContentRef { id: ContentId::from_uuid(Uuid::now_v7()), len: 2, sha256: "0".repeat(64) };
    let created = Event::Created {
        thread: id,
        post: post(),
        name: format!("a thread of {events}"),
        directory: None,
        by: by.clone(),
        cause: None,
        team: None,
    };
    let said = || {
        Event::Posted(Box::new(Posted {
            post: post(),
            from: USER.into(),
            to: "all".into(),
            text: text.clone(),
            reply_to: None,
            tags: Vec::new(),
            via: None,
            wakes: Vec::new(),
            cause,
            hop: 0,
        }))
    };
    let mut version = 0;
    while version < events {
        let page = (events - version).min(500);
        let first = (version == 0).then(|| encoded(&created));
        let rest = (first.iter().len() as u64..page).map(|_| encoded(&said()));
        let events = first.clone().into_iter().chain(rest).collect();
        let stream = StreamAppend { stream: threads::stream(id), expect: Expect::Version(version), events };
        let batch = Batch { actor: by.to_string(), streams: vec![stream], ..Batch::default() };
        log.append(batch).await.expect("a stored batch");
        version += page;
    }
}

/// Many write at once, and many watch: what each of them saw is compared with what is stored.
fn order(options: &Options) -> Row {
    let daemon = Daemon::start(daemon::home(&options.binary, None));
    let mut connection = Connection::open(&daemon.socket);
    let id = made(&mut connection, &daemon, "busy");
    let path = format!("/api/threads/{id}/messages");
    let watchers: Vec<_> = (0..WATCHERS)
        .map(|watcher| {
            let (socket, topic) = (daemon.socket.clone(), format!("thread:{id}"));
            thread::spawn(move || watch(&socket, &topic, watcher))
        })
        .collect();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (socket, path) = (daemon.socket.clone(), path.clone());
            thread::spawn(move || {
                let mut connection = Connection::open(&socket);
                let (start, mut posted) = (Instant::now(), Vec::new());
                while start.elapsed() < MINUTE {
                    let body = json!({ "text": format!("{writer} says {}", posted.len()) }).to_string();
                    let answer = connection.request("POST", &path, &body);
                    let answer: Value = serde_json::from_slice(&answer).expect("an answer");
                    posted.push(answer["event"]["id"].as_str().expect("an id").to_owned());
                    thread::sleep(PACE);
                }
                posted
            })
        })
        .collect();
    let posted: Vec<Vec<String>> =
        writers.into_iter().map(|writer| writer.join().expect("a writer")).collect();
    // Nobody keeps a connection over which nothing is said.
    let mut connection = Connection::open(&daemon.socket);
    connection.request("POST", &path, &json!({ "text": "the end" }).to_string());
    let seen: Vec<Vec<String>> =
        watchers.into_iter().map(|watcher| watcher.join().expect("a watcher")).collect();
    let stored = stored(&mut connection, &id);
    let all: HashSet<&String> = stored.iter().collect();
    let lost = posted.iter().flatten().filter(|id| !all.contains(id)).count();
    let disordered = posted.iter().filter(|own| !in_order(own, &stored)).count();
    let differing: usize = seen.iter().map(|seen| wrong(seen, &stored)).sum();
    Row::ratio(
        "threads: 16 writers, 100 watchers, lost or out of order",
        format!("{} of {}", lost + disordered + differing, stored.len() * (WATCHERS + 1)),
        "0".to_owned(),
        (lost + disordered + differing) as f64,
        Limit::AtMost(0.0),
    )
}

/// Returns the ids of the messages that a reader of the stream sees, up to the last one. Whoever is too slow is told to
/// come back, and goes on where it was.
fn watch(socket: &Path, topic: &str, watcher: usize) -> Vec<String> {
    let (mut after, mut ids) = (0, Vec::new());
    let patience = MINUTE + PATIENCE;
    let deadline = Instant::now() + patience;
    loop {
        let name = format!("watcher {watcher} of {topic}");
        let mut events = EventReader::after(socket, topic, after).named(&name).patient(patience);
        loop {
            let awaited = || format!("the last message, after {} others,", ids.len());
            let Some(frame) = events.frame(deadline, &awaited) else { break };
            after = id_of(&frame).unwrap_or(after);
            let Some(event) = frame_of(&frame) else { continue };
            if event["type"] == "message" {
                ids.push(event["id"].as_str().expect("an id").to_owned());
            }
            if event["content"] == "the end" {
                return ids;
            }
        }
    }
}

fn id_of(frame: &[u8]) -> Option<u64> {
    let frame = std::str::from_utf8(frame).ok()?;
    frame.lines().find_map(|line| line.strip_prefix("id:"))?.trim().parse().ok()
}

fn frame_of(frame: &[u8]) -> Option<Value> {
    let frame = std::str::from_utf8(frame).ok()?;
    let data = frame.lines().find_map(|line| line.strip_prefix("data:"))?;
    let mut data: Value = serde_json::from_str(data.trim_start()).ok()?;
    Some(data["event"].take()).filter(|event| !event.is_null())
}

/// Returns the ids of all messages of a thread, as they are stored.
fn stored(connection: &mut Connection, id: &str) -> Vec<String> {
    let (mut ids, mut after) = (Vec::new(), 0);
    loop {
        let page =
            connection.request("GET", &format!("/api/threads/{id}/events?after={after}&limit=500"), "");
        let page: Value = serde_json::from_slice(&page).expect("a page");
        let messages =
            page["events"].as_array().expect("events").iter().filter(|event| event["type"] == "message");
        ids.extend(messages.map(|event| event["id"].as_str().expect("an id").to_owned()));
        match page["next"].as_u64() {
            Some(next) => after = next,
            None => return ids,
        }
    }
}

/// Says whether each comes after the one before, in all.
fn in_order(own: &[String], all: &[String]) -> bool {
    let mut all = all.iter();
    own.iter().all(|id| all.any(|other| other == id))
}

/// Returns how many places of a list are not as they should be.
fn wrong(seen: &[String], stored: &[String]) -> usize {
    let differ = seen.iter().zip(stored).filter(|(one, other)| one != other).count();
    differ + seen.len().abs_diff(stored.len())
}

pub(super) fn made(connection: &mut Connection, daemon: &Daemon, name: &str) -> String {
    let wanted = json!({ "name": name, "directory": daemon.home.work() }).to_string();
    let made: Value =
        serde_json::from_slice(&connection.request("POST", "/api/threads", &wanted)).expect("a thread");
    made["thread"]["id"].as_str().expect("an id").to_owned()
}

pub(super) fn say(connection: &mut Connection, thread: &str, to: &str, text: &str) {
    let message = json!({ "text": text, "to": to }).to_string();
    connection.request("POST", &format!("/api/threads/{thread}/messages"), &message);
}
