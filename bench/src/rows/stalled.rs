//! Readers of a stream that stop reading while an agent says a lot.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Options;
use crate::daemon::{self, Daemon, kilobytes};
use crate::http::{Connection, EventReader, connect, request};
use crate::report::Row;

const READERS: usize = 1000;
/// What the agent says: so many texts of a megabyte, and how long that may take.
const TEXTS: usize = 100;
const PATIENCE: Duration = Duration::from_secs(600);
/// How much the daemon may grow, in megabytes: at its peak, and a minute after the readers left.
const PEAK: f64 = 120.0;
const AFTERWARDS: f64 = 30.0;
const MINUTE: Duration = Duration::from_secs(60);

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let limit = rustix::process::Rlimit { current: Some(8192), maximum: Some(8192) };
    if rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).is_err() {
        return vec![Row::skipped("stalled readers", "not enough file descriptors are allowed")];
    }
    let daemon = Daemon::start(daemon::home(&options.binary, None));
    let mut connection = Connection::open(&daemon.socket);
    let session = daemon.session(&mut connection, "scripted");
    let mut events = EventReader::open(&daemon.socket, &session).patient(PATIENCE);
    say(&mut connection, &session, "<<say ready>>");
    events.wait_for(b"\"type\":\"turn_ended\"");
    let before = daemon.resident();

    let hello = request("GET", &format!("/api/stream?topics=session:{session}"), "");
    let stalled: Vec<UnixStream> = (0..READERS).map(|number| stall(&daemon, &hello, number)).collect();
    say(&mut Connection::open(&daemon.socket), &session, &"<<spew 1m>>".repeat(TEXTS));
    events.wait_for(b"\"type\":\"turn_ended\"");
    let peak = kilobytes(daemon.pid, "VmHWM").unwrap_or(f64::NAN) / 1024.0;
    assert_eq!(texts(&daemon, &session), TEXTS, "texts of a megabyte were said");

    drop((stalled, events));
    thread::sleep(MINUTE);
    let afterwards = daemon.resident();
    vec![
        Row::bar("stalled readers: 1,000 add at the peak", (peak - before).max(0.0), PEAK, "MB"),
        Row::bar(
            "stalled readers: left a minute after them",
            (afterwards - before).max(0.0),
            AFTERWARDS,
            "MB",
        ),
    ]
}

fn say(connection: &mut Connection, session: &str, text: &str) {
    let path = format!("/api/sessions/{session}/messages");
    connection.request("POST", &path, &json!({ "text": text }).to_string());
}

/// Returns how many texts of a megabyte are stored.
fn texts(daemon: &Daemon, session: &str) -> usize {
    let path = format!("/api/sessions/{session}/items?after=0&limit=500");
    let page = Connection::open(&daemon.socket).request("GET", &path, "");
    let page: Value = serde_json::from_slice(&page).expect("a page of the transcript");
    let items = page["items"].as_array().expect("items");
    items.iter().filter(|item| item["full_length"] == 1024 * 1024).count()
}

/// Opens a stream, and reads no more than it takes to know that it is open.
fn stall(daemon: &Daemon, hello: &str, number: usize) -> UnixStream {
    let mut stream = connect(&daemon.socket);
    stream.write_all(hello.as_bytes()).expect("a request");
    let first = stream.read_exact(&mut [0; 16]);
    first.unwrap_or_else(|error| panic!("reader {number} was not noticed: {error}"));
    stream
}
