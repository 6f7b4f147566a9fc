//! The words of the API: what goes over the wire, apart from the words of the domain.
//!
//! Knows no HTTP server and no store. `crates/daemon` makes these from state; `crates/client` reads them.

pub mod agent;
pub mod attachment;
pub mod bridge;
pub mod change;
pub mod command;
pub mod conversation;
pub mod device;
pub mod diagnosis;
pub mod error;
pub mod external;
pub mod file;
pub mod id;
pub mod inbox;
pub mod item;
pub mod map;
pub mod message;
pub mod notification;
pub mod page;
pub mod past;
pub mod permission;
pub mod project;
pub mod provider;
pub mod schema;
pub mod search;
pub mod session;
pub mod settings;
pub mod status;
pub mod stream;
pub mod team;
pub mod teamd;
pub mod teamd_shapes;
pub mod terminal;
pub mod thread;
pub mod time;
pub mod tool;
pub mod trace;
pub mod usage;
pub mod whole;
pub mod words;
pub mod worker;
pub mod worktree;

/// Header that makes a request happen once.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Header that does the same for what external agents answer.
pub const MESSAGE_ID: &str = "x-paseo-message-id";

/// Header on every answer of the daemon: its version, so that a client can explain a mismatch.
pub const VERSION_HEADER: &str = "paseo-version";

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
