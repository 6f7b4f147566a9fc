//! An agent with a long transcript in a browser: opening it, and jumping to its middle.

use serde_json::json;

use super::web_row;
use crate::Options;
use crate::report::Row;
use crate::web::{self, Shape, World, numbers};

const OPENED: &str = "web: open an agent with 100,000 items, warm";
const LOADED: &str = "web: load the page of that agent, with a warm cache";
const JUMPED: &str = "web: jump to item 50,000";

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    if let Some(rows) = web::left_out(options, &[OPENED, LOADED, JUMPED]) {
        return rows;
    }
    let world = World::start(options, &Shape { agents: 20, long: 1, requests: 0 });
    let measured = world.play(options, "agent", &json!({}));
    vec![
        web_row(OPENED, &numbers(&measured, "opened"), 300.0),
        web_row(LOADED, &numbers(&measured, "loaded"), 1000.0),
        web_row(JUMPED, &numbers(&measured, "jumped"), 500.0),
    ]
}
