//! The rules of sessions, seen from outside, one behaviour at a time.

#![allow(clippy::unwrap_used)]

mod answers;
mod attention;
mod bed;
mod boot;
mod callbacks;
mod delivery;
mod held_back;
mod inbox;
mod lifecycle;
mod notes;
mod notifications;
mod options;
mod own_turns;
mod parking;
mod presence;
mod promises;
mod promotion;
mod queue;
mod rearranging;
mod receipts;
mod setbacks;
mod sizes;
mod typed;
mod verbs;
mod wakes;
mod watches;
