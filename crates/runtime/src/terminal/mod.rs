//! Harnesses in terminals that people can take over.

mod board;
mod bookmark;
mod driver;
pub mod ending;
mod expected;
mod leaving;
mod pty;
#[cfg(test)]
mod real_tests;
mod record;
pub(crate) mod resident;
mod said;
#[cfg(test)]
pub(crate) mod said_tests;
pub(crate) mod screen;
pub mod shell;
pub(crate) mod shown;
pub mod tmux;
#[cfg(test)]
pub(crate) mod told;
mod typing;

use std::path::{Path, PathBuf};

use crate::provider::Launch;

pub(crate) use self::board::{as_started, attach, start};

/// Returns where the tmux server of a home listens.
pub fn socket(home: &Path) -> PathBuf {
    home.join("tmux.sock")
}

/// Returns a variable as a harness will see it.
pub(crate) fn variable(launch: &Launch, name: &str) -> Option<String> {
    let own = launch.environment.iter().rfind(|(known, _)| known == name).map(|(_, value)| value.clone());
    let inherited = || std::env::var(name).ok().filter(|_| !launch.removed.iter().any(|gone| gone == name));
    own.or_else(inherited).filter(|value| !value.is_empty())
}
