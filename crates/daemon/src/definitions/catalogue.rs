//! The definitions that count in a project: its own, if they are trusted, before those of the home, before what is
//! built in.

use std::collections::BTreeMap;
use std::sync::Arc;

use paseo_core::definition::{
    Accepted, Change, Definition, Policy, Problem, Settled, Standing, Version, Waiting, WaitingKind,
    Widening, adopt, settle,
};
use paseo_core::settings::{self, Layer as Key};
use paseo_wire::error::Code;
use paseo_wire::words;

use super::layer::Layer;
use super::pending::{self, Pending};
use crate::failure::Failure;

/// The definitions that count in a project.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    by_slug: BTreeMap<String, Arc<Definition>>,
    /// Those that are there, and why they cannot be used.
    refused: BTreeMap<String, Failure>,
    /// Why nothing else can be used: a file that could define it was never read.
    closed: Option<Problem>,
    /// Those that count although no person has trusted them.
    untrusted: BTreeMap<String, Version>,
    /// A file with many definitions that cannot be read now, and whose last good content counts.
    unread: Option<Problem>,
    /// Why what counts is not what the files say.
    notices: BTreeMap<String, String>,
    listed: Vec<Listed>,
    pub(crate) problems: Vec<Problem>,
    /// Changes that wait for a person.
    pub(crate) pending: Vec<Pending>,
    pub(crate) project: Option<Project>,
}

/// What is accepted without a person, and not in the log yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    Accepted(Key, String, Version),
    Forgotten(Key, String),
    /// A file was read without an error.
    Read(Key, String),
    /// A file was read with one.
    Misread(Key, String),
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
    /// How the trusted files have changed, if they have and that is known.
    pub(crate) changes: Option<BTreeMap<String, Change>>,
}

/// Whether a project's definitions count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// A person has trusted exactly these.
    Trusted,
    /// A person has trusted others here. These do not count, nor does anything in their place: changing a file
    /// must not grant what the file withheld.
    Changed,
    /// Nobody ever has, and a person has trusted those of a folder above. Whoever puts a folder in front of it must not
    /// get what that one held back, either.
    Nearer,
    /// They were never trusted: as if they were not there.
    Never,
}

impl From<Trust> for words::Trust {
    fn from(trust: Trust) -> Self {
        match trust {
            Trust::Trusted => Self::Trusted,
            Trust::Changed => Self::Changed,
            Trust::Nearer | Trust::Never => Self::Untrusted,
        }
    }
}

impl Catalogue {
    /// Puts the places of a project, the nearest last, over the home. Returns what is accepted by that, too.
    pub(super) fn of(
        home: &Layer,
        own: &[(Project, Arc<Layer>)],
        accepted: &BTreeMap<Key, Accepted>,
    ) -> (Self, Vec<News>) {
        let (mut catalogue, mut news) = (Self::default(), Vec::new());
        let known = |key: &Key| accepted.get(key).cloned().unwrap_or_default();
        catalogue.insert(Arc::new(Definition::built_in()));
        catalogue.lay(&Key::home(), home, &known(&Key::home()), Policy::Own, &mut news);
        for (project, layer) in own {
            let key = Key::project(&project.directory);
            match project.trust {
                Trust::Trusted => {
                    let trusted = adopt(&layer.readings);
                    news.extend(differences(&key, &known(&key), &trusted));
                    catalogue.lay(&key, layer, &trusted, Policy::Foreign, &mut news);
                }
                // What was trusted before is known, but for the trust of older versions of this program.
                Trust::Changed if accepted.contains_key(&key) => {
                    catalogue.lay(&key, layer, &known(&key), Policy::Foreign, &mut news);
                }
                trust => catalogue.hold_back(layer, trust),
            }
            catalogue.project = Some(project.clone());
        }
        catalogue.await_the_named();
        catalogue.listed.sort_by(|one, other| {
            let key = |listed: &Listed| {
                (
                    listed.definition.slug.clone(),
                    std::cmp::Reverse(listed.definition.source.origin),
                    !listed.counts,
                )
            };
            key(one).cmp(&key(other))
        });
        (catalogue, news)
    }

    /// Finds a definition; the error names those that there are.
    pub(crate) fn get(&self, slug: &str) -> Result<Arc<Definition>, Failure> {
        if let Some(refused) = self.refused.get(slug) {
            return Err(refused.clone());
        }
        self.by_slug.get(slug).cloned().ok_or_else(|| {
            // It may be defined where nothing can be read.
            if let Some(problem) = self.closed.as_ref().or(self.unread.as_ref()) {
                return pending::broken(slug, problem);
            }
            let known = self.by_slug.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            Failure::new(Code::NotFound, format!("agent definition `{slug}` not found"))
                .hint(format!("choose one of: {known}"))
        })
    }

