//! What a project does not want to be looked through: the lines of its `.gitignore` files.

use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::OFlags;

use crate::place::regular;

const NAME: &str = ".gitignore";
/// Longest pattern that is read.
const BYTES: u64 = 256 * 1024;

/// Those of a folder and of the folders around it, outermost first.
#[derive(Default)]
pub(super) struct Ignored(Vec<Gitignore>);

impl Ignored {
    /// Takes in that of a folder, whose path is this one. Each call needs its [`leave`](Self::leave).
    pub(super) fn enter(&mut self, folder: &OwnedFd, path: &Path) {
        let mut text = String::new();
        if let Ok(file) = regular(folder, &NAME.into(), OFlags::RDONLY) {
            // Lines in no known encoding name nothing that could be matched.
            let _ = file.take(BYTES).read_to_string(&mut text);
        }
        let mut lines = GitignoreBuilder::new(path);
        for line in text.lines() {
            // A line that makes no sense ignores nothing, as with git.
            let _ = lines.add_line(None, line);
        }
        self.0.push(lines.build().unwrap_or_else(|_| Gitignore::empty()));
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    /// Says whether something in the folder that was entered last is ignored. The innermost file that names it counts.
    pub(super) fn covers(&self, path: &Path, is_folder: bool) -> bool {
        let said = self.0.iter().rev().map(|lines| lines.matched(path, is_folder));
        match said.into_iter().find(|said| !said.is_none()) {
            Some(Match::Ignore(_)) => true,
            Some(Match::Whitelist(_) | Match::None) | None => false,
        }
    }
}
