//! What a session's process is started with, beside its conversation. A process that wears anything else is started
//! anew for the next turn.

use paseo_core::permission::{self, Mode, Power, Scope};
use paseo_core::session::Session;
use paseo_core::skill::Page;
use paseo_core::tool::{Grants, unheld};
use paseo_runtime::provider::{McpServer, Tool};
use paseo_wire::error::Code;

use super::Context;
use crate::definitions::Chain;
use crate::failure::Failure;
use crate::tools::catalogue;
use crate::{mcp, skills};

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dress {
    pub(super) model: Option<String>,
    pub(super) effort: Option<String>,
    pub(super) prompt: String,
    pub(super) servers: Vec<McpServer>,
    /// For those that want to be told.
    pub(super) tools: Vec<Tool>,
    pub(super) skills: Vec<Page>,
    /// The models to try, and with what they are paid for.
    pub(super) chain: Chain,
    /// What the harness asks for; what it is answered is decided here.
    pub(super) permissions: Mode,
    /// It asks before every change, whatever is allowed.
    pub(super) guarded: bool,
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
        let guarded = self.guarded_by(session, &outlook);
        if guarded {
            self.check_guard(profile)?;
        }
        let withheld = grants.withheld(profile.permissions);
        let rules = settings.rules.values();
        let provider = self.providers.get(&profile.provider);
        let tools = match provider.is_some_and(|provider| provider.capabilities().native_tools) {
            true => self.told(session, grants),
            false => Vec::new(),
        };
        Ok(Dress {
            model: profile.model.clone(),
            effort: profile.effort.clone(),
            prompt: outlook.prompt(self, session),
            servers: mcp::servers(grants, &self.url),
            tools,
            skills: skills::pages(self, session, grants),
            chain: self.definitions.chain(session)?,
            permissions: permission::asking(
                profile.permissions,
                guarded,
                &withheld,
                rules,
                &Scope::of(profile),
            ),
            guarded,
            withheld,
        })
    }

    /// Returns what a harness without MCP is told of our tools.
    fn told(&self, session: &Session, grants: &Grants) -> Vec<Tool> {
        let exposure = grants.exposure();
        let offered = grants.specs().iter().filter(|spec| spec.is_offered(exposure)).map(|spec| spec.name);
        let offered: Vec<&str> = offered.collect();
        let described = catalogue::describe(self, session, grants).into_iter();
        described
            .filter(|tool| offered.contains(&tool.name))
            .map(|tool| Tool {
                name: tool.name.to_owned(),
                description: tool.description,
                schema: tool.schema,
            })
            .collect()
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
                .hint("start it with `--permissions read-only`, or choose another provider: `paseo providers` lists them")
        })
    }
}
