//! The configuration under which git starts no program that a repository chose.
//!
//! A repository's own configuration (`.git/config`, what it includes, `config.worktree`) may come out of an
//! archive, or from an agent. The user's and the system's are the user's own words.
//!
//! **Filters.** A smudge or clean filter that the user's configuration defines runs: that is how Git LFS works.
//! One that the repository's own configuration defines, or redefines, does not; files are then checked out and
//! archived as they stand in the repository. So after `git lfs install --local` or `git-crypt unlock` a worktree
//! holds pointers or ciphertext until someone who trusts the repository says otherwise, globally.

use std::collections::{BTreeMap, BTreeSet};

/// Holds for every command.
///
/// There is nothing here about external diffs and textconv, as no command of ours makes a diff.
pub(super) const FIXED: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    // A directory that only looks like a repository is not taken for one: its configuration would count.
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "maintenance.auto=false",
    "color.ui=false",
    "commit.gpgSign=false",
    "submodule.recurse=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    // An archive is whole or is not made; line endings are no reason against it.
    "add.ignoreErrors=false",
    "core.safecrlf=false",
];

/// Keys that name programs which git, or a filter that the user allowed, would start.
const PROGRAMS: &[&str] = &[
    "filter.",
    "credential.",
    "core.sshcommand",
    "core.gitproxy",
    "core.askpass",
    "lfs.customtransfer.",
    "lfs.extension.",
];

fn names_a_program(key: &str) -> bool {
    PROGRAMS.iter().any(|program| key.starts_with(program))
        // Also for one server only: `lfs.<url>.standalonetransferagent`.
        || (key.starts_with("lfs.") && key.ends_with(".standalonetransferagent"))
}

/// Returns the settings that put the user's words over the repository's, as `key=value`.
///
/// `listing` is what `git config --list --show-scope -z` says. `Err` names a key that cannot be overridden.
pub(super) fn overrides(listing: &[u8]) -> Result<Vec<String>, String> {
    let mut trusted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut untrusted = BTreeSet::new();
    let mut hooks = BTreeSet::new();
    let mut parts = listing.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        let (key, value) = entry.split_once('\n').unwrap_or((&entry, "true"));
        if let Some(hook) = hook_name(key) {
            hooks.insert(hook.to_owned());
        }
        if !names_a_program(key) {
            continue;
        }
        match &*scope {
            "system" | "global" => trusted.entry(key.to_owned()).or_default().push(value.to_owned()),
            // Ours, from the command line.
            "command" => {}
            // Local, worktree, and whatever there may be one day.
            _ => {
                untrusted.insert(key.to_owned());
            }
        }
    }
    let mut settings = Vec::new();
    for key in untrusted {
        // `-c` splits at the first `=`; and what was not UTF-8 would override another key.
        if key.contains(['=', char::REPLACEMENT_CHARACTER]) || key.contains(char::is_control) {
            return Err(key);
        }
        // The empty value switches a program off, and restarts a list (credential helpers).
        settings.push(format!("{key}="));
        settings
            .extend(trusted.remove(&key).unwrap_or_default().iter().map(|value| format!("{key}={value}")));
    }
    for hook in hooks {
        if hook.contains(['=', char::REPLACEMENT_CHARACTER]) || hook.contains(char::is_control) {
            return Err(format!("hook.{hook}"));
        }
        settings.push(format!("hook.{hook}.enabled=false"));
    }
    Ok(settings)
}

/// Newer versions of git know hooks that are only configuration: `hook.<name>.command`.
fn hook_name(key: &str) -> Option<&str> {
    Some(key.strip_prefix("hook.")?.rsplit_once('.')?.0)
}

#[cfg(test)]
mod tests {
    use super::overrides;

    fn listing(entries: &[(&str, &str)]) -> Vec<u8> {
        entries.iter().flat_map(|(scope, entry)| format!("{scope}\0{entry}\0").into_bytes()).collect()
    }

    #[test]
    fn a_filter_of_the_user_stays_and_one_of_the_repository_is_emptied() {
        let listing = listing(&[
            ("global", "filter.lfs.smudge\ngit-lfs smudge -- %f"),
            ("local", "filter.evil.smudge\ntouch /tmp/x"),
            ("worktree", "filter.evil.clean\ntouch /tmp/x"),
            ("local", "core.bare\nfalse"),
        ]);
        assert_eq!(overrides(&listing).unwrap(), ["filter.evil.clean=", "filter.evil.smudge="]);
    }

    #[test]
    fn a_filter_that_the_repository_redefines_is_the_users_again() {
        let listing = listing(&[
            ("global", "filter.lfs.smudge\ngit-lfs smudge -- %f"),
            ("local", "filter.lfs.smudge\ntouch /tmp/x"),
        ]);
        assert_eq!(
            overrides(&listing).unwrap(),
            ["filter.lfs.smudge=", "filter.lfs.smudge=git-lfs smudge -- %f"]
        );
    }

    #[test]
    fn a_key_that_cannot_be_overridden_is_refused() {
        assert!(overrides(&listing(&[("local", "filter.a=b.smudge\nx")])).is_err());
    }

    #[test]
    fn configured_hooks_are_switched_off_whoever_wrote_them() {
        let listing =
            listing(&[("global", "hook.a.b.command\nx"), ("local", "hook.a.b.event\npost-checkout")]);
        assert_eq!(overrides(&listing).unwrap(), ["hook.a.b.enabled=false"]);
    }
}
