//! Reading what a program writes, line by line, whatever it writes and however much.

use std::io;
use std::mem::take;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// The longest line that is kept whole.
pub const LINE_LIMIT: usize = 64 * 1024 * 1024;

/// How much is kept of a longer one.
const HEAD: usize = 64 * 1024;

/// How much is kept of what a program says on stderr.
const TAIL: usize = 4096;

/// One line, without its newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    pub damage: Option<Damage>,
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// It had so many bytes that only the first were kept.
    TooLong { bytes: u64 },
    /// Bytes that are no UTF-8 were replaced.
    InvalidUtf8,
    /// The program ended in the middle of it.
    Unterminated,
}

/// Cuts a stream of bytes into lines of bounded size.
#[derive(Debug)]
pub struct Lines<R> {
    reader: BufReader<R>,
    limit: usize,
    partial: Vec<u8>,
    /// Bytes of the current line that were not kept.
    skipped: u64,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads lines of up to [`LINE_LIMIT`] bytes.
    pub fn new(reader: R) -> Self {
        Self::with_limit(reader, LINE_LIMIT)
    }

    fn with_limit(reader: R, limit: usize) -> Self {
        Self { reader: BufReader::with_capacity(64 * 1024, reader), limit, partial: Vec::new(), skipped: 0 }
    }

    /// Returns the next line, `None` at the end. May be cancelled: nothing that was read is lost.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                let nothing = self.partial.is_empty() && self.skipped == 0;
                return Ok((!nothing).then(|| self.finish(Some(Damage::Unterminated))));
            }
            let newline = chunk.iter().position(|byte| *byte == b'\n');
            let piece = &chunk[..newline.unwrap_or(chunk.len())];
            if self.skipped > 0 {
                self.skipped += piece.len() as u64;
            } else if self.partial.len() + piece.len() > self.limit {
                let whole = self.partial.len() + piece.len();
                self.partial.extend_from_slice(piece);
                self.partial.truncate(HEAD.min(self.limit));
                self.partial.shrink_to_fit();
                self.skipped = (whole - self.partial.len()) as u64;
            } else {
                self.partial.extend_from_slice(piece);
            }
            let used = piece.len() + usize::from(newline.is_some());
            self.reader.consume(used);
            if newline.is_some() {
                return Ok(Some(self.finish(None)));
            }
        }
    }

    fn finish(&mut self, end: Option<Damage>) -> Line {
        let bytes = take(&mut self.partial);
        let skipped = take(&mut self.skipped);
        let length = bytes.len() as u64 + skipped;
        let (text, invalid) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(Damage::InvalidUtf8)),
        };
        let too_long = (skipped > 0).then_some(Damage::TooLong { bytes: length });
        Line { text, damage: too_long.or(end).or(invalid) }
    }
}

/// Reads to the end and keeps the last lines in `tail`, at most 4 KB.
pub(crate) async fn keep_tail(mut reader: impl AsyncRead + Unpin, tail: &std::sync::Mutex<Vec<u8>>) {
    let mut buffer = [0; TAIL];
    while let Ok(count @ 1..) = reader.read(&mut buffer).await {
        let mut tail = tail.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        tail.extend_from_slice(&buffer[..count]);
        let surplus = tail.len().saturating_sub(TAIL);
        tail.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!(LINE_LIMIT, 67_108_864);
    }

    async fn all(bytes: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::with_limit(bytes, limit);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            found.push(line);
        }
        found
    }

    fn line(text: &str, damage: Option<Damage>) -> Line {
        Line { text: text.to_owned(), damage }
    }

    #[tokio::test]
    async fn lines_come_apart_at_newlines() {
        assert_eq!(all(b"a\n\nb\n", 9).await, [line("a", None), line("", None), line("b", None)]);
    }

    #[tokio::test]
    async fn half_a_line_is_told_from_a_whole_one() {
        assert_eq!(all(b"a\nb", 9).await, [line("a", None), line("b", Some(Damage::Unterminated))]);
    }

    #[tokio::test]
    async fn half_a_character_is_replaced() {
        assert_eq!(
            all(b"\xe2\x82\nb\n", 9).await,
            [line("\u{fffd}", Some(Damage::InvalidUtf8)), line("b", None)]
        );
    }

    #[tokio::test]
    async fn a_line_over_the_limit_keeps_its_head_and_spares_the_next() {
        let input = [b"x".repeat(300_000), b"\nok\n".to_vec()].concat();
        let found = all(&input, 100_000).await;
        assert_eq!(found[0].damage, Some(Damage::TooLong { bytes: 300_000 }));
        assert_eq!(found[0].text.len(), HEAD);
        assert_eq!(found[1], line("ok", None));
    }

    #[tokio::test]
    async fn the_tail_is_the_last_four_kilobytes() {
        let tail = std::sync::Mutex::new(Vec::new());
        keep_tail(&[b"a".repeat(9000), b"end".to_vec()].concat()[..], &tail).await;
        let tail = tail.into_inner().unwrap();
        assert_eq!(tail.len(), TAIL);
        assert!(tail.ends_with(b"aend"));
    }
}
