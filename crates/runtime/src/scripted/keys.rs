//! What bytes from a terminal mean to the scripted agent. Pure.

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// A line that is being typed.
#[derive(Debug, Default)]
pub(super) struct Keys {
    text: Vec<u8>,
    /// Bytes that are no key yet.
    pending: Vec<u8>,
    pasting: bool,
    /// Some of the text was pasted.
    pasted: bool,
}

/// What typing led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// Enter, after this, which was typed key by key.
    Line(String),
    /// Enter, after this, some of which was pasted: messages come that way, so it is never a command.
    Pasted(String),
    /// Escape or Ctrl-C.
    Interrupt,
    /// Ctrl-D on an empty line.
    End,
}

impl Keys {
    /// Takes what was read at once, and returns what it led to.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Typed> {
        let mut typed = Vec::new();
        for byte in bytes {
            self.pending.push(*byte);
            typed.extend(if self.pasting { self.paste() } else { self.press() });
        }
        // Nothing follows it: it is the key itself.
        if !self.pasting && self.pending == b"\x1b" {
            self.pending.clear();
            typed.push(Typed::Interrupt);
        }
        typed
    }

    /// Returns the line so far.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }

    fn paste(&mut self) -> Option<Typed> {
        if self.pending == PASTE_ENDS {
            self.pasting = false;
            self.pending.clear();
        } else if !PASTE_ENDS.starts_with(&self.pending) {
            self.pasted = true;
            let pasted = std::mem::take(&mut self.pending);
            self.text.extend(pasted.into_iter().map(|byte| if byte == b'\r' { b'\n' } else { byte }));
        }
        None
    }

    fn press(&mut self) -> Option<Typed> {
        let pending = std::mem::take(&mut self.pending);
        match pending.as_slice() {
            PASTE_BEGINS => self.pasting = true,
            [0x1b] => self.pending = pending,
            // Other keys have names of their own, which end in a letter or a tilde.
            [0x1b, b'[' | b'O', .., b'@'..=b'~'] if pending.len() > 2 => {}
            [0x1b, b'[' | b'O', ..] if pending.len() < 16 => self.pending = pending,
            [0x1b, ..] => {}
            b"\r" | b"\n" => {
                let line = String::from_utf8_lossy(&std::mem::take(&mut self.text)).into_owned();
                let was_pasted = std::mem::take(&mut self.pasted);
                return Some(if was_pasted { Typed::Pasted(line) } else { Typed::Line(line) });
            }
            b"\x03" => return Some(Typed::Interrupt),
            b"\x04" => return self.text.is_empty().then_some(Typed::End),
            b"\x15" => self.text.clear(),
            b"\x7f" | b"\x08" => {
                let mut text = self.text();
                text.pop();
                self.text = text.into_bytes();
            }
            [byte] if *byte < 0x20 && *byte != b'\t' => {}
            bytes => self.text.extend(bytes),
        }
        self.pasted &= !self.text.is_empty();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_enter_and_a_paste_does_not() {
        let mut keys = Keys::default();
        assert_eq!(keys.feed("hé\x7fi\x1b[A\r".as_bytes()), [Typed::Line("hi".to_owned())]);
        assert_eq!(keys.feed(b"\x1b[200~one\rtwo\x03 \x1b[20"), []);
        assert_eq!(keys.feed(b"1x\x1b[201~!"), []);
        assert_eq!(keys.feed(b"\r"), [Typed::Pasted("one\ntwo\x03 \x1b[201x!".to_owned())]);
    }

    #[test]
    fn a_line_from_which_all_that_was_pasted_was_taken_out_again_is_typed() {
        let mut keys = Keys::default();
        assert_eq!(keys.feed(b"\x1b[200~/exit\x1b[201~\x15ok\r"), [Typed::Line("ok".to_owned())]);
        assert_eq!(keys.feed(b"\x1b[200~x\x1b[201~\x7fok\r"), [Typed::Line("ok".to_owned())]);
        assert_eq!(keys.feed(b"/\x1b[200~exit\x1b[201~\r"), [Typed::Pasted("/exit".to_owned())]);
    }

    #[test]
    fn keys_that_stop_something_do() {
        let mut keys = Keys::default();
        assert_eq!(keys.feed(b"\x1b"), [Typed::Interrupt]);
        assert_eq!(keys.feed(b"a\x04\x03\x15\x04"), [Typed::Interrupt, Typed::End]);
    }
}
