//! Worktrees: what there is, and removing one.

use axum::Json;
use axum::extract::State;
use paseo_runtime::git::Operation;
use paseo_wire::error::Code;
use paseo_wire::page::PageQuery;
use paseo_wire::session::ForceQuery;
use paseo_wire::words::GitOperation;
use paseo_wire::worktree::{ArchiveView, RemovedWorktree, WorktreeEntry, WorktreeList};

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Caller, Path};
use crate::failure::Failure;
use crate::sessions::{Command, Uproot};
use crate::worktrees::{self, Listed};

pub(crate) async fn list(State(app): State<App>, Asked(query): Asked<PageQuery>) -> Answer<WorktreeList> {
    let worktrees = all(&app).await?.iter().map(|listed| entry(&app, listed)).collect();
    WorktreeList { worktrees, next: None }.asked(&query).map(Json)
}

pub(crate) async fn remove(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(ForceQuery { force }): Asked<ForceQuery>,
) -> Answer<RemovedWorktree> {
    let worktree = find(all(&app).await?, &typed)?;
    let name = worktree.name.clone();
    let removed = match worktree.session.as_ref().map(|session| session.id) {
        Some(owner) => {
            let uproot = Uproot { by, worktree, force };
            app.sessions.ask(owner, |reply| Command::Uproot(uproot, reply)).await?
        }
        None => worktree.remove(&app.sessions.context, force).await?,
    };
    let archive = removed.archive.map(|archive| ArchiveView {
        reference: archive.reference,
        commit: archive.commit,
        restore: archive.restore,
    });
    Ok(Json(RemovedWorktree { name, archive, branch_deleted: removed.branch_deleted }))
}

async fn all(app: &App) -> Result<Vec<Listed>, Failure> {
    let context = &app.sessions.context;
    worktrees::list(&context.home, &context.directory, &context.journal).await
}

/// Finds a worktree by its name, its branch, or the handle of its agent.
fn find(listed: Vec<Listed>, typed: &str) -> Result<Listed, Failure> {
    let is_meant = |listed: &Listed| {
        let branch = listed.status.as_ref().ok().and_then(|status| status.branch.as_deref());
        let id = listed.session.as_ref().map(|session| session.id.to_string());
        listed.name == typed
            || branch == Some(typed)
            || (typed.len() >= 4 && id.is_some_and(|id| id.starts_with(&typed.to_ascii_lowercase())))
    };
    let names: Vec<String> = listed.iter().map(|listed| listed.name.clone()).collect();
    let mut meant = listed.into_iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(found), None) => Ok(found),
        (Some(_), Some(_)) => {
            Err(Failure::new(Code::Ambiguous, format!("`{typed}` matches several worktrees"))
                .hint("use the name shown by `paseo worktree ls`"))
        }
        (None, _) => {
            let hint = match names.is_empty() {
                true => "no worktrees exist; create one with `paseo run --worktree`".to_owned(),
                false => format!("choose one of: {}", names.join(", ")),
            };
            Err(Failure::new(Code::NotFound, format!("worktree `{typed}` not found")).hint(hint))
        }
    }
}

pub(super) fn entry(app: &App, listed: &Listed) -> WorktreeEntry {
    let status = listed.status.as_ref().ok();
    WorktreeEntry {
        name: listed.name.clone(),
        path: listed.path.to_string_lossy().into_owned(),
        session: listed.session.as_ref().map(|session| session.id.into()),
        handle: listed.session.as_ref().map(|session| app.sessions.context.directory.handle(session.id)),
        open: listed.session.as_ref().is_some_and(|session| session.is_open()),
        branch: status.and_then(|status| status.branch.clone()),
        head: status.and_then(|status| status.head.clone()),
        ahead: status.map_or(0, |status| status.ahead),
        dirty: status.is_some_and(|status| status.dirty),
        operation: status.and_then(|status| status.operation).map(operation),
        present: status.is_some_and(|status| status.present),
        problem: listed.status.as_ref().err().cloned(),
    }
}

fn operation(operation: Operation) -> GitOperation {
    match operation {
        Operation::Merge => GitOperation::Merge,
        Operation::Rebase => GitOperation::Rebase,
        Operation::CherryPick => GitOperation::CherryPick,
        Operation::Revert => GitOperation::Revert,
        Operation::Bisect => GitOperation::Bisect,
    }
}
