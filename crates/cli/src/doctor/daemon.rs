//! The daemon: whether it answers, which version it is, where it listens, what its database says.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use paseo_wire::status::DaemonStatus;

use super::Check;
use crate::autostart;
use crate::context::Context;
use crate::settings::Settings;

const SOCKET: &str = "socket";
const VERSION: &str = "version";
const PORT: &str = "port";
const DATABASE: &str = "database";
/// A listener on this machine answers at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// Looks at the daemon, without starting it.
pub(super) async fn examine(context: &Context) -> Vec<Check> {
    let settings = &context.settings;
    if !autostart::is_running(settings) {
        return vec![
            Check::ok(SOCKET, "the daemon is not running; the next command starts it"),
            free_port(settings),
            Check::ok(DATABASE, "checked when the daemon starts"),
        ];
    }
    let shown = settings.socket().display().to_string();
    match context.client_as_is().status().await {
        Ok(status) => vec![
            Check::ok(SOCKET, format!("{shown} (pid {})", status.pid)),
            version(&status),
            port(&status),
            // A daemon does not get this far with a database that it cannot read.
            Check::ok(DATABASE, format!("open, {} events", status.seq)),
        ],
        Err(error) => {
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
