//! Keys: with what a model is paid for, and where the harness of its provider looks for that.

use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;

use crate::plain_file;
use crate::provider::{Access, StartError};

/// Where codex is told its key. On its own it is ignored: see `codex::spawn`.
pub const CODEX_KEY: &str = "OPENAI_API_KEY";
/// Where codex is told the server of that key.
pub const CODEX_URL: &str = "OPENAI_BASE_URL";

/// With what the users of Claude Code log in.
const CLAUDE_LOGINS: [&str; 3] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

/// Where pi is told its key. It gets it in the variable of the server that its model names: see `pi::spawn`.
pub const PI_KEY: &str = "PASEO_PI_KEY";
/// Where pi is told the server of that key.
pub const PI_URL: &str = "PASEO_PI_URL";

/// The providers whose harnesses take a key.
pub const PROVIDERS: [&str; 5] = ["claude", "codex", "pi", "openai", "openai-compatible"];

/// Those of them that try one model and key after the other by themselves. They are told all of them, and find none
/// in their environment.
pub const CHAINS: [&str; 2] = ["openai", "openai-compatible"];

/// The longest secret that is read.
const SECRET_BYTES: u64 = 16 * 1024;

/// A key that a person has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// One of [`PROVIDERS`].
    pub provider: String,
    pub secret: Secret,
    /// The server that it is for, when that is not the provider's own.
    pub base_url: Option<String>,
}

/// Where the secret is. Only ever read when a process is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Secret {
    /// In a variable of the daemon's environment.
    Variable(String),
    File(PathBuf),
}

