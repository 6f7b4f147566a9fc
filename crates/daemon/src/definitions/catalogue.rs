//! The definitions that count in a project: its own, if they are trusted, before those of the home, before what is
//! built in.

use std::collections::BTreeMap;
use std::sync::Arc;

use paseo_core::definition::{Change, Definition, Problem};
use paseo_wire::error::Code;

use super::layer::Layer;
use crate::failure::Failure;

/// The definitions that count in a project.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    by_slug: BTreeMap<String, Arc<Definition>>,
    /// Those that are there, and why they cannot be used.
    refused: BTreeMap<String, Failure>,
    listed: Vec<Listed>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) project: Option<Project>,
}

/// A definition that is there, whether it counts or not.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) definition: Arc<Definition>,
    /// Whether it is the one that is used under its slug.
    pub(crate) counts: bool,
    pub(crate) trusted: bool,
}

/// Where a project keeps its definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Project {
    pub(crate) directory: String,
    pub(crate) sha256: String,
    pub(crate) trust: Trust,
    /// With the hash of each.
    pub(crate) files: BTreeMap<String, String>,
    /// What became of the files that were trusted, when that was others, and is known.
    pub(crate) changes: Option<BTreeMap<String, Change>>,
}

/// Whether a project's definitions count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// A person has trusted exactly these.
    Trusted,
    /// A person has trusted others here. These do not count, nor does anything in their place: whoever changes a file
    /// must not get what the file held back.
    Changed,
    /// Nobody ever has, and a person has trusted those of a folder above. Whoever puts a folder in front of it must not
    /// get what that one held back, either.
    Nearer,
    /// Nobody ever has: as if they were not there.
    Never,
}

impl Trust {
    /// Returns the word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Changed => "changed",
            Self::Nearer | Self::Never => "untrusted",
        }
    }
}

impl Catalogue {
    /// Puts the places of a project, the nearest last, over the home.
    pub(super) fn of(home: &Layer, own: &[(Project, Arc<Layer>)]) -> Self {
        let mut catalogue = Self::default();
        catalogue.insert(Arc::new(Definition::built_in()));
        catalogue.lay(home);
        for (project, layer) in own {
            match project.trust {
                Trust::Trusted => catalogue.lay(layer),
                trust => catalogue.hold_back(layer, trust),
            }
            catalogue.project = Some(project.clone());
        }
        catalogue.listed.sort_by(|one, other| {
            let key = |listed: &Listed| {
                (listed.definition.slug.clone(), std::cmp::Reverse(listed.definition.source.origin))
            };
            key(one).cmp(&key(other))
        });
        catalogue
    }

    /// Finds a definition; the error names those that there are.
    pub(crate) fn get(&self, slug: &str) -> Result<Arc<Definition>, Failure> {
        if let Some(refused) = self.refused.get(slug) {
            return Err(refused.clone());
        }
        self.by_slug.get(slug).cloned().ok_or_else(|| {
            let known = self.by_slug.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            Failure::new(Code::NotFound, format!("there is no agent definition `{slug}`"))
                .hint(format!("there are: {known}"))
        })
    }

    /// Returns all that count, by slug.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.by_slug.values()
    }

    /// Returns those that an agent of a definition may talk to.
    pub(crate) fn peers(&self, of: &Definition) -> Vec<Arc<Definition>> {
        // A subagent is only ever a child of whoever starts it.
        let talks_to =
            |other: &&Arc<Definition>| other.slug != of.slug && !other.is_subagent && of.sees(other);
        self.all().filter(talks_to).cloned().collect()
    }

    /// Returns everything that is there, by slug; of one slug the one that beats the others first.
    pub(crate) fn listed(&self) -> &[Listed] {
        &self.listed
    }

    /// Puts the definitions of a place over those that are there.
    fn lay(&mut self, layer: &Layer) {
        for (slug, problem) in layer.broken() {
            let Problem { file, line, message, .. } = problem;
            let words = format!("the agent definition `{slug}` cannot be used: {file}:{line}: {message}");
            self.refuse(
                slug,
                Failure::new(Code::Conflict, words).hint("`paseo agents check` lists all that is wrong"),
            );
        }
        layer.definitions.values().for_each(|definition| self.insert(Arc::clone(definition)));
        self.problems.extend(layer.problems.iter().cloned());
    }

    /// Lists definitions that do not count.
    fn hold_back(&mut self, layer: &Layer, trust: Trust) {
        let slugs = layer.definitions.keys().map(String::as_str).chain(layer.broken().map(|(slug, _)| slug));
        for slug in slugs {
            let words = match trust {
                Trust::Changed => "has changed since it was trusted",
                Trust::Nearer => "is not trusted, and nearer than those above that are",
                Trust::Trusted | Trust::Never => "is not trusted",
            };
            let failure = Failure::new(
                Code::Conflict,
                format!("the agent definition `{slug}` of this project {words}"),
            )
            .hint("`paseo agents trust` shows what it may do, and asks you");
            if matches!(trust, Trust::Changed | Trust::Nearer) || !self.by_slug.contains_key(slug) {
                self.refuse(slug, failure);
            }
        }
        let held = layer.definitions.values().map(|definition| Listed {
            definition: Arc::clone(definition),
            counts: false,
            trusted: false,
        });
        self.listed.extend(held);
        self.problems.extend(layer.problems.iter().cloned());
    }

    fn insert(&mut self, definition: Arc<Definition>) {
        self.outdo(&definition.slug);
        self.refused.remove(&definition.slug);
        self.listed.push(Listed { definition: Arc::clone(&definition), counts: true, trusted: true });
        self.by_slug.insert(definition.slug.clone(), definition);
    }

    fn refuse(&mut self, slug: &str, failure: Failure) {
        self.outdo(slug);
        self.by_slug.remove(slug);
        self.refused.entry(slug.to_owned()).or_insert(failure);
    }

    /// Notes that something beats what there was under a slug.
    fn outdo(&mut self, slug: &str) {
        let known = self.listed.iter_mut().filter(|listed| listed.definition.slug == slug);
        known.for_each(|listed| listed.counts = false);
    }
}

