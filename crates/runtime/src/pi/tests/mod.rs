//! The state machine against lines as pi 0.73 and 1.5 wrote them, shortened to what matters.

mod asks;
mod items;
mod terminal;
mod turns;

use std::path::Path;
use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, ItemId, SessionId, TurnId};
use paseo_core::item::{Draft, Kind};
use paseo_core::permission::Mode;
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::adapt::{Conversation, Session};
use crate::driver::{Action, Adapter};
use crate::fresh::Ids;
use crate::lines::Line;
use crate::provider::{
    Failed, FailureCode, Input, Launch, McpServer, Message, Output, Retry, TOKEN_VARIABLE, TurnEnd,
};

const NOW: Timestamp = Timestamp::from_millis(1_000_000);
const FILE: &str = "/sessions/a.jsonl";

/// Which pi speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    /// 0.73: says less about prompts and ends.
    Early,
    /// 1.5.
    Recent,
}

const BOTH: [Speaker; 2] = [Speaker::Early, Speaker::Recent];

/// What a process is started with, in a directory.
pub(super) fn launch(directory: &Path) -> Launch {
    Launch {
        session: SessionId::from_random([7; 16]),
        directory: directory.to_owned(),
        model: Some("anthropic/opus".into()),
        effort: Some("high".into()),
        permissions: Mode::Full,
        withheld: Vec::new(),
        guarded: false,
        terminal: None,
        prompt: "-- be kind".into(),
        servers: vec![McpServer { name: "Paseo".into(), url: "http://127.0.0.1:1/mcp".into() }],
        tools: Vec::new(),
        chain: Vec::new(),
        remote: None,
        past: Vec::new(),
        resume: None,
        turns: 0,
        executable: "/bin/paseo".into(),
        environment: vec![(TOKEN_VARIABLE.into(), "secret".into())],
        removed: vec!["KEY_OF_OTHERS".to_owned()],
        patience: Duration::from_secs(60),
    }
}

fn turn_id(number: u8) -> TurnId {
    TurnId::from_parts(NOW, [number; 10])
}

fn delivery(number: u8) -> DeliveryId {
    DeliveryId::from_parts(NOW, [number; 10])
}

pub(super) fn message(number: u8, text: &str) -> Message {
    Message {
        attachments: Vec::new(),
        delivery: delivery(number),
        origin: Actor::Human("test".into()),
        text: text.to_owned(),
    }
}

fn session() -> Session {
    Session {
        lacks_resizer: false,
        directory: "/project".into(),
        needs_extension: true,
        conversation: None,
        lost: None,
        patience: Duration::from_secs(60),
    }
}

/// A conversation, with what it said and wrote since one looked.
struct Bed {
    conversation: Conversation,
    speaker: Speaker,
    outputs: Vec<Output>,
    written: Vec<Value>,
    /// The outcomes of the commands.
    commands: Vec<&'static str>,
}

impl Bed {
    /// Starts pi; it has not answered yet.
    fn start(speaker: Speaker, session: Session) -> Self {
        let conversation = Conversation::new(session, Ids::from_seed([7; 32]));
        let (outputs, written, commands) = (Vec::new(), Vec::new(), Vec::new());
        let mut bed = Self { conversation, speaker, outputs, written, commands };
        let actions = bed.conversation.begin(NOW);
        assert!(actions.iter().any(|action| matches!(action, Action::Wake(_))), "it would wait for ever");
        bed.take(actions);
        bed
    }

    /// Starts pi and waits until it is open.
    fn open(speaker: Speaker) -> Self {
        let mut bed = Self::start(speaker, session());
        bed.ours(&json!({ "ready": true }));
        bed.answer("get_state", state(false, false));
        bed.written.clear();
        bed
    }

    /// Lets pi work on a prompt; the model has said nothing.
    fn running(speaker: Speaker) -> Self {
        let mut bed = Self::open(speaker);
        bed.turn(1, "go");
        bed.run("go");
        bed.outputs.clear();
        bed.written.clear();
        bed
    }

    fn turn(&mut self, number: u8, text: &str) {
        self.input(Input::Turn { turn: turn_id(number), messages: vec![message(number, text)] });
    }

    /// Accepts the prompt and begins.
    fn run(&mut self, text: &str) {
        self.accept();
        self.begin();
        self.user(text);
    }

    fn accept(&mut self) {
        match self.speaker {
            Speaker::Early => {
                self.answer("prompt", Value::Null);
                // Now it works.
                self.answer("get_state", state(true, false));
            }
            Speaker::Recent => self.answer("prompt", json!({ "disposition": "started" })),
        }
    }

    fn begin(&mut self) {
        self.event(json!({ "type": "agent_start" }));
        self.event(json!({ "type": "turn_start" }));
    }

    fn user(&mut self, text: &str) {
        let message = json!({ "role": "user", "content": [{ "type": "text", "text": text }] });
        self.event(json!({ "type": "message_start", "message": message }));
        self.event(json!({ "type": "message_end", "message": message }));
    }

