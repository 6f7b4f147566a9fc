//! A conversation above a line that is being typed: what comes never runs into what is half written.

use std::time::Instant;

use unicode_width::UnicodeWidthStr;

use super::growing::{Change, Growing, Look, Room, rendered};
use super::ink::Row;
use super::wrap::wrapped;
use super::{Printer, Style, line};
use crate::failure::Failure;

/// The lower end of the terminal: the text that is still growing, and under it the prompt.
#[derive(Debug)]
pub(crate) struct Screen {
    printer: Printer,
    growing: Option<Growing>,
    /// What stands on the prompt's row, and the cursor's column on it.
    prompt: String,
    column: usize,
    /// The prompt is on the screen.
    drawn: bool,
}

impl Screen {
    pub(crate) fn new(printer: Printer) -> Self {
        Self { printer, growing: None, prompt: String::new(), column: 0, drawn: false }
    }

    /// Returns how many columns the prompt may fill.
    pub(crate) fn width() -> usize {
        // The last column is left alone: terminals differ in when they wrap.
        super::size().0.saturating_sub(1).max(8)
    }

    fn room() -> Room {
        Room { width: Self::width(), height: super::size().1.saturating_sub(2) }
    }

    /// Shows lines, in one style. They end between words, and keep their indentation.
    pub(crate) fn say(&mut self, style: Style, text: &str) -> Result<(), Failure> {
        let mut rows = rendered(Look { rendered: false, dim: false }, text, Self::width());
        rows.iter_mut().flat_map(|row| &mut row.0).for_each(|span| span.ink = style.into());
        self.rows(&rows)
    }

    /// Shows what an agent said.
    pub(crate) fn answer(&mut self, text: &str) -> Result<(), Failure> {
        self.rows(&rendered(self.printer.look(false), text, Self::width()))
    }

    /// Shows words beside what they are about, which is on the first line only.
    pub(crate) fn say_beside(&mut self, style: Style, head: &str, words: &str) -> Result<(), Failure> {
        let (beside, blank) = (head.width(), " ".repeat(head.width()));
        let lines = wrapped(&line(words), Self::width().saturating_sub(beside));
        let lines = lines.iter().enumerate();
        let rows: Vec<Row> = lines
            .map(|(index, words)| {
                Row::of(style, format!("{}{words}", if index == 0 { head } else { &blank }))
            })
            .collect();
        self.rows(&rows)
    }

    /// Shows rows.
    pub(crate) fn rows(&mut self, rows: &[Row]) -> Result<(), Failure> {
        self.settle()?;
        self.put(&Change { up: 0, rows: rows.to_vec() })
    }

    /// Shows more of a text that is growing.
    pub(crate) fn grow(&mut self, look: Look, text: &str) -> Result<(), Failure> {
        if self.growing.as_ref().is_some_and(|growing| growing.look() != look) {
            self.settle()?;
        }
        let room = Self::room();
        let growing = self.growing.get_or_insert_with(|| Growing::new(look, room));
        let change = growing.push(text, room, Instant::now());
        self.put(&change)
    }

    /// Ends the text that was growing.
    pub(crate) fn settle(&mut self) -> Result<(), Failure> {
        match self.growing.take() {
            Some(mut growing) => {
                let change = growing.draw(Self::room(), Instant::now());
                self.put(&change)
            }
            None => Ok(()),
        }
    }

    /// Shows what is typed: a row that fits, and the cursor's column.
    pub(crate) fn type_in(&mut self, row: &str, column: usize) -> Result<(), Failure> {
        line(row).clone_into(&mut self.prompt);
        self.column = column;
        self.put(&Change::default())
    }

    /// Takes the prompt away and leaves the cursor at the beginning of a line.
    pub(crate) fn leave(&mut self) -> Result<(), Failure> {
        self.settle()?;
        let erased = self.erased();
        self.printer.write(&erased)
    }

    /// Changes what stands above the prompt. One write, so that nothing flickers.
    fn put(&mut self, change: &Change) -> Result<(), Failure> {
        let mut text = self.erased();
        text.push_str(&change.painted(self.printer.out.color));
        text.push_str(&self.prompt);
        text.push('\r');
        if self.column > 0 {
            text.push_str(&format!("\x1b[{}C", self.column));
        }
        self.drawn = true;
        self.printer.write(&text)
    }

    /// Returns what takes the prompt away.
    fn erased(&mut self) -> String {
        if std::mem::take(&mut self.drawn) { "\r\x1b[K".to_owned() } else { String::new() }
    }
}
