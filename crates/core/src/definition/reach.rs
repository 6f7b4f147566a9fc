//! Which tools a definition reaches, by name, capability and plugin. A name that stands for none allows nothing, which is
//! a warning; among what is denied it would deny nothing, silently, which is an error.

use super::reader::Fields;
use super::words::{self, Odd};
use crate::glob::{Glob, Lists};
use crate::spelling::close;
use crate::tool::{Plugin, REGISTRY, Scope, TODO};

/// A list of names, with the lines that they stand on.
type Names = Vec<(String, usize)>;

/// What names are looked for among.
#[derive(Clone, Copy)]
enum Among {
    Tools,
    Capabilities,
    /// Plugins that can be skills.
    Plugins,
}

/// What a name says, and what it comes to.
struct Named {
    word: String,
    line: usize,
    globs: Vec<Glob>,
}

impl Among {
    fn noun(self) -> &'static str {
        match self {
            Self::Tools => "tool",
            Self::Capabilities => "capability",
            Self::Plugins => "plugin",
        }
    }

    /// Returns all that there are, each once.
    fn all(self) -> Vec<&'static str> {
        let mut all: Vec<&str> = match self {
            Self::Tools => REGISTRY.iter().map(|spec| spec.name).collect(),
            Self::Capabilities => REGISTRY.iter().flat_map(|spec| spec.capabilities).copied().collect(),
            Self::Plugins => Plugin::OPTIONAL.map(Plugin::id).to_vec(),
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    fn has(self, glob: &Glob) -> bool {
        match self {
            Self::Tools => REGISTRY.iter().any(|spec| glob.matches(spec.name)),
            Self::Capabilities => {
                REGISTRY.iter().flat_map(|spec| spec.capabilities).any(|name| glob.matches(name))
            }
            Self::Plugins => Plugin::OPTIONAL.iter().any(|plugin| glob.matches(plugin.id())),
        }
    }

    /// Says that a name stands for nothing, and what may be meant.
    fn unknown(self, word: &str) -> String {
        let (noun, all) = (self.noun(), self.all());
        let near = match all.iter().find(|name| close(name, word)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known: {}", all.join(", ")),
        };
        format!("unknown {noun} `{word}`; {near}")
    }
}

/// Reads what a definition lets its agents use.
pub(super) fn scope(fields: &mut Fields<'_>) -> Scope {
    let mut tools = Lists { allow: patterns(fields, "toolAllowlist", Among::Tools), deny: Vec::new() };
    let line = fields.line("tools");
    if let Some(mut own) = allowed(fields, "tools") {
        if tools.allow.is_some() {
            fields.error(line, "`tools` and `toolAllowlist` both set the allowed tools; keep one of them");
        }
        let todo = Glob::new(TODO);
        if !own.contains(&todo) {
            own.push(todo);
        }
        tools.allow = Some(own);
    }
    for name in ["toolDenylist", "disallowedTools"] {
        let Some(words) = fields.words(name) else { continue };
        let named = in_our_words(fields, words);
        for idle in named.iter().filter(|named| named.globs.is_empty()) {
            let message = format!("`{}` cannot be denied: every agent may ask and plan", idle.word);
            fields.warning(idle.line, message);
        }
        deny(fields, named, Among::Tools, &mut tools);
    }
    let allow = patterns(fields, "capabilityAllowlist", Among::Capabilities);
    let mut capabilities = Lists { allow, deny: Vec::new() };
    let words = fields.words("capabilityDenylist").unwrap_or_default();
    deny(fields, as_written(words), Among::Capabilities, &mut capabilities);
    Scope { tools, capabilities }
}

/// Reads which plugins an agent may use as skills. `skills` names them one by one, perhaps with a scope before a colon.
pub(super) fn skills(fields: &mut Fields<'_>) -> Lists {
    let mut lists = Lists { allow: patterns(fields, "skillAllowlist", Among::Plugins), deny: Vec::new() };
    let line = fields.line("skills");
    if let Some(words) = fields.words("skills") {
        if lists.allow.is_some() {
            fields.error(line, "`skills` and `skillAllowlist` both set the allowed skills; keep one of them");
        }
        let bare =
            |(word, line): (String, usize)| (word.rsplit(':').next().unwrap_or_default().to_owned(), line);
        lists.allow = Some(known_patterns(fields, words.into_iter().map(bare).collect(), Among::Plugins));
    }
    let words = fields.words("skillDenylist").unwrap_or_default();
    deny(fields, as_written(words), Among::Plugins, &mut lists);
    lists
}

