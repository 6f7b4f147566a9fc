//! The definitions that count, in the log: loaded at start, recorded when they change, trusted by people.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use paseo_core::actor::Actor;
use paseo_core::definition::{Accepted, Keys, Version, adopt};
use paseo_core::settings::{AcceptedVersion, Event, Layer as Key, Settings};
use paseo_wire::error::Code;

use super::catalogue::{Catalogue, News, differences};
use super::files::Place;
use super::layer;
use super::{Definitions, Memory};
use crate::failure::Failure;
use crate::journal::{Journal, reference};
use crate::settings::Text;

/// Most events that are recorded at once.
const EVENTS: usize = 200;

/// Reads what was accepted before.
pub(super) async fn load(
    settings: &Settings,
    journal: &Journal,
    home: &Path,
    keys: &Keys,
) -> Result<BTreeMap<Key, Accepted>, Failure> {
    let mut all = BTreeMap::new();
    for (key, stored) in &settings.accepted {
        let place = place(key, home);
        let mut accepted = Accepted { sound: stored.sound.clone(), ..Accepted::default() };
        for (slug, AcceptedVersion { file, format, text, untrusted }) in &stored.versions {
            let text = journal.log.text(text.id.uuid()).await?.unwrap_or_default();
            match layer::again(&place, slug, file, *format, &text, keys) {
                Ok(version) => {
                    let version = Version { untrusted: *untrusted, ..version };
                    accepted.versions.insert(slug.clone(), version);
                }
                Err(problem) => {
                    accepted.unreadable.insert(slug.clone(), problem);
                }
            }
        }
        all.insert(key.clone(), accepted);
    }
    Ok(all)
}

fn place(key: &Key, home: &Path) -> Place {
    match key.directory() {
        None => Place::Home(home.to_owned()),
        Some(directory) => Place::Project { root: directory.into(), ours: true },
    }
}

impl Memory {
    /// Takes in what counts from now on.
    pub(super) fn accept(&mut self, news: &[News]) {
        for news in news {
            match news.clone() {
                News::Accepted(key, slug, version) => {
                    let accepted = self.accepted.entry(key).or_default();
                    accepted.unreadable.remove(&slug);
                    accepted.versions.insert(slug, version);
                }
                News::Forgotten(key, slug) => {
                    let accepted = self.accepted.entry(key).or_default();
                    accepted.unreadable.remove(&slug);
                    accepted.versions.remove(&slug);
                }
                News::Read(key, file) => {
                    self.accepted.entry(key).or_default().sound.insert(file);
                }
                News::Misread(key, file) => {
                    self.accepted.entry(key).or_default().sound.remove(&file);
                }
            }
        }
        if !news.is_empty() {
            self.generation += 1;
        }
    }
}

impl Definitions {
    /// Trusts what the home holds, when no daemon with this rule was ever started here. Happens once.
    pub(crate) async fn adopt(&self, journal: &Journal) -> Result<(), Failure> {
        if self.0.settings.get().adopted {
            return Ok(());
        }
        let arrival = Instant::now();
        let news = {
            let mut memory = self.0.memory.lock();
            let home = memory.layer(&Place::Home(self.0.home.clone()), &self.0.known_keys, arrival);
            let known = memory.accepted.get(&Key::home()).cloned().unwrap_or_default();
            let news = differences(&Key::home(), &known, &adopt(&home.readings));
            memory.accept(&news);
            news
        };
        self.record(journal, &Actor::Daemon, &news, Some(Event::DefinitionsAdopted {})).await
    }

    /// Records what counts without a person's doing, whenever there is something, for as long as the daemon runs.
    pub(crate) async fn keep_recording(self, journal: Journal) {
        loop {
            self.0.unrecorded.notified().await;
            if let Err(failure) = self.record_news(&journal).await {
                tracing::error!(error = %failure.message, "cannot record the accepted definitions");
            }
        }
    }

    /// Records what is not in the log yet.
    pub(crate) async fn record_news(&self, journal: &Journal) -> Result<(), Failure> {
        let _one_at_a_time = self.0.recording.lock().await;
        let news = std::mem::take(&mut self.0.memory.lock().news);
        let recorded = self.record(journal, &Actor::Daemon, &news, None).await;
        if recorded.is_err() {
            // It is tried again with the next change.
            self.0.memory.lock().news.splice(0..0, news);
        }
        recorded
    }

    /// Trusts a change that waits, if it is still the one that the person saw.
    pub(crate) async fn trust(
        &self,
        journal: &Journal,
        by: &Actor,
        project: &str,
        slug: &str,
        sha256: &str,
    ) -> Result<(), Failure> {
        self.record_news(journal).await?;
        let _one_at_a_time = self.0.recording.lock().await;
        let news = [waiting(&self.catalogue(project), slug, sha256)?];
        self.record(journal, by, &news, None).await?;
        self.0.memory.lock().accept(&news);
        Ok(())
    }

    /// Forgets what was accepted of a project.
    pub(crate) fn forget(&self, directory: &str) {
        let mut memory = self.0.memory.lock();
        memory.accepted.remove(&Key::project(directory));
        memory.generation += 1;
    }

    pub(super) async fn record(
        &self,
        journal: &Journal,
        by: &Actor,
        news: &[News],
        last: Option<Event>,
    ) -> Result<(), Failure> {
        for chunk in news.chunks(EVENTS) {
            let mut texts = Vec::new();
            let events: Vec<Event> = chunk.iter().map(|news| event(news, &mut texts)).collect();
            self.0.settings.change_all(journal, by, &events, texts).await?;
        }
        match last {
            Some(last) => self.0.settings.change(journal, by, last).await,
            None => Ok(()),
        }
    }
}

/// Finds the change that a person saw.
fn waiting(catalogue: &Catalogue, slug: &str, sha256: &str) -> Result<News, Failure> {
    let mut waiting = catalogue.pending.iter().filter(|pending| pending.slug == slug).peekable();
    if waiting.peek().is_none() {
        let words = format!("no change to agent definition `{slug}` is waiting for approval");
        return Err(
            Failure::new(Code::NotFound, words).hint("run `paseo agents ls` to see the definitions in use")
        );
    }
    let pending = waiting.find(|pending| pending.sha256 == sha256).ok_or_else(|| {
        let words = format!("agent definition `{slug}` has changed since you reviewed it");
        Failure::new(Code::Conflict, words).hint("review it again: `paseo agents trust`")
    })?;
    let (key, slug) = (pending.layer.clone(), slug.to_owned());
    Ok(match &pending.waiting.version {
        Some(version) => News::Accepted(key, slug, version.clone()),
        None => News::Forgotten(key, slug),
    })
}

fn event(news: &News, texts: &mut Vec<Text>) -> Event {
    match news {
        News::Accepted(layer, slug, Version { file, format, text, untrusted, .. }) => {
            let reference = reference(text);
            texts.push(Text { id: reference.id, text: text.to_string() });
            let version = AcceptedVersion {
                file: file.clone(),
                format: *format,
                text: reference,
                untrusted: *untrusted,
            };
            Event::DefinitionAccepted { layer: layer.clone(), slug: slug.clone(), version }
        }
        News::Forgotten(layer, slug) => {
            Event::DefinitionForgotten { layer: layer.clone(), slug: slug.clone() }
        }
        News::Read(layer, file) => {
            Event::DefinitionsRead { layer: layer.clone(), file: file.clone(), broken: false }
        }
        News::Misread(layer, file) => {
            Event::DefinitionsRead { layer: layer.clone(), file: file.clone(), broken: true }
        }
    }
}
