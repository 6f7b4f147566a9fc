//! Medians and percentiles.

use std::time::Duration;

/// Returns the middle of some numbers.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    percentile(numbers, 0.5)
}

/// Returns the number below which a share of them lies.
pub(crate) fn percentile(numbers: &[f64], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

/// Returns a duration in milliseconds.
pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
