//! The definitions that count in a project, wherever they come from. They are read again whenever a file changed.

mod accepted;
mod catalogue;
mod contents;
mod doubts;
mod files;
mod layer;
mod pending;
mod save;
mod source;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Mutex, MutexGuard};
use paseo_core::definition::{Accepted, Color, Definition, Keys, Origin, Problem, changes};
use paseo_core::session::Session;
use paseo_core::settings;
use paseo_runtime::keys::{self, CHAINS, Key};
use paseo_runtime::provider::{Access, Choice, StartError};
use paseo_wire::error::Code;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Notify;
use tokio::task::block_in_place;

pub(crate) use catalogue::{Catalogue, Listed, Project, Trust};
pub(crate) use doubts::doubts;
pub(crate) use pending::Pending;
pub(crate) use source::{Other, Source};

use self::catalogue::News;
use self::contents::Contents;
use self::files::Place;
use self::layer::Layer;
use crate::failure::Failure;
use crate::journal::Journal;
use crate::settings::SettingsCell;

/// Projects that are remembered; more are read again.
const PROJECTS: usize = 512;
/// How old the looks of a definition may be.
const LOOKS: Duration = Duration::from_secs(2);

/// Reads definitions. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Definitions(Arc<Shared>);

struct Shared {
    home: PathBuf,
    settings: SettingsCell,
    keys: BTreeMap<String, Key>,
    /// Their ids and providers.
    known_keys: Keys,
    memory: Mutex<Memory>,
    /// Rings when something counts that is not in the log yet.
    unrecorded: Notify,
    recording: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Memory {
    layers: HashMap<Place, Remembered>,
    catalogues: HashMap<Vec<Place>, (Ingredients, Arc<Catalogue>)>,
    /// What was accepted, by layer.
    accepted: BTreeMap<settings::Layer, Accepted>,
    /// Moves with what was accepted.
    generation: u64,
    /// What was accepted and is not in the log yet.
    news: Vec<News>,
    /// The provider that the user's own `config.toml` named when it could be read.
    default_provider: Option<String>,
    /// What was looked at.
    #[cfg(test)]
    scanned: Vec<Place>,
}

/// The models that a session tries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) choices: Vec<Choice>,
    /// Those that cannot be paid for now, and why.
    pub(crate) unreadable: Vec<String>,
}

/// What a place held when it was read.
struct Remembered {
    /// When the last look at it began.
    begun: Instant,
    contents: Contents,
    layer: Arc<Layer>,
}

/// What a catalogue was made from.
struct Ingredients {
    home: Arc<Layer>,
    /// Those of the project that matter, the nearest last.
    own: Vec<(Project, Arc<Layer>)>,
    /// Places of the project that define nothing, and have something wrong.
    empty: Vec<Arc<Layer>>,
    /// Of what was accepted.
    generation: u64,
}

impl Catalogue {
    /// Returns the definition that a session follows. Where it was the project's own, none of the same name will do:
    /// removing it must not grant what it withheld.
    pub(crate) fn followed(&self, session: &Session) -> Result<Arc<Definition>, Failure> {
        let slug = session.profile.slug();
        let found = self.get(slug)?;
        if session.profile.of_project && found.source.origin != Origin::Project {
            let message =
                format!("this agent uses the project's definition of `{slug}`, which no longer exists");
            return Err(Failure::new(Code::NotFound, message)
                .hint("restore its file, and run `paseo agents trust` if it has changed"));
        }
        Ok(found)
    }
}

/// The places of a project that define something, and those that do not.
type Own = (Vec<(Project, Arc<Layer>)>, Vec<Arc<Layer>>);

impl Definitions {
    pub(crate) fn new(home: &Path, settings: SettingsCell, keys: BTreeMap<String, Key>) -> Self {
        let known_keys = keys.iter().map(|(id, key)| (id.clone(), key.provider.clone())).collect();
        Self(Arc::new(Shared {
            home: home.to_owned(),
            settings,
            keys,
            known_keys,
            memory: Mutex::default(),
            unrecorded: Notify::new(),
            recording: tokio::sync::Mutex::default(),
        }))
    }

