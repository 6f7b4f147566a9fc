//! Rows of text in which words stand out.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::wrap::hanging;
use super::{Style, line};

const TAB: &str = "    ";

/// How a piece of a row looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ink {
    pub(crate) bold: bool,
    pub(crate) dim: bool,
    pub(crate) italic: bool,
    pub(crate) underlined: bool,
    pub(crate) struck: bool,
    pub(crate) colour: Option<Colour>,
}

/// A colour of the terminal's own palette, so that it fits light and dark ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

/// A piece of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) ink: Ink,
    pub(crate) text: String,
}

/// One line on a terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Row(pub(crate) Vec<Span>);

impl From<Style> for Ink {
    fn from(style: Style) -> Self {
        let coloured = |colour| Self { colour: Some(colour), ..Self::default() };
        match style {
            Style::Plain => Self::default(),
            Style::Bold => Self { bold: true, ..Self::default() },
            Style::Dim => Self { dim: true, ..Self::default() },
            Style::Red => coloured(Colour::Red),
            Style::Green => coloured(Colour::Green),
            Style::Yellow => coloured(Colour::Yellow),
            Style::Blue => coloured(Colour::Blue),
        }
    }
}

impl Ink {
    fn codes(self) -> String {
        let colour = self.colour.map(|colour| match colour {
            Colour::Red => "31",
            Colour::Green => "32",
            Colour::Yellow => "33",
            Colour::Blue => "34",
            Colour::Magenta => "35",
            Colour::Cyan => "36",
        });
        let flags = [
            (self.bold, "1"),
            (self.dim, "2"),
            (self.italic, "3"),
            (self.underlined, "4"),
            (self.struck, "9"),
        ];
        let codes = flags.iter().filter(|(on, _)| *on).map(|(_, code)| *code).chain(colour);
        codes.collect::<Vec<_>>().join(";")
    }
}

impl Row {
    pub(crate) fn of(style: Style, text: impl Into<String>) -> Self {
        let mut row = Self::default();
        row.push(style.into(), &text.into());
        row
    }

    /// Adds a piece; one that looks like the last is a part of it.
    pub(crate) fn push(&mut self, ink: Ink, text: &str) {
        match self.0.last_mut() {
            Some(last) if last.ink == ink => last.text.push_str(text),
            _ if text.is_empty() => {}
            _ => self.0.push(Span { ink, text: text.to_owned() }),
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|span| span.text.width()).sum()
    }

    pub(crate) fn plain(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }

    /// Returns the row for a terminal, harmless.
    pub(super) fn painted(&self, colour: bool) -> String {
        let paint = |span: &Span| {
            let (text, codes) = (line(&span.text.replace('\t', TAB)), span.ink.codes());
            if colour && !codes.is_empty() { format!("\x1b[{codes}m{text}\x1b[0m") } else { text }
        };
        self.0.iter().map(paint).collect()
    }

    /// Takes away the blanks at its end.
    fn trim_end(&mut self) {
        while let Some(last) = self.0.last_mut() {
            last.text.truncate(last.text.trim_end().len());
            if !last.text.is_empty() {
                return;
            }
            self.0.pop();
        }
    }

    /// Breaks a row between words and leaves words whole, as ids and paths are: see [`hanging`].
    pub(super) fn folded(&self, width: usize) -> Vec<Self> {
        let plain = self.plain();
        let mut at = 0;
        let blanks = |text: &str| text.len() - text.trim_start().len();
        let fold = |text: String| {
            at += blanks(&plain[at..]);
            let begin = at;
            at += text.trim_start().len();
            let mut row = Self::of(Style::Plain, &text[..blanks(&text)]);
            self.between(begin, at).for_each(|(ink, text)| row.push(ink, text));
            row
        };
        hanging(&plain, width).into_iter().map(fold).collect()
    }

    /// Returns the pieces between two places of the plain text.
    fn between(&self, begin: usize, end: usize) -> impl Iterator<Item = (Ink, &str)> {
        let mut at = 0;
        self.0.iter().filter_map(move |span| {
            let (from, to) = (begin.max(at) - at, end.clamp(at, at + span.text.len()) - at);
            at += span.text.len();
            (from < to).then(|| (span.ink, &span.text[from..to]))
        })
    }

    /// Breaks a row between words, into rows of at most `width`. What goes on begins with `lead`.
    pub(super) fn wrapped(self, width: usize, lead: &Row) -> Vec<Self> {
        if self.width() <= width {
            return vec![self];
        }
        let room = width.saturating_sub(lead.width()).max(2);
        let mut rows = Rows { done: Vec::new(), row: Self::default(), used: 0, lead };
        for (ink, word) in self.words() {
            let (wide, limit) = (word.trim_end().width(), if rows.done.is_empty() { width } else { room });
            if rows.used > 0 && rows.used + wide > limit {
                rows.next();
            }
            // A word that is wider than a whole row is broken where the row ends.
            let mut rest = word;
            while wide > room && !rest.is_empty() {
                let limit = if rows.done.is_empty() { width } else { room };
                let (piece, more) = rest.split_at(fitting(rest, limit.saturating_sub(rows.used)));
                rows.push(ink, piece);
                rest = more;
                if !rest.is_empty() {
                    rows.next();
                }
            }
            rows.push(ink, rest);
        }
        rows.next();
        rows.done
    }

