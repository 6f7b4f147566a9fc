//! The words that scenes are written in.

use std::fmt::Debug;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use paseo_testkit::home::TestHome;
use serde_json::{Value, json};

use crate::api::{self, Answer, Caller, PATIENCE};
use crate::log::{Event, Log};
use crate::normal::Normal;

/// How often is looked again.
const POLL: Duration = Duration::from_millis(5);
/// How much of a request is shown, in characters.
const ASKED: usize = 400;

/// A daemon in a home of its own, and what was asked of it.
pub(crate) struct Scene {
    pub(crate) home: TestHome,
    log: Log,
    /// What was asked and what came of it, in order.
    story: Vec<(String, String)>,
    /// Directories beside the home that texts may name.
    beside: Vec<(String, &'static str)>,
    /// What ends after the home does.
    kept: Vec<Box<dyn std::any::Any>>,
}

/// Plays a scene, and compares the log that it leaves with its golden file.
pub(crate) fn record(name: &str, play: impl FnOnce(&mut Scene)) {
    let mut scene = Scene::new();
    play(&mut scene);
    let recorded = scene.finish();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flows/golden").join(format!("{name}.log"));
    if std::env::var_os("PASEO_UPDATE").is_some() {
        fs::write(&file, recorded).unwrap();
        return;
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    if golden != recorded {
        let seen = std::env::temp_dir().join(format!("paseo-flow-{name}.log"));
        fs::write(&seen, &recorded).unwrap();
        let differs = golden.lines().zip(recorded.lines()).position(|(one, other)| one != other);
        let at = differs.unwrap_or_else(|| golden.lines().count().min(recorded.lines().count()));
        let around =
            |text: &str| text.lines().skip(at.saturating_sub(2)).take(6).collect::<Vec<_>>().join("\n");
        panic!(
            "{name} left another log; line {}\n--- expected\n{}\n--- recorded ({})\n{}\n\
             If that is right, write it with PASEO_UPDATE=1 and read the difference.",
            at + 1,
            around(&golden),
            seen.display(),
            around(&recorded)
        );
    }
}

impl Scene {
    pub(crate) fn new() -> Self {
        let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
        let log = Log::of(&home.path());
        Self { home, log, story: Vec::new(), beside: Vec::new(), kept: Vec::new() }
    }

    /// Writes a file of the home, before or after the daemon runs.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let file = self.home.path().join(name);
        let folder = file.parent().unwrap();
        DirBuilder::new().recursive(true).mode(0o700).create(folder).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Defines an agent; `fields` is TOML.
    pub(crate) fn define(&self, slug: &str, fields: &str) {
        self.write(&format!("agents/{slug}.toml"), &format!("provider = 'scripted'\n{fields}\n"));
    }

    /// Defines an agent that follows a script, whatever it is told.
    pub(crate) fn script(&self, slug: &str, fields: &str, script: &str) {
        let file = self.home.work().with_file_name(format!("{slug}.script"));
        fs::write(&file, script).unwrap();
        self.define(slug, &format!("{fields}\n[[models]]\nmodel_id = '{}'", file.display()));
    }

    /// Names a directory beside the home that texts may mention, and keeps what it belongs to until the end.
    pub(crate) fn keep(&mut self, path: PathBuf, word: &'static str, kept: impl std::any::Any) {
        self.beside.push((path.display().to_string(), word));
        self.kept.push(Box::new(kept));
    }

    /// Returns the directory that a word stands for.
    pub(crate) fn beside(&self, word: &str) -> PathBuf {
        self.beside
            .iter()
            .find(|(_, known)| *known == word)
            .expect("a directory by that word")
            .0
            .clone()
            .into()
    }

    /// Starts the daemon, unless it runs.
    pub(crate) fn up(&mut self) {
        if self.home.daemon_pid().is_none() {
            self.home.paseo(&["up"]).ok();
        }
    }

    /// Kills the daemon.
    pub(crate) fn kill(&mut self) {
        assert!(self.home.kill_daemon(), "there was a daemon to kill");
        self.say("kill -9");
    }

    /// Kills the daemon and starts it again.
    pub(crate) fn crash(&mut self) {
        self.kill();
        self.up();
    }

    /// Stops the daemon in good order and starts it again.
    pub(crate) fn restart(&mut self) {
        assert!(self.home.stop_daemon(), "there was a daemon to stop");
        self.say("restart");
        self.up();
    }

    fn say(&mut self, what: &str) {
        self.story.push((what.to_owned(), String::new()));
    }

    /// Asks as the person at this machine.
    pub(crate) fn ask(&mut self, method: &str, path: &str, body: Value) -> Answer {
        self.ask_as(Caller::default(), method, path, body)
    }

    /// Asks as whom a token stands for, or under a key.
    pub(crate) fn ask_as(&mut self, caller: Caller<'_>, method: &str, path: &str, body: Value) -> Answer {
        let sent = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let answer = self.exchange(caller, method, path, &sent);
        let key = caller.key.map(|key| format!(" key={key}")).unwrap_or_default();
        let body = if body.is_null() { String::new() } else { format!(" {body}") };
        self.story.push((format!("{method} {path}{key}{body}"), gist(&answer)));
        answer
    }

    fn exchange(&mut self, caller: Caller<'_>, method: &str, path: &str, body: &[u8]) -> Answer {
        self.up();
        match caller.token {
            Some(_) => {
                let url = self.look("/api/status")["url"].as_str().unwrap().to_owned();
                api::ask_tcp(&url, method, path, caller, body)
            }
            None => api::ask(&self.home.path().join("daemon.sock"), method, path, caller, body),
        }
    }

    /// Asks for something that must succeed.
    pub(crate) fn ok(&mut self, method: &str, path: &str, body: Value) -> Value {
        self.ask(method, path, body).ok()
    }

    /// Looks at something, which is no part of the story.
    pub(crate) fn look(&self, path: &str) -> Value {
        api::ask(&self.home.path().join("daemon.sock"), "GET", path, Caller::default(), b"").ok()
    }

    /// Uploads a file and returns its id.
    pub(crate) fn upload(&mut self, name: &str, bytes: &[u8]) -> String {
        let answer =
            self.exchange(Caller::default(), "POST", &format!("/api/attachments?name={name}"), bytes);
        self.say(&format!("upload {name}"));
        answer.ok()["id"].as_str().expect("an attachment's id").to_owned()
    }

    /// Starts an agent with a prompt, and returns its id. `more` is what else is said of it.
    pub(crate) fn start(&mut self, more: Value, prompt: &str) -> String {
        let work = self.home.work().display().to_string();
        let mut body = json!({ "directory": work });
        if !prompt.is_empty() {
            body["prompt"] = prompt.into();
        }
        merge(&mut body, more);
        let made = self.ok("POST", "/api/sessions", body);
        made["session"]["id"].as_str().unwrap().to_owned()
    }

    /// Starts an agent and waits for the end of its turn.
    pub(crate) fn run(&mut self, prompt: &str) -> String {
        self.run_with(json!({}), prompt)
    }

    pub(crate) fn run_with(&mut self, more: Value, prompt: &str) -> String {
        let agent = self.start(more, prompt);
        self.settle(&agent);
        agent
    }

    /// Starts an agent that is busy until the gate `go` is opened.
    pub(crate) fn busy(&mut self) -> String {
        let agent = self.start(json!({}), &gate("go"));
        self.until_item(&agent, "tool_call", 1);
        agent
    }

    /// Opens a gate.
    pub(crate) fn open(&mut self, gate: &str) {
        fs::write(self.home.work().join(gate), "").unwrap();
        self.say(&format!("gate {gate} opens"));
    }

    pub(crate) fn send(&mut self, agent: &str, text: &str) -> Value {
        self.send_with(agent, json!({ "text": text }))
    }

    pub(crate) fn send_with(&mut self, agent: &str, body: Value) -> Value {
        self.ok("POST", &format!("/api/sessions/{agent}/messages"), body)
    }

    /// Sends a message and waits until there is nothing more to do.
    pub(crate) fn tell(&mut self, agent: &str, text: &str) {
        self.send(agent, text);
        self.settle(agent);
    }

    /// Has an agent call a tool, and waits for the end of the turn.
    pub(crate) fn call(&mut self, agent: &str, name: &str, input: Value) {
        self.tell(agent, &tool(name, &input));
    }

    /// Does something to an agent: stop, close, reopen, clear.
    pub(crate) fn act(&mut self, agent: &str, what: &str) -> Value {
        self.ok("POST", &format!("/api/sessions/{agent}/{what}"), Value::Null)
    }

    pub(crate) fn switch(&mut self, key: &str) {
        self.ok("PUT", &format!("/api/settings/{key}"), json!({ "value": true }));
    }

    /// Returns what is known of an agent.
    pub(crate) fn view(&self, agent: &str) -> Value {
        self.look(&format!("/api/sessions/{agent}"))["session"].clone()
    }

    /// Returns the id of the newest session of a definition.
    pub(crate) fn session_of(&self, slug: &str) -> String {
        let all = self.look("/api/sessions?any_labels=true&all_statuses=true");
        let found = all["sessions"].as_array().unwrap().iter().find(|one| one["agent"] == slug).cloned();
        found.expect("a session of it")["id"].as_str().unwrap().to_owned()
    }

    /// Waits until an agent has nothing to do.
    pub(crate) fn settle(&self, agent: &str) {
        until(
            "an agent with nothing to do",
            || self.view(agent),
            |view| view["turn"].is_null() && view["queued"] == 0,
        );
    }

    pub(crate) fn until_status(&self, agent: &str, status: &str) {
        until(status, || self.view(agent), |view| view["status"] == status);
    }

    /// Waits until the turn of an agent waits for another agent.
    pub(crate) fn until_waiting(&self, agent: &str) {
        let waits = |view: &Value| view["waits_for"].as_array().is_some_and(|all| !all.is_empty());
        until("a wait", || self.view(agent), waits);
    }

    /// Waits until the log has so many events of a kind.
    pub(crate) fn until(&self, kind: &str, count: usize) {
        self.until_stored(None, kind, count);
    }

    /// Waits until the stream of an agent has so many events or items of a kind.
    pub(crate) fn until_item(&self, agent: &str, kind: &str, count: usize) {
        self.until_stored(Some(&format!("session/{agent}")), kind, count);
    }

    /// Waits for events; when they do not come, says what did.
    fn until_stored(&self, stream: Option<&str>, kind: &str, count: usize) {
        let began = Instant::now();
        while self.log.count(stream, kind) < count {
            let in_time = began.elapsed() < PATIENCE;
            assert!(in_time, "{kind} never came {count} times; the log:\n{:#?}", self.log.events());
            std::thread::sleep(POLL);
        }
    }

    /// Returns all events so far.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.log.events()
    }

    /// Ends the daemon and returns the story with the log that it left.
    fn finish(self) -> String {
        // A home is always where the next run's is not.
        self.home.stop_daemon();
        let texts = self.log.texts();
        let directory = self.home.path().parent().unwrap().to_owned();
        let mut paths = self.beside.clone();
        for path in [directory.clone(), fs::canonicalize(&directory).unwrap()] {
            paths.push((path.join("work").display().to_string(), "$WORK"));
            paths.push((path.join("home").display().to_string(), "$HOME"));
            paths.push((path.display().to_string(), "$DIR"));
        }
        paths.push((env!("CARGO_BIN_EXE_paseo").to_owned(), "$PASEO"));
        let mut normal = Normal::new(paths, texts);
        let log = normal.write(&self.log.events());
        let story = self.story.iter().map(|(asked, came)| {
            let came = if came.is_empty() { String::new() } else { format!(" -> {came}") };
            let asked: String = asked.chars().take(ASKED).collect();
            normal.words(&format!("{asked}{came}\n"))
        });
        story.collect::<String>() + &log
    }
}

/// Returns of an answer what scenes decide: its status, how a message was placed, why something was refused.
fn gist(answer: &Answer) -> String {
    let body = &answer.body;
    let receipt = if body["receipt"].is_object() { &body["receipt"] } else { body };
    let words = [&body["error"]["code"], &body["code"], &receipt["placement"], &receipt["reason"]];
    let words = words.into_iter().filter_map(Value::as_str);
    std::iter::once(answer.status.to_string()).chain(words.map(str::to_owned)).collect::<Vec<_>>().join(" ")
}

fn merge(body: &mut Value, more: Value) {
    if let (Value::Object(body), Value::Object(more)) = (body, more) {
        body.extend(more);
    }
}

/// Returns a shell step that ends when a gate is opened.
pub(crate) fn gate(name: &str) -> String {
    format!("<<sh until [ -e {name} ]; do sleep 0.01; done>>")
}

/// Returns a step that calls a tool.
pub(crate) fn tool(name: &str, input: &Value) -> String {
    format!("<<tool {name} {}>>", input.to_string().replace('>', "\\>"))
}

/// Waits until what is seen is what is wanted, and returns it.
pub(crate) fn until<T: Debug>(what: &str, mut look: impl FnMut() -> T, is_wanted: impl Fn(&T) -> bool) -> T {
    let began = Instant::now();
    loop {
        let seen = look();
        if is_wanted(&seen) {
            return seen;
        }
        assert!(began.elapsed() < PATIENCE, "{what} never came; seen last: {seen:#?}");
        std::thread::sleep(POLL);
    }
}
