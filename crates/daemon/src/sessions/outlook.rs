//! What a session is and may do at this moment, by one look at its definition: looking costs.

use std::sync::Arc;

use paseo_core::definition::{Definition, Exposure};
use paseo_core::id::{CauseId, SessionId};
use paseo_core::prompt::{self, Parts};
use paseo_core::session::Session;
use paseo_core::team;
use paseo_core::tool::{self, AGENTS_MESSAGE, Grants, Plugin};

use super::Context;
use crate::definitions::Catalogue;
use crate::skills;

/// Told to those who sit in a thread.
const PRIMER: &str = include_str!("../../../../docs/participant-primer.md");

/// One look.
pub(super) struct Outlook {
    catalogue: Arc<Catalogue>,
    /// `None` when it is gone: its followers may use nothing.
    pub(super) definition: Option<Arc<Definition>>,
    pub(super) grants: Grants,
}

impl Outlook {
    /// Returns what is added to the prompt of the session's harness.
    pub(super) fn prompt(&self, context: &Context, session: &Session) -> String {
        let definition = self.definition.as_ref().filter(|definition| !definition.is_external());
        let Some(definition) = definition else { return String::new() };
        let grants = &self.grants;
        let peers = match grants.has(AGENTS_MESSAGE) {
            true => context.peers(&self.catalogue, session, definition),
            false => Vec::new(),
        };
        let peers: Vec<&Definition> = peers.iter().map(Arc::as_ref).collect();
        let pages = skills::pages(context, session, grants);
        let skills = skills::listed(&context.home, session.id, &pages);
        // An agent that can't reach the tools of its role is not told about them.
        let reaches = |plugin| grants.exposure() != Exposure::Skills || grants.allows_skill(plugin);
        let part = session.profile.team.as_deref().filter(|_| reaches(Plugin::Team)).map(team::primer);
        let seated = session.profile.seat.is_some() && reaches(Plugin::Threads);
        let role = part.as_deref().or_else(|| seated.then_some(PRIMER));
        let unheld = context.unheld(session, grants).unwrap_or_default();
        let (unheld, skills, peers) = (unheld.as_slice(), skills.as_slice(), peers.as_slice());
        prompt::build(Parts { session, definition, grants, unheld, role, skills, peers })
    }
}

impl Context {
    /// Looks at what a session is and may do now. The one way to know: every check starts here.
    pub(super) fn outlook(&self, session: &Session) -> Outlook {
        let catalogue = self.definitions.catalogue(&session.profile.project);
        let definition = catalogue.followed(session).ok();
        let grants = match &definition {
            Some(own) => Grants::of(session, own, &self.settings.get(), &self.plugins_off),
            None => Grants::default(),
        };
        Outlook { catalogue, definition, grants }
    }

    /// Returns what a session may use now.
    pub(crate) fn grants(&self, session: &Session) -> Grants {
        self.outlook(session).grants
    }

    /// Returns what is added to the prompt of a session's harness now.
    pub(crate) fn prompt(&self, session: &Session) -> String {
        self.outlook(session).prompt(self, session)
    }

    /// Returns what a session is doing descends from, and how far it is from the person who asked for that.
    pub(crate) fn turn_cause(&self, session: SessionId) -> Option<(CauseId, u32)> {
        let session = self.directory.get(session)?;
        session.turn.as_ref().map(|turn| (turn.cause, turn.hop + 1))
    }

    /// Returns what a session does not have because its parent could not pass it on.
    pub(crate) fn withheld(&self, session: &Session) -> Vec<String> {
        let Some(definition) = self.outlook(session).definition else { return Vec::new() };
        tool::withheld_by_parent(session, &definition, &self.settings.get(), &self.plugins_off)
    }
}
