//! How soon a daemon with a long past is ready.

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::fixture;
use crate::report::Row;
use crate::statistics::{median, milliseconds};

const STARTS: usize = 9;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let log = fixture::large(&options.cache);
    let mut home = daemon::home(&options.binary, Some(&log));
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let daemon = Daemon::start(home);
        times.push(milliseconds(daemon.ready));
        home = daemon.stop();
    }
    vec![Row::bar("boot: 10,000 sessions, 1,000,000 events", median(&times), 100.0, "ms")]
}
