//! What the daemon is started with, and why it may not start.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use paseo_core::public_url::PublicUrl;
use paseo_core::tool::Plugin;
use paseo_runtime::keys::Key;
use paseo_runtime::provider;
use paseo_wire::agent::AgentList;
use paseo_wire::diagnosis::Diagnosis;
use paseo_wire::provider::ProviderView;
use paseo_wire::status::DaemonStatus;
use paseo_wire::worker::WorkerView;

/// Everything that is decided before the daemon starts.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where everything is kept.
    pub home: PathBuf,
    /// Where to listen beside the Unix socket. Port 0 takes any free one.
    pub listen: SocketAddr,
    /// Addresses under which a reverse proxy or tunnel reaches us.
    pub public_urls: Vec<PublicUrl>,
    /// The provider of sessions that name none.
    pub default_provider: Option<String>,
    /// What people set for a provider, by its name.
    pub providers: BTreeMap<String, provider::Options>,
    /// The plugins that are switched off.
    pub plugins_off: BTreeSet<Plugin>,
    /// Hosts of external agents that may have a private address.
    pub external_hosts: BTreeSet<String>,
    /// Whom push services can turn to, `mailto:…` or `https://…`; without one, the first public URL with TLS.
    pub notification_contact: Option<String>,
    /// With what models are paid for, by id.
    pub keys: BTreeMap<String, Key>,
    /// How many harness processes may live at once.
    pub live_processes: usize,
    /// How many workers may be there at once.
    pub workers: usize,
    /// After this long a thread is told that an answer is not there yet.
    pub thread_patience: Duration,
    /// How long a harness may take to answer for the first time, before it is ended.
    pub start_patience: Duration,
    /// Our binary, which is also the shim.
    pub executable: PathBuf,
    /// What to log, in the form of `RUST_LOG`.
    pub log_filter: String,
    /// Log to stderr as well (foreground).
    pub log_to_stderr: bool,
    /// Checks what Paseo needs on this machine.
    pub examine: Examiner,
}

/// What a daemon knows about itself that a check of its machine needs.
#[derive(Debug, Clone)]
pub struct Seen {
    pub status: DaemonStatus,
    pub providers: Vec<ProviderView>,
    pub workers: Vec<WorkerView>,
    /// None if they could not be asked for.
    pub definitions: Option<AgentList>,
}

/// Checks the machine: the same checks as those of the command line, which has them.
#[derive(Clone)]
pub struct Examiner(Arc<dyn Fn(Seen) -> BoxFuture<Diagnosis> + Send + Sync>);

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

impl Examiner {
    pub fn new<F: Future<Output = Diagnosis> + Send + 'static>(
        examine: impl Fn(Seen) -> F + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(move |seen| Box::pin(examine(seen))))
    }

    pub(crate) async fn examine(&self, seen: Seen) -> Diagnosis {
        (self.0)(seen).await
    }
}

impl fmt::Debug for Examiner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Examiner")
    }
}

/// Where a daemon that is ready can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    pub pid: u32,
    pub socket: PathBuf,
    pub url: String,
}

/// Why the daemon did not start or had to end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StartError {
    pub kind: StartErrorKind,
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// What stands in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartErrorKind {
    /// Another daemon has this home.
    AlreadyRunning,
    /// The home cannot be used.
    Home,
    /// The address cannot be listened on.
    Address,
    /// The database cannot be used.
    Database,
    Internal,
}
