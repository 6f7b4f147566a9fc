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
    fn spans_are_as_exact_as_people_read_them() {
        let shown: Vec<String> = [-5, 7, 1_250, 12_340, 65_000, 7_380_000].map(span).into();
        assert_eq!(shown, ["0.000s", "0.007s", "1.250s", "12.3s", "1m 05s", "2h 03m"]);
    }
}
