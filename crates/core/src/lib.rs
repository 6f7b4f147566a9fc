//! The rules of Paseo, pure: time and randomness are passed in, nothing here touches the world.
//!
//! State is a function of events: rules draft events from a state, `apply` takes them in.

pub mod actor;
pub mod address;
pub mod ancestry;
pub mod answer;
pub mod attachment;
pub mod backoff;
pub mod cause;
pub mod codec;
pub mod content;
pub mod cut;
pub mod definition;
pub mod envelope;
pub mod family;
pub mod fold;
pub mod glob;
pub mod handle;
pub mod headline;
pub mod id;
pub mod item;
pub mod label;
pub mod limits;
pub mod permission;
pub mod places;
pub mod prompt;
pub mod provider;
pub mod public_url;
pub mod search;
pub mod session;
pub mod settings;
pub mod skill;
pub mod snippet;
pub mod spelling;
mod tagged;
pub mod team;
pub mod thread;
pub mod time;
pub mod todo;
pub mod tool;
pub mod wait;
