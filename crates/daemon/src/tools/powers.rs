//! Nobody has others do what they could not have anyone do.

use paseo_core::actor::Actor;
use paseo_core::family;
use paseo_core::session::Session;
use paseo_core::tool::{Asked, Ceiling, SET_BRANCH, SET_TITLE};
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::sessions::Sessions;

/// Returns what a session may pass on.
pub(crate) fn ceiling(sessions: &Sessions, session: &Session) -> Ceiling {
    match sessions.context.definitions.of(session) {
        Ok(definition) => Ceiling::of(session, &definition),
        // Whoever follows nothing passes nothing on.
        Err(_) => Ceiling { tools: Some(Default::default()), mode: session.profile.permissions },
    }
}

/// Returns the most that the agents of a definition may have when a session asks them.
pub(crate) fn above(sessions: &Sessions, caller: &Session, slug: &str) -> Ceiling {
    let catalogue = sessions.context.definitions.catalogue(&caller.profile.project);
    match catalogue.followed(caller) {
        Ok(definition) => {
            let asked = Asked { slug, is_trusted: catalogue.is_trusted(slug) };
            Ceiling::of_asked(caller, &definition, asked)
        }
        Err(_) => ceiling(sessions, caller),
    }
}

/// Refuses to have somebody do what the caller could not have anyone do, be it by those whom they start in turn.
pub(super) fn may_ask(sessions: &Sessions, caller: &Session, target: &Session) -> Result<(), Failure> {
    let above = above(sessions, caller, target.profile.slug());
    let grants = sessions.context.grants(target);
    let mut excess = ceiling(sessions, target).beyond(&above);
    for spec in grants.specs().iter().filter(|spec| !above.admits(spec.name)) {
        if !excess.iter().any(|name| name == spec.name) {
            excess.push(spec.name.to_owned());
        }
    }
    // Its own two are nobody's business.
    excess.retain(|name| !matches!(name.as_str(), SET_TITLE | SET_BRANCH));
    if target.profile.permissions < above.mode && !excess.iter().any(|what| what.starts_with("permissions")) {
        excess.push(format!("permissions {}", target.profile.permissions.word()));
    }
    if excess.is_empty() {
        return Ok(());
    }
    let handle = sessions.context.directory.handle(target.id);
    Err(Failure::new(
        Code::Forbidden,
        format!("tab {handle} has permissions that you cannot pass on: {}", excess.join(", ")),
    )
    .hint("ask your parent agent"))
}

/// Refuses the same to whoever writes to a tab. A person's own agents may write to each other, and everyone to those
/// that they descend from and to those that they answer.
pub(crate) fn may_write_to(sessions: &Sessions, caller: &Session, target: &Session) -> Result<(), Failure> {
    let directory = &sessions.context.directory;
    let parent = |id| directory.get(id).and_then(|session| session.profile.parent);
    let asked = caller.turn.iter().flat_map(|turn| &turn.deliveries);
    let trusted = caller.profile.created_by.is_human()
        || caller.profile.created_by == Actor::Session(target.id)
        || family::ancestors(caller.id, parent).contains(&target.id)
        || asked.into_iter().any(|message| message.origin == Actor::Session(target.id));
    if trusted { Ok(()) } else { may_ask(sessions, caller, target) }
}
