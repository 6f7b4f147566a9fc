//! `[external]` in `config.toml`: which hosts of external agents may have a private address.

use std::collections::BTreeSet;

use paseo_core::address;
use serde::Deserialize;

use crate::failure::Failure;

/// What may be set.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct External {
    #[serde(default)]
    allow: Vec<String>,
}

impl External {
    /// Returns the hosts, as they stand in addresses.
    pub(super) fn hosts(&self) -> Result<BTreeSet<String>, Failure> {
        let read = |text: &String| {
            address::listed(text).ok_or_else(|| {
                Failure::usage(format!("`{text}` (external.allow in config.toml) is not a host"))
                    .hint("use a name or an address, for example \"agents.internal\" or \"10.0.0.5\"")
            })
        };
        self.allow.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_and_addresses() {
        let of = |allow: &[&str]| {
            External { allow: allow.iter().map(|host| (*host).to_owned()).collect() }.hosts()
        };
        let hosts = of(&["Agents.Internal", "10.0.0.5", "fd12::1"]).unwrap();
        assert_eq!(hosts.into_iter().collect::<Vec<_>>(), ["10.0.0.5", "[fd12::1]", "agents.internal"]);
        for wrong in ["", "http://a", "10.0.0.0/8", "*.internal", "a:80"] {
            let failure = of(&[wrong]).unwrap_err();
            assert!(
                failure.message.contains("(external.allow in config.toml) is not a host"),
                "{}",
                failure.message
            );
        }
    }
}
