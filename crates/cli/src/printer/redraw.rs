//! Showing the same thing again in its place.

use super::Printer;
use crate::failure::Failure;

/// What stands on the terminal and is replaced by what comes.
#[derive(Debug)]
pub(crate) struct Redraw {
    printer: Printer,
    /// Rows of it that are on the screen.
    rows: usize,
    shown: String,
}

impl Redraw {
    pub(crate) fn new(printer: Printer) -> Self {
        Self { printer, rows: 0, shown: String::new() }
    }

    /// Shows lines that were made harmless before, unless they are there already.
    pub(crate) fn show(&mut self, text: &str) -> Result<(), Failure> {
        if text == self.shown && self.rows > 0 {
            return Ok(());
        }
        let (_, height) = super::size();
        let lines: Vec<&str> = text.lines().collect();
        // What does not fit would scroll away, and could not be replaced.
        let room = height.saturating_sub(1).max(2);
        let mut body = if lines.len() <= room {
            lines.iter().map(|line| format!("{line}\n")).collect::<String>()
        } else {
            let some = lines.iter().take(room - 1).map(|line| format!("{line}\n")).collect::<String>();
            format!("{some}… {} more\n", lines.len() + 1 - room)
        };
        if body.is_empty() {
            body.push('\n');
        }
        let up = if self.rows > 0 { format!("\x1b[{}A", self.rows) } else { String::new() };
        // Lines that are too long are cut by the terminal, so that a line is a row.
        self.printer.write(&format!("{up}\r\x1b[J\x1b[?7l{body}\x1b[?7h"))?;
        self.rows = body.lines().count();
        text.clone_into(&mut self.shown);
        Ok(())
    }
}
