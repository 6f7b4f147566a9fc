//! What a definition lets its agents use.

use serde::{Deserialize, Serialize};

use super::Spec;
use crate::glob::{Glob, Lists};
use crate::permission::Power;

/// What is let through, by name and by capability.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    #[serde(default)]
    pub tools: Lists,
    #[serde(default)]
    pub capabilities: Lists,
}

impl Scope {
    /// Says whether a tool is let through.
    pub fn admits(&self, spec: &Spec) -> bool {
        self.admits_named(spec.name, spec.capabilities)
    }

    /// Says whether a tool with these capabilities is let through.
    pub fn admits_named(&self, name: &str, capabilities: &[&str]) -> bool {
        let capable = capabilities.iter().all(|capability| self.capabilities.allows(capability))
            && !capabilities.iter().any(|capability| self.capabilities.denies(capability));
        name.starts_with("system_") || (self.tools.pass(name) && capable)
    }

    /// Says whether a tool may be had by its name, although the list of names does not let it through.
    pub fn leaves_open(&self, spec: &Spec) -> bool {
        !self.tools.denies(spec.name)
            && spec.capabilities.iter().all(|capability| self.capabilities.pass(capability))
    }

    /// Says whether it lets everything through.
    pub fn is_open(&self) -> bool {
        self.tools.is_open() && self.capabilities.is_open()
    }
}

/// Expands the group names `read`, `edit` and `bash` to the powers they stand for; other names pass. Each once.
pub fn expand(names: &[String]) -> Vec<Glob> {
    let mut expanded: Vec<Glob> = Vec::new();
    for name in names {
        let group: &[Power] = match name.as_str() {
            "read" => &[Power::Read],
            "edit" => &[Power::Write],
            // A shell reaches the network, whatever else is said.
            "bash" => &[Power::Shell, Power::Net],
            _ => &[],
        };
        let globs = match group {
            [] => vec![Glob::new(name.clone())],
            powers => powers.iter().map(|power| Glob::new(power.tool())).collect(),
        };
        globs.into_iter().for_each(|glob| {
            if !expanded.contains(&glob) {
                expanded.push(glob);
            }
        });
    }
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{REGISTRY, find};

    fn globs(patterns: &[&str]) -> Vec<Glob> {
        patterns.iter().map(|pattern| Glob::new(*pattern)).collect()
    }

    fn admitted(scope: &Scope) -> Vec<&'static str> {
        REGISTRY.iter().filter(|spec| scope.admits(spec)).map(|spec| spec.name).collect()
    }

    #[test]
    fn missing_lists_let_everything_through_and_empty_ones_nothing() {
        assert_eq!(admitted(&Scope::default()).len(), REGISTRY.len());
        let nothing = Lists { allow: Some(Vec::new()), deny: Vec::new() };
        let scope = Scope { tools: nothing.clone(), capabilities: Lists::default() };
        assert!(admitted(&scope).is_empty() && scope.admits_named("system_clock", &[]));
        // Tools without capabilities have none that could be refused.
        let scope = Scope { tools: Lists::default(), capabilities: nothing };
        assert_eq!(admitted(&scope), ["set_title", "set_branch"]);
    }

    #[test]
    fn denying_wins_by_name_and_by_capability() {
        let tools = Lists { allow: Some(globs(&["agents_*", "todo"])), deny: globs(&["*_list"]) };
        let scope = Scope { tools, capabilities: Lists { allow: None, deny: globs(&["todo.*"]) } };
        assert_eq!(admitted(&scope), ["agents_message"]);
        assert!(!scope.admits(find("todo").unwrap()));
        // Those stay even for agents that are given tools by name.
        let denied = REGISTRY.iter().filter(|spec| !scope.leaves_open(spec)).map(|spec| spec.name);
        assert_eq!(
            denied.collect::<Vec<_>>(),
            ["agents_list", "todo", "threads_list", "team_tasks_list", "team_tmux_list"]
        );
    }

    #[test]
    fn every_capability_of_a_tool_must_be_allowed() {
        let scope = Scope {
            tools: Lists::default(),
            capabilities: Lists { allow: Some(globs(&["lists.*"])), deny: globs(&["lists.write"]) },
        };
        assert!(scope.admits_named("a", &["lists.read"]) && scope.admits_named("b", &[]));
        assert!(!scope.admits_named("c", &["lists.read", "notes.read"]));
        assert!(!scope.admits_named("d", &["lists.read", "lists.write"]));
    }

    #[test]
    fn groups_expand_once() {
        let names: Vec<String> = ["read", "edit", "bash", "read", "todo"].map(str::to_owned).to_vec();
        let expanded: Vec<String> = expand(&names).iter().map(|glob| glob.as_str().to_owned()).collect();
        assert_eq!(expanded, ["native_read", "native_write", "native_shell", "native_net", "todo"]);
    }
}