    /// Makes them with what was accepted before.
    pub(crate) async fn load(
        home: &Path,
        settings: SettingsCell,
        keys: BTreeMap<String, Key>,
        journal: &Journal,
    ) -> Result<Self, Failure> {
        let definitions = Self::new(home, settings, keys);
        let shared = &definitions.0;
        let accepted = accepted::load(&shared.settings.get(), journal, home, &shared.known_keys).await?;
        shared.memory.lock().accepted = accepted;
        definitions.adopt(journal).await?;
        Ok(definitions)
    }

    /// Returns what counts in a project now. Looks at every file, and reads those that changed.
    pub(crate) fn catalogue(&self, project: &str) -> Arc<Catalogue> {
        self.catalogue_since(project, Instant::now())
    }

    /// Returns what has counted in a project since a caller arrived. Those who arrived before a place was looked at for
    /// another need no look of their own, however many they are.
    fn catalogue_since(&self, project: &str, arrival: Instant) -> Arc<Catalogue> {
        let shared = &*self.0;
        let mut memory = shared.memory();
        let places = self.places(&memory, project);
        let home = memory.layer(&Place::Home(shared.home.clone()), &shared.known_keys, arrival);
        let (own, empty) = self.own(&mut memory, &places, arrival);
        let ingredients = Ingredients { home, own, empty, generation: memory.generation };
        if let Some((from, catalogue)) = memory.catalogues.get(&places)
            && same(from, &ingredients)
        {
            return Arc::clone(catalogue);
        }
        let (mut catalogue, news) = Catalogue::of(&ingredients.home, &ingredients.own, &memory.accepted);
        if !news.is_empty() {
            memory.accept(&news);
            memory.news.extend(news);
            shared.unrecorded.notify_one();
        }
        let ingredients = Ingredients { generation: memory.generation, ..ingredients };
        catalogue.problems.extend(ingredients.empty.iter().flat_map(|layer| layer.problems.iter().cloned()));
        let catalogue = Arc::new(catalogue);
        if memory.catalogues.len() >= PROJECTS {
            memory.catalogues.clear();
            memory.layers.clear();
        }
        memory.catalogues.insert(places, (ingredients, Arc::clone(&catalogue)));
        catalogue
    }

    /// Returns the places of a project that may define something, the nearest first.
    fn places(&self, memory: &Memory, project: &str) -> Vec<Place> {
        let trusted = &self.0.settings.get().trusted;
        let known = |root: &Path| {
            let root = root.to_string_lossy();
            trusted.contains_key(&*root) || memory.accepted.contains_key(&settings::Layer::project(&root))
        };
        Place::of_project(Path::new(project), &self.0.home, known)
    }

    /// Returns the provider that `config.toml` names, or named when it could last be read.
    pub(crate) fn default_provider(&self) -> Option<String> {
        let arrival = Instant::now();
        let mut memory = self.0.memory();
        memory.layer(&Place::Home(self.0.home.clone()), &self.0.known_keys, arrival);
        memory.default_provider.clone()
    }

    /// Returns what a project defines: in the nearest place that defines anything. When nobody ever trusted that, and
    /// somebody did trust one above, then that one stays, and what was put in front of it only takes away.
    fn own(&self, memory: &mut Memory, places: &[Place], arrival: Instant) -> Own {
        let (mut own, mut empty) = (Vec::new(), Vec::new());
        for place in places {
            let layer = memory.layer(place, &self.0.known_keys, arrival);
            let directory = settings::Layer::project(&place.root().to_string_lossy());
            if layer.is_empty() && !memory.accepted.contains_key(&directory) {
                empty.push(layer);
                continue;
            }
            let project = self.project(place, &layer);
            let known = project.trust != Trust::Never;
            if own.is_empty() || known {
                own.push((project, layer));
            }
            if known {
                break;
            }
        }
        if let [(nearest, _), _] = &mut own[..] {
            nearest.trust = Trust::Nearer;
        }
        own.reverse();
        (own, empty)
    }

    /// Returns the definition that a session follows, as it is now.
    pub(crate) fn of(&self, session: &Session) -> Result<Arc<Definition>, Failure> {
        self.catalogue(&session.profile.project).followed(session)
    }

