//! Numbers as SQLite holds them.

/// Returns a number as SQLite's signed integer; those beyond it are as good as the largest.
pub(super) fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Returns a stored count or number, none of which is ever negative.
pub(super) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Returns a `LIMIT`.
pub(super) fn limit(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
