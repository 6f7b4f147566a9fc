//! Model, effort and permission mode that a person changes after the start: what the provider and the definition allow.

use paseo_core::session::{self, OptionsChange};
use paseo_core::tool::Ceiling;
use paseo_runtime::external;
use paseo_runtime::provider::Check;
use paseo_wire::error::Code;

use super::Context;
use super::changes::Change;
use crate::failure::Failure;

impl Context {
    /// Drafts a change of what the next process is started with, or refuses it in words.
    pub(super) fn configure(&self, change: &mut Change, wanted: OptionsChange) -> Result<(), Failure> {
        let profile = &change.draft.session.profile;
        if profile.provider == external::NAME {
            let message = "this agent runs elsewhere; its model, effort and permissions are set there";
            return Err(Failure::new(Code::Conflict, message));
        }
        if let Some(name) = &profile.terminal {
            let message = format!(
                "this agent runs in the terminal of worker {name}; its model, effort and permissions cannot \
                 be changed from here"
            );
            return Err(Failure::new(Code::Conflict, message).hint(format!(
                "run `paseo worker attach {name}` and change them there, or start another worker"
            )));
        }
        let definition = self.definitions.of(&change.draft.session)?;
        let freest = Ceiling::freest_mode(&change.draft.session, &definition);
        session::configure(&mut change.draft, wanted, freest).map_err(|refused| {
            Failure::new(Code::Forbidden, refused.to_string())
                .hint("start another agent with the permissions that you want")
        })?;
        let mut next = change.draft.session.clone();
        next.take_options();
        let check = Check {
            directory: next.profile.directory.clone().into(),
            model: next.profile.model.clone(),
            effort: next.profile.effort.clone(),
            permissions: next.profile.permissions,
        };
        // The provider was chosen long ago: what it lacks conflicts with the agent, not with the request.
        let lacks = |failure: Failure| Failure { code: Code::Conflict, ..failure };
        self.providers.choose(Some(&next.profile.provider), None, &check).map_err(lacks)?;
        self.dress(&next).map(drop)
    }
}
