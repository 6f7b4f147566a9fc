//! Paths below a directory.

use std::ffi::OsStr;
use std::fmt;

/// Longest path that the system takes, in bytes.
const LONGEST: usize = 4095;

/// A path below a directory: names joined by slashes, none of which leads up or into git's own files. Empty for the
/// directory itself. Symbolic links may still lead anywhere; the code that opens it checks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InnerPath(String);

/// Why a path is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the path is absolute; expected one relative to the directory")]
    Absolute,
    #[error("the path contains `..`")]
    Parent,
    #[error("the path is inside git's internal files")]
    Git,
    #[error("the path contains a NUL character")]
    Nul,
    #[error("the path is longer than {LONGEST} bytes")]
    Long,
}

impl InnerPath {
    /// Reads what was typed. Empty names and `.` are passed over, as the system does.
    pub fn parse(typed: &str) -> Result<Self, Refused> {
        if typed.len() > LONGEST {
            return Err(Refused::Long);
        }
        if typed.contains('\0') {
            return Err(Refused::Nul);
        }
        if typed.starts_with('/') {
            return Err(Refused::Absolute);
        }
        let names: Vec<&str> = typed.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        if names.contains(&"..") {
            return Err(Refused::Parent);
        }
        if names.iter().any(|name| is_git(OsStr::new(name))) {
            return Err(Refused::Git);
        }
        Ok(Self(names.join("/")))
    }

    /// Returns the path of something in it.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        Self(if self.0.is_empty() { name.to_owned() } else { format!("{}/{name}", self.0) })
    }

    /// Returns it as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Says whether it is the directory itself.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for InnerPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

/// Says whether a name is that of git's own files. Some file systems take no account of case.
pub fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// The path of a directory while it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typed<'a> {
    /// What is complete, with its slash.
    pub parent: &'a str,
    /// The beginning of the next name.
    pub start: &'a str,
}

impl<'a> Typed<'a> {
    /// Splits what was typed; `None` when it is not absolute.
    pub fn split(path: &'a str) -> Option<Self> {
        if !path.starts_with('/') || path.contains('\0') {
            return None;
        }
        let end = path.rfind('/')? + 1;
        Some(Self { parent: &path[..end], start: &path[end..] })
    }

    /// Says whether a name could be meant. Hidden ones are when their dot was typed.
    pub fn fits(&self, name: &str) -> bool {
        let hidden = name.starts_with('.') && !self.start.starts_with('.');
        let start = name.get(..self.start.len());
        !hidden && start.is_some_and(|start| start.eq_ignore_ascii_case(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_completed_from_its_beginning() {
        let typed = Typed::split("/home/ann/Pr").unwrap();
        assert_eq!(typed, Typed { parent: "/home/ann/", start: "Pr" });
        assert!(typed.fits("projects") && typed.fits("Pr") && typed.fits("PRÄ"));
        assert!(!typed.fits("p") && !typed.fits("xPr") && !typed.fits(".Pr") && !typed.fits("ä"));
        assert_eq!(Typed::split("/").unwrap(), Typed { parent: "/", start: "" });
        let all = Typed::split("/home/").unwrap();
        assert!(all.fits("ann") && !all.fits(".ssh"));
        let hidden = Typed::split("/home/.").unwrap();
        assert!(hidden.fits(".ssh") && !hidden.fits("ann"));
        assert_eq!((Typed::split("home"), Typed::split(""), Typed::split("/a\0")), (None, None, None));
    }

    #[test]
    fn a_path_is_read_as_the_system_reads_it() {
        for (typed, path) in [
            ("", ""),
            (".", ""),
            ("src", "src"),
            ("./src//main.rs", "src/main.rs"),
            ("src/", "src"),
            ("a/./b", "a/b"),
            ("...", "..."),
            ("..a/b..", "..a/b.."),
            ("%2e%2e", "%2e%2e"),
            (r"a\..\b", r"a\..\b"),
            ("-x", "-x"),
            (".gitignore", ".gitignore"),
            (".github/x", ".github/x"),
        ] {
            assert_eq!(InnerPath::parse(typed).map(|path| path.0), Ok(path.to_owned()), "{typed}");
        }
        assert_eq!(InnerPath::parse("").unwrap().join("a").join("b").as_str(), "a/b");
    }

    #[test]
    fn no_path_leads_out_or_into_git() {
        for (typed, refused) in [
            ("..", Refused::Parent),
            ("a/../..", Refused::Parent),
            ("a/..", Refused::Parent),
            ("./..", Refused::Parent),
            ("/etc/passwd", Refused::Absolute),
            ("//etc", Refused::Absolute),
            (".git", Refused::Git),
            ("sub/.git/config", Refused::Git),
            ("./.GIT/config", Refused::Git),
            ("a\0b", Refused::Nul),
        ] {
            assert_eq!(InnerPath::parse(typed), Err(refused), "{typed}");
        }
        assert_eq!(InnerPath::parse(&"a/".repeat(2048)), Err(Refused::Long));
    }
}
