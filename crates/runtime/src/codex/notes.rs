//! What codex says while it works: notifications, and the items they become.

use paseo_core::item::{Draft, Kind};
use serde_json::{Value, json};

use super::adapt::{Conversation, Link, tell_text};
use super::open::{Position, What};
use super::parse::{Delta, Entry, ErrorNote, Item, ItemNote, Place, TurnNote, UsageNote, read, text};
use super::{asks, failure, items};
use crate::provider::{DeltaKind, Output};

/// Notifications that say nothing about the conversation, or nothing that is not said elsewhere.
const NOISE: [&str; 27] = [
    "account/updated",
    "app/list/updated",
    "autoApprovalReview/strictReviewRequired",
    "fs/changed",
    "hook/started",
    "item/autoApprovalReview/started",
    "item/commandExecution/terminalInteraction",
    "item/fileChange/outputDelta",
    "item/fileChange/patchUpdated",
    "mcpServer/event/stream/notification",
    "mcpServer/oauthLogin/completed",
    "model/safetyBuffering/updated",
    "project/changed",
    "rawResponse/completed",
    "remoteControl/status/changed",
    "skills/changed",
    "thread/compacted",
    "thread/environment/connected",
    "thread/goal/cleared",
    "thread/name/updated",
    "thread/queue/changed",
    "thread/readState/changed",
    "thread/settings/updated",
    "thread/started",
    "thread/status/changed",
    "turn/diff/updated",
    "turn/moderationMetadata",
];

impl Conversation {
    pub(super) fn notification(&mut self, method: &str, params: &Value, line: &str) {
        if self.known(method, params, line).is_none() {
            let here = self.here();
            self.out.raw(&here, line);
        }
    }

    /// Takes in a notification; `None` when it is not understood.
    fn known(&mut self, method: &str, params: &Value, line: &str) -> Option<()> {
        match method {
            "turn/started" => self.turn_started(&read(params)?),
            "turn/completed" => self.turn_completed(&read(params)?),
            "item/started" => self.item_started(&read(params)?),
            "item/completed" => self.item_completed(&read(params)?, line),
            "item/agentMessage/delta" | "item/plan/delta" => {
                self.grow(&read(params)?, DeltaKind::AssistantText)
            }
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => {
                self.grow(&read(params)?, DeltaKind::Thinking);
            }
            "item/reasoning/summaryPartAdded" => self.part_added(&read(params)?),
            "item/commandExecution/outputDelta" | "item/mcpToolCall/progress" => {
                self.print(&read(params)?);
            }
            "rawResponseItem/completed" => self.written(&read(params)?, &params["item"]),
            "turn/plan/updated" => self.plan_updated(&read(params)?, params),
            "thread/tokenUsage/updated" => self.used(&read(params)?),
            "account/rateLimits/updated" => self.limits.update(&params["rateLimits"]),
            "error" => self.went_wrong(&read(params)?),
            "serverRequest/resolved" => {
                let call = asks::call(params.get("requestId")?);
                if self.asks.withdraw(&call) {
                    self.out.tell(Output::AskWithdrawn { call });
                }
            }
            "thread/closed" => {
                if self.is_own(text(params, "threadId")) && self.turn.is_none() {
                    self.thread = Link::Closed;
                }
            }
            "mcpServer/startupStatus/updated" => self.server_started(params),
            "warning" | "guardianWarning" => self.warn("warning", text(params, "message"), ""),
            "configWarning" => self.warn("config_warning", text(params, "summary"), text(params, "details")),
            "deprecationNotice" => self.warn("deprecated", text(params, "summary"), text(params, "details")),
            "modelProvider/authRecoveryStarted" => self.warn("retrying", text(params, "message"), ""),
            "model/rerouted" => {
                let (from, to) = (text(params, "fromModel"), text(params, "toModel"));
                self.warn("model_rerouted", &format!("The model server uses {to} instead of {from}."), "");
            }
            // The user's own hooks run all the time; what they did shows, unless they went wrong.
            "hook/completed" if params.pointer("/run/status").is_some_and(|status| status == "completed") => {
            }
            method if NOISE.contains(&method) => {}
            _ => return None,
        }
        Some(())
    }

    /// Returns where something belongs; `None` when it is late: its turn is over, or was stopped.
    fn position(&self, place: &Place) -> Option<Position> {
        let step = self.here().step;
        if !self.is_own(&place.thread_id) {
            return Some(Position { step, parent: self.children.parent(&place.thread_id)? });
        }
        let theirs = self.turn.as_ref()?.theirs.as_ref()?;
        (*theirs == place.turn_id).then_some(Position { step, parent: None })
    }

    fn turn_started(&mut self, note: &TurnNote) {
        if self.is_own(&note.thread_id) {
            self.began(&note.turn.id);
        } else {
            let call = self.open.spawning().map(str::to_owned);
            self.children.begin(&note.thread_id, &note.turn.id, call.as_deref());
        }
    }

