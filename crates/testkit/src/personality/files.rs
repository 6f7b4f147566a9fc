//! Files that fakes write, edit and read for real.

use std::fs;
use std::path::{Path, PathBuf};

/// A change of a file.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    pub(super) old: Option<String>,
    pub(super) new: String,
}

/// Returns what writing a file comes to.
pub(super) fn write(directory: &Path, path: &str, text: &str) -> Change {
    let path = directory.join(path);
    Change { old: fs::read_to_string(&path).ok(), path, new: text.to_owned() }
}

/// Returns what an edit comes to, or why there is none.
pub(super) fn edit(directory: &Path, path: &str, from: &str, to: &str) -> Result<Change, String> {
    let path = directory.join(path);
    let old = fs::read_to_string(&path).map_err(|_| format!("File does not exist: {}", path.display()))?;
    if !old.contains(from) {
        return Err(format!("String to replace not found in file.\nString: {from}"));
    }
    Ok(Change { new: old.replacen(from, to, 1), old: Some(old), path })
}

/// Makes a change.
pub(super) fn apply(change: &Change) -> Result<(), String> {
    let made = change.path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(&change.path, &change.new)).map_err(|error| error.to_string())
}

/// Reads a file.
pub(super) fn read(directory: &Path, path: &str) -> Result<String, String> {
    let path = directory.join(path);
    fs::read_to_string(&path).map_err(|_| format!("File does not exist: {}", path.display()))
}
