//! What has to hold for as long as people look, one file for each scene. `make soak` plays them.

mod browsers;
mod together;

use crate::rows::Subject;

/// All scenes, in the order of the table.
pub(crate) const ALL: &[Subject] = &[("browsers", browsers::measure), ("together", together::measure)];

/// A page that does nothing else for so long is frozen, in milliseconds.
const FREEZE: f64 = 200.0;
/// How much memory may grow between the warm-up and the end.
const FLAT: f64 = 1.2;

fn megabytes(bytes: f64) -> f64 {
    bytes / 1024.0 / 1024.0
}
