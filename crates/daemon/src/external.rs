//! What the daemon keeps for external agents: the key that their secrets are made from, where their answers come to,
//! and whom it posts to.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use paseo_core::address::{Allowed, Target};
use paseo_core::definition::{Definition, Kind, Problem};
use paseo_core::id::{SessionId, TurnId};
use paseo_core::limits::UNASKED_PER_HOUR;
use paseo_core::session::{Session, Unasked};
use paseo_runtime::external::{self, NAME, signature};
use paseo_runtime::provider::Remote;
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::identity::Edge;
use crate::sessions::Context;
use crate::{mint, secret_file};

/// The file with the key.
const KEY_FILE: &str = "external.key";
/// As it is written: a secret in hexadecimal digits.
const KEY_CHARS: usize = 64;

/// All of it.
pub(crate) struct External {
    home: PathBuf,
    /// Once it was needed.
    key: Mutex<Option<String>>,
    /// Where we are, for agents that are told nothing else.
    base_url: String,
    edge: Edge,
    allowed: Allowed,
    /// Who lately said something that no turn waited for.
    unasked: Mutex<HashMap<SessionId, Unasked>>,
}

impl External {
    pub(crate) fn new(home: &Path, base_url: String, edge: Edge, allowed: Allowed) -> Self {
        Self {
            home: home.to_owned(),
            key: Mutex::default(),
            base_url,
            edge,
            allowed,
            unasked: Mutex::default(),
        }
    }

    /// Returns the secret of a session.
    pub(crate) fn secret(&self, session: SessionId) -> Result<String, Failure> {
        let mut key = self.key.lock();
        let master = match &*key {
            Some(master) => master,
            None => key.insert(master(&self.home).map_err(|error| {
                let file = self.home.join(KEY_FILE);
                Failure::new(Code::StorageUnavailable, format!("cannot use {}: {error}", file.display()))
                    .hint(
                        "make the file readable for the daemon; it holds the key that the secrets of \
                         external agents are derived from",
                    )
            })?),
        };
        Ok(signature::secret(master.as_bytes(), session))
    }

    /// Returns where the answers of a session are posted to.
    pub(crate) fn callback_url(&self, session: SessionId, base_url: Option<&str>) -> String {
        let base_url = base_url.unwrap_or(&self.base_url).trim_end_matches('/');
        format!("{base_url}/external/sessions/{session}/messages")
    }

    /// Refuses words that no turn waits for, when there were too many of them lately.
    pub(crate) fn may_speak(&self, session: SessionId) -> Result<(), Failure> {
        let now = mint::now();
        if self.unasked.lock().get(&session).is_none_or(|unasked| unasked.allows(now)) {
            return Ok(());
        }
        let message = format!(
            "limit reached: this agent sent {UNASKED_PER_HOUR} messages within an hour that no turn was \
             waiting for"
        );
        Err(Failure::new(Code::QueueFull, message).hint("answer the running turn, or try again in an hour"))
    }

    /// Notes that such words were stored.
    pub(crate) fn spoke(&self, session: SessionId) {
        let (now, mut unasked) = (mint::now(), self.unasked.lock());
        unasked.retain(|_, unasked| !unasked.is_quiet(now));
        unasked.entry(session).or_default().note(now);
    }

    /// Refuses an address that nothing is ever posted to.
    pub(crate) fn check(&self, input_url: &str) -> Result<(), Failure> {
        external::check(input_url, &self.allowed)
            .map_err(|refused| Failure::new(Code::InvalidRequest, refused.to_string()))
    }

    /// Says what keeps an external agent from ever being reached, or from answering.
    pub(crate) fn doubts(&self, definition: &Definition) -> Vec<Problem> {
        let Kind::External { input_url, callback_base_url, .. } = &definition.kind else { return Vec::new() };
        let unreachable = self.check(input_url).err().map(|failure| failure.message);
        let unheard = callback_base_url.as_deref().and_then(|url| self.unheard(url));
        let doubts = unreachable.into_iter().chain(unheard);
        doubts.filter_map(|message| definition.doubt(&["external"], message)).collect()
    }

    fn unheard(&self, callback_base_url: &str) -> Option<String> {
        let target = Target::parse(callback_base_url).ok()?;
        let host = target.authority();
        (!self.edge.knows(&host)).then(|| {
            format!(
                "the daemon rejects callbacks sent to {host}, because it does not know this host; add \
                 `https://{host}` to public_urls in config.toml"
            )
        })
    }
}

