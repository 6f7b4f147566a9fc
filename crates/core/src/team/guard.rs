//! What a guarded agent may change: only what its leases cover. Reading is free and needs no claim.

use std::fmt;

use super::write::{Permit, Reason, covering};
use super::{Misplaced, Resource, Team};
use crate::permission::{Power, Request, Shape};
use crate::session::TeamSeat;
use crate::time::Timestamp;

/// What an agent wants to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// These files, all of them.
    Files(Vec<String>),
    /// Whatever a command reaches. What is not known for anything less counts as one.
    Shell,
}

impl Wish {
    /// Reads what a request would change; `None` when it changes nothing.
    pub fn of(request: &Request) -> Option<Self> {
        match request.power {
            Power::Read | Power::Net => None,
            Power::Shell => Some(Self::Shell),
            Power::Write => Some(request.shape.files().map_or(Self::Shell, Self::Files)),
        }
    }
}

/// Where an agent works. All paths are absolute and without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The project, which resources are parts of.
    pub project: String,
    /// The worktree that it works in.
    pub worktree: Option<Worktree>,
}

/// A worktree of the project: a path in it counts as the same path of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    pub root: String,
    /// The repository that it is a worktree of.
    pub repository: String,
    /// The agent has it for itself.
    pub alone: bool,
}

/// Says whether an agent has a worktree to itself: it belongs to its own membership, and no other member uses it.
pub fn is_alone<'a>(
    agent: Option<&TeamSeat>,
    whose: Option<&TeamSeat>,
    there: impl IntoIterator<Item = &'a TeamSeat>,
) -> bool {
    let Some(own) = agent else { return false };
    let same = |other: &TeamSeat| (&other.team, &other.agent) == (&own.team, &own.agent);
    whose.is_some_and(same) && there.into_iter().all(same)
}

/// Why a guarded agent may not change something, in words that it can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unleased {
    /// What it wanted to do, after "you may not".
    pub what: String,
    pub reason: Reason,
}

impl fmt::Display for Unleased {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = self.reason.advice();
        write!(
            f,
            "Not done: you may not {}. You may change only files of tasks that you own: {advice}. List \
             tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.",
            self.what,
        )
    }
}

impl std::error::Error for Unleased {}

impl Unleased {
    /// Quotes the request, where it is unknown what it touches.
    pub fn of(self, request: &Request) -> Self {
        match &request.shape {
            Shape::Unnamed { words } => {
                let what = format!("do `{}`, which counts as a command", shown(words));
                Self { what, ..self }
            }
            _ => self,
        }
    }
}

/// Decides whether an agent may change something now. Of several files all must be covered.
pub fn guard(team: &Team, agent: &str, wish: &Wish, site: &Site, now: Timestamp) -> Result<(), Unleased> {
    match wish {
        Wish::Files(paths) if paths.is_empty() => {
            shell(team, agent, site, now, "write to files without naming them")
        }
        Wish::Files(paths) => paths.iter().try_for_each(|path| {
            let permit = may_write(team, agent, path, site, now);
            let what = || format!("write to `{}`", shown(path));
            if permit.allow { Ok(()) } else { Err(Unleased { what: what(), reason: permit.reason }) }
        }),
        Wish::Shell => shell(team, agent, site, now, "run commands"),
    }
}

/// Decides whether an agent may write to a path, where it works.
pub fn may_write(team: &Team, agent: &str, path: &str, site: &Site, now: Timestamp) -> Permit {
    let refused = |reason| Permit { allow: false, reason };
    match site.resource(path) {
        Ok(path) => covering(team, agent, &path, now),
        Err(misplaced) => refused(misplaced.into()),
    }
}

/// Decides whether an agent may run a command, which may touch everything: it needs a lease on that. In a worktree of its
/// own it disturbs no other agent, so any lease will do.
pub fn may_run(team: &Team, agent: &str, site: &Site, now: Timestamp) -> Permit {
    let mut permit = covering(team, agent, &Resource::all(), now);
    let own = team.leases(now).find(|(_, _, lease)| lease.holder == agent).map(|(task, ..)| task);
    match (&permit.reason, own) {
        (Reason::Lease { .. } | Reason::Closed { .. }, _) => {}
        (_, Some(task)) if site.is_apart() => {
            permit = Permit { allow: true, reason: Reason::Apart { task } };
        }
        (Reason::NoLease, _) if site.is_apart() => permit.reason = Reason::NoTask,
        (Reason::NoLease, _) => permit.reason = Reason::NotAll,
        _ => {}
    }
    permit
}

fn shell(team: &Team, agent: &str, site: &Site, now: Timestamp, what: &str) -> Result<(), Unleased> {
    let Permit { allow, reason } = may_run(team, agent, site, now);
    if allow { Ok(()) } else { Err(Unleased { what: what.to_owned(), reason }) }
}

impl Site {
    /// Says whether what the agent does disturbs no other agent.
    fn is_apart(&self) -> bool {
        self.worktree.as_ref().is_some_and(|worktree| worktree.alone)
    }

    /// Returns the part of the project that a path is.
    fn resource(&self, path: &str) -> Result<Resource, Misplaced> {
        let whole = self.worktree.as_ref().and_then(|own| {
            let rest = path.strip_prefix(own.root.trim_end_matches('/'))?;
            let inside = rest.is_empty() || rest.starts_with('/');
            inside.then(|| format!("{}{rest}", own.repository.trim_end_matches('/')))
        });
        Resource::parse(whole.as_deref().unwrap_or(path), Some(&self.project))
    }
}

fn shown(path: &str) -> String {
    path.chars().take(300).flat_map(char::escape_debug).collect()
}
