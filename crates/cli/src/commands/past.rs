//! `--at`: states of the past.

use paseo_wire::past::PastQuery;
use paseo_wire::time::Moment;

use super::search::moment;
use crate::args::{At, PastArgs};
use crate::printer::clock;

/// Returns which state is meant, by a moment or a version.
pub(super) fn asked(args: &PastArgs) -> Option<PastQuery> {
    Some(match args.at? {
        At::Time(when) => PastQuery { at: Some(moment(when)), version: None },
        At::Event(version) => PastQuery { at: None, version: Some(version) },
    })
}

/// Returns the moment that was asked for; without one, that of the event.
pub(super) fn moment_of(past: &PastQuery, updated_at: Moment) -> Moment {
    past.at.unwrap_or(updated_at)
}

/// Says of when a state is, and how many events have followed.
pub(super) fn as_of(past: &PastQuery, updated_at: Moment, version: u64, newest: u64) -> String {
    format!("{}, event {version} of {newest}", clock(moment_of(past, updated_at)))
}
