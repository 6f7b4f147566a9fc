//! What every command gets: settings, a printer, and a way to the daemon.

use std::cell::Cell;

use paseo_client::Client;

use crate::autostart::{self, Presence};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::settings::Settings;

/// What every command gets.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) printer: Printer,
    client: Client,
    /// For commands that start a daemon where none answers.
    starting: Client,
    told: Cell<bool>,
}

impl Context {
    pub(crate) fn new(settings: Settings, printer: Printer) -> Self {
        let rescue = settings.clone();
        let client = Client::unix(settings.socket());
        let starting = client.clone().with_rescue(move || autostart::rescue(&rescue));
        Self { settings, printer, client, starting, told: Cell::new(false) }
    }

    /// Returns a client of a daemon that answers; starts one if that is allowed.
    pub(crate) fn client(&self) -> Result<&Client, Failure> {
        if let Presence::Started(ready) = autostart::ensure(&self.settings)? {
            self.printer.detail(&format!("Started the daemon (pid {}, {})", ready.pid, ready.url));
        }
        Ok(&self.starting)
    }

    /// Returns a client of whatever is there.
    pub(crate) fn client_as_is(&self) -> &Client {
        &self.client
    }

    /// Returns the provider for agents that name none. While `config.toml` cannot be read, it is the one that the file
    /// named before: another would have other powers.
    pub(crate) async fn provider(&self) -> Result<Option<String>, Failure> {
        match (&self.settings.provider, &self.settings.problem) {
            (None, Some(_)) => Ok(self.client()?.providers().await?.configured),
            (known, _) => Ok(known.clone()),
        }
    }

    /// Explains, once, that command and daemon are of different versions.
    pub(crate) fn explain_version(&self) {
        if let Some(daemon) = self.client.version_mismatch()
            && !self.told.replace(true)
        {
            self.printer.aside(&format!(
                "this is paseo {}, but the daemon is {daemon}; run `paseo restart`",
                paseo_wire::VERSION
            ));
        }
    }
}
