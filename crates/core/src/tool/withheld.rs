//! What is withheld from an agent: powers of its harness, and what its parent could not pass on.

use std::collections::BTreeSet;

use super::{Ceiling, Grants, Plugin, Spec, find};
use crate::definition::Definition;
use crate::permission::{Mode, Power};
use crate::session::Session;
use crate::settings::Settings;

/// A harness has powers that its agent may not have, and nothing can take them away.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{provider}` cannot withhold {}, which this agent must not have", names(.powers))]
pub struct CannotWithhold {
    pub provider: String,
    pub powers: Vec<Power>,
}

impl Grants {
    /// Returns the powers that the permission mode would grant and these do not.
    pub fn withheld(&self, mode: Mode) -> Vec<Power> {
        Power::ALL.into_iter().filter(|power| mode.grants(*power) && !self.has(power.tool())).collect()
    }
}

/// Returns the withheld powers that a harness has all the same, as it cannot do without: they count as granted. Beyond
/// its ceiling an agent gets nothing, so there it cannot run at all.
pub fn unheld(
    withheld: &[Power],
    provider: &str,
    withholds: &[Power],
    ceiling: Option<&Ceiling>,
) -> Result<Vec<Power>, CannotWithhold> {
    let kept: Vec<Power> = withheld.iter().copied().filter(|power| !withholds.contains(power)).collect();
    let beyond = |power: &&Power| ceiling.is_some_and(|ceiling| !ceiling.admits(power.tool()));
    let powers: Vec<Power> = kept.iter().filter(beyond).copied().collect();
    if powers.is_empty() { Ok(kept) } else { Err(CannotWithhold { provider: provider.to_owned(), powers }) }
}

/// Returns what a session does not have because its parent could not pass it on, and what its parent asked for by name in
/// vain: tools by name, a freer permission mode as `permissions full`.
pub fn withheld_by_parent(
    session: &Session,
    definition: &Definition,
    settings: &Settings,
    off: &BTreeSet<Plugin>,
) -> Vec<String> {
    let profile = &session.profile;
    if profile.created_by.is_human() {
        return Vec::new();
    }
    let mut unbound = session.clone();
    unbound.profile.ceiling = None;
    unbound.profile.permissions = definition.permissions.unwrap_or_default();
    let granted = Grants::of(session, definition, settings, off);
    let wanted = Grants::of(&unbound, definition, settings, off);
    // A tool that its list names and that is switched off comes when it is switched on, unless the parent cannot pass it
    // on. Without a list it asks for nothing in particular.
    let has_list = definition.scope.tools.allow.is_some() && !definition.is_built_in();
    let switched = Grants::of(&unbound, definition, &settings.with_all_on(), off);
    let is_beyond = |ceiling: &Ceiling, spec: &Spec| has_list && !ceiling.admits(spec.name);
    let beyond = |spec: &&Spec| profile.ceiling.as_ref().is_some_and(|ceiling| is_beyond(ceiling, spec));
    let switched = switched.specs().iter().copied().filter(beyond);
    let wanted = wanted.specs().iter().copied().chain(switched).map(|spec| spec.name);
    let asked = profile.tools.iter().flatten().filter(|glob| glob.is_literal());
    let in_vain = |spec: &&Spec| {
        let passed_on = profile.ceiling.as_ref().is_none_or(|ceiling| ceiling.admits(spec.name));
        !passed_on || !definition.scope.leaves_open(spec)
    };
    let asked = asked.filter_map(|glob| find(glob.as_str())).filter(in_vain).map(|spec| spec.name);
    let mut withheld: Vec<String> = Vec::new();
    for name in wanted.chain(asked).filter(|name| !granted.has(name)) {
        if !withheld.iter().any(|known| known == name) {
            withheld.push(name.to_owned());
        }
    }
    if let Some(mode) = definition.permissions.filter(|mode| *mode < profile.permissions) {
        withheld.push(format!("permissions {}", mode.word()));
    }
    withheld
}

fn names(powers: &[Power]) -> String {
    powers.iter().map(|power| format!("`{}`", power.tool())).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ceiling(names: &[&str]) -> Ceiling {
        Ceiling { tools: Some(names.iter().map(|name| (*name).to_owned()).collect()), mode: Mode::Full }
    }

    #[test]
    fn a_mode_withholds_nothing_that_it_does_not_grant_anyway() {
        let nothing = Grants::default();
        assert_eq!(nothing.withheld(Mode::Full), Power::ALL);
        assert_eq!(nothing.withheld(Mode::ReadOnly), [Power::Read]);
    }

    #[test]
    fn what_cannot_be_withheld_is_granted_up_to_the_ceiling_and_refused_beyond() {
        let withheld = [Power::Write, Power::Shell];
        assert_eq!(unheld(&withheld, "claude", &Power::ALL, Some(&ceiling(&[]))), Ok(Vec::new()));
        let above = ceiling(&["native_write", "native_shell"]);
        assert_eq!(unheld(&withheld, "pi", &[], Some(&above)), Ok(withheld.to_vec()));
        assert_eq!(unheld(&withheld, "pi", &[], None), Ok(withheld.to_vec()));
        let refused = unheld(&withheld, "pi", &[], Some(&ceiling(&["native_write"]))).unwrap_err();
        assert_eq!(refused.powers, [Power::Shell]);
        assert!(refused.to_string().starts_with("`pi` cannot withhold `native_shell`"), "{refused}");
    }
}
