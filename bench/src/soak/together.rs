//! A team of 500 tasks and 16 terminals, one of which prints as fast as it can, beside a thread of 50 participants.

use serde_json::json;

use super::{FLAT, FREEZE, megabytes};
use crate::Options;
use crate::report::{Limit, Row};
use crate::web::{self, Shape, World, number};

const SHAPE: Shape = Shape { agents: 20, long: 0, requests: 0 };
const PARTICIPANTS: usize = 50;
const TASKS: usize = 500;
const WORKERS: usize = 16;
/// How much later than a bare `tmux attach` a page may get what a terminal prints.
const SLOWER: f64 = 3.0;

const LATE: &str = "together: terminals beside one that prints without end, p99";
const TASK: &str = "together: longest task of a page";
const HEAP: &str = "together: heap of the page with terminals";
const DAEMON: &str = "together: daemon's memory";

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    if let Some(rows) = web::left_out(options, &[LATE, TASK, HEAP, DAEMON]) {
        return rows;
    }
    let world = World::start(options, &SHAPE);
    let about = json!({
        "seconds": options.soak.unwrap_or_default().as_secs(),
        "pid": world.daemon.pid,
        "participants": PARTICIPANTS,
        "tasks": TASKS,
        "workers": WORKERS,
    });
    let measured = world.play(options, "together", &about);
    let value = |name| number(&measured, name);
    let (late, bare) = (value("late"), value("bareLate"));
    let longest = value("longest");
    let (heap_before, heap_after) = (megabytes(value("heapBefore")), megabytes(value("heapAfter")));
    let (before, after) = (value("residentBefore"), value("residentAfter"));
    vec![
        Row::ratio(
            LATE,
            format!("{late:.1} ms ({} live, {} captured)", measured["live"], measured["captured"]),
            format!("bare `tmux attach`: {bare:.1} ms"),
            late / bare,
            Limit::AtMost(SLOWER),
        ),
        Row::ratio(
            TASK,
            format!("{longest:.0} ms ({})", measured["doing"].as_str().unwrap_or("nothing")),
            format!("{FREEZE} ms"),
            longest / FREEZE,
            Limit::AtMost(1.0),
        ),
        Row::ratio(
            HEAP,
            format!("{heap_after:.1} MB"),
            format!("after the warm-up: {heap_before:.1} MB"),
            heap_after / heap_before,
            Limit::AtMost(FLAT),
        ),
        Row::ratio(
            DAEMON,
            format!("{after:.1} MB"),
            format!("after the warm-up: {before:.1} MB"),
            after / before,
            Limit::AtMost(FLAT),
        ),
    ]
}
