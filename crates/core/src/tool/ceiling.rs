//! Ceilings: what a session may pass on to the agents that it starts. Its children never have more.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    CannotWithhold, Grants, NOTIFY_WHEN_IDLE, Plugin, REGISTRY, RETRIEVE, Spec, TODO, expand, unheld,
};
use crate::definition::Definition;
use crate::glob::Glob;
use crate::permission::{Mode, Power};
use crate::session::Session;
use crate::settings::{Key, Settings};

/// Tools that every session may pass on, even without having them: they only plan and wait.
const HARMLESS: [&str; 3] = [TODO, RETRIEVE, NOTIFY_WHEN_IDLE];

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

/// What a child may use and pass on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outfit {
    /// Instead of what its definition lets through; the definition's denials stay.
    pub tools: Option<Vec<Glob>>,
    pub mode: Mode,
    pub ceiling: Ceiling,
}

impl Outfit {
    /// Refuses a provider that cannot withhold a power that the child must not have.
    pub fn check_provider(&self, provider: &str, withholds: &[Power]) -> Result<(), CannotWithhold> {
        let missing = |power: &Power| self.mode.grants(*power) && !self.ceiling.admits(power.tool());
        let missing: Vec<Power> = Power::ALL.into_iter().filter(missing).collect();
        unheld(&missing, provider, withholds, Some(&self.ceiling)).map(|_| ())
    }
}

/// A definition that a session asks for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub slug: &'a str,
    /// A person has trusted it, or it is built in.
    pub is_trusted: bool,
}

impl Ceiling {
    /// Says whether a tool may be passed on.
    pub fn admits(&self, name: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.contains(name))
    }

    /// Returns what a session may pass on now: its own tools, the harmless ones, and what an explicit ceiling adds, all
    /// within what its own parent passed on to it.
    pub fn of(session: &Session, definition: &Definition) -> Self {
        let profile = &session.profile;
        let stored = profile.ceiling.clone().unwrap_or_default();
        // A setting that is off, or a plugin, is checked again for the child.
        let settings = Settings { on: Key::ALL.to_vec(), ..Settings::default() };
        let own = Grants::of(session, definition, &settings, &BTreeSet::new());
        let leads = definition.is_built_in() && profile.team.as_ref().is_some_and(|seat| seat.leads);
        let passes_on =
            |spec: &Spec| own.has(spec.name) || leads || is_harmless(spec) || is_explicit(spec, definition);
        let bound = if profile.created_by.is_human() {
            // The permission mode that a person chose binds the children, too; otherwise the definition's does.
            let chosen = Some(profile.chosen_mode.unwrap_or(stored.mode)).filter(|mode| !mode.is_full());
            let own = definition.permissions.filter(|_| !leads && definition.ceiling.is_none());
            Self { tools: None, mode: chosen.or(own).unwrap_or_default() }
        } else {
            // A person may narrow later what its parent gave it.
            Self { mode: stored.mode.max(profile.chosen_mode.unwrap_or_default()), ..stored }
        };
        bound.narrowed(passes_on)
    }

    /// Returns the freest permission mode that a person may give a session after its start: what its definition says,
    /// and what its parent passed on to it.
    pub fn freest_mode(session: &Session, definition: &Definition) -> Mode {
        let profile = &session.profile;
        let above = profile.ceiling.as_ref().filter(|_| !profile.created_by.is_human());
        // A freer mode sorts first.
        definition.permissions.unwrap_or_default().max(above.map(|above| above.mode).unwrap_or_default())
    }

    /// Returns what an agent may have that a session asks by its definition. A person who names a definition in the
    /// `agentAllowlist` of their own agent lets that agent use it as it is, once a person has trusted it as well: an
    /// agent could have written it.
    pub fn of_asked(session: &Session, definition: &Definition, asked: Asked<'_>) -> Self {
        let own = Self::of(session, definition);
        if asked.is_trusted && definition.names(asked.slug) && session.profile.created_by.is_human() {
            Self { tools: None, mode: own.mode }
        } else {
            own
        }
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

    /// Decides what a child gets: the tools of the call if there are any, else those of its definition, within this
    /// ceiling.
    pub fn outfit(&self, definition: &Definition, tools: Option<&[String]>, parent_mode: Mode) -> Outfit {
        let tools = tools.map(expand);
        // A freer mode sorts first.
        let mode = definition.permissions.unwrap_or(parent_mode).max(self.mode);
        let own = |spec: &Spec| match &tools {
            Some(tools) => tools.iter().any(|glob| glob.matches(spec.name)),
            None => definition.scope.admits(spec) || by_seat(spec, definition),
        };
        let mut ceiling =
            self.narrowed(|spec| own(spec) || is_harmless(spec) || is_explicit(spec, definition));
        if definition.ceiling.is_none() {
            ceiling.mode = mode;
        }
        Outfit { tools, mode, ceiling }
    }

    /// Returns this ceiling without the tools that `keep` leaves out.
    fn narrowed(&self, keep: impl Fn(&Spec) -> bool) -> Self {
        let left = REGISTRY.iter().filter(|spec| self.admits(spec.name) && keep(spec));
        let left: BTreeSet<String> = left.map(|spec| spec.name.to_owned()).collect();
        let everything = self.tools.is_none() && left.len() == REGISTRY.len();
        Self { tools: (!everything).then_some(left), mode: self.mode }
    }
}

