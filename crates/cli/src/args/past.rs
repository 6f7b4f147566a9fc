//! States of the past, as people ask for them.

use std::str::FromStr;

use clap::Args;

use super::When;

/// Which state of the past is meant.
#[derive(Debug, Args)]
pub(crate) struct PastArgs {
    /// Show the past: an age (10m), a time (2026-01-31T12:00:00Z) or the number of an event
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<At>,
}

/// A point in the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    Time(When),
    /// After the event with this number.
    Event(u64),
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(event) = text.parse().ok().filter(|event| *event > 0) {
            return Ok(Self::Event(event));
        }
        text.parse().map(Self::Time).map_err(|_| {
            "expected an age (10m), a time (2026-01-31T12:00:00Z) or the number of an event".to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_point_in_the_past_takes_three_forms() {
        assert_eq!("12".parse(), Ok(At::Event(12)));
        assert_eq!("10m".parse(), Ok(At::Time(When::Ago(Duration::from_secs(600)))));
        let time = "2026-01-31T12:00:00Z";
        assert_eq!(time.parse(), Ok(At::Time(When::Moment(time.parse().unwrap()))));
        for bad in ["", "0", "-1", "yesterday", "2026-01-31"] {
            assert!(bad.parse::<At>().unwrap_err().contains("10m"), "{bad}");
        }
    }
}
