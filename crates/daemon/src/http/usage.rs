//! What agents have used.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::session;
use paseo_core::usage::{self, By, Key};
use paseo_wire::error::Code;
use paseo_wire::usage::{UsageQuery, UsageReport, UsageRow, read_day, written_day};
use paseo_wire::words::UsageBy;

use super::App;
use super::reply::Answer;
use super::request::Asked;
use crate::failure::Failure;
use crate::{mint, view};

/// How many days a report has unless it is said, and at most.
const DAYS: i64 = 30;
const MOST_DAYS: i64 = 366;
/// How long to wait, after a start, for closed sessions to be counted.
const COUNTING: Duration = Duration::from_secs(5);

pub(crate) async fn report(State(app): State<App>, Asked(query): Asked<UsageQuery>) -> Answer<UsageReport> {
    let until = query.until.as_deref().map(day).transpose()?.unwrap_or_else(|| session::day(mint::now()));
    let since = query.since.as_deref().map(day).transpose()?.unwrap_or(until.saturating_sub(DAYS - 1));
    if since > until {
        let message = format!("`since` ({}) is after `until` ({})", written_day(since), written_day(until));
        return Err(Failure::new(Code::Conflict, message).hint("choose a `since` on or before `until`"));
    }
    if until - since >= MOST_DAYS {
        let message = format!(
            "a report covers at most {MOST_DAYS} days; {} to {} is more than that",
            written_day(since),
            written_day(until)
        );
        return Err(
            Failure::new(Code::Conflict, message).hint("choose a later `since` or an earlier `until`")
        );
    }
    let by = query.by.as_ref().map(by).transpose()?.unwrap_or_default();
    let (ledgers, complete) = app.sessions.context.directory.ledgers(COUNTING).await;
    let report = usage::report(ledgers.iter().map(AsRef::as_ref), &(since..=until), by);
    let left_out = report.rows.len().saturating_sub(PAGE_ROWS);
    Ok(Json(UsageReport {
        since: written_day(since),
        until: written_day(until),
        by: by.into(),
        total: view::usage(report.total),
        rows: report.rows.into_iter().take(PAGE_ROWS).map(row).collect(),
        left_out,
        complete,
    }))
}

fn row((key, usage): (Key, paseo_core::item::Usage)) -> UsageRow {
    let empty = UsageRow { day: None, project: None, provider: None, model: None, usage: view::usage(usage) };
    match key {
        Key::Day(day) => UsageRow { day: Some(written_day(day)), ..empty },
        Key::Project(project) => UsageRow { project: Some(project), ..empty },
        Key::Model { provider, model } => UsageRow { provider: Some(provider), model, ..empty },
    }
}

fn day(text: &str) -> Result<i64, Failure> {
    read_day(text).ok_or_else(|| {
        let message = format!("`{}` is not a day", paseo_core::cut::head(text, 40).0);
        Failure::new(Code::InvalidRequest, message).hint("write it as 2026-01-31")
    })
}

fn by(word: &UsageBy) -> Result<By, Failure> {
    match word {
        UsageBy::Day => Ok(By::Day),
        UsageBy::Project => Ok(By::Project),
        UsageBy::Model => Ok(By::Model),
        UsageBy::Other(word) => {
            let message = format!("unknown grouping `{}`", paseo_core::cut::head(word, 40).0);
            Err(Failure::new(Code::InvalidRequest, message).hint("choose one of day, project, model"))
        }
    }
}
