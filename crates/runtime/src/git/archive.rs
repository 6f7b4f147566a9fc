//! Keeping everything that is only in a worktree, under a reference of its own.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use super::admin::{Admin, Place};
use super::changes::{Paths, to_path};
use super::command::{Call, Git};
use super::error::{Error, Result};
use super::loss::{only_here, tips};
use super::worktree::{Located, Worktree, commit};

/// Many archives of one branch are many mistakes, but none is a reason to lose work.
const MOST: u32 = 10_000;

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
            let trees = trees(git, admin).await?;
            if let Some(staged) =
                trees.staged.filter(|staged| Some(staged) != head_tree.as_ref() && *staged != trees.all)
            {
                let message = format!("What was staged on {}", located.worktree.branch);
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
    let restore = restore(located.worktree, &reference);
    Ok(Archive { reference, commit: id, restore })
}

/// The trees of a worktree: what is staged, and all that git does not ignore.
struct Trees {
    /// `None` while there are conflicts.
    staged: Option<String>,
    all: String,
}

async fn trees(git: &Git, admin: &Admin) -> Result<Trees> {
    let index = Scratch::index_of(admin)?;
    let staged = match index.call(git, "write-tree").text().await {
        Ok(tree) => Some(tree),
        Err(Error::Failed { .. }) => None,
        Err(error) => return Err(error),
    };
    // Also what lies outside of a sparse checkout.
    index.call(git, "add").args(["--all", "--sparse"]).long().text().await?;
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

/// A copy of the worktree's index, which itself stays as it is.
struct Scratch(PathBuf);

impl Scratch {
    fn index_of(admin: &Admin) -> Result<Self> {
        let scratch = Self(admin.0.join("paseo-archive-index"));
        match fs::copy(admin.0.join("index"), &scratch.0) {
            Ok(_) => Ok(scratch),
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
        said: format!("there are {MOST} archives of {name}"),
    })
}

fn restore(worktree: &Worktree, reference: &str) -> String {
    let git_dir = quoted(&worktree.common_dir.to_string_lossy());
    let branch = quoted(worktree.branch.as_str());
    let path = quoted(&worktree.path.to_string_lossy());
    format!("git --git-dir={git_dir} worktree add -b {branch} {path} {}", quoted(reference))
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
