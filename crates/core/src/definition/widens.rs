//! Whether one definition grants more than another. A change that does waits for a person.

use std::collections::BTreeSet;
use std::fmt;

use super::{Definition, Exposure, Kind, Route};
use crate::glob::Glob;
use crate::permission::Mode;
use crate::tool::{NOTIFY_WHEN_IDLE, Plugin, REGISTRY, RETRIEVE, Spec, TODO};

/// Tools that give an agent nothing beyond itself and the agents that it started.
const HARMLESS: [&str; 3] = [TODO, RETRIEVE, NOTIFY_WHEN_IDLE];

/// What a definition grants beyond another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Widening {
    /// Another kind of agent, or another address that its messages go to.
    Kind,
    Provider,
    /// Another key that its models are paid with.
    Key(Option<String>),
    /// A tool, or a pattern that may name tools of a later version.
    Tool(String),
    /// A tool that it may pass on to agents that it starts.
    Ceiling(String),
    /// Agents that it starts may have a freer permission mode than it has itself.
    CeilingMode,
    Permissions(Mode),
    /// A mode of its own, which an agent that starts it need not have.
    OwnPermissions(Mode),
    /// Its agents may change what no task of theirs covers.
    Guard,
    Exposure(Exposure),
    /// A plugin that becomes a skill.
    Skill(&'static str),
    /// Definitions that it may talk to.
    Agents,
    /// Agents find it, or people and agents start it by itself.
    Visible,
    Directory,
    /// Another definition may use it as it is, with all its tools.
    Named(String),
}

impl fmt::Display for Widening {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind => formatter.write_str("type or address"),
            Self::Provider => formatter.write_str("choice of provider"),
            Self::Key(Some(key)) => write!(formatter, "key {key}"),
            Self::Key(None) => formatter.write_str("the provider's own login"),
            Self::Tool(name) => write!(formatter, "tool {name}"),
            Self::Ceiling(name) => write!(formatter, "ceiling {name}"),
            Self::CeilingMode => formatter.write_str("more permissions for agents that it starts"),
            Self::Permissions(mode) => write!(formatter, "permissions {}", mode.word()),
            Self::OwnPermissions(mode) => {
                write!(formatter, "permissions {}, also when an agent starts it", mode.word())
            }
            Self::Guard => formatter.write_str("no guard"),
            Self::Exposure(exposure) => write!(formatter, "toolExposure {}", exposure.word()),
            Self::Skill(plugin) => write!(formatter, "skill {plugin}"),
            Self::Agents => formatter.write_str("agents it may talk to"),
            Self::Visible => formatter.write_str("visibility"),
            Self::Directory => formatter.write_str("directory"),
            Self::Named(by) => write!(formatter, "all its tools when `{by}` calls it"),
        }
    }
}

/// Returns what a definition grants that the one before it does not. What cannot be compared counts as more.
///
/// Names, descriptions, looks, prompts, models and efforts grant nothing.
pub fn widens(before: &Definition, after: &Definition) -> Vec<Widening> {
    // Every field is named, so that a new one does not compile until it is decided about.
    let Definition {
        slug: _,
        name: _,
        description: _,
        icon: _,
        color: _,
        kind,
        provider,
        models: _,
        effort: _,
        prompt: _,
        scope: _,
        exposure,
        skills,
        agents,
        ui_visible,
        api_exposed,
        is_subagent,
        permissions: _,
        guarded,
        ceiling: _,
        directory,
        route,
        source: _,
        lines: _,
    } = after;
    let mut found = Vec::new();
    let mut note = |widened: bool, what: Widening| {
        if widened {
            found.push(what);
        }
    };
    note(elsewhere(kind) != elsewhere(&before.kind), Widening::Kind);
    note(*provider != before.provider, Widening::Provider);
    let known = keys(before);
    keys(after).difference(&known).for_each(|key| note(true, Widening::Key(key.map(str::to_owned))));
    tools(before, after).into_iter().for_each(|name| note(true, Widening::Tool(name)));
    passed_on(before, after).into_iter().for_each(|name| note(true, Widening::Ceiling(name)));
    note(passed_mode(after) < passed_mode(before), Widening::CeilingMode);
    let mode = after.permissions.unwrap_or_default();
    let granted = match before.permissions {
        Some(_) => Widening::Permissions(mode),
        None => Widening::OwnPermissions(mode),
    };
    note(freer(before, after), granted);
    note(before.guarded && !guarded, Widening::Guard);
    let exposed = *exposure != before.exposure && before.exposure != Exposure::Mixed;
    note(exposed, Widening::Exposure(*exposure));
    for plugin in Plugin::OPTIONAL.map(Plugin::id) {
        note(skills.pass(plugin) && !before.skills.pass(plugin), Widening::Skill(plugin));
    }
    note(!agents.within(&before.agents), Widening::Agents);
    let visible = *ui_visible && !before.ui_visible
        || *api_exposed && !before.api_exposed
        || before.is_subagent && !is_subagent;
    note(visible, Widening::Visible);
    // Shared by all projects it works in the directory of whichever project started it.
    let shared = *route == Some(Route::Global) && before.route() == Route::Project;
    note(*directory != before.directory || shared, Widening::Directory);
    found
}

