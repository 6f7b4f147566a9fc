//! Worktrees, with the real git in repositories made for the occasion.

mod attacks;
mod create;
mod ignored;
mod include;
mod remove;
mod rename;

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use paseo_runtime::git::{BranchName, Created, Error, NewWorktree, Repository, Worktree, repository};
use tempfile::TempDir;

/// A user with a repository, and a place for worktrees.
struct Place {
    directory: TempDir,
}

impl Place {
    /// A repository with one commit on `main`: a file `tracked`.
    fn new() -> Self {
        let place = Self::without_commits();
        place.write("repo/tracked", "one\n");
        place.git(["add", "tracked"]);
        place.git(["commit", "-qm", "First"]);
        place
    }

    fn without_commits() -> Self {
        let place = Self { directory: TempDir::new().unwrap() };
        std::fs::create_dir(place.root()).unwrap();
        place.git(["init", "-q", "-b", "main"]);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn root(&self) -> PathBuf {
        self.path("repo")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// A program that notes that it ran, in the file `ran`, and passes its input on.
    fn trap(&self) -> String {
        let path = self.path("trap.sh");
        let ran = self.path("ran");
        std::fs::write(&path, format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\ntimeout 5 cat\n", ran.display()))
            .unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn assert_nothing_ran(&self) {
        assert!(!self.path("ran").exists(), "{}", self.read("ran"));
    }

    /// Git as the user would run it, in the user's checkout.
    fn git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        git_in(&self.root(), arguments)
    }

    async fn repository(&self) -> Repository {
        repository(&self.root()).await.unwrap().unwrap()
    }

    async fn new_worktree(&self, name: &str) -> NewWorktree {
        NewWorktree {
            repository: self.repository().await,
            path: self.path("worktrees").join(name),
            branch: branch(&format!("paseo/{name}")),
            base: None,
            include: true,
        }
    }

    async fn create(&self, name: &str) -> Created {
        Worktree::create(self.new_worktree(name).await).await.unwrap()
    }

    /// Everything that git knows: branches and other references, worktrees.
    fn everything(&self) -> String {
        self.git(["for-each-ref"]) + &self.git(["worktree", "list", "--porcelain"])
    }
}

fn branch(name: &str) -> BranchName {
    name.parse().unwrap()
}

fn git_in<A: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = A>) -> String {
    let (success, text) = try_git_in(directory, arguments);
    assert!(success, "{text}");
    text
}

#[allow(clippy::disallowed_methods)]
fn try_git_in<A: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = A>) -> (bool, String) {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    let output = command
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always"])
        .args(["-c", "commit.gpgSign=false"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
    (output.status.success(), text.trim_end().to_owned())
}

/// Runs a shell command, as the user would after reading it.
#[allow(clippy::disallowed_methods)]
fn shell(command: &str) {
    let output = Command::new("sh").args(["-c", command]).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a test of this file again, in a process with another environment. True when this is that process.
#[allow(clippy::disallowed_methods)]
fn in_environment(test: &str, environment: &[(&str, &str)]) -> bool {
    const MARK: &str = "PASEO_TEST_ENVIRONMENT";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .envs(environment.iter().copied())
        .env(MARK, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("1 passed"), "there is no test {test}: {text}");
    false
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, Error>, words: &str) {
    let text = outcome.unwrap_err().to_string();
    assert!(text.contains(words), "{text:?} does not say {words:?}");
}
