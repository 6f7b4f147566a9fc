//! The log's own clock.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time in milliseconds since the Unix epoch. May jump; the log evens that out.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Returns the clock of the machine.
pub fn system_clock() -> Clock {
    Arc::new(|| match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(elapsed) => i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX),
        Err(_) => 0,
    })
}
