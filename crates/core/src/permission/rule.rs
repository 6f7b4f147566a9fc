//! Standing permission rules, and where they apply.

use serde::{Deserialize, Serialize};

use super::script::plain;
use super::{Request, Shape};
use crate::session::Profile;

/// Stands behind a command that is to run outside the harness's own sandbox.
const OUTSIDE: &str = "  # outside the sandbox";

/// A standing permission rule.
///
/// A rule that denies is wide: it holds for every tool and provider, in the project and everything below it, in each
/// of its worktrees. A rule that allows is narrow: for this tool, and where it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    pub project: String,
    /// The tool, in the harness's words.
    pub tool: String,
    pub shape: Shape,
    pub allow: bool,
}

impl Rule {
    pub(super) fn covers(&self, scope: &Scope, request: &Request) -> bool {
        self.reaches(scope) && (!self.allow || self.tool == request.tool) && self.fits(scope, &request.shape)
    }

    /// Says whether it counts where a session is.
    pub(super) fn reaches(&self, scope: &Scope) -> bool {
        let anywhere_below = !self.allow || matches!(self.shape, Shape::File { .. });
        scope.project == self.project || (anywhere_below && scope.is_within(&self.project))
    }

    fn fits(&self, scope: &Scope, asked: &Shape) -> bool {
        match (&self.shape, asked) {
            (Shape::Command { command }, Shape::Command { command: asked }) => {
                let (command, asked) = (plain(command), plain(asked));
                // Without the sandbox it is more than what was allowed, and no less than what was denied.
                command == asked || (!self.allow && asked.strip_suffix(OUTSIDE) == Some(&command))
            }
            (Shape::Host { host }, Shape::Host { host: asked }) => host.eq_ignore_ascii_case(asked),
            (Shape::Tool { name }, Shape::Tool { name: asked }) => name == asked,
            (Shape::File { path }, Shape::File { path: asked }) => {
                let (mut ruled, mut wanted) = (scope.files(path), scope.files(asked));
                if !self.allow {
                    // One change to several files is denied for each of them.
                    return wanted.iter().any(|path| ruled.contains(path));
                }
                ruled.sort();
                wanted.sort();
                ruled == wanted
            }
            _ => false,
        }
    }
}

/// Where a session is, as rules see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Where it was started.
    project: String,
    /// Where its processes run.
    directory: String,
    /// The repository of its worktree, and the worktree.
    worktree: Option<(String, String)>,
}

impl Scope {
    /// Returns the scope of a session.
    pub fn of(profile: &Profile) -> Self {
        let worktree = profile.worktree.as_ref().map(|worktree| {
            let shared = normal(&worktree.repository);
            (shared.strip_suffix("/.git").unwrap_or(&shared).to_owned(), normal(&worktree.path))
        });
        Self { project: profile.project.clone(), directory: profile.directory.clone(), worktree }
    }

    /// Returns the scope of a session without a worktree.
    pub fn at(project: &str) -> Self {
        Self { project: project.to_owned(), directory: project.to_owned(), worktree: None }
    }

    /// Returns the repository that the session has a worktree of.
    pub fn repository(&self) -> Option<&str> {
        self.worktree.as_ref().map(|(repository, _)| repository.as_str())
    }

    /// Makes a rule of an answer. `root` is the repository that the session is in, or the directory when it is in
    /// none.
    pub fn rule(&self, root: &str, tool: &str, shape: &Shape, allow: bool) -> Rule {
        let wide = !allow || matches!(shape, Shape::File { .. });
        let project = if wide { root.to_owned() } else { self.project.clone() };
        Rule { project, tool: tool.to_owned(), shape: self.standing(shape), allow }
    }

    /// Returns a shape as it is kept: a file in a worktree is that file of the repository, so that a rule holds in
    /// the next worktree, too.
    pub fn standing(&self, shape: &Shape) -> Shape {
        match shape {
            Shape::File { path } => {
                let mut files = self.files(path);
                let several = files.len() > 1;
                let first = files.pop().filter(|_| !several);
                Shape::File { path: first.unwrap_or_else(|| joined(&self.files(path))) }
            }
            Shape::Command { command } => Shape::Command { command: plain(command) },
            Shape::Host { .. } | Shape::Tool { .. } | Shape::Unnamed { .. } | Shape::Question { .. } => {
                shape.clone()
            }
        }
    }

