//! The settings stream, in memory.

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::id::ContentId;
use paseo_core::settings::{Event, STREAM, Settings};
use paseo_store::{Appended, Error, Version};
use tokio::sync::watch;

use crate::failure::Failure;
use crate::journal::{Entries, Journal};

/// The present settings. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct SettingsCell(watch::Sender<(Version, Arc<Settings>)>);

impl SettingsCell {
    /// Reads them from the log.
    pub(crate) async fn load(journal: &Journal) -> Result<Self, Failure> {
        let (settings, version) = journal.settings().await?;
        Ok(Self(watch::Sender::new((version, Arc::new(settings)))))
    }

    /// Holds settings that no log has.
    #[cfg(test)]
    pub(crate) fn of(settings: Settings) -> Self {
        Self(watch::Sender::new((Version::default(), Arc::new(settings))))
    }

    /// Returns them as they are.
    pub(crate) fn get(&self) -> Arc<Settings> {
        Arc::clone(&self.0.borrow().1)
    }

    /// Returns them with word of what changes.
    pub(crate) fn watch(&self) -> watch::Receiver<(Version, Arc<Settings>)> {
        self.0.subscribe()
    }

    /// Changes them.
    pub(crate) async fn change(&self, journal: &Journal, by: &Actor, event: Event) -> Result<(), Failure> {
        self.change_all(journal, by, &[event], Vec::new()).await
    }

    /// Changes them by several events, with the texts that those refer to: all or nothing.
    pub(crate) async fn change_all(
        &self,
        journal: &Journal,
        by: &Actor,
        events: &[Event],
        texts: Vec<Text>,
    ) -> Result<(), Failure> {
        if events.is_empty() {
            return Ok(());
        }
        loop {
            let (_, version) = journal.settings().await?;
            let mut entries = Entries::by(by).stream(STREAM.to_owned(), version, events);
            for Text { id, text } in &texts {
                entries.text(STREAM.to_owned(), *id, text.clone(), None);
            }
            match journal.log.append(entries.into_batch()).await {
                Ok(Appended::New { .. } | Appended::Repeat { .. }) => break,
                Err(Error::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let (settings, version) = journal.settings().await?;
        self.0.send_if_modified(|present| {
            // Two changes may come here in the other order.
            let newer = version > present.0;
            if newer {
                *present = (version, Arc::new(settings));
            }
            newer
        });
        Ok(())
    }
}

/// A text that an event refers to.
pub(crate) struct Text {
    pub(crate) id: ContentId,
    pub(crate) text: String,
}
