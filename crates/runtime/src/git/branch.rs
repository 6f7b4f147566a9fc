//! Names of branches: which are good, and which are taken.

use std::fmt;
use std::str::FromStr;

use super::command::Git;
use super::error::{Error, Result};

const LONGEST: usize = 200;

/// A branch name that is safe to hand to git and to show to people.
///
/// Stricter than git: no name that looks like an option, a commit or a full reference, and no character that
/// cannot be seen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BranchName(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid branch name `{}`: {why}", .name.escape_debug())]
pub struct BadName {
    pub name: String,
    pub why: &'static str,
}

impl BranchName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The full name: `refs/heads/…`.
    pub(super) fn reference(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for BranchName {
    type Err = BadName;

    fn from_str(name: &str) -> std::result::Result<Self, BadName> {
        match objection(name) {
            None => Ok(Self(name.to_owned())),
            Some(why) => Err(BadName { name: name.chars().take(LONGEST).collect(), why }),
        }
    }
}

fn objection(name: &str) -> Option<&'static str> {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffd}' | '\u{e0000}'..='\u{e007f}')
    };
    let parts = || name.split('/');
    match name {
        "" => Some("it is empty"),
        "@" | "HEAD" => Some("it means the current commit"),
        _ if name.len() > LONGEST => Some("it is longer than 200 bytes"),
        _ if name.starts_with('-') => Some("it starts with `-`, like an option"),
        _ if name.starts_with("refs/") => Some("it starts with `refs/`, like a full reference"),
        _ if name.contains(hidden) => Some("it contains invisible characters"),
        _ if name.contains(char::is_whitespace) => Some("it contains a space"),
        _ if name.contains(['~', '^', ':', '?', '*', '[', '\\']) => Some("it contains one of ~ ^ : ? * [ \\"),
        _ if name.contains("..") => Some("it contains `..`"),
        _ if name.contains("@{") => Some("it contains `@{`"),
        _ if name.ends_with('.') => Some("it ends with `.`"),
        _ if parts().any(str::is_empty) => Some("it starts or ends with `/`, or contains `//`"),
        _ if parts().any(|part| part.starts_with('.')) => Some("a part of it starts with `.`"),
        _ if parts().any(|part| part.ends_with(".lock")) => Some("a part of it ends with `.lock`"),
        _ if matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Some("it looks like a commit")
        }
        _ => None,
    }
}

/// Checks that git agrees with the name, and that no branch but `own` stands in its way.
pub(super) async fn check_free(git: &Git, name: &BranchName, own: Option<&BranchName>) -> Result<()> {
    let told = git.call("check-ref-format").args(["--branch", name.as_str()]).text().await;
    if !told.is_ok_and(|told| told == name.as_str()) {
        return Err(BadName { name: name.to_string(), why: "git rejects it" }.into());
    }
    let mut obstacle = None;
    git.call("for-each-ref")
        .args(["--format=%(refname:lstrip=2)%00", "refs/heads/"])
        .records(|record| {
            let existing = String::from_utf8_lossy(record);
            // The newline that ends each line stands before the next record.
            let existing = existing.trim_start_matches('\n');
            if !existing.is_empty() && own.is_none_or(|own| own.as_str() != existing) {
                obstacle = obstacle.take().or_else(|| clash(existing, name.as_str()));
            }
        })
        .await?;
    match obstacle {
        Some(by) => Err(Error::Taken { name: name.to_string(), by }),
        None => Ok(()),
    }
}

/// Says why two branches cannot both be, if so.
fn clash(existing: &str, new: &str) -> Option<String> {
    if existing == new {
        return Some("the branch already exists".to_owned());
    }
    // Git on Linux would take it, but fetching it on a Mac would fail.
    let (old, wanted) = (existing.to_lowercase(), new.to_lowercase());
    if old == wanted {
        return Some(format!("the branch `{existing}` differs only in case"));
    }
    let below =
        |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    (below(&old, &wanted) || below(&wanted, &old))
        .then(|| format!("it conflicts with the branch `{existing}`: one name is a path prefix of the other"))
}

#[cfg(test)]
mod tests {
    use super::{BranchName, clash};

    #[test]
    fn names_that_could_deceive_are_refused() {
        for name in [
            "",
            "-b",
            "--upload-pack=x",
            "..",
            "a..b",
            "a@{1}",
            "@{",
            "@",
            "HEAD",
            "a b",
            "a\tb",
            "a\nb",
            "a\0b",
            "a\u{7f}",
            "a\u{202e}b",
            "a\u{200b}",
            "a\u{a0}b",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a.",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[b",
            "a\\b",
            "refs/heads/a",
            "0123456789012345678901234567890123456789",
        ] {
            assert!(name.parse::<BranchName>().is_err(), "{name:?}");
        }
        assert!("a".repeat(201).parse::<BranchName>().is_err());
    }

    #[test]
    fn ordinary_names_are_taken() {
        for name in
            ["main", "paseo/1a2b3c4d", "fix-#12", "größe/日本", "a.b", "v1.0-rc", "it's", "$(x)", "a@b"]
        {
            assert!(name.parse::<BranchName>().is_ok(), "{name:?}");
        }
    }

    #[test]
    fn a_branch_stands_in_the_way_of_its_folder_and_of_its_other_case() {
        assert!(clash("a", "a").is_some());
        assert!(clash("a", "a/b").is_some());
        assert!(clash("a/b", "a").is_some());
        assert!(clash("Main", "main").is_some());
        assert!(clash("a", "ab").is_none());
        assert!(clash("a/b", "a/c").is_none());
    }
}
