//! Shells of people: what a new viewer is shown of one, and how long one waits for a viewer.

use std::collections::VecDeque;
use std::time::Duration;

/// A shell without a viewer ends after this time.
pub const ABANDONED: Duration = Duration::from_secs(10 * 60);

/// How much of its newest output is kept.
pub const KEPT: usize = 64 * 1024;

/// The newest output of a shell. No emulator holds its screen, so this is what a new viewer draws.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    kept: VecDeque<u8>,
    cut: bool,
}

impl Tail {
    /// Adds output.
    pub fn push(&mut self, output: &[u8]) {
        self.kept.extend(output);
        let excess = self.kept.len().saturating_sub(KEPT);
        if excess > 0 {
            self.kept.drain(..excess);
            self.cut = true;
        }
    }

    /// Returns what is kept, from the beginning of a line.
    pub fn bytes(&self) -> Vec<u8> {
        let line = self.kept.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.kept.iter().skip(if self.cut { line } else { 0 }).copied().collect()
    }
}

/// Who is connected to a shell: one viewer at a time, the one that came last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attendance {
    viewer: Option<u64>,
    next: u64,
    /// When the last viewer left.
    left: Duration,
}

impl Attendance {
    pub fn new(now: Duration) -> Self {
        Self { viewer: None, next: 1, left: now }
    }

    /// Notes a new viewer, who takes the place of another. Returns its number.
    pub fn join(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.viewer = Some(number);
        number
    }

    /// Notes that a viewer has left.
    pub fn leave(&mut self, viewer: u64, now: Duration) {
        if self.viewer == Some(viewer) {
            (self.viewer, self.left) = (None, now);
        }
    }

    /// Returns who is connected.
    pub fn viewer(&self) -> Option<u64> {
        self.viewer
    }

    /// Returns when the shell ends unless a viewer connects.
    pub fn deadline(&self) -> Option<Duration> {
        self.viewer.is_none().then(|| self.left + ABANDONED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_output_is_kept_from_the_beginning_of_a_line() {
        let mut tail = Tail::default();
        tail.push(b"half a line");
        assert_eq!(tail.bytes(), b"half a line");
        tail.push(&[vec![b'x'; KEPT], b"\nlast\n$ ".to_vec()].concat());
        assert_eq!(tail.bytes(), b"last\n$ ");
        tail.push(&vec![b'y'; 3 * KEPT]);
        assert_eq!(tail.bytes().len(), KEPT, "there is no line to begin with");
    }

    #[test]
    fn the_newest_viewer_has_it_and_without_one_it_ends_after_ten_minutes() {
        let at = Duration::from_secs;
        let mut attendance = Attendance::new(at(5));
        assert_eq!(attendance.deadline(), Some(at(605)), "nobody ever came");
        let (first, second) = (attendance.join(), attendance.join());
        assert_eq!((attendance.viewer(), attendance.deadline()), (Some(second), None));
        attendance.leave(first, at(10));
        assert_eq!(attendance.viewer(), Some(second), "it was displaced before");
        attendance.leave(second, at(20));
        assert_eq!((attendance.viewer(), attendance.deadline()), (None, Some(at(620))));
    }
}
