//! The table of routes: it builds the router, feeds the OpenAPI document and the test that tries them all.

mod access;
mod agents;
mod bridge;
mod daemon;
mod external;
mod files;
mod messages;
mod notifications;
mod permissions;
mod providers;
mod sessions;
mod teamd;
mod teams;
mod threads;
mod tools;
mod web;
mod workers;
mod worktrees;

use super::route::{Group, Route};

/// Every route there is, by subject, in the order of the document.
pub(crate) static GROUPS: &[&Group] = &[
    &sessions::SESSIONS,
    &messages::MESSAGES,
    &files::FILES,
    &permissions::PERMISSIONS,
    &agents::AGENTS,
    &providers::PROVIDERS,
    &threads::THREADS,
    &teams::TEAMS,
    &workers::WORKERS,
    &worktrees::WORKTREES,
    &tools::TOOLS,
    &external::EXTERNAL,
    &access::ACCESS,
    &notifications::NOTIFICATIONS,
    &daemon::DAEMON,
    &bridge::BRIDGE,
    &teamd::TEAMD,
    &web::WEB,
];

/// Returns every route.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    GROUPS.iter().flat_map(|group| group.routes)
}

/// Says whether the body of a request to this path is a file.
pub(super) fn is_streamed(path: &str) -> bool {
    all().any(|route| route.streamed && route.path == path)
}
