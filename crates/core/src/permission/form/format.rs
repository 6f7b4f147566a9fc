//! The formats of texts that MCP servers may ask for.

use serde::{Deserialize, Serialize};

/// What a text has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    Email,
    Uri,
    Date,
    DateTime,
}

impl Format {
    /// Finds a format by its word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Email, Self::Uri, Self::Date, Self::DateTime].into_iter().find(|format| format.word() == word)
    }

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Email => "an email address",
            Self::Uri => "an address with its scheme, for example https://example.com",
            Self::Date => "a date, for example 2026-02-28",
            Self::DateTime => "a date and time, for example 2026-02-28T09:30:00Z",
        }
    }

    pub(super) fn fits(self, text: &str) -> bool {
        match self {
            Self::Email => text.split_once('@').is_some_and(|(name, host)| {
                let plain = |part: &str| !part.is_empty() && !part.contains(['@', ' ', '\n', '\t']);
                plain(name) && plain(host)
            }),
            Self::Uri => text.split_once(':').is_some_and(|(scheme, rest)| {
                let letter = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
                let known = scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
                letter && known && !rest.is_empty() && !text.contains(char::is_whitespace)
            }),
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
        }
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let &[year, month, day] = parts.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_once(['T', 't']) else { return false };
    let zone = rest.find(['Z', 'z', '+', '-']);
    let Some((time, zone)) = zone.map(|at| rest.split_at(at)) else { return false };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let utc = zone.eq_ignore_ascii_case("z");
    let offset = zone.get(1..).is_some_and(|offset| is_clock(offset, 2));
    let digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_date(date) && is_clock(time, 3) && digits && (utc || (!zone.starts_with(['Z', 'z']) && offset))
}

/// Says whether a text has hours and minutes, and seconds if there are three parts.
fn is_clock(text: &str, parts: usize) -> bool {
    let read: Option<Vec<u32>> = text.split(':').map(|part| number(part, 2)).collect();
    // The last minute of a day may have a leap second.
    read.is_some_and(|read| {
        read.len() == parts && read.iter().zip([23, 59, 60]).all(|(part, most)| *part <= most)
    })
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_of_their_formats_or_not() {
        let cases: [(Format, &[&str], &[&str]); 4] = [
            (Format::Email, &["a@b", "a.b+c@d.example"], &["", "@b", "a@", "a@b@c", "a b@c"]),
            (
                Format::Uri,
                &["https://a/b", "urn:x", "mailto:a@b"],
                &["", "a/b", ":x", "1a:b", "https:", "a: b"],
            ),
            (
                Format::Date,
                &["2026-02-28", "2024-02-29", "2000-02-29"],
                &[
                    "2026-02-29",
                    "1900-02-29",
                    "2026-13-01",
                    "2026-00-01",
                    "2026-1-1",
                    "2026-01-01x",
                    "+026-01-01",
                ],
            ),
            (
                Format::DateTime,
                &["2026-02-28T09:30:00Z", "2026-02-28t09:30:00.125+01:00", "2026-02-28T23:59:60-08:00"],
                &[
                    "2026-02-28",
                    "2026-02-28T09:30Z",
                    "2026-02-28T24:00:00Z",
                    "2026-02-28T09:30:00",
                    "2026-02-28T09:30:00Z1",
                    "2026-02-28T09:30:00.Z",
                ],
            ),
        ];
        for (format, good, bad) in cases {
            assert_eq!(Format::parse(format.word()), Some(format));
            good.iter().for_each(|text| assert!(format.fits(text), "{format:?} {text}"));
            bad.iter().for_each(|text| assert!(!format.fits(text), "{format:?} {text}"));
        }
    }
}
