//! Finding a text in files.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

use paseo_core::glob::Glob;
use rustix::fs::{FileType, OFlags};

use super::Outcome;
use super::ignored::Ignored;
use crate::place::{SKIPPED, Target, entries, regular, step};

/// Most matches that are told.
const MATCHES: usize = 200;
/// Most files that are looked into.
const FILES: usize = 20_000;
/// Larger files are passed over.
const FILE_BYTES: u64 = 2 * 1024 * 1024;
/// How much of a line is told.
const LINE_CHARS: usize = 300;
/// How deep folders are followed.
const DEPTH: usize = 64;

/// What is looked for, and what was found.
struct Search<'a> {
    target: &'a Target,
    text: String,
    files: Option<Glob>,
    ignore_case: bool,
    ignored: Ignored,
    found: String,
    matches: usize,
    read: usize,
    /// How many files were passed over because another name of theirs may lie outside.
    linked: usize,
}

/// Finds a text in a file, or in the files of a folder and all below it.
pub(super) fn search(
    target: &Target,
    text: &str,
    files: Option<&str>,
    ignore_case: bool,
) -> Result<Outcome, String> {
    if text.is_empty() {
        return Err("`text` is empty; use `list` to see the files".to_owned());
    }
    let text = if ignore_case { text.to_lowercase() } else { text.to_owned() };
    let mut search = Search {
        target,
        text,
        files: files.map(Glob::new),
        ignore_case,
        ignored: Ignored::default(),
        found: String::new(),
        matches: 0,
        read: 0,
        linked: 0,
    };
    if target.is_folder() {
        target.around().iter().for_each(|(folder, path)| search.ignored.enter(folder, path));
        search.folder(&target.folder()?, target.there(), Path::new(""), 0);
    } else {
        // A file that is named is meant.
        let file = target.open(OFlags::RDONLY)?;
        search.file(file, Path::new(&target.name()));
    }
    let Search { mut found, matches, read, linked, .. } = search;
    let end = if matches >= MATCHES || read >= FILES {
        " There may be more matches; narrow the search."
    } else {
        ""
    };
    let passed_over = match linked {
        0 => String::new(),
        _ => format!(" Files with several hard links were skipped: {linked}."),
    };
    // Writing to a string cannot fail.
    let _ = writeln!(found, "[matches: {matches}, files searched: {read}.{end}{passed_over}]");
    Ok(Outcome { text: found, diff: None })
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.matches >= MATCHES || self.read >= FILES
    }

    /// Looks into a folder: where it is, and what it is called in what is told.
    fn folder(&mut self, folder: &OwnedFd, there: &Path, path: &Path, depth: usize) {
        self.ignored.enter(folder, there);
        // What cannot be read is passed over, as is what is gone meanwhile.
        for (name, kind) in entries(folder).unwrap_or_default() {
            if self.is_over() {
                break;
            }
            let (there, inner) = (there.join(&name), path.join(&name));
            if self.ignored.covers(&there, kind == FileType::Directory) {
                continue;
            }
            match kind {
                FileType::Directory if depth < DEPTH && !SKIPPED.iter().any(|skipped| name == *skipped) => {
                    if let Ok(folder) = step(folder, &name) {
                        self.folder(&folder, &there, &inner, depth + 1);
                    }
                }
                FileType::RegularFile if self.is_wanted(&name, &inner) => {
                    if let Ok(file) = regular(folder, &name, OFlags::RDONLY) {
                        match self.target.leads_out(&file) {
                            true => self.linked += 1,
                            false => self.file(file, &inner),
                        }
                    }
                }
                _ => {}
            }
        }
        self.ignored.leave();
    }

    fn is_wanted(&self, name: &OsString, path: &Path) -> bool {
        let Some(glob) = &self.files else { return true };
        glob.matches(&name.to_string_lossy()) || glob.matches(&path.to_string_lossy())
    }

    fn file(&mut self, file: File, path: &Path) {
        self.read += 1;
        let mut bytes = Vec::new();
        if file.take(FILE_BYTES + 1).read_to_end(&mut bytes).is_err() || bytes.len() as u64 > FILE_BYTES {
            return;
        }
        let Ok(text) = String::from_utf8(bytes) else { return };
        if text.contains('\0') {
            return;
        }
        for (number, line) in text.lines().enumerate() {
            let is_found = if self.ignore_case {
                line.to_lowercase().contains(&self.text)
            } else {
                line.contains(&self.text)
            };
            if is_found && !self.is_over() {
                self.matches += 1;
                let line: String = line.chars().take(LINE_CHARS).collect();
                let _ = writeln!(self.found, "{}:{}: {line}", path.display(), number + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::Root;
    use super::*;

    fn found(root: &Root, path: &str, text: &str, files: Option<&str>, ignore_case: bool) -> String {
        search(&root.resolve(path).unwrap(), text, files, ignore_case).unwrap().text
    }

    #[test]
    fn a_text_is_found_in_files_and_not_over_links() {
        let directory = tempfile::tempdir().unwrap();
        let inside = directory.path().join("inside");
        for folder in ["a", "node_modules"] {
            fs::create_dir_all(inside.join(folder)).unwrap();
            fs::write(inside.join(folder).join("x.rs"), "let rose = 1;\nlet ROSE = 2;\n").unwrap();
        }
        fs::write(inside.join("b.txt"), "a rose\n").unwrap();
        fs::write(inside.join("image"), b"rose\0").unwrap();
        fs::write(directory.path().join("secret"), "rose").unwrap();
        symlink("../secret", inside.join("link")).unwrap();
        symlink("..", inside.join("up")).unwrap();
        let root = Root::new(inside).unwrap();
        let all = found(&root, ".", "rose", None, false);
        assert_eq!(all, "a/x.rs:1: let rose = 1;\nb.txt:1: a rose\n[matches: 2, files searched: 3.]\n");
        let some = found(&root, ".", "rose", Some("*.rs"), true);
        assert_eq!(
            some,
            "a/x.rs:1: let rose = 1;\na/x.rs:2: let ROSE = 2;\n[matches: 2, files searched: 1.]\n"
        );
        assert_eq!(
            found(&root, "b.txt", "rose", None, false),
            "b.txt:1: a rose\n[matches: 1, files searched: 1.]\n"
        );
        assert!(search(&root.resolve("none").unwrap(), "x", None, false).is_err());
        assert!(search(&root.resolve(".").unwrap(), "", None, false).is_err());
    }

    #[test]
    fn a_hard_link_leads_a_search_nowhere() {
        let directory = tempfile::tempdir().unwrap();
        let inside = directory.path().join("inside");
        fs::create_dir_all(&inside).unwrap();
        fs::write(directory.path().join("secret"), "rose").unwrap();
        fs::hard_link(directory.path().join("secret"), inside.join("linked")).unwrap();
        fs::write(inside.join("b.txt"), "a rose\n").unwrap();
        let free = Root::new(inside).unwrap();
        let confined = free.clone().confined();
        let all = found(&confined, ".", "rose", None, false);
        assert!(all.starts_with("b.txt:1: a rose\n[matches: 1, files searched: 1."), "{all}");
        assert!(all.contains("were skipped: 1"), "{all}");
        assert!(search(&confined.resolve("linked").unwrap(), "rose", None, false).is_err());
        assert!(found(&free, ".", "rose", None, false).contains("[matches: 2, files searched: 2.]"));
    }

    #[test]
    fn what_the_project_ignores_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".gitignore", "/dist/\n*.log\n# rose\n[\nsecret/\n");
        write("a/.gitignore", "!kept.log\nown.txt\n");
        let files = [
            "dist/x.js",
            "a/dist/x.js",
            "a/kept.log",
            "a/other.log",
            "a/own.txt",
            "own.txt",
            "b/kept.log",
            "a/secret/x",
        ];
        files.iter().for_each(|path| write(path, "rose\n"));
        let root = Root::new(directory.path().to_owned()).unwrap();
        let all = found(&root, ".", "rose", None, false);
        let names: Vec<&str> = all.lines().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(names[..names.len() - 1], [".gitignore", "a/dist/x.js", "a/kept.log", "own.txt"], "{all}");
        // Also of what lies around the folder that is searched; and a file that is named is meant.
        assert!(
            found(&root, "a", "rose", None, false)
                .starts_with("dist/x.js:1: rose\nkept.log:1: rose\n[matches: 2")
        );
        assert!(found(&root, "b/kept.log", "rose", None, false).contains("[matches: 1, files searched: 1.]"));
        // A link is no .gitignore.
        write("c/x.txt", "rose\n");
        write("list", "*.txt\n");
        symlink("../list", directory.path().join("c/.gitignore")).unwrap();
        assert!(found(&root, "c", "rose", None, false).contains("x.txt:1: rose"));
    }

    #[test]
    fn matches_without_end_are_cut_with_a_mark() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("long"), "rose\n".repeat(1000)).unwrap();
        let root = Root::new(directory.path().to_owned()).unwrap();
        let all = found(&root, ".", "rose", None, false);
        assert!(all.lines().count() == MATCHES + 1 && all.contains("There may be more"), "{all}");
    }
}
