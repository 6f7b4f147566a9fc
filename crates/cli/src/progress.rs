//! What can be seen of a turn on stderr while it runs.

use paseo_client::Progress;
use paseo_wire::item::ItemView;
use paseo_wire::stream::LiveFrame;

use crate::people::People;
use crate::printer::{Live, Look, Printer};
use crate::transcript::{self, Extent, Transcript};

/// Shows progress: streamed text on a terminal, terse lines elsewhere.
#[derive(Debug)]
pub(crate) struct Display {
    printer: Printer,
    handle: String,
    transcript: Transcript,
    live: Live,
    /// The item that is growing, and how many of its bytes were shown.
    growing: Option<(String, u64)>,
    /// What the agent said since its last tool call, as far as it was shown whole.
    said: Vec<String>,
}

impl Display {
    pub(crate) fn new(printer: Printer, handle: &str) -> Self {
        Self {
            printer,
            handle: handle.to_owned(),
            transcript: Transcript::new(Extent::Counted),
            live: Live::on_stderr(printer),
            growing: None,
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
        if !self.printer.is_watched() || live.kind == "tool_output" {
            return;
        }
        let shown = match &self.growing {
            Some((item, shown)) if *item == live.item => *shown,
            _ => 0,
        };
        // After a broken connection a piece may come twice, or not at all: then the stored item has it.
        let skip = shown.checked_sub(live.offset).and_then(|skip| usize::try_from(skip).ok());
        let Some(new) = skip.and_then(|skip| live.text.get(skip..)).filter(|new| !new.is_empty()) else {
            return;
        };
        if shown == 0 {
            self.finish();
        }
        self.grow(&live.kind, new);
        self.growing = Some((live.item.clone(), live.offset + live.text.len() as u64));
    }

    fn item(&mut self, item: &ItemView) {
        match item.kind.as_str() {
            "assistant_text" | "thinking" if item.superseded => self.broke_off(item),
            "assistant_text" | "thinking" => self.spoken(item),
            "tool_call" | "tool_result" | "notice" | "error" | "permission" => {
                self.said.clear();
                for block in self.transcript.take(item, &People::default()) {
                    if !block.head.is_empty() {
                        self.say(&block.head);
                    }
                }
            }
            _ => {}
        }
    }

    /// Shows what of a text was not shown while it grew.
    fn spoken(&mut self, item: &ItemView) {
        let text = item.text.as_deref().unwrap_or_default();
        let shown = match self.growing.take_if(|(growing, _)| *growing == item.id) {
            Some((_, shown)) => usize::try_from(shown).unwrap_or(usize::MAX),
            None if item.kind == "thinking" || !self.printer.is_watched() => return,
            None => 0,
        };
        // Of a large text only beginning and end are here.
        if let Some(rest) = text.get(shown..).filter(|rest| !rest.is_empty() && item.full_length.is_none()) {
            self.grow(&item.kind, rest);
        }
        if item.kind == "assistant_text" && item.full_length.is_none() {
            self.said.push(text.to_owned());
        }
        self.finish();
    }

    /// Says that the text shown so far is not the answer.
    fn broke_off(&mut self, item: &ItemView) {
        if self.growing.take_if(|(growing, _)| *growing == item.id).is_some() {
            self.say(transcript::BROKE_OFF);
        }
    }

    fn say(&mut self, words: &str) {
        self.finish();
        self.printer.aside(&format!("{} {words}", self.handle));
    }

    fn grow(&mut self, kind: &str, text: &str) {
        // On one screen the words are the answer; beside a file or pipe they are only progress.
        let aloud = kind == "assistant_text" && self.printer.is_one_screen();
        let look = if kind == "assistant_text" { self.printer.look(!aloud) } else { Look::THOUGHT };
        self.live.grow(look, text);
    }
}