    /// Says whether a shape is about a file that lies outside of the session's directory.
    pub(super) fn is_outside(&self, shape: &Shape) -> bool {
        let Shape::File { path } = shape else { return false };
        let home = normal(&self.directory);
        let whole = if path.starts_with('/') { path.clone() } else { format!("{}/{path}", self.directory) };
        below(&normal(&whole), &home).is_none()
    }

    fn is_within(&self, root: &str) -> bool {
        let places = [Some(self.project.as_str()), Some(self.directory.as_str()), self.repository()];
        places.into_iter().flatten().any(|place| below(place, root).is_some())
    }

    /// Returns the files of a shape, by the names that they have in the repository.
    fn files(&self, path: &str) -> Vec<String> {
        let several = path.starts_with('[').then(|| serde_json::from_str::<Vec<String>>(path).ok()).flatten();
        several.unwrap_or_else(|| vec![path.to_owned()]).iter().map(|path| self.file(path)).collect()
    }

    fn file(&self, path: &str) -> String {
        let whole =
            if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.directory) };
        let whole = normal(&whole);
        match &self.worktree {
            Some((repository, worktree)) => match below(&whole, worktree) {
                Some(rest) => format!("{repository}{rest}"),
                None => whole,
            },
            None => whole,
        }
    }
}

/// Writes several files into one shape. No path begins with a bracket: they are absolute.
fn joined(files: &[String]) -> String {
    serde_json::to_string(files).unwrap_or_default()
}

