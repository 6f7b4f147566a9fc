//! Following the file that a harness writes its session into.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use paseo_core::id::ItemId;
use paseo_core::time::Timestamp;

use crate::fresh::Ids;
use crate::plain_file;

/// How much is read at once.
const PIECE: u64 = 1024 * 1024;

/// A file that grows.
#[derive(Debug, Default)]
pub(super) struct Record {
    path: Option<PathBuf>,
    /// How much of it was read.
    read: u64,
    /// The beginning of a line whose end is not written yet.
    partial: Vec<u8>,
    lines: VecDeque<Line>,
}

/// A whole line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) span: Span,
}

/// Where a line begins and ends in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) begin: u64,
    pub(super) end: u64,
}

impl Record {
    pub(super) fn is_found(&self) -> bool {
        self.path.is_some()
    }

    pub(super) fn open(&mut self, path: PathBuf) {
        self.path = Some(path);
    }

    /// Returns an id for what a line of it says: the same each time it is read.
    pub(super) fn id(&self, line: Span) -> ItemId {
        let path = self.path.as_deref().unwrap_or(Path::new("")).to_string_lossy();
        Ids::derived(&["said", &path, &line.begin.to_string()]).item(Timestamp::default())
    }

    /// Returns where the next line begins.
    pub(super) fn position(&self) -> u64 {
        self.lines.front().map_or(self.read - self.partial.len() as u64, |line| line.span.begin)
    }

    /// Returns how long the file is now, read or not. Nothing while it is not known.
    pub(super) fn length(&self) -> u64 {
        self.path.as_ref().and_then(|path| std::fs::metadata(path).ok()).map_or(0, |file| file.len())
    }

    /// Returns the next line that is there.
    pub(super) fn next(&mut self) -> Option<Line> {
        if self.lines.is_empty()
            && let Err(error) = self.fill()
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, path = ?self.path, "cannot read a session file");
        }
        self.lines.pop_front()
    }

    fn fill(&mut self) -> io::Result<()> {
        let Some(path) = self.path.clone() else { return Ok(()) };
        loop {
            let mut file = plain_file::open(&path)?;
            if file.metadata()?.len() <= self.read {
                return Ok(());
            }
            file.seek(SeekFrom::Start(self.read))?;
            let mut bytes = Vec::new();
            let count = file.take(PIECE).read_to_end(&mut bytes)?;
            self.cut(&bytes);
            if count == 0 || !self.lines.is_empty() {
                return Ok(());
            }
        }
    }

    fn cut(&mut self, mut bytes: &[u8]) {
        while let Some(newline) = bytes.iter().position(|byte| *byte == b'\n') {
            let begin = self.read - self.partial.len() as u64;
            self.partial.extend_from_slice(&bytes[..newline]);
            self.read += newline as u64 + 1;
            bytes = &bytes[newline + 1..];
            let text = String::from_utf8_lossy(&std::mem::take(&mut self.partial)).into_owned();
            self.lines.push_back(Line { text, span: Span { begin, end: self.read } });
        }
        self.partial.extend_from_slice(bytes);
        self.read += bytes.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn half_a_line_waits_for_its_other_half() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut record = Record::default();
        assert_eq!(record.next(), None);
        record.open(file.path().to_owned());
        file.write_all("one\ntw\u{e9}".as_bytes()).unwrap();
        let line = |text: &str, begin, end| Some(Line { text: text.to_owned(), span: Span { begin, end } });
        assert_eq!(record.next(), line("one", 0, 4));
        assert_eq!((record.next(), record.position(), record.length()), (None, 4, 8));
        file.write_all(b"o\nthree\n").unwrap();
        assert_eq!((record.next(), record.position()), (line("tw\u{e9}o", 4, 10), 10));
        assert_eq!(record.next(), line("three", 10, 16));
        assert_eq!((record.next(), record.position()), (None, 16));
    }
}
