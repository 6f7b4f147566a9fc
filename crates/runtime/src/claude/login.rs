//! Whether claude is logged in, as far as files and the environment show it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::spawn::CONFIG_VARIABLE;
use crate::plain_file;

/// Variables that stand for a login.
const VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
];

/// Says whether there is a login.
pub(super) fn found(isolated_home: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if VARIABLES.iter().any(|name| set(name).is_some()) {
        return true;
    }
    let home = set("HOME").map(PathBuf::from).unwrap_or_default();
    let chosen = isolated_home.map(Path::to_owned).or_else(|| set(CONFIG_VARIABLE).map(PathBuf::from));
    // Without a directory of its own, one file lies beside it.
    let account = chosen.as_deref().unwrap_or(&home).join(".claude.json");
    let directory = chosen.unwrap_or_else(|| home.join(".claude"));
    directory.join(".credentials.json").is_file()
        || has(&account, &["oauthAccount", "primaryApiKey"])
        || has(&directory.join("settings.json"), &["apiKeyHelper"])
        || sets_variable(&directory.join("settings.json"))
}

fn has(path: &Path, fields: &[&str]) -> bool {
    let value = read(path);
    fields.iter().any(|field| value.get(field).is_some_and(|value| !value.is_null()))
}

/// Says whether the settings hold one of the variables.
fn sets_variable(settings: &Path) -> bool {
    let value = read(settings);
    value.get("env").is_some_and(|set| VARIABLES.iter().any(|name| set.get(name).is_some()))
}

fn read(path: &Path) -> Value {
    plain_file::read_to_string(path)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn with(home: &Path, variables: &[(&str, &str)]) -> bool {
        let variables: Vec<(String, OsString)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.into()))
            .chain([("HOME".to_owned(), home.as_os_str().to_owned())])
            .collect();
        found(None, |name| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
    }

    #[test]
    fn a_variable_is_a_login_unless_it_is_empty() {
        let home = tempfile::tempdir().unwrap();
        assert!(!with(home.path(), &[]));
        assert!(!with(home.path(), &[("ANTHROPIC_API_KEY", "")]));
        for name in VARIABLES {
            assert!(with(home.path(), &[(name, "x")]), "{name}");
        }
    }

    #[test]
    fn files_of_the_home_are_a_login() {
        let logins = [
            (".claude/.credentials.json", "{}"),
            (".claude.json", r#"{"oauthAccount":{}}"#),
            (".claude/settings.json", r#"{"apiKeyHelper":"get-key"}"#),
            (".claude/settings.json", r#"{"env":{"ANTHROPIC_AUTH_TOKEN":"x"}}"#),
        ];
        for (path, text) in logins {
            let home = tempfile::tempdir().unwrap();
            fs::create_dir(home.path().join(".claude")).unwrap();
            fs::write(home.path().join(".claude.json"), r#"{"oauthAccount":null}"#).unwrap();
            assert!(!with(home.path(), &[]));
            fs::write(home.path().join(path), text).unwrap();
            assert!(with(home.path(), &[]), "{path}");
        }
    }

    #[test]
    fn a_configuration_of_its_own_replaces_both_places() {
        let (home, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(home.path().join(".claude.json"), r#"{"oauthAccount":{}}"#).unwrap();
        let variable = |name: &str| (name == "HOME").then(|| home.path().as_os_str().to_owned());
        assert!(found(None, variable));
        assert!(!found(Some(own.path()), variable));
        fs::write(own.path().join(".claude.json"), r#"{"oauthAccount":{}}"#).unwrap();
        assert!(found(Some(own.path()), variable));
    }
}
