//! The client against a daemon that breaks off, repeats itself and talks nonsense.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use paseo_client::{Arrival, Client, Error, Outcome, Step};
use paseo_wire::error::Code;
use paseo_wire::stream::Frame;
use serde_json::{Value, json};
use tempfile::TempDir;

const SESSION: &str = "3f2a0000-0000-4000-8000-000000000000";

/// Answers each connection with the next of its answers and breaks it off after that.
struct FakeDaemon {
    directory: TempDir,
    requests: Receiver<String>,
}

impl FakeDaemon {
    fn new(answers: Vec<String>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(directory.path().join("daemon.sock")).unwrap();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let (mut request, mut chunk) = (Vec::new(), [0; 4096]);
                while !request.windows(4).any(|window| window == b"\r\n\r\n") {
                    let length = stream.read(&mut chunk).unwrap();
                    request.extend_from_slice(&chunk[..length]);
                }
                sender.send(String::from_utf8(request).unwrap().to_ascii_lowercase()).unwrap();
                stream.write_all(answer.as_bytes()).ok();
            }
        });
        Self { directory, requests }
    }

    fn socket(&self) -> PathBuf {
        self.directory.path().join("daemon.sock")
    }

    fn client(&self) -> Client {
        Client::unix(self.socket())
    }

    /// Returns the next request, in lower case.
    fn request(&self) -> String {
        self.requests.recv().unwrap()
    }
}

fn answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\npaseo-version: 99.0.0\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// A stream without an end: it is just broken off.
fn stream(frames: &str) -> String {
    let length = frames.len();
    format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{length:x}\r\n{frames}\r\n")
}

/// A frame with a change; a type that is in no vocabulary is one of a newer daemon.
fn event(seq: u64, kind: &str, fields: &Value) -> String {
    let mut change = fields.clone();
    change["type"] = kind.into();
    let frame = json!({
        "seq": seq, "ts": "2026-01-31T12:00:00.000Z", "session": SESSION, "actor": "daemon", "change": change,
        "view": null,
    });
    format!("event: event\nid: {seq}\ndata: {frame}\n\n")
}

fn item(ordinal: u64, kind: &str, turn: &str, fields: &Value, text: &str) -> Value {
    json!({
        "id": format!("i{ordinal}"), "ordinal": ordinal, "seq": ordinal, "ts": "2026-01-31T12:00:00.000Z",
        "turn": turn, "step": 0, "parent": null, "kind": kind, "fields": fields, "text": text, "full_length": null,
    })
}

fn page(items: &[Value]) -> String {
    answer("200 OK", &json!({"seq": 9, "items": items, "older": false, "newer": false}).to_string())
}

async fn sequence(events: &mut paseo_client::Events, count: usize) -> Vec<u64> {
    let mut seen = Vec::new();
    while seen.len() < count {
        match events.next().await.unwrap() {
            Frame::Event(event) => seen.push(event.seq),
            Frame::Cursor(_) => {}
            other => panic!("{other:?}"),
        }
    }
    seen
}

