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

const MESSAGES: usize = 200;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let daemon = Daemon::start(daemon::home(&options.binary, None));
    let mut connection = Connection::open(&daemon.socket);
    let id = daemon.session(&mut connection, "scripted");
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
