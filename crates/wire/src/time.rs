//! Time on the wire: ISO 8601 in UTC, with milliseconds.
//!
//! A list of a thousand sessions holds thousands of moments. So those that come as we write them, which all do, are
//! written and read without more ado; [`jiff`] sees to the rest.

use std::fmt;

use paseo_core::time::Timestamp;
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use utoipa::ToSchema;

/// How a moment looks; digits stand where `0` does.
const SHAPE: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
const DAY: i64 = 86_400_000;
/// Days from the beginning of the year 0 to that of 1970.
const EPOCH: i64 = 719_528;

/// A moment, as `2026-01-31T12:00:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String, format = DateTime)]
pub struct Moment(Timestamp);

impl Moment {
    /// Returns milliseconds since the Unix epoch.
    pub fn as_millis(self) -> i64 {
        self.0.as_millis()
    }

    /// Calls with the text of this moment.
    fn with_text<R>(self, call: impl FnOnce(&str) -> R) -> R {
        let text = written(self.as_millis());
        match text.as_ref().map(|text| str::from_utf8(text)) {
            Some(Ok(text)) => call(text),
            _ => {
                let at = jiff::Timestamp::from_millisecond(self.as_millis()).unwrap_or_default();
                call(&format!("{at:.3}"))
            }
        }
    }
}

impl From<Timestamp> for Moment {
    fn from(timestamp: Timestamp) -> Self {
        Self(timestamp)
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.with_text(str::to_owned)
    }
}

impl TryFrom<&str> for Moment {
    type Error = jiff::Error;

    fn try_from(text: &str) -> Result<Self, jiff::Error> {
        let millis = match read(text) {
            Some(millis) => millis,
            None => text.parse::<jiff::Timestamp>()?.as_millisecond(),
        };
        Ok(Self(Timestamp::from_millis(millis)))
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Moment;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a moment, as 2026-01-31T12:00:00.000Z")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Moment, E> {
                Moment::try_from(text).map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

/// Writes a moment down, unless it is before 1970 or after 9999.
fn written(millis: i64) -> Option<[u8; 24]> {
    let (days, time) = (millis.div_euclid(DAY), millis.rem_euclid(DAY));
    let (year, month, day) = date(days)?;
    let mut text = *SHAPE;
    let mut put = |at: usize, digits: usize, mut number: i64| {
        for place in text[at..at + digits].iter_mut().rev() {
            *place += (number % 10) as u8;
            number /= 10;
        }
    };
    put(0, 4, year);
    put(5, 2, month);
    put(8, 2, day);
    put(11, 2, time / 3_600_000);
    put(14, 2, time / 60_000 % 60);
    put(17, 2, time / 1000 % 60);
    put(20, 3, time % 1000);
    Some(text)
}

/// Reads a moment that looks as we write it.
fn read(text: &str) -> Option<i64> {
    let text: &[u8; 24] = text.as_bytes().try_into().ok()?;
    let fits = |(at, shape): (&u8, &u8)| if *shape == b'0' { at.is_ascii_digit() } else { at == shape };
    if !text.iter().zip(SHAPE).all(fits) {
        return None;
    }
    let number = |at: usize, digits: usize| {
        text[at..at + digits].iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
    };
    let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2));
    let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2));
    if hour > 23 || minute > 59 || second > 59 || !(1..=12).contains(&month) {
        return None;
    }
    let days = before_year(year) + before_month(year, month) + day - 1 - EPOCH;
    // A day that the month does not have is one of another month.
    (date(days)? == (year, month, day))
        .then(|| days * DAY + ((hour * 60 + minute) * 60 + second) * 1000 + number(20, 3))
}

/// Returns year, month and day of a number of days since 1970, until 9999.
fn date(days: i64) -> Option<(i64, i64, i64)> {
    if !(0..before_year(10_000) - EPOCH).contains(&days) {
        return None;
    }
    let days = days + EPOCH;
    // Never more than a year off, as a year has 365.2425 days on average.
    let mut year = days * 400 / 146_097;
    while before_year(year) > days {
        year -= 1;
    }
    while before_year(year + 1) <= days {
        year += 1;
    }
    let day = days - before_year(year);
    // Never before the right month, as none has more than 31 days.
    let mut month = day / 31 + 1;
    while month < 12 && before_month(year, month + 1) <= day {
        month += 1;
    }
    Some((year, month, day - before_month(year, month) + 1))
}

/// Returns the days from the beginning of the year 0 to that of another.
fn before_year(year: i64) -> i64 {
    let last = year - 1;
    year * 365 + last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400) + 1
}

/// Returns the days of a year before one of its months.
fn before_month(year: i64, month: i64) -> i64 {
    const DAYS: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let index = usize::try_from(month - 1).unwrap_or_default();
    DAYS.get(index).copied().unwrap_or_default() + i64::from(leap && month > 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn by_jiff(millis: i64) -> String {
        format!("{:.3}", jiff::Timestamp::from_millisecond(millis).unwrap())
    }

    #[test]
    fn a_moment_survives_a_round_trip() {
        let moment = Moment(Timestamp::from_millis(1_769_860_800_120));
        let json = serde_json::to_string(&moment).unwrap();
        assert_eq!(json, r#""2026-01-31T12:00:00.120Z""#);
        assert_eq!(serde_json::from_str::<Moment>(&json).unwrap(), moment);
    }

    #[test]
    fn every_day_is_written_and_read_as_the_calendar_has_it() {
        for day in 0..(before_year(10_000) - EPOCH) {
            let text = written(day * DAY + 1).unwrap();
            let text = str::from_utf8(&text).unwrap();
            assert_eq!(read(text), Some(day * DAY + 1), "{text}");
            if day % 97 == 0 {
                assert_eq!(text, by_jiff(day * DAY + 1));
            }
        }
    }

    #[test]
    fn what_is_written_otherwise_is_read_too_and_what_is_no_moment_is_not() {
        let millis = |text: &str| Moment::try_from(text).map(Moment::as_millis).ok();
        assert_eq!(millis("2026-01-31T12:00:00Z"), Some(1_769_860_800_000));
        assert_eq!(millis("2026-01-31T13:00:00.120+01:00"), Some(1_769_860_800_120));
        assert_eq!(millis("1969-12-31T23:59:59.999Z"), Some(-1));
        assert_eq!(String::from(Moment(Timestamp::from_millis(-1))), "1969-12-31T23:59:59.999Z");
        for text in [
            "",
            "2026-02-29T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-01-00T00:00:00.000Z",
        ] {
            assert_eq!(millis(text), None, "{text}");
        }
        assert!(serde_json::from_str::<Moment>("5").is_err());
    }

    proptest! {
        #[test]
        fn moments_are_written_and_read_as_by_jiff(millis in -DAY..253_402_207_200_000i64) {
            let text = String::from(Moment(Timestamp::from_millis(millis)));
            prop_assert_eq!(&text, &by_jiff(millis));
            prop_assert_eq!(Moment::try_from(text.as_str()).unwrap().as_millis(), millis);
        }
    }
}