    /// Lets the model say something, piece by piece.
    fn says(&mut self, pieces: &[&str]) {
        self.event(json!({ "type": "message_start", "message": { "role": "assistant", "content": [] } }));
        let mut whole = String::new();
        for piece in pieces {
            whole.push_str(piece);
            let mut update = json!({ "type": "text_delta", "contentIndex": 0, "delta": piece });
            if self.speaker == Speaker::Early {
                update["partial"] =
                    json!({ "role": "assistant", "content": [{ "type": "text", "text": whole }] });
            }
            self.event(json!({ "type": "message_update", "assistantMessageEvent": update }));
        }
        let content = json!([{ "type": "text", "text": whole }]);
        self.assistant(content, json!({ "stopReason": "stop" }));
    }

    fn assistant(&mut self, content: Value, mut fields: Value) {
        fields["role"] = "assistant".into();
        fields["content"] = content;
        self.event(json!({ "type": "message_end", "message": fields }));
    }

    /// Lets the model fail, and says what its server answered.
    fn fails(&mut self, said: &str, failure: Value) {
        self.ours(&json!({ "failed": failure }));
        self.event(json!({ "type": "message_start", "message": { "role": "assistant", "content": [] } }));
        let piece = json!({ "type": "text_delta", "contentIndex": 0, "delta": said });
        self.event(json!({ "type": "message_update", "assistantMessageEvent": piece }));
        let content = json!([{ "type": "text", "text": said }]);
        self.assistant(content, json!({ "stopReason": "error", "errorMessage": "it broke" }));
    }

    /// Ends the run.
    fn end(&mut self) {
        self.event(json!({ "type": "agent_end", "messages": [] }));
        match self.speaker {
            Speaker::Early => self.answer("get_state", state(false, false)),
            Speaker::Recent => self.event(json!({ "type": "agent_settled", "aborted": false })),
        }
    }

    fn ours(&mut self, told: &Value) {
        self.event(json!({
            "type": "extension_ui_request", "id": "s", "method": "setStatus", "statusKey": "paseo",
            "statusText": told.to_string(),
        }));
    }

    fn event(&mut self, value: Value) {
        self.line(&value.to_string());
    }

    fn line(&mut self, text: &str) {
        let line = Line { text: text.to_owned(), damage: None };
        let actions = self.conversation.line(&line, NOW);
        self.take(actions);
    }

    /// Answers the oldest command of a type that was written.
    fn answer(&mut self, command: &str, data: Value) {
        let id = self.asked(command);
        self.event(
            json!({ "type": "response", "id": id, "command": command, "success": true, "data": data }),
        );
    }

    fn refuse(&mut self, command: &str, error: &str) {
        let id = self.asked(command);
        self.event(
            json!({ "type": "response", "id": id, "command": command, "success": false, "error": error }),
        );
    }

    fn asked(&mut self, command: &str) -> Value {
        let found = self.written.iter().position(|line| line["type"] == command);
        let place = found.unwrap_or_else(|| panic!("no {command} was written: {:?}", self.written));
        self.written.remove(place)["id"].clone()
    }

    fn input(&mut self, input: Input) {
        let actions = self.conversation.input(input, NOW);
        self.take(actions);
    }

    fn wake(&mut self) {
        let actions = self.conversation.wake(NOW);
        self.take(actions);
    }

    fn take(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Tell(output) => self.outputs.push(output),
                Action::Write(line) => self.written.push(serde_json::from_str(&line).unwrap()),
                Action::NoteCommands => self.commands.push("note"),
                Action::EndCommands { .. } => self.commands.push("end"),
                Action::End => self.commands.push("end pi"),
                Action::Wake(_) => {}
                Action::Access(_) => panic!("there is nothing to read"),
            }
        }
    }

    fn items(&self) -> Vec<Draft> {
        let items = self.outputs.iter().filter_map(|output| match output {
            Output::Item { draft, .. } => Some(draft.clone()),
            _ => None,
        });
        items.collect()
    }

    /// Returns what was shown by attempts that broke off, each with the attempt that follows.
    fn broken(&self) -> Vec<(Vec<String>, Option<Retry>)> {
        let broken = self.outputs.iter().filter_map(|output| match output {
            Output::BrokeOff { items, retry } => {
                Some((items.iter().map(|id| self.grown(*id)).collect(), *retry))
            }
            _ => None,
        });
        broken.collect()
    }

    fn grown(&self, id: ItemId) -> String {
        let pieces = self.outputs.iter().filter_map(|output| match output {
            Output::Delta { item, text, .. } if *item == id => Some(text.as_str()),
            _ => None,
        });
        pieces.collect()
    }

    fn notices(&self) -> Vec<String> {
        let items = self.items().into_iter();
        items
            .filter_map(|draft| if let Kind::Notice { code } = draft.kind { Some(code) } else { None })
            .collect()
    }

    fn ended(&self) -> Option<TurnEnd> {
        self.outputs.iter().find_map(|output| match output {
            Output::TurnEnded { end, .. } => Some(end.clone()),
            _ => None,
        })
    }

    fn failure(&self) -> Failed {
        match self.ended() {
            Some(TurnEnd::Failed(failed)) => failed,
            other => panic!("it did not fail: {other:?}"),
        }
    }
}

fn state(streaming: bool, compacting: bool) -> Value {
    json!({ "sessionFile": FILE, "isStreaming": streaming, "isCompacting": compacting })
}

fn code(failed: &Failed) -> FailureCode {
    failed.code.clone()
}
