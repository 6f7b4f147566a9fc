//! The HTTP API: thin handlers over sessions, settings and the log.

mod admin;
mod agents;
mod attachments;
mod back;
mod bridge;
mod causes;
mod connections;
mod conversations;
mod devices;
mod external;
mod files;
mod forms;
mod gate;
mod inbox;
mod items;
#[cfg(test)]
mod late_tests;
mod leave;
mod listing;
mod map;
mod messages;
mod notifications;
mod openapi;
mod pages;
mod pass;
mod permissions;
mod projects;
mod providers;
mod queue;
mod rejection;
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
mod settled;
mod stream;
mod teamd;
mod teams;
mod terminal;
#[cfg(test)]
pub(crate) mod tests;
mod threads;
mod tools;
mod topics;
mod trace;
mod transport;
mod turns;
mod usage;
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
use crate::looks::Looks;
use crate::notifications::Notifications;
use crate::options::Examiner;
use crate::sessions::Sessions;
use crate::stop::Stop;
use crate::tail::Tail;
use crate::teams::Teams;
use crate::threads::Threads;
use crate::traffic::TrafficCounter;

/// What handlers work with. Cheap to clone.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) sessions: Sessions,
    pub(crate) tail: Tail,
    pub(crate) threads: Threads,
    pub(crate) feeder: Feeder,
    pub(crate) teams: Teams,
    pub(crate) notifications: Notifications,
    pub(crate) looks: Looks,
    pub(crate) traffic: TrafficCounter,
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
    pub(crate) examine: Examiner,
    /// Held while the machine is examined.
    pub(crate) examining: tokio::sync::Mutex<()>,
}
