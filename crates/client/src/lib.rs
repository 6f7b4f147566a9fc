//! A typed client for the daemon: one method per route, and event streams that resume.
//!
//! Speaks HTTP/1 over the daemon's Unix socket, or over TCP with a token. Knows no TLS, no store and no
//! terminal.

mod answer;
mod client;
mod error;
mod events;
mod follow;
mod patience;
mod routes;
mod sse;
mod teams;
mod threads;
mod transport;
mod uri;
mod workers;

pub use client::Client;
pub use error::Error;
pub use events::{Arrival, Events};
pub use follow::{Follow, Outcome, Progress, Step};
