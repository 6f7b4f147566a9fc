//! Keeping everything that is only in a worktree, under a reference of its own.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use super::admin::{Admin, Place};
use super::changes::{Paths, to_path};
use super::command::{Call, Git};
use super::error::{Error, Result};
use super::loss::{only_here, tips};
use super::precious;
use super::worktree::{Located, Worktree, commit};

/// Many archives of one branch are many mistakes, but none is a reason to lose work.
const MOST: u32 = 10_000;
/// How much of what git ignores goes into its database.
const MOST_BYTES: u64 = 32 << 20;

/// Where the work of a removed worktree is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// `refs/paseo/archive/<name>-<n>`.
    pub reference: String,
    pub commit: String,
    /// The shell command that brings the worktree back.
    pub restore: String,
}

/// Makes a commit of all that only the worktree holds, and a reference that keeps it.
///
/// The first parent is the commit that the worktree was on; the other parents are what else would be lost: what
/// was staged but has changed since, and the commits that a merge or rebase under way holds on to.
pub(super) async fn archive(located: &Located<'_>) -> Result<Archive> {
    let git = &located.git;
    let tips = tips(located).await?;
    let head = tips.first().cloned();
    let mut parents: Vec<String> = head.iter().cloned().collect();
    for tip in tips.iter().skip(1) {
        let beside =
            [std::slice::from_ref(tip), &parents.iter().map(|id| format!("^{id}")).collect::<Vec<_>>()]
                .concat();
        if !only_here(located, &["--max-count=1"], &beside).await?.is_empty() {
            parents.push(tip.clone());
        }
    }
    let head_tree = match &head {
        Some(head) => {
            Some(git.call("rev-parse").args(["--verify", &format!("{head}^{{tree}}")]).text().await?)
        }
        None => None,
    };
    let tree = match &located.place {
        Place::Present(admin) => {
            let trees = trees(located, admin).await?;
            if let Some(staged) =
                trees.staged.filter(|staged| Some(staged) != head_tree.as_ref() && *staged != trees.all)
            {
                let message = format!("Staged changes on {}, archived by Paseo", located.worktree.branch);
                let first: Vec<String> = head.iter().cloned().collect();
                parents.push(commit_tree(git, &staged, &first, &message).await?);
            }
            Some(trees.all)
        }
        Place::DirectoryGone(_) | Place::Gone => head_tree.clone(),
    };
    let id = match (head, tree) {
        (Some(head), tree) if parents.len() == 1 && tree == head_tree => head,
        (_, Some(tree)) => {
            let message = format!("Uncommitted work on {}, archived by Paseo", located.worktree.branch);
            commit_tree(git, &tree, &parents, &message).await?
        }
        (_, None) => return Err(Error::Incomplete(Paths::default())),
    };
    let reference = keep(git, located.worktree, &id).await?;
    let restore = located.worktree.restore_command(&reference);
    Ok(Archive { reference, commit: id, restore })
}

/// The trees of a worktree: what is staged, and all that is to be kept.
struct Trees {
    /// `None` while there are conflicts.
    staged: Option<String>,
    all: String,
}

async fn trees(located: &Located<'_>, admin: &Admin) -> Result<Trees> {
    let git = &located.git;
    let index = Scratch::index_of(admin)?;
    let staged = match index.call(git, "write-tree").text().await {
        Ok(tree) => Some(tree),
        Err(Error::Failed { .. }) => None,
        Err(error) => return Err(error),
    };
    // Also what lies outside of a sparse checkout.
    index.call(git, "add").args(["--all", "--sparse"]).long().text().await?;
    add_precious(located, &index).await?;
    // Whatever reason git may have had to leave something out, and if someone still works there.
    let mut missed = Paths::default();
    index
        .call(git, "ls-files")
        .args(["--others", "--modified", "--exclude-standard", "-z"])
        .long()
        .records(|record| missed.add(to_path(record)))
        .await?;
    if !missed.is_empty() {
        return Err(Error::Incomplete(missed));
    }
    Ok(Trees { staged, all: index.call(git, "write-tree").text().await? })
}

