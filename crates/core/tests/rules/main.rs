//! The rules of sessions, seen from outside, one behaviour at a time.

#![allow(clippy::unwrap_used)]

mod bed;
mod boot;
mod delivery;
mod lifecycle;
mod own_turns;
mod parking;
mod queue;
mod receipts;
mod sizes;
mod verbs;
mod wakes;
