//! Rows of text in which words stand out.

use unicode_width::UnicodeWidthStr;

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

    /// Breaks a row between words, into rows of at most `width`. What goes on begins with `lead`.
    pub(super) fn wrapped(self, width: usize, lead: &Row) -> Vec<Self> {
        if self.width() <= width {
            return vec![self];
        }
        let room = width.saturating_sub(lead.width()).max(1);
        let (mut rows, mut row, mut used, mut begun) = (Vec::new(), Self::default(), 0, false);
        for (ink, word) in words(&self) {
            let wide = word.trim_end().width();
            let limit = if rows.is_empty() { width } else { room };
            if begun && used + wide > limit {
                row.trim_end();
                rows.push(std::mem::take(&mut row));
                (used, begun) = (0, false);
            }
            let limit = if rows.is_empty() { width } else { room };
            let mut rest = word.as_str();
            // A word that is wider than a whole row is broken where the row ends.
            while used + rest.trim_end().width() > limit && used < limit {
                let fits = fitting(rest, limit - used);
                if fits == 0 {
                    break;
                }
                row.push(ink, &rest[..fits]);
                rest = &rest[fits..];
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            row.push(ink, rest);
            used += rest.width();
            begun |= !rest.trim().is_empty();
        }
        rows.push(row);
        let indented = |(index, row): (usize, Self)| {
            let mut whole = if index == 0 { Self::default() } else { lead.clone() };
            row.0.into_iter().for_each(|span| whole.push(span.ink, &span.text));
            whole
        };
        rows.into_iter().enumerate().map(indented).collect()
    }
}

impl Row {
    /// Breaks a row where the terminal ends, as code is.
    pub(super) fn broken(self, width: usize) -> Vec<Self> {
        let (width, mut rows, mut row, mut used) = (width.max(2), Vec::new(), Self::default(), 0);
        for span in self.0 {
            let mut rest = span.text.as_str();
            while used + rest.width() > width {
                let fits = fitting(rest, width - used);
                row.push(span.ink, &rest[..fits]);
                rest = &rest[fits..];
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            row.push(span.ink, rest);
            used += rest.width();
        }
        rows.push(row);
        rows
    }
}

/// Returns how many bytes of a text fit.
fn fitting(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += unicode_width::UnicodeWidthChar::width(character).unwrap_or(0);
        if used > width {
            return at;
        }
    }
    text.len()
}

/// Returns the words of a row, each with the blanks behind it.
fn words(row: &Row) -> Vec<(Ink, String)> {
    let pieces = |span: &Span| {
        let ink = span.ink;
        span.text.split_inclusive(' ').map(|word| (ink, word.to_owned())).collect::<Vec<_>>()
    };
    row.0.iter().flat_map(pieces).collect()
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
    fn nothing_in_a_row_is_obeyed() {
        let row = Row::of(Style::Red, "a\x1b[2Jb\u{9b}31m\rc\u{202e}");
        let painted = row.painted(false);
        assert!(!painted.chars().any(char::is_control), "{painted:?}");
        assert!(!painted.contains('\u{202e}'));
    }
}
