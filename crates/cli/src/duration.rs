//! Durations as people type them: `30s`, `5m`, `1h30m`.

use std::time::Duration;

/// Reads a duration.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let malformed = || "expected a duration, for example 500ms, 30s, 5m, 2h or 1d".to_owned();
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at(digits);
        let unit = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at(unit);
        let milliseconds: u64 = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(malformed()),
        };
        if number.is_empty() {
            return Err(malformed());
        }
        // Digits that are no number are too many.
        let part = number.parse().ok().and_then(|number: u64| number.checked_mul(milliseconds));
        let sum = part.and_then(|part| total.checked_add(Duration::from_millis(part)));
        total = sum.ok_or_else(|| "duration too long".to_owned())?;
        rest = after;
    }
    if total.is_zero() && !text.is_empty() {
        return Err("expected more than 0, for example 30s".to_owned());
    }
    if total.is_zero() { Err(malformed()) } else { Ok(total) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_numbers_with_units() {
        assert_eq!(parse("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse("1d"), Ok(Duration::from_secs(86_400)));
        for text in ["", "5", "s", "0s", "-1s", "1.5h", "1 h"] {
            assert!(parse(text).unwrap_err().contains("30s"), "{text}");
        }
        for text in ["99999999999999999999s", "999999999999d"] {
            assert!(parse(text).unwrap_err().contains("too long"), "{text}");
        }
    }
}