    fn turn_completed(&mut self, note: &TurnNote) {
        if self.is_own(&note.thread_id) {
            self.completed(&note.turn);
        } else {
            self.children.end(&note.thread_id);
        }
    }

    fn item_started(&mut self, note: &ItemNote) {
        let ItemNote { place, item: entry } = note;
        self.calls.shown(&entry.id);
        match &entry.item {
            Item::UserMessage { client_id, content } => self.taken_up(place, client_id.as_deref(), content),
            item => {
                self.adopt(entry);
                let (Some(position), Some(draft)) = (self.position(place), items::call(entry)) else {
                    return;
                };
                self.out.item(&position, draft);
                let (result, what) =
                    (self.out.new_item(), What::Call { began: item.clone(), output: String::new() });
                self.open.begin(&place.thread_id, &entry.id, position, result, what);
            }
        }
    }

    fn item_completed(&mut self, note: &ItemNote, line: &str) {
        let ItemNote { place, item: entry } = note;
        self.calls.shown(&entry.id);
        match &entry.item {
            Item::UserMessage { client_id, content } => {
                return self.taken_up(place, client_id.as_deref(), content);
            }
            Item::AgentMessage { text } | Item::Plan { text } => {
                return self.said(place, &entry.id, DeltaKind::AssistantText, text.clone());
            }
            // One without words is encrypted; it means something to the model server only.
            Item::Reasoning { summary, content } => {
                let words: Vec<&str> = summary.iter().chain(content).map(String::as_str).collect();
                return self.said(place, &entry.id, DeltaKind::Thinking, words.join("\n\n"));
            }
            _ => {}
        }
        let Some(position) = self.position(place) else { return };
        match &entry.item {
            Item::ContextCompaction {} => {
                self.out.notice(&position, "compacted", "The conversation was summarised to free context.");
            }
            Item::SubAgentActivity { kind, agent_path } => {
                self.out.notice(&position, "subagent", format!("Subagent {agent_path}: {kind}"));
            }
            Item::Unknown => self.out.raw(&position, line),
            _ => self.call_ended(place, entry, position),
        }
    }

    fn call_ended(&mut self, place: &Place, entry: &Entry, position: Position) {
        self.adopt(entry);
        let denied = self.asks.was_denied(&place.thread_id, &entry.id);
        let (position, id) = match self.open.end(&place.thread_id, &entry.id) {
            Some(open) => (open.position, open.item),
            // It began and ended at once.
            None => {
                if let Some(call) = items::call(entry) {
                    self.out.item(&position, call);
                }
                (position, self.out.new_item())
            }
        };
        if let Some(result) = items::result(entry, denied) {
            self.out.item_with(id, &position, result);
        }
    }

    /// Takes in what the model wrote, and tells of calls that nothing else tells of.
    fn written(&mut self, place: &Place, item: &Value) {
        if let (Some((call, result)), Some(position)) = (self.calls.raw(item), self.position(place)) {
            self.out.item(&position, call);
            self.out.item(&position, result);
        }
    }

    /// Notes which subagents a call started.
    fn adopt(&mut self, entry: &Entry) {
        if let Item::CollabAgentToolCall { tool, receiver_thread_ids, .. } = &entry.item
            && tool == "spawnAgent"
        {
            self.children.adopt(&entry.id, receiver_thread_ids);
        }
    }

    /// Takes in that a message of ours is in the conversation: the first of the turn, or a later one.
    ///
    /// It carries the id that we gave it. A codex that does not know of that says only what it holds.
    fn taken_up(&mut self, place: &Place, id: Option<&str>, content: &[Value]) {
        let own = self.is_own(&place.thread_id);
        let Some(turn) = self.turn.as_mut().filter(|_| own) else { return };
        let theirs = turn.theirs.get_or_insert_with(|| place.turn_id.clone());
        if *theirs != place.turn_id {
            return;
        }
        if !turn.handed && id.is_none_or(|id| id == turn.ours.to_string()) {
            turn.handed = true;
            self.out.tell(Output::Handed { turn: turn.ours });
            return;
        }
        let words = || content.iter().map(|piece| text(piece, "text")).collect::<String>();
        let taken = turn.steers.iter().position(|(delivery, text)| match id {
            Some(id) => id == delivery.to_string(),
            None => *text == words(),
        });
        let Some(taken) = taken else { return };
        let (delivery, _) = turn.steers.remove(taken);
        // What was being said when the message came in is never finished.
        for open in self.open.end_texts(&place.thread_id) {
            tell_text(&mut self.out, open.item, &open.position, &open.what);
        }
        self.out.tell(Output::Steered { delivery, item: None });
    }

