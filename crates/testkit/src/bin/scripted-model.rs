//! The scripted model, by hand: `cargo run -p paseo-testkit --bin scripted-model -- --port 8399`.
//!
//! Prints its address, then a line for each request. `--record FILE` keeps the requests, one JSON object a line.

#![allow(clippy::print_stdout, clippy::print_stderr)] // It talks to a person at a terminal.
#![allow(clippy::expect_used)] // Nothing here is shipped.

use std::fs::File;
use std::io::Write;

use paseo_testkit::model::ModelServer;
use serde_json::json;

fn main() {
    let Some((port, record)) = options() else {
        eprintln!("usage: scripted-model [--port N] [--record FILE]");
        std::process::exit(2);
    };
    let mut record = record.map(|path| File::create(path).expect("a file to record in"));
    let server = ModelServer::start_on(port);
    println!("{}", server.url());
    for number in 1.. {
        let request = server.nth(number);
        println!(
            "{} {} {}",
            request.method,
            request.path,
            request.body["model"].as_str().unwrap_or_default()
        );
        if let Some(record) = &mut record {
            let line = json!({
                "method": request.method, "path": request.path, "headers": request.headers, "body": request.body,
            });
            writeln!(record, "{line}").expect("a line to record");
        }
    }
}

fn options() -> Option<(u16, Option<String>)> {
    let (mut port, mut record) = (0, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next()?;
        match name.as_str() {
            "--port" => port = value.parse().ok()?,
            "--record" => record = Some(value),
            _ => return None,
        }
    }
    Some((port, record))
}
