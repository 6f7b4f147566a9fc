//! The workshop: nothing here is shipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod home;
pub mod simulation;
