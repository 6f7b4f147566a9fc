//! What one place defines.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use paseo_core::definition::{self, Definition, Excerpt, Format, Keys, Problem, Reading, Severity, Version};
use sha2::{Digest, Sha256};

use super::contents::{Content, Contents};
use super::files::{self, Found, Place};

/// Most that is read of one place, in bytes: the files of a project are read before they are trusted.
pub(super) const BYTES: usize = 4 * 1024 * 1024;

/// What one place defines.
#[derive(Debug, Default)]
pub(super) struct Layer {
    /// What its files say, in the order in which one beats the next.
    pub(super) readings: Vec<Reading>,
    pub(super) problems: Vec<Problem>,
    /// The provider that the user's own `config.toml` names.
    pub(super) default_provider: Option<String>,
    /// `config.toml` cannot be read, so that may be wrong.
    pub(super) config_is_broken: bool,
    /// The files that were read, from the place on, with the hash of each.
    pub(super) files: BTreeMap<String, String>,
    /// Of all of them, with their names.
    pub(super) sha256: String,
}

impl Layer {
    /// Puts together what the files of a place say.
    pub(super) fn of(contents: &Contents) -> Self {
        let mut layer = Self::default();
        let mut texts: BTreeMap<&str, &Content> = BTreeMap::new();
        let mut unreadable: BTreeSet<&str> = BTreeSet::new();
        let scan = &contents.scan;
        for directory in &scan.overfull {
            layer.problems.push(problem(&directory.display().to_string(), files::overfull(), None));
        }
        // The file that defines a slug first, by slug.
        let mut first: BTreeMap<&str, &Version> = BTreeMap::new();
        for (found, says) in contents.files() {
            match says {
                Ok(content) => {
                    layer.take(found, content, &mut first);
                    texts.insert(&found.relative, content);
                }
                Err(why) => {
                    layer.miss(found, why);
                    unreadable.insert(&found.relative);
                }
            }
        }
        // Behind their files: what could be read of a folder counts.
        for folder in &scan.folders {
            let unsure = folder
                .unsure
                .as_ref()
                .map(|why| problem(&folder.path.display().to_string(), why.clone(), None));
            // That there are too many is said above.
            let new = unsure.iter().filter(|_| !scan.overfull.contains(&folder.path));
            layer.problems.extend(new.cloned());
            if unsure.is_some() {
                unreadable.insert(&folder.relative);
            }
            let file = folder.relative.clone();
            layer.readings.push(Reading { file, unsure, holds_many: true, ..Reading::default() });
        }
        for path in &scan.unread {
            let message = "ignored: a definition must be a file `<slug>.toml` or `<slug>.md` directly in \
                           this directory";
            let problem = problem(&path.display().to_string(), message.to_owned(), None);
            layer.problems.push(Problem { severity: Severity::Warning, ..problem });
        }
        let read = texts.iter().flat_map(|(name, text)| [name.as_bytes(), text.text.as_bytes()]);
        // A file that cannot be read is a change as well: it may beat one that was trusted. No name is empty, so what
        // follows an empty part was not read.
        let divider = (!unreadable.is_empty()).then_some(&b""[..]);
        layer.sha256 = hash(read.chain(divider).chain(unreadable.iter().map(|name| name.as_bytes())));
        let hashed = |(name, content): (&str, &Content)| (name.to_owned(), content.sha256.clone());
        layer.files = texts.into_iter().map(hashed).collect();
        layer
    }

