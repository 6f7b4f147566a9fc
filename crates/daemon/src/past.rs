//! Teams and threads as they were: folded from the log up to a point. Who may see the present may see the past.

use paseo_core::fold::{self, TeamHead, ThreadHead};
use paseo_core::limits::PAGE_ROWS;
use paseo_core::past::{Extent, Outside, Point, Replay};
use paseo_core::team::Team;
use paseo_core::thread::Thread;
use paseo_core::time::Timestamp;
use paseo_wire::error::Code;
use paseo_wire::time::Moment;

use crate::desk::Subject;
use crate::failure::Failure;
use crate::journal::Journal;
use crate::mint;
use crate::rules::stored;

/// A thing whose past can be read.
pub(crate) trait Remembered: Subject {
    /// Returns what people call it.
    fn called(&self) -> String;

    /// Returns how far its past reaches.
    fn extent(&self) -> Extent;

    /// Reads it from the state of its stream; `None` if that was erased meanwhile.
    fn from_state(stream: &str, state: &[u8]) -> Result<Option<Self>, fold::Error>;
}

impl Remembered for Team {
    fn called(&self) -> String {
        format!("team {}", self.id)
    }

    fn extent(&self) -> Extent {
        Extent { created_at: self.created_at, updated_at: self.updated_at, version: self.version }
    }

    fn from_state(stream: &str, state: &[u8]) -> Result<Option<Self>, fold::Error> {
        Ok(match fold::read(stream, state)? {
            TeamHead::Team(team) => Some(*team),
            TeamHead::Never => None,
        })
    }
}

impl Remembered for Thread {
    fn called(&self) -> String {
        format!("thread {}", self.name)
    }

    fn extent(&self) -> Extent {
        Extent { created_at: self.created_at, updated_at: self.updated_at, version: self.version }
    }

    fn from_state(stream: &str, state: &[u8]) -> Result<Option<Self>, fold::Error> {
        Ok(match fold::read(stream, state)? {
            ThreadHead::Thread(thread) => Some(*thread),
            ThreadHead::Deleted => None,
        })
    }
}

/// Reads which point of the past is meant; `None` for the present.
pub(crate) fn point(at: Option<Moment>, version: Option<u64>) -> Result<Option<Point>, Failure> {
    match (at, version) {
        (None, None) => Ok(None),
        (Some(at), None) => Ok(Some(Point::Moment(Timestamp::from_millis(at.as_millis())))),
        (None, Some(0)) => Err(Failure::new(Code::InvalidRequest, "`version` is 0; versions begin at 1")),
        (None, Some(version)) => Ok(Some(Point::Version(version))),
        (Some(_), Some(_)) => Err(Failure::new(Code::Conflict, "`at` and `version` exclude each other")
            .hint("give the moment or the version, not both")),
    }
}

/// Returns a thing as it was at a point of its past.
pub(crate) async fn read<S: Remembered>(
    journal: &Journal,
    present: &S,
    id: &S::Id,
    point: Point,
) -> Result<S, Failure> {
    let extent = present.extent();
    extent.check(point, mint::now()).map_err(|outside| refused(&present.called(), extent, point, outside))?;
    let stream = S::stream(id);
    let mut replay = Replay::new(stream.clone(), point);
    loop {
        let records = journal.log.read_stream(&stream, replay.version(), PAGE_ROWS).await?;
        let goes_on = replay.take(&stored(&records)).map_err(Failure::internal)?;
        if !goes_on || records.len() < PAGE_ROWS {
            break;
        }
    }
    let state = replay.into_state().map_err(Failure::internal)?;
    let past = state.map(|state| S::from_state(&stream, &state)).transpose().map_err(Failure::internal)?;
    past.flatten().ok_or_else(|| S::unknown(id))
}

fn refused(what: &str, extent: Extent, point: Point, outside: Outside) -> Failure {
    let Extent { created_at, version, .. } = extent;
    let created = String::from(Moment::from(created_at));
    let asked = match point {
        Point::Moment(at) => String::from(Moment::from(at)),
        Point::Version(version) => version.to_string(),
    };
    let (message, hint) = match outside {
        Outside::Early => (
            format!("{what} did not exist at {asked}; it was created at {created}"),
            format!("choose a time from {created} on"),
        ),
        Outside::Future => {
            (format!("{asked} is in the future"), "leave out the time to see the present".to_owned())
        }
        Outside::Version => (
            format!("{what} has no event {asked}; its newest is {version}"),
            format!("use a number from 1 to {version}, or a time"),
        ),
    };
    Failure::new(Code::NotFound, message).hint(hint)
}
