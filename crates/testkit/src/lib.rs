//! The workshop: nothing here is shipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod home;
pub mod matrix;
pub mod model;
pub mod personality;
pub mod push;
pub mod real;
pub mod script;
pub mod simulation;