/// Where messages of an external agent go and answers come from.
fn elsewhere(kind: &Kind) -> Option<(&str, Option<&str>)> {
    match kind {
        Kind::Chat => None,
        Kind::External { input_url, callback_base_url, timeout_seconds: _ } => {
            Some((input_url, callback_base_url.as_deref()))
        }
    }
}

/// The keys that its models are paid with; `None` is the provider's own login.
fn keys(definition: &Definition) -> BTreeSet<Option<&str>> {
    if definition.models.is_empty() {
        return BTreeSet::from([None]);
    }
    definition.models.iter().map(|model| model.key.as_deref()).collect()
}

/// The tools that only the later definition grants.
fn tools(before: &Definition, after: &Definition) -> Vec<String> {
    // A list of names also grants what only definitions that name something have.
    let names = |definition: &Definition| definition.scope.tools.allow.is_some();
    let newly_named = names(after) && !names(before);
    // Agents of the built-in definition take part in the threads and teams that they are taken into.
    let newly_built_in = after.is_built_in() && !before.is_built_in();
    let joins = |spec: &Spec| matches!(spec.plugin, Plugin::Threads | Plugin::Team);
    let gained = |spec: &&Spec| {
        let (old, new) = (&before.scope, &after.scope);
        let admitted =
            new.admits(spec) && (!old.admits(spec) || newly_named && spec.plugin == Plugin::Threads);
        let switched = new.admits(spec) && newly_named && !spec.switches.is_empty();
        let joined = newly_built_in && joins(spec) && !old.admits(spec);
        admitted || switched || joined || new.leaves_open(spec) && !old.leaves_open(spec)
    };
    let named = REGISTRY.iter().filter(|spec| counts(spec)).filter(gained).map(|spec| spec.name.to_owned());
    let allow = |definition: &Definition| definition.scope.tools.allow.clone();
    named.chain(unknown(allow(before).as_deref(), allow(after).as_deref().unwrap_or_default())).collect()
}

/// The tools that only the later definition may pass on.
fn passed_on(before: &Definition, after: &Definition) -> Vec<String> {
    let passes = |definition: &Definition, spec: &Spec| {
        let named = definition.ceiling.iter().flatten().any(|glob| glob.matches(spec.name));
        definition.scope.admits(spec) || named
    };
    let gained = REGISTRY.iter().filter(|spec| counts(spec)).filter(|spec| {
        // What it gained for itself is told as a tool.
        passes(after, spec) && !passes(before, spec) && !after.scope.admits(spec)
    });
    let (old, new) = (before.ceiling.as_deref(), after.ceiling.as_deref().unwrap_or_default());
    gained.map(|spec| spec.name.to_owned()).chain(unknown(Some(old.unwrap_or_default()), new)).collect()
}

fn counts(spec: &Spec) -> bool {
    spec.plugin != Plugin::Ui && !HARMLESS.contains(&spec.name)
}

