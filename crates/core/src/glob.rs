//! Name patterns: `*` stands for any run of characters, everything else for itself; the whole name must match.

use serde::{Deserialize, Serialize};

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Glob(String);

impl Glob {
    /// Takes any text as a pattern.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Returns the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Says whether it names one thing only.
    pub fn is_literal(&self) -> bool {
        !self.0.contains('*')
    }

    /// Says whether a name matches, in time linear in both: each piece between stars is taken where it first occurs,
    /// which leaves most for the pieces after it.
    pub fn matches(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(name) = name.strip_prefix(first) else { return false };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        let Some(mut name) = name.strip_suffix(last) else { return false };
        for piece in middle.split('*') {
            let Some(at) = name.find(piece) else { return false };
            name = &name[at + piece.len()..];
        }
        true
    }

    /// Says whether it matches every name that another pattern matches. A `no` may be wrong, a `yes` is not.
    pub fn covers(&self, other: &Self) -> bool {
        // Only a star of ours can match a star of theirs, and it matches whatever that stands for.
        self.matches(&other.0)
    }
}

/// What is let through: all that an allowing pattern matches and no denying one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lists {
    /// Missing: everything. Empty: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<Glob>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<Glob>,
}

impl Lists {
    /// Says whether a name is let through.
    pub fn pass(&self, name: &str) -> bool {
        self.allows(name) && !self.denies(name)
    }

    /// Says whether a name is on the allowing side.
    pub fn allows(&self, name: &str) -> bool {
        self.allow.as_ref().is_none_or(|allow| allow.iter().any(|glob| glob.matches(name)))
    }

    /// Says whether a name is on the denying side.
    pub fn denies(&self, name: &str) -> bool {
        self.deny.iter().any(|glob| glob.matches(name))
    }

    /// Says whether they let nothing through that others do not. A `no` may be wrong, a `yes` is not.
    pub fn within(&self, other: &Self) -> bool {
        let denies_as_much = other.deny.iter().all(|theirs| self.deny.iter().any(|own| own.covers(theirs)));
        let Some(allow) = &self.allow else { return other.allow.is_none() && denies_as_much };
        allow.iter().all(|glob| {
            if glob.is_literal() {
                return self.denies(glob.as_str()) || other.pass(glob.as_str());
            }
            let allowed =
                other.allow.as_ref().is_none_or(|theirs| theirs.iter().any(|wider| wider.covers(glob)));
            allowed && denies_as_much
        })
    }

    /// Says whether they let everything through.
    pub fn is_open(&self) -> bool {
        self.allow.is_none() && self.deny.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        Glob::new(pattern).matches(name)
    }

    /// The definition itself, however slow.
    fn by_definition(pattern: &[char], name: &[char]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some(('*', rest)) => (0..=name.len()).any(|skip| by_definition(rest, &name[skip..])),
            Some((c, rest)) => name.first() == Some(c) && by_definition(rest, &name[1..]),
        }
    }

    #[test]
    fn a_pattern_is_anchored_and_only_the_star_is_special() {
        assert!(matches("todo_*", "todo_add") && matches("*", "") && matches("a*b*c", "a1b2c"));
        assert!(!matches("todo_*", "my_todo_add") && !matches("todo", "todo_add"));
        assert!(!matches("t?do", "todo") && !matches("[t]odo", "todo") && !matches("todo", "TODO"));
        // What stands before a star and after it does not overlap.
        assert!(!matches("ab*ba", "aba"));
    }

    #[test]
    fn a_hostile_pattern_takes_linear_time() {
        let name = "a".repeat(2_000_000);
        // Quadratic time would be hours.
        assert!(!matches(&format!("{}b", "*a".repeat(1_000)), &name));
        assert!(!matches("*a*a*a*a*b", &name));
    }

    fn lists() -> impl Strategy<Value = Lists> {
        let globs = || proptest::collection::vec("[ab*]{1,3}".prop_map(Glob::new), 0..3);
        (proptest::option::of(globs()), globs()).prop_map(|(allow, deny)| Lists { allow, deny })
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_definition(pattern in "[ab*]{0,8}", name in "[ab]{0,10}") {
            let (p, n): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
            prop_assert_eq!(matches(&pattern, &name), by_definition(&p, &n));
        }

        #[test]
        fn what_is_covered_is_matched(wide in "[ab*]{0,6}", narrow in "[ab*]{0,6}", name in "[ab]{0,8}") {
            let (wide, narrow) = (Glob::new(wide), Glob::new(narrow));
            if wide.covers(&narrow) && narrow.matches(&name) {
                prop_assert!(wide.matches(&name));
            }
        }

        #[test]
        fn what_is_within_lets_nothing_more_through(
            one in lists(), other in lists(), name in "[ab]{0,4}",
        ) {
            prop_assert!(one.within(&one));
            if one.within(&other) && one.pass(&name) {
                prop_assert!(other.pass(&name));
            }
        }
    }
}
