//! What is measured, one file for each subject.

mod appends;
mod bare_harness;
mod bare_log;
mod boot;
mod busy_threads;
mod crowd;
pub(crate) mod fan_out;
mod first_token;
mod following;
mod history;
mod idle;
mod inbox;
mod list;
mod live_sessions;
mod long_agent;
mod page;
mod readers;
mod reading;
mod real_workers;
mod sending;
mod stalled;
mod strangers;
mod streaming;
mod talking;
mod teams;
mod threads;
mod workers;

use crate::Options;
use crate::report::{Limit, Row};
use crate::statistics::{median, percentile};

/// A subject: its name, and what measures it.
pub(crate) type Subject = (&'static str, fn(&Options) -> Vec<Row>);

/// All subjects, in the order of the table.
pub(crate) const ALL: &[Subject] = &[
    ("list", list::measure),
    ("idle", idle::measure),
    ("boot", boot::measure),
    ("appends", appends::measure),
    ("reading", reading::measure),
    ("streaming", streaming::measure),
    ("stalled", stalled::measure),
    ("strangers", strangers::measure),
    ("sending", sending::measure),
    ("first-token", first_token::measure),
    ("live-sessions", live_sessions::measure),
    ("crowd", crowd::measure),
    ("talking", talking::measure),
    ("threads", threads::measure),
    ("busy-threads", busy_threads::measure),
    ("teams", teams::measure),
    ("history", history::measure),
    ("workers", workers::measure),
    ("real-workers", real_workers::measure),
    ("page", page::measure),
    ("long-agent", long_agent::measure),
    ("inbox", inbox::measure),
    ("following", following::measure),
];

/// Makes a row of times in a browser, in milliseconds, whose median has to keep the bar.
fn web_row(name: &str, times: &[f64], bar: f64) -> Row {
    let (middle, most) = (median(times), percentile(times, 1.0));
    let told = format!("{middle:.0} ms (median of {}, slowest {most:.0})", times.len());
    Row::ratio(name, told, format!("{bar} ms"), middle / bar, Limit::AtMost(1.0))
}

/// Makes a row of times in a browser, in milliseconds, of which every one has to keep the bar.
fn every_web_row(name: &str, times: &[f64], bar: f64) -> Row {
    let (middle, most) = (median(times), percentile(times, 1.0));
    let told = format!("{most:.0} ms (slowest of {}, median {middle:.0})", times.len());
    Row::ratio(name, told, format!("{bar} ms"), most / bar, Limit::AtMost(1.0))
}
