//! The output of an agent within a turn, and what it changes.

use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, CompactionStatus, ContentChunk, Plan, PlanEntryPriority,
    PlanEntryStatus, SessionNotification, SessionUpdate, ToolCallUpdate, UsageUpdate,
};
use paseo_core::id::ItemId;
use paseo_core::item::{Draft, Kind, Usage};
use paseo_core::todo::{self, Priority, Status, Todo};
use serde_json::Value;

use super::adapt::{Conversation, PATIENCE_FOR_MORE};
use super::calls::{Call, as_update, block_text};
use super::parse::read;
use crate::driver::Action;
use crate::provider::{DeltaKind, Output};
use crate::slash::{self, SlashCommand};

/// Text that grows: one item, once something else follows.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) item: ItemId,
    kind: DeltaKind,
    /// The agent's own id of the message.
    pub(super) message: Option<String>,
    text: String,
    /// It began when no turn ran.
    pub(super) late: bool,
    /// It was too long: what comes is left out.
    full: bool,
}

/// The most of one message that is collected, in bytes: more than this of a text is not kept anyway.
const LONGEST: usize = 32 * 1024 * 1024;
/// What stands where the rest of a message was left out.
const CUT: &str = "\n[truncated: the rest was too long]";

/// The notice for what an agent says outside of turns.
const SAID: &str = "agent_said";

/// What a conversation took so far.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Tokens in the context, by the last word of this turn.
    used: Option<u64>,
    /// Millionths of a dollar, of the whole session.
    cost: Option<u64>,
    /// What of it was told.
    told: u64,
}

impl Run {
    /// Adds as much as there is room for, and returns it.
    fn grow(&mut self, mut text: String) -> String {
        if self.full {
            return String::new();
        }
        let room = LONGEST.saturating_sub(CUT.len()).saturating_sub(self.text.len());
        if text.len() > room {
            self.full = true;
            let border = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.truncate(border);
            text.push_str(CUT);
        }
        self.text.push_str(&text);
        text
    }

    /// Says whether it is what the agent answers.
    pub(super) fn is_answer(&self) -> bool {
        self.kind == DeltaKind::AssistantText
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Puts other words in its place.
    pub(super) fn replace(&mut self, text: &str) {
        self.text.clear();
        self.full = false;
        self.grow(text.to_owned());
    }
}

fn as_command(command: AvailableCommand) -> SlashCommand {
    let hint = match command.input {
        Some(AvailableCommandInput::Unstructured(input)) => Some(input.hint),
        _ => None,
    };
    SlashCommand { name: command.name, description: Some(command.description), hint }
}

impl Conversation {
    /// Takes in `session/update`.
    pub(super) fn updated(&mut self, params: &Value, line: &str) {
        let Some(SessionNotification { session_id, update, .. }) = read(params) else {
            return self.out.raw(line);
        };
        if !self.is_own(&session_id.0) {
            return self.out.raw(line);
        }
        match update {
            // About the session, and not of it.
            SessionUpdate::AvailableCommandsUpdate(update) => {
                let commands = update.available_commands.into_iter().map(as_command);
                self.out.tell(Output::Commands(slash::offered(commands)));
            }
            SessionUpdate::CurrentModeUpdate(_) | SessionUpdate::ConfigOptionUpdate(_) => {}
            SessionUpdate::SessionInfoUpdate(_) => self.codex_told(params),
            SessionUpdate::UsageUpdate(usage) => self.meter.note(&usage),
            // What it is told again is in the log already.
            _ if !self.prompted && self.resumed => {}
            SessionUpdate::AgentMessageChunk(chunk) if !self.prompted => match block_text(&chunk.content) {
                Some(text) => self.out.notice(SAID, text),
                None => self.out.raw(line),
            },
            _ if !self.prompted => self.out.raw(line),
            // Our own message.
            SessionUpdate::UserMessageChunk(_) => self.take_up(),
            SessionUpdate::AgentMessageChunk(chunk) => self.chunk(DeltaKind::AssistantText, &chunk, line),
            SessionUpdate::AgentThoughtChunk(chunk) => self.chunk(DeltaKind::Thinking, &chunk, line),
            SessionUpdate::ToolCall(call) => {
                // One that begins is a new one, whatever had its id.
                self.ended_calls.remove(call.tool_call_id.0.as_ref());
                self.call_updated(as_update(call), line);
            }
            SessionUpdate::ToolCallUpdate(update) => self.call_updated(update, line),
            SessionUpdate::Plan(plan) => self.planned(&plan),
            SessionUpdate::Notice(notice) => {
                self.end_run();
                let text = [Some(notice.title), notice.description].into_iter().flatten().collect::<Vec<_>>();
                self.out.notice("agent_notice", text.join("\n"));
            }
            SessionUpdate::CompactionUpdate(update) if update.status == CompactionStatus::Completed => {
                self.end_run();
                self.out.notice("compacted", "The conversation was summarised to free context.");
            }
            SessionUpdate::CompactionUpdate(_) | SessionUpdate::CompactionSummaryChunk(_) => {}
            _ => self.out.raw(line),
        }
    }