#[tokio::test]
async fn a_stream_resumes_without_a_gap_and_without_a_duplicate() {
    let none = json!({});
    let broken =
        format!("{}{}{}", event(1, "a", &none), event(2, "b", &none), "event: event\nid: 3\ndata: {\"se");
    let repeating = format!("{}{}id: 7\n\n", event(2, "b", &none), event(3, "c", &none));
    let stopping = answer("503 Service Unavailable", r#"{"code":"shutting_down","message":"stopping"}"#);
    let slow = format!(
        "{}event: resume\ndata: {{\"after\":8}}\n\n{}",
        event(8, "d", &none),
        event(9, "lost", &none)
    );
    let last = format!(": comment\n\nevent: unheard-of\nid: 8\ndata: {{}}\n\n{}", event(9, "e", &none));
    let daemon =
        FakeDaemon::new(vec![stream(&broken), stream(&repeating), stopping, stream(&slow), stream(&last)]);
    let mut events = daemon.client().events(0, &[format!("session:{SESSION}")]);
    assert_eq!(sequence(&mut events, 5).await, [1, 2, 3, 8, 9]);
    assert_eq!(events.cursor(), 9);
    let last_event_ids: Vec<String> = (0..5)
        .map(|_| {
            let request = daemon.request();
            let line = request.lines().find_map(|line| line.strip_prefix("last-event-id: ")).unwrap();
            line.to_owned()
        })
        .collect();
    assert_eq!(last_event_ids, ["0", "2", "7", "7", "8"]);
}

#[tokio::test]
async fn a_refusal_ends_a_stream_at_once() {
    let refused = answer("403 Forbidden", r#"{"code":"forbidden","message":"not you"}"#);
    let daemon = FakeDaemon::new(vec![refused]);
    let error = daemon.client().events(5, &["sessions"]).next().await.unwrap_err();
    assert_eq!(error.code(), Some(Code::Forbidden));
    assert!(daemon.request().starts_with("get /api/stream?after=5&topics=sessions "));
}

#[tokio::test]
async fn a_message_is_followed_to_its_answer() {
    let opened = event(2, "turn_started", &json!({"cause": "c", "turn": "t2", "deliveries": ["d0", "d1"]}));
    let other = event(1, "turn_ended", &json!({"source": "protocol", "turn": "t1", "outcome": "completed"}));
    let ended = event(4, "turn_ended", &json!({"source": "protocol", "turn": "t2", "outcome": "completed"}));
    let queued = json!({"seq": 1, "delivery": "d1", "session": SESSION, "stage": "queued"}).to_string();
    let items = [
        item(1, "assistant_text", "t1", &json!({}), "of the turn before"),
        item(2, "assistant_text", "t2", &json!({}), "looking"),
        item(3, "tool_call", "t2", &json!({"call": "c", "name": "shell", "class": "execute"}), "{}"),
        item(4, "assistant_text", "t2", &json!({}), "found"),
        item(5, "assistant_text", "t3", &json!({}), "of the turn after"),
    ];
    let daemon = FakeDaemon::new(vec![
        stream(&format!("{other}{opened}")),
        answer("200 OK", &queued),
        stream(&ended),
        page(&items),
    ]);
    let mut follow = daemon.client().follow(SESSION, "d1", 0);
    let outcome = loop {
        if let Step::Done(outcome) = follow.next().await.unwrap() {
            break outcome;
        }
    };
    assert_eq!(outcome, Outcome::Completed { turn: "t2".into(), answer: Some("found".to_owned()) });
}

#[tokio::test]
async fn a_message_behind_a_failed_turn_ends_with_that_failure() {
    let failed = event(
        1,
        "turn_ended",
        &json!({"source": "protocol", "turn": "t1", "outcome": "failed", "code": "start_failed"}),
    );
    let queued = json!({"seq": 1, "delivery": "d1", "session": SESSION, "stage": "queued"}).to_string();
    let items = [
        item(1, "assistant_text", "t1", &json!({}), "not an answer to d1"),
        item(2, "error", "t1", &json!({"code": "start_failed"}), "no such directory"),
    ];
    let daemon = FakeDaemon::new(vec![stream(&failed), answer("200 OK", &queued), page(&items)]);
    let step = daemon.client().follow(SESSION, "d1", 0).next().await.unwrap();
    let (turn, code, text) = ("t1".to_owned(), "start_failed".to_owned(), "no such directory".to_owned());
    assert_eq!(step, Step::Done(Outcome::Failed { turn: turn.into(), code, text, answer: None }));
}

#[tokio::test]
async fn an_ask_that_is_decided_already_does_not_stop_the_way() {
    let opened = event(1, "turn_started", &json!({"cause": "c", "turn": "t1", "deliveries": ["d1"]}));
    let asked = event(2, "permission_requested", &json!({"hash": "h1"}));
    let again = event(3, "permission_requested", &json!({"hash": "h2"}));
    let first = item(1, "permission", "t1", &json!({"hash": "h1"}), "may I");
    let decided = item(2, "permission", "t1", &json!({"hash": "h1", "decision": "allow"}), "may I");
    let second = item(3, "permission", "t1", &json!({"hash": "h2", "headline": "asks more"}), "and this");
    let items = [first, decided, second];
    let daemon = FakeDaemon::new(vec![
        stream(&format!("{opened}{asked}{again}")),
        page(&items),
        page(&items),
        page(&items),
    ]);
    let mut follow = daemon.client().follow(SESSION, "d1", 0);
    let outcome = loop {
        if let Step::Done(outcome) = follow.next().await.unwrap() {
            break outcome;
        }
    };
    let (turn, hash, text) = ("t1".to_owned(), "h2".to_owned(), "and this".to_owned());
    let headline = "asks more".to_owned();
    assert_eq!(
        outcome,
        Outcome::WaitingForPermission {
            turn: turn.into(),
            hash,
            question: false,
            headline,
            text,
            terminal: None
        }
    );
}

#[tokio::test]
async fn errors_say_what_can_be_done() {
    let refused = r#"{"code":"not_found","message":"no agent matches","hint":"look"}"#;
    let daemon = FakeDaemon::new(vec![
        answer("404 Not Found", refused),
        answer("502 Bad Gateway", "<html>"),
        answer("200 OK", "[]"),
    ]);
    let client = daemon.client();
    assert_eq!(client.version_mismatch(), None);
    assert_eq!(client.session("a/b?c").await.unwrap_err().code(), Some(Code::NotFound));
    assert!(daemon.request().starts_with("get /api/sessions/a%2fb%3fc http/1.1"));
    assert_eq!(client.version_mismatch(), Some("99.0.0"));
    assert!(matches!(client.status().await.unwrap_err(), Error::Protocol(text) if text.contains("<html>")));
    assert!(matches!(client.status().await.unwrap_err(), Error::Protocol(_)));
    let nobody = Client::unix(daemon.directory.path().join("nobody.sock"));
    assert!(matches!(nobody.health().await.unwrap_err(), Error::Unreachable { .. }));
}

#[tokio::test]
async fn a_lost_connection_is_told_once_for_each_outage() {
    let none = json!({});
    let stopping = || answer("503 Service Unavailable", r#"{"code":"shutting_down","message":"stopping"}"#);
    let answers = vec![stream(&event(1, "a", &none)), stopping(), stopping(), stream(&event(2, "b", &none))];
    let daemon = FakeDaemon::new(answers);
    let mut events = daemon.client().events(0, &["sessions"]);
    let mut seen = Vec::new();
    while seen.len() < 4 {
        seen.push(match events.arrival().await.unwrap() {
            Arrival::Frame(Frame::Event(event)) => event.seq.to_string(),
            Arrival::Frame(other) => panic!("{other:?}"),
            Arrival::Lost => "lost".to_owned(),
        });
    }
    assert_eq!(seen, ["1", "lost", "2", "lost"]);
}

#[tokio::test]
async fn a_daemon_that_stays_away_is_given_up() {
    let daemon = FakeDaemon::new(vec![stream(&event(1, "a", &json!({})))]);
    let client = daemon.client().with_patience(Duration::from_millis(80));
    let mut events = client.events(0, &["sessions"]);
    assert!(matches!(events.next().await.unwrap(), Frame::Event(_)));
    assert!(matches!(events.next().await.unwrap_err(), Error::Unreachable { .. }));
    assert!(matches!(client.insist(|| client.health()).await.unwrap_err(), Error::Unreachable { .. }));
}

#[tokio::test]
async fn insisting_outlasts_a_restart() {
    let stopping = answer("503 Service Unavailable", r#"{"code":"shutting_down","message":"stopping"}"#);
    let daemon = FakeDaemon::new(vec![stopping, answer("200 OK", r#"{"status":"ok","version":"0"}"#)]);
    let client = daemon.client();
    assert!(client.insist(|| client.health()).await.is_ok());
}
