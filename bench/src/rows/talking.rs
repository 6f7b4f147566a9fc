//! Many live agents that write to each other, and how long each message takes to its agent.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use paseo_core::glob::Glob;
use serde_json::{Value, json};

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, EventReader};
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds, percentile};

/// Live agents: half of them write, each to one of the others.
const AGENTS: usize = 200;
/// Messages that each of the writers sends in a round. A person's request allows six wakes of an agent.
const MESSAGES: usize = 5;
const ROUNDS: usize = 4;
/// How long a writer pauses after each.
const PAUSE_MS: usize = 500;
const MEDIAN_MS: f64 = 5.0;
const SLOWEST_MS: f64 = 30.0;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let mut rows = messages(options);
    rows.push(hostile_pattern());
    rows
}

fn messages(options: &Options) -> Vec<Row> {
    let daemon = Daemon::start(daemon::roomy(&options.binary));
    let mut connection = Connection::open(&daemon.socket);
    connection.request("PUT", "/api/settings/perm_send_to_tab", &json!({ "value": true }).to_string());
    let agents: Vec<String> = (0..AGENTS).map(|_| daemon.session(&mut connection, "scripted")).collect();
    // Processes are started before, one after the other.
    for agent in &agents {
        let mut events = EventReader::open(&daemon.socket, agent);
        say(&mut connection, agent, "<<say ready>>");
        events.wait_for(b"\"type\":\"turn_ended\"");
    }
    let (writers, readers) = agents.split_at(AGENTS / 2);
    let mut events = EventReader::of(&daemon.socket, "sessions");
    let mut waits = Vec::new();
    for _ in 0..ROUNDS {
        for (writer, reader) in writers.iter().zip(readers) {
            say(&mut connection, writer, &script(reader));
        }
        waits.extend(handed(&mut events, readers));
    }
    let (middle, slowest) = (median(&waits), percentile(&waits, 0.99));
    let row = |name: &str, measured: f64, limit: f64| {
        Row::ratio(
            name,
            format!("{measured:.1} ms ({} messages)", waits.len()),
            format!("{limit} ms"),
            measured / limit,
            Limit::AtMost(1.0),
        )
    };
    vec![
        row("talking: 200 live agents, accepted to handed, median", middle, MEDIAN_MS),
        row("talking: 200 live agents, accepted to handed, p99", slowest, SLOWEST_MS),
    ]
}

fn say(connection: &mut Connection, session: &str, text: &str) {
    connection.request(
        "POST",
        &format!("/api/sessions/{session}/messages"),
        &json!({ "text": text }).to_string(),
    );
}

fn script(reader: &str) -> String {
    let input = json!({ "tab_id": reader, "message": "How is it going?" });
    format!("<<tool send_to_tab {input}>><<wait {PAUSE_MS}>>").repeat(MESSAGES)
}

/// Waits until each reader was handed the messages of a round, and returns how long each took, in milliseconds.
fn handed(events: &mut EventReader, readers: &[String]) -> Vec<f64> {
    let (mut accepted, mut turns) = (HashMap::new(), HashMap::new());
    let mut waiting: BTreeMap<String, usize> =
        readers.iter().map(|reader| (reader.clone(), MESSAGES)).collect();
    let mut waits = Vec::new();
    let deadline = events.deadline();
    while !waiting.is_empty() {
        let awaited = || format!("messages for {} agents ({waiting:?})", waiting.len());
        let frame = events.frame(deadline, &awaited).expect("a stream that goes on");
        let now = Instant::now();
        let Some(event) = event(&frame) else { continue };
        let data = &event["change"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match data["type"].as_str() {
            Some("message_accepted") if text(&data["origin"]).starts_with("session:") => {
                accepted.insert(text(&data["delivery"]), now);
            }
            Some("turn_started") => {
                let deliveries = data["deliveries"].as_array().cloned().unwrap_or_default();
                turns.insert(text(&data["turn"]), deliveries);
            }
            Some("turn_confirmed") => {
                for delivery in turns.remove(&text(&data["turn"])).unwrap_or_default() {
                    let Some(begun) = accepted.remove(&text(&delivery)) else { continue };
                    waits.push(milliseconds(now - begun));
                    let reader = text(&event["session"]);
                    let left = waiting.get(&reader).map_or(0, |left| left - 1);
                    if left == 0 {
                        waiting.remove(&reader);
                    } else {
                        waiting.insert(reader, left);
                    }
                }
            }
            _ => {}
        }
    }
    waits
}

fn event(frame: &[u8]) -> Option<Value> {
    let frame = std::str::from_utf8(frame).ok()?;
    let data = frame.lines().find_map(|line| line.strip_prefix("data:"))?;
    serde_json::from_str(data.trim_start()).ok()
}

/// Compares a name with a pattern that drives matchers into trying every split.
fn hostile_pattern() -> Row {
    let pattern = Glob::new(format!("{}*b*a", "*a".repeat(64)));
    let time = |length: usize| {
        let name = "a".repeat(length);
        let times: Vec<f64> = (0..31)
            .map(|_| {
                let start = Instant::now();
                assert!(!std::hint::black_box(&pattern).matches(std::hint::black_box(&name)));
                milliseconds(start.elapsed())
            })
            .collect();
        median(&times)
    };
    let (short, long) = (time(200_000), time(1_600_000));
    Row::ratio(
        "talking: a hostile pattern, eight times the name",
        format!("{long:.3} ms"),
        format!("8 × {short:.3} ms"),
        long / (8.0 * short),
        Limit::AtMost(2.0),
    )
}
