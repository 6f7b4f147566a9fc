//! An agent of somebody else's: a small HTTP server on 127.0.0.1 that answers by callback.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use paseo_testkit::home::TestHome;
use serde_json::Value;

use crate::cast::Cast;

/// Nothing here takes this long; a test that waits longer has found a bug.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the server does with a request.
#[derive(Clone, Copy)]
pub(crate) enum Reply {
    Status(u16),
    /// Says nothing, and keeps the connection.
    Silence,
}

/// A request as it came.
#[derive(Debug)]
pub(crate) struct Posted {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) text: String,
    pub(crate) body: Value,
}

pub(crate) struct FarAgent {
    pub(crate) address: SocketAddr,
    posted: Receiver<Posted>,
    replies: Arc<Mutex<VecDeque<Reply>>>,
}

impl FarAgent {
    /// Starts one that acknowledges everything, unless told otherwise.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, posted) = channel();
        let replies: Arc<Mutex<VecDeque<Reply>>> = Arc::default();
        let planned = Arc::clone(&replies);
        thread::spawn(move || serve(&listener, &sender, &planned));
        Self { address, posted, replies }
    }

    /// Says how the next requests are answered.
    pub(crate) fn plan(&self, replies: &[Reply]) {
        self.replies.lock().unwrap().extend(replies);
    }

    /// Waits for the next request.
    pub(crate) fn next(&self) -> Posted {
        self.posted.recv_timeout(PATIENCE).expect("something is posted")
    }

    /// Says that nothing more was posted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.posted.try_recv().is_err()
    }

    /// Defines an agent that is here.
    pub(crate) fn define(&self, home: &TestHome, slug: &str, more: &str) {
        define_at(home, slug, &format!("http://{}/in", self.address), more);
    }
}

/// Defines an external agent.
pub(crate) fn define_at(home: &TestHome, slug: &str, url: &str, more: &str) {
    let folder = home.path().join("agents");
    fs::create_dir_all(&folder).unwrap();
    let fields = format!("type = 'external'\n{more}\n[external]\ninputUrl = '{url}'\n");
    fs::write(folder.join(format!("{slug}.toml")), fields).unwrap();
    home.trust();
}

/// Posts an answer with the token of the message. The daemon may have another port than it had.
pub(crate) async fn answer(cast: &Cast, posted: &Posted, text: &str) -> u16 {
    let token = posted.body["callbackToken"].as_str().unwrap();
    send(cast, posted, &[("authorization", &format!("Bearer {token}"))], text.as_bytes()).await
}

/// Posts an answer to where the message says.
pub(crate) async fn send(cast: &Cast, posted: &Posted, headers: &[(&str, &str)], text: &[u8]) -> u16 {
    let url = posted.body["callbackUrl"].as_str().unwrap();
    let path = url.splitn(4, '/').nth(3).unwrap();
    let here = cast.0.client.status().await.unwrap().url;
    post(&format!("{here}/{path}"), headers, text).0
}

/// Posts something, and returns the status and the body of the answer.
pub(crate) fn post(url: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head = format!(
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n{more}\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    // Who refuses a body that is too large may not read it to its end.
    stream.write_all(body).ok();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) =
        answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer to {path}: {answer}"));
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// A daemon, an agent elsewhere, and the id of a session with it, which may have been told something.
pub(crate) async fn meet(prompt: Option<&str>) -> (Cast, FarAgent, String) {
    let (cast, far) = (Cast::new(&[]), FarAgent::start());
    far.define(&cast.0.home, "far", "");
    let session = match prompt {
        Some(prompt) => cast.start("far", prompt).await,
        None => cast.idle("far").await,
    };
    (cast, far, session.id.into())
}

fn serve(listener: &TcpListener, posted: &Sender<Posted>, planned: &Mutex<VecDeque<Reply>>) {
    let mut silent = Vec::new();
    while let Ok((stream, _)) = listener.accept() {
        let Some(request) = read(&stream) else { continue };
        let reply = planned.lock().unwrap().pop_front().unwrap_or(Reply::Status(202));
        if posted.send(request).is_err() {
            return;
        }
        match reply {
            Reply::Status(status) => {
                let answer =
                    format!("HTTP/1.1 {status} Word\r\ncontent-length: 5\r\nconnection: close\r\n\r\nwords");
                (&stream).write_all(answer.as_bytes()).ok();
            }
            Reply::Silence => silent.push(stream),
        }
    }
}

fn read(stream: &TcpStream) -> Option<Posted> {
    let mut lines = BufReader::new(stream);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => drop(headers.insert(name.to_ascii_lowercase(), value.to_owned())),
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; headers["content-length"].parse().unwrap()];
    lines.read_exact(&mut body).ok()?;
    let text = String::from_utf8(body).unwrap();
    Some(Posted { headers, body: serde_json::from_str(&text).unwrap(), text })
}
