//! Resources: parts of a project that a task needs for itself.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits::PATH_BYTES;

/// A file, or a directory with everything below it, from the project's directory on. `.` is all of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Resource(String);

/// Why a path names no part of the project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    #[error("`{0}` is not a path: name a file or directory in the project, or `.` for all of it")]
    Malformed(String),
    #[error("`{0}` contains `..`: name a path inside the project directory")]
    Upwards(String),
    #[error("`{0}` is outside the project `{1}`")]
    Outside(String, String),
    #[error("`{0}` is a glob, but resources are paths; name the directory, which covers everything below it")]
    Pattern(String),
}

impl Resource {
    /// Reads a path, relative to the project or absolute inside it. Only the text counts: links are resolved by the
    /// code that can see the disk.
    pub fn parse(path: &str, project: Option<&str>) -> Result<Self, Misplaced> {
        let shown = || path.chars().take(200).flat_map(char::escape_debug).collect::<String>();
        if path.is_empty() || path.len() > PATH_BYTES || path.chars().any(char::is_control) {
            return Err(Misplaced::Malformed(shown()));
        }
        if path.split('/').any(|part| part == "..") {
            return Err(Misplaced::Upwards(shown()));
        }
        let parts = parts(path);
        if parts.iter().any(|part| part.trim().is_empty()) {
            return Err(Misplaced::Malformed(shown()));
        }
        let relative = match (path.starts_with('/'), project) {
            (false, _) => &parts[..],
            // Nothing to compare with: it is taken as it is, as from the root of the project.
            (true, None) if parts.is_empty() => return Err(Misplaced::Malformed(shown())),
            (true, None) => &parts[..],
            (true, Some(project)) => {
                let root = self::parts(project);
                parts
                    .strip_prefix(&root[..])
                    .ok_or_else(|| Misplaced::Outside(shown(), project.to_owned()))?
            }
        };
        Ok(Self(if relative.is_empty() { ".".to_owned() } else { relative.join("/") }))
    }

    /// Refuses what looks like a glob, unless the project has a file with that name.
    pub fn check_plain(&self, is_there: impl Fn(&str) -> bool) -> Result<(), Misplaced> {
        let ends = self.0.match_indices('/').map(|(end, _)| end).chain([self.0.len()]);
        for path in ends.map(|end| &self.0[..end]) {
            let name = path.rsplit('/').next().unwrap_or_default();
            if name.contains(['*', '?', '[']) && !is_there(path) {
                return Err(Misplaced::Pattern(self.0.chars().take(200).collect()));
            }
        }
        Ok(())
    }

    /// Returns all of the project.
    pub fn all() -> Self {
        Self(".".to_owned())
    }

    /// Returns it as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Says whether another is this, or lies in it.
    pub fn covers(&self, other: &Self) -> bool {
        let inside = |rest: &str| rest.is_empty() || rest.starts_with('/');
        self.0 == "." || other.0.strip_prefix(&self.0).is_some_and(inside)
    }

    /// Says whether something lies in both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.covers(other) || other.covers(self)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").collect()
}
