//! Whoever acts, by the name that people know.

use std::collections::BTreeMap;

use paseo_client::Client;

/// What the actor of a browser begins with.
const DEVICE: &str = "human:device:";

/// The browsers that are logged in, by id.
#[derive(Debug, Default)]
pub(crate) struct People(BTreeMap<String, String>);

impl People {
    /// Reads the names of browsers, if any of these is one. Without names, ids are shown.
    pub(crate) async fn among(client: &Client, actors: impl IntoIterator<Item = &str>) -> Self {
        if !actors.into_iter().any(|actor| actor.starts_with(DEVICE)) {
            return Self::default();
        }
        let devices = client.devices().await.map(|list| list.devices).unwrap_or_default();
        Self(devices.into_iter().map(|device| (device.id, device.name)).collect())
    }

    /// Returns an actor as people read it.
    pub(crate) fn shown(&self, actor: &str) -> String {
        let name = actor.strip_prefix(DEVICE).and_then(|device| self.0.get(device));
        name.map_or_else(|| actor.to_owned(), |name| format!("human:{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_called_by_its_name_where_it_is_known() {
        let people = People([("1".to_owned(), "Firefox on Linux".to_owned())].into());
        assert_eq!(people.shown("human:device:1"), "human:Firefox on Linux");
        assert_eq!(people.shown("human:device:2"), "human:device:2");
        assert_eq!(people.shown("human:cli"), "human:cli");
    }
}
