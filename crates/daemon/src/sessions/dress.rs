//! What a session's process is started with, beside its conversation. A process that wears anything else is started
//! anew for the next turn.

use paseo_core::permission::{self, Mode, Power, Scope};
use paseo_core::session::Session;
use paseo_core::skill::Page;
use paseo_core::tool::{Grants, unheld};
use paseo_runtime::provider::McpServer;
use paseo_wire::error::Code;

use super::Context;
use crate::failure::Failure;
use crate::{mcp, skills};

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dress {
    pub(super) prompt: String,
    pub(super) servers: Vec<McpServer>,
    pub(super) skills: Vec<Page>,
    /// What the harness asks for; what it is answered is decided here.
    pub(super) permissions: Mode,
    /// What it must do without.
    pub(super) withheld: Vec<Power>,
}

impl Context {
    /// Returns what a process of a session is to be started with now, or why what its definition wants cannot be had.
    pub(super) fn dress(&self, session: &Session) -> Result<Dress, Failure> {
        let settings = self.settings.get();
        let (profile, outlook) = (&session.profile, self.outlook(session));
        let grants = &outlook.grants;
        self.unheld(session, grants)?;
        let skills = match &outlook.definition {
            Some(own) => skills::pages(self, session, own, grants).map_err(|refused| {
                Failure::new(Code::InvalidRequest, refused.to_string())
                    .hint("grant it with `bash` among its tools, or say `toolExposure: tools`")
            })?,
            None => Vec::new(),
        };
        let withheld = grants.withheld(profile.permissions);
        let rules = settings.rules.values();
        Ok(Dress {
            prompt: outlook.prompt(self, session),
            servers: mcp::servers(grants, outlook.exposure(), &self.url, session.id),
            skills,
            permissions: permission::asking(profile.permissions, &withheld, rules, &Scope::of(profile)),
            withheld,
        })
    }

    /// Returns the powers that a session has although they are not granted: its provider cannot withhold them.
    pub(crate) fn unheld(&self, session: &Session, grants: &Grants) -> Result<Vec<Power>, Failure> {
        let profile = &session.profile;
        // Whoever asks for a process of a provider that is gone is told so there.
        let provider = self.providers.get(&profile.provider);
        let withholds = provider.map_or(&Power::ALL[..], |provider| provider.capabilities().withholds);
        let withheld = grants.withheld(profile.permissions);
        let ceiling = profile.ceiling.as_ref().filter(|_| !profile.created_by.is_human());
        unheld(&withheld, &profile.provider, withholds, ceiling).map_err(|refused| {
            Failure::new(Code::ProviderUnavailable, refused.to_string())
                .hint("choose another provider: `paseo providers` lists them")
        })
    }
}
