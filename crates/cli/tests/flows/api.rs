//! The daemon's API as any program sees it: one request, one answer, JSON.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// Nothing here takes this long; a scene that waits longer has found a bug.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Who asks, and how a request is known again.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Caller<'a> {
    pub(crate) token: Option<&'a str>,
    pub(crate) key: Option<&'a str>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    /// Returns the body of an answer that must be a success.
    pub(crate) fn ok(self) -> Value {
        assert!(self.status < 300, "{self:#?}");
        self.body
    }
}

/// Asks over the Unix socket, as the person at this machine.
pub(crate) fn ask(socket: &Path, method: &str, path: &str, caller: Caller<'_>, body: &[u8]) -> Answer {
    let stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    exchange(stream, "localhost", method, path, caller, body)
}

/// Asks over TCP, as whom the token stands for.
pub(crate) fn ask_tcp(url: &str, method: &str, path: &str, caller: Caller<'_>, body: &[u8]) -> Answer {
    let host = url.strip_prefix("http://").unwrap();
    let stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    exchange(stream, host, method, path, caller, body)
}

fn exchange(
    mut stream: impl Read + Write,
    host: &str,
    method: &str,
    path: &str,
    caller: Caller<'_>,
    body: &[u8],
) -> Answer {
    let token = caller.token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
    let key = caller.key.map(|key| format!("idempotency-key: {key}\r\n")).unwrap_or_default();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n{token}{key}\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap_or_else(|error| panic!("{method} {path}: {error}"));
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) =
        answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{method} {path}: no answer: {answer}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    // What is no JSON is a text.
    let body = serde_json::from_str(body).unwrap_or_else(|_| body.into());
    Answer { status, body }
}
