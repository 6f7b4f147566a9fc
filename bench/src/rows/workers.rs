//! Workers: agents in terminals of their own.

use std::time::Instant;

use paseo_wire::worker::{Capture, StartedWorker};
use serde_json::json;

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, EventReader};
use crate::report::Row;
use crate::statistics::{median, milliseconds};

const STARTS: usize = 9;
const START_MS: f64 = 1000.0;
const CAPTURES: usize = 101;
const LINES: usize = 1000;
const CAPTURE_MS: f64 = 20.0;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    if !has_tmux() {
        return vec![Row::skipped("workers", "tmux is not installed")];
    }
    let daemon = Daemon::start(daemon::home(&options.binary, None));
    let mut connection = Connection::open(&daemon.socket);
    let team = json!({ "id": "red", "directory": daemon.home.work() }).to_string();
    connection.request("POST", "/api/teams", &team);
    let mut names = Vec::new();
    let starts: Vec<f64> = (0..STARTS)
        .map(|_| {
            let mut events = EventReader::of(&daemon.socket, "sessions");
            let start = Instant::now();
            let name = started(&mut connection, "scripted", "<<say ready>>").worker.name;
            events.wait_for_agent(b"\"type\":\"turn_confirmed\"", &name);
            let taken = milliseconds(start.elapsed());
            names.push(name);
            taken
        })
        .collect();
    let full = format!("<<sh seq {}>><<say enough>>", 2 * LINES);
    let worker = started(&mut connection, "scripted", &full).worker;
    let mut events = EventReader::open(&daemon.socket, &worker.session);
    events.wait_for(b"\"type\":\"turn_ended\"");
    let path = format!("/api/workers/{}/capture?lines={LINES}", worker.name);
    let captures: Vec<f64> = (0..CAPTURES)
        .map(|_| {
            let start = Instant::now();
            let captured = connection.request("GET", &path, "");
            let taken = milliseconds(start.elapsed());
            let captured: Capture = serde_json::from_slice(&captured).expect("a capture");
            assert!(captured.text.lines().count() >= LINES, "{} lines", captured.text.lines().count());
            taken
        })
        .collect();
    names.push(worker.name);
    for name in names {
        connection.request("DELETE", &format!("/api/workers/{name}"), "");
    }
    vec![
        Row::bar("workers: from the request to the task typed in, median", median(&starts), START_MS, "ms"),
        Row::bar("workers: capture of 1000 lines, median", median(&captures), CAPTURE_MS, "ms"),
    ]
}

pub(super) fn has_tmux() -> bool {
    std::process::Command::new("tmux").arg("-V").output().is_ok()
}

/// Starts a worker of the team `red`.
pub(super) fn started(connection: &mut Connection, provider: &str, task: &str) -> StartedWorker {
    let wanted = json!({ "team": "red", "provider": provider, "task": task }).to_string();
    serde_json::from_slice(&connection.request("POST", "/api/workers", &wanted)).expect("a worker")
}
