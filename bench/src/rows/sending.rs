//! How long an accepted message takes to its agent, next to one `fdatasync`.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, find, request};
use crate::machine::fdatasync;
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds};

const MESSAGES: usize = 200;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let daemon = Daemon::start(daemon::home(&options.binary, None));
    let mut connection = Connection::open(&daemon.socket);
    let created = json!({ "provider": "scripted", "directory": daemon.home.work() }).to_string();
    let created: Value = serde_json::from_slice(&connection.request("POST", "/api/sessions", &created))
        .expect("a created session");
    let id = created["session"]["id"].as_str().expect("an id").to_owned();
    let mut events = EventReader::open(&daemon.socket, &id);
    let path = format!("/api/sessions/{id}/messages");
    let body = json!({ "text": "<<say ok>>" }).to_string();

    let (mut receipts, mut waits, mut syncs) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..=MESSAGES {
        if number % (MESSAGES / 10) == 0 {
            syncs.push(fdatasync(&daemon.home.path()));
        }
        let start = Instant::now();
        let (receipt, handed) = thread::scope(|scope| {
            let posting = scope.spawn(|| {
                connection.request("POST", &path, &body);
                milliseconds(start.elapsed())
            });
            events.wait_for(b"\"kind\":\"turn.handed\"");
            let handed = milliseconds(start.elapsed());
            (posting.join().expect("a receipt"), handed)
        });
        // The first one started the process.
        if number > 0 {
            receipts.push(receipt);
            waits.push(handed - receipt);
        }
        events.wait_for(b"\"kind\":\"turn.ended\"");
    }
    let (wait, receipt, sync) = (median(&waits), median(&receipts), median(&syncs));
    vec![Row::ratio(
        "sending: accepted to handed",
        format!("{wait:.3} ms (request to receipt {receipt:.3} ms)"),
        format!("one fdatasync: {sync:.3} ms"),
        wait / sync,
        Limit::AtMost(3.0),
    )]
}

/// A reader of the event stream that looks for words.
struct EventReader {
    stream: UnixStream,
    seen: Vec<u8>,
}

impl EventReader {
    fn open(socket: &Path, session: &str) -> Self {
        let mut stream = UnixStream::connect(socket).expect("a connection");
        let asked = request("GET", &format!("/api/stream?topics=session:{session}"), "");
        stream.write_all(asked.as_bytes()).expect("a request");
        let mut reader = Self { stream, seen: Vec::new() };
        reader.wait_for(b": paseo");
        reader
    }

    /// Reads until some words have come, and forgets everything up to them.
    fn wait_for(&mut self, words: &[u8]) {
        let mut buffer = [0; 16 * 1024];
        loop {
            if let Some(place) = find(&self.seen, words) {
                self.seen.drain(..place + words.len());
                return;
            }
            let read = self.stream.read(&mut buffer).expect("the stream");
            assert!(read > 0, "the stream ended");
            self.seen.extend_from_slice(&buffer[..read]);
        }
    }
}