impl Context {
    /// Returns where the agent of a session is, when it is an external one. The definition is read again for each turn.
    pub(crate) fn remote(&self, session: &Session) -> Result<Option<Remote>, Failure> {
        if session.profile.provider != NAME {
            return Ok(None);
        }
        let definition = self.definitions.of(session)?;
        let Kind::External { input_url, callback_base_url, timeout_seconds } = &definition.kind else {
            let message = format!("agent `{}` is no longer external", definition.slug);
            return Err(Failure::new(Code::Conflict, message)
                .hint("start a new agent; this one was only the connection to the external agent"));
        };
        Ok(Some(Remote {
            agent: definition.slug.clone(),
            input_url: input_url.clone(),
            callback_url: self.external.callback_url(session.id, callback_base_url.as_deref()),
            secret: self.external.secret(session.id)?,
            timeout: timeout_seconds.map_or(Remote::TIMEOUT, Duration::from_secs),
        }))
    }

    /// Tells the agent of a session, which runs elsewhere, that a turn is no longer awaited. No caller waits for
    /// that either.
    pub(crate) fn tell_stopped(&self, session: &Session, turn: TurnId) {
        let Ok(Some(remote)) = self.remote(session) else { return };
        let (allowed, session) = (self.external.allowed.clone(), session.id);
        tokio::spawn(async move {
            if let Err(why) = external::tell_stopped(allowed, remote, session, turn).await {
                tracing::info!(%session, %turn, why, "could not tell the external agent that its turn was \
                                                      stopped");
            }
        });
    }
}

/// Reads the key, and makes it when it is not there.
fn master(home: &Path) -> io::Result<String> {
    let read = |text: &str| match text.len() == KEY_CHARS {
        true => Ok(text.to_owned()),
        false => Err(io::Error::new(io::ErrorKind::InvalidData, "the file does not contain a key")),
    };
    let make = || mint::secret().map_err(|error| io::Error::other(error.to_string()));
    secret_file::read_or_make(home, KEY_FILE, read, make)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use paseo_core::definition::{Origin, Source};
    use paseo_core::public_url::PublicUrl;

    use super::*;

    fn external(home: &Path) -> External {
        let public = [PublicUrl::parse("https://paseo.example").unwrap()];
        let allowed = Allowed { hosts: Default::default(), own_port: 6767 };
        External::new(home, "http://127.0.0.1:6767".to_owned(), Edge::new(6767, &public), allowed)
    }

    #[test]
    fn the_key_is_made_once_and_for_nobody_else() {
        let home = tempfile::tempdir().unwrap();
        let session = mint::session();
        let secret = external(home.path()).secret(session).unwrap();
        assert_eq!(external(home.path()).secret(session).unwrap(), secret, "after a restart, too");
        let file = home.path().join(KEY_FILE);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&file, "short").unwrap();
        let failure = external(home.path()).secret(session).unwrap_err();
        assert!(failure.message.contains("external.key: the file does not contain a key"), "{failure:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "short", "it is not replaced");
    }

    #[test]
    fn answers_come_to_a_path_of_the_session() {
        let home = tempfile::tempdir().unwrap();
        let (external, session) = (external(home.path()), mint::session());
        let path = format!("/external/sessions/{session}/messages");
        assert_eq!(external.callback_url(session, None), format!("http://127.0.0.1:6767{path}"));
        assert_eq!(external.callback_url(session, Some("https://a/b/")), format!("https://a/b{path}"));
    }

    #[test]
    fn who_cannot_be_reached_or_cannot_answer_is_doubted() {
        let home = tempfile::tempdir().unwrap();
        let doubts = |input: &str, callback: Option<&str>| {
            let source = Source { origin: Origin::Home, file: Some("agents/far.toml".to_owned()) };
            let kind = Kind::External {
                input_url: input.to_owned(),
                callback_base_url: callback.map(str::to_owned),
                timeout_seconds: None,
            };
            let definition = Definition { kind, ..Definition::plain("far", source) };
            let messages = external(home.path()).doubts(&definition).into_iter();
            messages.map(|problem| problem.message).collect::<Vec<_>>()
        };
        let ours = ["https://paseo.example/x", "https://paseo.example:443", "http://127.0.0.1:6767"];
        for callback in ours {
            assert!(doubts("https://agents.example", Some(callback)).is_empty(), "{callback}");
        }
        let unheard = doubts("http://10.0.0.5/in", Some("https://other.example:8443/x"));
        assert!(unheard[0].contains("[external] allow = [\"10.0.0.5\"]"), "{unheard:?}");
        assert!(unheard[1].contains("add `https://other.example:8443` to public_urls"), "{unheard:?}");
        // Without TLS it would be no public URL; its host is what counts.
        let plain = doubts("https://agents.example", Some("http://box.lan:8080"));
        assert!(plain[0].contains("add `https://box.lan:8080` to public_urls"), "{plain:?}");
        assert!(doubts("http://127.0.0.1:6767/in", None)[0].contains("the daemon itself"));
    }
}
