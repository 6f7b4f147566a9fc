//! Nobody has others do what they could not have anyone do.

use paseo_core::actor::Actor;
use paseo_core::family;
use paseo_core::session::Session;
use paseo_core::tool::Ceiling;
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::sessions::Sessions;

/// Returns what the agents may have at most that a session has do things.
///
/// Whom a person's own agent may talk to is decided by its definition's lists, and what those may do by theirs. Agents
/// that were started by others have only what was passed on to them.
pub(super) fn above(caller: &Session) -> Ceiling {
    let own = caller.profile.ceiling.clone().unwrap_or_default();
    if caller.profile.created_by.is_human() { Ceiling { tools: None, mode: own.mode } } else { own }
}

/// Refuses to have somebody do what the caller could not have anyone do.
pub(super) fn may_ask(sessions: &Sessions, caller: &Session, target: &Session) -> Result<(), Failure> {
    let above = above(caller);
    let grants = sessions.context.grants(target);
    let mut excess: Vec<String> =
        grants.specs().iter().map(|spec| spec.name.to_owned()).filter(|name| !above.admits(name)).collect();
    if target.profile.permissions < above.mode {
        excess.push(format!("permissions {}", target.profile.permissions.word()));
    }
    if excess.is_empty() {
        return Ok(());
    }
    let handle = sessions.context.directory.handle(target.id);
    Err(Failure::new(
        Code::Forbidden,
        format!("tab {handle} may use what you may not pass on: {}", excess.join(", ")),
    )
    .hint("ask whoever started you to do it"))
}

/// Refuses the same to whoever writes to a tab. A person's own agents may write to each other, and everyone to those
/// that they descend from and to those that they answer.
pub(super) fn may_write_to(sessions: &Sessions, caller: &Session, target: &Session) -> Result<(), Failure> {
    let directory = &sessions.context.directory;
    let parent = |id| directory.get(id).and_then(|session| session.profile.parent);
    let asked = caller.turn.iter().flat_map(|turn| &turn.deliveries);
    let trusted = caller.profile.created_by.is_human()
        || caller.profile.created_by == Actor::Session(target.id)
        || family::ancestors(caller.id, parent).contains(&target.id)
        || asked.into_iter().any(|message| message.origin == Actor::Session(target.id));
    if trusted { Ok(()) } else { may_ask(sessions, caller, target) }
}
