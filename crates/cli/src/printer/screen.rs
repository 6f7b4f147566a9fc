//! A conversation above a line that is being typed: what comes never runs into what is half written.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::wrap::{indentation, indented, wrapped};
use super::{Printer, Style, block, line, paint};
use crate::failure::Failure;

const TAB: &str = "    ";

/// The lower end of the terminal: the row of text that is still growing, and under it the prompt.
#[derive(Debug)]
pub(crate) struct Screen {
    printer: Printer,
    growing: String,
    style: Style,
    /// What stands on the prompt's row, and the cursor's column on it.
    prompt: String,
    column: usize,
    /// The footer is on the screen; with the row above it.
    drawn: Option<bool>,
}

impl Screen {
    pub(crate) fn new(printer: Printer) -> Self {
        let (prompt, growing) = (String::new(), String::new());
        Self { printer, growing, style: Style::Plain, prompt, column: 0, drawn: None }
    }

    /// Returns how many columns the prompt may fill.
    pub(crate) fn width() -> usize {
        // The last column is left alone: terminals differ in when they wrap.
        super::size().0.saturating_sub(1).max(8)
    }

    /// Shows lines, in one style. They end between words, and keep their indentation.
    pub(crate) fn say(&mut self, style: Style, text: &str) -> Result<(), Failure> {
        let text = block(text);
        let lines: Vec<String> = text
            .trim_end_matches('\n')
            .split('\n')
            .flat_map(|part| indented(&line(&part.replace('\t', TAB)), Self::width()))
            .collect();
        self.finished(style, &lines)
    }

    /// Shows words beside what they are about, which is on the first line only.
    pub(crate) fn say_beside(&mut self, style: Style, head: &str, words: &str) -> Result<(), Failure> {
        let (beside, blank) = (head.width(), " ".repeat(head.width()));
        let lines = wrapped(&line(words), Self::width().saturating_sub(beside));
        let lines = lines.iter().enumerate();
        let lines: Vec<String> = lines
            .map(|(index, words)| format!("{}{words}", if index == 0 { head } else { &blank }))
            .collect();
        self.finished(style, &lines)
    }

    fn finished(&mut self, style: Style, lines: &[String]) -> Result<(), Failure> {
        let mut text = self.taken();
        for line in lines {
            text.push_str(&paint(self.printer.out.color, style, line));
            text.push('\n');
        }
        self.put(&text)
    }

    /// Shows more of a text that is growing.
    pub(crate) fn grow(&mut self, style: Style, text: &str) -> Result<(), Failure> {
        let mut lines = if style == self.style { String::new() } else { self.taken() };
        self.style = style;
        for row in wrap(&mut self.growing, &block(text).replace('\t', TAB), Self::width()) {
            lines.push_str(&paint(self.printer.out.color, style, &row));
            lines.push('\n');
        }
        self.put(&lines)
    }

    /// Ends the text that was growing.
    pub(crate) fn settle(&mut self) -> Result<(), Failure> {
        let line = self.taken();
        self.put(&line)
    }

    /// Shows what is typed: a row that fits, and the cursor's column.
    pub(crate) fn type_in(&mut self, row: &str, column: usize) -> Result<(), Failure> {
        line(row).clone_into(&mut self.prompt);
        self.column = column;
        self.put("")
    }

    /// Takes the prompt away and leaves the cursor at the beginning of a line.
    pub(crate) fn leave(&mut self) -> Result<(), Failure> {
        let rest = self.taken();
        let erased = self.erased();
        self.printer.write(&(erased + &rest))
    }

    /// Returns the growing row as a finished line.
    fn taken(&mut self) -> String {
        if self.growing.is_empty() {
            return String::new();
        }
        paint(self.printer.out.color, self.style, &std::mem::take(&mut self.growing)) + "\n"
    }

    /// Puts finished lines above the footer. One write, so that nothing flickers.
    fn put(&mut self, lines: &str) -> Result<(), Failure> {
        let mut text = self.erased();
        text.push_str(lines);
        if !self.growing.is_empty() {
            text.push_str(&paint(self.printer.out.color, self.style, &self.growing));
            text.push('\n');
        }
        text.push_str(&self.prompt);
        text.push('\r');
        if self.column > 0 {
            text.push_str(&format!("\x1b[{}C", self.column));
        }
        self.drawn = Some(!self.growing.is_empty());
        self.printer.write(&text)
    }

    /// Returns what takes the footer away.
    fn erased(&mut self) -> String {
        match self.drawn.take() {
            None => String::new(),
            Some(false) => "\r\x1b[K".to_owned(),
            Some(true) => "\r\x1b[K\x1b[A\x1b[K".to_owned(),
        }
    }
}

/// Lets the last row grow by a text, and returns the rows that are full.
fn wrap(growing: &mut String, text: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut used = growing.width();
    for character in text.chars() {
        let wide = character.width().unwrap_or(0);
        if character == '\n' || used + wide > width {
            let indent = if character == '\n' { 0 } else { indentation(growing, width) };
            // A word that does not fit moves to the next row as a whole.
            let space = growing.rfind(' ').filter(|at| !matches!(character, '\n' | ' ') && *at >= indent);
            let rest = space.map_or_else(String::new, |at| growing.split_off(at + 1));
            let rest = " ".repeat(indent) + &rest;
            used = rest.width();
            rows.push(std::mem::replace(growing, rest));
            // The blank that would be next ended the row.
            if character == ' ' {
                continue;
            }
        }
        if character != '\n' {
            growing.push(character);
            used += wide;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_break_between_words_where_there_are_any() {
        let wrapped = |pieces: &[&str], width| {
            let mut growing = String::new();
            let mut rows: Vec<String> =
                pieces.iter().flat_map(|piece| wrap(&mut growing, piece, width)).collect();
            rows.push(growing);
            rows
        };
        assert_eq!(wrapped(&["one two ", "thr", "ee four"], 10), ["one two ", "three four"]);
        assert_eq!(wrapped(&["abcdefghij", "klm"], 5), ["abcde", "fghij", "klm"]);
        assert_eq!(wrapped(&["a\n", "\nb"], 5), ["a", "", "b"]);
        assert_eq!(wrapped(&["世界世界"], 5), ["世界", "世界"]);
        assert_eq!(wrapped(&["12345 6"], 5), ["12345", "6"]);
        assert_eq!(wrapped(&["  - one two", " three\nx"], 11), ["  - one two", "    three", "x"]);
    }
}