/// Reads what a definition may pass on, which has two names.
pub(super) fn ceiling(fields: &mut Fields<'_>) -> Option<Vec<Glob>> {
    let line = fields.line("passOn");
    match (allowed(fields, "ceiling"), allowed(fields, "passOn")) {
        (Some(ceiling), Some(_)) => {
            fields.error(line, "`ceiling` and `passOn` mean the same; keep one of them");
            Some(ceiling)
        }
        (ceiling, pass_on) => ceiling.or(pass_on),
    }
}

/// Reads names of allowed tools, in the vocabulary of any harness.
pub(super) fn allowed(fields: &mut Fields<'_>, name: &'static str) -> Option<Vec<Glob>> {
    let words = fields.words(name)?;
    let mut all: Vec<Glob> = Vec::new();
    for Named { word, line, globs } in in_our_words(fields, words) {
        if globs.iter().any(|glob| !Among::Tools.has(glob)) {
            fields.warning(line, Among::Tools.unknown(&word));
        }
        add(&mut all, globs);
    }
    Some(all)
}

/// Reads patterns of what is allowed.
fn patterns(fields: &mut Fields<'_>, name: &'static str, among: Among) -> Option<Vec<Glob>> {
    let words = fields.words(name)?;
    Some(known_patterns(fields, words, among))
}

/// Turns names into patterns, and warns of those that match nothing.
fn known_patterns(fields: &mut Fields<'_>, words: Names, among: Among) -> Vec<Glob> {
    for (word, line) in &words {
        if !among.has(&Glob::new(word.clone())) {
            fields.warning(*line, among.unknown(word));
        }
    }
    words.into_iter().map(|(word, _)| Glob::new(word)).collect()
}

/// Adds what is denied. A file from elsewhere may take something from what is not here either (`notes_*`, but not
/// `notes_delete`): nothing is lost with that.
fn deny(fields: &mut Fields<'_>, named: Vec<Named>, among: Among, lists: &mut Lists) {
    let allow = lists.allow.as_deref().unwrap_or_default();
    let absent: Vec<&Glob> = allow.iter().filter(|glob| !among.has(glob)).collect();
    for Named { word, line, globs } in &named {
        if globs.iter().all(|glob| among.has(glob)) {
            continue;
        }
        let message = format!("this entry denies nothing: {}", among.unknown(word));
        if absent.iter().any(|glob| glob.matches(word)) {
            fields.warning(*line, message);
        } else {
            fields.error(*line, message);
        }
    }
    named.into_iter().for_each(|named| add(&mut lists.deny, named.globs));
}

/// Translates names of tools; leaves out those that mean nothing here.
fn in_our_words(fields: &mut Fields<'_>, words: Names) -> Vec<Named> {
    let mut named = Vec::new();
    for (word, line) in words {
        match words::oddity(&word) {
            Some(Odd::Narrowed) => {
                let bare = word.split('(').next().unwrap_or_default();
                fields.error(
                    line,
                    format!(
                        "`{word}` is not supported: name `{bare}` without arguments and use `permissions: \
                         ask` to decide each time"
                    ),
                );
            }
            Some(Odd::Foreign) => {
                fields.warning(
                    line,
                    format!("`{word}` belongs to your own MCP server; Paseo neither grants nor withholds it"),
                );
            }
            None => named.push(Named { globs: words::tools(std::slice::from_ref(&word)), word, line }),
        }
    }
    named
}

fn as_written(words: Names) -> Vec<Named> {
    let named = |(word, line): (String, usize)| Named { globs: vec![Glob::new(word.clone())], word, line };
    words.into_iter().map(named).collect()
}

fn add(all: &mut Vec<Glob>, globs: Vec<Glob>) {
    globs.into_iter().for_each(|glob| {
        if !all.contains(&glob) {
            all.push(glob);
        }
    });
}
