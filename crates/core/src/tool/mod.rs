//! Which tools a session may use. This is a security boundary: every way in asks [`Grants::check`].

pub mod arguments;
mod ceiling;
pub mod flags;
mod registry;
mod scope;
mod withheld;

use std::collections::BTreeSet;

pub use ceiling::{Asked, Ceiling, Outfit};
pub use registry::{
    AGENTS_LIST, AGENTS_MESSAGE, NOTIFY_WHEN_IDLE, Plugin, READ_TAB, REGISTRY, RETRIEVE, SEND_TO_TAB,
    SET_BRANCH, SET_TITLE, SUMMON, Spec, TASKS_CANCEL, TASKS_CLAIM, TASKS_COMPLETE, TASKS_CREATE, TASKS_FAIL,
    TASKS_LIST, TASKS_RELEASE, TASKS_RENEW, TEAM_THREADS_LINK, TEAM_THREADS_POST, TEAM_THREADS_READ_TAIL,
    TEAM_THREADS_SEARCH, TEAM_THREADS_START, THREADS_INVITE, THREADS_LIST, THREADS_PARTICIPANTS,
    THREADS_POST, THREADS_READ, TMUX_ATTACH, TMUX_CAPTURE, TMUX_KILL, TMUX_LIST, TMUX_SEND, TMUX_START, TODO,
    find,
};
pub use scope::{Scope, expand};
pub use withheld::{CannotWithhold, unheld, withheld_by_parent};

use crate::definition::{Definition, Exposure, Origin};
use crate::permission::Power;
use crate::session::Session;
use crate::settings::Settings;

/// The tools that a session may use, and how it reaches them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    specs: Vec<&'static Spec>,
    exposure: Exposure,
    /// Plugins that the skill lists of the definition keep from the agent's own processes.
    not_skills: BTreeSet<Plugin>,
}

/// Why a tool call is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotGranted {
    #[error("{} (granted: {granted})", refused(.name))]
    Tool { name: String, granted: String },
    #[error(
        "the tool `{name}` cannot be called from a shell or over HTTP: the definition does not allow the \
         plugin `{}` as a skill",
        .plugin.id()
    )]
    Skill { name: String, plugin: Plugin },
}

fn refused(name: &str) -> String {
    match find(name) {
        Some(_) => format!("the tool `{name}` is not granted to this agent"),
        None => format!("unknown tool `{}`", name.escape_debug()),
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
        // A participant of a thread gets its tools, unless its definition says otherwise.
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
            // An agent that was started with tools of its own has them by name.
            let switches = match profile.tools {
                Some(_) => spec.switches,
                None => spec.switches_for(definition),
            };
            switches.is_empty()
                || switches.iter().any(|key| settings.is_on(*key)) && (profile.parent.is_none() || named)
        };
        // An agent outside of threads has no use for their tools, unless its definition names them.
        let placed = |spec: &Spec| spec.plugin != Plugin::Threads || profile.seat.is_some() || named;
        // A person's own agent has what its definition says now; others keep below what was passed on to them.
        let ceiling = profile.ceiling.as_ref().filter(|_| !profile.created_by.is_human());
        // A member of a team is meant to take part; only a definition says otherwise.
        let taken_in = |spec: &Spec| {
            let built_in = definition.source.origin == Origin::BuiltIn && profile.tools.is_none();
            let Some(seat) = &profile.team else { return false };
            // Leaders start workers, unless a definition names another agent.
            let placed = !spec.is_for_workers() || seat.leads || named && asked_for(spec);
            placed && (built_in || asked_for(spec))
        };
        let granted = |spec: &&Spec| match spec.plugin {
            Plugin::Ui => session.labels.is_ui(),
            Plugin::Team => {
                !off.contains(&spec.plugin)
                    && taken_in(spec)
                    && ceiling.is_none_or(|ceiling| ceiling.admits(spec.name))
            }
            _ => {
                !off.contains(&spec.plugin)
                    && spec.power.is_none_or(|power| profile.permissions.grants(power))
                    && switched(spec)
                    && placed(spec)
                    && asked_for(spec)
                    && ceiling.is_none_or(|ceiling| ceiling.admits(spec.name))
            }
        };
        let specs: Vec<&'static Spec> = REGISTRY.iter().filter(granted).collect();
        Self::exposed(specs, definition)
    }

    /// Applies what the definition says about skills. Skills are shell commands: without a shell, tools stay tools.
    fn exposed(mut specs: Vec<&'static Spec>, definition: &Definition) -> Self {
        let shell = specs.iter().any(|spec| spec.power == Some(Power::Shell));
        let exposure = if shell { definition.exposure } else { Exposure::Tools };
        let not_skills = Plugin::OPTIONAL.into_iter().filter(|plugin| !definition.skills.pass(plugin.id()));
        let not_skills: BTreeSet<Plugin> = not_skills.collect();
        // An agent that has skills only has no other way to these.
        if exposure == Exposure::Skills {
            specs.retain(|spec| !not_skills.contains(&spec.plugin));
        }
        Self { specs, exposure, not_skills }
    }

    /// Decides whether a tool may be used.
    pub fn check(&self, name: &str) -> Result<(), NotGranted> {
        if self.has(name) {
            return Ok(());
        }
        let granted = if self.specs.is_empty() { "none".to_owned() } else { self.names().join(", ") };
        Err(NotGranted::Tool { name: name.to_owned(), granted })
    }

    /// Decides whether a process of the agent may use a tool: a command in its shell, or an HTTP request.
    pub fn check_process(&self, name: &str) -> Result<(), NotGranted> {
        self.check(name)?;
        match find(name).filter(|spec| !self.allows_skill(spec.plugin)) {
            Some(spec) => Err(NotGranted::Skill { name: name.to_owned(), plugin: spec.plugin }),
            None => Ok(()),
        }
    }

    /// Says whether the agent's own processes may use the tools of a plugin, as far as the skill lists are concerned.
    pub fn allows_skill(&self, plugin: Plugin) -> bool {
        !self.not_skills.contains(&plugin)
    }

    /// Returns how the agent gets these tools.
    pub fn exposure(&self) -> Exposure {
        self.exposure
    }

    /// Says whether a tool may be used.
    pub fn has(&self, name: &str) -> bool {
        self.specs.iter().any(|spec| spec.name == name)
    }

    /// Returns all of them.
    pub fn specs(&self) -> &[&'static Spec] {
        &self.specs
    }

    fn names(&self) -> Vec<&'static str> {
        self.specs.iter().map(|spec| spec.name).collect()
    }
}

