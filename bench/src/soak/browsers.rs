//! Ten browsers on a daemon with 500 agents, 200 requests and long transcripts.

use serde_json::json;

use super::{FLAT, FREEZE, megabytes};
use crate::Options;
use crate::report::{Limit, Row};
use crate::web::{self, Shape, World, number, numbers};

const SHAPE: Shape = Shape { agents: 500, long: 3, requests: 200 };
const BROWSERS: usize = 10;

const TASK: &str = "browsers: longest task of a page";
const HEAP: &str = "browsers: heap of a page, the worst";
const DAEMON: &str = "browsers: daemon's memory";
const LOST: &str = "browsers: pages that stopped or complained";

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    if let Some(rows) = web::left_out(options, &[TASK, HEAP, DAEMON, LOST]) {
        return rows;
    }
    let world = World::start(options, &SHAPE);
    let seconds = options.soak.unwrap_or_default().as_secs();
    let about = json!({ "seconds": seconds, "browsers": BROWSERS, "pid": world.daemon.pid });
    let measured = world.play(options, "soak", &about);
    let (before, after) = (numbers(&measured, "heapsBefore"), numbers(&measured, "heapsAfter"));
    assert_eq!((before.len(), after.len()), (BROWSERS, BROWSERS), "a heap for each browser");
    let growths = after.iter().zip(&before).map(|(after, before)| (after / before, *before, *after));
    let (growth, before, after) = growths.max_by(|one, other| one.0.total_cmp(&other.0)).expect("a page");
    let (resident_before, resident_after) =
        (number(&measured, "residentBefore"), number(&measured, "residentAfter"));
    let longest = number(&measured, "longest");
    let complaints = measured["complaints"].as_array().map_or(0, Vec::len);
    vec![
        Row::ratio(
            TASK,
            format!("{longest:.0} ms ({})", measured["doing"].as_str().unwrap_or("nothing")),
            format!("{FREEZE} ms"),
            longest / FREEZE,
            Limit::AtMost(1.0),
        ),
        Row::ratio(
            HEAP,
            format!("{:.1} MB", megabytes(after)),
            format!("after the warm-up: {:.1} MB", megabytes(before)),
            growth,
            Limit::AtMost(FLAT),
        ),
        Row::ratio(
            DAEMON,
            format!("{resident_after:.1} MB"),
            format!("after the warm-up: {resident_before:.1} MB"),
            resident_after / resident_before,
            Limit::AtMost(FLAT),
        ),
        Row::ratio(
            LOST,
            format!("{complaints} ({} acts, {} requests decided)", measured["acts"], measured["decided"]),
            "0",
            complaints as f64,
            Limit::AtMost(0.0),
        ),
    ]
}
