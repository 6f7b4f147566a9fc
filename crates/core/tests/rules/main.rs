//! The rules of sessions, seen from outside, one behaviour at a time.

#![allow(clippy::unwrap_used)]

mod answers;
mod bed;
mod boot;
mod callbacks;
mod delivery;
mod held_back;
mod lifecycle;
mod notes;
mod own_turns;
mod parking;
mod presence;
mod promises;
mod queue;
mod receipts;
mod setbacks;
mod sizes;
mod typed;
mod verbs;
mod wakes;
mod watches;
