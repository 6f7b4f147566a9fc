//! The event stream with a thousand readers, next to a server that only writes bytes.

use std::collections::HashMap;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::readers::{self, MARK};
use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, EventReader, connect, find, request};
use crate::report::{Limit, Row};
use crate::statistics::{median, percentile};

const READERS: usize = 1000;
const PER_SECOND: usize = 300;
const SECONDS: usize = 5;
const FRAMES: usize = PER_SECOND * SECONDS;
/// How often each kind of round is repeated: one stall of the disk is a p99 of its round.
const ROUNDS: usize = 9;
/// Connections that bring events, so that a slow answer does not delay the next event.
const SENDERS: usize = 8;
/// How long the bare server may take to start.
const START: Duration = Duration::from_secs(20);
/// The number of the frame that is not measured.
const SAMPLE: usize = 999_999;
/// How much one reader that reads nothing may change.
const STALLED_LATENCY: f64 = 1.25;
const STALLED_MEMORY: f64 = 2.0;

/// How one round went.
struct Round {
    median: f64,
    p99: f64,
    missing: usize,
    twice: usize,
}

impl Round {
    /// Returns the middle of several, number by number.
    fn middle(rounds: &[Self]) -> Self {
        let middle = |of: fn(&Self) -> f64| percentile(&rounds.iter().map(of).collect::<Vec<_>>(), 0.5);
        Self { median: middle(|round| round.median), p99: middle(|round| round.p99), missing: 0, twice: 0 }
    }
}

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let limit = rustix::process::Rlimit { current: Some(8192), maximum: Some(8192) };
    if rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).is_err() {
        return vec![Row::skipped("streaming", "not enough file descriptors are allowed")];
    }
    let daemon = Daemon::start(daemon::home(&options.binary, None));
    let (session, sample) = prepare(&daemon);
    let hello = request("GET", &format!("/api/stream?topics=session:{session}"), "");
    let daemon_round = || {
        let path = format!("/api/sessions/{session}");
        round(&daemon.socket, &hello, |begin, number, connection: &mut Option<Connection>| {
            let connection = connection.get_or_insert_with(|| Connection::open(&daemon.socket));
            let sent = begin.elapsed().as_secs_f64();
            let body = json!({ "name": name(number) }).to_string();
            let answer: Value =
                serde_json::from_slice(&connection.request("PATCH", &path, &body)).expect("an answer");
            (answer["seq"].as_u64().expect("the place of the event"), sent)
        })
    };
    let stalled_round = || {
        let mut stalled = connect(&daemon.socket);
        stalled.write_all(hello.as_bytes()).expect("a request");
        daemon_round()
    };
    let kinds: [&dyn Fn() -> Round; 3] = [&|| bare_round(&sample), &daemon_round, &stalled_round];
    let mut rounds: [Vec<Round>; 3] = Default::default();
    let mut grown: [Vec<f64>; 3] = Default::default();
    for turn in 0..ROUNDS {
        // None comes first each time: whoever is second may find warmer caches, or a busier disk.
        let order = if turn % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
        for kind in order {
            let before = daemon.resident();
            rounds[kind].push(kinds[kind]());
            grown[kind].push(daemon.resident() - before);
        }
    }
    let [bare, calm, stalled] = rounds;
    // A round may leave more memory behind than the one before it, whoever reads.
    let [_, usual, more] = grown;
    let grown: Vec<f64> = more.iter().zip(usual).map(|(more, usual)| more - usual.max(0.0)).collect();
    let ratio = |ours: &[Round], theirs: &[Round], of: fn(&Round) -> f64| {
        median(&ours.iter().zip(theirs).map(|(ours, theirs)| of(ours) / of(theirs)).collect::<Vec<_>>())
    };
    let p99 = ratio(&calm, &bare, |round| round.p99);
    let slowdown = ratio(&stalled, &calm, |round| round.median);
    let wrong: usize = calm.iter().chain(&stalled).map(|round| round.missing + round.twice).sum();
    let (bare, ours, slowed) = (Round::middle(&bare), Round::middle(&calm), Round::middle(&stalled));
    vec![
        Row::ratio(
            "streaming: lost or repeated",
            format!("{wrong} of {}", 2 * ROUNDS * READERS * FRAMES),
            "0",
            wrong as f64,
            Limit::AtMost(0.0),
        ),
        Row::ratio(
            "streaming: p99 with 1,000 readers",
            format!("{:.1} ms (median {:.1})", ours.p99, ours.median),
            format!("bare fan-out {:.1} ms (median {:.1})", bare.p99, bare.median),
            p99,
            Limit::AtMost(2.0),
        ),
        Row::ratio(
            "streaming: median with a stalled reader",
            format!("{:.1} ms (p99 {:.1})", slowed.median, slowed.p99),
            format!("without it {:.1} ms", ours.median),
            slowdown,
            Limit::AtMost(STALLED_LATENCY),
        ),
        Row::bar("streaming: a stalled reader adds", median(&grown).max(0.0), STALLED_MEMORY, "MB"),
    ]
}

