//! What one place defines.

use std::collections::BTreeMap;
use std::sync::Arc;

use paseo_core::definition::{self, Definition, Format, Keys, Problem, Severity};
use sha2::{Digest, Sha256};

use super::files::{self, Place, Scan};

/// Most that is read of one place, in bytes: what a project brings is read before anybody trusts it.
const BYTES: usize = 4 * 1024 * 1024;

/// What one place defines.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) definitions: BTreeMap<String, Arc<Definition>>,
    pub(super) problems: Vec<Problem>,
    /// The files that were read, from the place on, with the hash of each.
    pub(super) files: BTreeMap<String, String>,
    /// Of all of them, with their names.
    pub(super) sha256: String,
}

impl Layer {
    /// Reads what a scan found.
    pub(super) fn read(place: &Place, scan: &Scan, keys: &Keys) -> Self {
        let mut layer = Self::default();
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        for directory in &scan.overfull {
            layer.problems.push(problem(&directory.display().to_string(), files::overfull(), None));
        }
        let mut room = BYTES;
        for found in &scan.files {
            let path = found.path.display().to_string();
            match found.read(room) {
                Ok(text) => {
                    room -= text.len();
                    let file = definition::File {
                        path: &path,
                        text: &text,
                        format: found.format,
                        origin: place.origin(),
                    };
                    layer.take(definition::parse(&file, keys), found.format);
                    texts.insert(&found.relative, text);
                }
                Err(why) => {
                    let slug = found.path.file_stem().and_then(|stem| stem.to_str());
                    let slug = slug.filter(|slug| definition::is_slug(slug) && found.format >= Format::Toml);
                    layer.problems.push(problem(&path, why, slug));
                }
            }
        }
        for path in &scan.unread {
            let message =
                "it is not read: a definition is a file `<slug>.toml` or `<slug>.md` right in this folder";
            let problem = problem(&path.display().to_string(), message.to_owned(), None);
            layer.problems.push(Problem { severity: Severity::Warning, ..problem });
        }
        layer.sha256 = hash(texts.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]));
        let hashed = |(name, text): (&str, String)| (name.to_owned(), hash([text.as_bytes()]));
        layer.files = texts.into_iter().map(hashed).collect();
        layer
    }

    /// Says whether it defines nothing, not even something that is broken.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.problems.iter().all(|problem| problem.severity == Severity::Warning)
    }

    /// Says why a definition that is there in name cannot be used.
    pub(super) fn broken(&self) -> impl Iterator<Item = (&str, &Problem)> {
        self.problems.iter().filter_map(|problem| {
            let slug = problem.slug.as_deref()?;
            let lost = problem.severity == Severity::Error && !self.definitions.contains_key(slug);
            lost.then_some((slug, problem))
        })
    }

    fn take(&mut self, parsed: definition::Parsed, format: Format) {
        self.problems.extend(parsed.problems);
        for mut definition in parsed.definitions {
            let slug = definition.slug.clone();
            match self.definitions.get(&slug) {
                // Whoever has one for each wants ours to be ours.
                Some(_) if format == Format::Claude => {}
                Some(known) => {
                    let file = definition.source.file.unwrap_or_default();
                    let first = known.source.file.clone().unwrap_or_default();
                    let message = format!("there is another agent `{slug}` in {first}, which counts");
                    self.problems.push(problem(&file, message, Some(&slug)));
                }
                None => {
                    definition.directory = definition.directory.map(|directory| under_home(&directory));
                    self.definitions.insert(slug, Arc::new(definition));
                }
            }
        }
    }
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
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
