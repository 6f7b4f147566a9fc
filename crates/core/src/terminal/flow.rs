//! How much output may be on its way to a viewer, and how often it is sent.
//!
//! tmux drops what a slow viewer cannot take and redraws the newest screen, but only while nobody reads for it. So the
//! daemon stops reading when a viewer is behind, and the bytes in between are all that can ever wait.

use std::time::Duration;

/// Reading stops above this many unacknowledged bytes.
pub const HIGH_WATER: u64 = 64 * 1024;
/// Reading resumes below this many.
pub const LOW_WATER: u64 = 16 * 1024;
/// Bytes in one frame, at most.
pub const CHUNK: usize = 16 * 1024;
/// Time between two frames, at least.
pub const PACE: Duration = Duration::from_millis(8);
/// A viewer that acknowledges nothing for this long while bytes are outstanding is given up.
pub const STUCK: Duration = Duration::from_secs(30);

/// The bytes between a terminal and one viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    epoch: u32,
    sent: u64,
    acknowledged: u64,
    paused: bool,
    /// When the viewer last made progress, or last had nothing to acknowledge.
    progress: Duration,
}

/// An acknowledgement of bytes that were never sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{acknowledged} bytes were acknowledged, but only {sent} were sent")]
pub struct BadAck {
    acknowledged: u64,
    sent: u64,
}

impl Flow {
    pub fn new(now: Duration) -> Self {
        Self { epoch: 0, sent: 0, acknowledged: 0, paused: false, progress: now }
    }

    /// Begins a new screen, whose bytes are counted from zero. Returns its number.
    pub fn begin(&mut self, now: Duration) -> u32 {
        *self = Self { epoch: self.epoch.wrapping_add(1), ..Self::new(now) };
        self.epoch
    }

    /// Counts bytes that were sent.
    pub fn sent(&mut self, bytes: usize, now: Duration) {
        if self.outstanding() == 0 {
            self.progress = now;
        }
        self.sent += bytes as u64;
        self.paused |= self.outstanding() > HIGH_WATER;
    }

    /// Takes in how many bytes of a screen the viewer has parsed. What it says of an earlier screen is ignored.
    pub fn acknowledge(&mut self, epoch: u32, bytes: u64, now: Duration) -> Result<(), BadAck> {
        if epoch != self.epoch {
            return Ok(());
        }
        if bytes > self.sent {
            return Err(BadAck { acknowledged: bytes, sent: self.sent });
        }
        if bytes > self.acknowledged {
            self.acknowledged = bytes;
            self.progress = now;
            self.paused &= self.outstanding() >= LOW_WATER;
        }
        Ok(())
    }

    /// Says whether more may be read from the terminal.
    pub fn is_open(&self) -> bool {
        !self.paused
    }

    /// Returns when the viewer is given up, unless it makes progress.
    pub fn deadline(&self) -> Option<Duration> {
        (self.outstanding() > 0).then_some(self.progress + STUCK)
    }

    /// Returns how many bytes are on their way.
    pub fn outstanding(&self) -> u64 {
        self.sent - self.acknowledged
    }
}

/// When bytes that were read are sent: the first at once, the next together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    next: Duration,
}

impl Pace {
    /// Returns when bytes that wait are to be sent.
    pub fn due(&self) -> Duration {
        self.next
    }

    /// Notes that some were sent.
    pub fn sent(&mut self, now: Duration) {
        self.next = now + PACE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!((HIGH_WATER, LOW_WATER, CHUNK), (65_536, 16_384, 16_384));
        assert_eq!((PACE.as_millis(), STUCK.as_secs()), (8, 30));
    }

    #[test]
    fn reading_stops_above_the_high_mark_and_resumes_below_the_low_one() {
        let mut flow = Flow::new(at(0));
        let epoch = flow.begin(at(0));
        flow.sent(65_536, at(1));
        assert!(flow.is_open());
        flow.sent(1, at(1));
        assert!(!flow.is_open());
        flow.acknowledge(epoch, 65_537 - 16_384, at(2)).unwrap();
        assert!(!flow.is_open(), "{} bytes are still on their way", flow.outstanding());
        flow.acknowledge(epoch, 65_537 - 16_383, at(3)).unwrap();
        assert!(flow.is_open());
    }

    #[test]
    fn an_acknowledgement_counts_for_its_own_screen_and_never_goes_back() {
        let mut flow = Flow::new(at(0));
        let first = flow.begin(at(0));
        flow.sent(100, at(0));
        let second = flow.begin(at(1));
        assert_ne!(first, second);
        flow.acknowledge(first, 100, at(2)).unwrap();
        assert_eq!(flow.outstanding(), 0);
        flow.sent(50, at(3));
        flow.acknowledge(second, 40, at(4)).unwrap();
        flow.acknowledge(second, 10, at(5)).unwrap();
        assert_eq!(flow.outstanding(), 10);
        assert_eq!(flow.acknowledge(second, 51, at(6)), Err(BadAck { acknowledged: 51, sent: 50 }));
    }

    #[test]
    fn only_a_viewer_that_owes_something_can_be_too_slow() {
        let mut flow = Flow::new(at(0));
        let epoch = flow.begin(at(0));
        assert_eq!(flow.deadline(), None);
        flow.sent(10, at(60_000));
        assert_eq!(flow.deadline(), Some(at(90_000)), "it had nothing to acknowledge before");
        flow.sent(10, at(70_000));
        assert_eq!(flow.deadline(), Some(at(90_000)), "more bytes are no progress");
        flow.acknowledge(epoch, 10, at(80_000)).unwrap();
        assert_eq!(flow.deadline(), Some(at(110_000)));
        flow.acknowledge(epoch, 20, at(81_000)).unwrap();
        assert_eq!(flow.deadline(), None);
    }

    #[test]
    fn the_first_bytes_go_at_once_and_the_next_together() {
        let mut pace = Pace::default();
        assert_eq!(pace.due(), at(0));
        pace.sent(at(100));
        assert_eq!(pace.due(), at(108));
    }
}
