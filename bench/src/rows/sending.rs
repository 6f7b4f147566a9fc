//! How long an accepted message takes to its agent, next to one `fdatasync`.

use std::thread;
use std::time::Instant;

use serde_json::json;

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, EventReader};
use crate::machine::fdatasync;
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds};

/// The disk is not the same from one second to the next: messages and yardstick take turns.
const TURNS: usize = 20;
const MESSAGES: usize = 10;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let daemon = Daemon::start(daemon::home(&options.binary, None));
    let mut connection = Connection::open(&daemon.socket);
    let id = daemon.session(&mut connection, "scripted");
    let mut events = EventReader::open(&daemon.socket, &id);
    let path = format!("/api/sessions/{id}/messages");
    let body = json!({ "text": "<<say ok>>" }).to_string();

    let mut send = || {
        let start = Instant::now();
        let (receipt, handed) = thread::scope(|scope| {
            let posting = scope.spawn(|| {
                connection.request("POST", &path, &body);
                milliseconds(start.elapsed())
            });
            events.wait_for(b"\"type\":\"turn_confirmed\"");
            let handed = milliseconds(start.elapsed());
            (posting.join().expect("a receipt"), handed)
        });
        events.wait_for(b"\"type\":\"turn_ended\"");
        (receipt, handed - receipt)
    };
    // The first one starts the process.
    send();
    let (mut receipts, mut waits, mut syncs, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let before = fdatasync(&daemon.home.path());
        let (told, waited): (Vec<f64>, Vec<f64>) = (0..MESSAGES).map(|_| send()).unzip();
        let sync = f64::midpoint(before, fdatasync(&daemon.home.path()));
        ratios.push(median(&waited) / sync);
        receipts.extend(told);
        waits.extend(waited);
        syncs.push(sync);
    }
    let (wait, receipt, sync) = (median(&waits), median(&receipts), median(&syncs));
    vec![Row::ratio(
        "sending: accepted to handed",
        format!("{wait:.3} ms (request to receipt {receipt:.3} ms)"),
        format!("one fdatasync: {sync:.3} ms"),
        median(&ratios),
        Limit::AtMost(3.0),
    )]
}
