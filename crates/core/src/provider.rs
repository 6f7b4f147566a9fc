//! Agents that people add by a command: kinds of their own, beside those that are built in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::definition;
use crate::limits::PAGE_ROWS;

/// The longest name.
pub const NAME_CHARS: usize = 32;
/// The longest word of a command, and of a variable.
const WORD_CHARS: usize = 4_096;
/// How many words a command has at most, and how many variables.
const WORDS: usize = 64;

/// Names that mean something else, beside those of providers.
const RESERVED: [&str; 4] = ["acp", "external", "none", "default"];

/// An agent that someone added: a command that speaks the Agent Client Protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// Program and arguments.
    pub command: Vec<String>,
    /// The agent whose ways it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Its own mode in which it may do everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// It asks before it changes anything, as the person says who added it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
    /// Set in its environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
}

/// Why an agent cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("invalid provider name `{}`: use at most {NAME_CHARS} of a-z, 0-9 and `-`, starting with a letter", shown(.0))]
    Name(String),
    #[error("`{0}` is a built-in provider; choose another name")]
    BuiltIn(String),
    #[error("missing command: give the program and its arguments after `--`")]
    NoCommand,
    #[error("`{}` is a relative path, but agents run in many directories; use the program's absolute path", shown(.0))]
    Relative(String),
    #[error("a command may have at most {WORDS} words of {WORD_CHARS} characters, without NUL bytes")]
    Command,
    #[error("invalid variable name `{}`", shown(.0))]
    Variable(String),
    #[error("unknown preset `{}`; known: {presets}", shown(.name))]
    Preset { name: String, presets: String },
    #[error("limit reached: {PAGE_ROWS} providers have been added")]
    Many,
}

/// Says whether this could be the name of a provider.
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.len() <= NAME_CHARS && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)
}

/// Says whether a program is named by a path that means another file in each directory. A bare name is looked for on
/// the `PATH`.
pub fn is_relative(program: &str) -> bool {
    program.contains('/') && !program.starts_with('/')
}

/// Checks an agent before it is added, with the names of the presets that there are.
pub fn check(name: &str, added: &Added, presets: &[&str]) -> Result<(), Refused> {
    if !is_name(name) {
        return Err(Refused::Name(name.to_owned()));
    }
    if definition::provider(name).is_some() || RESERVED.contains(&name) {
        return Err(Refused::BuiltIn(name.to_owned()));
    }
    if let Some(preset) = added.preset.as_ref().filter(|preset| !presets.contains(&preset.as_str())) {
        return Err(Refused::Preset { name: preset.clone(), presets: presets.join(", ") });
    }
    if added.command.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(Refused::NoCommand);
    }
    if let Some(program) = added.command.first().filter(|program| is_relative(program)) {
        return Err(Refused::Relative(program.clone()));
    }
    let values = added.environment.values();
    let words = added.command.iter().chain(values).chain(&added.mode);
    let fits = |word: &String| word.chars().count() <= WORD_CHARS && !word.contains('\0');
    if added.command.len() > WORDS || added.environment.len() > WORDS || !words.into_iter().all(fits) {
        return Err(Refused::Command);
    }
    // What marks our own processes is ours.
    let odd = |name: &&String| {
        name.is_empty() || name.len() > 128 || name.contains(['=', '\0']) || name.starts_with("PASEO_")
    };
    match added.environment.keys().find(odd) {
        Some(name) => Err(Refused::Variable(name.clone())),
        None => Ok(()),
    }
}

fn shown(typed: &str) -> String {
    typed.chars().take(60).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn added(command: &[&str]) -> Added {
        Added { command: command.iter().map(|word| (*word).to_owned()).collect(), ..Added::default() }
    }

    #[test]
    fn names_are_plain_and_nobody_elses() {
        let refused = |name: &str| check(name, &added(&["agent"]), &[]).unwrap_err();
        for name in ["", "A", "a b", "../x", "-x", "1a", "a_b", &"a".repeat(33)] {
            assert_eq!(refused(name), Refused::Name(name.to_owned()));
        }
        for name in ["claude", "claude-code", "scripted", "acp", "external"] {
            assert_eq!(refused(name), Refused::BuiltIn(name.to_owned()));
        }
        for program in ["./agent", "bin/agent", "../agent"] {
            let refused = check("a", &added(&[program]), &[]);
            assert_eq!(refused, Err(Refused::Relative(program.to_owned())));
        }
        assert_eq!(check("a", &added(&["/opt/agent"]), &[]), Ok(()));
        assert_eq!(check("my-agent-2", &added(&["agent", "--acp"]), &[]), Ok(()));
    }

    #[test]
    fn a_command_a_preset_and_variables_make_sense() {
        let presets = ["opencode"];
        assert_eq!(check("x", &added(&[]), &presets), Err(Refused::NoCommand));
        assert_eq!(check("x", &added(&[" "]), &presets), Err(Refused::NoCommand));
        assert_eq!(check("x", &added(&["a", "\0"]), &presets), Err(Refused::Command));
        let other = Added { preset: Some("nobody".into()), ..added(&["a"]) };
        assert!(check("x", &other, &presets).unwrap_err().to_string().ends_with("known: opencode"));
        for name in ["", "A=B", "PASEO_TOKEN"] {
            let set = Added { environment: [(name.to_owned(), "1".to_owned())].into(), ..added(&["a"]) };
            assert_eq!(check("x", &set, &presets), Err(Refused::Variable(name.to_owned())));
        }
    }

    proptest! {
        #[test]
        fn no_name_gets_out_of_a_path_or_a_line(name in ".*") {
            if is_name(&name) {
                prop_assert!(!name.contains(['/', '.', '\n', ' ']) && !name.is_empty());
            }
        }
    }
}
