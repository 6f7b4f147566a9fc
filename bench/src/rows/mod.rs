//! What is measured, one file for each subject.

mod appends;
mod bare_log;
mod boot;
pub(crate) mod fan_out;
mod idle;
mod list;
mod page;
mod readers;
mod reading;
mod sending;
mod streaming;

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
    ("sending", sending::measure),
    ("page", page::measure),
];
