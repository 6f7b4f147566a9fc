//! Saving a definition of the user's own: what a person saves counts.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Instant;

use paseo_core::actor::Actor;
use paseo_core::definition::{Format, Problem, is_slug};
use paseo_core::settings::Layer as Key;
use paseo_wire::error::Code;
use tokio::task::spawn_blocking;

use super::catalogue::News;
use super::files::{FILE_BYTES, Place};
use super::{Definitions, layer};
use crate::failure::Failure;
use crate::journal::Journal;

impl Definitions {
    /// Writes a definition to `agents/<slug>.toml`, and accepts it.
    pub(crate) async fn save(
        &self,
        journal: &Journal,
        by: &Actor,
        slug: &str,
        text: String,
    ) -> Result<(), Failure> {
        let invalid = |words: String| Failure::new(Code::InvalidRequest, words);
        if !is_slug(slug) {
            return Err(invalid(format!("`{}` cannot be the slug of an agent", slug.escape_debug())));
        }
        if text.len() as u64 > FILE_BYTES {
            return Err(invalid(format!("a definition has at most {} KB", FILE_BYTES / 1024)));
        }
        self.record_news(journal).await?;
        let _one_at_a_time = self.0.recording.lock().await;
        let (place, file) = (Place::Home(self.0.home.clone()), format!("agents/{slug}.toml"));
        let version = layer::again(&place, slug, &file, Format::Toml, &text, &self.0.known_keys)
            .map_err(|Problem { line, message, .. }| invalid(format!("line {line}: {message}")))?;
        let path = self.0.home.join(&file);
        if let Some(other) = self.defined_elsewhere(slug, &path) {
            return Err(Failure::new(Code::Conflict, format!("`{slug}` is defined in {other}"))
                .hint(format!("change it there: `paseo agents edit {slug}`")));
        }
        spawn_blocking(move || write(&path, &text))
            .await
            .map_err(Failure::internal)?
            .map_err(|error| Failure::internal(format!("cannot write a definition: {error}")))?;
        let news = [News::Accepted(Key::home(), slug.to_owned(), version)];
        self.record(journal, by, &news, None).await?;
        self.0.memory.lock().accept(&news);
        Ok(())
    }

    /// Returns another file of the home that defines a slug.
    fn defined_elsewhere(&self, slug: &str, path: &Path) -> Option<String> {
        let arrival = Instant::now();
        let mut memory = self.0.memory.lock();
        let home = memory.layer(&Place::Home(self.0.home.clone()), &self.0.known_keys, arrival);
        let mut files = home
            .readings
            .iter()
            .filter(|reading| reading.versions.contains_key(slug) || reading.broken.contains_key(slug));
        let other = files.find(|reading| self.0.home.join(&reading.file) != path)?;
        Some(self.0.home.join(&other.file).display().to_string())
    }
}

/// Writes a file whole or not at all.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Hidden files are not read.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = folder.join(format!(".{name}.new"));
    // Whatever is there under that name is not followed.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::options().write(true).create_new(true).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)
}