/// Adds what git ignores and `.worktreeinclude` lists.
async fn add_precious(located: &Located<'_>, index: &Scratch) -> Result<()> {
    let precious = precious::only_here(located).await?;
    if precious.is_empty() {
        return Ok(());
    }
    let bytes = precious::bytes(&located.worktree.path, &precious);
    if bytes > MOST_BYTES {
        let mut paths = Paths::default();
        precious.into_iter().for_each(|path| paths.add(path));
        return Err(Error::Heavy { paths, mebibytes: bytes >> 20, most: MOST_BYTES >> 20 });
    }
    let list = Scratch(index.0.with_file_name("paseo-archive-paths"));
    let names: Vec<&[u8]> = precious.iter().map(|path| path.as_os_str().as_bytes()).collect();
    fs::write(&list.0, names.join(&0)).map_err(Error::io("listing files for the archive"))?;
    let mut from = std::ffi::OsString::from("--pathspec-from-file=");
    from.push(&list.0);
    let add = index.call(&located.git, "add").args(["--force", "--sparse", "--pathspec-file-nul"]).arg(from);
    add.long().text().await.map(drop)
}

/// A copy of the worktree's index, which itself stays as it is.
struct Scratch(PathBuf);

impl Scratch {
    fn index_of(admin: &Admin) -> Result<Self> {
        let scratch = Self(admin.0.join("paseo-archive-index"));
        // Git believes that a file is as the index says when their times agree, unless the index is as old. A copy is
        // younger, so it is made older than everything: each file is looked into.
        let older = |_| {
            File::options().write(true).open(&scratch.0)?.set_modified(UNIX_EPOCH + Duration::from_secs(1))
        };
        match fs::copy(admin.0.join("index"), &scratch.0).and_then(older) {
            Ok(()) => Ok(scratch),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(scratch),
            Err(source) => Err(Error::Io { what: "copying the index".to_owned(), source }),
        }
    }

    fn call<'a>(&self, git: &'a Git, command: &'static str) -> Call<'a> {
        git.call(command).variable("GIT_INDEX_FILE", &self.0)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

async fn commit_tree(git: &Git, tree: &str, parents: &[String], message: &str) -> Result<String> {
    let mut call = git.call("commit-tree").args(["-m", message]);
    for parent in parents {
        call = call.args(["-p", parent]);
    }
    for (name, email) in
        [("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"), ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")]
    {
        call = call.variable(name, "Paseo").variable(email, "paseo@localhost");
    }
    call.arg(tree).text().await
}

/// Makes the first reference that is free.
async fn keep(git: &Git, worktree: &Worktree, id: &str) -> Result<String> {
    let name = worktree.branch.as_str().replace('/', "-");
    for n in 1..MOST {
        let reference = format!("refs/paseo/archive/{name}-{n}");
        if commit(git, &reference).await?.is_some() {
            continue;
        }
        // The empty last argument says that it must not exist.
        let made = git.call("update-ref").args(["--create-reflog", &reference, id, ""]).despite_locks().await;
        match made {
            Err(error) if error.said().is_some_and(|said| said.contains("already exists")) => {}
            made => return made.map(|()| reference),
        }
    }
    Err(Error::Failed {
        command: "update-ref".to_owned(),
        said: format!("the limit of {MOST} archives of {name} is reached"),
    })
}

impl Worktree {
    /// Returns the shell command that brings back a worktree that was removed, from what git kept of it.
    pub fn restore_command(&self, kept: &str) -> String {
        let (git, branch, path) = self.quoted();
        format!("{git} worktree add -b {branch} {path} {}", quoted(kept))
    }

    /// Returns the shell command that brings back a worktree whose directory someone deleted.
    pub fn refill_command(&self) -> String {
        let (git, branch, path) = self.quoted();
        format!("{git} worktree add --force {path} {branch}")
    }

    fn quoted(&self) -> (String, String, String) {
        let git_dir = quoted(&self.common_dir.to_string_lossy());
        let path = quoted(&self.path.to_string_lossy());
        (format!("git --git-dir={git_dir}"), quoted(self.branch.as_str()), path)
    }
}

/// Quotes for a shell, where needed.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | ',');
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_what_was_meant() {
        assert_eq!(quoted("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(quoted("it's $(x)"), r"'it'\''s $(x)'");
        assert_eq!(quoted(""), "''");
    }
}
