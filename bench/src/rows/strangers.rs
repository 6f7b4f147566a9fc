//! Thousands of slow clients without a credential, and what everybody else notices of them.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, EventReader};
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds};

const CLIENTS: usize = 3000;
/// How long the one who speaks for all of them pauses after each.
const PAUSE: Duration = Duration::from_millis(1);
/// How often each thing is asked for, and how long after the time before: all of the slow ones get their turn meanwhile.
const REQUESTS: usize = 51;
const PACE: Duration = Duration::from_millis(40);
/// How many times as long as without them anything may take.
const SLOWDOWN: f64 = 10.0;
/// How much the daemon may grow, in megabytes: with them, and a minute after they left.
const PRESENT: f64 = 60.0;
const AFTERWARDS: f64 = 10.0;
const MINUTE: Duration = Duration::from_secs(60);
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let limit = rustix::process::Rlimit { current: Some(8192), maximum: Some(8192) };
    if rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).is_err() {
        return vec![Row::skipped("slow clients", "not enough file descriptors are allowed")];
    }
    let daemon = Daemon::start(daemon::home(&options.binary, None));
    let (id, token) = agent(&daemon);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let healthz = || ask(&daemon.address, &request("GET", "/healthz", &daemon.address, "", ""));
    let list = || {
        daemon.home.paseo(&["ls", "-q"]).ok();
    };
    let path = format!("/mcp/{id}/paseo-tools");
    let tools = || ask(&daemon.address, &request("POST", &path, &daemon.address, &token, body));
    let all: [(&str, &dyn Fn()); 3] = [("/healthz", &healthz), ("ls", &list), ("an agent's tools", &tools)];

    let idle = all.map(|(_, action)| time(action));
    let before = daemon.resident();
    let (over, address) = (AtomicBool::new(false), daemon.address.as_str());
    let (busy, present) = thread::scope(|scope| {
        // Ends with whatever ends this, so that nobody waits for it in vain.
        let _guard = Over(&over);
        let mut slow: Vec<Slow> = (0..CLIENTS).map(|number| Slow::new(address, number)).collect();
        let (over, turns) = (&over, slow.len());
        scope.spawn(move || {
            for turn in (0..turns).cycle() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                slow[turn].go_on(address);
                thread::sleep(PAUSE);
            }
        });
        (all.map(|(_, action)| time(action)), daemon.resident())
    });
    thread::sleep(MINUTE);
    let afterwards = daemon.resident();

    let mut rows: Vec<Row> = all
        .iter()
        .zip(idle.iter().zip(&busy))
        .map(|((name, _), ((idle, _), (busy, longest)))| {
            Row::ratio(
                &format!("slow clients: {name} beside {CLIENTS} of them"),
                format!("{busy:.2} ms (at most {longest:.2})"),
                format!("without them {idle:.2} ms"),
                busy / idle,
                Limit::AtMost(SLOWDOWN),
            )
        })
        .collect();
    let grown = |megabytes: f64| (megabytes - before).max(0.0);
    rows.push(Row::bar("slow clients: they add", grown(present), PRESENT, "MB"));
    rows.push(Row::bar("slow clients: left a minute after them", grown(afterwards), AFTERWARDS, "MB"));
    rows
}

/// Says that it is over when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Starts an agent that stays busy, and returns its id and its own token.
fn agent(daemon: &Daemon) -> (String, String) {
    let mut connection = Connection::open(&daemon.socket);
    let id = daemon.session(&mut connection, "scripted");
    let mut events = EventReader::open(&daemon.socket, &id);
    let text = "<<sh echo $PASEO_TOKEN \\> token>><<say started>><<hang>>";
    let path = format!("/api/sessions/{id}/messages");
    connection.request("POST", &path, &json!({ "text": text }).to_string());
    events.wait_for(b"\"text\":\"started\"");
    let token = fs::read_to_string(daemon.home.work().join("token")).expect("a token");
    (id, token.trim().to_owned())
}

fn request(method: &str, path: &str, address: &str, token: &str, body: &str) -> String {
    let token = if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
    format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\n{token}content-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Sends a request over a new connection, and reads the answer, which must be a success.
fn ask(address: &str, request: &str) {
    let what = request.lines().next().unwrap_or_default();
    let mut stream = open(address).unwrap_or_else(|error| panic!("no connection for {what}: {error}"));
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    read.unwrap_or_else(|error| panic!("no answer to {what} within {PATIENCE:?}: {error}"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{what}: {answer}");
}

fn open(address: &str) -> std::io::Result<TcpStream> {
    let address = address.parse().expect("an address");
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Returns how long something takes, in milliseconds: the middle of several, and the longest.
fn time(action: &dyn Fn()) -> (f64, f64) {
    let once = |_| {
        thread::sleep(PACE);
        let start = Instant::now();
        action();
        milliseconds(start.elapsed())
    };
    let times: Vec<f64> = (0..REQUESTS).map(once).collect();
    (median(&times), times.into_iter().fold(0.0, f64::max))
}

/// A client that never comes to an end.
struct Slow {
    begun: String,
    stream: Option<TcpStream>,
}

impl Slow {
    /// A third of them send half a header, a third half a body, a third do not read what they asked for.
    fn new(address: &str, number: usize) -> Self {
        let begun = match number % 3 {
            0 => "GET /healthz HTTP/1.1\r\nhost: ".to_owned(),
            1 => format!(
                "POST /api/login HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
                 content-length: 16000\r\n\r\n{}",
                "x".repeat(15_000)
            ),
            _ => format!("GET /login HTTP/1.1\r\nhost: {address}\r\n\r\n"),
        };
        let mut slow = Self { begun, stream: None };
        slow.begin(address);
        slow
    }

    fn begin(&mut self, address: &str) {
        self.stream = open(address).ok();
        // It may have been displaced already.
        let written = self.stream.as_mut().map(|stream| stream.write_all(self.begun.as_bytes()));
        if !matches!(written, Some(Ok(()))) {
            self.stream = None;
        }
    }

    /// Sends another byte, or comes back after it was dropped.
    fn go_on(&mut self, address: &str) {
        let sent = self.stream.as_mut().map(|stream| stream.write_all(b"x"));
        if !matches!(sent, Some(Ok(()))) {
            self.begin(address);
        }
    }
}
