//! What a session costs whose process lives.

use serde_json::json;

use crate::Options;
use crate::daemon::{self, Daemon, kilobytes};
use crate::http::{Connection, EventReader};
use crate::report::{Limit, Row};
use crate::statistics::median;

const SESSIONS: usize = 8;
/// How much of the daemon's memory one may take, in megabytes.
const EACH: f64 = 2.0;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let daemon = Daemon::start(daemon::roomy(&options.binary));
    let mut connection = Connection::open(&daemon.socket);
    // What is made once, with the first session, is not the next one's.
    answer(&daemon, &mut connection);
    let before = daemon.resident();
    (0..SESSIONS).for_each(|_| answer(&daemon, &mut connection));
    let each = (daemon.resident() - before) / SESSIONS as f64;
    let shims = shims(&daemon);
    assert_eq!(shims.len(), SESSIONS + 1, "every session has a process");
    let shim = median(&shims);
    vec![Row::ratio(
        "agents: daemon memory per live session",
        format!("{each:.2} MB (its shim {shim:.1} MB)"),
        format!("{EACH} MB"),
        each / EACH,
        Limit::AtMost(1.0),
    )]
}

/// Makes a session and lets it answer once.
fn answer(daemon: &Daemon, connection: &mut Connection) {
    let session = daemon.session(connection, "scripted");
    let mut events = EventReader::open(&daemon.socket, &session);
    let body = json!({ "text": "<<sh echo one>><<say two>>" }).to_string();
    connection.request("POST", &format!("/api/sessions/{session}/messages"), &body);
    events.wait_for(b"\"type\":\"turn_ended\"");
}

/// Returns how much memory each shim has, in megabytes.
fn shims(daemon: &Daemon) -> Vec<f64> {
    let is_shim = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).nth(1) == Some(b"shim")
    };
    let shims = daemon.home.processes().into_iter().filter(is_shim);
    shims.filter_map(|pid| Some(kilobytes(pid, "VmRSS")? / 1024.0)).collect()
}