    /// Returns the words, each with the blanks behind it.
    fn words(&self) -> impl Iterator<Item = (Ink, &str)> {
        self.0.iter().flat_map(|span| span.text.split_inclusive(' ').map(|word| (span.ink, word)))
    }

    /// Breaks a row where the terminal ends, as code is.
    pub(super) fn broken(self, width: usize) -> Vec<Self> {
        let (width, lead) = (width.max(2), Self::default());
        let mut rows = Rows { done: Vec::new(), row: Self::default(), used: 0, lead: &lead };
        for span in &self.0 {
            let mut rest = span.text.as_str();
            loop {
                let (piece, more) = rest.split_at(fitting(rest, width - rows.used));
                rows.push(span.ink, piece);
                if more.is_empty() {
                    break;
                }
                rows.next();
                rest = more;
            }
        }
        rows.next();
        rows.done
    }
}

/// Rows that are being filled.
struct Rows<'a> {
    done: Vec<Row>,
    row: Row,
    used: usize,
    lead: &'a Row,
}

impl Rows<'_> {
    fn push(&mut self, ink: Ink, text: &str) {
        self.row.push(ink, text);
        self.used += text.width();
    }

    fn next(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        row.trim_end();
        let mut whole = if self.done.is_empty() { Row::default() } else { self.lead.clone() };
        row.0.into_iter().for_each(|span| whole.push(span.ink, &span.text));
        self.done.push(whole);
        self.used = 0;
    }
}

/// Returns how many bytes of a text fit; at least one character does.
fn fitting(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += match character {
            // What it follows is as wide as a picture.
            '\u{fe0f}' => 1,
            _ => character.width().unwrap_or(0),
        };
        if used > width && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, width: usize, lead: &str) -> Vec<String> {
        let lead = Row::of(Style::Plain, lead);
        let rows = Row::of(Style::Plain, text).wrapped(width, &lead);
        rows.iter().map(|row| row.plain().trim_end().to_owned()).collect()
    }

    #[test]
    fn rows_break_between_words_and_within_those_that_are_too_wide() {
        assert_eq!(rows("one two three", 8, ""), ["one two", "three"]);
        assert_eq!(rows("- one two three", 9, "  "), ["- one two", "  three"]);
        assert_eq!(rows("abcdefghij", 4, ""), ["abcd", "efgh", "ij"]);
        assert_eq!(rows("a 世界世界", 4, ""), ["a", "世界", "世界"]);
        assert_eq!(rows("x", 0, ""), ["x"]);
        assert_eq!(rows("ab abcdef", 4, ""), ["ab", "abcd", "ef"]);
    }

    #[test]
    fn pieces_keep_their_look_when_they_are_folded() {
        let mut row = Row::of(Style::Bold, "status  one");
        row.push(Style::Dim.into(), " two  three");
        let rows = row.folded(13);
        let plain: Vec<String> = rows.iter().map(Row::plain).collect();
        assert_eq!(plain, ["status  one", "two  three"]);
        assert_eq!(rows[1].0, Row::of(Style::Dim, "two  three").0);
        assert_eq!(row.folded(80), [row]);
    }

    #[test]
    fn pieces_keep_their_look_when_they_break() {
        let mut row = Row::of(Style::Plain, "one ");
        row.push(Style::Bold.into(), "two three");
        let rows = row.wrapped(7, &Row::default());
        assert_eq!(rows[0].painted(true), "one \x1b[1mtwo\x1b[0m");
        assert_eq!(rows[1].painted(true), "\x1b[1mthree\x1b[0m");
        assert_eq!(rows[1].painted(false), "three");
    }

    #[test]
    fn a_row_of_any_length_is_broken_in_one_pass() {
        // A million characters in far less than a second: each is looked at a few times, whatever the width.
        let long = Row::of(Style::Plain, "a".repeat(1_000_000));
        assert_eq!(long.clone().broken(80).len(), 12_500);
        assert_eq!(long.wrapped(80, &Row::default()).len(), 12_500);
        let words = Row::of(Style::Plain, "ab ".repeat(300_000));
        assert_eq!(words.wrapped(80, &Row::default()).len(), 11_112);
    }

    #[test]
    fn nothing_in_a_row_is_obeyed() {
        let row = Row::of(Style::Red, "a\x1b[2Jb\u{9b}31m\rc\u{202e}");
        let painted = row.painted(false);
        assert!(!painted.chars().any(char::is_control), "{painted:?}");
        assert!(!painted.contains('\u{202e}'));
    }
}
