//! A text that grows on a terminal: what is still being written is shown again in its place.

use std::time::{Duration, Instant};

use super::ink::Row;
use super::wrap::indented;
use super::{Style, block, line, markdown};

const TAB: &str = "    ";
/// A block beyond this is shown again only after a while, for each time that it is as long: each time takes longer.
const LARGE: usize = 8 * 1024;
const PAUSE: Duration = Duration::from_millis(100);

/// How a text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// It is read as Markdown.
    pub(crate) rendered: bool,
    pub(crate) dim: bool,
}

impl Look {
    /// What an agent thinks aloud.
    pub(crate) const THOUGHT: Self = Self { rendered: false, dim: true };
}

/// How large the place is where it grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) width: usize,
    /// Rows that can be shown again.
    pub(super) height: usize,
}

/// What is to be done: so many rows back from the end of the text, everything from there on is replaced.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) up: usize,
    pub(super) rows: Vec<Row>,
}

impl Change {
    /// Returns what does it on a terminal whose cursor is below the text, at the beginning of a line.
    pub(super) fn painted(&self, colour: bool) -> String {
        let mut text = match self.up {
            0 => String::new(),
            up => format!("\x1b[{up}A\x1b[J"),
        };
        for row in &self.rows {
            text.push_str(&row.painted(colour));
            text.push('\n');
        }
        text
    }
}

#[derive(Debug)]
pub(super) struct Growing {
    look: Look,
    room: Room,
    /// What may still change.
    text: String,
    shown: Vec<Row>,
    drawn: Option<Instant>,
}

impl Growing {
    pub(super) fn new(look: Look, room: Room) -> Self {
        Self { look, room, text: String::new(), shown: Vec::new(), drawn: None }
    }

    pub(super) fn look(&self) -> Look {
        self.look
    }

    /// Takes more of the text.
    pub(super) fn push(&mut self, text: &str, room: Room, now: Instant) -> Change {
        self.text.push_str(text);
        let pause = PAUSE * u32::try_from(self.text.len() / LARGE).unwrap_or(u32::MAX);
        let waits = self.drawn.is_some_and(|drawn| now - drawn < pause);
        if waits { Change::default() } else { self.draw(room, now) }
    }

    /// Shows all that was taken.
    pub(super) fn draw(&mut self, room: Room, now: Instant) -> Change {
        self.drawn = Some(now);
        let rows = rendered(self.look, &self.text, room.width);
        let same = self.shown.iter().zip(&rows).take_while(|(old, new)| old == new).count();
        // What has left the screen, or was broken into other rows by the terminal, stays as it is.
        let height = if room.width == self.room.width { room.height } else { 0 };
        let kept = same.max(self.shown.len().saturating_sub(height));
        let change = Change {
            up: self.shown.len() - kept,
            rows: rows.get(kept..).map(<[Row]>::to_vec).unwrap_or_default(),
        };
        self.room = room;
        self.shown = rows;
        self.settle_blocks();
        change
    }

    /// Forgets what will not change any more.
    fn settle_blocks(&mut self) {
        // What a reference means may be said in any block.
        if self.look.rendered && self.text.contains("]:") && self.text.len() <= LARGE {
            return;
        }
        let last = match self.look.rendered {
            // A line that is not ended may turn out to belong to the block before it.
            true => markdown::last_block(&self.text[..self.text.rfind('\n').map_or(0, |end| end + 1)]),
            false => self.text.trim_end_matches('\n').rfind('\n').map_or(0, |end| end + 1),
        };
        if last > 0 {
            self.text.drain(..last);
            let open = rendered(self.look, &self.text, self.room.width).len();
            self.shown.drain(..self.shown.len().saturating_sub(open));
        }
    }
}

/// Returns a text as rows, as far as the terminal is wide.
pub(super) fn rendered(look: Look, text: &str, width: usize) -> Vec<Row> {
    let rows = if look.rendered { markdown::rows(text, width) } else { None };
    let mut rows = rows.unwrap_or_else(|| as_it_is(text, width));
    if look.dim {
        rows.iter_mut().flat_map(|row| &mut row.0).for_each(|span| span.ink.dim = true);
    }
    rows
}

