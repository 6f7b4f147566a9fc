//! Worktrees of sessions: made before a session begins, listed, named by the agent, removed by a person.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use paseo_core::id::SessionId;
use paseo_core::limits::PATH_BYTES;
use paseo_core::session::{Session, Worktree};
use paseo_runtime::git::{self, BranchName, Force, Included, LeftOut, NewWorktree, Removed, Status};
use paseo_wire::error::Code;
use paseo_wire::message::PlaceNotes;

use crate::directory::Directory;
use crate::failure::Failure;
use crate::journal::Journal;

/// Longest name of a worktree.
const NAME_CHARS: usize = 60;

/// What a person wants.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wish {
    /// `None`: as the session's kind asks for.
    pub(crate) make: Option<bool>,
    pub(crate) name: Option<String>,
    pub(crate) base: Option<String>,
}

/// Where a session will run.
pub(crate) struct Place {
    pub(crate) directory: String,
    pub(crate) made: Option<Made>,
    /// Why there is no worktree although there would be one by default.
    pub(crate) note: Option<String>,
}

impl Place {
    /// Returns what a person should know, if there is anything.
    pub(crate) fn notes(&self) -> Option<PlaceNotes> {
        let lossy = |path: &PathBuf| path.to_string_lossy().into_owned();
        let made = self.made.as_ref();
        let notes = PlaceNotes {
            left_out: made.map_or(0, |made| made.left_out.changes.paths.count),
            left_out_first: made
                .iter()
                .flat_map(|made| &made.left_out.changes.paths.first)
                .map(lossy)
                .collect(),
            submodules: made.map_or(0, |made| made.left_out.submodules.count),
            included: made.map_or(0, |made| made.included.copied.len() as u64),
            skipped: made
                .iter()
                .flat_map(|made| &made.included.skipped)
                .map(|skipped| lossy(&skipped.path))
                .collect(),
            note: self.note.clone(),
        };
        (notes != PlaceNotes::default()).then_some(notes)
    }
}

/// A worktree that was made, and what it lacks.
pub(crate) struct Made {
    pub(crate) worktree: Worktree,
    pub(crate) left_out: LeftOut,
    pub(crate) included: Included,
    git: git::Worktree,
}

impl Made {
    /// Takes it back: the session did not come to be.
    pub(crate) async fn undo(self) {
        if let Err(error) = self.git.remove(Force::No).await {
            tracing::warn!(%error, path = %self.git.path.display(), "a worktree without a session stays behind");
        }
    }
}

/// Makes the worktree that a session is to run in, if it is to have one.
pub(crate) async fn prepare(
    home: &Path,
    session: SessionId,
    directory: String,
    shown: bool,
    wish: Wish,
) -> Result<Place, Failure> {
    let plainly = |directory, note| Ok(Place { directory, made: None, note });
    let demanded = wish.make == Some(true) || wish.name.is_some() || wish.base.is_some();
    if wish.make == Some(false) {
        return if wish.name.is_some() || wish.base.is_some() {
            Err(Failure::new(
                Code::InvalidRequest,
                "a name or a base was given for a worktree that is not wanted",
            ))
        } else {
            plainly(directory, None)
        };
    }
    if !demanded && !shown {
        return plainly(directory, None);
    }
    let repository = match git::repository(Path::new(&directory)).await {
        Ok(Some(repository)) => repository,
        Ok(None) if demanded => {
            return Err(Failure::new(Code::InvalidRequest, format!("{directory} is in no git repository"))
                .hint("a worktree needs one: leave out --worktree, or run `git init` and commit first"));
        }
        Ok(None) => return plainly(directory, None),
        Err(error) if demanded => return Err(refused(error)),
        Err(error) => return plainly(directory, Some(format!("no worktree was made: {error}"))),
    };
    let prefix = session.to_string()[..8].to_owned();
    let name = wish.name.as_deref().map(checked_name).transpose()?.unwrap_or(&prefix);
    let new = NewWorktree {
        path: home.join("worktrees").join(format!("{}-{name}", repository.name())),
        branch: branch(&format!("paseo/{prefix}"))?,
        base: wish.base,
        include: true,
        repository: repository.clone(),
    };
    let left_out = git::left_out(&repository).await.map_err(refused)?;
    let created = match git::Worktree::create(new).await {
        Ok(created) => created,
        Err(git::Error::NoCommit) if !demanded => {
            let note =
                "no worktree was made, as the repository has no commit yet: the agent works in it directly";
            return plainly(directory, Some(note.to_owned()));
        }
        Err(error) => return Err(refused(error)),
    };
    let made = Made {
        worktree: Worktree {
            repository: text(&created.worktree.common_dir)?,
            path: text(&created.worktree.path)?,
            branch: created.worktree.branch.to_string(),
            base: created.base_commit,
        },
        left_out,
        included: created.included,
        git: created.worktree,
    };
    match inside(&repository.root, &directory, &made.git.path) {
        Ok(directory) => Ok(Place { directory, made: Some(made), note: None }),
        Err(failure) => {
            made.undo().await;
            Err(failure)
        }
    }
}