    /// Says whether a person has trusted the definition that counts under a slug, or it is built in.
    pub(crate) fn is_trusted(&self, slug: &str) -> bool {
        self.by_slug.contains_key(slug) && !self.untrusted.contains_key(slug)
    }

    /// Says why a definition that counts is not what its file says.
    pub(crate) fn notice(&self, slug: &str) -> Option<&str> {
        self.notices.get(slug).map(String::as_str)
    }

    /// Says what those who use a definition are to know: that its file says something else than what counts, or that
    /// a file which may define it cannot be read.
    pub(crate) fn told(&self, slug: &str) -> Option<String> {
        // One that was never read without an error refuses everything, which is told there.
        let unread = || self.unread.as_ref().filter(|_| self.closed.is_none()).map(pending::unread);
        self.notice(slug).map(str::to_owned).or_else(unread)
    }

    /// Returns all that count, by slug.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.by_slug.values()
    }

    /// Returns those that an agent of a definition may talk to.
    pub(crate) fn peers(&self, of: &Definition) -> Vec<Arc<Definition>> {
        // A subagent is always a child of the agent that starts it.
        let talks_to =
            |other: &&Arc<Definition>| other.slug != of.slug && !other.is_subagent && of.sees(other);
        self.all().filter(talks_to).cloned().collect()
    }

    /// Returns everything that is there, by slug; of one slug the one that beats the others first.
    pub(crate) fn listed(&self) -> &[Listed] {
        &self.listed
    }

    /// Puts the definitions of a place over those that are there.
    fn lay(
        &mut self,
        key: &settings::Layer,
        layer: &Layer,
        accepted: &Accepted,
        policy: Policy,
        news: &mut Vec<News>,
    ) {
        let below = |slug: &str| self.by_slug.get(slug).cloned();
        let Settled { standings, closed, sound, unsound } = settle(&layer.readings, accepted, policy, &below);
        self.problems.extend(layer.problems.iter().cloned());
        let unread = layer.readings.iter().filter(|reading| reading.holds_many);
        self.unread = unread.filter_map(|reading| reading.unsure.clone()).next().or(self.unread.take());
        news.extend(sound.into_iter().map(|file| News::Read(key.clone(), file)));
        news.extend(unsound.into_iter().map(|file| News::Misread(key.clone(), file)));
        if let Some(problem) = closed {
            let slugs: Vec<String> = self.by_slug.keys().cloned().collect();
            slugs.iter().for_each(|slug| self.refuse(slug, pending::broken(slug, &problem)));
            self.closed = Some(problem);
        }
        for (slug, standing) in standings {
            if let Some(version) = standing.counts.clone().filter(|_| standing.is_news) {
                news.push(News::Accepted(key.clone(), slug.clone(), version));
            }
            self.stand(key, &slug, &standing);
        }
    }

    /// Takes in what a slug comes to in a layer.
    fn stand(&mut self, key: &settings::Layer, slug: &str, standing: &Standing) {
        let Standing { counts, refused, waits, broken, is_news: _ } = standing;
        let pending = waits.as_ref().map(|waits| Pending::new(key, slug, waits, counts.as_ref()));
        match (counts, broken, &pending) {
            (Some(version), ..) => {
                self.insert(Arc::clone(&version.definition));
                if version.untrusted {
                    self.untrusted.insert(slug.to_owned(), version.clone());
                }
            }
            (None, Some(problem), _) if *refused => self.refuse(slug, pending::broken(slug, problem)),
            (None, None, Some(pending)) if *refused => self.refuse(slug, pending.refusal()),
            _ => {}
        }
        if let Some(problem) = broken.as_ref().filter(|_| counts.is_some()) {
            self.notices.insert(slug.to_owned(), pending::kept(slug, problem));
        }
        let Some(pending) = pending else { return };
        if !refused {
            let words = pending.notice(self.by_slug.get(slug).map(Arc::as_ref));
            self.notices.insert(slug.to_owned(), words);
        }
        if let Some(version) = &pending.waiting.version {
            let definition = Arc::clone(&version.definition);
            self.listed.push(Listed { definition, counts: false, trusted: false });
        }
        self.pending.push(pending);
    }

    /// Has untrusted ones wait for a person that another one may use as they are.
    fn await_the_named(&mut self) {
        for (slug, version) in &self.untrusted {
            let names = |other: &&Arc<Definition>| other.slug != *slug && other.names(slug);
            let by = self.by_slug.values().filter(names).map(|other| Widening::Named(other.slug.clone()));
            let widens: Vec<Widening> = by.collect();
            if !widens.is_empty() {
                let version = Some(Version { untrusted: false, ..version.clone() });
                let waiting = Waiting { kind: WaitingKind::Named, widens, version };
                self.pending.push(Pending::new(&Key::home(), slug, &waiting, None));
            }
        }
    }

    /// Lists definitions that do not count.
    fn hold_back(&mut self, layer: &Layer, trust: Trust) {
        for slug in layer.slugs() {
            let words = match trust {
                Trust::Changed => "has changed since it was trusted",
                Trust::Nearer => "is not trusted, and takes precedence over the trusted definitions above it",
                Trust::Trusted | Trust::Never => "is not trusted",
            };
            let failure =
                Failure::new(Code::Conflict, format!("agent definition `{slug}` of this project {words}"))
                    .hint("run `paseo agents trust` to review the project's definitions and trust them");
            if matches!(trust, Trust::Changed | Trust::Nearer) || !self.by_slug.contains_key(slug) {
                self.refuse(slug, failure);
            }
        }
        let held = layer.definitions().map(|definition| Listed { definition, counts: false, trusted: false });
        self.listed.extend(held);
        self.problems.extend(layer.problems.iter().cloned());
    }

    fn insert(&mut self, definition: Arc<Definition>) {
        self.outdo(&definition.slug);
        self.refused.remove(&definition.slug);
        self.notices.remove(&definition.slug);
        self.untrusted.remove(&definition.slug);
        self.listed.push(Listed { definition: Arc::clone(&definition), counts: true, trusted: true });
        self.by_slug.insert(definition.slug.clone(), definition);
    }

    fn refuse(&mut self, slug: &str, failure: Failure) {
        self.outdo(slug);
        self.by_slug.remove(slug);
        self.notices.remove(slug);
        self.untrusted.remove(slug);
        self.refused.insert(slug.to_owned(), failure);
    }

    /// Notes that something beats what there was under a slug.
    fn outdo(&mut self, slug: &str) {
        // Only what can be found by its slug counts, and a project may list thousands.
        if !self.by_slug.contains_key(slug) {
            return;
        }
        let known = self.listed.iter_mut().filter(|listed| listed.definition.slug == slug);
        known.for_each(|listed| listed.counts = false);
    }
}

