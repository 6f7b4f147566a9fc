//! Time on the wire: ISO 8601 in UTC, with milliseconds.

use paseo_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A moment, as `2026-01-31T12:00:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(into = "String", try_from = "String")]
#[schema(value_type = String, format = DateTime)]
pub struct Moment(Timestamp);

impl Moment {
    /// Returns milliseconds since the Unix epoch.
    pub fn as_millis(self) -> i64 {
        self.0.as_millis()
    }
}

impl From<Timestamp> for Moment {
    fn from(timestamp: Timestamp) -> Self {
        Self(timestamp)
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        let at = jiff::Timestamp::from_millisecond(moment.0.as_millis()).unwrap_or_default();
        format!("{at:.3}")
    }
}

impl TryFrom<String> for Moment {
    type Error = jiff::Error;

    fn try_from(text: String) -> Result<Self, jiff::Error> {
        let at: jiff::Timestamp = text.parse()?;
        Ok(Self(Timestamp::from_millis(at.as_millisecond())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_survives_a_round_trip() {
        let moment = Moment(Timestamp::from_millis(1_769_860_800_120));
        let json = serde_json::to_string(&moment).unwrap();
        assert_eq!(json, r#""2026-01-31T12:00:00.120Z""#);
        assert_eq!(serde_json::from_str::<Moment>(&json).unwrap(), moment);
    }
}
