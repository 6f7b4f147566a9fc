//! The bridge protocol as its clients speak it: over TCP, with a token and nothing else. The letters and numbers are
//! those of the protocol's acceptance cases.

mod controls;
mod following;
mod identity;
mod invitations;
mod mentions;
mod outside;
mod replies;
mod shapes;
mod survival;
mod whole;

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use paseo_testkit::home::TestHome;
use serde_json::{Value, json};

/// Nothing here takes this long; a test that waits longer has found a bug.
const PATIENCE: Duration = Duration::from_secs(30);
/// Before anything happened.
const ALWAYS: &str = "1970-01-01T00:00:00.000Z";

/// A daemon with a thread, and the human's token.
struct Bridge {
    home: TestHome,
    user: Client,
    thread: String,
}

/// Somebody with a token.
#[derive(Clone)]
struct Client {
    address: String,
    token: String,
}

/// What came back.
#[derive(Debug)]
struct Answer {
    status: u16,
    body: Value,
}

/// A stream that is followed.
struct Following(BufReader<TcpStream>);

impl Bridge {
    /// A thread with participants that do as they are told.
    fn new(seats: &[&str]) -> Self {
        Self::configured("", seats)
    }

    fn configured(config: &str, seats: &[&str]) -> Self {
        let home = crate::home();
        std::fs::create_dir_all(home.path()).unwrap();
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        home.paseo(&["up"]).ok();
        let token = home.paseo(&["token", "create", "--name", "bridge"]).ok().to_owned();
        let user = Client { address: address(&home), token };
        let mut bridge = Self { home, user, thread: String::new() };
        bridge.thread = bridge.another("plan");
        for seat in seats {
            bridge.invite(seat, json!({}));
        }
        bridge
    }

    /// Makes a thread and returns its id.
    fn another(&self, name: &str) -> String {
        let request = json!({"name": name, "from": "user", "directory": self.home.work()});
        let made = self.user.post("/threads", &request).ok();
        assert_eq!(made["name"], name);
        made["id"].as_str().unwrap().to_owned()
    }

    /// Invites a participant, with more in its profile.
    fn invite(&self, id: &str, more: Value) {
        let mut profile = json!({"client": "scripted", "model": "default"});
        profile.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.control(json!({"invite": {"participant_id": id, "profile": profile}}));
    }

    /// Returns somebody who speaks as a participant, and as nobody else.
    fn seat(&self, id: &str) -> Client {
        let token = self.home.paseo(&["thread", "token", &self.thread, "--as", id, "-q"]).ok().to_owned();
        Client { token, ..self.user.clone() }
    }

    fn path(&self, rest: &str) -> String {
        format!("/threads/{}/{rest}", self.thread)
    }

    /// Posts as somebody.
    fn post(&self, client: &Client, event: &Value) -> Answer {
        client.post(&self.path("events"), event)
    }

    /// Says something as the human, and returns the event.
    fn say(&self, to: &str, words: &str) -> Value {
        let event = json!({"type": "message", "from": "user", "to": to, "content": words});
        self.post(&self.user, &event).ok()["event"].clone()
    }

    /// Changes something as the human.
    fn control(&self, content: Value) {
        self.post(&self.user, &json!({"type": "control", "from": "user", "content": content})).ok();
    }

    /// Returns everything that happened.
    fn events(&self) -> Vec<Value> {
        let whole = self.user.get(&self.path("events")).ok();
        let events = whole["events"].as_array().unwrap().clone();
        assert_eq!(whole["count"], events.len());
        events
    }

    fn state(&self) -> Value {
        let answer = self.user.get(&self.path("state")).ok();
        assert_eq!(answer["thread"], self.thread);
        answer["state"].clone()
    }

    /// Returns what others see of somebody.
    fn presence(&self, id: &str) -> Value {
        let list = self.user.get(&self.path("presence")).ok();
        assert_eq!((&list["thread"], &list["ttl_seconds"]), (&json!(self.thread), &json!(120)));
        let everybody = list["participants"].as_array().unwrap();
        everybody.iter().find(|one| one["id"] == id).cloned().unwrap_or_default()
    }

    /// Waits until somebody is seen doing something: no event tells of it.
    fn until_seen(&self, id: &str, state: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.presence(id)["state"] != state {
            assert!(Instant::now() < deadline, "{id} is never {state}: {}", self.presence(id));
            std::thread::yield_now();
        }
    }