/// Returns the lines of a text. They end between words, and keep their indentation.
fn as_it_is(text: &str, width: usize) -> Vec<Row> {
    let text = block(text);
    if text.is_empty() {
        return Vec::new();
    }
    let lines = text.trim_end_matches('\n').split('\n');
    let lines = lines.flat_map(|part| indented(&line(&part.replace('\t', TAB)), width));
    lines.flat_map(|line| Row::of(Style::Plain, line).broken(width)).collect()
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    const LOOK: Look = Look { rendered: true, dim: false };

    /// Applies changes as a terminal does.
    fn screen(text: &str, piece: usize, room: Room) -> Vec<String> {
        let (mut growing, mut screen, now) = (Growing::new(LOOK, room), Vec::<String>::new(), Instant::now());
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(piece) {
            let change = growing.push(&piece.iter().collect::<String>(), room, now);
            assert!(change.up <= room.height);
            screen.truncate(screen.len() - change.up);
            // Each row is one line of the terminal, as it is painted.
            let painted = |row: &Row| UnicodeWidthStr::width(row.painted(false).as_str());
            assert!(change.rows.iter().all(|row| painted(row) <= room.width), "{:?}", change.rows);
            screen.extend(change.rows.iter().map(Row::plain));
        }
        screen
    }

    #[test]
    fn what_grew_in_pieces_looks_like_what_came_at_once() {
        let text = "# Title\n\nSome **bold** words that go on and on.\n\n- one\n- two\n\n  more\n- three\n\n```rust\nfn main() {\n    x();\n}\n```\n\n\
                    | a | b |\n|---|---|\n| long cell | 2 |\n\nThe end.\n\n1. a\n2. b\n";
        let room = Room { width: 24, height: 50 };
        let whole: Vec<String> = markdown::rows(text, 24).unwrap().iter().map(Row::plain).collect();
        for piece in [1, 2, 3, 7, 1000] {
            assert_eq!(screen(text, piece, room), whole, "in pieces of {piece}");
        }
    }

    #[test]
    fn what_is_written_out_is_measured_as_that() {
        let room = Room { width: 24, height: 50 };
        for text in [
            "a\u{202e}b ".repeat(30),
            "&#27;[2J ".repeat(30),
            "\u{1}\u{2} ".repeat(40),
            "👨\u{200d}👩\u{200d}👧\u{200d}👦".repeat(20),
            "❤\u{fe0f}".repeat(40),
            format!("```rust\nlet x = \"{}\";\n```", "\u{9b}".repeat(30)),
            "[a]: http://x/\n\nSee [a] and [b].\n\nMore.\n\n[b]: http://y/\n".to_owned(),
        ] {
            let whole: Vec<String> = markdown::rows(&text, 24).unwrap().iter().map(Row::plain).collect();
            assert_eq!(screen(&text, 3, room), whole, "{text:?}");
        }
    }

    #[test]
    fn rows_beyond_the_screen_are_left_alone() {
        let text = "- item\n".repeat(40) + "\nend";
        let shown = screen(&text, 3, Room { width: 40, height: 5 });
        assert_eq!(shown.last().map(String::as_str), Some("end"));
        assert_eq!(shown.iter().filter(|row| row.as_str() == "• item").count(), 40);
    }

    #[test]
    fn large_blocks_are_not_shown_again_for_every_word() {
        let room = Room { width: 80, height: 20 };
        let (mut growing, now) = (Growing::new(LOOK, room), Instant::now());
        growing.push(&format!("```\n{}", "x\n".repeat(LARGE)), room, now);
        assert_eq!(growing.push("y\n", room, now), Change::default());
        let later = growing.push("z\n", room, now + PAUSE * 2);
        assert_eq!(later.rows.iter().map(Row::plain).collect::<Vec<_>>(), ["  y", "  z"]);
    }

    #[test]
    fn a_text_that_is_not_rendered_breaks_between_words() {
        let rows = rendered(Look { rendered: false, dim: true }, "**one** two\n  - three four", 11);
        assert_eq!(rows.iter().map(Row::plain).collect::<Vec<_>>(), ["**one** two", "  - three", "    four"]);
        assert!(rows.iter().all(|row| row.0.iter().all(|span| span.ink.dim)));
    }
}
