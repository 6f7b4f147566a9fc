//! Ceilings: what a session may pass on to the agents that it starts. Nothing it starts gets beyond.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{REGISTRY, Spec, expand};
use crate::definition::Definition;
use crate::glob::Glob;
use crate::permission::Mode;
use crate::session::Session;

/// The most that a session may pass on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ceiling {
    /// Names of tools; missing: every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<BTreeSet<String>>,
    /// The freest permission mode.
    #[serde(default, skip_serializing_if = "Mode::is_full")]
    pub mode: Mode,
}

/// What an agent that is started may use and pass on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outfit {
    /// Instead of what its definition lets through; the definition's denials stay.
    pub tools: Option<Vec<Glob>>,
    pub mode: Mode,
    pub ceiling: Ceiling,
}

/// More was wanted than may be passed on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is more than you may pass on: {}", .what.join(", "))]
pub struct Excess {
    /// Tools by name, permission modes as `permissions full`.
    pub what: Vec<String>,
}

impl Ceiling {
    /// Says whether a tool may be passed on.
    pub fn admits(&self, name: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.contains(name))
    }

    /// Returns the ceiling of a session that a person starts. A mode that the person chose binds what it starts, too.
    pub fn of_root(definition: &Definition, chosen: Option<Mode>) -> Self {
        Self::default().under(definition, None, chosen.or(definition.permissions).unwrap_or_default(), chosen)
    }

    /// Returns what a session may pass on now. A person's own agent passes on what its definition says now, others what
    /// was passed on to them.
    pub fn of(session: &Session, definition: &Definition) -> Self {
        let stored = session.profile.ceiling.clone().unwrap_or_default();
        if !session.profile.created_by.is_human() {
            return stored;
        }
        let chosen = Some(stored.mode).filter(|mode| !mode.is_full());
        Self::of_root(definition, chosen)
    }

    /// Returns what lies in this ceiling and not in another one: tools by name, and a freer permission mode.
    pub fn beyond(&self, other: &Self) -> Vec<String> {
        let names = REGISTRY.iter().map(|spec| spec.name);
        let mut beyond: Vec<String> =
            names.filter(|name| self.admits(name) && !other.admits(name)).map(str::to_owned).collect();
        if self.mode < other.mode {
            beyond.push(format!("permissions {}", self.mode.word()));
        }
        beyond
    }

    /// Decides what an agent gets that a session with this ceiling starts. `tools` and the definition's literal names
    /// are asked for, and refused when they are too much; what is only let through by a pattern is left out.
    pub fn outfit(
        &self,
        definition: &Definition,
        tools: Option<&[String]>,
        parent_mode: Mode,
    ) -> Result<Outfit, Excess> {
        let tools = tools.map(expand);
        let asked = tools.as_deref().or(definition.scope.tools.allow.as_deref()).unwrap_or_default();
        let mut what: Vec<String> = asked
            .iter()
            .filter(|glob| glob.is_literal())
            .filter_map(|glob| super::find(glob.as_str()))
            .filter(|spec| definition.scope.leaves_open(spec) && !self.admits(spec.name))
            .map(|spec| spec.name.to_owned())
            .collect();
        // A freer mode sorts first.
        if let Some(mode) = definition.permissions.filter(|mode| *mode < self.mode) {
            what.push(format!("permissions {}", mode.word()));
        }
        if !what.is_empty() {
            return Err(Excess { what });
        }
        let mode = definition.permissions.unwrap_or(parent_mode).max(self.mode);
        let ceiling = self.under(definition, tools.as_deref(), mode, None);
        Ok(Outfit { tools, mode, ceiling })
    }

    /// Returns what is left of this ceiling for a session of a definition.
    fn under(
        &self,
        definition: &Definition,
        tools: Option<&[Glob]>,
        mode: Mode,
        chosen: Option<Mode>,
    ) -> Self {
        let own = |spec: &Spec| match tools {
            Some(tools) => tools.iter().any(|glob| glob.matches(spec.name)),
            None => definition.scope.admits(spec),
        };
        let passed_on = |spec: &Spec| match &definition.ceiling {
            // What it uses itself it may pass on.
            Some(ceiling) => own(spec) || ceiling.iter().any(|glob| glob.matches(spec.name)),
            None => own(spec),
        };
        let left: BTreeSet<String> = REGISTRY
            .iter()
            .filter(|spec| self.admits(spec.name) && passed_on(spec))
            .map(|spec| spec.name.to_owned())
            .collect();
        let everything = self.tools.is_none() && left.len() == REGISTRY.len();
        let mode = match (&definition.ceiling, chosen) {
            (Some(_), None) => self.mode,
            _ => mode.max(self.mode),
        };
        Self { tools: (!everything).then_some(left), mode }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::definition::{Origin, Source};
    use crate::glob::Lists;
    use crate::tool::Scope;

    fn definition(allow: Option<&[&str]>, ceiling: Option<&[&str]>, permissions: Option<Mode>) -> Definition {
        let globs = |names: &[&str]| names.iter().map(|name| Glob::new(*name)).collect::<Vec<_>>();
        let tools = Lists { allow: allow.map(globs), deny: Vec::new() };
        Definition {
            scope: Scope { tools, capabilities: Lists::default() },
            ceiling: ceiling.map(globs),
            permissions,
            ..Definition::plain("x", Source { origin: Origin::Home, file: None })
        }
    }

    #[test]
    fn who_reads_starts_nobody_who_writes() {
        let reader = definition(Some(&["native_read", "summon"]), None, None);
        let writer = definition(Some(&["native_read", "native_write"]), None, None);
        let ceiling = Ceiling::of_root(&reader, None);
        assert_eq!(ceiling.outfit(&writer, None, Mode::Full).unwrap_err().what, ["native_write"]);
        let asked = ["read".to_owned()];
        let outfit = ceiling.outfit(&writer, Some(&asked), Mode::Full).unwrap();
        assert_eq!(outfit.ceiling.tools.unwrap().into_iter().collect::<Vec<_>>(), ["native_read"]);
        // What is asked for by no name is left out.
        let anything = definition(None, None, None);
        assert!(!ceiling.outfit(&anything, None, Mode::Full).unwrap().ceiling.admits("native_write"));
    }

    #[test]
    fn a_leader_passes_on_what_it_does_not_use() {
        let leader = definition(Some(&["summon"]), Some(&["native_*"]), None);
        let writer = definition(Some(&["native_write"]), None, None);
        assert!(Ceiling::of_root(&leader, None).outfit(&writer, None, Mode::Full).is_ok());
        assert!(Ceiling::of_root(&Definition::built_in(), None).tools.is_none());
    }

    #[test]
    fn nobody_starts_someone_freer() {
        let asking = Ceiling::of_root(&Definition::built_in(), Some(Mode::Ask));
        let free = definition(None, None, Some(Mode::Full));
        assert_eq!(asking.outfit(&free, None, Mode::Ask).unwrap_err().what, ["permissions full"]);
        let silent = definition(None, None, None);
        assert_eq!(asking.outfit(&silent, None, Mode::Ask).unwrap().mode, Mode::Ask);
        let reading = definition(None, None, Some(Mode::ReadOnly));
        let outfit = asking.outfit(&reading, None, Mode::Ask).unwrap();
        assert_eq!((outfit.mode, outfit.ceiling.mode), (Mode::ReadOnly, Mode::ReadOnly));
    }

    fn any_definition() -> impl Strategy<Value = Definition> {
        let names = || {
            let all: Vec<&str> = REGISTRY.iter().map(|spec| spec.name).chain(["native_*", "*"]).collect();
            proptest::option::of(proptest::sample::subsequence(all, 0..8))
        };
        let mode = proptest::option::of(proptest::sample::select(Mode::ALL.to_vec()));
        (names(), names(), mode)
            .prop_map(|(allow, ceiling, mode)| definition(allow.as_deref(), ceiling.as_deref(), mode))
    }

    proptest! {
        #[test]
        fn ceilings_only_ever_sink(chain in proptest::collection::vec(any_definition(), 1..6)) {
            let mut above = Ceiling::of_root(&chain[0], None);
            let mut mode = chain[0].permissions.unwrap_or_default();
            for definition in &chain[1..] {
                let Ok(outfit) = above.outfit(definition, None, mode) else { continue };
                for spec in REGISTRY {
                    prop_assert!(above.admits(spec.name) || !outfit.ceiling.admits(spec.name));
                }
                prop_assert!(outfit.mode >= above.mode && outfit.ceiling.mode >= above.mode);
                (mode, above) = (outfit.mode, outfit.ceiling);
            }
        }
    }
}