/// Makes a session, and returns its id and a frame of the stream as it comes over the wire.
fn prepare(daemon: &Daemon) -> (String, Vec<u8>) {
    let mut connection = Connection::open(&daemon.socket);
    let wanted = json!({ "provider": "scripted", "directory": daemon.home.work(), "name": "x" }).to_string();
    let created: Value =
        serde_json::from_slice(&connection.request("POST", "/api/sessions", &wanted)).expect("a session");
    let id = created["session"]["id"].as_str().expect("an id").to_owned();
    connection.request("PATCH", &format!("/api/sessions/{id}"), &json!({ "name": name(SAMPLE) }).to_string());
    let mut events = EventReader::after(&daemon.socket, &format!("session:{id}"), 0);
    let deadline = events.deadline();
    loop {
        let frame = events.frame(deadline, &|| "the new name".to_owned()).expect("a stream that goes on");
        if find(&frame, MARK.as_bytes()).is_some() {
            let start = find(&frame, b"id: ").expect("the frame's id");
            return (id, frame[start..].to_vec());
        }
    }
}

fn name(number: usize) -> String {
    format!("frame-{number:06}")
}

/// Runs a round against the bare server, with frames as long as the daemon's.
fn bare_round(sample: &[u8]) -> Round {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let socket = directory.path().join("socket");
    let mut server = Command::new(std::env::current_exe().expect("this program"))
        .arg("--bare-fan-out")
        .arg(&socket)
        .stdin(Stdio::null())
        .spawn()
        .expect("the bare server");
    let started = Instant::now();
    while UnixStream::connect(&socket).is_err() {
        assert!(started.elapsed() < START, "the bare server did not start within {START:?}");
        thread::sleep(Duration::from_millis(5));
    }
    let text = String::from_utf8_lossy(sample).into_owned();
    let (_, rest) = text.split_once('\n').expect("a line with the id");
    let outcome = round(&socket, "r", |begin, number, connection: &mut Option<UnixStream>| {
        let connection = connection.get_or_insert_with(|| {
            let mut connection = connect(&socket);
            connection.write_all(b"w").expect("a greeting");
            connection
        });
        // Framed as HTTP does, so that the same bytes travel.
        let id = number as u64 + 1;
        let frame = format!("id: {id:06}\n{rest}");
        let chunk = format!("{:X}\r\n{frame}\r\n", frame.len());
        let sent = begin.elapsed().as_secs_f64();
        let length = u32::try_from(chunk.len()).expect("a short frame").to_be_bytes();
        connection.write_all(&[&length, chunk.as_bytes()].concat()).expect("a frame");
        (id, sent)
    });
    server.kill().expect("a server to end");
    server.wait().expect("a server that ended");
    assert_eq!(outcome.missing, 0, "frames that the bare server did not bring, see above");
    outcome
}

/// Lets readers read while events are sent at a steady rate; `send` returns the id of the event's frame, and when it sent
/// it. What a frame shows of the agent may be newer than its event, so only the id tells which one it is.
fn round<C: Send>(
    socket: &Path,
    hello: &str,
    send: impl Fn(Instant, usize, &mut Option<C>) -> (u64, f64) + Sync,
) -> Round {
    let begin = Instant::now();
    let readers = readers::start(socket, hello, READERS, FRAMES, begin);
    let first = Instant::now() + Duration::from_millis(300);
    let mut sent = HashMap::with_capacity(FRAMES);
    thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let send = &send;
                scope.spawn(move || {
                    let mut connection = None;
                    (sender..FRAMES)
                        .step_by(SENDERS)
                        .map(|number| {
                            let due = first + Duration::from_secs_f64(number as f64 / PER_SECOND as f64);
                            thread::sleep(due.saturating_duration_since(Instant::now()));
                            send(begin, number, &mut connection)
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        for sender in senders {
            sent.extend(sender.join().expect("a sender"));
        }
    });
    assert_eq!(sent.len(), FRAMES, "an id for each event");
    let seen = readers.join().expect("the readers");
    let latency = |(id, came): &(u64, f64)| Some((came - sent.get(id)?) * 1e3);
    let latencies: Vec<f64> = seen.iter().flat_map(|seen| seen.frames.iter().filter_map(latency)).collect();
    Round {
        median: percentile(&latencies, 0.5),
        p99: percentile(&latencies, 0.99),
        missing: (READERS * FRAMES).saturating_sub(latencies.len()),
        twice: seen.iter().map(|seen| seen.twice).sum(),
    }
}
