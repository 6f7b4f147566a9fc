//! What a daemon costs that has nothing to do.

use std::collections::HashMap;
use std::ffi::OsString;
use std::thread;
use std::time::Duration;

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::fixture;
use crate::report::{Limit, Row};

/// What was begun at the start comes to its end, and threads without work end too.
const SETTLING: Duration = Duration::from_secs(13);
const MINUTE: Duration = Duration::from_secs(60);

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let empty = Daemon::start(daemon::home(&options.binary, None));
    let log = fixture::large(&options.cache);
    let full = Daemon::start(daemon::home(&options.binary, Some(&log)));
    empty.home.paseo(&["ls"]).ok();
    full.home.paseo(&["status"]).ok();
    thread::sleep(SETTLING);
    let before = [&empty, &full].map(Daemon::context_switches);
    thread::sleep(MINUTE);
    let after = [&empty, &full].map(Daemon::context_switches);
    let [without, with] = [0, 1].map(|daemon| difference(&before[daemon], &after[daemon]));
    let per_second = without.max(with) as f64 / MINUTE.as_secs_f64();
    vec![
        Row::bar("idle: resident", empty.resident(), 25.0, "MB"),
        Row::ratio(
            "idle: context switches",
            format!("{without} in a minute, {with} with 10,000 sessions"),
            "1 per second",
            per_second,
            Limit::Below(1.0),
        ),
        Row::bar("idle: 10,000 sessions add", full.resident() - empty.resident(), 20.0, "MB"),
    ]
}

/// Returns how often threads were switched in between. One that is new is counted from its start, and so is one that
/// has got the number of one that ended; what a thread did that ended is not known.
fn difference(before: &HashMap<OsString, u64>, after: &HashMap<OsString, u64>) -> u64 {
    let since = |(thread, count): (&OsString, &u64)| {
        count.checked_sub(before.get(thread).copied().unwrap_or(0)).unwrap_or(*count)
    };
    after.iter().map(since).sum()
}
