//! Saving a definition of the user's own: what a person saves counts.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use paseo_core::actor::Actor;
use paseo_core::definition::{self, Format, Origin, Severity, Version, is_slug};
use paseo_core::settings::Layer as Key;
use paseo_runtime::plain_file;
use paseo_wire::agent::AgentProblem;
use paseo_wire::error::Code;
use tokio::task::spawn_blocking;

use super::Definitions;
use super::catalogue::News;
use super::files::FILE_BYTES;
use super::layer::{hash, versions};
use super::source::{Source, own_file};
use crate::failure::{Failure, Mistakes};
use crate::journal::Journal;
use crate::view::problem;

impl Definitions {
    /// Writes a definition to `agents/<slug>.toml`, and accepts it. Nothing is written over but the version that the
    /// person started from; without one, there must be no such file.
    pub(crate) async fn save(
        &self,
        journal: &Journal,
        by: &Actor,
        slug: &str,
        text: String,
        from: Option<&str>,
    ) -> Result<(), Failure> {
        check_size(slug, &text)?;
        self.record_news(journal).await?;
        let _one_at_a_time = self.0.recording.lock().await;
        let version = self.parsed(slug, &text)?;
        let Source { file: path, locked, .. } = self.source("", slug);
        if let Some(why) = locked {
            return Err(
                Failure::new(Code::Conflict, why).hint(format!("edit it there: `paseo agents edit {slug}`"))
            );
        }
        let (file, from) = (path.display().to_string(), from.map(str::to_owned));
        spawn_blocking(move || write(&path, &text, from.as_deref()))
            .await
            .map_err(Failure::internal)?
            .map_err(|error| error.told(&file))?;
        let news = [News::Accepted(Key::home(), slug.to_owned(), version)];
        self.record(journal, by, &news, None).await?;
        self.0.memory.lock().accept(&news);
        Ok(())
    }

    /// Returns what is wrong with a text that a person is writing.
    pub(crate) fn check(&self, slug: &str, text: &str) -> Result<Vec<AgentProblem>, Failure> {
        check_size(slug, text)?;
        Ok(self.read(slug, text).problems.iter().map(problem).collect())
    }

    /// Reads a text as it would be read from its file.
    fn read(&self, slug: &str, text: &str) -> definition::Parsed {
        let path = self.0.home.join(own_file(slug)).display().to_string();
        let read = definition::File { path: &path, text, format: Format::Toml, origin: Origin::Home };
        definition::parse(&read, &self.0.known_keys)
    }

    /// Reads a text as it would be read from its file; fails with every mistake in it.
    fn parsed(&self, slug: &str, text: &str) -> Result<Version, Failure> {
        let parsed = self.read(slug, text);
        let wrong = &parsed.problems;
        if let Some(first) = wrong.iter().find(|problem| problem.severity == Severity::Error) {
            let words = format!("line {}: {}", first.line, first.message);
            let mistakes = Some(Box::new(Mistakes(wrong.iter().map(problem).collect())));
            return Err(Failure { mistakes, ..Failure::new(Code::InvalidRequest, words) });
        }
        let lost = || Failure::internal(format!("a valid text does not define `{slug}`"));
        versions(parsed, &own_file(slug)).remove(slug).ok_or_else(lost)
    }
}

fn check_size(slug: &str, text: &str) -> Result<(), Failure> {
    let invalid = |words: String| Failure::new(Code::InvalidRequest, words);
    if !is_slug(slug) {
        let words = format!("invalid agent slug `{}`", slug.escape_debug());
        return Err(invalid(words).hint("use at most 64 letters, digits, `_` and `-`"));
    }
    if text.len() as u64 > FILE_BYTES {
        return Err(invalid(format!("a definition may have at most {} KB", FILE_BYTES / 1024)));
    }
    Ok(())
}

/// Why a file was not written.
#[derive(Debug)]
enum Unwritten {
    /// It holds something else than the person started from.
    Changed,
    /// The person started from nothing, and it is there.
    Exists,
    /// The person started from something, and it is gone.
    Gone,
    Failed(io::Error),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl Unwritten {
    fn told(self, file: &str) -> Failure {
        let words = match self {
            Self::Changed => format!("{file} has changed since you opened it; nothing was saved"),
            Self::Exists => format!("{file} already exists; nothing was saved"),
            Self::Gone => format!("{file} was removed since you opened it; nothing was saved"),
            Self::Failed(error) => {
                return Failure::internal(format!("cannot write a definition: {error}"));
            }
        };
        Failure::new(Code::Conflict, words).hint("review the current version, then save again")
    }
}

/// Writes a file whole or not at all, and only in place of what the person started from.
fn write(path: &Path, text: &str, from: Option<&str>) -> Result<(), Unwritten> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Hidden files are not read.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = folder.join(format!(".{name}.new"));
    // Whatever is there under that name is not followed.
    remove(&new)?;
    let mut file = File::options().write(true).create_new(true).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let placed = place(&new, path, from);
    // What is left of it changes nothing, and the next save removes it.
    remove(&new).ok();
    placed
}

/// Moves a new file to its place. Looks at what it replaces as late as possible.
fn place(new: &Path, path: &Path, from: Option<&str>) -> Result<(), Unwritten> {
    let Some(from) = from else {
        // Unlike a rename, this never replaces a file.
        return fs::hard_link(new, path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Unwritten::Exists,
            _ => Unwritten::Failed(error),
        });
    };
    let mut bytes = Vec::new();
    match plain_file::open_unlinked(path) {
        Ok(file) => file.take(FILE_BYTES + 1).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(Unwritten::Gone),
        Err(_) => return Err(Unwritten::Changed),
    };
    if hash([&bytes[..]]) != from {
        return Err(Unwritten::Changed);
    }
    Ok(fs::rename(new, path)?)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
