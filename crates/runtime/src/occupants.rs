//! Who works in a directory right now.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::Path;

use crate::process_table::{all, descendants};

/// A process whose working directory is in some directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupant {
    pub pid: u32,
    pub name: String,
    /// It descends from this process.
    pub ours: bool,
}

impl fmt::Display for Occupant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} ({})", self.pid, self.name.escape_debug())
    }
}

/// Returns the processes that work in a directory, as far as we may see. Its path must have no links in it.
pub fn occupants(directory: &Path) -> Vec<Occupant> {
    let ours: HashSet<u32> = descendants(std::process::id()).into_iter().map(|process| process.pid).collect();
    all()
        .filter(|pid| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(directory)))
        .map(|pid| {
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            Occupant { pid, name: name.trim_end().to_owned(), ours: ours.contains(&pid) }
        })
        .collect()
}