    /// Says whether it defines nothing, not even something that is broken.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.problems.iter().all(|problem| problem.severity == Severity::Warning)
    }

    /// Returns the slugs that it defines, soundly or not.
    pub(super) fn slugs(&self) -> impl Iterator<Item = &str> {
        let slugs =
            self.readings.iter().flat_map(|reading| reading.versions.keys().chain(reading.broken.keys()));
        slugs.map(String::as_str)
    }

    /// Returns its sound definitions; of one slug the one that beats the others.
    pub(super) fn definitions(&self) -> impl Iterator<Item = Arc<Definition>> {
        let mut found = BTreeMap::new();
        for (slug, version) in self.readings.iter().flat_map(|reading| &reading.versions) {
            found.entry(slug).or_insert_with(|| Arc::clone(&version.definition));
        }
        found.into_values()
    }

    /// Takes in what a file says.
    fn take<'a>(&mut self, found: &Found, content: &'a Content, first: &mut BTreeMap<&'a str, &'a Version>) {
        if found.format == Format::ConfigToml {
            self.config_is_broken = content.reading.unsure.is_some();
            self.default_provider.clone_from(&content.default_provider);
        }
        self.problems.extend(content.problems.iter().cloned());
        for (slug, version) in &content.reading.versions {
            match first.entry(slug) {
                Entry::Vacant(entry) => {
                    entry.insert(version);
                }
                // Who has one for each program wants ours to be ours.
                Entry::Occupied(_) if version.format == Format::Claude => {}
                Entry::Occupied(known) => self.told_twice(slug, known.get(), version),
            }
        }
        self.readings.push(content.reading.clone());
    }

    /// Notes a file that is not read.
    fn miss(&mut self, found: &Found, why: &str) {
        self.config_is_broken |= found.format == Format::ConfigToml;
        let holds_many = matches!(found.format, Format::ConfigToml | Format::ConfigJson);
        let mut reading = Reading { file: found.relative.clone(), holds_many, ..Reading::default() };
        let slug = found.path.file_stem().and_then(|stem| stem.to_str());
        let slug = slug.filter(|slug| definition::is_slug(slug) && !holds_many);
        let problem = problem(&found.path.display().to_string(), why.to_owned(), slug);
        match slug {
            Some(slug) => {
                reading.broken.insert(slug.to_owned(), problem.clone());
            }
            None if holds_many => reading.unsure = Some(problem.clone()),
            None => {}
        }
        // One problem stands for all that are too many.
        if !found.is_skipped() {
            self.problems.push(problem);
        }
        self.readings.push(reading);
    }

    /// Says that a definition is beaten by another of the same place.
    fn told_twice(&mut self, slug: &str, known: &Version, version: &Version) {
        let file = |version: &Version| version.definition.source.file.clone().unwrap_or_default();
        let message = format!("agent `{slug}` is also defined in {}, which takes precedence", file(known));
        self.problems.push(problem(&file(version), message, Some(slug)));
    }
}

/// Returns the definitions of a file, each with its own text.
pub(super) fn versions(parsed: definition::Parsed, file: &str) -> BTreeMap<String, Version> {
    let mut excerpts = parsed.excerpts;
    let version = |mut definition: Definition| {
        let Excerpt { format, text } = excerpts.remove(&definition.slug)?;
        definition.directory = definition.directory.map(|directory| under_home(&directory));
        let slug = definition.slug.clone();
        let definition = Arc::new(definition);
        Some((
            slug,
            Version { file: file.to_owned(), format, text: text.into(), definition, untrusted: false },
        ))
    };
    parsed.definitions.into_iter().filter_map(version).collect()
}

/// Reads a version that was accepted before, or says why that cannot be done any more.
pub(super) fn again(
    place: &Place,
    slug: &str,
    file: &str,
    format: Format,
    text: &str,
    keys: &Keys,
) -> Result<Version, Problem> {
    let path = place.root().join(file).display().to_string();
    let parsed =
        definition::parse(&definition::File { path: &path, text, format, origin: place.origin() }, keys);
    let lost = parsed.problems.iter().find(|problem| problem.severity == Severity::Error).cloned();
    let lost = lost.map(|problem| Problem {
        message: format!("the previously accepted version is no longer readable: {}", problem.message),
        ..problem
    });
    let gone = || problem(&path, format!("the accepted text does not define `{slug}`"), Some(slug));
    versions(parsed, file).remove(slug).ok_or_else(|| lost.unwrap_or_else(gone))
}

/// Reads `~/` at the start of a path.
fn under_home(directory: &str) -> String {
    let rest = directory.strip_prefix("~/").or((directory == "~").then_some(""));
    match rest.zip(std::env::home_dir()) {
        Some((rest, home)) => home.join(rest).to_string_lossy().into_owned(),
        None => directory.to_owned(),
    }
}

fn problem(file: &str, message: String, slug: Option<&str>) -> Problem {
    Problem {
        file: file.to_owned(),
        line: 1,
        message,
        slug: slug.map(str::to_owned),
        severity: Severity::Error,
    }
}

/// Hashes parts, so that no other parts have the same hash.
pub(super) fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!(BYTES, 4_194_304);
    }
}