    /// Takes in a piece of an item.
    fn grow(&mut self, delta: &Delta, kind: DeltaKind) {
        let Delta { place, item_id, delta: piece } = delta;
        if piece.is_empty() {
            return;
        }
        if self.open.get_mut(&place.thread_id, item_id).is_none() {
            let Some(position) = self.position(place) else { return };
            let (item, what) = (self.out.new_item(), What::Text { kind, text: String::new() });
            self.open.begin(&place.thread_id, item_id, position, item, what);
        }
        if let Some(open) = self.open.get_mut(&place.thread_id, item_id) {
            open.grow(piece);
            self.out.tell(Output::Delta { item: open.item, kind, text: piece.clone() });
        }
    }

    /// Takes in a piece of what a call prints.
    fn print(&mut self, delta: &Delta) {
        let Delta { place, item_id: call, delta: piece } = delta;
        let open = self.open.get_mut(&place.thread_id, call).filter(|_| !piece.is_empty());
        if let Some(open) = open {
            open.grow(piece);
            self.out.tell(Output::Printed { call: call.clone(), item: open.item, text: piece.clone() });
        }
    }

    /// Sets the parts of what is thought apart.
    fn part_added(&mut self, delta: &Delta) {
        let begun = self.open.get_mut(&delta.place.thread_id, &delta.item_id);
        if begun.is_some_and(|open| matches!(&open.what, What::Text { text, .. } if !text.is_empty())) {
            self.grow(&Delta { delta: "\n\n".to_owned(), ..delta.clone() }, DeltaKind::Thinking);
        }
    }

    /// Takes in a text that is finished.
    fn said(&mut self, place: &Place, id: &str, kind: DeltaKind, text: String) {
        let (item, position, grown) = match self.open.end(&place.thread_id, id) {
            Some(open) => (open.item, open.position, open.what),
            None => {
                let Some(position) = self.position(place) else { return };
                (self.out.new_item(), position, What::Text { kind, text: String::new() })
            }
        };
        let what = if text.is_empty() { grown } else { What::Text { kind, text } };
        tell_text(&mut self.out, item, &position, &what);
    }

    fn plan_updated(&mut self, place: &Place, params: &Value) {
        let (Some(position), Some(plan)) =
            (self.position(place), params.get("plan").and_then(Value::as_array))
        else {
            return;
        };
        let status = |step: &Value| match text(step, "status") {
            "inProgress" => "in_progress".to_owned(),
            status => status.to_owned(),
        };
        let list: Vec<Value> = plan
            .iter()
            .map(|step| json!({ "content": text(step, "step"), "status": status(step) }))
            .collect();
        self.out.item(&position, Draft::text(Kind::Todo, Value::Array(list).to_string()));
    }

    /// Takes in what a request used. Each is a step of the model.
    fn used(&mut self, note: &UsageNote) {
        let new = self.meter.read(&note.place.thread_id, note.token_usage);
        let belongs = self.position(&note.place).is_some();
        let own = self.is_own(&note.place.thread_id);
        if let Some(turn) = self.turn.as_mut().filter(|_| belongs) {
            turn.usage = turn.usage.plus(new);
            turn.retried = None;
            if own && new.output_tokens + new.input_tokens > 0 {
                turn.step += 1;
            }
        }
    }

    fn went_wrong(&mut self, note: &ErrorNote) {
        // One that is final comes again with the end of the turn.
        if note.will_retry {
            // What was finished stays: the model is told it again.
            let thread = self.thread_of(&note.thread_id).to_owned();
            let broken = self.open.end_texts(&thread);
            let items = broken.iter().map(|open| open.item).collect();
            let retry = self.is_own(&note.thread_id).then(|| failure::retry(&note.error));
            self.out.tell(Output::BrokeOff { items, retry });
            let here = self.here();
            self.out.notice(&here, "retrying", failure::words(&note.error));
            if let Some(turn) = &mut self.turn {
                turn.retried = Some(note.error.clone());
            }
        }
    }

    /// Returns the thread that something is about; one that is not named is the session's own.
    fn thread_of<'a>(&'a self, named: &'a str) -> &'a str {
        match &self.thread {
            Link::Open(own) if named.is_empty() => &own.id,
            Link::Open(_) | Link::Opening | Link::Closed => named,
        }
    }

    fn server_started(&mut self, params: &Value) {
        let (name, error) = (text(params, "name"), text(params, "error"));
        // Without ours there is no thread, and that is told with the turn that fails.
        let ours = self.setup.servers.iter().any(|server| server.name == name);
        if text(params, "status") == "failed" && !ours {
            self.warn("mcp_server_failed", &format!("The MCP server {name} did not start"), error);
        }
    }

    fn warn(&mut self, code: &str, words: &str, details: &str) {
        let here = self.here();
        let gap = if details.is_empty() { "" } else { ": " };
        self.out.notice_once(&here, code, format!("{words}{gap}{details}"));
    }
}
