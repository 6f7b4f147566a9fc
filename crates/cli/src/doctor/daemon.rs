//! The daemon: whether it answers, which version it is, where it listens, what its database says.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use paseo_wire::status::DaemonStatus;

use super::Running;
use crate::settings::Settings;
use paseo_wire::diagnosis::Check;

const SOCKET: &str = "socket";
const VERSION: &str = "version";
const PORT: &str = "port";
const DATABASE: &str = "database";
/// A listener on this machine answers at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// Looks at the daemon.
pub(super) fn examine(settings: &Settings, running: &Running) -> Vec<Check> {
    let shown = settings.socket().display().to_string();
    match running {
        Running::No => vec![
            Check::ok(SOCKET, "the daemon is not running; the next command starts it"),
            free_port(settings),
            Check::ok(DATABASE, "checked when the daemon starts"),
        ],
        Running::Yes(seen) => vec![
            Check::ok(SOCKET, format!("{shown} (pid {})", seen.status.pid)),
            version(&seen.status),
            port(&seen.status),
            // A daemon does not get this far with a database that it cannot read.
            Check::ok(DATABASE, format!("open, {} events", seen.status.seq)),
        ],
        Running::Silent(error) => {
            vec![Check::fail(
                SOCKET,
                format!("{shown}: {error}"),
                "see `paseo daemon logs`, then run `paseo restart`",
            )]
        }
    }
}

fn version(status: &DaemonStatus) -> Check {
    if status.version == paseo_wire::VERSION {
        return Check::ok(VERSION, status.version.clone());
    }
    let found = format!("the command is {}, the daemon is {}", paseo_wire::VERSION, status.version);
    Check::warn(VERSION, found, "paseo restart")
}

fn port(status: &DaemonStatus) -> Check {
    let address = status.url.trim_start_matches("http://").trim_end_matches('/');
    let reached = address
        .parse::<SocketAddr>()
        .is_ok_and(|address| TcpStream::connect_timeout(&address, PATIENCE).is_ok());
    if reached {
        return Check::ok(PORT, status.url.clone());
    }
    Check::fail(PORT, format!("no answer at {}", status.url), "paseo restart")
}

fn free_port(settings: &Settings) -> Check {
    match TcpListener::bind(settings.listen) {
        Ok(_) => Check::ok(PORT, format!("{} is free", settings.listen)),
        Err(error) => Check::fail(
            PORT,
            format!("cannot listen on {}: {error}", settings.listen),
            "set PASEO_LISTEN, or `listen` in config.toml, to another address",
        ),
    }
}
