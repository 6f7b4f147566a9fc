//! From a definition to a session: whose provider, model, powers and limits it gets.

use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::definition::{DEFAULT, Definition, Kind, Origin};
use paseo_core::id::CauseId;
use paseo_core::label::Labels;
use paseo_core::permission::Mode;
use paseo_core::session::{Session, TeamSeat};
use paseo_core::tool::{Ceiling, Outfit};
use paseo_runtime::external;
use paseo_runtime::provider::Check;
use paseo_wire::error::Code;

use super::create::Spawned;
use super::{Context, NewSession};
use crate::failure::Failure;
use crate::mint;

/// A session that somebody wants.
pub(crate) struct Order {
    pub(crate) by: Actor,
    pub(crate) definition: Arc<Definition>,
    /// Where it is started, and where it runs.
    pub(crate) project: String,
    pub(crate) directory: String,
    /// What was asked for beside the definition.
    pub(crate) provider: Option<String>,
    /// The caller's default, for when neither the order nor the definition names a provider.
    pub(crate) default_provider: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<String>,
    pub(crate) labels: Labels,
    pub(crate) name: Option<String>,
    /// What it is asked is said in passing: the person stays where they are.
    pub(crate) aside: bool,
    /// It is guarded, whatever its definition says.
    pub(crate) guarded: bool,
}

impl Order {
    /// Plans a session that a person starts. A mode that they choose binds what it starts, too.
    pub(crate) fn by_person(self, context: &Context, mode: Option<Mode>) -> Result<NewSession, Failure> {
        // The tools that it may pass on are those of its definition, as it is then.
        let ceiling = Ceiling { tools: None, mode: mode.unwrap_or_default() };
        if mode.is_some() && self.definition.is_external() {
            return Err(self.unbound("permissions"));
        }
        let mode = mode.or(self.definition.permissions).unwrap_or_default();
        self.plan(context, Outfit { tools: None, mode, ceiling }, None)
    }

    /// Plans a session that an agent starts.
    pub(crate) fn by_agent(
        mut self,
        context: &Context,
        spawner: &Session,
        above: &Ceiling,
        tools: Option<&[String]>,
        cause: (CauseId, u32),
    ) -> Result<NewSession, Failure> {
        let spawned = Spawned { by: spawner.id, cause, waited: false, notify: None };
        // Nobody gets around the guard by having others do the work: they have the same leases, and no more.
        let held = context.is_held(spawner);
        self.guarded |= held;
        let seat = spawner
            .profile
            .team
            .as_deref()
            .filter(|_| held)
            .map(|seat| TeamSeat { leads: false, ..seat.clone() });
        Ok(NewSession { team: seat, ..self.within(context, spawner, above, tools, Some(spawned))? })
    }

    /// Fits a session to the agent that starts it: within a ceiling, and with that agent's provider and model where the
    /// definition names none.
    pub(super) fn within(
        mut self,
        context: &Context,
        spawner: &Session,
        above: &Ceiling,
        tools: Option<&[String]>,
        spawned: Option<Spawned>,
    ) -> Result<NewSession, Failure> {
        let outfit = above.outfit(&self.definition, tools, spawner.profile.permissions);
        let open = self.provider.is_none() && self.definition.provider.is_none();
        if open && !self.definition.is_external() {
            self.provider = Some(spawner.profile.provider.clone());
            if self.definition.models.is_empty() {
                self.model = self.model.or_else(|| spawner.profile.model.clone());
                self.effort = self.effort.or_else(|| spawner.profile.effort.clone());
            }
        }
        let new = self.plan(context, outfit.clone(), spawned)?;
        let provider = context.providers.get(&new.provider);
        let withholds = provider.map_or(&[][..], |provider| provider.capabilities().withholds);
        outfit.check_provider(&new.provider, withholds).map_err(|refused| {
            Failure::new(Code::ProviderUnavailable, refused.to_string())
                .hint("start it with `--permissions read-only`, choose an agent with another provider, or ask your parent \
                 agent")
        })?;
        Ok(new)
    }

    fn plan(
        self,
        context: &Context,
        outfit: Outfit,
        spawned: Option<Spawned>,
    ) -> Result<NewSession, Failure> {
        let definition = &self.definition;
        if let Kind::External { input_url, .. } = &definition.kind {
            let asked = [("provider", &self.provider), ("model", &self.model), ("effort", &self.effort)];
            if let Some((option, _)) = asked.into_iter().find(|(_, asked)| asked.is_some()) {
                return Err(self.unbound(option));
            }
            context.external.check(input_url)?;
        }
        // Models and efforts are words of the provider that they were written for.
        let own = match (&self.provider, &definition.provider) {
            (Some(asked), Some(written_for)) if asked != written_for => None,
            _ => Some(definition),
        };
        let first = own.and_then(|own| own.models.first());
        let model = self.model.or_else(|| first.map(|first| first.model.clone()));
        let effort = self.effort.or_else(|| match first {
            Some(first) => first.effort.clone(),
            None => own.and_then(|own| own.effort.clone()),
        });
        let check = Check {
            directory: self.directory.clone().into(),
            model: model.clone(),
            effort: effort.clone(),
            permissions: outfit.mode,
        };
        let wanted = match definition.is_external() {
            true => Some(external::NAME),
            false => self.provider.as_deref().or(definition.provider.as_deref()),
        };
        let chosen = context.providers.choose(wanted, self.default_provider.as_deref(), &check)?;
        if chosen.provider.name() == external::NAME && !definition.is_external() {
            let message = "external agents need a definition; --provider external does not work";
            return Err(Failure::new(Code::ProviderUnavailable, message).hint(
                "write a definition with `type: external` and `external.inputUrl`; see \"External agents\" in the \
                 documentation",
            ));
        }
        Ok(NewSession {
            id: mint::session(),
            by: self.by,
            provider: chosen.provider.name().to_owned(),
            provider_reason: chosen.reason.into(),
            model,
            effort,
            permissions: outfit.mode,
            parent: None,
            definition: (definition.slug != DEFAULT).then(|| definition.slug.clone()),
            of_project: definition.source.origin == Origin::Project,
            tools: outfit.tools,
            ceiling: Some(outfit.ceiling).filter(|ceiling| *ceiling != Ceiling::default()),
            spawned,
            labels: self.labels,
            seat: None,
            team: None,
            guarded: self.guarded,
            terminal: None,
            reports_to: None,
            name: self.name,
            project: self.project,
            directory: self.directory,
            worktree: None,
            notes: None,
            prompt: None,
            attachments: Vec::new(),
            schema: None,
            aside: self.aside,
            key: None,
        })
    }

    /// Refuses what would only seem to bind an agent elsewhere.
    fn unbound(&self, option: &str) -> Failure {
        let slug = &self.definition.slug;
        Failure::new(
            Code::Conflict,
            format!("`{slug}` is an external agent, so `{option}` has no effect on it"),
        )
        .hint(format!("omit `{option}`"))
    }
}
