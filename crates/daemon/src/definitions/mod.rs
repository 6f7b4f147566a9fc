//! The definitions that count in a project, wherever they come from. They are read again whenever a file changed.

mod catalogue;
mod files;
mod layer;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use paseo_core::definition::{Definition, Keys};
use paseo_core::session::Session;
use paseo_runtime::keys::Key;
use paseo_wire::error::Code;

pub(crate) use catalogue::{Catalogue, Listed, Project, Trust};

use self::files::{Place, Scan};
use self::layer::Layer;
use crate::failure::Failure;
use crate::settings::SettingsCell;

/// Projects that are remembered; more are read anew.
const PROJECTS: usize = 64;

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
}

#[derive(Default)]
struct Memory {
    layers: HashMap<Place, Remembered>,
    catalogues: HashMap<Vec<Place>, (Ingredients, Arc<Catalogue>)>,
}

/// What a place held when it was read.
struct Remembered {
    scan: Scan,
    settled: bool,
    layer: Arc<Layer>,
}

/// What a catalogue was made from: the home's, then those of the project that matter, the nearest last.
type Ingredients = (Arc<Layer>, Vec<(Project, Arc<Layer>)>);

impl Definitions {
    pub(crate) fn new(home: &Path, settings: SettingsCell, keys: BTreeMap<String, Key>) -> Self {
        let known_keys = keys.iter().map(|(id, key)| (id.clone(), key.provider.clone())).collect();
        let memory = Mutex::default();
        Self(Arc::new(Shared { home: home.to_owned(), settings, keys, known_keys, memory }))
    }

    /// Returns what counts in a project now. Looks at every file, and reads those of a place that changed.
    pub(crate) fn catalogue(&self, project: &str) -> Arc<Catalogue> {
        let shared = &*self.0;
        let places = Place::of_project(Path::new(project), &shared.home);
        let mut memory = shared.memory.lock();
        let home = memory.layer(&Place::Home(shared.home.clone()), &shared.known_keys);
        let ingredients = (home, self.own(&mut memory, &places));
        if let Some((from, catalogue)) = memory.catalogues.get(&places)
            && same(from, &ingredients)
        {
            return Arc::clone(catalogue);
        }
        let catalogue = Arc::new(Catalogue::of(&ingredients.0, &ingredients.1));
        if memory.catalogues.len() >= PROJECTS {
            memory.catalogues.clear();
            memory.layers.clear();
        }
        memory.catalogues.insert(places, (ingredients, Arc::clone(&catalogue)));
        catalogue
    }

    /// Returns what a project defines: in the nearest place that defines anything. When nobody ever trusted that, and
    /// somebody did trust one above, then that one stays, and what was put in front of it only takes away.
    fn own(&self, memory: &mut Memory, places: &[Place]) -> Vec<(Project, Arc<Layer>)> {
        let mut own = Vec::new();
        for place in places {
            let layer = memory.layer(place, &self.0.known_keys);
            if layer.files.is_empty() && layer.problems.is_empty() {
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
            nearest.trust = Trust::Changed;
        }
        own.reverse();
        own
    }

    /// Returns the definition that a session follows, as it is now.
    pub(crate) fn of(&self, session: &Session) -> Result<Arc<Definition>, Failure> {
        self.catalogue(&session.profile.project).get(session.profile.slug())
    }

    /// Returns what the harness of a session must find in its environment, for its model to be paid with the key that
    /// the definition names. Fails when the definition cannot be used or the key cannot be read.
    pub(crate) fn credentials(&self, session: &Session) -> Result<Vec<(String, String)>, Failure> {
        let definition = self.of(session)?;
        let profile = &session.profile;
        let mut models = definition.models.iter();
        let chosen = models.find(|model| Some(&model.model) == profile.model.as_ref());
        let Some(id) = chosen.and_then(|model| model.key.as_ref()) else { return Ok(Vec::new()) };
        let unusable =
            |why: String| Failure::new(Code::Conflict, format!("the key `{id}` cannot be used: {why}"));
        // A definition that names one that is not there is not loaded.
        let key = self.0.keys.get(id).ok_or_else(|| unusable("there is no such key".to_owned()))?;
        if key.provider != profile.provider {
            return Err(unusable(format!(
                "it is for {}, and this agent runs on {}",
                key.provider, profile.provider
            )));
        }
        key.environment(|name| std::env::var_os(name)).map_err(|error| {
            let failure = unusable(error.message);
            Failure { hint: error.hint, ..failure }
        })
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
        Project { directory, sha256: layer.sha256.clone(), trust, files: layer.files.clone() }
    }
}

impl Memory {
    fn layer(&mut self, place: &Place, keys: &Keys) -> Arc<Layer> {
        let (now, scan) = (SystemTime::now(), place.scan());
        if let Some(known) = self.layers.get(place).filter(|known| known.settled && known.scan == scan) {
            return Arc::clone(&known.layer);
        }
        let layer = Arc::new(Layer::read(place, &scan, keys));
        let settled = scan.is_settled(now);
        self.layers.insert(place.clone(), Remembered { scan, settled, layer: Arc::clone(&layer) });
        layer
    }
}

fn same(one: &Ingredients, other: &Ingredients) -> bool {
    let own = one.1.iter().zip(&other.1).all(|((one, layer), (other, same))| {
        Arc::ptr_eq(layer, same) && one.trust == other.trust && one.directory == other.directory
    });
    own && one.1.len() == other.1.len() && Arc::ptr_eq(&one.0, &other.0)
}
