//! Whether someone is logged in, as far as files and the environment tell.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::spawn::HOME_VARIABLE;
use crate::plain_file;

/// Variables with a key for the models of OpenAI.
const KEYS: [&str; 2] = ["OPENAI_API_KEY", "CODEX_API_KEY"];

/// Returns where codex keeps its login.
pub(super) fn home(isolated_home: Option<&Path>) -> Option<PathBuf> {
    let chosen = env::var_os(HOME_VARIABLE).filter(|home| !home.is_empty()).map(PathBuf::from);
    let default = || env::home_dir().map(|home| home.join(".codex"));
    isolated_home.map(Path::to_owned).or(chosen).or_else(default)
}

/// Says whether there is any sign of a login.
pub(super) fn is_there(home: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let Some(home) = home else { return KEYS.into_iter().any(set) };
    let config = plain_file::read_to_string(&home.join("config.toml")).unwrap_or_default();
    home.join("auth.json").exists()
        || KEYS.into_iter().any(set)
        || own_provider(&config).is_some_and(|key| match key {
            Key::Variable(name) => set(&name),
            Key::None => true,
        })
}

/// How a model server of the user's own wants to be asked.
#[derive(Debug, PartialEq, Eq)]
enum Key {
    Variable(String),
    /// With a login that is written down elsewhere, or none at all.
    None,
}

/// Returns what the configured model server wants; `None` when that is OpenAI's.
///
/// Reads the few lines that matter: what it does not understand only makes a hint appear that is not needed.
fn own_provider(config: &str) -> Option<Key> {
    let mut section = "";
    let mut settings = Vec::new();
    for line in config.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.split(']').next().unwrap_or_default().trim();
        } else if let Some((name, value)) = line.split_once('=') {
            settings.push((section, name.trim(), unquoted(value)));
        }
    }
    let find = |section: &str, name: &str| {
        settings.iter().find(|setting| setting.0 == section && setting.1 == name).map(|setting| setting.2)
    };
    let provider = find("", "model_provider")?;
    let section = [format!("model_providers.{provider}"), format!("model_providers.\"{provider}\"")]
        .into_iter()
        .find(|section| settings.iter().any(|setting| setting.0 == section))?;
    if find(&section, "requires_openai_auth") == Some("true") {
        return None;
    }
    Some(find(&section, "env_key").map_or(Key::None, |name| Key::Variable(name.to_owned())))
}

/// Returns a value without its quotes and the comment after it.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split('#').next().unwrap_or_default().trim(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const OWN: &str = "model = \"m\"\nmodel_provider = \"mine\" # local\n[model_providers.mine]\n\
        base_url = \"http://127.0.0.1:1/v1\"\nenv_key = 'MY_KEY'\n";

    fn seen(config: &str, files: &[&str], variables: &[&str]) -> bool {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("config.toml"), config).unwrap();
        files.iter().for_each(|file| fs::write(home.path().join(file), "{}").unwrap());
        is_there(Some(home.path()), |name| variables.contains(&name).then(|| "x".into()))
    }

    #[test]
    fn any_sign_of_a_login_will_do() {
        assert!(!seen("", &[], &[]));
        assert!(seen("", &["auth.json"], &[]));
        assert!(seen("", &[], &["OPENAI_API_KEY"]));
        assert!(seen("", &[], &["CODEX_API_KEY"]));
        assert!(!is_there(None, |_| None));
    }

    #[test]
    fn a_model_server_of_ones_own_wants_its_own_key_or_none() {
        assert!(!seen(OWN, &[], &[]));
        assert!(seen(OWN, &[], &["MY_KEY"]));
        assert!(seen(&OWN.replace("env_key", "# env_key"), &[], &[]));
        assert!(!seen(&format!("{OWN}requires_openai_auth = true\n"), &[], &["MY_KEY"]));
        assert!(!seen("model_provider = \"gone\"\n", &[], &["MY_KEY"]));
    }
}
