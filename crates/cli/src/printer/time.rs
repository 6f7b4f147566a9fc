//! Time for people.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use paseo_wire::time::Moment;

/// Returns how long ago a moment was, in a few characters.
pub(crate) fn relative(moment: Moment) -> String {
    ago(Timestamp::now().as_millisecond().saturating_sub(moment.as_millis()))
}

/// Returns a moment as `12:03:04` on the clock at the wall, with the date when it was not today.
pub(crate) fn clock(moment: Moment) -> String {
    let zone = TimeZone::system();
    let at = Timestamp::from_millisecond(moment.as_millis()).unwrap_or_default().to_zoned(zone.clone());
    let format =
        if at.date() == Timestamp::now().to_zoned(zone).date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    at.strftime(format).to_string()
}

/// Says until when a limit that was reached keeps an agent from going on.
pub(crate) fn limit(until: Moment) -> String {
    let zone = TimeZone::system();
    let at = Timestamp::from_millisecond(until.as_millis()).unwrap_or_default().to_zoned(zone.clone());
    let now = Timestamp::now();
    let format = if at.date() == now.to_zoned(zone).date() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    let left = until.as_millis().saturating_sub(now.as_millisecond());
    format!("rate limit until {} ({})", at.strftime(format), ahead(left))
}

/// Returns how long something took, in a few characters.
pub(crate) fn lasted(from: Moment, to: Moment) -> String {
    span(to.as_millis().saturating_sub(from.as_millis()))
}

fn span(milliseconds: i64) -> String {
    let seconds = milliseconds / 1000;
    match milliseconds {
        ..10_000 => format!("{}.{:03}s", seconds.max(0), (milliseconds % 1000).max(0)),
        10_000..60_000 => format!("{seconds}.{}s", milliseconds % 1000 / 100),
        60_000..3_600_000 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3_600, seconds % 3_600 / 60),
    }
}

fn ahead(milliseconds: i64) -> String {
    // Rounded up, so that it is not too early then.
    let seconds = (milliseconds + 999) / 1000;
    match seconds {
        ..1 => "now".to_owned(),
        1..60 => format!("in {seconds} s"),
        60..3_600 => format!("in {} min", (seconds + 59) / 60),
        3_600..172_800 => format!("in {} h", (seconds + 3_599) / 3_600),
        _ => format!("in {} d", seconds / 86_400),
    }
}

fn ago(milliseconds: i64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        ..5 => "now".to_owned(),
        5..60 => format!("{seconds}s ago"),
        60..3_600 => format!("{}m ago", seconds / 60),
        3_600..86_400 => format!("{}h ago", seconds / 3_600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let seconds = [-10, 0, 7, 65, 7_300, 200_000];
        let shown: Vec<String> = seconds.iter().map(|seconds| ago(seconds * 1000)).collect();
        assert_eq!(shown, ["now", "now", "7s ago", "1m ago", "2h ago", "2d ago"]);
    }

    #[test]
    fn what_is_to_come_is_rounded_up() {
        let shown: Vec<String> = [-5, 1, 59_000, 1_321_000, 3_600_000, 400_000_000].map(ahead).into();
        assert_eq!(shown, ["now", "in 1 s", "in 59 s", "in 23 min", "in 1 h", "in 4 d"]);
    }

    #[test]
    fn spans_are_as_exact_as_people_read_them() {
        let shown: Vec<String> = [-5, 7, 1_250, 12_340, 65_000, 7_380_000].map(span).into();
        assert_eq!(shown, ["0.000s", "0.007s", "1.250s", "12.3s", "1m 05s", "2h 03m"]);
    }
}
