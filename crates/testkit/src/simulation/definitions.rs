//! Definitions, made from randomness, and what they come to.

use std::collections::BTreeSet;

use paseo_core::definition::{DEFAULT, Definition, Origin, Source};
use paseo_core::glob::{Glob, Lists};
use paseo_core::permission::Mode;
use paseo_core::session::Session;
use paseo_core::settings::{Key, Settings};
use paseo_core::tool::{Ceiling, Grants, Plugin, REGISTRY, Scope};

use super::random::Random;

/// What agents can follow, and what a person has switched on.
pub(super) struct Definitions {
    known: Vec<Definition>,
    settings: Settings,
    off: BTreeSet<Plugin>,
}

impl Definitions {
    pub(super) fn new(random: &mut Random) -> Self {
        let mut known = vec![Definition::built_in()];
        known.extend((0..4).map(|number| definition(&format!("d{number}"), random)));
        let on = Key::ALL.into_iter().filter(|_| random.percent(85)).collect();
        let off = Plugin::OPTIONAL.into_iter().filter(|_| random.percent(4)).collect();
        Self { known, settings: Settings { on, ..Settings::default() }, off }
    }

    /// Picks one.
    pub(super) fn pick(&self, random: &mut Random) -> &Definition {
        &self.known[random.below(self.known.len())]
    }

    /// Edits one of the files: its agents follow the new words from their next turn on.
    pub(super) fn edit(&mut self, random: &mut Random) {
        let place = 1 + random.below(self.known.len() - 1);
        self.known[place] = definition(&self.known[place].slug, random);
    }

    /// Switches something on or off.
    pub(super) fn switch(&mut self, random: &mut Random) {
        let key = Key::ALL[random.below(Key::ALL.len())];
        if self.settings.is_on(key) {
            self.settings.on.retain(|on| *on != key);
        } else {
            self.settings.on.push(key);
        }
    }

    /// Returns what a session may pass on now.
    pub(super) fn ceiling(&self, session: &Session) -> Ceiling {
        Ceiling::of(session, self.of(session))
    }

    /// Returns what a session may use now.
    pub(super) fn grants(&self, session: &Session) -> Grants {
        Grants::of(session, self.of(session), &self.settings, &self.off)
    }

    fn of(&self, session: &Session) -> &Definition {
        let slug = session.profile.slug();
        let found = self.known.iter().find(|definition| definition.slug == slug);
        found.expect("no definition is ever removed")
    }
}

/// Returns the slug as a session's record has it.
pub(super) fn recorded(definition: &Definition) -> Option<String> {
    Some(definition.slug.clone()).filter(|slug| slug != DEFAULT)
}

/// Picks tools by name, group and pattern, as somebody who asks for them would.
pub(super) fn tools(random: &mut Random) -> Option<Vec<String>> {
    random.percent(40).then(|| globs(random).into_iter().map(|glob| glob.as_str().to_owned()).collect())
}

fn definition(slug: &str, random: &mut Random) -> Definition {
    // Most let most things through, or nothing would ever happen.
    let allow = random.percent(40).then(|| globs(random));
    let deny = if random.percent(20) { vec![name(random)] } else { Vec::new() };
    let capabilities = if random.percent(10) { vec![Glob::new("native.*")] } else { Vec::new() };
    Definition {
        scope: Scope {
            tools: Lists { allow, deny },
            capabilities: Lists { allow: None, deny: capabilities },
        },
        ceiling: random.percent(30).then(|| globs(random)),
        permissions: mode(random),
        ..Definition::plain(slug, Source { origin: Origin::Home, file: None })
    }
}

/// Picks a permission mode, or none.
pub(super) fn mode(random: &mut Random) -> Option<Mode> {
    random.percent(30).then(|| Mode::ALL[random.below(Mode::ALL.len())])
}

fn globs(random: &mut Random) -> Vec<Glob> {
    let mut globs: Vec<Glob> = (0..random.below(6)).map(|_| name(random)).collect();
    // Who starts nobody makes a dull run.
    if random.percent(60) {
        globs.push(Glob::new("summon"));
    }
    globs
}

fn name(random: &mut Random) -> Glob {
    const PATTERNS: [&str; 5] = ["*", "native_*", "agents_*", "read", "bash"];
    match random.below(3) {
        0 => Glob::new(PATTERNS[random.below(PATTERNS.len())]),
        _ => Glob::new(REGISTRY[random.below(REGISTRY.len())].name),
    }
}
