//! What agents have used, on the wire.

use paseo_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::item::UsageView;
use crate::time::Moment;
use crate::words::UsageBy;

const DAY_MS: i64 = 86_400_000;

/// The query of `GET /api/usage`. Days are those of UTC.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UsageQuery {
    /// The first day, as `2026-01-31`. By default 29 days before the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)$"
    )]
    pub since: Option<String>,
    /// The last day. By default today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        pattern = "^([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)$"
    )]
    pub until: Option<String>,
    /// What a row is about. By default a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<UsageBy>,
}

/// What agents used on some days. Deleted agents are not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageReport {
    /// The first day and the last, in UTC.
    pub since: String,
    pub until: String,
    pub by: UsageBy,
    pub total: UsageView,
    /// Days in order, without those on which nothing was used; projects and models with the most expensive first.
    pub rows: Vec<UsageRow>,
    /// How many rows were left out. They are part of the total.
    pub left_out: usize,
    /// False while the daemon has just started and still counts closed agents.
    pub complete: bool,
}

/// What was used on a day, in a project or of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageRow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Missing in a row about a model: the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub usage: UsageView,
}

/// Writes a day, by its number since 1970-01-01.
pub fn written_day(day: i64) -> String {
    let mut text = String::from(Moment::from(Timestamp::from_millis(day.saturating_mul(DAY_MS))));
    text.truncate(10);
    text
}

/// Reads a day; `None` when it is none.
pub fn read_day(text: &str) -> Option<i64> {
    let plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let moment = Moment::try_from(format!("{text}T00:00:00.000Z").as_str()).ok().filter(|_| plain)?;
    Some(moment.as_millis().div_euclid(DAY_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_as_they_are_read() {
        for day in [0, 59, 20_484, -1] {
            assert_eq!(read_day(&written_day(day)), Some(day));
        }
        assert_eq!(written_day(20_484), "2026-01-31");
        for text in ["", "2026-02-30", "2026-1-1", "2026-01-31T00:00", "yesterday!"] {
            assert_eq!(read_day(text), None, "{text}");
        }
    }
}
