//! Repositories of users, as they are found.

use std::path::{Path, PathBuf};

use super::changes::{Changes, Paths, Untracked, look, submodules};
use super::command::Git;
use super::error::{Error, Result};
use super::worktree::current_branch;

/// A checkout of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The top of the checkout.
    pub root: PathBuf,
    /// What all checkouts of the repository share: `.git` of the first one, usually.
    pub common_dir: PathBuf,
}

impl Repository {
    /// The repository's name, fit to be a part of a directory's name.
    pub fn name(&self) -> String {
        let named = match self.common_dir.file_name() {
            Some(name) if name == ".git" => self.common_dir.parent().and_then(Path::file_name),
            name => name,
        };
        let named = named.unwrap_or_default().to_string_lossy();
        let named = named.strip_suffix(".git").unwrap_or(&named);
        let safe = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
        let name: String = named.trim_start_matches(['.', '-']).chars().map(safe).take(40).collect();
        if name.is_empty() { "repository".to_owned() } else { name }
    }
}

/// Finds the repository that a directory is in. `None` when it is in none.
pub async fn repository(directory: &Path) -> Result<Option<Repository>> {
    let directory = directory.canonicalize().map_err(|_| Error::NoDirectory(directory.to_owned()))?;
    match find(&directory).await {
        Ok(repository) => Ok(Some(repository)),
        Err(error) => match error.said() {
            // Not the same as `not a git repository: …`, which speaks of a damaged one.
            Some(said) if said.contains("not a git repository (or any") => Ok(None),
            Some(said) if said.contains("cannot use bare repository") => Err(Error::NoCheckout(directory)),
            _ => Err(error),
        },
    }
}

async fn find(directory: &Path) -> Result<Repository> {
    let git = Git::in_directory(directory).await?;
    if git.call("rev-parse").arg("--is-inside-work-tree").text().await? != "true" {
        return Err(Error::NoCheckout(directory.to_owned()));
    }
    let root = git.call("rev-parse").arg("--show-toplevel").path().await?;
    // It may be relative.
    let common = directory.join(git.call("rev-parse").arg("--git-common-dir").path().await?);
    let common_dir = common.canonicalize().map_err(Error::io(format!("reading {}", common.display())))?;
    Ok(Repository { root, common_dir })
}

/// Returns the branch that a checkout is on. `None` when that is none, or there is no checkout.
pub async fn branch_of(directory: &Path) -> Result<Option<String>> {
    if !is_in_repository(directory) {
        return Ok(None);
    }
    current_branch(&Git::in_directory(directory).await?).await
}

/// Says whether a directory looks like one in a repository, without asking git: for most that are in none this saves
/// a process.
pub fn is_in_repository(directory: &Path) -> bool {
    directory.ancestors().any(|above| above.join(".git").exists())
}

/// What a new worktree will not have, as it is in no commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Uncommitted work. A folder that git does not know counts once.
    pub changes: Changes,
    /// They will be empty folders.
    pub submodules: Paths,
}

/// Looks at what the user's checkout has and a new worktree will not.
pub async fn left_out(repository: &Repository) -> Result<LeftOut> {
    let git = Git::in_directory(&repository.root).await?;
    let changes = look(&git, Untracked::Folders).await?.changes;
    let mut left_out = LeftOut { changes, submodules: Paths::default() };
    submodules(&git, |path| left_out.submodules.add(path)).await?;
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    use super::Repository;

    #[test]
    fn a_repository_is_named_after_its_folder() {
        let name = |common_dir: &str| Repository { root: "/".into(), common_dir: common_dir.into() }.name();
        assert_eq!(name("/home/ann/shop/.git"), "shop");
        assert_eq!(name("/srv/shop.git"), "shop");
        assert_eq!(name("/srv/-a b\n/.git"), "a-b-");
        assert_eq!(name("/.git"), "repository");
    }
}
