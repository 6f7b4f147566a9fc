//! Routes: Git worktrees of agents.

use axum::routing::{delete, get};
use paseo_wire::page::PageQuery;
use paseo_wire::session::ForceQuery;

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::worktrees;

pub(super) static WORKTREES: Group = Group {
    tag: "worktrees",
    about: "Git worktrees of agents.",
    routes: &[
        route("listWorktrees", "GET", "/api/worktrees", Access::Human, || get(worktrees::list))
            .says("List agents' git worktrees")
            .asks(query::<PageQuery>())
            .gives("WorktreeList"),
        route("deleteWorktree", "DELETE", "/api/worktrees/{worktree}", Access::Human, || {
            delete(worktrees::remove)
        })
        .says("Delete a worktree; fails if work would be lost, unless `force` archives it first")
        .asks(query::<ForceQuery>())
        .gives("RemovedWorktree"),
    ],
};
