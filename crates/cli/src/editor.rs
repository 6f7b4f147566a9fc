//! A tiny line editor: what is typed or pasted becomes a line. Knows no terminal.

use unicode_width::UnicodeWidthChar;

use paseo_core::limits::MESSAGE_BYTES;

/// Lines that can be called back.
const REMEMBERED: usize = 100;
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// What typing led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line is done.
    Line(String),
    /// Ctrl-D on an empty line.
    End,
}

/// A line that is being typed.
#[derive(Debug, Default)]
pub(crate) struct Editor {
    text: String,
    /// Where the next character goes, in bytes.
    cursor: usize,
    /// Bytes that are not yet a character, a key or the end of a paste.
    pending: Vec<u8>,
    pasting: bool,
    history: Vec<String>,
    /// The line of the history that is shown.
    recalled: Option<usize>,
}

impl Editor {
    /// Takes what came from the terminal and returns what it led to.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Typed> {
        let mut typed = Vec::new();
        for byte in bytes {
            self.pending.push(*byte);
            if self.pasting {
                self.paste();
            } else if let Some(key) = complete(&self.pending) {
                self.pending.clear();
                typed.extend(self.press(key));
            }
        }
        typed
    }

    /// Returns the part of the line around the cursor that fits, and the cursor's column.
    pub(crate) fn view(&self, width: usize) -> (String, usize) {
        let before: Vec<char> = self.text[..self.cursor].chars().map(visible).collect();
        let mut start = before.len();
        let mut column = 0;
        while let Some(wide) = start.checked_sub(1).map(|index| columns(before[index])) {
            if column + wide >= width {
                break;
            }
            column += wide;
            start -= 1;
        }
        let mut row: String = before[start..].iter().collect();
        let mut used = column;
        for character in self.text[self.cursor..].chars().map(visible) {
            used += columns(character);
            if used >= width {
                break;
            }
            row.push(character);
        }
        (row, column)
    }

    fn press(&mut self, key: Key) -> Option<Typed> {
        match key {
            Key::Character(character) => self.insert(character),
            Key::Enter => return Some(Typed::Line(self.take())),
            Key::End if self.text.is_empty() => return Some(Typed::End),
            Key::End | Key::Unknown => {}
            Key::Backspace => self.erase(self.left()),
            Key::Delete => {
                let right = self.right();
                self.text.replace_range(self.cursor..right, "");
            }
            Key::EraseWord => {
                let kept = self.text[..self.cursor].trim_end();
                self.erase(kept.rfind(char::is_whitespace).map_or(0, |at| at + 1));
            }
            Key::EraseLine => self.erase(0),
            Key::EraseRest => self.text.truncate(self.cursor),
            Key::Left => self.cursor = self.left(),
            Key::Right => self.cursor = self.right(),
            Key::Home => self.cursor = 0,
            Key::Last => self.cursor = self.text.len(),
            Key::Up => self.recall(self.recalled.unwrap_or(self.history.len()).checked_sub(1)),
            Key::Down => self.recall(self.recalled.map(|index| index + 1)),
            Key::PasteBegins => self.pasting = true,
        }
        None
    }

    fn insert(&mut self, character: char) {
        if self.text.len() < MESSAGE_BYTES {
            self.text.insert(self.cursor, character);
            self.cursor += character.len_utf8();
        }
    }

    fn erase(&mut self, from: usize) {
        self.text.replace_range(from..self.cursor, "");
        self.cursor = from;
    }

    /// Returns the place before what stands left of the cursor, with what only decorates it.
    fn left(&self) -> usize {
        let mut before = self.text[..self.cursor].char_indices().rev();
        before.find(|(_, character)| columns(visible(*character)) > 0).map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        let mut after = self.text[self.cursor..].char_indices().skip(1);
        let next = after.find(|(_, character)| columns(visible(*character)) > 0);
        next.map_or(self.text.len(), |(at, _)| self.cursor + at)
    }

    fn take(&mut self) -> String {
        (self.cursor, self.recalled) = (0, None);
        let line = std::mem::take(&mut self.text);
        if !line.trim().is_empty() && self.history.last() != Some(&line) {
            if self.history.len() == REMEMBERED {
                self.history.remove(0);
            }
            self.history.push(line.clone());
        }
        line
    }

    fn recall(&mut self, index: Option<usize>) {
        let Some(index) = index else { return };
        self.text = self.history.get(index).cloned().unwrap_or_default();
        self.recalled = (index < self.history.len()).then_some(index);
        self.cursor = self.text.len();
    }

    /// What is pasted is text, whatever keys its bytes would be.
    fn paste(&mut self) {
        let ended = self.pending.ends_with(PASTE_ENDS);
        if !ended && self.pending.len() < MESSAGE_BYTES {
            return;
        }
        self.pasting = !ended;
        let pasted = std::mem::take(&mut self.pending);
        let pasted = pasted.strip_suffix(PASTE_ENDS).unwrap_or(&pasted);
        for character in String::from_utf8_lossy(pasted).replace("\r\n", "\n").replace('\r', "\n").chars() {
            if !character.is_control() || matches!(character, '\n' | '\t') {
                self.insert(character);
            }
        }
    }
}

/// A key that was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Character(char),
    Enter,
    End,
    Backspace,
    Delete,
    EraseWord,
    EraseLine,
    EraseRest,
    Left,
    Right,
    Home,
    Last,
    Up,
    Down,
    PasteBegins,
    Unknown,
}

