//! `[[keys]]` in `config.toml`: with what models are paid for.

use std::collections::BTreeMap;

use paseo_runtime::keys::{self, Key, Secret};
use serde::Deserialize;

use super::path;
use crate::failure::Failure;

/// A key, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    id: String,
    provider: String,
    env: Option<String>,
    file: Option<String>,
    base_url: Option<String>,
}

/// Checks the keys, and finds out where their secrets are.
pub(super) fn read(entries: Vec<Entry>) -> Result<BTreeMap<String, Key>, Failure> {
    let mut keyring = BTreeMap::new();
    for Entry { id, provider, env, file, base_url } in entries {
        let wrong = |what: String| Failure::usage(format!("the key `{id}` (keys in config.toml) {what}"));
        let known = paseo_core::definition::provider(&provider).filter(|name| keys::PROVIDERS.contains(name));
        let Some(provider) = known else {
            return Err(wrong(format!("is for `{provider}`, which takes no keys"))
                .hint(format!("providers with keys: {}", keys::PROVIDERS.join(", "))));
        };
        let secret = match (env, file) {
            (Some(name), None) => Secret::Variable(name),
            (None, Some(text)) => {
                Secret::File(path(&text, &format!("file of the key `{id}` in config.toml"))?)
            }
            _ => {
                return Err(wrong("needs either `env` or `file` as the source of its secret".to_owned())
                    .hint("add env = \"NAME_OF_A_VARIABLE\" or file = \"~/path/to/a/file\""));
            }
        };
        if let Some(url) =
            base_url.as_ref().filter(|url| !url.starts_with("https://") && !url.starts_with("http://"))
        {
            return Err(
                wrong(format!("has an invalid base_url `{url}`")).hint("start it with https:// or http://")
            );
        }
        let key = Key { provider: provider.to_owned(), secret, base_url };
        if keyring.insert(id.clone(), key).is_some() {
            return Err(wrong("is defined twice".to_owned()).hint("give each key its own id"));
        }
    }
    Ok(keyring)
}
