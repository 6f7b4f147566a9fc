//! Worktrees of sessions: made before a session begins, listed, named by the agent, removed by a person.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use paseo_core::id::SessionId;
use paseo_core::limits::PATH_BYTES;
use paseo_core::session::{Profile, Session, Uprooted, Worktree};
use paseo_runtime::git::{self, BranchName, Force, Included, LeftOut, NewWorktree, Removed, Status};
use paseo_runtime::occupants::{Occupant, occupants};
use paseo_wire::error::Code;
use paseo_wire::message::PlaceNotes;
use tokio::time::Instant;

use crate::directory::Directory;
use crate::failure::Failure;
use crate::journal::Journal;
use crate::sessions::Context;

/// Longest name of a worktree.
const NAME_CHARS: usize = 60;
/// How long the processes of a session that was closed may take to go: longer than its shim lets them.
const LEAVING: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long closing a session may take longer for the sake of a look at its worktree.
const GLANCE: Duration = Duration::from_secs(3);

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
        if let Err(error) = self.git.take_back(&self.worktree.base).await {
            tracing::warn!(%error, path = %self.git.path.display(), "cannot remove a worktree without a session");
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
            Err(Failure::new(Code::InvalidRequest, "a worktree name or base was given without --worktree"))
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
            return Err(Failure::new(Code::Conflict, format!("{directory} is not in a git repository"))
                .hint("leave out --worktree and --base, or run `git init` and commit first"));
        }
        Ok(None) => {
            let note = "no worktree created: the directory is not in a git repository, so the agent works in it \
                        directly";
            return plainly(directory, Some(note.to_owned()));
        }
        // A caller that was promised a worktree must not get an agent in the checkout instead.
        Err(error) => return Err(refused(error, demanded)),
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
    let left_out = git::left_out(&repository).await.map_err(|error| refused(error, demanded))?;
    let created = match git::Worktree::create(new).await {
        Ok(created) => created,
        Err(git::Error::NoCommit) if !demanded => {
            let note =
                "no worktree created: the repository has no commits yet, so the agent works in it directly";
            return plainly(directory, Some(note.to_owned()));
        }
        Err(error) => return Err(refused(error, demanded)),
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
    // First those whose worktree was removed: another worktree may have taken its path.
    sessions.sort_by_key(|session| session.profile.uprooted.is_none());
    for session in sessions {
        if let Some(worktree) = present(&session.profile) {
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
    let git = match session.as_ref().and_then(|session| session.profile.worktree.as_deref()) {
        Some(worktree) => of(worktree).ok(),
        None => orphan(&path).await,
    };
    let status = match &git {
        Some(git) => git.status().await.map_err(|error| error.to_string()),
        None => Err("it is not a git worktree".to_owned()),
    };
    Listed { name: name_of(&path), path, session, status, git }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
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
    /// Removes the worktree. Refuses while anything would be lost, or while an agent is in it.
    pub(crate) async fn remove(&self, context: &Context, force: bool) -> Result<Removed, Failure> {
        self.check_agents(&context.directory)?;
        self.check_processes().await?;
        let git = self.git.as_ref().ok_or_else(|| {
            Failure::new(Code::Conflict, format!("{} is not a git worktree", self.path.display()))
                .hint("delete the directory yourself if you don't need it")
        })?;
        let force = if force { Force::Yes } else { Force::No };
        git.remove(force).await.map_err(|error| match error {
            git::Error::Loss(_) => Failure::new(Code::Conflict, error.to_string())
                .hint("commit and merge or push the work, or pass --force to archive everything first"),
            error => Failure::new(Code::Conflict, error.to_string()),
        })
    }

    /// Refuses while any open session works in it.
    fn check_agents(&self, directory: &Directory) -> Result<(), Failure> {
        let inside = |session: &Session| Path::new(&session.profile.directory).starts_with(&self.path);
        let Some(session) = directory.all().into_iter().find(|session| inside(session)) else {
            return Ok(());
        };
        let handle = directory.handle(session.id);
        let owner = self.session.as_ref().is_some_and(|owner| owner.id == session.id);
        let who = if owner { "which owns this worktree" } else { "whose working directory is in it" };
        let words = if session.turn.is_some() { "is working" } else { "is still open" };
        Err(Failure::new(Code::Conflict, format!("{handle}, {who}, {words}"))
            .hint(format!("close the agent first: paseo close {handle}")))
    }

    /// Refuses while a process works in it. One of a session that was just closed may take a moment to go.
    async fn check_processes(&self) -> Result<(), Failure> {
        let deadline = Instant::now() + LEAVING;
        loop {
            let path = self.path.clone();
            let found = tokio::task::spawn_blocking(move || occupants(&path)).await;
            let found = found.map_err(Failure::internal)?;
            if found.is_empty() {
                return Ok(());
            }
            if Instant::now() < deadline && found.iter().all(|occupant| occupant.ours) {
                tokio::time::sleep(LOOK_AGAIN).await;
                continue;
            }
            let names: Vec<String> = found.iter().take(3).map(Occupant::to_string).collect();
            let more = match found.len() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let words = format!("the worktree is in use by {}{more}", names.join(", "));
            return Err(Failure::new(Code::Conflict, words).hint("end the process, or change its directory"));
        }
    }
}

/// Looks at the worktree of a session that is closed or deleted, if it stays behind.
pub(crate) async fn left_by(session: &std::sync::Arc<Session>) -> Option<Listed> {
    let worktree = present(&session.profile)?;
    let path = PathBuf::from(&worktree.path);
    if !path.is_dir() {
        return None;
    }
    let owners = HashMap::from([(path.clone(), session.clone())]);
    let looked = tokio::time::timeout(GLANCE, look(path.clone(), &owners)).await;
    Some(looked.unwrap_or_else(|_| Listed {
        name: name_of(&path),
        session: Some(session.clone()),
        status: Err("inspecting it takes too long".to_owned()),
        git: None,
        path,
    }))
}

/// Returns a session's worktree, unless it was removed and has not been brought back.
pub(crate) fn present(profile: &Profile) -> Option<&Worktree> {
    let removed = |worktree: &&Worktree| profile.uprooted.is_some() && !Path::new(&worktree.path).is_dir();
    profile.worktree.as_deref().filter(|worktree| !removed(worktree))
}

/// Says that a session's directory is gone, if it is, and how to bring it back.
pub(crate) fn gone(profile: &Profile) -> Option<Failure> {
    if Path::new(&profile.directory).is_dir() {
        return None;
    }
    let what = |why: &str| {
        Failure::new(Code::Conflict, format!("working directory {} no longer exists{why}", profile.directory))
    };
    let Some(Ok(worktree)) = profile.worktree.as_deref().map(of) else {
        return Some(what("").hint("create it again, or start another agent"));
    };
    let command = match &profile.uprooted {
        _ if worktree.path.is_dir() => return Some(what("").hint("create it again in the worktree")),
        None => worktree.refill_command(),
        Some(Uprooted { kept: Some(kept) }) => worktree.restore_command(kept),
        Some(Uprooted { kept: None }) => return Some(what(": its worktree was removed")),
    };
    let why = if profile.uprooted.is_some() { ": its worktree was removed" } else { "" };
    Some(what(why).hint(format!("restore it with: {command}")))
}

fn of(worktree: &Worktree) -> Result<git::Worktree, Failure> {
    Ok(git::Worktree {
        common_dir: worktree.repository.clone().into(),
        path: worktree.path.clone().into(),
        branch: branch(&worktree.branch)?,
    })
}

fn branch(name: &str) -> Result<BranchName, Failure> {
    name.parse().map_err(|error| refused(git::Error::BadName(error), true))
}

fn checked_name(name: &str) -> Result<&str, Failure> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let good = !name.is_empty()
        && name.len() <= NAME_CHARS
        && name.chars().all(plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    good.then_some(name).ok_or_else(|| {
        Failure::new(Code::InvalidRequest, format!("invalid worktree name `{}`", name.escape_debug())).hint(
            format!(
                "use at most {NAME_CHARS} letters, digits, `-`, `_` and `.`, starting with a letter or digit"
            ),
        )
    })
}

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().filter(|text| text.len() <= PATH_BYTES).map(str::to_owned).ok_or_else(|| {
        Failure::new(Code::InvalidRequest, format!("cannot store the path {}", path.display()))
            .hint(format!("use a UTF-8 path of at most {PATH_BYTES} bytes"))
    })
}

/// Puts an error into words. `demanded`: someone asked for a worktree, and did not just get one by default.
fn refused(error: git::Error, demanded: bool) -> Failure {
    if let git::Error::Exists(path) = &error {
        let name = path.file_name().unwrap_or_default().display();
        let hint = format!("choose another name, or remove it: paseo worktree rm {name}");
        return Failure::new(Code::Conflict, error.to_string()).hint(hint);
    }
    let without = if demanded { "leave out --worktree" } else { "pass --no-worktree" };
    let hint = match &error {
        git::Error::Unavailable(_) => Some(format!("install git, or {without}")),
        git::Error::NoCommit => Some(format!("commit something first, or {without}")),
        git::Error::UnknownBase(_) => Some("use a branch, tag or commit of this repository".to_owned()),
        git::Error::NoCheckout(_) => Some(format!("start in a working tree, or {without}")),
        git::Error::BadName(_) | git::Error::Taken { .. } => None,
        _ => Some(format!("fix the problem, or {without} to work in the directory itself")),
    };
    let code = match &error {
        git::Error::BadName(_) => Code::InvalidRequest,
        git::Error::UnknownBase(_) => Code::NotFound,
        _ => Code::Conflict,
    };
    let failure = Failure::new(code, error.to_string());
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
