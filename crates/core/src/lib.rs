//! The rules of Paseo, pure: time and randomness are passed in, nothing here touches the world.
//!
//! State is a function of events: `decide(state, command) -> events`, `apply(state, event)`.

pub mod actor;
pub mod id;
pub mod item;
pub mod time;
