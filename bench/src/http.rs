//! Just enough HTTP over a Unix socket to measure with: a connection that is kept, and answers of known length.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long an answer or an event may take: a row that hangs says what it waited for instead.
const PATIENCE: Duration = Duration::from_secs(120);

/// A connection that one request after the other goes over.
pub(crate) struct Connection {
    stream: UnixStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        Self { stream, buffer: vec![0; 64 * 1024] }
    }

    /// Sends a request and returns the body of its answer, which must be a success.
    pub(crate) fn request(&mut self, method: &str, path: &str, body: &str) -> Vec<u8> {
        self.stream.write_all(request(method, path, body).as_bytes()).expect("a request");
        let mut answer = Vec::new();
        loop {
            let read = self.stream.read(&mut self.buffer);
            let read = read.unwrap_or_else(|error| panic!("no answer to {method} {path}: {error}"));
            assert!(read > 0, "the daemon closed the connection");
            answer.extend_from_slice(&self.buffer[..read]);
            let Some(end) = find(&answer, b"\r\n\r\n") else { continue };
            let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
            let length: usize = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
                .expect("a length");
            if answer.len() >= end + 4 + length {
                let body = answer.split_off(end + 4);
                assert!(head.starts_with("http/1.1 2"), "{head}\n{}", String::from_utf8_lossy(&body));
                return body;
            }
        }
    }
}

/// A reader of the event stream that looks for words.
pub(crate) struct EventReader {
    stream: UnixStream,
    topic: String,
    seen: Vec<u8>,
}

impl EventReader {
    /// Reads what happens to a session.
    pub(crate) fn open(socket: &Path, session: &str) -> Self {
        Self::of(socket, &format!("session:{session}"))
    }

    /// Reads what happens to a topic.
    pub(crate) fn of(socket: &Path, topic: &str) -> Self {
        let mut stream = UnixStream::connect(socket).expect("a connection");
        let asked = request("GET", &format!("/api/stream?topics={topic}"), "");
        stream.write_all(asked.as_bytes()).expect("a request");
        let mut reader = Self { stream, topic: topic.to_owned(), seen: Vec::new() };
        reader.wait_for(b": paseo");
        reader
    }

    /// Reads until some words have come, and forgets everything up to them.
    pub(crate) fn wait_for(&mut self, words: &[u8]) {
        let topic = self.topic.clone();
        self.wait_for_agent(words, &topic);
    }

    /// Reads until some words have come, and forgets everything up to them. Names the agent when they do not come in time.
    pub(crate) fn wait_for_agent(&mut self, words: &[u8], agent: &str) {
        let (mut buffer, deadline) = ([0; 16 * 1024], Instant::now() + PATIENCE);
        loop {
            if let Some(place) = find(&self.seen, words) {
                self.seen.drain(..place + words.len());
                return;
            }
            let late = || {
                let (words, seen) = (String::from_utf8_lossy(words), String::from_utf8_lossy(&self.seen));
                format!("{agent}: {words} did not come within {PATIENCE:?}; what came instead:\n{seen}")
            };
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{}", late());
            self.stream.set_read_timeout(Some(left)).expect("a time limit");
            let read = self.stream.read(&mut buffer).unwrap_or_else(|error| panic!("{error}: {}", late()));
            assert!(read > 0, "the stream ended");
            self.seen.extend_from_slice(&buffer[..read]);
        }
    }
}

/// Writes a request down.
pub(crate) fn request(method: &str, path: &str, body: &str) -> String {
    let content = if body.is_empty() {
        String::new()
    } else {
        format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len())
    };
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{content}\r\n{body}")
}

/// Returns where some bytes are in others.
pub(crate) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, wanted)
}