/// Patterns that match no tool of this version, and were not covered before.
fn unknown(before: Option<&[Glob]>, after: &[Glob]) -> Vec<String> {
    let known = |glob: &Glob| REGISTRY.iter().any(|spec| glob.matches(spec.name));
    let covered = |glob: &Glob| before.is_none_or(|before| before.iter().any(|wider| wider.covers(glob)));
    after.iter().filter(|glob| !known(glob) && !covered(glob)).map(|glob| glob.as_str().to_owned()).collect()
}

/// The freest mode that agents may have which it starts.
fn passed_mode(definition: &Definition) -> Mode {
    match definition.ceiling {
        Some(_) => Mode::Full,
        None => definition.permissions.unwrap_or_default(),
    }
}

fn freer(before: &Definition, after: &Definition) -> bool {
    match (before.permissions, after.permissions) {
        // Without a mode, a child has that of its parent.
        (None, Some(mode)) => mode.is_full(),
        (before, after) => after.unwrap_or_default() < before.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::definition::{File, Format, Keys, Origin, parse};
    use crate::glob::Lists;

    fn read(text: &str) -> Definition {
        let keys: Keys = [("work".to_owned(), "claude".to_owned())].into();
        let file = File { path: "agents/x.toml", text, format: Format::Toml, origin: Origin::Home };
        let mut parsed = parse(&file, &keys);
        parsed.definitions.pop().unwrap_or_else(|| panic!("{text}: {:?}", parsed.problems))
    }

    fn told(before: &str, after: &str) -> String {
        let found = widens(&read(before), &read(after));
        found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn every_field_that_grants_is_compared_in_both_directions() {
        let external = |url: &str| format!("type = 'external'\n[external]\ninput_url = '{url}'");
        let cases = [
            ("tools = ['read']", "tools = ['read', 'edit']", "tool native_write"),
            ("toolDenylist = ['summon']", "", "tool summon"),
            ("capabilityDenylist = ['agents.message']", "", "tool agents_message"),
            (
                "permissions = 'ask'",
                "permissions = 'full'",
                "more permissions for agents that it starts, permissions full",
            ),
            ("permissions = 'read-only'", "", "more permissions for agents that it starts, permissions full"),
            (
                "permissions = 'read-only'",
                "permissions = 'ask'",
                "more permissions for agents that it starts, permissions ask",
            ),
            ("tools = ['read']", "tools = ['read']\nceiling = ['edit']", "ceiling native_write"),
            ("tools = ['read']", "tools = ['read']\nscope = 'global'", "directory"),
            (
                "permissions = 'ask'",
                "permissions = 'ask'\nceiling = []",
                "more permissions for agents that it starts",
            ),
            ("guard = 'lease'", "", "no guard"),
            ("skillDenylist = ['agents']", "", "skill agents"),
            ("agentDenylist = ['b']", "", "agents it may talk to"),
            ("agentAllowlist = ['a']", "agentAllowlist = ['a', 'b']", "agents it may talk to"),
            ("uiVisible = false", "", "visibility"),
            ("isSubagent = true", "", "visibility"),
            ("apiExposed = false", "apiExposed = true", "visibility"),
            ("toolExposure = 'mixed'", "toolExposure = 'skills'", ""),
        ];
        for (narrow, wide, what) in cases {
            assert_eq!(told(narrow, wide), what, "{narrow} -> {wide}");
            if !what.is_empty() {
                assert_eq!(told(wide, narrow), "", "{wide} -> {narrow}");
            }
        }
        // What is merely different cannot be compared: it widens either way.
        let different = [
            ("".to_owned(), "provider = 'claude'".to_owned(), "provider"),
            ("provider = 'codex'".to_owned(), "provider = 'claude'".to_owned(), "provider"),
            ("".to_owned(), "cwd = '/x'".to_owned(), "directory"),
            ("cwd = '/x'".to_owned(), "cwd = '/x/y'".to_owned(), "directory"),
            ("toolExposure = 'tools'".to_owned(), "toolExposure = 'skills'".to_owned(), "toolExposure"),
            ("".to_owned(), external("http://127.0.0.1:1/"), "type or address"),
            (external("http://127.0.0.1:1/"), external("http://127.0.0.1:2/"), "type or address"),
            ("model = 'm'".to_owned(), "[[models]]\nmodel_id = 'm'\nkey_id = 'work'".to_owned(), "key work"),
            ("[[models]]\nmodel_id = 'm'\nkey_id = 'work'".to_owned(), "model = 'm'".to_owned(), "login"),
        ];
        for (one, other, what) in &different {
            assert!(told(one, other).contains(what), "{one} -> {other}: {}", told(one, other));
        }
        assert!(told("toolExposure = 'tools'", "toolExposure = 'mixed'").contains("toolExposure mixed"));
        assert_eq!(told("toolExposure = 'mixed'", "toolExposure = 'tools'"), "");
    }

    #[test]
    fn what_grants_nothing_changes_freely() {
        let before = "name = 'A'\nmodel = 'm'\neffort = 'low'\ntools = ['read']";
        let after = "name = 'B'\ndescription = 'x'\nsystemPrompt = 'y'\nmodel = 'n'\ntools = ['read', 'todo', 'retrieve']";
        assert_eq!(told(before, after), "");
        assert_eq!(told("", "permissions = 'ask'"), "");
        assert_eq!(
            told("", "permissions = 'full'"),
            "permissions full, also when an agent starts it",
            "a child had its parent's mode"
        );
    }

    #[test]
    fn a_pattern_for_tools_of_a_later_version_widens() {
        assert_eq!(
            told("toolAllowlist = ['native_read']", "toolAllowlist = ['native_read', 'notes_*']"),
            "tool notes_*"
        );
        assert_eq!(told("toolAllowlist = ['notes_*']", "toolAllowlist = ['notes_a*']"), "");
        assert_eq!(told("", "toolAllowlist = ['notes_*']"), "");
    }

    #[test]
    fn a_list_of_names_grants_what_is_had_by_name_only() {
        assert!(told("", "toolAllowlist = ['*']").contains("tool threads_post"));
        // The built-in definition has what a person switched on, and a seat's tools.
        let own = read("tools = ['read']");
        let fallen = widens(&own, &Definition::built_in());
        assert!(fallen.contains(&Widening::Tool("threads_post".to_owned())), "{fallen:?}");
        assert_eq!(widens(&Definition::built_in(), &own), []);
    }

    fn any_definition() -> impl Strategy<Value = Definition> {
        let globs = || {
            let all: Vec<&str> = REGISTRY
                .iter()
                .map(|spec| spec.name)
                .chain(["native_*", "agents_*", "*", "notes_*"])
                .collect();
            proptest::sample::subsequence(all, 0..6)
                .prop_map(|names| names.into_iter().map(Glob::new).collect::<Vec<_>>())
        };
        let mode = proptest::option::of(proptest::sample::select(Mode::ALL.to_vec()));
        (proptest::option::of(globs()), globs(), proptest::option::of(globs()), mode, any::<bool>()).prop_map(
            |(allow, deny, ceiling, permissions, guarded)| {
                let mut definition = read("");
                definition.scope.tools = Lists { allow, deny };
                Definition { ceiling, permissions, guarded, ..definition }
            },
        )
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_itself(one in any_definition()) {
            prop_assert_eq!(widens(&one, &one), []);
        }

        /// Small steps that each count at once never add up to more than was granted at first.
        #[test]
        fn narrowing_twice_is_narrowing(a in any_definition(), b in any_definition(), c in any_definition()) {
            if widens(&a, &b).is_empty() && widens(&b, &c).is_empty() {
                for spec in REGISTRY.iter().filter(|spec| counts(spec)) {
                    prop_assert!(a.scope.admits(spec) || !c.scope.admits(spec), "{}", spec.name);
                }
                prop_assert!(a.guarded <= c.guarded);
                prop_assert!(a.permissions.unwrap_or_default() <= c.permissions.unwrap_or_default());
            }
        }
    }
}