/// Returns the folder of the worktree that stands for the one where the session was started.
fn inside(root: &Path, directory: &str, worktree: &Path) -> Result<String, Failure> {
    let below = Path::new(directory).strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty());
    let folder = below.map(|below| worktree.join(below)).filter(|folder| folder.is_dir());
    text(folder.as_deref().unwrap_or(worktree))
}

/// Gives a session's branch the name that its agent chose, and returns the worktree as it is then.
pub(crate) async fn rename(worktree: &Worktree, name: &str) -> Result<Worktree, String> {
    let said = |error: git::Error| error.to_string();
    let renamed = of(worktree).map_err(|failure| failure.message)?;
    let new: BranchName = name.parse().map_err(|error| said(git::Error::BadName(error)))?;
    let renamed = renamed.rename_branch(new).await.map_err(said)?;
    Ok(Worktree { branch: renamed.branch.to_string(), ..worktree.clone() })
}

/// A worktree in a list.
pub(crate) struct Listed {
    /// The name of its directory.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Whose it is; `None` when the session was deleted.
    pub(crate) session: Option<std::sync::Arc<Session>>,
    pub(crate) status: Result<Status, String>,
    git: Option<git::Worktree>,
}

/// Lists all worktrees: those of sessions, and those that deleted ones left.
pub(crate) async fn list(
    home: &Path,
    directory: &Directory,
    journal: &Journal,
) -> Result<Vec<Listed>, Failure> {
    let mut owners = HashMap::new();
    let mut sessions = directory.all();
    let mut after: Option<String> = None;
    loop {
        let (closed, next) = Directory::closed_page(journal, after.as_deref()).await?;
        sessions.extend(closed);
        after = next;
        if after.is_none() {
            break;
        }
    }
    for session in sessions {
        if let Some(worktree) = &session.profile.worktree {
            owners.insert(PathBuf::from(&worktree.path), session.clone());
        }
    }
    let mut paths: Vec<PathBuf> = owners.keys().cloned().collect();
    let folder = home.join("worktrees");
    let folder = folder.canonicalize().unwrap_or(folder);
    let found = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    paths.extend(found.map(|entry| entry.path()).filter(|path| path.is_dir() && !owners.contains_key(path)));
    paths.sort();
    let mut listed = Vec::with_capacity(paths.len());
    for path in paths {
        listed.push(look(path, &owners).await);
    }
    Ok(listed)
}

