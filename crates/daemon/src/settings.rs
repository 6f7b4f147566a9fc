//! The settings stream, in memory.

use std::sync::Arc;

use paseo_core::actor::Actor;
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
        loop {
            let (_, version) = journal.settings().await?;
            let batch =
                Entries::by(by).stream(STREAM.to_owned(), version, std::slice::from_ref(&event)).into_batch();
            match journal.log.append(batch).await {
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
