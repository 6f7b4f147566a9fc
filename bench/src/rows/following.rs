//! A page that follows a busy agent for minutes.

use serde_json::json;

use crate::Options;
use crate::report::{Limit, Row};
use crate::web::{self, Shape, World, number};

const HEAP: &str = "web: following 50 items/s for 5 minutes, heap";
const TIME: &str = "web: following 50 items/s for 5 minutes, processor";
const SECONDS: u64 = 300;
/// How much of a processor the page may take, with all threads of its process.
const CORE: f64 = 0.5;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    if let Some(rows) = web::left_out(options, &[HEAP, TIME]) {
        return rows;
    }
    let world = World::start(options, &Shape { agents: 20, long: 0, requests: 0 });
    let measured = world.play(options, "following", &json!({ "seconds": SECONDS, "rate": 50 }));
    let megabytes = |name| number(&measured, name) / 1024.0 / 1024.0;
    let (before, after) = (megabytes("before"), megabytes("after"));
    let (busy, rate) = (number(&measured, "busy"), number(&measured, "rate"));
    vec![
        Row::ratio(
            HEAP,
            format!("{after:.1} MB ({rate:.0} items/s)"),
            format!("after 30 seconds: {before:.1} MB"),
            after / before,
            Limit::AtMost(1.2),
        ),
        Row::ratio(
            TIME,
            format!("{busy:.2} of a core ({rate:.0} items/s)"),
            format!("{CORE} of a core"),
            busy / CORE,
            Limit::AtMost(1.0),
        ),
    ]
}
