//! Which version of each definition counts: what the files of a layer say now, or what was accepted before.
//!
//! A change that narrows counts at once. One that widens waits for a person, and one that cannot be read never counts:
//! meanwhile the accepted version does. Nothing falls through to a lower layer because of an error.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{DEFAULT, Definition, Format, Problem, Widening, widens};

/// A definition as a file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// From the layer's directory on.
    pub file: String,
    pub format: Format,
    /// The definition alone, without the rest of its file.
    pub text: Arc<str>,
    pub definition: Arc<Definition>,
    /// It counts because it grants nothing new. No person has trusted it, so naming it gains nothing.
    pub untrusted: bool,
}

impl Version {
    /// Says whether it states the same, in the same file.
    pub fn is_same(&self, other: &Self) -> bool {
        self.file == other.file && self.format == other.format && self.text == other.text
    }
}

/// A file of a layer as it is now, or a folder that cannot be listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub file: String,
    pub versions: BTreeMap<String, Version>,
    /// Definitions that are there by name and cannot be used.
    pub broken: BTreeMap<String, Problem>,
    /// Why it may define more than could be read.
    pub unsure: Option<Problem>,
    /// It can define any slug, so it matters whether it was ever read without an error.
    pub holds_many: bool,
}

/// What was accepted of a layer: by a person, or because it granted nothing new.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accepted {
    pub versions: BTreeMap<String, Version>,
    /// Versions that this program cannot read any more.
    pub unreadable: BTreeMap<String, Problem>,
    /// Files with many definitions that were read without an error before.
    pub sound: BTreeSet<String>,
}

/// Which changes count before a person trusts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The user's own files: what grants nothing new counts, and so does a new definition that grants no more than
    /// `default` and shadows nothing.
    Own,
    /// Files that others may have written: only what was trusted counts, or less of it in the same words.
    Foreign,
}

/// What a slug comes to in a layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// The version that counts. `None`: that of the layer below, unless it is refused.
    pub counts: Option<Version>,
    /// Nothing counts, not even the version of a layer below.
    pub refused: bool,
    /// A change that waits for a person.
    pub waits: Option<Waiting>,
    /// Why the file does not count.
    pub broken: Option<Problem>,
    /// The version that counts is to be accepted.
    pub is_news: bool,
}

/// A change that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub kind: WaitingKind,
    /// What it grants beyond what counts now.
    pub widens: Vec<Widening>,
    /// What would count. `None`: the definition is removed.
    pub version: Option<Version>,
}

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitingKind {
    New,
    /// A new definition that would take the place of another.
    Shadows,
    Changed,
    Removed,
    /// A new definition that counts already, and another one names it as an agent that it may use as it is.
    Named,
}

impl WaitingKind {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Shadows => "shadows",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Named => "named",
        }
    }
}

/// What a layer comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    pub standings: BTreeMap<String, Standing>,
    /// An error that refuses every slug without a standing: a file that could define it was never read.
    pub closed: Option<Problem>,
    /// Files with many definitions that are without an error, and were not before.
    pub sound: BTreeSet<String>,
    /// Those that can be read and now have an error: what they refuse stays refused when they cannot be read.
    pub unsound: BTreeSet<String>,
}

/// Decides which version of each definition of a layer counts.
///
/// `readings` are in the order in which one beats the next. `below` is what counts without this layer.
pub fn settle(
    readings: &[Reading],
    accepted: &Accepted,
    policy: Policy,
    below: &dyn Fn(&str) -> Option<Arc<Definition>>,
) -> Settled {
    let layer = Layer { readings, accepted, policy, below };
    let named = readings.iter().flat_map(|reading| reading.versions.keys().chain(reading.broken.keys()));
    let slugs: BTreeSet<&String> =
        named.chain(accepted.versions.keys()).chain(accepted.unreadable.keys()).collect();
    let default = layer.standing(DEFAULT, None);
    let default = match (&default.counts, default.refused) {
        (Some(version), _) => Some(Arc::clone(&version.definition)),
        (None, true) => None,
        (None, false) => below(DEFAULT),
    };
    let standings = slugs.into_iter().map(|slug| (slug.clone(), layer.standing(slug, default.as_deref())));
    let unread = readings.iter().filter(|reading| !layer.was_sound(reading));
    let read = || readings.iter().filter(|reading| reading.holds_many && reading.unsure.is_none());
    let named = |reading: &Reading| reading.file.clone();
    let sound = read().filter(|reading| is_sound(reading, readings)).map(named);
    let unsound = read().filter(|reading| !is_sound(reading, readings)).map(named);
    Settled {
        standings: standings.collect(),
        closed: unread.filter_map(|reading| reading.unsure.clone()).next(),
        sound: sound.filter(|file| !accepted.sound.contains(file)).collect(),
        unsound: unsound.filter(|file| accepted.sound.contains(file)).collect(),
    }
}