async fn look(path: PathBuf, owners: &HashMap<PathBuf, std::sync::Arc<Session>>) -> Listed {
    let session = owners.get(&path).cloned();
    let git = match session.as_ref().and_then(|session| session.profile.worktree.as_ref()) {
        Some(worktree) => of(worktree).ok(),
        None => orphan(&path).await,
    };
    let status = match &git {
        Some(git) => git.status().await.map_err(|error| error.to_string()),
        None => Err("it is no git worktree".to_owned()),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Listed { name, path, session, status, git }
}

/// Makes out a worktree whose session was deleted. Only a branch with our prefix is taken for ours.
async fn orphan(path: &Path) -> Option<git::Worktree> {
    let repository = git::repository(path).await.ok().flatten()?;
    let any = git::Worktree {
        common_dir: repository.common_dir,
        path: path.to_owned(),
        branch: "paseo/unknown".parse().ok()?,
    };
    let current = any.status().await.ok()?.branch.filter(|branch| branch.starts_with("paseo/"));
    let ours = current.and_then(|branch| branch.parse().ok());
    Some(match ours {
        Some(branch) => git::Worktree { branch, ..any },
        None => any,
    })
}

impl Listed {
    /// Removes the worktree. Refuses while anything would be lost, or while its session is open.
    pub(crate) async fn remove(&self, force: bool, handle: Option<&str>) -> Result<Removed, Failure> {
        if let Some(session) = self.session.as_ref().filter(|session| session.is_open()) {
            let handle = handle.unwrap_or("its agent");
            let words = if session.turn.is_some() { "works in it now" } else { "is still open" };
            return Err(Failure::new(Code::Conflict, format!("{handle}, whose worktree this is, {words}"))
                .hint(format!("close the agent first: paseo close {handle}")));
        }
        let git = self.git.as_ref().ok_or_else(|| {
            Failure::new(Code::Conflict, format!("{} is no git worktree", self.path.display()))
                .hint("delete the directory yourself if it is not needed")
        })?;
        let force = if force { Force::Yes } else { Force::No };
        git.remove(force).await.map_err(|error| match error {
            git::Error::Loss(_) => Failure::new(Code::Conflict, error.to_string())
                .hint("commit and merge or push it, or add --force: everything is archived first"),
            error => Failure::new(Code::Conflict, error.to_string()),
        })
    }
}

fn of(worktree: &Worktree) -> Result<git::Worktree, Failure> {
    Ok(git::Worktree {
        common_dir: worktree.repository.clone().into(),
        path: worktree.path.clone().into(),
        branch: branch(&worktree.branch)?,
    })
}

fn branch(name: &str) -> Result<BranchName, Failure> {
    name.parse().map_err(|error| refused(git::Error::BadName(error)))
}

fn checked_name(name: &str) -> Result<&str, Failure> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let good = !name.is_empty()
        && name.len() <= NAME_CHARS
        && name.chars().all(plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    good.then_some(name).ok_or_else(|| {
        Failure::new(Code::InvalidRequest, format!("`{}` is no name for a worktree", name.escape_debug())).hint(
            format!("use letters, digits, dots, dashes and underscores, at most {NAME_CHARS}, letter or digit first"),
        )
    })
}

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().filter(|text| text.len() <= PATH_BYTES).map(str::to_owned).ok_or_else(|| {
        Failure::new(Code::InvalidRequest, format!("{} is no path that can be stored", path.display()))
            .hint(format!("paths must be UTF-8 and at most {PATH_BYTES} bytes long"))
    })
}

fn refused(error: git::Error) -> Failure {
    let hint = match &error {
        git::Error::Unavailable(_) => Some("install git, or add --no-worktree"),
        git::Error::NoCommit => Some("commit something first, or add --no-worktree"),
        git::Error::UnknownBase(_) => Some("give a branch, a tag or a commit of this repository"),
        git::Error::Exists(_) => Some("choose another name, or remove it with `paseo worktree rm`"),
        git::Error::NoCheckout(_) => Some("start in a checkout, or add --no-worktree"),
        _ => None,
    };
    let failure = Failure::new(Code::InvalidRequest, error.to_string());
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
