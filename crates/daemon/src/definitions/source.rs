//! The files that define an agent, for people who look at them or change them.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use paseo_core::definition::{Format, Origin, is_slug};

use super::Definitions;
use super::contents::Content;
use super::files::{Found, Place};

/// The files that define a slug, as they are now.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// The file that a save writes.
    pub(crate) file: PathBuf,
    /// What it holds, if it is there and can be read.
    pub(crate) own: Option<OwnText>,
    /// Why a save is refused, whatever it would write.
    pub(crate) locked: Option<String>,
    pub(crate) others: Vec<Other>,
}

/// The text of a file that can be saved.
#[derive(Debug)]
pub(crate) struct OwnText {
    pub(crate) text: String,
    /// Differs for every other text.
    pub(crate) version: String,
}

/// Another file that defines the same slug.
#[derive(Debug)]
pub(crate) struct Other {
    pub(crate) path: PathBuf,
    pub(crate) origin: Origin,
    pub(crate) text: Option<String>,
}

impl Definitions {
    /// Returns the files that define a slug in a project: those of the home, and of its places, the nearest first.
    pub(crate) fn source(&self, project: &str, slug: &str) -> Source {
        // What is no slug is no name of a file, either.
        if !is_slug(slug) {
            return Source::default();
        }
        let arrival = Instant::now();
        let mut memory = self.0.memory();
        let file = self.0.home.join(own_file(slug));
        let mut source = Source { file, ..Source::default() };
        let mut places = self.places(&memory, project);
        places.push(Place::Home(self.0.home.clone()));
        for place in &places {
            memory.layer(place, &self.0.known_keys, arrival);
            let Some(known) = memory.layers.get(place) else { continue };
            for (found, says) in known.contents.files().filter(|(found, says)| defines(found, says, slug)) {
                source.take(place.origin(), slug, found, says);
            }
        }
        if source.locked.is_none() && source.file.is_symlink() {
            let target = fs::read_link(&source.file).unwrap_or_default();
            source.locked = Some(format!("{} is a link to {}", source.file.display(), target.display()));
        }
        source
    }
}

impl Source {
    /// Takes in a file that defines the slug.
    fn take(&mut self, origin: Origin, slug: &str, found: &Found, says: Result<&Content, &str>) {
        let path = found.path.clone();
        if path == self.file {
            match says {
                Ok(Content { text, sha256, .. }) => {
                    self.own = Some(OwnText { text: text.clone(), version: sha256.clone() });
                }
                Err(why) => self.locked = Some(format!("{}: {why}", path.display())),
            }
            return;
        }
        if origin == Origin::Home {
            self.locked = Some(format!("`{slug}` is defined in {}", path.display()));
        }
        let text = says.ok().and_then(|content| match content.reading.versions.get(slug) {
            Some(version) => Some(version.text.to_string()),
            // The rest of such a file is about others.
            None if content.reading.holds_many => None,
            None => Some(content.text.clone()),
        });
        self.others.push(Other { path, origin, text });
    }
}

/// Returns the file of the home that a save writes.
pub(super) fn own_file(slug: &str) -> String {
    format!("agents/{slug}.toml")
}

/// Says whether a file defines a slug, soundly or not.
fn defines(found: &Found, says: &Result<&Content, &str>, slug: &str) -> bool {
    match says {
        Ok(content) => {
            content.reading.versions.contains_key(slug) || content.reading.broken.contains_key(slug)
        }
        Err(_) => {
            let holds_many = matches!(found.format, Format::ConfigToml | Format::ConfigJson);
            !holds_many && found.path.file_stem().is_some_and(|stem| stem == slug)
        }
    }
}
