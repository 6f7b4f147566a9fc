//! Which pi it is. From 1.0 on it runs nothing of a project that is not trusted, and its own MCP is an extension.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::plain_file;

/// What is different between them, for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generation {
    /// 0.x, or one that does not say.
    Early,
    /// 1.0 and newer.
    Recent,
}

impl Generation {
    /// Reads a version, as pi prints it.
    pub(super) fn of(version: &str) -> Self {
        let major = version
            .trim()
            .trim_start_matches('v')
            .split('.')
            .next()
            .and_then(|word| word.parse::<u32>().ok());
        if major.is_some_and(|major| major >= 1) { Self::Recent } else { Self::Early }
    }
}

/// Returns the version in the package that a program belongs to: asking the program takes seconds.
pub(super) fn in_package(program: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Package {
        name: String,
        version: String,
    }
    let real = fs::canonicalize(program).ok()?;
    let packages = real.ancestors().skip(1).take(4).map(|folder| folder.join("package.json"));
    let packages =
        packages.filter_map(|path| serde_json::from_slice::<Package>(&plain_file::read(&path).ok()?).ok());
    packages
        .into_iter()
        .find(|package| package.name.ends_with("/pi-coding-agent"))
        .map(|package| package.version)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_says_so_is_new() {
        for (version, expected) in [
            ("0.73.1", Generation::Early),
            ("0.99.2", Generation::Early),
            ("1.0.0", Generation::Recent),
            ("v12.1", Generation::Recent),
            ("", Generation::Early),
            ("pi 1.5.0", Generation::Early),
        ] {
            assert_eq!(Generation::of(version), expected, "{version}");
        }
    }

    #[test]
    fn the_version_is_found_in_the_package_behind_the_link() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("package");
        fs::create_dir_all(package.join("dist/bundle")).unwrap();
        fs::write(package.join("dist/bundle/cli.js"), "").unwrap();
        symlink(package.join("dist/bundle/cli.js"), folder.path().join("pi")).unwrap();
        assert_eq!(in_package(&folder.path().join("pi")), None);
        fs::write(package.join("package.json"), r#"{"name":"other","version":"3.0.0"}"#).unwrap();
        assert_eq!(in_package(&folder.path().join("pi")), None);
        fs::write(package.join("package.json"), r#"{"name":"@x/pi-coding-agent","version":"1.5.0"}"#)
            .unwrap();
        assert_eq!(in_package(&folder.path().join("pi")).as_deref(), Some("1.5.0"));
    }
}
