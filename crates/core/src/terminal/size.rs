//! How large a terminal may be made, and how often.

use std::time::Duration;

/// Time between two changes of size, at least.
pub const RESIZE_EVERY: Duration = Duration::from_millis(150);

/// Columns and rows of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

impl Size {
    /// What a new terminal has.
    pub const DEFAULT: Self = Self { columns: 160, rows: 48 };

    /// Returns the size that comes closest and that programs can cope with.
    pub fn usable(columns: u16, rows: u16) -> Self {
        Self { columns: columns.clamp(20, 300), rows: rows.clamp(5, 120) }
    }

    /// Reads `160x48`.
    pub fn parse(text: &str) -> Option<Self> {
        let (columns, rows) = text.split_once('x')?;
        let size = Self { columns: columns.parse().ok()?, rows: rows.parse().ok()? };
        (size.columns > 0 && size.rows > 0).then_some(size)
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.columns, self.rows)
    }
}

/// The sizes that the holder of a keyboard asks for. Only the last of many at once counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resizes {
    wanted: Option<Size>,
    next: Duration,
}

impl Resizes {
    /// Notes a size that is wanted.
    pub fn want(&mut self, size: Size) {
        self.wanted = Some(size);
    }

    /// Returns when the size that is wanted may be set.
    pub fn due(&self) -> Option<Duration> {
        self.wanted.map(|_| self.next)
    }

    /// Returns the size to set now, if it is time.
    pub fn take(&mut self, now: Duration) -> Option<Size> {
        if now < self.next {
            return None;
        }
        let size = self.wanted.take()?;
        self.next = now + RESIZE_EVERY;
        Some(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_kept_within_what_programs_can_cope_with() {
        let usable = |columns, rows| Size::usable(columns, rows).to_string();
        assert_eq!(usable(90, 30), "90x30");
        assert_eq!(usable(0, 0), "20x5");
        assert_eq!(usable(u16::MAX, u16::MAX), "300x120");
    }

    #[test]
    fn a_size_is_read_as_it_is_written() {
        assert_eq!(Size::parse(&Size::DEFAULT.to_string()), Some(Size::DEFAULT));
        for wrong in ["", "x", "160", "160x", "0x48", "160x0", "-1x5", "99999x5", "160x48x2"] {
            assert_eq!(Size::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn of_many_sizes_at_once_only_the_last_is_set() {
        let (mut resizes, at) = (Resizes::default(), Duration::from_millis);
        resizes.want(Size::usable(80, 24));
        assert_eq!(resizes.take(at(0)), Some(Size::usable(80, 24)));
        assert_eq!(resizes.due(), None);
        resizes.want(Size::usable(81, 24));
        resizes.want(Size::usable(82, 24));
        assert_eq!((resizes.due(), resizes.take(at(149))), (Some(at(150)), None));
        assert_eq!(resizes.take(at(150)), Some(Size::usable(82, 24)));
        assert_eq!(resizes.take(at(400)), None);
    }
}