    /// Waits for something that happens in the thread, from the beginning on.
    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.user.follow(&self.path(&format!("events/stream?since={ALWAYS}"))).until(wanted)
    }

    /// Waits for what refers to an event.
    fn reply(&self, to: &Value) -> Value {
        self.until(|event| event["meta"]["reply_to"] == to["id"])
    }

    /// Returns whom a message woke, which only the native API tells.
    fn woken(&self, message: &Value) -> Vec<String> {
        let page = self.user.get(&format!("/api/threads/{}/events?limit=500", self.thread)).ok();
        let events = page["events"].as_array().unwrap();
        let event = events.iter().find(|event| event["id"] == message["id"]).unwrap();
        serde_json::from_value(event["meta"].get("wakes").cloned().unwrap_or(json!([]))).unwrap()
    }

    /// Kills the daemon and starts it again.
    fn crash(&mut self) {
        assert!(self.home.kill_daemon(), "there was a daemon to kill");
        self.home.paseo(&["up"]).ok();
        self.user.address = address(&self.home);
    }
}

impl Client {
    fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &body.to_string())
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        self.try_ask(method, path, body).unwrap_or_else(|| panic!("{method} {path} was not answered"))
    }

    /// Asks; `None` when nobody answers to the end.
    fn try_ask(&self, method: &str, path: &str, body: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.write_all(self.request(method, path, body, "").as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Answer { status, body: serde_json::from_str(body).ok()? })
    }

    /// Version 1.0, as the protocol's own server speaks: what has no length ends with the connection.
    fn request(&self, method: &str, path: &str, body: &str, more: &str) -> String {
        let Self { address, token } = self;
        format!(
            "{method} {path} HTTP/1.0\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n{more}\r\n{body}",
            body.len()
        )
    }

    /// Follows a stream.
    fn follow(&self, path: &str) -> Following {
        self.follow_from(path, "")
    }

    /// Follows a stream, with more headers.
    fn follow_from(&self, path: &str, more: &str) -> Following {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(self.request("GET", path, "", more).as_bytes()).unwrap();
        let mut following = Following(BufReader::new(stream));
        let head = following.block().unwrap();
        assert!(head.contains(" 200 OK") && head.contains("content-type: text/event-stream"), "{head}");
        // From here on it listens.
        assert_eq!(following.block().unwrap(), ": paseo\n");
        following
    }
}

impl Following {
    /// Reads up to an empty line; `None` at the end.
    fn block(&mut self) -> Option<String> {
        let mut block = String::new();
        loop {
            let mut line = String::new();
            match self.0.read_line(&mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                // That is how a daemon goes that is killed.
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("nothing comes: {error}"),
            }
            match line.trim_end() {
                "" => return Some(block),
                line => block += &format!("{line}\n"),
            }
        }
    }

    /// Returns the next event and its id.
    fn next(&mut self) -> Option<(String, Value)> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let block = self.block()?;
            if block.starts_with(':') {
                // Comments keep a stream alive, and no test.
                if Instant::now() > deadline {
                    return None;
                }
                continue;
            }
            let (id, data) = block.trim_end().split_once('\n').unwrap();
            let event: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            return Some((id.strip_prefix("id: ").unwrap().to_owned(), event));
        }
    }

    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut seen = Vec::new();
        loop {
            let (_, event) = self.next().unwrap_or_else(|| panic!("it never came: {seen:#?}"));
            if wanted(&event) {
                return event;
            }
            seen.push(event);
        }
    }
}

impl Answer {
    /// Returns the body; fails when it could not be done.
    fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{self:#?}");
        self.body
    }

    /// Returns status and code of a refusal, which always comes with words.
    fn refused(&self) -> (u16, &str) {
        let error = &self.body["error"];
        assert!(error["message"].as_str().is_some_and(|words| !words.is_empty()), "{self:#?}");
        (self.status, error["code"].as_str().unwrap())
    }
}

fn address(home: &TestHome) -> String {
    let status = crate::json(&home.paseo(&["status", "--json"]));
    status["url"].as_str().unwrap().trim_start_matches("http://").to_owned()
}

/// Returns the words of a message.
fn words(event: &Value) -> &str {
    event["content"].as_str().unwrap_or_default()
}

/// Returns the tags of a message, in one line.
fn tags(event: &Value) -> String {
    let tags: Vec<String> = serde_json::from_value(event["meta"]["tags"].clone()).unwrap();
    tags.join(",")
}
