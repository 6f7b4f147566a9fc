//! Who may write where.

use super::{Misplaced, Resource, TaskId, Team, TeamId};
use crate::time::Timestamp;

/// Whether a member may write to a path, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    pub allow: bool,
    pub reason: Reason,
}

/// Why a member may or may not write to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It has a lease on a task with a resource that covers the path.
    Lease {
        task: TaskId,
        resource: Resource,
    },
    /// It wants to run a command, works in a worktree of its own, and has a lease.
    Apart {
        task: TaskId,
    },
    InvalidPath,
    /// A link on the way leads nowhere, or it cannot be followed.
    Nowhere(String),
    Traversal,
    OutsideProject {
        project: String,
    },
    /// Another has it.
    Held {
        task: TaskId,
        holder: String,
        resource: Resource,
    },
    NoLease,
    /// A command needs all of the project.
    NotAll,
    /// It has no task at all.
    NoTask,
    /// It is closed, and all its leases have ended.
    Closed {
        team: TeamId,
    },
}

impl From<Misplaced> for Reason {
    fn from(misplaced: Misplaced) -> Self {
        match misplaced {
            Misplaced::Malformed(_) | Misplaced::Pattern(_) => Self::InvalidPath,
            Misplaced::Upwards(_) => Self::Traversal,
            Misplaced::Outside(_, project) => Self::OutsideProject { project },
        }
    }
}

impl Reason {
    /// Returns the word that clients know.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Lease { .. } | Self::Apart { .. } => "lease_active_for_resource",
            Self::InvalidPath | Self::Nowhere(_) => "invalid_path",
            Self::Traversal => "path_traversal_denied",
            Self::OutsideProject { .. } => "outside_project",
            Self::Held { .. } | Self::NoLease | Self::NotAll | Self::NoTask => "no_active_lease_for_path",
            Self::Closed { .. } => "team_closed",
        }
    }

    /// Says what to do about it, in words that an agent can act on.
    pub fn advice(&self) -> String {
        match self {
            Self::Lease { task, resource } => format!("you own {task}, which covers `{resource}`"),
            Self::Apart { task } => format!("you own {task} and run commands in your own worktree"),
            Self::InvalidPath => "not a path: give a file or directory in the project".to_owned(),
            Self::Nowhere(why) => format!("the path cannot be resolved: {why}"),
            Self::Traversal => "the path contains `..`: name a path inside the project directory".to_owned(),
            Self::OutsideProject { project } => format!("the path is outside the project {project}"),
            Self::Held { task, holder, resource } => format!(
                "{holder} owns {task}, which covers `{resource}`: wait until it is done, or ask {holder}"
            ),
            Self::NoLease => "you own no task that covers the path: claim or create one".to_owned(),
            Self::NotAll => {
                "a command could change any file, so claim a task whose resource is `.`, or use the file tools"
                    .to_owned()
            }
            Self::NoTask => "you own no task: claim one first".to_owned(),
            Self::Closed { team } => {
                format!("team {team} is closed and its tasks are no longer owned")
            }
        }
    }

    /// Says the same to `reader`, who may be that agent or another.
    pub fn advice_about(&self, agent: &str, reader: &str) -> String {
        match self {
            _ if agent == reader => self.advice(),
            Self::Lease { task, resource } => format!("{agent} owns {task}, which covers `{resource}`"),
            Self::Apart { task } => {
                format!("{agent} owns {task} and runs commands in its own worktree")
            }
            Self::NoLease => {
                format!("{agent} owns no task that covers the path, and needs one to write to it")
            }
            Self::NotAll => {
                format!("a command could change any file, and {agent} owns no task whose resource is `.`")
            }
            Self::NoTask => format!("{agent} owns no task, and needs one to run commands"),
            Self::Held { task, holder, resource } => {
                let held = if holder == reader { "you own".to_owned() } else { format!("{holder} owns") };
                format!(
                    "{held} {task}, which covers `{resource}`; once {task} is completed, {agent} can claim a \
                     task that covers the path"
                )
            }
            Self::InvalidPath
            | Self::Nowhere(_)
            | Self::Traversal
            | Self::OutsideProject { .. }
            | Self::Closed { .. } => self.advice(),
        }
    }
}

/// Decides whether an agent may write to a path now. A shell command may touch everything: its path is `.`.
pub fn can_write(team: &Team, agent: &str, path: &str, now: Timestamp) -> Permit {
    match Resource::parse(path, team.directory.as_deref()) {
        Ok(path) => covering(team, agent, &path, now),
        Err(misplaced) => Permit { allow: false, reason: misplaced.into() },
    }
}

/// Decides whether an agent may write to a part of the project now.
pub(super) fn covering(team: &Team, agent: &str, path: &Resource, now: Timestamp) -> Permit {
    if team.closed_at.is_some() {
        return Permit { allow: false, reason: Reason::Closed { team: team.id.clone() } };
    }
    let mut other = None;
    for (id, task, lease) in team.leases(now) {
        let Some(resource) = task.resources.iter().find(|resource| resource.covers(path)) else { continue };
        let resource = resource.clone();
        if lease.holder == agent {
            return Permit { allow: true, reason: Reason::Lease { task: id, resource } };
        }
        let holder = lease.holder.clone();
        other.get_or_insert(Reason::Held { task: id, holder, resource });
    }
    Permit { allow: false, reason: other.unwrap_or(Reason::NoLease) }
}
