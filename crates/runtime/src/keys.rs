//! Keys: with what a model is paid for, and where the harness of its provider looks for that.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use crate::provider::StartError;

/// Where codex is told its key. On its own it is ignored: see `codex::spawn`.
pub const CODEX_KEY: &str = "OPENAI_API_KEY";
/// Where codex is told the server of that key.
pub const CODEX_URL: &str = "OPENAI_BASE_URL";

/// The providers whose harnesses take a key.
pub const PROVIDERS: [&str; 2] = ["claude", "codex"];

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
        let secret = match &self.secret {
            Secret::Variable(name) => {
                variable(name).and_then(|value| value.into_string().ok()).ok_or_else(|| {
                    unreadable(
                        format!("the variable {name} is not set"),
                        "set it where the daemon is started, then `paseo restart`",
                    )
                })?
            }
            Secret::File(path) => {
                let mut text = String::new();
                File::open(path).and_then(|file| file.take(SECRET_BYTES).read_to_string(&mut text)).map_err(
                    |error| {
                        unreadable(
                            format!("{} cannot be read: {error}", path.display()),
                            "put the key into that file, and nothing else",
                        )
                    },
                )?;
                text
            }
        };
        match secret.trim() {
            "" => Err(unreadable("it is empty".to_owned(), "see `[[keys]]` in config.toml")),
            secret => Ok(variables(&self.provider, secret, self.base_url.as_deref())),
        }
    }
}

/// Returns the variables in which a provider's harness finds a key. What would win over it is emptied.
pub fn variables(provider: &str, secret: &str, base_url: Option<&str>) -> Vec<(String, String)> {
    let (key, url, others): (_, _, &[&str]) = match provider {
        "claude" => {
            ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", &["ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"])
        }
        "codex" => (CODEX_KEY, CODEX_URL, &[]),
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
        assert!(PROVIDERS.iter().all(|provider| !variables(provider, "s", None).is_empty()));
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
        assert!(from(Secret::File(path.clone())).unwrap_err().message.contains("cannot be read"));
        std::fs::write(&path, "\n").unwrap();
        assert_eq!(from(Secret::File(path.clone())).unwrap_err().message, "it is empty");
        std::fs::write(&path, "s\n").unwrap();
        assert_eq!(from(Secret::File(path)).unwrap()[0].1, "s");
    }
}
