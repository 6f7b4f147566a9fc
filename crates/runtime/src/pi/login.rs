//! Whether a model can be asked, as far as files and the environment tell.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::spawn::HOME_VARIABLE;
use crate::plain_file;

/// Variables with a key for one of the model servers that pi knows.
const KEYS: [&str; 14] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_OAUTH_TOKEN",
    "OPENAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "CEREBRAS_API_KEY",
    "XAI_API_KEY",
    "OPENROUTER_API_KEY",
    "AI_GATEWAY_API_KEY",
    "ZAI_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "HF_TOKEN",
];

/// Says whether there is any sign of a login: one of pi's own, a model server of the user's, or a key.
pub(super) fn is_there(isolated_home: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if KEYS.iter().any(|name| set(name).is_some()) {
        return true;
    }
    let chosen = isolated_home.map(Path::to_owned).or_else(|| set(HOME_VARIABLE).map(PathBuf::from));
    let usual = || set("HOME").map(|home| PathBuf::from(home).join(".pi/agent"));
    let Some(home) = chosen.or_else(usual) else { return false };
    let some = |value: Value| value.as_object().is_some_and(|entries| !entries.is_empty());
    // Pi writes an empty one when it is started.
    some(read(&home.join("auth.json"))) || some(read(&home.join("models.json"))["providers"].take())
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

    fn seen(files: &[(&str, &str)], variables: &[&str]) -> bool {
        let home = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(home.path().join(name), text).unwrap());
        is_there(Some(home.path()), |name| variables.contains(&name).then(|| "x".into()))
    }

    #[test]
    fn any_sign_of_a_login_will_do() {
        assert!(!seen(&[], &[]));
        assert!(!seen(&[("auth.json", "{}"), ("models.json", r#"{"providers":{}}"#)], &[]));
        assert!(seen(&[("auth.json", r#"{"anthropic":{"type":"oauth"}}"#)], &[]));
        assert!(seen(&[("models.json", r#"{"providers":{"mine":{}}}"#)], &[]));
        assert!(seen(&[], &["GEMINI_API_KEY"]));
        assert!(!seen(&[("auth.json", "half a fi")], &["SOMETHING_ELSE"]));
        assert!(!is_there(None, |_| None));
    }

    #[test]
    fn the_users_own_directory_is_looked_at_unless_another_is_chosen() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".pi/agent")).unwrap();
        fs::write(home.path().join(".pi/agent/auth.json"), r#"{"openai":{}}"#).unwrap();
        let named = |wanted: &'static str, path: PathBuf| {
            move |name: &str| (name == wanted).then(|| path.clone().into_os_string())
        };
        assert!(is_there(None, named("HOME", home.path().to_owned())));
        assert!(is_there(None, named(HOME_VARIABLE, home.path().join(".pi/agent"))));
        assert!(!is_there(Some(Path::new("/nowhere")), named("HOME", home.path().to_owned())));
    }
}
