//! What models are paid with. Says where a key is, never what it is.

use std::ffi::OsString;

use paseo_runtime::keys::{Key, Secret};

use crate::settings::Settings;
use paseo_wire::diagnosis::Check;

/// Looks at each of the keys in config.toml. `variable` looks one up in our environment, which may not be the
/// daemon's.
pub(super) fn examine(settings: &Settings, variable: impl Fn(&str) -> Option<OsString>) -> Vec<Check> {
    settings.keys.iter().map(|(id, key)| check(id, key, &variable)).collect()
}

fn check(id: &str, key: &Key, variable: impl Fn(&str) -> Option<OsString>) -> Check {
    let name = format!("key {id}");
    let place = match &key.secret {
        Secret::Variable(name) => format!("the variable {name}"),
        Secret::File(path) => path.display().to_string(),
    };
    let found = format!("for {}, from {place}", key.provider);
    match key.access(id, variable) {
        Ok(_) => Check::ok(name, found),
        Err(error) => {
            Check::warn(name, format!("{found}: {}", error.message), error.hint.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paseo_wire::words::Verdict;

    #[test]
    fn a_key_is_found_or_said_to_be_missing_and_never_shown() {
        let key = |secret| Key { provider: "openai".into(), secret, base_url: None };
        let set = |name: &str| (name == "SET").then(|| OsString::from("sk-secret"));
        let found = check("work", &key(Secret::Variable("SET".into())), set);
        assert_eq!((found.name.as_str(), found.verdict), ("key work", Verdict::Ok));
        assert_eq!(found.found, "for openai, from the variable SET");
        let missing = check("work", &key(Secret::Variable("GONE".into())), set);
        assert_eq!(missing.verdict, Verdict::Warn);
        assert!(missing.found.ends_with("the variable GONE is not set"), "{missing:?}");
        let file = check("work", &key(Secret::File("/nowhere/key".into())), set);
        assert!(file.found.contains("cannot read /nowhere/key"), "{file:?}");
    }
}
