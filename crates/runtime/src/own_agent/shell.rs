//! Running one shell command, and what it prints as text.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use tokio::net::unix::pipe;

use super::line;

/// What is kept of a command's output, at its beginning and at its end: as much as the log stores of a text.
const HEAD: usize = 16 * 1024 * 1024 - 1024;
const TAIL: usize = HEAD;

/// As much as a pipe can hold.
const PIPE_CAPACITY: usize = 64 * 1024;

/// A running command.
pub(crate) struct Shell {
    pub(crate) pid: u32,
    /// What it and its children print, on stdout and stderr.
    pub(crate) output: pipe::Receiver,
}

impl Shell {
    /// Starts `sh -c` in a process group of its own, in the current directory.
    #[allow(clippy::disallowed_methods)]
    pub(crate) fn start(command: &str) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let child = Command::new("sh")
            .arg("-c")
            .arg(command)
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .process_group(0)
            .spawn()?;
        Ok(Self { pid: child.id(), output: pipe::Receiver::from_owned_fd(reader.into())? })
    }

    /// Returns what the command printed before it ended.
    ///
    /// Does not wait for the end of the pipe: what the command left running may hold it open, and may
    /// print for ever, so that no more is read than was there.
    pub(crate) fn leftover(&self) -> Vec<u8> {
        let mut found = Vec::new();
        let mut buffer = [0; 4096];
        while found.len() < PIPE_CAPACITY {
            match rustix::io::read(&self.output, &mut buffer) {
                Ok(count @ 1..) => found.extend_from_slice(&buffer[..count]),
                Ok(0) | Err(_) => break,
            }
        }
        found
    }
}

/// Bytes on their way to text, in pieces that may cut a character in two. Of too many, the first and the last are kept.
#[derive(Default)]
pub(crate) struct Transcript {
    head: String,
    /// What came after the head was full: its end, and perhaps something more.
    tail: String,
    /// So many bytes between the two were not kept.
    missing: usize,
    /// The beginning of a character whose rest has not come yet.
    half: Vec<u8>,
}

impl Transcript {
    /// Takes in a piece and returns the text to show meanwhile: what it completes, until the head is full.
    pub(crate) fn push(&mut self, piece: &[u8]) -> String {
        let mut bytes = std::mem::take(&mut self.half);
        bytes.extend_from_slice(piece);
        let whole = bytes.len() - half_character(&bytes);
        self.half = bytes.split_off(whole);
        self.keep(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns all of the text; or its beginning and its end, with a mark between them.
    pub(crate) fn finish(mut self) -> String {
        let half = std::mem::take(&mut self.half);
        self.keep(String::from_utf8_lossy(&half).into_owned());
        let Self { head, mut tail, mut missing, .. } = self;
        missing += keep_end(&mut tail, TAIL);
        if missing == 0 && line::fits(&[&head, &tail]) {
            return head + &tail;
        }
        let mut kept = head.len();
        if !line::fits(&[&head, &tail]) {
            // Mostly characters that take several bytes on the line.
            kept = border(&head, line::SURE / 2);
            missing += head.len() - kept + keep_end(&mut tail, line::SURE / 2);
        }
        format!("{}\n[… {missing} bytes left out …]\n{tail}", &head[..kept])
    }

    fn keep(&mut self, text: String) -> String {
        if self.tail.is_empty() && self.head.len() + text.len() <= HEAD {
            self.head.push_str(&text);
            return text;
        }
        let mut shown = String::new();
        let mut rest = text.as_str();
        if self.tail.is_empty() {
            let (fits, more) = text.split_at(border(&text, HEAD - self.head.len()));
            self.head.push_str(fits);
            shown = format!("{fits}\n[… the rest is shown when the command has finished …]\n");
            rest = more;
        }
        self.tail.push_str(rest);
        // Not with every piece: what stays has to be moved.
        if self.tail.len() > 2 * TAIL {
            self.missing += keep_end(&mut self.tail, TAIL);
        }
        shown
    }
}

/// Returns the last place at or before `at` where a text can be cut.
fn border(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Keeps the end of a text, and returns how many bytes it lost.
fn keep_end(text: &mut String, limit: usize) -> usize {
    let mut from = text.len().saturating_sub(limit);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.drain(..from);
    from
}

/// Returns the length of an unfinished character at the end.
fn half_character(bytes: &[u8]) -> usize {
    let Some(chunk) = bytes.utf8_chunks().last() else { return 0 };
    let invalid = chunk.invalid();
    let unfinished = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
    if unfinished { invalid.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_in_two_is_put_together() {
        let mut transcript = Transcript::default();
        assert_eq!(transcript.push(b"a\xe2\x82"), "a");
        assert_eq!(transcript.push(b"\xac b"), "€ b");
        assert_eq!(transcript.finish(), "a€ b");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut transcript = Transcript::default();
        assert_eq!(transcript.push(b"a\xffb\xe2"), "a\u{fffd}b");
        assert_eq!(transcript.finish(), "a\u{fffd}b\u{fffd}");
    }

    fn transcript_of(pieces: impl IntoIterator<Item = String>) -> (String, usize) {
        let (mut transcript, mut shown) = (Transcript::default(), 0);
        for piece in pieces {
            shown += transcript.push(piece.as_bytes()).len();
        }
        (transcript.finish(), shown)
    }

    #[test]
    fn output_without_end_keeps_its_beginning_and_its_end() {
        let all = 60;
        let numbered = (0..all).map(|number| format!("{number}{}", "é".repeat(1_000_000)));
        let (text, shown) = transcript_of(numbered.chain(["the very end".to_owned()]));
        assert!(text.len() <= HEAD + TAIL + 100 && text.len() > HEAD + TAIL - 100, "{}", text.len());
        assert!(shown < HEAD + 200, "{shown}");
        assert!(text.starts_with("0é") && text.ends_with("éthe very end"));
        let (head, rest) = text.split_once("\n[… ").unwrap();
        let (missing, tail) = rest.split_once(" bytes left out …]\n").unwrap();
        let printed = (0..all).map(|number: i32| number.to_string().len() + 2_000_000).sum::<usize>() + 12;
        assert_eq!(head.len() + missing.parse::<usize>().unwrap() + tail.len(), printed);
    }

    #[test]
    fn output_that_fits_is_whole() {
        let (text, _) = transcript_of((0..20).map(|_| "x".repeat(1_000_000)));
        assert_eq!(text, "x".repeat(20_000_000));
    }

    #[test]
    fn output_that_grows_on_the_line_fits_it_nevertheless() {
        let (text, _) = transcript_of((0..20).map(|_| "\u{1}".repeat(1_000_000)).chain(["end".to_owned()]));
        assert!(line::fits(&[&text]));
        assert!(text.starts_with('\u{1}') && text.ends_with("\u{1}end"));
        assert!(text.contains("bytes left out"));
    }
}
