//! Running one shell command, and what it prints as text.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use tokio::net::unix::pipe;

/// What is kept of a command's output: escaped as JSON it still fits into one protocol line.
const OUTPUT_LIMIT: usize = 8 * 1024 * 1024;

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

/// Bytes on their way to text, in pieces that may cut a character in two.
#[derive(Default)]
pub(crate) struct Transcript {
    text: String,
    /// The beginning of a character whose rest has not come yet.
    half: Vec<u8>,
    cut: bool,
}

impl Transcript {
    /// Takes in a piece and returns the text that it completes.
    pub(crate) fn push(&mut self, piece: &[u8]) -> String {
        let mut bytes = std::mem::take(&mut self.half);
        bytes.extend_from_slice(piece);
        let whole = bytes.len() - half_character(&bytes);
        self.half = bytes.split_off(whole);
        self.keep(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns all of the text.
    pub(crate) fn finish(mut self) -> String {
        let half = std::mem::take(&mut self.half);
        self.keep(String::from_utf8_lossy(&half).into_owned());
        self.text
    }

    fn keep(&mut self, mut text: String) -> String {
        if self.cut {
            return String::new();
        }
        if self.text.len() + text.len() > OUTPUT_LIMIT {
            self.cut = true;
            let mut room = OUTPUT_LIMIT - self.text.len();
            while !text.is_char_boundary(room) {
                room -= 1;
            }
            text.truncate(room);
            text.push_str("\n[output cut after 8 MB]\n");
        }
        self.text.push_str(&text);
        text
    }
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

    #[test]
    fn output_without_end_is_cut_with_a_mark() {
        let mut transcript = Transcript::default();
        let piece = "é".repeat(1_000_000);
        for _ in 0..6 {
            transcript.push(piece.as_bytes());
        }
        let text = transcript.finish();
        assert!(text.len() < OUTPUT_LIMIT + 100);
        assert!(text.ends_with("[output cut after 8 MB]\n"));
    }
}
