//! Opening a page where there is a desktop to open it on.

use std::process::{Command, Stdio};

use paseo_wire::error::Exit;

use crate::environment::{DISPLAY, WAYLAND_DISPLAY};
use crate::failure::Failure;

/// Says whether there is a desktop.
pub(crate) fn is_there() -> bool {
    DISPLAY.value().is_some() || WAYLAND_DISPLAY.value().is_some()
}

/// Asks the desktop to open a page, and does not wait for it.
#[allow(clippy::disallowed_methods)] // The desktop's own program, which no agent has to do with.
pub(crate) fn open(url: &str) -> Result<(), Failure> {
    let mut command = Command::new("xdg-open");
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|error| {
        Failure::new(Exit::AgentError, format!("cannot start xdg-open: {error}"))
            .hint("open the link yourself, or pass --print")
    })
}