impl Spec {
    /// Says whether an agent gets it as a tool. The app's own two come as tools always.
    pub fn is_offered(&self, exposure: Exposure) -> bool {
        self.power.is_none() && (self.plugin == Plugin::Ui || exposure != Exposure::Skills)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::definition::Source;
    use crate::glob::{Glob, Lists};
    use crate::id::SessionId;
    use crate::session::{Created, TeamSeat};
    use crate::time::Timestamp;

    fn of_team(leads: bool, definition: &Definition) -> Grants {
        let by = Actor::Human("cli".to_owned());
        let mut created = Created::plain(SessionId::from_random([1; 16]), by, "scripted", "/");
        let team = "red".parse().unwrap();
        created.team = Some(TeamSeat { team, agent: "ann".to_owned(), leads });
        let session = Session::create(created, Timestamp::default());
        Grants::of(&session, definition, &Settings::default(), &BTreeSet::new())
    }

    fn defined(allow: Option<&[&str]>) -> Definition {
        let allow = allow.map(|names| names.iter().map(|name| Glob::new(*name)).collect());
        let tools = Lists { allow, deny: Vec::new() };
        let scope = Scope { tools, capabilities: Lists::default() };
        Definition { scope, ..Definition::plain("x", Source { origin: Origin::Home, file: None }) }
    }

    #[test]
    fn workers_are_started_by_whoever_leads_or_is_named() {
        let built_in = Definition::built_in();
        assert!(of_team(true, &built_in).has(TMUX_START) && of_team(true, &built_in).has(TASKS_CREATE));
        assert!(!of_team(false, &built_in).has(TMUX_START) && of_team(false, &built_in).has(TASKS_CLAIM));
        for tool in [TMUX_START, TMUX_LIST, TMUX_ATTACH, TMUX_CAPTURE, TMUX_SEND, TMUX_KILL] {
            assert!(!of_team(false, &defined(None)).has(tool), "{tool} although nobody named it");
            assert!(of_team(false, &defined(Some(&["team_tmux_*"]))).has(tool));
            assert!(of_team(true, &defined(None)).has(tool));
            assert!(!of_team(true, &defined(Some(&["todo"]))).has(tool), "{tool} although it is left out");
        }
    }

    #[test]
    fn default_agents_have_a_list_while_its_setting_is_on_and_others_as_they_are_defined() {
        let created = Created::plain(SessionId::from_random([1; 16]), Actor::Human("cli".into()), "x", "/");
        let session = Session::create(created, Timestamp::default());
        let mut settings = Settings::default();
        for on in [false, true] {
            let event = crate::settings::Event::Changed { key: crate::settings::Key::PermTodo, value: on };
            settings.apply(&event, Timestamp::default());
            let has = |definition: &Definition| {
                Grants::of(&session, definition, &settings, &BTreeSet::new()).has(TODO)
            };
            assert_eq!(has(&Definition::built_in()), on);
            assert!(has(&defined(None)) && has(&defined(Some(&["todo"]))));
            assert!(!has(&defined(Some(&["read_tab"]))), "a definition that leaves it out keeps it out");
        }
    }

    #[test]
    fn leaders_are_told_of_every_tool_that_is_for_them() {
        let team = "red".parse().unwrap();
        let told = crate::team::primer(&TeamSeat { team, agent: "lea".to_owned(), leads: true });
        for spec in REGISTRY.iter().filter(|spec| spec.is_for_workers()) {
            assert!(told.contains(&format!("`{}`", spec.name)), "{}", spec.name);
        }
    }
}
