//! The state machine against lines as codex 0.166 wrote them, shortened to what matters.

mod asks;
mod items;
mod retries;
mod setup;
mod terminal;
mod turns;

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, SessionId, TurnId};
use paseo_core::item::{Draft, Kind};
use paseo_core::permission::Mode;
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::adapt::Conversation;
use super::spawn::Setup;
use crate::driver::{Action, Adapter};
use crate::fresh::Ids;
use crate::lines::Line;
use crate::provider::{Input, Launch, McpServer, Message, Output, TurnEnd};

const NOW: Timestamp = Timestamp::from_millis(1_000_000);
/// The thread that codex opens.
const THREAD: &str = "thread-1";

fn launch() -> Launch {
    Launch {
        session: SessionId::from_random([1; 16]),
        directory: "/project".into(),
        model: Some("some-model".to_owned()),
        effort: None,
        permissions: Mode::Full,
        withheld: Vec::new(),
        guarded: false,
        terminal: None,
        prompt: "Be kind.".to_owned(),
        servers: vec![McpServer { name: "paseo-tools".into(), url: "http://127.0.0.1:1/mcp".into() }],
        tools: Vec::new(),
        chain: Vec::new(),
        remote: None,
        past: Vec::new(),
        resume: None,
        turns: 0,
        executable: "/bin/paseo".into(),
        environment: vec![("PASEO_TOKEN".to_owned(), "secret".to_owned())],
        removed: vec!["KEY_OF_OTHERS".to_owned()],
        patience: std::time::Duration::from_secs(60),
    }
}

fn turn_id(number: u8) -> TurnId {
    TurnId::from_parts(NOW, [number; 10])
}

fn message(number: u8, text: &str) -> Message {
    let delivery = DeliveryId::from_parts(NOW, [number; 10]);
    Message { attachments: Vec::new(), delivery, origin: Actor::Human("test".into()), text: text.to_owned() }
}

/// A conversation, with what it said and wrote since one looked.
struct Bed {
    conversation: Conversation,
    outputs: Vec<Output>,
    written: Vec<Value>,
    /// The outcomes of the commands.
    commands: Vec<&'static str>,
}

impl Bed {
    /// Starts codex; it has not answered yet.
    fn start(launch: &Launch) -> Self {
        let conversation = Conversation::new(Setup::new(launch), Ids::from_seed([7; 32]));
        let mut bed = Self { conversation, outputs: Vec::new(), written: Vec::new(), commands: vec![] };
        let actions = bed.conversation.begin(NOW);
        bed.take(actions);
        bed
    }

    /// Starts codex and waits until the thread is open.
    fn open(launch: &Launch) -> Self {
        let mut bed = Self::start(launch);
        bed.answer("initialize", json!({}));
        let method = if launch.resume.is_some() { "thread/resume" } else { "thread/start" };
        let thread = launch.resume.as_deref().unwrap_or(THREAD);
        bed.answer(
            method,
            json!({ "thread": { "id": thread }, "model": "real-model", "reasoningEffort": "medium" }),
        );
        bed
    }

    /// Opens the thread and runs a turn up to where the model begins. Forgets what was said so far.
    fn running() -> Self {
        Self::running_with(&launch())
    }

    fn running_with(launch: &Launch) -> Self {
        let mut bed = Self::open(launch);
        bed.turn(1, "go");
        bed.outputs.clear();
        bed.written.clear();
        bed
    }

    /// Runs a turn `u1`, `u2`, … up to where the model begins.
    fn turn(&mut self, number: u8, text: &str) {
        self.input(Input::Turn { turn: turn_id(number), messages: vec![message(100 + number, text)] });
        self.answer("turn/start", json!({ "turn": { "id": format!("u{number}"), "status": "inProgress" } }));
        self.say("turn/started", json!({ "turn": { "id": format!("u{number}") } }));
        let item = json!({ "type": "userMessage", "id": "m", "clientId": turn_id(number).to_string() });
        self.item(number, "started", item.clone());
        self.item(number, "completed", item);
    }

    fn input(&mut self, input: Input) {
        let actions = self.conversation.input(input, NOW);
        self.take(actions);
    }

    fn line(&mut self, text: &str) {
        self.damaged(Line { text: text.to_owned(), damage: None });
    }

    fn damaged(&mut self, line: Line) {
        let actions = self.conversation.line(&line, NOW);
        self.take(actions);
    }

    /// Lets codex say something about the session's own thread.
    fn say(&mut self, method: &str, mut params: Value) {
        if params.get("threadId").is_none() {
            params["threadId"] = THREAD.into();
        }
        self.line(&json!({ "method": method, "params": params, "emittedAtMs": 5 }).to_string());
    }

    /// Lets an item of a turn begin or end.
    fn item(&mut self, turn: u8, what: &str, item: Value) {
        self.say(&format!("item/{what}"), json!({ "turnId": format!("u{turn}"), "item": item }));
    }

    fn complete(&mut self, turn: u8, status: &str) {
        self.say("turn/completed", json!({ "turn": { "id": format!("u{turn}"), "status": status } }));
    }

    /// Answers the request with this method that was written last.
    fn answer(&mut self, method: &str, result: Value) {
        let id = self.request(method)["id"].clone();
        self.line(&json!({ "id": id, "result": result }).to_string());
    }

    fn refuse(&mut self, method: &str, code: i64, words: &str) {
        let id = self.request(method)["id"].clone();
        self.line(&json!({ "id": id, "error": { "code": code, "message": words } }).to_string());
    }

    /// Returns the newest request with this method that was written.
    fn request(&self, method: &str) -> Value {
        let found = self.written.iter().rfind(|line| line["method"] == method);
        found.unwrap_or_else(|| panic!("no {method} in {:?}", self.written)).clone()
    }

    fn wrote(&self, method: &str) -> usize {
        self.written.iter().filter(|line| line["method"] == method).count()
    }

    fn take(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Tell(output) => self.outputs.push(output),
                Action::Write(line) => self.written.push(serde_json::from_str(&line).unwrap()),
                Action::NoteCommands => self.commands.push("noted"),
                Action::EndCommands { .. } => self.commands.push("ended"),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Returns the items so far, with their place.
    fn items(&self) -> Vec<(u32, Option<&str>, &Draft)> {
        let items = self.outputs.iter().filter_map(|output| match output {
            Output::Item { step, parent, draft, .. } => Some((*step, parent.as_deref(), draft)),
            _ => None,
        });
        items.collect()
    }

    fn drafts(&self) -> Vec<&Draft> {
        self.items().into_iter().map(|(_, _, draft)| draft).collect()
    }

    /// Returns the notices so far: code and words.
    fn notices(&self) -> Vec<(&str, &str)> {
        let notices = self.drafts().into_iter().filter_map(|draft| match &draft.kind {
            Kind::Notice { code } => Some((code.as_str(), draft.text.as_deref().unwrap_or_default())),
            _ => None,
        });
        notices.collect()
    }

    fn end(&self) -> Option<&TurnEnd> {
        self.outputs.iter().find_map(|output| match output {
            Output::TurnEnded { end, .. } => Some(end),
            _ => None,
        })
    }
}

fn texts<'a>(drafts: &[&'a Draft], word: &str) -> Vec<&'a str> {
    let found = drafts.iter().filter(|draft| draft.kind.word() == word);
    found.map(|draft| draft.text.as_deref().unwrap_or_default()).collect()
}
