//! Just enough HTTP over a Unix socket to measure with: a connection that is kept, and answers of known length.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long an answer or an event may take: a row that hangs says what it waited for instead.
const PATIENCE: Duration = Duration::from_secs(120);
/// How much of what came is kept while nothing of it was what was waited for, and how much of it is shown.
const KEPT: usize = 64 * 1024;
const SHOWN: usize = 4 * 1024;

/// A connection that one request after the other goes over.
pub(crate) struct Connection {
    stream: UnixStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(socket: &Path) -> Self {
        Self { stream: connect(socket), buffer: vec![0; 64 * 1024] }
    }

    /// Sends a request and returns the body of its answer, which must be a success.
    pub(crate) fn request(&mut self, method: &str, path: &str, body: &str) -> Vec<u8> {
        self.stream.write_all(request(method, path, body).as_bytes()).expect("a request");
        let mut answer = Vec::new();
        loop {
            let read = self.stream.read(&mut self.buffer);
            let read = read.unwrap_or_else(|error| panic!("no answer to {method} {path}: {error}"));
            assert!(read > 0, "the daemon closed the connection instead of answering {method} {path}");
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

/// A reader of the event stream. It waits for a limited time, and then says for what and for whom.
pub(crate) struct EventReader {
    stream: UnixStream,
    /// Whom it waits for, as people are told.
    name: String,
    patience: Duration,
    seen: Vec<u8>,
}

impl EventReader {
    /// Reads what happens to a session.
    pub(crate) fn open(socket: &Path, session: &str) -> Self {
        Self::of(socket, &format!("session:{session}"))
    }

    /// Reads what happens to a topic from now on.
    pub(crate) fn of(socket: &Path, topic: &str) -> Self {
        Self::begin(socket, &format!("topics={topic}"), topic)
    }

    /// Reads what happened to a topic after a point, and what happens to it.
    pub(crate) fn after(socket: &Path, topic: &str, after: u64) -> Self {
        Self::begin(socket, &format!("after={after}&topics={topic}"), topic)
    }

    fn begin(socket: &Path, query: &str, name: &str) -> Self {
        let mut stream = connect(socket);
        let asked = request("GET", &format!("/api/stream?{query}"), "");
        stream.write_all(asked.as_bytes()).expect("a request");
        let mut reader = Self { stream, name: name.to_owned(), patience: PATIENCE, seen: Vec::new() };
        reader.wait_for(b": paseo");
        reader
    }

    /// Calls whom it waits for by another name.
    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Waits for so long at most.
    pub(crate) fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Reads until some words have come, and forgets everything up to them.
    pub(crate) fn wait_for(&mut self, words: &[u8]) {
        let deadline = Instant::now() + self.patience;
        let mut searched = 0;
        loop {
            if let Some(place) = find(&self.seen[searched..], words) {
                self.seen.drain(..searched + place + words.len());
                return;
            }
            // What was looked at is not looked at again: it may be much. Its end may be the beginning of the words.
            searched = self.seen.len().saturating_sub(words.len());
            if searched > KEPT {
                self.seen.drain(..searched);
                searched = 0;
            }
            let awaited = || String::from_utf8_lossy(words).into_owned();
            assert!(self.read(deadline, &awaited), "{}: the stream ended before {}", self.name, awaited());
        }
    }

    /// Reads until some words have come. Names the agent when they do not come in time.
    pub(crate) fn wait_for_agent(&mut self, words: &[u8], agent: &str) {
        let topic = std::mem::replace(&mut self.name, agent.to_owned());
        self.wait_for(words);
        self.name = topic;
    }

    /// Returns when it has waited for long enough, from now on.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.patience
    }

    /// Returns the next frame, or `None` when the stream has ended. `awaited` tells what it is read for.
    pub(crate) fn frame(&mut self, deadline: Instant, awaited: &dyn Fn() -> String) -> Option<Vec<u8>> {
        loop {
            if let Some(end) = find(&self.seen, b"\n\n") {
                return Some(self.seen.drain(..end + 2).collect());
            }
            if !self.read(deadline, awaited) {
                return None;
            }
        }
    }

    /// Reads some more. False when there is no more.
    fn read(&mut self, deadline: Instant, awaited: &dyn Fn() -> String) -> bool {
        let late = |seen: &[u8]| {
            let newest = String::from_utf8_lossy(&seen[seen.len().saturating_sub(SHOWN)..]).into_owned();
            let (name, patience) = (&self.name, self.patience);
            format!("{name}: {} did not come within {patience:?}; what came last:\n{newest}", awaited())
        };
        // Comments keep coming when nothing else does.
        let left = deadline.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "{}", late(&self.seen));
        self.stream.set_read_timeout(Some(left)).expect("a time limit");
        let mut buffer = [0; 64 * 1024];
        let read = self.stream.read(&mut buffer);
        let read = read.unwrap_or_else(|error| panic!("{error}: {}", late(&self.seen)));
        self.seen.extend_from_slice(&buffer[..read]);
        read > 0
    }
}

/// Opens a connection on which nothing takes for ever.
pub(crate) fn connect(socket: &Path) -> UnixStream {
    let stream = UnixStream::connect(socket).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    stream.set_write_timeout(Some(PATIENCE)).expect("a time limit");
    stream
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