/// Returns what is left of a path below a folder: nothing, or something that begins with a slash.
fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(root.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Returns an absolute path without `.`, `..` and doubled slashes.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::permission::{Mode, Power, Verdict, asking, decide};

    fn scope(project: &str) -> Scope {
        Scope::at(project)
    }

    fn in_worktree(path: &str) -> Scope {
        Scope {
            project: "/repo".into(),
            directory: path.into(),
            worktree: Some(("/repo".into(), path.into())),
        }
    }

    fn file(path: &str) -> Shape {
        Shape::File { path: path.into() }
    }

    fn command(command: &str) -> Shape {
        Shape::Command { command: command.into() }
    }

    fn rule(project: &str, shape: Shape, allow: bool) -> Rule {
        Rule { project: project.into(), tool: "Write".into(), shape, allow }
    }

    fn decided(mode: Mode, rule: &Rule, scope: &Scope, tool: &str, shape: Shape) -> Verdict {
        let (call, power) = ("c".to_owned(), Power::Shell);
        let request = Request { call, tool: tool.to_owned(), input: json!({}), power, shape, form: None };
        decide(mode, [rule], scope, &request)
    }

    fn denies(rule: &Rule, scope: &Scope, tool: &str, shape: Shape) -> bool {
        matches!(decided(Mode::Full, rule, scope, tool, shape), Verdict::Deny(_))
    }

    fn allows(rule: &Rule, scope: &Scope, tool: &str, shape: Shape) -> bool {
        decided(Mode::Ask, rule, scope, tool, shape) == Verdict::Allow
    }

    #[test]
    fn a_denied_file_is_denied_to_every_tool() {
        let rule = rule("/p", file("/p/guard.txt"), false);
        for tool in ["Write", "Edit", "apply_patch"] {
            assert!(denies(&rule, &scope("/p"), tool, file("/p/guard.txt")), "{tool}");
        }
        assert!(denies(&rule, &scope("/p"), "Edit", file("/p/sub/../guard.txt")));
        assert!(denies(&rule, &scope("/p"), "apply_patch", file(r#"["/p/other","/p/guard.txt"]"#)));
        assert!(!denies(&rule, &scope("/p"), "Edit", file("/p/guard.txt.bak")));
    }

    #[test]
    fn each_of_several_denied_files_is_denied() {
        let rule = rule("/p", file(r#"["/p/a","/p/b"]"#), false);
        assert!(denies(&rule, &scope("/p"), "Write", file("/p/b")));
        assert!(!denies(&rule, &scope("/p"), "Write", file("/p/c")));
    }

    #[test]
    fn a_denied_command_is_denied_in_any_shell_and_to_every_tool() {
        let rule = rule("/p", command("git push"), false);
        assert!(denies(&rule, &scope("/p"), "Bash", command("git push")));
        assert!(denies(&rule, &scope("/p"), "shell", command("/bin/bash -lc 'git push'")));
        assert!(!denies(&rule, &scope("/p"), "shell", command("git pull")));
        let outside = || command("git push  # outside the sandbox");
        assert!(denies(&rule, &scope("/p"), "Bash", outside()));
        let allowed = Rule { allow: true, tool: "Bash".into(), ..rule.clone() };
        assert!(!allows(&allowed, &scope("/p"), "Bash", outside()));
        // As it was kept before.
        let old = Rule { shape: command("/bin/bash -lc 'git push'"), ..rule };
        assert!(denies(&old, &scope("/p"), "Bash", command("git push")));
    }

    #[test]
    fn what_is_denied_is_denied_below_and_in_every_worktree() {
        let rule = rule("/repo", file("/repo/guard.txt"), false);
        assert!(denies(&rule, &scope("/repo/sub"), "Write", file("/repo/guard.txt")));
        assert!(denies(&rule, &in_worktree("/home/w/a"), "Write", file("/home/w/a/guard.txt")));
        assert!(denies(&rule, &in_worktree("/home/w/a"), "Write", file("guard.txt")));
        assert!(!denies(&rule, &in_worktree("/home/w/a"), "Write", file("/home/w/ab/guard.txt")));
        assert!(!denies(&rule, &scope("/repository"), "Write", file("/repo/guard.txt")));
        assert_eq!(asking(Mode::Full, false, &[], [&rule], &in_worktree("/home/w/a")), Mode::Ask);
        assert_eq!(asking(Mode::Full, false, &[], [&rule], &scope("/repo/sub")), Mode::Ask);
        assert_eq!(asking(Mode::Full, false, &[], [&rule], &scope("/")), Mode::Full);
    }

    #[test]
    fn an_answer_in_one_worktree_holds_in_the_next() {
        let (one, next) = (in_worktree("/home/w/a"), in_worktree("/home/w/b"));
        for allow in [true, false] {
            let rule = one.rule("/repo", "Write", &file("/home/w/a/guard.txt"), allow);
            assert_eq!((rule.project.as_str(), &rule.shape), ("/repo", &file("/repo/guard.txt")));
            let verdict = decided(Mode::Ask, &rule, &next, "Write", file("/home/w/b/guard.txt"));
            assert_eq!(verdict == Verdict::Allow, allow, "{verdict:?}");
            assert_ne!(verdict, Verdict::Ask);
        }
        // Kept before rules spoke of repositories.
        let old = rule("/repo", file("/home/w/a/guard.txt"), false);
        assert!(denies(&old, &one, "Write", file("/home/w/a/guard.txt")));
    }

    #[test]
    fn what_is_allowed_is_allowed_to_this_tool_and_here() {
        let made = scope("/repo/sub").rule("/repo", "Bash", &command("make"), true);
        assert!(allows(&made, &scope("/repo/sub"), "Bash", command("make")));
        assert!(!allows(&made, &scope("/repo/sub"), "shell", command("make")));
        assert!(!allows(&made, &scope("/repo/sub/deeper"), "Bash", command("make")));
        assert!(!allows(&made, &scope("/repo"), "Bash", command("make")));
        // A file is the same wherever one starts.
        let made = scope("/repo/sub").rule("/repo", "Write", &file("/repo/sub/x"), true);
        assert!(allows(&made, &scope("/repo"), "Write", file("/repo/sub/x")));
        assert!(!allows(&made, &scope("/repo"), "Write", file(r#"["/repo/sub/x","/repo/y"]"#)));
    }

    #[test]
    fn a_denied_tool_is_told_by_its_name() {
        let rule = rule("/p", Shape::Tool { name: "mcp__x__y".into() }, false);
        assert!(denies(&rule, &scope("/p"), "mcp__x__y", Shape::Tool { name: "mcp__x__y".into() }));
        assert!(!denies(&rule, &scope("/p"), "mcp__x__z", Shape::Tool { name: "mcp__x__z".into() }));
    }

    #[test]
    fn an_old_rule_still_decodes() {
        let old = json!({
            "project": "/p", "tool": "Edit", "allow": false,
            "shape": { "kind": "file", "path": "/p/guard.txt" },
        });
        let rule: Rule = serde_json::from_value(old).unwrap();
        assert!(denies(&rule, &scope("/p"), "Write", file("/p/guard.txt")));
    }
}
