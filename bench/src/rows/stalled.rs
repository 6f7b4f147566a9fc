//! Readers of a stream that stop reading while an agent says a lot.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::Options;
use crate::daemon::{self, Daemon, kilobytes};
use crate::http::{Connection, EventReader, request};
use crate::report::Row;

const READERS: usize = 1000;
/// What the agent says: so many texts of a megabyte.
const TEXTS: usize = 100;
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
    let mut events = EventReader::open(&daemon.socket, &session);
    say(&mut connection, &session, "<<say ready>>");
    events.wait_for(b"\"kind\":\"turn.ended\"");
    let before = daemon.resident();

    let hello = request("GET", &format!("/api/stream?topics=session:{session}"), "");
    let stalled: Vec<UnixStream> = (0..READERS).map(|_| stall(&daemon, &hello)).collect();
    say(&mut Connection::open(&daemon.socket), &session, &"<<spew 1m>>".repeat(TEXTS));
    events.wait_for(b"\"kind\":\"turn.ended\"");
    let peak = kilobytes(daemon.pid, "VmHWM").unwrap_or(f64::NAN) / 1024.0;

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

/// Opens a stream, and reads no more than it takes to know that it is open.
fn stall(daemon: &Daemon, hello: &str) -> UnixStream {
    let mut stream = UnixStream::connect(&daemon.socket).expect("a connection");
    stream.write_all(hello.as_bytes()).expect("a request");
    stream.read_exact(&mut [0; 16]).expect("the first bytes");
    stream
}
