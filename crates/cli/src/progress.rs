//! What can be seen of a turn on stderr while it runs.

use paseo_client::Progress;
use paseo_wire::item::ItemView;
use paseo_wire::stream::LiveFrame;

use crate::printer::{Mode, Printer};
use crate::transcript;

/// Shows progress: streamed text on a terminal, terse lines elsewhere.
#[derive(Debug)]
pub(crate) struct Display {
    printer: Printer,
    handle: String,
    /// The item that is growing, and how many of its bytes were shown.
    growing: Option<(String, u64)>,
}

impl Display {
    pub(crate) fn new(printer: Printer, handle: &str) -> Self {
        Self { printer, handle: handle.to_owned(), growing: None }
    }

    /// Shows one step.
    pub(crate) fn show(&mut self, progress: &Progress) {
        if self.printer.mode() == Mode::Quiet {
            return;
        }
        match progress {
            Progress::Opened { turn } => self.printer.detail(&format!("{} turn {turn}", self.handle)),
            Progress::Status(status) => {
                self.interrupt_text();
                if status == "starting" || status == "running" {
                    self.printer.aside(&format!("{} {status}", self.handle));
                }
            }
            Progress::Live(live) => self.grow(live),
            Progress::Item(item) => self.item(item),
        }
    }

    /// Leaves the terminal at the beginning of a line.
    pub(crate) fn finish(&mut self) {
        self.interrupt_text();
    }

    fn grow(&mut self, live: &LiveFrame) {
        if !self.printer.is_watched() || live.kind == "tool_output" {
            return;
        }
        let shown = match &self.growing {
            Some((item, shown)) if *item == live.item => *shown,
            _ => {
                self.interrupt_text();
                0
            }
        };
        // After a broken connection a piece may come twice, or not at all: then the stored item has it.
        let Some(skip) = shown.checked_sub(live.offset).and_then(|skip| usize::try_from(skip).ok()) else {
            return;
        };
        let Some(new) = live.text.get(skip..).filter(|new| !new.is_empty()) else { return };
        self.printer.grow(new);
        self.growing = Some((live.item.clone(), live.offset + live.text.len() as u64));
    }

    fn item(&mut self, item: &ItemView) {
        let shown = match self.growing.take() {
            Some((growing, shown)) if growing == item.id => {
                Some(usize::try_from(shown).unwrap_or(usize::MAX))
            }
            Some(other) => {
                self.growing = Some(other);
                self.interrupt_text();
                None
            }
            None => None,
        };
        let text = item.text.as_deref().unwrap_or_default();
        match (item.kind.as_str(), shown) {
            ("assistant_text" | "thinking", Some(shown)) => {
                if let Some(rest) = text.get(shown..).filter(|_| item.full_length.is_none()) {
                    self.printer.grow(rest);
                }
                self.printer.end_line();
            }
            ("assistant_text", None) if self.printer.is_watched() && !text.is_empty() => {
                self.printer.grow(text);
                self.printer.end_line();
            }
            ("tool_call" | "tool_result" | "notice" | "error" | "permission", _) => {
                if let Some(line) = transcript::headline(item) {
                    self.printer.aside(&format!("{} {line}", self.handle));
                }
            }
            _ => {}
        }
    }

    fn interrupt_text(&mut self) {
        if self.growing.take().is_some() {
            self.printer.end_line();
        }
    }
}