    fn chunk(&mut self, kind: DeltaKind, chunk: &ContentChunk, line: &str) {
        self.take_up();
        let Some(text) = block_text(&chunk.content) else { return self.out.raw(line) };
        let message = chunk.message_id.as_ref().map(|id| id.0.to_string());
        let goes_on = self.run.as_ref().is_some_and(|run| run.kind == kind && (run.message == message));
        if !goes_on {
            self.leave_run(message.as_deref());
        }
        if text.is_empty() {
            return;
        }
        self.tell_pending();
        if self.run.is_none() {
            self.next_step();
        }
        let late = self.turn.is_none();
        let out = &mut self.out;
        let new = || Run { item: out.new_item(), kind, message, text: String::new(), late, full: false };
        let run = self.run.get_or_insert_with(new);
        let text = run.grow(text);
        let item = run.item;
        if text.is_empty() {
            return;
        }
        match late {
            false => self.out.tell(Output::Delta { item, kind, text }),
            // Nothing else may follow.
            true => self.out.act(Action::Wake(PATIENCE_FOR_MORE)),
        }
    }

    /// Tells the text that was growing as one item, after what was held back.
    pub(super) fn end_run(&mut self) {
        let runs = self.broken.release().into_iter().chain(self.run.take()).collect();
        let (kept, dead) = self.broken.settle(runs);
        if !dead.is_empty() {
            let items = dead.into_iter().map(|run| run.item).collect();
            self.out.tell(Output::BrokeOff { items, retry: None });
        }
        kept.into_iter().for_each(|run| self.tell_run(run));
    }

    fn tell_run(&mut self, Run { item, kind, text, late, .. }: Run) {
        let kind = match kind {
            // What comes after a turn is not the answer of the next.
            _ if late => Kind::Notice { code: SAID.to_owned() },
            DeltaKind::Thinking => Kind::Thinking,
            DeltaKind::AssistantText => Kind::AssistantText,
        };
        self.out.item_with(item, Draft::text(kind, text));
    }

    pub(super) fn call_updated(&mut self, update: ToolCallUpdate, line: &str) {
        self.take_up();
        let id = update.tool_call_id.0.to_string();
        if self.ended_calls.contains(&id) {
            return self.out.raw(line);
        }
        let (now, stopping) = (self.out.now, self.is_stopping());
        let place = self.calls.iter().position(|call| call.id == id);
        if self.broken.is_dead_call(&id, update.fields.status) {
            return;
        }
        if place.is_none() {
            self.leave_run_for_call();
            self.next_step();
            let number = self.numbers.entry(id.clone()).or_default();
            *number += 1;
            self.calls.push(Call::new(&id, *number, now));
        }
        let place = place.unwrap_or(self.calls.len() - 1);
        let call = &mut self.calls[place];
        call.update(update);
        if !call.told && call.has_begun() {
            let draft = call.begin();
            self.end_run();
            self.out.item(draft);
        }
        let call = &mut self.calls[place];
        if call.ends() {
            let draft = call.end(now, stopping);
            self.out.item(draft);
            self.calls.remove(place);
            self.ended_calls.insert(id);
            self.step_done = true;
        } else if !call.told && !self.holds_back() {
            self.out.act(Action::Wake(PATIENCE_FOR_MORE));
        }
    }

    /// Tells the calls that began and about which nothing more came.
    pub(super) fn tell_pending(&mut self) {
        if self.calls.iter().all(|call| call.told) {
            return;
        }
        self.end_run();
        for call in self.calls.iter_mut().filter(|call| !call.told) {
            let draft = call.begin();
            self.out.item(draft);
        }
    }

    /// Counts the model's steps: one ends with the results of its calls.
    fn next_step(&mut self) {
        if std::mem::take(&mut self.step_done) {
            self.out.step += 1;
        }
    }

    fn planned(&mut self, plan: &Plan) {
        self.take_up();
        self.end_run();
        let entries = plan.entries.iter().map(|entry| Todo {
            content: entry.content.clone(),
            status: match entry.status {
                PlanEntryStatus::InProgress => Status::InProgress,
                PlanEntryStatus::Completed => Status::Completed,
                _ => Status::Pending,
            },
            priority: match entry.priority {
                PlanEntryPriority::High => Priority::High,
                PlanEntryPriority::Low => Priority::Low,
                _ => Priority::Medium,
            },
        });
        let list = todo::encode(&entries.collect::<Vec<_>>());
        self.out.item(Draft::text(Kind::Todo, list));
    }
}

impl Meter {
    fn note(&mut self, update: &UsageUpdate) {
        self.used = Some(update.used);
        let dollars = update.cost.as_ref().filter(|cost| cost.currency.eq_ignore_ascii_case("usd"));
        if let Some(cost) = dollars.filter(|cost| cost.amount.is_finite() && cost.amount >= 0.0) {
            // A float that is no number or too large becomes the nearest that fits.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let micros = (cost.amount * 1e6).round() as u64;
            self.cost = Some(micros);
        }
    }

    /// Returns what a turn took, by what the agent said at its end, and by what it said before.
    pub(super) fn turn(&mut self, said: &Value) -> Option<Usage> {
        let count = |field: &str| said.get(field).and_then(Value::as_u64);
        let cached = count("cachedReadTokens").unwrap_or(0);
        let input = count("inputTokens").map(|fresh| fresh.saturating_add(cached));
        // Who tells only how full the context is has at least read that much.
        let used = self.used.take();
        let cost_micros = self.cost.map(|cost| cost.saturating_sub(std::mem::replace(&mut self.told, cost)));
        let usage = Usage {
            input_tokens: input.or(used).unwrap_or(0),
            output_tokens: count("outputTokens").unwrap_or(0),
            cached_tokens: cached,
            cost_micros: cost_micros.filter(|cost| *cost > 0),
        };
        (usage != Usage::default()).then_some(usage)
    }
}
