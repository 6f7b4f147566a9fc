//! The HTTP API: thin handlers over sessions, settings and the log.

mod admin;
mod agents;
mod attachments;
mod back;
mod bridge;
mod connections;
mod conversations;
mod devices;
mod external;
mod gate;
mod items;
#[cfg(test)]
mod late_tests;
mod leave;
mod listing;
mod messages;
mod openapi;
mod pass;
mod permissions;
mod providers;
mod reply;
pub(crate) mod request;
mod reserve;
mod route;
mod router;
mod routes;
mod rules;
mod search;
mod server;
mod sessions;
mod stream;
mod teamd;
mod teams;
#[cfg(test)]
pub(crate) mod tests;
mod threads;
mod tools;
mod topics;
mod trace;
mod transport;
mod web;
mod workers;
mod worktrees;

use std::path::PathBuf;
use std::sync::Arc;

use paseo_core::public_url::PublicUrl;
use paseo_core::time::Timestamp;

pub(crate) use connections::{Connections, Limits};
pub(crate) use router::router;
pub(crate) use server::{Listeners, serve};

use crate::feeder::Feeder;
use crate::identity::{Edge, Logins};
use crate::sessions::Sessions;
use crate::stop::Stop;
use crate::tail::Tail;
use crate::teams::Teams;
use crate::threads::Threads;

/// What handlers work with. Cheap to clone.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) sessions: Sessions,
    pub(crate) tail: Tail,
    pub(crate) threads: Threads,
    pub(crate) feeder: Feeder,
    pub(crate) teams: Teams,
    pub(crate) about: Arc<About>,
    pub(crate) logins: Logins,
    pub(crate) connections: Connections,
    pub(crate) stop: Stop,
}

/// Facts about this daemon.
pub(crate) struct About {
    pub(crate) started_at: Timestamp,
    pub(crate) socket: PathBuf,
    pub(crate) url: String,
    pub(crate) port: u16,
    pub(crate) public_urls: Vec<PublicUrl>,
    pub(crate) edge: Edge,
    /// Name of the cookie that a browser logs in with.
    pub(crate) cookie: String,
}
