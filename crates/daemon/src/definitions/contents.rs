//! The files of a place as they were last read, so that only what changed is read and parsed again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use paseo_core::definition::{self, Format, Keys, Origin, Problem, Reading};

use super::files::{Found, Scan};
use super::layer::{hash, versions};

/// The files of a place, with what each of them says. As bounded as what is read of a place.
pub(super) struct Contents {
    pub(super) scan: Scan,
    /// For each file of the scan.
    files: Vec<Known>,
}

/// What is known of a file.
struct Known {
    /// A later change would show in its stamp.
    is_settled: bool,
    /// What it says, or why it is not read.
    says: Result<Arc<Content>, String>,
}

/// What a file says.
pub(super) struct Content {
    pub(super) text: String,
    /// Of the text.
    pub(super) sha256: String,
    pub(super) reading: Reading,
    pub(super) problems: Vec<Problem>,
    pub(super) default_provider: Option<String>,
}

impl Contents {
    /// Reads the files of a scan that was begun at a time, `room` bytes at most. Takes from before what cannot have
    /// changed since, and parses no text that was parsed already.
    pub(super) fn read(
        scan: Scan,
        begun: SystemTime,
        origin: Origin,
        keys: &Keys,
        mut room: usize,
        before: Option<&Self>,
    ) -> Self {
        let before: HashMap<&str, (&Found, &Known)> = before
            .into_iter()
            .flat_map(|before| before.scan.files.iter().zip(&before.files))
            .map(|(found, known)| (found.relative.as_str(), (found, known)))
            .collect();
        let mut files = Vec::with_capacity(scan.files.len());
        for found in &scan.files {
            let old = before.get(found.relative.as_str()).filter(|(old, _)| old.is_same_file(found));
            let parsed = old.and_then(|(_, known)| known.says.as_ref().ok());
            let unchanged = old.filter(|(old, known)| known.is_settled && *old == found).and(parsed);
            let says = match unchanged.filter(|content| content.text.len() <= room) {
                Some(content) => Ok(Arc::clone(content)),
                None => found.read(room).map(|text| match parsed.filter(|content| content.text == text) {
                    Some(content) => Arc::clone(content),
                    None => Arc::new(Content::parse(found, text, origin, keys)),
                }),
            };
            room -= says.as_ref().map_or(0, |content| content.text.len());
            files.push(Known { is_settled: found.is_settled(begun), says });
        }
        Self { scan, files }
    }

    /// Says whether another scan found the same, and a change since the last one would show.
    pub(super) fn is_current(&self, scan: &Scan) -> bool {
        self.files.iter().all(|known| known.is_settled) && self.scan == *scan
    }

    /// Says whether these are the same files, and say the same, whenever they were written.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let same = |(one, other): (&Known, &Known)| match (&one.says, &other.says) {
            (Ok(one), Ok(other)) => Arc::ptr_eq(one, other),
            (Err(one), Err(other)) => one == other,
            _ => false,
        };
        self.scan.finds_the_same(&other.scan) && self.files.iter().zip(&other.files).all(same)
    }

    /// Returns each file, with what it says or why it is not read.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Found, Result<&Content, &str>)> {
        self.scan.files.iter().zip(self.files.iter().map(Known::says))
    }

    /// Takes it that all files are old enough for a change to show in their stamps.
    #[cfg(test)]
    pub(super) fn settle(&mut self) {
        self.files.iter_mut().for_each(|known| known.is_settled = true);
    }
}

impl Known {
    fn says(&self) -> Result<&Content, &str> {
        self.says.as_ref().map(Arc::as_ref).map_err(String::as_str)
    }
}

impl Content {
    fn parse(found: &Found, text: String, origin: Origin, keys: &Keys) -> Self {
        #[cfg(test)]
        PARSES.with(|parses| parses.set(parses.get() + 1));
        let path = found.path.display().to_string();
        let file = definition::File { path: &path, text: &text, format: found.format, origin };
        let parsed = definition::parse(&file, keys);
        let holds_many = matches!(found.format, Format::ConfigToml | Format::ConfigJson);
        let reading = Reading {
            file: found.relative.clone(),
            broken: parsed.broken(),
            // Any other file has one definition, whose slug is its name.
            unsure: parsed.unsure().filter(|_| holds_many).cloned(),
            holds_many,
            ..Reading::default()
        };
        let (problems, default_provider) = (parsed.problems.clone(), parsed.default_provider.clone());
        let reading = Reading { versions: versions(parsed, &found.relative), ..reading };
        Self { sha256: hash([text.as_bytes()]), text, reading, problems, default_provider }
    }
}

#[cfg(test)]
thread_local! {
    /// How many texts this thread has parsed.
    pub(super) static PARSES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}
