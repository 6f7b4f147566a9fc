//! Names of other agents that do not exist.

use super::{Definition, Problem};
use crate::glob::Glob;

/// Says which agents a definition names that there are not: it talks to fewer, or holds back fewer, than it was meant to.
pub fn unknown_peers(definition: &Definition, slugs: &[&str]) -> Vec<Problem> {
    let lists = &definition.agents;
    let unknown = |globs: &[Glob]| -> Vec<String> {
        let named = globs.iter().filter(|glob| !slugs.iter().any(|slug| glob.matches(slug)));
        named.map(|glob| glob.as_str().to_owned()).collect()
    };
    let doubt = |field: &str, name: String| {
        let known = slugs.join(", ");
        definition.doubt(&[field], format!("`{field}` names an unknown agent `{name}`; known: {known}"))
    };
    let allowed = unknown(lists.allow.as_deref().unwrap_or_default());
    let denied = unknown(&lists.deny);
    let allowed = allowed.into_iter().filter_map(|name| doubt("agentAllowlist", name));
    allowed.chain(denied.into_iter().filter_map(|name| doubt("agentDenylist", name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Origin, Source};
    use crate::glob::Lists;

    #[test]
    fn a_name_that_nobody_has_is_told_with_those_that_there_are() {
        let source = Source { origin: Origin::Home, file: Some("a.toml".to_owned()) };
        let globs = |names: &[&str]| names.iter().map(|name| Glob::new(*name)).collect::<Vec<_>>();
        let agents = Lists { allow: Some(globs(&["notes", "ntoes", "*"])), deny: globs(&["x-*"]) };
        let definition = Definition { agents, ..Definition::plain("a", source) };
        let told: Vec<String> =
            unknown_peers(&definition, &["a", "notes"]).into_iter().map(|problem| problem.message).collect();
        assert_eq!(
            told,
            [
                "`agentAllowlist` names an unknown agent `ntoes`; known: a, notes",
                "`agentDenylist` names an unknown agent `x-*`; known: a, notes",
            ]
        );
    }
}
