//! Changes of definitions that wait for a person, in words.

use std::fmt::Write as _;
use std::sync::Arc;

use paseo_core::definition::{Definition, Problem, Version, Waiting, WaitingKind};
use paseo_core::settings::Layer;
use paseo_runtime::diff;
use paseo_wire::error::Code;

use super::layer::hash;
use crate::failure::Failure;

/// How many grants are named.
const NAMED: usize = 4;

/// A change that waits for a person.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) layer: Layer,
    pub(crate) slug: String,
    pub(crate) waiting: Waiting,
    /// What counts meanwhile, of the same layer.
    pub(crate) before: Option<Version>,
    /// Of what would count: a person trusts this, and nothing that is written meanwhile.
    pub(crate) sha256: String,
}

impl Pending {
    pub(super) fn new(layer: &Layer, slug: &str, waiting: &Waiting, before: Option<&Version>) -> Self {
        let after = match &waiting.version {
            Some(version) => [version.file.as_str(), &version.text],
            None => ["", "removed"],
        };
        let parts = [slug, after[0], after[1]];
        Self {
            layer: layer.clone(),
            slug: slug.to_owned(),
            waiting: waiting.clone(),
            before: before.cloned(),
            sha256: hash(parts.iter().map(|part| part.as_bytes())),
        }
    }

    /// Returns the file that changed, as people are told.
    pub(crate) fn file(&self) -> Option<&str> {
        let version = self.waiting.version.as_ref().or(self.before.as_ref())?;
        version.definition.source.file.as_deref()
    }

    /// Returns what it would grant beyond what counts now.
    pub(crate) fn widens(&self) -> Vec<String> {
        self.waiting.widens.iter().map(ToString::to_string).collect()
    }

    /// Returns how the text that would count differs from the one that does.
    pub(crate) fn diff(&self) -> Option<String> {
        let text = |version: &Version| Arc::clone(&version.text);
        let (before, after) = (self.before.as_ref().map(text), self.waiting.version.as_ref().map(text));
        let name = self.file().unwrap_or(&self.slug);
        diff::between(name, before.as_deref(), after.as_deref().unwrap_or_default()).map(|diff| diff.patch)
    }

    /// Says what waits, and what counts meanwhile.
    pub(super) fn notice(&self, counts: Option<&Definition>) -> String {
        let meanwhile = match (&self.before, counts) {
            (Some(_), _) => "the previous version is used until you approve the change",
            (None, Some(counts)) if counts.is_built_in() => {
                "the built-in definition is used until you approve the change"
            }
            (None, Some(_)) => "the definition that it would replace is used until you approve the change",
            (None, None) => "it cannot be used until you approve it",
        };
        format!("{}; {meanwhile}", self.told())
    }

    /// Refuses a definition that nothing counts for meanwhile.
    pub(super) fn refusal(&self) -> Failure {
        let words = match self.waiting.kind {
            WaitingKind::New => self.told(),
            _ => format!("{}; it is not trusted yet", self.told()),
        };
        Failure::new(Code::Conflict, words)
            .hint(format!("run `paseo agents trust {}` to review and trust it", self.slug))
    }

    fn told(&self) -> String {
        let slug = &self.slug;
        let more = self.more();
        match self.waiting.kind {
            WaitingKind::New if more.is_empty() => format!("agent definition `{slug}` is not trusted yet"),
            WaitingKind::New => {
                format!("agent definition `{slug}` is not trusted yet; it grants more than `default`{more}")
            }
            WaitingKind::Shadows => {
                format!("new agent definition `{slug}` would replace another{more}")
            }
            WaitingKind::Changed if more.is_empty() => format!("agent definition `{slug}` has changed"),
            WaitingKind::Changed => {
                format!("agent definition `{slug}` has changed and would grant more{more}")
            }
            WaitingKind::Named => {
                format!(
                    "agent definition `{slug}` is new and other definitions may call it with all its \
                     tools{more}"
                )
            }
            WaitingKind::Removed => {
                format!("agent definition `{slug}` was removed, and the one it replaced grants more{more}")
            }
        }
    }

    /// Names what is granted, as far as that is short.
    fn more(&self) -> String {
        let all = self.widens();
        if all.is_empty() {
            return String::new();
        }
        let mut words = all.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        if all.len() > NAMED {
            let _ = write!(words, " and {} more", all.len() - NAMED);
        }
        format!(" ({words})")
    }
}

/// Says that the last good version counts, and why.
pub(super) fn kept(slug: &str, problem: &Problem) -> String {
    let Problem { file, line, message, .. } = problem;
    format!("{file}:{line}: {message}; the last valid version of `{slug}` stays in use")
}

/// Says that the last good content of a file with many definitions counts, and why.
pub(super) fn unread(problem: &Problem) -> String {
    let Problem { file, line, message, .. } = problem;
    format!("{file}:{line}: {message}; the last valid version stays in use")
}

/// Refuses a definition that cannot be read.
pub(super) fn broken(slug: &str, problem: &Problem) -> Failure {
    let Problem { file, line, message, .. } = problem;
    let words = format!("cannot use agent definition `{slug}`: {file}:{line}: {message}");
    Failure::new(Code::Conflict, words).hint("run `paseo agents check` to list all problems")
}
