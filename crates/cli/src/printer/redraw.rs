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
    /// How large the terminal was then.
    size: (usize, usize),
}

impl Redraw {
    pub(crate) fn new(printer: Printer) -> Self {
        Self { printer, rows: 0, shown: String::new(), size: (0, 0) }
    }

    /// Shows lines that were made harmless before, unless they are there already.
    pub(crate) fn show(&mut self, text: &str) -> Result<(), Failure> {
        let (width, height) = super::size();
        if text == self.shown && self.rows > 0 && self.size == (width, height) {
            return Ok(());
        }
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
        let up = match self.rows {
            0 => String::new(),
            // It is unknown how many rows it takes now: some terminals rewrap what they show, others cut it.
            _ if self.size.0 != width => "\x1b[H".to_owned(),
            rows => format!("\x1b[{rows}A"),
        };
        // Lines that are too long are cut by the terminal, so that a line is a row.
        self.printer.write(&format!("{up}\r\x1b[J\x1b[?7l{body}\x1b[?7h"))?;
        self.rows = body.lines().count();
        text.clone_into(&mut self.shown);
        self.size = (width, height);
        Ok(())
    }
}