#[cfg(test)]
mod tests {
    use paseo_core::definition::{DEFAULT, Origin, Severity, Source};

    use super::*;

    fn own(trust: Trust, slugs: &[&str]) -> Vec<(Project, Arc<Layer>)> {
        let project = Project {
            directory: "/p".to_owned(),
            sha256: String::new(),
            trust,
            files: BTreeMap::new(),
            changes: None,
        };
        vec![(project, Arc::new(layer(Origin::Project, slugs, &[])))]
    }

    fn layer(origin: Origin, slugs: &[&str], broken: &[&str]) -> Layer {
        let definition = |slug: &&str| {
            let source = Source { origin, file: Some(format!("/{}/{slug}.md", origin.word())) };
            ((*slug).to_owned(), Arc::new(Definition::plain(slug, source)))
        };
        let problem = |slug: &&str| Problem {
            file: format!("/{slug}.md"),
            line: 3,
            message: "wrong".to_owned(),
            slug: Some((*slug).to_owned()),
            severity: Severity::Error,
        };
        Layer {
            definitions: slugs.iter().map(definition).collect(),
            problems: broken.iter().map(problem).collect(),
            ..Layer::default()
        }
    }

    fn origin(catalogue: &Catalogue, slug: &str) -> Result<Origin, String> {
        catalogue.get(slug).map(|found| found.source.origin).map_err(|failure| failure.message)
    }

    #[test]
    fn the_nearest_counts() {
        let home = layer(Origin::Home, &["a", "b", DEFAULT], &[]);
        let catalogue = Catalogue::of(&home, &own(Trust::Trusted, &["a", "c"]));
        let found = ["a", "b", "c", DEFAULT].map(|slug| origin(&catalogue, slug).unwrap());
        assert_eq!(found, [Origin::Project, Origin::Home, Origin::Project, Origin::Home]);
        let counting: Vec<bool> = catalogue.listed().iter().map(|listed| listed.counts).collect();
        assert_eq!(counting, [true, false, true, true, true, false]);
        assert_eq!(origin(&catalogue, "d").unwrap_err(), "there is no agent definition `d`");
    }

    #[test]
    fn what_was_never_trusted_is_as_if_it_were_not_there() {
        let home = layer(Origin::Home, &["a"], &[]);
        let catalogue = Catalogue::of(&home, &own(Trust::Never, &["a", "c", DEFAULT]));
        assert_eq!(origin(&catalogue, "a"), Ok(Origin::Home));
        assert_eq!(origin(&catalogue, DEFAULT), Ok(Origin::BuiltIn));
        assert_eq!(
            origin(&catalogue, "c").unwrap_err(),
            "the agent definition `c` of this project is not trusted"
        );
    }

    #[test]
    fn what_was_changed_lets_nothing_through_in_its_place() {
        let home = layer(Origin::Home, &["a", "b"], &[]);
        let catalogue = Catalogue::of(&home, &own(Trust::Changed, &["a", DEFAULT]));
        assert_eq!(origin(&catalogue, "b"), Ok(Origin::Home));
        for slug in ["a", DEFAULT] {
            assert!(origin(&catalogue, slug).unwrap_err().ends_with("has changed since it was trusted"));
        }
        assert!(catalogue.all().all(|definition| definition.slug == "b"));
    }

    #[test]
    fn what_is_broken_lets_nothing_through_in_its_place() {
        let home = layer(Origin::Home, &[], &[DEFAULT, "a"]);
        let catalogue = Catalogue::of(&home, &[]);
        assert_eq!(
            origin(&catalogue, DEFAULT).unwrap_err(),
            "the agent definition `default` cannot be used: /default.md:3: wrong"
        );
        // A project that is trusted may mend it.
        let catalogue = Catalogue::of(&home, &own(Trust::Trusted, &["a"]));
        assert_eq!(origin(&catalogue, "a"), Ok(Origin::Project));
    }
}
