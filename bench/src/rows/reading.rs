//! Reading a session, however long its transcript is.

use std::time::Instant;

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::fixture::{self, FEW, MANY};
use crate::http::{Connection, find};
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds};

const READS: usize = 400;
const PAGES: usize = 60;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let log = fixture::large(&options.cache);
    let daemon = Daemon::start(daemon::home(&options.binary, Some(&log)));
    let mut connection = Connection::open(&daemon.socket);
    let (few, many) = (fixture::few(), fixture::many());
    let mut read = |path: &str| {
        let start = Instant::now();
        let body = connection.request("GET", path, "");
        (milliseconds(start.elapsed()), body)
    };
    let states: Vec<(f64, f64)> = (0..READS)
        .map(|_| (read(&format!("/api/sessions/{few}")).0, read(&format!("/api/sessions/{many}")).0))
        .skip(READS / 10)
        .collect();
    let short = median(&states.iter().map(|(short, _)| *short).collect::<Vec<_>>());
    let long = median(&states.iter().map(|(_, long)| *long).collect::<Vec<_>>());
    let pages: Vec<f64> = (0..PAGES)
        .map(|page| {
            // The newest, and others all over the transcript.
            let before = MANY - page as u64 * (MANY / PAGES as u64);
            let (time, body) = read(&format!("/api/sessions/{many}/items?limit=500&before={before}"));
            assert!(find(&body, b"\"ordinal\"").is_some(), "a page with items");
            time
        })
        .collect();
    vec![
        Row::ratio(
            &format!("reading: state with {MANY} items"),
            format!("{long:.3} ms"),
            format!("{FEW} items: {short:.3} ms"),
            long / short,
            Limit::AtMost(1.5),
        ),
        Row::bar("reading: page of 500 items", median(&pages), 10.0, "ms"),
    ]
}
