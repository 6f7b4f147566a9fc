//! Powers of the harness that a definition withholds, and what becomes of those that cannot be withheld.

use super::{Ceiling, Grants};
use crate::permission::{Mode, Power};

/// A harness has powers that its agent may not have, and nothing can take them away.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{provider}` cannot withhold {}, and more than that may not be given here", names(.powers))]
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
