//! The state machine against lines as agents wrote them, shortened to what matters.

mod asks;
mod items;
mod life;
mod retries;

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, SessionId, TurnId};
use paseo_core::item::{Draft, Kind};
use paseo_core::permission::Mode;
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::adapt::Conversation;
use super::preset::{PLAIN, Preset};
use super::setup::Setup;
use crate::driver::{Action, Adapter};
use crate::files::Access;
use crate::fresh::Ids;
use crate::lines::Line;
use crate::provider::{Answer, Attachment, Input, Launch, McpServer, Message, Output, TurnEnd};

const NOW: Timestamp = Timestamp::from_millis(1_000_000);
const SESSION: &str = "ses_1";

pub(super) fn launch() -> Launch {
    Launch {
        session: SessionId::from_random([1; 16]),
        directory: "/project".into(),
        model: None,
        effort: None,
        permissions: Mode::Full,
        withheld: Vec::new(),
        guarded: false,
        terminal: None,
        prompt: "Be kind.".to_owned(),
        servers: vec![McpServer { name: "Paseo".into(), url: "http://127.0.0.1:1/mcp".into() }],
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

/// What an agent says that can do everything.
fn hello() -> Value {
    json!({
        "protocolVersion": 1,
        "agentCapabilities": {
            "loadSession": true,
            "mcpCapabilities": { "http": true },
            "sessionCapabilities": { "list": {} },
        },
        "authMethods": [{ "id": "a", "name": "Log in", "description": "Run `agent login`" }],
    })
}

/// A conversation, with what it said and wrote since one looked.
struct Bed {
    conversation: Conversation,
    outputs: Vec<Output>,
    written: Vec<Value>,
    accesses: Vec<Access>,
    ended: bool,
    /// The outcomes of commands.
    commands: Vec<&'static str>,
}

impl Bed {
    /// Starts an agent; it has not answered yet.
    fn start(launch: &Launch) -> Self {
        Self::of(&PLAIN, launch)
    }

    fn of(preset: &'static Preset, launch: &Launch) -> Self {
        let setup = Setup::new("helper", preset, None, launch);
        let conversation = Conversation::new(setup, launch.turns, Ids::from_seed([7; 32]));
        let mut bed = Self {
            conversation,
            outputs: vec![],
            written: vec![],
            accesses: vec![],
            ended: false,
            commands: vec![],
        };
        let actions = bed.conversation.begin(NOW);
        bed.take(actions);
        bed
    }

    /// Starts an agent and runs a turn up to where it begins. Forgets what was said so far.
    fn running() -> Self {
        Self::launched(launch())
    }

    fn launched(launch: Launch) -> Self {
        let mut bed = Self::start(&launch);
        bed.answer("initialize", hello());
        bed.answer("session/new", json!({ "sessionId": SESSION }));
        bed.turn(1, "go");
        bed.outputs.clear();
        bed
    }

    fn turn(&mut self, number: u8, text: &str) {
        self.turn_with(number, text, Vec::new());
    }

    fn turn_with(&mut self, number: u8, text: &str, attachments: Vec<Attachment>) {
        let delivery = DeliveryId::from_parts(NOW, [number; 10]);
        let message =
            Message { attachments, delivery, origin: Actor::Human("test".into()), text: text.to_owned() };
        self.input(Input::Turn { turn: turn_id(number), messages: vec![message] });
    }

    fn input(&mut self, input: Input) {
        let actions = self.conversation.input(input, NOW);
        self.take(actions);
    }

    fn decide(&mut self, call: &str, decision: Answer) {
        self.input(Input::Permission { call: call.to_owned(), decision });
    }

    fn wake(&mut self) {
        let actions = self.conversation.wake(NOW);
        self.take(actions);
    }

    fn line(&mut self, value: &Value) {
        self.text(&value.to_string());
    }

    fn text(&mut self, text: &str) {
        let actions = self.conversation.line(&Line { text: text.to_owned(), damage: None }, NOW);
        self.take(actions);
    }

    /// Lets the agent say something.
    fn update(&mut self, update: Value) {
        let params = json!({ "sessionId": SESSION, "update": update });
        self.line(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    fn say(&mut self, text: &str) {
        let content = json!({ "type": "text", "text": text });
        self.update(json!({ "sessionUpdate": "agent_message_chunk", "content": content }));
    }

    fn ask(&mut self, id: u64, method: &str, mut params: Value) {
        params["sessionId"] = SESSION.into();
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// Lets the agent answer the last request of this kind.
    fn answer(&mut self, method: &str, result: Value) {
        let id = self.request(method)["id"].clone();
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    fn refuse(&mut self, method: &str, code: i64) {
        let id = self.request(method)["id"].clone();
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "no" } }));
    }

    /// Returns the last request of ours of this kind.
    fn request(&self, method: &str) -> &Value {
        let found = self.written.iter().rfind(|line| line["method"] == method);
        found.unwrap_or_else(|| panic!("no {method}: {:#?}", self.written))
    }

    /// Returns what a request of the agent was answered with.
    fn reply(&self, id: u64) -> &Value {
        let found = self.written.iter().find(|line| line["id"] == id && line.get("method").is_none());
        found.unwrap_or_else(|| panic!("no answer to {id}: {:#?}", self.written))
    }

    fn take(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Tell(output) => self.outputs.push(output),
                Action::Write(line) => self.written.push(serde_json::from_str(&line).unwrap()),
                Action::Access(access) => self.accesses.push(access),
                Action::End => self.ended = true,
                Action::NoteCommands => self.commands.push("noted"),
                Action::EndCommands { variable } => self.commands.push(variable),
                Action::Wake(_) => {}
            }
        }
    }

    fn drafts(&self) -> Vec<&Draft> {
        let drafts = self.outputs.iter().filter_map(|output| match output {
            Output::Item { draft, .. } => Some(draft),
            _ => None,
        });
        drafts.collect()
    }

    fn texts(&self, wanted: &Kind) -> Vec<&str> {
        let of = self.drafts().into_iter().filter(|draft| draft.kind == *wanted);
        of.filter_map(|draft| draft.text.as_deref()).collect()
    }

    fn notices(&self) -> Vec<(&str, &str)> {
        let notices = self.drafts().into_iter().filter_map(|draft| match &draft.kind {
            Kind::Notice { code } => Some((code.as_str(), draft.text.as_deref()?)),
            _ => None,
        });
        notices.collect()
    }

    fn raws(&self) -> usize {
        self.drafts().iter().filter(|draft| matches!(draft.kind, Kind::Raw { .. })).count()
    }

    /// Returns how the turn ended.
    fn end(&self) -> &TurnEnd {
        let end = self.outputs.iter().find_map(|output| match output {
            Output::TurnEnded { end, .. } => Some(end),
            _ => None,
        });
        end.unwrap_or_else(|| panic!("no end: {:#?}", self.outputs))
    }

    fn failure(&self) -> (&str, &str) {
        match self.end() {
            TurnEnd::Failed(failed) => (failed.code.word(), &failed.text),
            other => panic!("{other:?}"),
        }
    }
}