/// Returns the key that these bytes are, once they are one.
fn complete(bytes: &[u8]) -> Option<Key> {
    let key = match bytes {
        [b'\r' | b'\n'] => Key::Enter,
        [0x01] => Key::Home,
        [0x02] => Key::Left,
        [0x04] => Key::End,
        [0x05] => Key::Last,
        [0x06] => Key::Right,
        [0x08 | 0x7f] => Key::Backspace,
        [b'\t'] => Key::Character('\t'),
        [0x0b] => Key::EraseRest,
        [0x0e] => Key::Down,
        [0x10] => Key::Up,
        [0x15] => Key::EraseLine,
        [0x17] => Key::EraseWord,
        [0x1b] | [0x1b, b'[' | b'O'] => return None,
        [0x1b, b'[' | b'O', rest @ .., last] => match (rest, last) {
            (_, 0x20..=0x3f) if bytes.len() < 16 => return None,
            (b"", b'A') => Key::Up,
            (b"", b'B') => Key::Down,
            (b"", b'C') => Key::Right,
            (b"", b'D') => Key::Left,
            (b"", b'H') | (b"1", b'~') => Key::Home,
            (b"", b'F') | (b"4", b'~') => Key::Last,
            (b"3", b'~') => Key::Delete,
            (b"200", b'~') => Key::PasteBegins,
            _ => Key::Unknown,
        },
        [0x00..=0x1f, ..] => Key::Unknown,
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.chars().next().map_or(Key::Unknown, Key::Character),
            Err(error) if error.error_len().is_none() => return None,
            Err(_) => Key::Unknown,
        },
    };
    Some(key)
}

/// Returns what stands for a character on one row.
fn visible(character: char) -> char {
    match character {
        '\n' => '⏎',
        '\t' => ' ',
        _ if crate::printer::line(&character.to_string()).chars().count() > 1 => '�',
        _ => character,
    }
}

fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(bytes: &[u8]) -> (Vec<Typed>, String) {
        let mut editor = Editor::default();
        let typed = editor.feed(bytes);
        (typed, editor.text)
    }

    fn line(bytes: &[u8]) -> String {
        match typed(bytes).0.as_slice() {
            [Typed::Line(line)] => line.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_is_what_was_typed() {
        assert_eq!(line("Grüße, 世界 👋\r".as_bytes()), "Grüße, 世界 👋");
        assert_eq!(typed("ü".as_bytes().get(..1).unwrap()), (vec![], String::new()));
        assert_eq!(line(b"a\xffb\n"), "ab", "what is no text is no text");
        assert_eq!(typed(b"\x04").0, [Typed::End]);
        assert_eq!(typed(b"a\x04"), (vec![], "a".to_owned()));
    }

    #[test]
    fn keys_edit() {
        assert_eq!(line("aü\u{7f}b\n".as_bytes()), "ab");
        assert_eq!(line("ae\u{301}\u{7f}\n".as_bytes()), "a", "an accent goes with its letter");
        assert_eq!(line(b"one two  \x17three\n"), "one three");
        assert_eq!(line(b"one\x15two\n"), "two");
        assert_eq!(line(b"ac\x1b[Db\x01>\x05<\n"), ">abc<");
        assert_eq!(line(b"abc\x1b[H\x1b[3~\x1b[C\x0b\n"), "b");
        assert_eq!(line(b"a\x1b[1;5Pb\x1b[?25hc\x1bOPd\n"), "abcd", "unknown keys do nothing");
    }

    #[test]
    fn a_paste_is_text_and_sends_nothing() {
        let (typed, text) = typed(b"a\x1b[200~one\r\ntwo\x15\x04\x1b[Athree\r\x1b[201~b");
        assert_eq!((typed, text.as_str()), (vec![], "aone\ntwo[Athree\nb"));
        let mut editor = Editor::default();
        for byte in "\x1b[200~世\n界\x1b[201~\n".bytes() {
            let typed = editor.feed(&[byte]);
            assert!(typed.is_empty() || typed == [Typed::Line("世\n界".to_owned())], "{typed:?}");
        }
    }

    #[test]
    fn lines_can_be_called_back() {
        let mut editor = Editor::default();
        editor.feed(b"one\ntwo\n");
        let mut after = |keys: &[u8]| {
            editor.feed(keys);
            editor.text.clone()
        };
        assert_eq!(after(b"\x1b[A"), "two");
        assert_eq!(after(b"\x1b[A\x1b[A"), "one");
        assert_eq!(after(b"\x1b[B"), "two");
        assert_eq!(after(b"\x1b[B\x1b[B"), "");
    }

    #[test]
    fn the_view_follows_the_cursor() {
        let mut editor = Editor::default();
        editor.feed("0123456789".as_bytes());
        assert_eq!(editor.view(20), ("0123456789".to_owned(), 10));
        assert_eq!(editor.view(5), ("6789".to_owned(), 4));
        editor.feed(b"\x01");
        assert_eq!(editor.view(5), ("0123".to_owned(), 0));
        editor.feed("\x15\x0b世界\x1b[200~a\nb\u{202e}\x1b[201~".as_bytes());
        assert_eq!(editor.view(20), ("世界a⏎b�".to_owned(), 8));
        assert_eq!(editor.view(6), ("a⏎b�".to_owned(), 4));
    }
}
