//! How much the web app makes a browser load.

use serde_json::json;

use crate::Options;
use crate::report::Row;
use crate::web::{self, Shape, World, number};

const FIRST: &str = "page: JavaScript of the first page, gzipped and served so";
const WHOLE: &str = "page: whole app without terminal, gzipped and served so";

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    if let Some(rows) = web::left_out(options, &[FIRST, WHOLE]) {
        return rows;
    }
    let world = World::start(options, &Shape { agents: 3, long: 0, requests: 1 });
    let measured = world.play(options, "size", &json!({}));
    let kilobytes = |name| number(&measured, name) / 1024.0;
    vec![Row::bar(FIRST, kilobytes("first"), 120.0, "KB"), Row::bar(WHOLE, kilobytes("whole"), 400.0, "KB")]
}
