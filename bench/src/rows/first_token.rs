//! How much later the first piece of an answer comes through us than from the harness itself.

use std::time::Instant;

use paseo_testkit::model::ModelServer;
use paseo_testkit::real::Program;
use serde_json::json;

use super::bare_harness::BareHarness;
use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, EventReader};
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds};

const TURNS: usize = 20;
/// What may be added, in milliseconds.
const ADDED: f64 = 50.0;
const TEXT: &str = "<<say one two three>>";

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    [Program::Claude, Program::Codex].map(|program| added(options, program)).into()
}

fn added(options: &Options, program: Program) -> Row {
    let name = format!("agents: added time to first token, {}", program.name());
    let model = ModelServer::start();
    // Each has a home of its own, so that neither reads what the other wrote.
    let (Some(bare_home), Some(real)) = (program.with(&model), program.with(&model)) else {
        return Row::skipped(&name, &format!("{} is not installed: make harnesses", program.name()));
    };
    let directory = tempfile::tempdir().expect("a directory to work in");
    let mut bare = BareHarness::start(program, &bare_home, directory.path());
    let mut home = daemon::home(&options.binary, None);
    real.install(&mut home);
    let daemon = Daemon::start(home);
    let mut connection = Connection::open(&daemon.socket);
    let session = daemon.session(&mut connection, program.name());
    let mut events = EventReader::open(&daemon.socket, &session);
    let path = format!("/api/sessions/{session}/messages");
    let body = json!({ "text": TEXT }).to_string();
    let mut through_us = || {
        let start = Instant::now();
        connection.request("POST", &path, &body);
        events.wait_for(b"event: live\n");
        let first = milliseconds(start.elapsed());
        events.wait_for(b"\"type\":\"turn_ended\"");
        first
    };
    // What one does after its turn must not always be in the way of the same other.
    let mut pair = |number: usize| {
        if number.is_multiple_of(2) {
            let ours = through_us();
            (ours, bare.turn(TEXT))
        } else {
            let bare = bare.turn(TEXT);
            (through_us(), bare)
        }
    };
    // The first of each starts the process and does not count.
    let times: Vec<(f64, f64)> = (0..=TURNS).map(&mut pair).skip(1).collect();
    let ours = median(&times.iter().map(|(ours, _)| *ours).collect::<Vec<_>>());
    let bare = median(&times.iter().map(|(_, bare)| *bare).collect::<Vec<_>>());
    let added = ours - bare;
    Row::ratio(
        &name,
        format!("{added:.1} ms ({ours:.1}, bare {bare:.1})"),
        format!("{ADDED} ms"),
        added / ADDED,
        Limit::AtMost(1.0),
    )
}
