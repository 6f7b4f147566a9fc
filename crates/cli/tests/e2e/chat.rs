//! A home whose agents run on models that speak Chat Completions.

use std::fs::{self, DirBuilder};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt;
use std::sync::{Arc, Mutex};

use paseo_testkit::home::{Output, TestHome};
use serde_json::Value;

use crate::home;

/// Makes a home whose default provider is `openai`, at an address.
pub(crate) fn at(url: &str) -> TestHome {
    let mut home = home();
    home.set("PASEO_PROVIDER", "openai");
    home.set("OPENAI_API_KEY", "sk-environment");
    home.set("OPENAI_BASE_URL", url);
    home.set("OPENAI_MODEL", "scripted");
    home
}

/// Writes files of a home that has no daemon yet.
pub(crate) fn configure(home: &TestHome, config: &str, agents: &[(&str, &str)]) {
    let folder = home.path().join("agents");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
    fs::write(home.path().join("config.toml"), config).unwrap();
    for (slug, definition) in agents {
        fs::write(folder.join(format!("{slug}.toml")), definition).unwrap();
    }
}

/// Starts an agent and returns its id at once.
pub(crate) fn start(home: &TestHome, flags: &[&str], prompt: &str) -> String {
    let made = home.paseo(&[&["run", "-d", "--json"], flags, &[prompt]].concat());
    let made: Value = serde_json::from_str(made.ok()).unwrap();
    made["session"]["id"].as_str().unwrap().to_owned()
}

/// Starts an agent and waits for the end of its turn.
pub(crate) fn run(home: &TestHome, flags: &[&str], prompt: &str) -> String {
    let id = start(home, flags, prompt);
    home.paseo(&["wait", "--timeout", "60s", &id]);
    id
}

/// Sends a message and waits for what comes of it.
pub(crate) fn send(home: &TestHome, id: &str, prompt: &str) -> Output {
    home.paseo(&["send", id, "--wait", "--timeout", "60s", prompt])
}

/// Returns the items of one kind, with what is special about them beside what all have.
pub(crate) fn items(home: &TestHome, id: &str, kind: &str) -> Vec<Value> {
    let logs = home.paseo(&["logs", "--json", id]);
    let items = logs.ok().lines().map(|line| {
        let mut item: Value = serde_json::from_str(line).unwrap();
        if let Value::Object(fields) = item["fields"].take() {
            fields.into_iter().for_each(|(name, value)| item[name] = value);
        }
        item
    });
    items.filter(|item| item["kind"] == kind).collect()
}

/// Returns the texts of the notices with a code.
pub(crate) fn notices(home: &TestHome, id: &str, code: &str) -> Vec<String> {
    let notices = items(home, id, "notice").into_iter().filter(|item| item["code"] == code);
    notices.map(|item| item["text"].as_str().unwrap_or_default().to_owned()).collect()
}

/// A server that answers the first request with the first answer, and so on; the last answers all others.
pub(crate) struct Canned {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

/// What a canned server writes, as it is; endless when it says so.
#[derive(Clone)]
pub(crate) enum Bytes {
    All(String),
    Endless(String),
}

impl Canned {
    pub(crate) fn start(answers: Vec<Bytes>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let book = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let number = {
                    let mut book = book.lock().unwrap();
                    book.push(body(&mut stream));
                    book.len()
                };
                match &answers[(number - 1).min(answers.len() - 1)] {
                    Bytes::All(answer) => drop(stream.write_all(answer.as_bytes())),
                    Bytes::Endless(answer) => {
                        stream.write_all(answer.as_bytes()).ok();
                        let more = [b'x'; 64 * 1024];
                        while stream.write_all(&more).is_ok() {}
                    }
                }
            }
        });
        Self { url, requests }
    }

    /// Returns the bodies of all requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }
}

/// Reads a request, and returns its body.
fn body(stream: &mut impl Read) -> Value {
    let (mut request, mut chunk) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            if body.len() >= length.unwrap_or_default() {
                return serde_json::from_str(body).unwrap_or(Value::Null);
            }
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return Value::Null,
            Ok(count) => request.extend_from_slice(&chunk[..count]),
        }
    }
}

/// Returns an answer with a status, a type and a body.
pub(crate) fn http(status: &str, kind: &str, body: &str) -> Bytes {
    Bytes::All(format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    ))
}

/// Returns an answer that streams a text, as it should.
pub(crate) fn says(text: &str) -> Bytes {
    let chunk = serde_json::json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] });
    http("200 OK", "text/event-stream", &format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}