    /// Returns the icon and the colour of the definition that a session follows, as they were within the last moments:
    /// lists are long, and no one waits for a new colour.
    pub(crate) fn looks(&self, session: &Session) -> (Option<String>, Option<Color>) {
        let now = Instant::now();
        let arrival = now.checked_sub(LOOKS).unwrap_or(now);
        let catalogue = self.catalogue_since(&session.profile.project, arrival);
        match catalogue.followed(session) {
            Ok(followed) => (followed.icon.as_ref().map(ToString::to_string), followed.color),
            Err(_) => (None, None),
        }
    }

    /// Says why a session follows another version of its definition than the file holds.
    pub(crate) fn notice(&self, session: &Session) -> Option<String> {
        self.catalogue(&session.profile.project).told(session.profile.slug())
    }

    /// Returns what the harness of a session must find in its environment, for its model to be paid with the key that
    /// the definition names. Fails when the definition cannot be used or the key cannot be read.
    pub(crate) fn credentials(&self, session: &Session) -> Result<Vec<(String, String)>, Failure> {
        let definition = self.of(session)?;
        let profile = &session.profile;
        let Some(id) = definition.key(&profile.provider, profile.model.as_deref()) else {
            return Ok(Vec::new());
        };
        let key = self.key(id, &profile.provider)?;
        key.environment(|name| std::env::var_os(name)).map_err(|error| unreadable(id, error))
    }

    /// Returns the models that a session tries in turn, with what they are paid for. Empty for providers that try no
    /// more than one, and for a model that the definition does not have.
    pub(crate) fn chain(&self, session: &Session) -> Result<Chain, Failure> {
        let profile = &session.profile;
        if !CHAINS.contains(&profile.provider.as_str()) {
            return Ok(Chain::default());
        }
        let definition = self.of(session)?;
        let chain = definition.chain(&profile.provider, profile.model.as_deref());
        if let (true, Some(model)) = (chain.is_empty(), &profile.model) {
            // Another model than those of the definition, on the server of its first.
            let Some(id) = definition.key(&profile.provider, Some(model)) else {
                return Ok(Chain::default());
            };
            let key = self.key(id, &profile.provider)?;
            let access =
                key.access(id, |name| std::env::var_os(name)).map_err(|error| unreadable(id, error))?;
            let (model, effort) = (Some(model.clone()), profile.effort.clone());
            let choices = vec![Choice { model, effort, context: None, access: Some(access) }];
            return Ok(Chain { choices, ..Chain::default() });
        }
        let (mut usable, mut refused) = (Chain::default(), None);
        for (place, model) in chain.iter().enumerate() {
            let access = match model.key.as_deref() {
                None => None,
                Some(id) => {
                    match self.key(id, &profile.provider)?.access(id, |name| std::env::var_os(name)) {
                        Ok(access) => Some(access),
                        Err(error) => {
                            let failure = unreadable(id, error);
                            usable
                                .unreadable
                                .push(format!("{} is skipped: {}", model.model, failure.message));
                            refused.get_or_insert(failure);
                            continue;
                        }
                    }
                }
            };
            // What was asked for beside the definition counts for what was asked for.
            let effort = if place == 0 { profile.effort.clone() } else { model.effort.clone() };
            let (name, context) = (Some(model.model.clone()), model.context);
            usable.choices.push(Choice { model: name, effort, context, access });
        }
        match refused {
            Some(failure) if usable.choices.is_empty() => Err(failure),
            _ => Ok(usable),
        }
    }

    /// Says which keys of a definition cannot be read now.
    pub(crate) fn unreadable_keys(&self, definition: &Definition) -> Vec<Problem> {
        let mut seen = BTreeSet::new();
        let keys = definition.models.iter().filter_map(|model| model.key.as_deref());
        let problems = keys.filter(|id| seen.insert(*id)).filter_map(|id| {
            let key = self.0.keys.get(id)?;
            let error = key.access(id, |name| std::env::var_os(name)).err()?;
            definition.doubt(&["models", "chat"], unreadable(id, error).message)
        });
        problems.collect()
    }

    /// Returns the first key of a provider that can be read.
    pub(crate) fn any_access(&self, provider: &str) -> Option<Access> {
        let keys = self.0.keys.iter().filter(|(_, key)| key.provider == provider);
        keys.filter_map(|(id, key)| key.access(id, |name| std::env::var_os(name)).ok()).next()
    }

