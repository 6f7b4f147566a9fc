//! Why an agent of a definition does not have a tool.

use std::collections::BTreeSet;

use super::{Definition, Exposure};
use crate::permission::{Mode, Power};
use crate::settings::{Key, Settings};
use crate::tool::{Plugin, Spec, find};

/// Why a tool is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    #[error("external agents run elsewhere and have no Paseo tools")]
    Elsewhere,
    #[error("only agents with the label ui=true get it")]
    NotInApp,
    #[error("only agents in a team get it")]
    NotInTeam,
    #[error("the plugin `{}` is disabled in config.toml", .0.id())]
    PluginOff(Plugin),
    #[error("permission mode {} does not grant it", .0.word())]
    Permissions(Mode),
    #[error("{}", switched_off(.0))]
    SwitchedOff(&'static [Key]),
    #[error("toolExposure is skills, but the definition does not allow the plugin `{}` as a skill", .0.id())]
    NotASkill(Plugin),
    #[error("only thread participants, and definitions that list it in `tools`, get it")]
    NoSeat,
    #[error("the definition denies it by name")]
    Denied,
    #[error("the definition's `tools` does not list it")]
    NotAllowed,
    #[error("the definition does not allow its capabilities ({})", .0.join(", "))]
    Capabilities(&'static [&'static str]),
}

fn switched_off(switches: &[Key]) -> String {
    match switches {
        [one] => format!("{} is off", one.word()),
        all => {
            let words: Vec<&str> = all.iter().map(|key| key.word()).collect();
            format!("turn on {}", words.join(" or "))
        }
    }
}

/// Says why an agent that a person starts would not have a tool; `None` when it would.
pub fn missing(
    spec: &'static Spec,
    definition: &Definition,
    settings: &Settings,
    off: &BTreeSet<Plugin>,
) -> Option<Missing> {
    if definition.is_external() {
        return Some(Missing::Elsewhere);
    }
    if spec.plugin == Plugin::Ui {
        return Some(Missing::NotInApp);
    }
    if off.contains(&spec.plugin) {
        return Some(Missing::PluginOff(spec.plugin));
    }
    let scope = &definition.scope;
    if !scope.admits(spec) {
        return Some(if scope.tools.denies(spec.name) {
            Missing::Denied
        } else if !scope.tools.allows(spec.name) {
            Missing::NotAllowed
        } else {
            Missing::Capabilities(spec.capabilities)
        });
    }
    if spec.plugin == Plugin::Team {
        return Some(Missing::NotInTeam);
    }
    if spec.plugin == Plugin::Threads && scope.tools.allow.is_none() {
        return Some(Missing::NoSeat);
    }
    let mode = definition.permissions.unwrap_or_default();
    if spec.power.is_some_and(|power| !mode.grants(power)) {
        return Some(Missing::Permissions(mode));
    }
    let switches = spec.switches_for(definition);
    if !switches.is_empty() && !switches.iter().any(|key| settings.is_on(*key)) {
        return Some(Missing::SwitchedOff(switches));
    }
    let is_skill = spec.power.is_some() || definition.skills.pass(spec.plugin.id());
    let shell = || find(Power::Shell.tool()).and_then(|shell| missing(shell, definition, settings, off));
    let only_skills = definition.exposure == Exposure::Skills && !is_skill && shell().is_none();
    only_skills.then_some(Missing::NotASkill(spec.plugin))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::actor::Actor;
    use crate::definition::{Kind, Origin, Source};
    use crate::glob::{Glob, Lists};
    use crate::id::SessionId;
    use crate::session::{Created, Session};
    use crate::settings::Event;
    use crate::time::Timestamp;
    use crate::tool::{Grants, REGISTRY, Scope};

    fn globs() -> impl Strategy<Value = Vec<Glob>> {
        let all: Vec<&str> =
            REGISTRY.iter().map(|spec| spec.name).chain(["native_*", "agents_*", "*"]).collect();
        proptest::sample::subsequence(all, 0..6).prop_map(|names| names.into_iter().map(Glob::new).collect())
    }

    #[test]
    fn of_several_switches_one_is_enough() {
        let why = Missing::SwitchedOff(&[Key::PermSendToTab, Key::PermReadTab]).to_string();
        assert_eq!(why, "turn on perm_send_to_tab or perm_read_tab");
        assert_eq!(Missing::SwitchedOff(&[Key::PermSummon]).to_string(), "perm_summon is off");
    }

    proptest! {
        /// What is said to be missing is what is not granted.
        #[test]
        fn it_says_what_the_grants_say(
            allow in proptest::option::of(globs()),
            deny in globs(),
            mode in proptest::option::of(proptest::sample::select(Mode::ALL.to_vec())),
            on in proptest::sample::subsequence(Key::ALL.to_vec(), 0..5),
            off in proptest::sample::subsequence(Plugin::OPTIONAL.to_vec(), 0..3),
            elsewhere in proptest::bool::weighted(0.1),
            built_in in proptest::bool::weighted(0.2),
            exposure in proptest::sample::select(vec![Exposure::Tools, Exposure::Skills, Exposure::Mixed]),
            skills in proptest::option::of(proptest::sample::subsequence(Plugin::OPTIONAL.to_vec(), 0..4)),
        ) {
            let external = Kind::External { input_url: "http://a.example".to_owned(), callback_base_url: None, timeout_seconds: None };
            let plain = match built_in {
                true => Definition::built_in(),
                false => Definition::plain("x", Source { origin: Origin::Home, file: None }),
            };
            let scope = Scope { tools: Lists { allow, deny }, capabilities: Lists::default() };
            let definition = Definition {
                kind: if elsewhere { external } else { Kind::Chat },
                scope: if built_in { Definition::built_in().scope } else { scope },
                permissions: mode,
                exposure,
                skills: Lists { allow: skills.map(|all| all.iter().map(|plugin| Glob::new(plugin.id())).collect()), deny: Vec::new() },
                ..plain
            };
            let mut settings = Settings::default();
            on.into_iter().for_each(|key| settings.apply(&Event::Changed { key, value: true }, Timestamp::default()));
            let off: BTreeSet<Plugin> = off.into_iter().collect();
            let by = Actor::Human("cli".into());
            let mut created = Created::plain(SessionId::from_random([1; 16]), by, "scripted", "/");
            created.permissions = mode.unwrap_or_default();
            let session = Session::create(created, Timestamp::default());
            let grants = Grants::of(&session, &definition, &settings, &off);
            for spec in REGISTRY {
                let missing = missing(spec, &definition, &settings, &off);
                prop_assert_eq!(grants.has(spec.name), missing.is_none(), "{}: {:?}", spec.name, missing);
            }
        }
    }
}