impl Key {
    /// Returns what the harness must find in its environment. `variable` looks one up in ours.
    pub fn environment(
        &self,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Vec<(String, String)>, StartError> {
        if CHAINS.contains(&self.provider.as_str()) {
            return Ok(Vec::new());
        }
        let secret = self.read(variable)?;
        Ok(variables(&self.provider, &secret, self.base_url.as_deref()))
    }

    /// Returns what those are told that choose by themselves. `id` is the name that people gave it.
    pub fn access(
        &self,
        id: &str,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Access, StartError> {
        let secret = self.read(variable)?;
        Ok(Access { key: id.to_owned(), secret, base_url: self.base_url.clone() })
    }

    fn read(&self, variable: impl Fn(&str) -> Option<OsString>) -> Result<String, StartError> {
        let secret = match &self.secret {
            Secret::Variable(name) => {
                variable(name).and_then(|value| value.into_string().ok()).ok_or_else(|| {
                    unreadable(
                        format!("the variable {name} is not set"),
                        "set it in the daemon's environment, then run `paseo restart`",
                    )
                })?
            }
            Secret::File(path) => {
                let mut text = String::new();
                plain_file::open(path)
                    .and_then(|file| file.take(SECRET_BYTES).read_to_string(&mut text))
                    .map_err(|error| {
                        unreadable(
                            format!("cannot read {}: {error}", path.display()),
                            "store the key in a regular, readable file that contains nothing else",
                        )
                    })?;
                text
            }
        };
        match secret.trim() {
            "" => Err(unreadable("it is empty".to_owned(), "check `[[keys]]` in config.toml")),
            secret => Ok(secret.to_owned()),
        }
    }
}

/// Returns which variables of the daemon the harness of a provider does not find in its environment: those of the keys
/// that people have set, which may be for others, and those that only our own agents are paid with.
///
/// What the launch itself brings is not taken away.
pub fn withheld<'a>(provider: &str, keys: impl IntoIterator<Item = &'a Key>) -> Vec<String> {
    // With these their users log in.
    let own: &[&str] = match provider {
        "claude" => &CLAUDE_LOGINS,
        "codex" => &[CODEX_KEY],
        _ => &[],
    };
    let named = keys.into_iter().filter_map(|key| match &key.secret {
        Secret::Variable(name) => Some(name.as_str()),
        Secret::File(_) => None,
    });
    let mut names: Vec<&str> = named.filter(|name| !own.contains(name)).collect();
    names.push("OPENAI_COMPATIBLE_API_KEY");
    // Codex, pi and the agents that speak ACP may be logged in with it.
    if matches!(provider, "claude" | "openai" | "openai-compatible" | "scripted") {
        names.push("OPENAI_API_KEY");
    }
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}

/// Returns the variables in which a provider's harness finds a key. What would win over it is emptied.
pub fn variables(provider: &str, secret: &str, base_url: Option<&str>) -> Vec<(String, String)> {
    let (key, url, others): (_, _, &[&str]) = match provider {
        "claude" => {
            ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", &["ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"])
        }
        "codex" => (CODEX_KEY, CODEX_URL, &[]),
        "pi" => (PI_KEY, PI_URL, &[]),
        _ => return Vec::new(),
    };
    let key = (key.to_owned(), secret.to_owned());
    let url = base_url.map(|base_url| (url.to_owned(), base_url.to_owned()));
    let others = others.iter().map(|name| ((*name).to_owned(), String::new()));
    std::iter::once(key).chain(url).chain(others).collect()
}

fn unreadable(why: String, hint: &str) -> StartError {
    StartError { message: why, hint: Some(hint.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(secret: Secret) -> Key {
        Key { provider: "claude".to_owned(), secret, base_url: Some("http://127.0.0.1:1".to_owned()) }
    }

    #[test]
    fn each_provider_finds_it_where_it_looks() {
        let found = variables("claude", "s", Some("http://u"));
        assert_eq!(found[0], ("ANTHROPIC_API_KEY".to_owned(), "s".to_owned()));
        assert_eq!(found[1], ("ANTHROPIC_BASE_URL".to_owned(), "http://u".to_owned()));
        assert!(found.contains(&("ANTHROPIC_AUTH_TOKEN".to_owned(), String::new())));
        assert_eq!(variables("codex", "s", None), [(CODEX_KEY.to_owned(), "s".to_owned())]);
        for provider in PROVIDERS {
            assert_eq!(variables(provider, "s", None).is_empty(), CHAINS.contains(&provider), "{provider}");
        }
    }

    #[test]
    fn nobody_finds_the_keys_of_others() {
        let named = |name: &str| key(Secret::Variable(name.to_owned()));
        let keys = [named("WORK_KEY"), named("ANTHROPIC_API_KEY"), key(Secret::File("/k".into()))];
        let (anthropic, compatible) = ("ANTHROPIC_API_KEY", "OPENAI_COMPATIBLE_API_KEY");
        for (provider, expected) in [
            ("openai", vec![anthropic, "OPENAI_API_KEY", compatible, "WORK_KEY"]),
            ("openai-compatible", vec![anthropic, "OPENAI_API_KEY", compatible, "WORK_KEY"]),
            ("claude", vec!["OPENAI_API_KEY", compatible, "WORK_KEY"]),
            ("codex", vec![anthropic, compatible, "WORK_KEY"]),
            ("pi", vec![anthropic, compatible, "WORK_KEY"]),
            ("opencode", vec![anthropic, compatible, "WORK_KEY"]),
        ] {
            assert_eq!(withheld(provider, &keys), expected, "{provider}");
        }
        // The user's own login, until a key is set to be it.
        assert!(withheld("opencode", &[named("OPENAI_API_KEY")]).contains(&"OPENAI_API_KEY".to_owned()));
        assert!(!withheld("codex", &[named("OPENAI_API_KEY")]).contains(&"OPENAI_API_KEY".to_owned()));
    }

    #[test]
    fn who_chooses_by_itself_is_told_and_finds_nothing_in_its_environment() {
        let key = Key { provider: "openai".to_owned(), ..key(Secret::Variable("KEY".to_owned())) };
        let variable = |name: &str| (name == "KEY").then(|| OsString::from("s"));
        assert_eq!(key.environment(variable), Ok(Vec::new()));
        let access = key.access("work", variable).unwrap();
        assert_eq!((access.key.as_str(), access.secret.as_str()), ("work", "s"));
        assert_eq!(access.base_url.as_deref(), Some("http://127.0.0.1:1"));
        assert!(!format!("{access:?}").contains("\"s\""));
    }

    #[test]
    fn a_secret_comes_from_a_variable_or_a_file() {
        let variable = |name: &str| (name == "KEY").then(|| OsString::from(" s\n"));
        let from = |secret| key(secret).environment(variable);
        assert_eq!(from(Secret::Variable("KEY".to_owned())).unwrap()[0].1, "s");
        let missing = from(Secret::Variable("NONE".to_owned())).unwrap_err();
        assert_eq!(missing.message, "the variable NONE is not set");
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        assert!(from(Secret::File(path.clone())).unwrap_err().message.contains("cannot read"));
        std::fs::write(&path, "\n").unwrap();
        assert_eq!(from(Secret::File(path.clone())).unwrap_err().message, "it is empty");
        std::fs::write(&path, "s\n").unwrap();
        assert_eq!(from(Secret::File(path)).unwrap()[0].1, "s");
    }
}