    /// Returns the models that the user's own definitions name for a provider.
    pub(crate) fn named_models(&self, provider: &str) -> BTreeSet<String> {
        // The home alone: which project is meant is not known.
        let catalogue = self.catalogue("");
        let definitions = catalogue.all().filter(|one| one.provider.as_deref() == Some(provider));
        definitions.flat_map(|one| one.models.iter().map(|model| model.model.clone())).collect()
    }

    /// Returns the variables with keys that a provider's harness does not find in its environment.
    pub(crate) fn withheld_keys(&self, provider: &str) -> Vec<String> {
        keys::withheld(provider, self.0.keys.values())
    }

    fn key(&self, id: &str, provider: &str) -> Result<&Key, Failure> {
        // A definition that names one that is not there is not loaded.
        let key = self.0.keys.get(id).ok_or_else(|| unusable(id, "unknown key".to_owned()))?;
        if key.provider != provider {
            return Err(unusable(
                id,
                format!("it is for {}, but this agent runs on {provider}", key.provider),
            ));
        }
        Ok(key)
    }

    fn project(&self, place: &Place, layer: &Layer) -> Project {
        let directory = place.root().to_string_lossy().into_owned();
        let settings = self.0.settings.get();
        let trust = if settings.trusts(&directory, &layer.sha256) {
            Trust::Trusted
        } else if settings.trusted.contains_key(&directory) {
            Trust::Changed
        } else {
            Trust::Never
        };
        let before = settings.trusted_files.get(&directory).filter(|before| !before.is_empty());
        let changes = before.filter(|_| trust == Trust::Changed).map(|before| changes(before, &layer.files));
        Project { directory, sha256: layer.sha256.clone(), trust, files: layer.files.clone(), changes }
    }
}

impl Memory {
    /// Returns what a place defines, as it was at a caller's arrival or later.
    fn layer(&mut self, place: &Place, keys: &Keys, arrival: Instant) -> Arc<Layer> {
        if let Some(known) = self.layers.get(place).filter(|known| known.begun >= arrival) {
            return Arc::clone(&known.layer);
        }
        let (begun, now, scan) = (Instant::now(), SystemTime::now(), place.scan());
        #[cfg(test)]
        self.scanned.push(place.clone());
        if let Some(known) = self.layers.get_mut(place).filter(|known| known.contents.is_current(&scan)) {
            known.begun = begun;
            return Arc::clone(&known.layer);
        }
        let before = self.layers.get(place);
        let known = before.map(|known| &known.contents);
        let read = || Contents::read(scan, now, place.origin(), keys, layer::BYTES, known);
        let contents = beside_others(read);
        let same = before.filter(|known| known.contents.says_the_same(&contents));
        let layer = same.map_or_else(|| Arc::new(Layer::of(&contents)), |known| Arc::clone(&known.layer));
        if matches!(place, Place::Home(_)) && !layer.config_is_broken {
            self.default_provider.clone_from(&layer.default_provider);
        }
        self.layers.insert(place.clone(), Remembered { begun, contents, layer: Arc::clone(&layer) });
        layer
    }
}

impl Shared {
    /// Waits for the readers that have a file open.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.try_lock().unwrap_or_else(|| beside_others(|| self.memory.lock()))
    }
}

/// Runs what reads files or waits for others who do, without keeping a thread from other requests. That costs more than
/// finding everything as it was, which every turn begins with.
fn beside_others<T>(work: impl FnOnce() -> T) -> T {
    // Tests may run on one thread, which is all there is.
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

fn unusable(id: &str, why: String) -> Failure {
    Failure::new(Code::Conflict, format!("cannot use the key `{id}`: {why}"))
}

fn unreadable(id: &str, error: StartError) -> Failure {
    Failure { hint: error.hint, ..unusable(id, error.message) }
}

fn same(one: &Ingredients, other: &Ingredients) -> bool {
    let own = one.own.len() == other.own.len()
        && one
            .own
            .iter()
            .zip(&other.own)
            .all(|(one, other)| one.0 == other.0 && Arc::ptr_eq(&one.1, &other.1));
    let empty = one.empty.len() == other.empty.len()
        && one.empty.iter().zip(&other.empty).all(|(one, other)| Arc::ptr_eq(one, other));
    own && empty && Arc::ptr_eq(&one.home, &other.home) && one.generation == other.generation
}
