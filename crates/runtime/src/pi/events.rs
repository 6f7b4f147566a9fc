//! What pi says within a conversation.

use super::adapt::Conversation;
use super::asks::{self, OURS};
use super::failure;
use super::parse::{self, End, Message, MessageNote, Note, Told, ToolNote, Update, Wish, text_of};
use super::speech;
use crate::provider::{Output, Retry};

/// What is said elsewhere too, or only meant for a screen.
const IGNORED: [&str; 8] = [
    "session",
    "turn_end",
    "queue_update",
    "compaction_start",
    "session_info_changed",
    "thinking_level_changed",
    "model_changed",
    "entry_appended",
];

/// What extensions tell a screen.
const DECORATIONS: [&str; 4] = ["setStatus", "setWidget", "setTitle", "set_editor_text"];

impl Conversation {
    /// Takes in an event. What makes no sense, or is new, is kept as it came.
    pub(super) fn event(&mut self, kind: &str, line: &str) {
        match kind {
            "agent_start" => return self.began(),
            "turn_start" => return self.stepped(),
            "agent_settled" => return self.settled(),
            "auto_retry_end" => return self.retried(),
            kind if IGNORED.contains(&kind) => return,
            _ => {}
        }
        let understood = match kind {
            "message_start" => parse::read(line).map(|note: MessageNote| self.message_began(&note.message)),
            "message_update" => parse::read(line)
                .map(|update: Update| self.speech.grow(update.assistant_message_event, &mut self.out)),
            "message_end" => parse::read(line).map(|note: MessageNote| self.message_ended(note.message)),
            "tool_execution_start" => {
                parse::read(line).map(|note: ToolNote| self.calls.begin(note, &mut self.out))
            }
            "tool_execution_update" => {
                parse::read(line).map(|note: ToolNote| self.calls.grow(&note, &mut self.out))
            }
            "tool_execution_end" => parse::read(line).map(|note: ToolNote| self.tool_ended(&note)),
            "agent_end" => parse::read(line).map(|end: End| self.agent_ended(&end)),
            "auto_retry_start" => parse::read(line).map(|note: Note| self.retries(&note)),
            "compaction_end" => parse::read(line).map(|note: Note| self.compacted(&note)),
            "extension_error" => parse::read(line).map(|note: Note| self.extension_failed(note)),
            "extension_ui_request" => parse::read(line).map(|wish: Wish| self.wished(wish, line)),
            _ => None,
        };
        if understood.is_none() {
            self.out.raw(line);
        }
    }

    fn stepped(&mut self) {
        if let Some(turn) = &mut self.turn
            && std::mem::replace(&mut turn.stepped, true)
        {
            self.out.step += 1;
        }
    }

    fn message_began(&mut self, message: &Message) {
        match message.role.as_str() {
            "user" => self.taken(),
            "assistant" => self.speech.begin(),
            _ => {}
        }
    }

    fn message_ended(&mut self, message: Message) {
        match message.role.as_str() {
            "assistant" => self.said(message),
            "custom" if message.display => self.out.notice("extension", text_of(&message.content)),
            _ => {}
        }
    }

    fn said(&mut self, message: Message) {
        self.stored();
        let failure = std::mem::take(&mut self.failure);
        // An older one may try again without a word.
        self.break_off(None);
        let Some(turn) = &mut self.turn else {
            let said = self.speech.end(&message.content, &mut self.out);
            return said.into_iter().for_each(|(id, draft)| self.out.item_with(id, draft));
        };
        turn.usage = turn.usage.plus(message.usage.map(speech::usage).unwrap_or_default());
        // Nothing of it counts: the model is not told it again, and says it again when it is tried again.
        if message.stop_reason.as_deref() == Some("error") {
            let text = message.error_message.filter(|text| !text.is_empty());
            let text = text.unwrap_or_else(|| "the model failed, and pi did not say why".to_owned());
            let failed = failure::failed(&failure, text, self.out.now);
            turn.failed = Some((failed, self.speech.break_off()));
            return;
        }
        let said = self.speech.end(&message.content, &mut self.out);
        said.into_iter().for_each(|(id, draft)| self.out.item_with(id, draft));
    }

    fn tool_ended(&mut self, note: &ToolNote) {
        let stopped = self.turn.as_ref().is_some_and(|turn| turn.stop);
        self.calls.end(note, stopped, &mut self.out);
    }

    fn agent_ended(&mut self, end: &End) {
        if let Some(turn) = &mut self.turn {
            turn.retrying = end.will_retry && !turn.stop;
        }
        self.maybe_over();
    }

    fn retries(&mut self, note: &Note) {
        if let Some(turn) = &mut self.turn {
            turn.retrying = true;
        }
        let count = |number: u64| u32::try_from(number).ok().filter(|number| *number > 0);
        self.break_off(Some(Retry { attempt: count(note.attempt), of: count(note.max_attempts) }));
        let Note { attempt, max_attempts, error_message, .. } = note;
        let why = error_message.as_deref().unwrap_or("the model failed");
        self.out.notice("retrying", format!("Retrying (attempt {attempt} of {max_attempts}): {why}"));
    }

    /// Drops what the last message said, which failed.
    pub(super) fn break_off(&mut self, retry: Option<Retry>) {
        let failed = self.turn.as_mut().and_then(|turn| turn.failed.take());
        let items = failed.map(|(_, items)| items).unwrap_or_default();
        if !items.is_empty() || retry.is_some() {
            self.out.tell(Output::BrokeOff { items, retry });
        }
    }

    fn retried(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.retrying = false;
        }
        self.maybe_over();
    }

    fn compacted(&mut self, note: &Note) {
        match &note.error_message {
            Some(why) => {
                self.out.notice("compaction_failed", format!("Summarising the conversation failed: {why}"))
            }
            None if note.aborted => {}
            None => self.out.notice("compacted", "The conversation was summarised to free context."),
        }
        if note.will_retry
            && let Some(turn) = &mut self.turn
        {
            // The request that did not fit is sent again.
            turn.retrying = true;
            self.break_off(Some(Retry::default()));
        }
        self.maybe_over();
    }

    fn extension_failed(&mut self, note: Note) {
        let why = note.error.unwrap_or_default();
        self.out.notice_once("extension_error", format!("A pi extension failed: {why}"));
    }

    fn wished(&mut self, wish: Wish, line: &str) {
        let is_ours = wish.status_key.as_deref() == Some(OURS);
        match wish.method.as_str() {
            "setStatus" if is_ours => match parse::read::<Told>(&wish.status_text) {
                Some(told) => self.told(told),
                None => self.out.raw(line),
            },
            method if DECORATIONS.contains(&method) => {}
            "notify" => self.out.notice("extension", wish.message),
            "select" | "confirm" | "input" | "editor" => {
                let id = wish.id.clone();
                match self.asks.begin(wish, &self.session.directory) {
                    Some(request) => self.out.tell(Output::Ask(request)),
                    None => {
                        self.out.raw(line);
                        self.out.write(&asks::cancelled(&id));
                    }
                }
            }
            _ => self.out.raw(line),
        }
    }

    fn told(&mut self, told: Told) {
        self.extended |= told.ready;
        if let Some(failure) = told.failed {
            self.failure = failure;
        }
    }
}