fn is_harmless(spec: &Spec) -> bool {
    HARMLESS.contains(&spec.name)
}

fn is_explicit(spec: &Spec, definition: &Definition) -> bool {
    definition.ceiling.iter().flatten().any(|glob| glob.matches(spec.name))
}

/// Says whether an agent of the built-in definition may get a tool from its place in a thread or a team.
fn by_seat(spec: &Spec, definition: &Definition) -> bool {
    definition.is_built_in() && matches!(spec.plugin, Plugin::Threads | Plugin::Team)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::actor::Actor;
    use crate::definition::{Exposure, Origin, Source};
    use crate::glob::Lists;
    use crate::id::SessionId;
    use crate::session::{Created, TeamSeat};
    use crate::time::Timestamp;
    use crate::tool::{Scope, withheld_by_parent};

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

    fn all_on() -> Settings {
        Settings { on: Key::ALL.to_vec(), ..Settings::default() }
    }

    fn grants(session: &Session, definition: &Definition) -> Grants {
        Grants::of(session, definition, &all_on(), &BTreeSet::new())
    }

    fn names(ceiling: &Ceiling) -> Vec<&str> {
        ceiling.tools.as_ref().unwrap().iter().map(String::as_str).collect()
    }

    /// A session that a person starts.
    fn root(definition: &Definition, chosen: Option<Mode>) -> Session {
        let by = Actor::Human("cli".to_owned());
        let mut created = Created::plain(SessionId::from_random([1; 16]), by, "scripted", "/");
        created.permissions = chosen.or(definition.permissions).unwrap_or_default();
        created.ceiling = Some(Ceiling { tools: None, mode: chosen.unwrap_or_default() });
        Session::create(created, Timestamp::default())
    }

    /// A session that another one starts.
    fn child(parent: &Session, of: &Definition, definition: &Definition, tools: Option<&[&str]>) -> Session {
        let tools: Option<Vec<String>> = tools.map(|all| all.iter().map(|name| (*name).to_owned()).collect());
        let above = Ceiling::of(parent, of);
        let outfit = above.outfit(definition, tools.as_deref(), parent.profile.permissions);
        let by = Actor::Session(parent.id);
        let mut created = Created::plain(SessionId::from_random([2; 16]), by, "scripted", "/");
        created.parent = Some(parent.id);
        created.permissions = outfit.mode;
        created.tools = outfit.tools;
        created.ceiling = Some(outfit.ceiling);
        Session::create(created, Timestamp::default())
    }

    fn withheld(session: &Session, definition: &Definition) -> Vec<String> {
        withheld_by_parent(session, definition, &all_on(), &BTreeSet::new())
    }

    #[test]
    fn a_child_gets_what_it_asks_for_within_what_its_parent_may_pass_on() {
        let reader = definition(Some(&["native_read", "summon"]), None, None);
        let parent = root(&reader, None);
        assert_eq!(
            names(&Ceiling::of(&parent, &reader)),
            ["native_read", "notify_when_idle", "retrieve", "summon", "todo"]
        );
        let writer =
            definition(Some(&["native_read", "native_write", "todo", "notify_when_idle"]), None, None);
        for (tools, had, kept) in [
            (None, &["native_read", "notify_when_idle", "todo"][..], &["native_write"][..]),
            (Some(&["read", "edit"][..]), &["native_read"], &["native_write"]),
            (Some(&["read"]), &["native_read"], &[]),
            (Some(&["bash"]), &[], &["native_shell", "native_net"]),
        ] {
            let session = child(&parent, &reader, &writer, tools);
            let own: Vec<&str> = grants(&session, &writer).specs().iter().map(|spec| spec.name).collect();
            assert_eq!((own.as_slice(), withheld(&session, &writer)), (had, owned(kept)), "{tools:?}");
        }
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn an_ordinary_agent_passes_on_its_own_tools_and_three_more() {
        // Neither the built-in definition nor one without lists has the tools of threads and teams by itself.
        let own = Definition::built_in();
        let passed = Ceiling::of(&root(&own, None), &own);
        for (tool, admitted) in [
            ("native_write", true),
            ("summon", true),
            ("todo", true),
            ("retrieve", true),
            ("notify_when_idle", true),
            ("agents_message", false),
            ("threads_read", false),
            ("team_tmux_start", false),
        ] {
            assert_eq!(passed.admits(tool), admitted, "{tool}");
        }
        let open = definition(None, None, None);
        let asking = child(&root(&open, None), &open, &open, Some(&["threads_read", "agents_message"]));
        let had: Vec<&str> = grants(&asking, &open).specs().iter().map(|spec| spec.name).collect();
        assert_eq!((had, withheld(&asking, &open)), (vec!["agents_message"], owned(&["threads_read"])));
        // A child that did not get a switched tool cannot give it to its own children by name.
        let middle = child(&root(&open, None), &open, &open, None);
        assert!(!grants(&middle, &open).has("send_to_tab"));
        let lowest = child(&middle, &open, &open, Some(&["send_to_tab"]));
        assert!(!grants(&lowest, &open).has("send_to_tab"));
    }

    #[test]
    fn a_tool_that_is_switched_off_is_withheld_where_its_parent_cannot_pass_it_on() {
        let par = definition(Some(&["native_read", "summon"]), None, None);
        let kid = definition(Some(&["native_read", "send_to_tab"]), None, None);
        let off = |session: &Session, of: &Definition| {
            withheld_by_parent(session, of, &Settings::default(), &BTreeSet::new())
        };
        for tools in [None, Some(&["send_to_tab", "read"][..])] {
            let session = child(&root(&par, None), &par, &kid, tools);
            assert_eq!(off(&session, &kid), ["send_to_tab"], "{tools:?}");
            assert_eq!(withheld(&session, &kid), ["send_to_tab"], "{tools:?}");
        }
        // Where it can, it comes with the setting.
        let built_in = Definition::built_in();
        for tools in [None, Some(&["send_to_tab"][..])] {
            assert_eq!(off(&child(&root(&built_in, None), &built_in, &kid, tools), &kid), [""; 0]);
        }
    }

    #[test]
    fn an_explicit_ceiling_and_the_built_in_leader_pass_on_more() {
        let leader = definition(Some(&["summon"]), Some(&["native_*"]), None);
        let writer = definition(Some(&["native_write"]), None, None);
        let session = child(&root(&leader, None), &leader, &writer, None);
        assert!(grants(&session, &writer).has("native_write") && withheld(&session, &writer).is_empty());
        let built_in = Definition::built_in();
        let mut session = root(&built_in, None);
        let seat = |leads| TeamSeat { team: "red".parse().unwrap(), agent: "lea".to_owned(), leads };
        session.profile.team = Some(Box::new(seat(true)));
        assert_eq!(Ceiling::of(&session, &built_in), Ceiling::default());
        session.profile.team = Some(Box::new(seat(false)));
        assert!(!Ceiling::of(&session, &built_in).admits("team_tmux_start"));
        let mut session = root(&leader, None);
        session.profile.team = Some(Box::new(seat(true)));
        assert!(!Ceiling::of(&session, &leader).admits("agents_message"), "its definition decides");
    }

    #[test]
    fn a_peer_is_used_as_it_is_when_people_named_it_and_trusted_it() {
        let named = Lists { allow: Some(vec![Glob::new("help*")]), deny: Vec::new() };
        let reader = Definition { agents: named, ..definition(Some(&["native_read"]), None, None) };
        let asked = |slug, is_trusted| Asked { slug, is_trusted };
        let session = root(&reader, None);
        let writes = |asked| Ceiling::of_asked(&session, &reader, asked).admits("native_write");
        assert!(writes(asked("helper", true)));
        assert!(!writes(asked("helper", false)), "the reader may have written it");
        assert!(!writes(asked("other", true)), "nobody named it");
        let below = child(&session, &reader, &reader, None);
        let passed = Ceiling::of_asked(&below, &reader, asked("helper", true));
        assert!(!passed.admits("native_write"), "no person started it");
    }

    #[test]
    fn a_child_is_never_freer_than_its_parent() {
        let built_in = Definition::built_in();
        let asking = root(&built_in, Some(Mode::Ask));
        let free = definition(Some(&["native_read"]), None, Some(Mode::Full));
        let session = child(&asking, &built_in, &free, None);
        assert_eq!(
            (session.profile.permissions, withheld(&session, &free)),
            (Mode::Ask, owned(&["permissions full"]))
        );
        let silent = definition(Some(&["native_read"]), None, None);
        let session = child(&asking, &built_in, &silent, None);
        assert_eq!((session.profile.permissions, withheld(&session, &silent).len()), (Mode::Ask, 0));
        let reading = definition(None, None, Some(Mode::ReadOnly));
        let session = child(&asking, &built_in, &reading, None);
        assert_eq!(session.profile.permissions, Mode::ReadOnly);
        assert_eq!(Ceiling::of(&session, &reading).mode, Mode::ReadOnly);
        // What a narrower mode takes away is withheld, too.
        let looking = root(&built_in, Some(Mode::ReadOnly));
        let session = child(&looking, &built_in, &silent, Some(&["edit"]));
        assert_eq!(withheld(&session, &silent), ["native_write"]);
    }

    #[test]
    fn a_provider_that_cannot_withhold_what_must_go_is_refused() {
        let reader = definition(Some(&["native_read"]), None, None);
        let above = Ceiling::of(&root(&reader, None), &reader);
        let outfit = above.outfit(&definition(None, None, None), None, Mode::Full);
        assert_eq!(outfit.check_provider("claude", &Power::ALL), Ok(()));
        let refused = outfit.check_provider("plain", &[Power::Net]).unwrap_err();
        assert_eq!(refused.powers, [Power::Write, Power::Shell]);
        let all = Definition::built_in();
        let outfit =
            Ceiling::of(&root(&all, None), &all).outfit(&definition(None, None, None), None, Mode::Full);
        assert_eq!(outfit.check_provider("plain", &[]), Ok(()));
    }

    fn any_definition() -> impl Strategy<Value = Definition> {
        let names = || {
            let all: Vec<&str> = REGISTRY.iter().map(|spec| spec.name).chain(["native_*", "*"]).collect();
            proptest::option::of(proptest::sample::subsequence(all, 0..8))
        };
        let mode = proptest::option::of(proptest::sample::select(Mode::ALL.to_vec()));
        let exposure = proptest::sample::select(vec![Exposure::Tools, Exposure::Skills, Exposure::Mixed]);
        (names(), names(), mode, exposure).prop_map(|(allow, ceiling, mode, exposure)| Definition {
            exposure,
            ..definition(allow.as_deref(), ceiling.as_deref(), mode)
        })
    }

    proptest! {
        #[test]
        fn nobody_below_has_or_passes_on_more(
            chain in proptest::collection::vec(any_definition(), 1..6),
            chosen in proptest::option::of(proptest::sample::select(Mode::ALL.to_vec())),
        ) {
            let mut parent = root(&chain[0], chosen);
            for pair in chain.windows(2) {
                let above = Ceiling::of(&parent, &pair[0]);
                let session = child(&parent, &pair[0], &pair[1], None);
                let (had, passed) = (grants(&session, &pair[1]), Ceiling::of(&session, &pair[1]));
                for spec in REGISTRY {
                    prop_assert!(above.admits(spec.name) || !had.has(spec.name), "{} is had", spec.name);
                    prop_assert!(above.admits(spec.name) || !passed.admits(spec.name), "{} is passed on", spec.name);
                    let own = had.has(spec.name) || is_harmless(spec) || is_explicit(spec, &pair[1]);
                    prop_assert!(own || !passed.admits(spec.name), "{} is not its own", spec.name);
                }
                prop_assert!(session.profile.permissions >= above.mode && passed.mode >= above.mode);
                parent = session;
            }
        }
    }
}
