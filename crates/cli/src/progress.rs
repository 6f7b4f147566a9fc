//! What can be seen of a turn on stderr while it runs.

use paseo_client::Progress;
use paseo_wire::item::{ItemBody, ItemView};
use paseo_wire::stream::LiveFrame;
use paseo_wire::words::{ItemKind, LiveKind};

use crate::growth::Growth;
use crate::outcome::Form;
use crate::people::People;
use crate::printer::{Live, Look, Printer};
use crate::transcript::{self, Transcript};

/// Shows progress: streamed text on a terminal, terse lines elsewhere.
#[derive(Debug)]
pub(crate) struct Display {
    printer: Printer,
    handle: String,
    transcript: Transcript,
    live: Live,
    growth: Growth,
    form: Form,
    /// What the agent said since its last tool call, as far as it was shown whole.
    said: Vec<String>,
}

impl Display {
    pub(crate) fn new(printer: Printer, handle: &str, form: Form) -> Self {
        Self {
            printer,
            handle: handle.to_owned(),
            transcript: Transcript::in_lines(),
            live: Live::on_stderr(printer),
            growth: Growth::default(),
            form,
            said: Vec::new(),
        }
    }

    /// Shows one step.
    pub(crate) fn show(&mut self, progress: &Progress) {
        if !self.printer.tells_progress() {
            return;
        }
        match progress {
            Progress::Opened { turn } => self.printer.detail(&format!("{} turn {turn}", self.handle)),
            Progress::Status(status) => self.printer.detail(&format!("{} {status}", self.handle)),
            Progress::Live(live) => self.live(live),
            Progress::Item(item) => self.item(item),
            Progress::Lost => {
                self.finish();
                self.printer.lost();
            }
        }
    }

    /// Leaves the terminal at the beginning of a line.
    pub(crate) fn finish(&mut self) {
        self.live.settle();
    }

    /// Says whether text stands on a line that is not ended.
    pub(crate) fn is_growing(&self) -> bool {
        self.live.is_open()
    }

    /// Says whether the person has read this answer already, on the same screen.
    pub(crate) fn has_shown(&self, answer: &str) -> bool {
        self.printer.is_one_screen() && self.said.join("\n") == answer
    }

    fn live(&mut self, live: &LiveFrame) {
        let document = self.form == Form::Document && live.kind == LiveKind::AssistantText;
        if !self.printer.is_watched() || live.kind == LiveKind::ToolOutput || document {
            return;
        }
        let Some((new, begins)) = self.growth.piece(live) else { return };
        if begins {
            self.finish();
        }
        self.grow(live.kind == LiveKind::AssistantText, new);
    }

    fn item(&mut self, item: &ItemView) {
        match &item.body {
            // It is printed once it is known to be what was asked for.
            ItemBody::AssistantText(_) if self.form == Form::Document => {}
            // Paseo's own words to the agent: what it has to correct.
            ItemBody::UserText(said) if said.origin == "daemon" => {
                self.say(&format!("received: {}", item.text.as_deref().unwrap_or_default()));
            }
            ItemBody::AssistantText(_) | ItemBody::Thinking(_) if item.superseded => self.broke_off(item),
            ItemBody::AssistantText(_) | ItemBody::Thinking(_) => self.spoken(item),
            ItemBody::ToolCall(_)
            | ItemBody::ToolResult(_)
            | ItemBody::Notice(_)
            | ItemBody::Error(_)
            | ItemBody::Permission(_) => {
                self.said.clear();
                for block in self.transcript.take(item, &People::default()) {
                    if !block.head.is_empty() {
                        self.say(&block.head);
                    }
                }
            }
            ItemBody::UserText(_)
            | ItemBody::Todo(_)
            | ItemBody::Usage(_)
            | ItemBody::Raw(_)
            | ItemBody::Other { .. } => {}
        }
    }

    /// Shows what of a text was not shown while it grew.
    fn spoken(&mut self, item: &ItemView) {
        let text = item.text.as_deref().unwrap_or_default();
        let is_answer = item.kind() == ItemKind::AssistantText;
        let rest = match self.growth.rest(item) {
            Some(rest) => rest,
            None if !is_answer || !self.printer.is_watched() => return,
            // Of a large text only beginning and end are here.
            None if item.full_length.is_some() => "",
            None => text,
        };
        if !rest.is_empty() {
            self.grow(is_answer, rest);
        }
        if is_answer && item.full_length.is_none() {
            self.said.push(text.to_owned());
        }
        self.finish();
    }

    /// Says that the text shown so far is not the answer.
    fn broke_off(&mut self, item: &ItemView) {
        if self.growth.rest(item).is_some() {
            self.say(transcript::BROKE_OFF);
        }
    }

    fn say(&mut self, words: &str) {
        self.finish();
        self.printer.aside(&format!("{} {words}", self.handle));
    }

    fn grow(&mut self, is_answer: bool, text: &str) {
        // On one screen the words are the answer; beside a file or pipe they are only progress.
        let answer = self.printer.look(!self.printer.is_one_screen());
        let look = if is_answer { answer } else { Look::THOUGHT };
        self.live.grow(look, text);
    }
}
