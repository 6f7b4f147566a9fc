//! Many agents that talk at the same time, each with somebody who watches.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, EventReader, find};
use crate::report::{Limit, Row};

const SESSIONS: usize = 50;
/// Words that each says in a second, and how long each pauses after one.
const WORDS: usize = 20;
const PAUSE: usize = 1000 / WORDS;
/// All have begun after the first seconds, and none has ended before the last.
const BEFORE: Duration = Duration::from_secs(2);
const MEASURED: Duration = Duration::from_secs(10);
/// Items of each session, one for each second.
const ITEMS: usize = 15;
/// How much of a processor the daemon may take.
const CORE: f64 = 0.5;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let daemon = Daemon::start(daemon::roomy(&options.binary));
    let mut connection = Connection::open(&daemon.socket);
    let sessions: Vec<String> = (0..SESSIONS).map(|_| daemon.session(&mut connection, "scripted")).collect();
    // Processes are started before, one after the other.
    for session in &sessions {
        let mut events = EventReader::open(&daemon.socket, session);
        say(&mut connection, session, "<<say ready>>");
        events.wait_for(b"\"type\":\"turn_ended\"");
    }
    let watchers: Vec<_> = sessions.iter().map(|session| watch(&daemon, session)).collect();
    sessions.iter().for_each(|session| say(&mut connection, session, &script(session)));
    thread::sleep(BEFORE);
    let before = daemon.processor_time();
    thread::sleep(MEASURED);
    let used = (daemon.processor_time() - before) / MEASURED.as_secs_f64();
    let pieces: usize = watchers.into_iter().map(|watcher| watcher.join().expect("a watcher")).sum();
    // The other connection was idle for too long to be kept.
    let mut connection = Connection::open(&daemon.socket);
    let wrong: usize = sessions.iter().map(|session| wrong(&mut connection, session)).sum();
    vec![
        Row::ratio(
            "agents: 50 streaming, daemon's processor time",
            format!("{used:.2} of a core ({pieces} pieces of text seen)"),
            format!("{CORE} of a core"),
            used / CORE,
            Limit::Below(1.0),
        ),
        Row::ratio(
            "agents: 50 streaming, wrong items",
            format!("{wrong} of {}", SESSIONS * ITEMS),
            "0",
            wrong as f64,
            Limit::AtMost(0.0),
        ),
    ]
}

fn say(connection: &mut Connection, session: &str, text: &str) {
    connection.request(
        "POST",
        &format!("/api/sessions/{session}/messages"),
        &json!({ "text": text }).to_string(),
    );
}

/// Returns what a session shall say: texts that nobody else says, each word after a pause.
fn script(session: &str) -> String {
    (0..ITEMS).map(|item| format!("<<stream {PAUSE}ms {}>>", text(session, item))).collect()
}

fn text(session: &str, item: usize) -> String {
    let words: Vec<String> = (0..WORDS).map(|word| format!("{}-{item}-{word}", &session[..8])).collect();
    words.join(" ")
}

/// Watches a session to the end of its turn, and returns how many pieces of growing text were seen.
fn watch(daemon: &Daemon, session: &str) -> thread::JoinHandle<usize> {
    let mut events = EventReader::open(&daemon.socket, session);
    thread::spawn(move || {
        let (mut pieces, deadline) = (0, events.deadline());
        loop {
            let awaited = || format!("the end of its turn, after {pieces} pieces of text,");
            let frame = events.frame(deadline, &awaited).expect("a stream that goes on");
            pieces += usize::from(find(&frame, b"event: live\n").is_some());
            if find(&frame, b"\"type\":\"turn_ended\"").is_some() {
                return pieces;
            }
        }
    })
}

/// Returns how many items of a transcript are not what was said, in its order.
fn wrong(connection: &mut Connection, session: &str) -> usize {
    let page = connection.request("GET", &format!("/api/sessions/{session}/items?after=0&limit=500"), "");
    let page: Value = serde_json::from_slice(&page).expect("a page of the transcript");
    let said: Vec<&str> = page["items"]
        .as_array()
        .expect("items")
        .iter()
        .filter(|item| item["kind"] == "assistant_text")
        .filter_map(|item| item["text"].as_str())
        .filter(|text| *text != "ready")
        .collect();
    let right = said.iter().enumerate().filter(|(place, said)| **said == text(session, *place)).count();
    ITEMS.max(said.len()) - right
}
