//! The user's own editor, with a copy of a text that only they can read.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use paseo_wire::error::Exit;

use crate::environment::{EDITOR, VISUAL};
use crate::failure::Failure;

/// What the editor gets. It is removed when it is dropped.
pub(crate) struct Copy {
    folder: PathBuf,
    pub(crate) path: PathBuf,
}

impl Copy {
    /// Copies a text into a folder of its own, under the name of its file.
    pub(crate) fn of(file: &Path, text: &str, home: &Path) -> Result<Self, Failure> {
        let folder = home.join(format!("edit-{}", std::process::id()));
        let path = folder.join(file.file_name().unwrap_or_default());
        let made = DirBuilder::new().mode(0o700).create(&folder).and_then(|()| fs::write(&path, text));
        made.map_err(|error| Failure::usage(format!("cannot create {}: {error}", path.display())))?;
        Ok(Self { folder, path })
    }

    /// Leaves it there.
    pub(crate) fn keep(mut self) -> PathBuf {
        self.folder = PathBuf::new();
        self.path.clone()
    }

    /// Runs the editor, as git does: its value is a command with arguments. `otherwise` says what a failure left as it
    /// was.
    #[allow(clippy::disallowed_methods)] // The user's own editor, which no agent has to do with.
    pub(crate) fn open(&self, otherwise: &str) -> Result<(), Failure> {
        let editor = VISUAL.value().or_else(|| EDITOR.value()).unwrap_or_else(|| "vi".into());
        let mut command = Command::new("sh");
        let mut script = editor.clone();
        script.push(" \"$@\"");
        command.arg("-c").arg(script).arg(&editor).arg(&self.path);
        let failed = |why: String| {
            let words = format!("the editor `{}` failed: {why}", editor.to_string_lossy());
            Failure::new(Exit::AgentError, words).hint(format!("set EDITOR to another program; {otherwise}"))
        };
        let status = command.status().map_err(|error| failed(error.to_string()))?;
        if status.success() { Ok(()) } else { Err(failed(status.to_string())) }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if !self.folder.as_os_str().is_empty() {
            fs::remove_dir_all(&self.folder).ok();
        }
    }
}
