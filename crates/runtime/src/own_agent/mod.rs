//! Agents of our own: processes of this binary that run turns under the shim, as those of others do.

mod carry;
mod desk;
mod line;
mod link;
mod protocol;
mod shell;

pub(crate) use carry::carry;
pub(crate) use desk::{Call, Desk, Ran, Stop};
pub(crate) use link::Link;
pub(crate) use protocol::{Report, Request};
