//! What is measured, one file for each subject.

mod appends;
mod bare_harness;
mod bare_log;
mod boot;
mod busy_threads;
mod crowd;
pub(crate) mod fan_out;
mod first_token;
mod idle;
mod list;
mod live_sessions;
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
use crate::report::Row;

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
    ("workers", workers::measure),
    ("real-workers", real_workers::measure),
    ("page", page::measure),
];
