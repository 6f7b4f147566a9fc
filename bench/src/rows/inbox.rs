//! The inbox in a browser: opening it, and a request that comes while it is there.

use serde_json::json;

use super::{every_web_row, web_row};
use crate::Options;
use crate::report::{Limit, Row};
use crate::web::{self, Shape, World, number, numbers};

const OPENED: &str = "web: open the inbox of 500 agents with 50 requests, warm";
const LOADED: &str = "web: load the page of that inbox, with a warm cache";
const SHOWN: &str = "web: from a request's event to its card";
const SHIFT: &str = "web: layout shift by a new request";
/// The most that anything may move, as browsers count it.
const MOST_SHIFT: f64 = 0.02;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    if let Some(rows) = web::left_out(options, &[OPENED, LOADED, SHOWN, SHIFT]) {
        return rows;
    }
    let world = World::start(options, &Shape { agents: 500, long: 0, requests: 50 });
    let full = world.play(options, "inbox", &json!({}));
    drop(world);
    let world = World::start(options, &Shape { agents: 6, long: 0, requests: 1 });
    let few = world.play(options, "shift", &json!({}));
    let mut shown = numbers(&full, "shown");
    shown.extend(numbers(&few, "shown"));
    let shift = number(&full, "shift").max(number(&few, "shift"));
    vec![
        web_row(OPENED, &numbers(&full, "opened"), 300.0),
        web_row(LOADED, &numbers(&full, "loaded"), 1000.0),
        every_web_row(SHOWN, &shown, 200.0),
        Row::ratio(
            SHIFT,
            format!("{shift:.4} (worst of {})", few["where"].as_str().unwrap_or_default()),
            format!("{MOST_SHIFT}"),
            shift / MOST_SHIFT,
            Limit::AtMost(1.0),
        ),
    ]
}
