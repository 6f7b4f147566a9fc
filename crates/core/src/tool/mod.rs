//! Which tools a session may use. This is a security boundary: every way in asks [`Grants::check`].

pub mod arguments;
mod ceiling;
pub mod flags;
mod registry;
mod scope;
mod withheld;

use std::collections::BTreeSet;

pub use ceiling::{Ceiling, Excess, Outfit};
pub use registry::{
    AGENTS_LIST, AGENTS_MESSAGE, NOTIFY_WHEN_IDLE, Plugin, READ_TAB, REGISTRY, RETRIEVE, SEND_TO_TAB,
    SET_BRANCH, SET_TITLE, SUMMON, Spec, THREADS_INVITE, THREADS_LIST, THREADS_PARTICIPANTS, THREADS_POST,
    THREADS_READ, TODO, find,
};
pub use scope::{Scope, expand};
pub use withheld::{CannotWithhold, unheld};

use crate::definition::{Definition, Exposure};
use crate::session::Session;
use crate::settings::Settings;

/// The tools that a session may use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants(Vec<&'static Spec>);

/// A tool was called that is not granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} (granted: {granted})", refused(.name))]
pub struct NotGranted {
    pub name: String,
    pub granted: String,
}

fn refused(name: &str) -> String {
    match find(name) {
        Some(_) => format!("the tool `{name}` is not granted to this agent"),
        None => format!("there is no tool `{}`", name.escape_debug()),
    }
}

impl Grants {
    /// Returns what a session may use. `off` are the plugins that are switched off.
    pub fn of(
        session: &Session,
        definition: &Definition,
        settings: &Settings,
        off: &BTreeSet<Plugin>,
    ) -> Self {
        if definition.is_external() {
            return Self::default();
        }
        let profile = &session.profile;
        // Whoever sits in a thread takes part in it, unless its definition says otherwise.
        let seated = |spec: &Spec| {
            spec.plugin == Plugin::Threads && profile.seat.is_some() && definition.is_built_in()
        };
        let asked_for = |spec: &Spec| match &profile.tools {
            Some(tools) => {
                tools.iter().any(|glob| glob.matches(spec.name)) && definition.scope.leaves_open(spec)
            }
            None => definition.scope.admits(spec) || seated(spec),
        };
        // What a person switches on is for the agents that people talk to; others have it by name.
        let named = profile.tools.is_some() || definition.scope.tools.allow.is_some();
        let switched = |spec: &Spec| {
            spec.switches.is_empty()
                || spec.switches.iter().any(|key| settings.is_on(*key)) && (profile.parent.is_none() || named)
        };
        // Whoever does not sit in a thread has no use for its tools, unless somebody thought so.
        let placed = |spec: &Spec| spec.plugin != Plugin::Threads || profile.seat.is_some() || named;
        // A person's own agent has what its definition says now; others keep below what was passed on to them.
        let ceiling = profile.ceiling.as_ref().filter(|_| !profile.created_by.is_human());
        let granted = |spec: &&Spec| match spec.plugin {
            Plugin::Ui => session.labels.is_ui(),
            _ => {
                !off.contains(&spec.plugin)
                    && spec.power.is_none_or(|power| profile.permissions.grants(power))
                    && switched(spec)
                    && placed(spec)
                    && asked_for(spec)
                    && ceiling.is_none_or(|ceiling| ceiling.admits(spec.name))
            }
        };
        Self(REGISTRY.iter().filter(granted).collect())
    }

    /// Decides whether a tool may be used.
    pub fn check(&self, name: &str) -> Result<(), NotGranted> {
        if self.has(name) {
            return Ok(());
        }
        let granted = if self.0.is_empty() { "none".to_owned() } else { self.names().join(", ") };
        Err(NotGranted { name: name.to_owned(), granted })
    }

    /// Says whether a tool may be used.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|spec| spec.name == name)
    }

    /// Returns all of them.
    pub fn specs(&self) -> &[&'static Spec] {
        &self.0
    }

    fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|spec| spec.name).collect()
    }
}

impl Spec {
    /// Says whether an agent gets it as a tool. The app's own two come as tools always.
    pub fn is_offered(&self, exposure: Exposure) -> bool {
        self.power.is_none() && (self.plugin == Plugin::Ui || exposure != Exposure::Skills)
    }
}