/// Returns what is to be recorded for a layer to be accepted as it is now.
pub(super) fn differences(key: &Key, before: &Accepted, after: &Accepted) -> Vec<News> {
    let is_new =
        |slug: &str, version: &Version| before.versions.get(slug).is_none_or(|known| !known.is_same(version));
    let accepted = after.versions.iter().filter(|(slug, version)| is_new(slug, version));
    let accepted = accepted.map(|(slug, version)| News::Accepted(key.clone(), slug.clone(), version.clone()));
    let slugs = before.versions.keys().chain(before.unreadable.keys());
    let gone = slugs.filter(|slug| !after.versions.contains_key(*slug));
    let gone = gone.map(|slug| News::Forgotten(key.clone(), slug.clone()));
    let read = after.sound.difference(&before.sound).map(|file| News::Read(key.clone(), file.clone()));
    let misread = before.sound.difference(&after.sound).map(|file| News::Misread(key.clone(), file.clone()));
    accepted.chain(gone).chain(read).chain(misread).collect()
}

#[cfg(test)]
mod tests {
    use paseo_core::definition::{DEFAULT, Format, Origin, Reading, Severity, Source};

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
        let version = |slug: &&str| {
            let source = Source { origin, file: Some(format!("/{}/{slug}.md", origin.word())) };
            let definition = Arc::new(Definition::plain(slug, source));
            let (file, text) = (format!("agents/{slug}.md"), "".into());
            (
                (*slug).to_owned(),
                Version { file, format: Format::Markdown, text, definition, untrusted: false },
            )
        };
        let problem = |slug: &&str| Problem {
            file: format!("/{slug}.md"),
            line: 3,
            message: "wrong".to_owned(),
            slug: Some((*slug).to_owned()),
            severity: Severity::Error,
        };
        let readings = slugs.iter().map(|slug| Reading {
            file: format!("agents/{slug}.md"),
            versions: [version(slug)].into(),
            ..Reading::default()
        });
        let broken = broken.iter().map(|slug| Reading {
            file: format!("agents/{slug}.md"),
            broken: [((*slug).to_owned(), problem(slug))].into(),
            ..Reading::default()
        });
        Layer { readings: readings.chain(broken).collect(), ..Layer::default() }
    }

    /// Lays a project over a home that was accepted as it is.
    fn laid(home: &Layer, own: &[(Project, Arc<Layer>)]) -> Catalogue {
        Catalogue::of(home, own, &[(Key::home(), adopt(&home.readings))].into()).0
    }

    fn origin(catalogue: &Catalogue, slug: &str) -> Result<Origin, String> {
        catalogue.get(slug).map(|found| found.source.origin).map_err(|failure| failure.message)
    }

    #[test]
    fn the_nearest_counts() {
        let home = layer(Origin::Home, &["a", "b", DEFAULT], &[]);
        let catalogue = laid(&home, &own(Trust::Trusted, &["a", "c"]));
        let found = ["a", "b", "c", DEFAULT].map(|slug| origin(&catalogue, slug).unwrap());
        assert_eq!(found, [Origin::Project, Origin::Home, Origin::Project, Origin::Home]);
        let counting: Vec<bool> = catalogue.listed().iter().map(|listed| listed.counts).collect();
        assert_eq!(counting, [true, false, true, true, true, false]);
        assert_eq!(origin(&catalogue, "d").unwrap_err(), "agent definition `d` not found");
    }

    #[test]
    fn what_was_never_trusted_is_as_if_it_were_not_there() {
        let home = layer(Origin::Home, &["a"], &[]);
        let catalogue = laid(&home, &own(Trust::Never, &["a", "c", DEFAULT]));
        assert_eq!(origin(&catalogue, "a"), Ok(Origin::Home));
        assert_eq!(origin(&catalogue, DEFAULT), Ok(Origin::BuiltIn));
        assert_eq!(
            origin(&catalogue, "c").unwrap_err(),
            "agent definition `c` of this project is not trusted"
        );
    }

    #[test]
    fn what_was_changed_lets_nothing_through_in_its_place() {
        let home = layer(Origin::Home, &["a", "b"], &[]);
        let catalogue = laid(&home, &own(Trust::Changed, &["a", DEFAULT]));
        assert_eq!(origin(&catalogue, "b"), Ok(Origin::Home));
        for slug in ["a", DEFAULT] {
            assert!(origin(&catalogue, slug).unwrap_err().ends_with("has changed since it was trusted"));
        }
        assert!(catalogue.all().all(|definition| definition.slug == "b"));
    }

    #[test]
    fn what_was_trusted_of_a_project_counts_until_its_changes_are_trusted() {
        let home = layer(Origin::Home, &["a", "b"], &[]);
        let trusted = layer(Origin::Project, &["a", DEFAULT], &[]);
        let known = [(Key::home(), adopt(&home.readings)), (Key::project("/p"), adopt(&trusted.readings))];
        let changed = own(Trust::Changed, &["b", "c"]);
        let (catalogue, news) = Catalogue::of(&home, &changed, &known.into());
        // `a` and `default` were removed, and nothing below may take their place but what grants no more.
        assert_eq!(origin(&catalogue, "a"), Ok(Origin::Home), "it grants the same");
        assert_eq!(origin(&catalogue, DEFAULT), Ok(Origin::Project), "the built-in one has more by name");
        assert_eq!(origin(&catalogue, "b"), Ok(Origin::Home), "the new one waits");
        assert!(origin(&catalogue, "c").unwrap_err().contains("is not trusted yet"));
        assert_eq!(news, []);
        let waiting: Vec<&str> = catalogue.pending.iter().map(|pending| pending.slug.as_str()).collect();
        assert_eq!(waiting, ["b", "c", DEFAULT]);
    }

    #[test]
    fn what_is_broken_lets_nothing_through_in_its_place() {
        let home = layer(Origin::Home, &[], &[DEFAULT, "a"]);
        let catalogue = laid(&home, &[]);
        assert_eq!(
            origin(&catalogue, DEFAULT).unwrap_err(),
            "cannot use agent definition `default`: /default.md:3: wrong"
        );
        // A project that is trusted may mend it.
        let catalogue = laid(&home, &own(Trust::Trusted, &["a"]));
        assert_eq!(origin(&catalogue, "a"), Ok(Origin::Project));
    }
}
