//! A text that grows on stderr or stdout, where nothing stands below it.

use std::io::{self, Write};
use std::time::Instant;

use super::growing::{Growing, Look, Room};
use super::{Printer, block, is_dumb};

/// Where the text grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Onto {
    Stdout,
    Stderr,
}

/// A text that grows.
#[derive(Debug)]
pub(crate) struct Live {
    printer: Printer,
    onto: Onto,
    growing: Option<Growing>,
    /// On a terminal that cannot be commanded: text stands on a line that is not ended.
    line_open: bool,
}

impl Live {
    pub(crate) fn on_stderr(printer: Printer) -> Self {
        Self { printer, onto: Onto::Stderr, growing: None, line_open: false }
    }

    pub(crate) fn on_stdout(printer: Printer) -> Self {
        Self { printer, onto: Onto::Stdout, growing: None, line_open: false }
    }

    /// Says whether text stands on a line that is not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.line_open
    }

    /// Shows more of a text.
    pub(crate) fn grow(&mut self, look: Look, text: &str) {
        if is_dumb() {
            self.line_open = true;
            return self.put(&block(text));
        }
        if self.growing.as_ref().is_some_and(|growing| growing.look() != look) {
            self.settle();
        }
        let room = room();
        let growing = self.growing.get_or_insert_with(|| Growing::new(look, room));
        let change = growing.push(text, room, Instant::now());
        self.put(&change.painted(self.colour()));
    }

    /// Ends the text: the cursor is at the beginning of a line.
    pub(crate) fn settle(&mut self) {
        if let Some(mut growing) = self.growing.take() {
            let change = growing.draw(room(), Instant::now());
            self.put(&change.painted(self.colour()));
        }
        if std::mem::take(&mut self.line_open) {
            self.put("\n");
        }
    }

    fn colour(&self) -> bool {
        match self.onto {
            Onto::Stdout => self.printer.out.color,
            Onto::Stderr => self.printer.err.color,
        }
    }

    /// What cannot be shown as it grows is shown whole later.
    fn put(&self, text: &str) {
        let written = match self.onto {
            Onto::Stdout => {
                io::stdout().lock().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())
            }
            Onto::Stderr => io::stderr().lock().write_all(text.as_bytes()),
        };
        written.ok();
    }
}

fn room() -> Room {
    let (width, height) = super::size();
    // The last column is left alone: terminals differ in when they wrap. So is the first row: some keep a copy of a screen
    // that is erased from there on.
    Room { width: width.saturating_sub(1).max(8), height: height.saturating_sub(2) }
}
