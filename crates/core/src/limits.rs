//! The numbers that bound everything. In one place, so that docs and errors agree.

/// Longest message that is accepted, in bytes.
pub const MESSAGE_BYTES: usize = 256 * 1024;
/// Most messages that may wait in one session.
pub const QUEUE_LENGTH: usize = 500;
/// Most messages that one turn takes.
pub const TURN_DELIVERIES: usize = 64;
/// Most messages that one event holds.
pub const HELD_DELIVERIES: usize = 256;
/// How often a message is handed to a harness that never confirms, before it is held.
pub const HANDING_ATTEMPTS: u8 = 2;
/// Turns without a human message, per session and cause.
pub const WAKES_PER_SESSION: u32 = 6;
/// Turns without a human message, per cause in total.
pub const WAKES_PER_CAUSE: u32 = 64;
/// Settled deliveries that a session's state remembers; older ones are read from the log.
pub const RECENT_DELIVERIES: usize = 32;
/// Most labels a session may have.
pub const LABELS: usize = 32;
/// Longest label key or value, in bytes as the log holds it: a quote or a backslash counts twice.
pub const LABEL_BYTES: usize = 128;
/// Longest name or title, in characters.
pub const NAME_CHARS: usize = 120;
/// Most rows on one page.
pub const PAGE_ROWS: usize = 500;
/// Fewest characters of a handle.
pub const HANDLE_CHARS: usize = 4;
/// Longest path of a session's directory, in bytes as the log holds it.
pub const PATH_BYTES: usize = 1024;
