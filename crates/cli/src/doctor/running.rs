//! What a running daemon says about itself: the checks compare it with what they find.

use paseo_client::{Client, Error};
use paseo_daemon::Seen;
use paseo_wire::agent::AgentQuery;
use paseo_wire::worker::WorkerQuery;

use crate::autostart;
use crate::settings::Settings;

/// The daemon, as far as it can be seen.
pub(crate) enum Running {
    No,
    Yes(Box<Seen>),
    /// One listens, and does not answer.
    Silent(Error),
}

impl Running {
    /// Asks a daemon that runs, and starts none. `project` is whose definitions are looked at.
    pub(super) async fn ask(settings: &Settings, client: &Client, project: Option<String>) -> Self {
        if !autostart::is_running(settings) {
            return Self::No;
        }
        let status = match client.status().await {
            Ok(status) => status,
            Err(error) => return Self::Silent(error),
        };
        let workers = client.workers(&WorkerQuery::default()).await.map(|list| list.workers);
        Self::Yes(Box::new(Seen {
            status,
            providers: client.providers().await.map(|list| list.providers).unwrap_or_default(),
            workers: workers.unwrap_or_default(),
            definitions: client.agents(&AgentQuery { project }).await.ok(),
        }))
    }

    pub(super) fn seen(&self) -> Option<&Seen> {
        match self {
            Self::Yes(seen) => Some(seen),
            Self::No | Self::Silent(_) => None,
        }
    }
}