/// Says whether a file was read without any error, or a folder with all its files: then it defines what was found in it,
/// and nothing else.
fn is_sound(reading: &Reading, readings: &[Reading]) -> bool {
    let inside = readings.iter().filter(|other| covers(&reading.file, &other.file));
    inside.into_iter().all(|other| other.unsure.is_none() && other.broken.is_empty())
}

/// Returns what is accepted when a person trusts a layer as it is.
pub fn adopt(readings: &[Reading]) -> Accepted {
    let mut accepted = Accepted::default();
    let mut claimed = BTreeSet::new();
    for reading in readings {
        for (slug, version) in &reading.versions {
            if claimed.insert(slug) {
                accepted.versions.insert(slug.clone(), version.clone());
            }
        }
        claimed.extend(reading.broken.keys());
        if reading.holds_many && is_sound(reading, readings) {
            accepted.sound.insert(reading.file.clone());
        }
    }
    accepted
}

/// What a file says about a slug.
#[derive(Clone, Copy)]
struct Claim<'a> {
    file: &'a str,
    says: Says<'a>,
}

#[derive(Clone, Copy)]
enum Says<'a> {
    Sound(&'a Version),
    Broken(&'a Problem),
    /// It may define the slug, and was never read without an error.
    Unread(&'a Problem),
}

struct Layer<'a> {
    readings: &'a [Reading],
    accepted: &'a Accepted,
    policy: Policy,
    below: &'a dyn Fn(&str) -> Option<Arc<Definition>>,
}

impl<'a> Layer<'a> {
    fn was_sound(&self, reading: &Reading) -> bool {
        self.accepted.sound.contains(&reading.file)
    }

    fn standing(&self, slug: &str, default: Option<&Definition>) -> Standing {
        let claims: Vec<Claim<'_>> =
            self.readings.iter().filter_map(|reading| self.claim(reading, slug)).collect();
        let first = claims.first().copied();
        if let Some(Claim { says: Says::Unread(problem), .. }) = first {
            return refused(problem);
        }
        if let Some(problem) = self.accepted.unreadable.get(slug) {
            return unreadable(first, problem);
        }
        let Some(kept) = self.accepted.versions.get(slug) else {
            return match first.map(|claim| claim.says) {
                None => Standing::default(),
                Some(Says::Broken(problem) | Says::Unread(problem)) => refused(problem),
                Some(Says::Sound(version)) => self.newcomer(slug, version, default),
            };
        };
        let Some(first) = first else { return self.removed(slug, kept) };
        match claims.iter().find(|claim| covers(claim.file, &kept.file)) {
            // It is in another file now.
            None => self.follow(kept, first.says),
            Some(own) if own.file == first.file => self.follow(kept, own.says),
            // A file that beats its own has another one.
            Some(own) => match first.says {
                Says::Broken(problem) | Says::Unread(problem) => refused(problem),
                Says::Sound(other) => shadowed(self.follow(kept, own.says), other),
            },
        }
    }

    fn claim(&self, reading: &'a Reading, slug: &str) -> Option<Claim<'a>> {
        let says = if let Some(version) = reading.versions.get(slug) {
            Says::Sound(version)
        } else if let Some(problem) = reading.broken.get(slug) {
            Says::Broken(problem)
        } else {
            let problem = reading.unsure.as_ref()?;
            let kept = self.accepted.versions.get(slug);
            if kept.is_some_and(|kept| covers(&reading.file, &kept.file)) {
                Says::Broken(problem)
            } else if self.was_sound(reading) {
                // What it held when it was last read did not define the slug.
                return None;
            } else {
                Says::Unread(problem)
            }
        };
        Some(Claim { file: &reading.file, says })
    }

    fn newcomer(&self, slug: &str, version: &Version, default: Option<&Definition>) -> Standing {
        let waits = |kind: WaitingKind, widens: Vec<Widening>| {
            Some(Waiting { kind, widens, version: Some(version.clone()) })
        };
        if let Some(shadowed) = (self.below)(slug) {
            let widens = widens(&shadowed, &version.definition);
            return Standing { waits: waits(WaitingKind::Shadows, widens), ..Standing::default() };
        }
        let widens = default.map(|default| widens(default, &version.definition));
        if self.policy == Policy::Own && widens.as_ref().is_some_and(Vec::is_empty) {
            let counts = Some(Version { untrusted: true, ..version.clone() });
            return Standing { counts, is_news: true, ..Standing::default() };
        }
        let waits = waits(WaitingKind::New, widens.unwrap_or_default());
        Standing { refused: true, waits, ..Standing::default() }
    }

    /// Takes a change of an accepted version in, if it may count.
    fn follow(&self, kept: &Version, says: Says<'_>) -> Standing {
        let version = match says {
            Says::Sound(version) => version,
            Says::Broken(problem) | Says::Unread(problem) => {
                let broken = Some(problem.clone());
                return Standing { counts: Some(kept.clone()), broken, ..Standing::default() };
            }
        };
        let is_news = !version.is_same(kept);
        let widens = if is_news { widens(&kept.definition, &version.definition) } else { Vec::new() };
        let reworded =
            is_news && self.policy == Policy::Foreign && !kept.definition.says_the_same(&version.definition);
        if widens.is_empty() && !reworded {
            // A person who trusted more trusts less as well.
            let counts = Some(Version { untrusted: kept.untrusted, ..version.clone() });
            return Standing { counts, is_news, ..Standing::default() };
        }
        previous(kept, Waiting { kind: WaitingKind::Changed, widens, version: Some(version.clone()) })
    }

    /// Removing a definition must not grant what it withheld.
    fn removed(&self, slug: &str, kept: &Version) -> Standing {
        let widens = (self.below)(slug).map(|below| widens(&kept.definition, &below)).unwrap_or_default();
        if widens.is_empty() {
            return Standing::default();
        }
        previous(kept, Waiting { kind: WaitingKind::Removed, widens, version: None })
    }
}

/// Says whether a file is another, or a folder that holds it.
fn covers(file: &str, other: &str) -> bool {
    other.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn previous(kept: &Version, waiting: Waiting) -> Standing {
    Standing { counts: Some(kept.clone()), waits: Some(waiting), ..Standing::default() }
}

/// Lets a version count although another one is in front of it.
fn shadowed(standing: Standing, other: &Version) -> Standing {
    let counts = standing.counts.as_ref().map(|version| &version.definition);
    let widens = counts.map(|counts| widens(counts, &other.definition)).unwrap_or_default();
    let waits = Waiting { kind: WaitingKind::Shadows, widens, version: Some(other.clone()) };
    Standing { waits: Some(waits), ..standing }
}

fn refused(problem: &Problem) -> Standing {
    Standing { refused: true, broken: Some(problem.clone()), ..Standing::default() }
}

/// What cannot be compared waits.
fn unreadable(first: Option<Claim<'_>>, problem: &Problem) -> Standing {
    match first.map(|claim| claim.says) {
        Some(Says::Sound(version)) => {
            let version = Some(version.clone());
            let waits = Some(Waiting { kind: WaitingKind::Changed, widens: Vec::new(), version });
            Standing { refused: true, waits, ..Standing::default() }
        }
        Some(Says::Broken(problem) | Says::Unread(problem)) => refused(problem),
        None => refused(problem),
    }
}
