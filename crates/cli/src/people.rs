//! Who acts, by the name that people know.

use std::collections::BTreeMap;

use paseo_client::Client;
use paseo_core::actor::{Actor, TERMINAL};
use paseo_core::definition::DEFAULT;
use paseo_core::thread::{COORDINATOR, USER};
use paseo_wire::session::SessionView;

use crate::environment;
use crate::settings::Settings;

/// What the device of a browser, and that of a token, begins with.
const BROWSER: &str = "device:";
const TOKEN: &str = "token:";

/// The names of those who act, as far as they were asked for.
#[derive(Debug, Default)]
pub(crate) struct People {
    /// Of browsers that are logged in, by id. `None`: not asked for.
    browsers: Option<BTreeMap<String, String>>,
    /// Of agents, by id.
    agents: BTreeMap<String, String>,
}

impl People {
    /// Reads the names of these.
    pub(crate) async fn among(client: &Client, actors: impl IntoIterator<Item = &str>) -> Self {
        let mut people = Self::default();
        for actor in actors {
            people.meet(client, actor).await;
        }
        people
    }

    /// Reads the name of one more, unless it is known. Without a name, an id is shown.
    pub(crate) async fn meet(&mut self, client: &Client, actor: &str) {
        match actor.parse() {
            Ok(Actor::Human(device)) if device.starts_with(BROWSER) && self.browsers.is_none() => {
                let devices = client.devices().await.map(|list| list.devices).unwrap_or_default();
                self.browsers =
                    Some(devices.into_iter().map(|device| (device.id.into(), device.name)).collect());
            }
            Ok(Actor::Session(id)) if !self.agents.contains_key(&id.to_string()) => {
                let id = id.to_string();
                if let Ok(answer) = client.session(&id).await {
                    self.agents.insert(id, called(&answer.session));
                }
            }
            _ => {}
        }
    }

    /// Returns an actor as people read it.
    pub(crate) fn shown(&self, actor: &str) -> String {
        match actor.parse() {
            Ok(Actor::Human(device)) => match (device.strip_prefix(BROWSER), device.strip_prefix(TOKEN)) {
                (Some(id), _) => {
                    let name = self.browsers.as_ref().and_then(|browsers| browsers.get(id));
                    format!("you ({})", name.map_or("a browser", String::as_str))
                }
                (None, Some(token)) => format!("you (token {token})"),
                (None, None) if device == TERMINAL => "you (in the terminal)".to_owned(),
                (None, None) => "you".to_owned(),
            },
            Ok(Actor::Session(id)) => {
                let id = id.to_string();
                self.agents.get(&id).cloned().unwrap_or_else(|| format!("agent {id}"))
            }
            Ok(Actor::Seat(seat)) => format!("{seat} (outside)"),
            Ok(Actor::Agent(name)) => name,
            Ok(Actor::Daemon) => "Paseo".to_owned(),
            Err(_) => actor.to_owned(),
        }
    }
}

/// Returns a member of a team or a participant of a thread as people read it: they are `you` to themselves. An agent that
/// runs the command reads `user`.
pub(crate) fn known_as<'a>(settings: &Settings, id: &'a str) -> &'a str {
    let is_person = settings.inside.is_none() && environment::TOKEN.value().is_none();
    match id {
        USER if is_person => "you",
        // The wire's word for the daemon.
        COORDINATOR if is_person => "paseo",
        _ => id,
    }
}

/// Returns what an agent is called: its handle, and what it is.
fn called(session: &SessionView) -> String {
    let what = session.name.as_deref().or(Some(session.agent.as_str()).filter(|slug| *slug != DEFAULT));
    match what {
        Some(what) => format!("{} ({what})", session.handle),
        None => session.handle.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_act_are_called_by_the_names_that_people_know() {
        let id = "0192f0c1-2345-7000-8000-000000000001";
        let people = People {
            browsers: Some([("1".to_owned(), "Firefox on Linux".to_owned())].into()),
            agents: [(id.to_owned(), "3f2a (reviewer)".to_owned())].into(),
        };
        assert_eq!(people.shown("human:cli"), "you");
        assert_eq!(people.shown("human:terminal"), "you (in the terminal)");
        assert_eq!(people.shown("human:device:1"), "you (Firefox on Linux)");
        assert_eq!(people.shown("human:device:2"), "you (a browser)");
        assert_eq!(people.shown("human:token:ci"), "you (token ci)");
        assert_eq!(people.shown(&format!("session:{id}")), "3f2a (reviewer)");
        assert_eq!(people.shown("daemon"), "Paseo");
        assert_eq!(people.shown("seat:t/bob"), "t/bob (outside)");
    }
}
