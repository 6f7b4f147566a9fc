//! Time for people.

use jiff::Timestamp;
use paseo_wire::time::Moment;

/// Returns how long ago a moment was, in a few characters.
pub(crate) fn relative(moment: Moment) -> String {
    ago(Timestamp::now().as_millisecond().saturating_sub(moment.as_millis()))
}

/// Returns a moment as `12:03:04` in UTC, with the date when it was not today.
pub(crate) fn clock(moment: Moment) -> String {
    let text = String::from(moment);
    let today = Timestamp::now().to_string();
    match (text.split_once('T'), today.split_once('T')) {
        (Some((date, time)), Some((today, _))) => {
            let time = time.get(..8).unwrap_or(time);
            if date == today { time.to_owned() } else { format!("{date} {time}") }
        }
        _ => text,
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
}
