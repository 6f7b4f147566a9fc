//! Which agent is meant by what another one typed. Nobody is shown those with whom they have nothing to do.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use paseo_core::handle::{self, Resolution};
use paseo_core::id::SessionId;
use paseo_core::session::Session;
use paseo_wire::error::Code;

use crate::directory::{CANDIDATES, Reach, shown};
use crate::failure::Failure;
use crate::sessions::Sessions;

/// Open agents that can be meant.
pub(super) type Open = BTreeMap<SessionId, Arc<Session>>;

/// Returns the open agents that pass.
pub(super) fn open(sessions: &Sessions, seen: impl Fn(&Session) -> bool) -> Open {
    let open = sessions.context.directory.all().into_iter();
    open.filter(|session| seen(session)).map(|session| (session.id, session)).collect()
}

/// Finds the one that was typed among them; `None` when it is none of them.
pub(super) fn among(sessions: &Sessions, typed: &str, open: &Open) -> Result<Option<SessionId>, Failure> {
    let ids = match handle::resolve(typed, open) {
        Resolution::One(id) => return Ok(Some(id)),
        Resolution::None => return Ok(None),
        Resolution::Ambiguous(ids) => ids,
    };
    let message = format!("`{}` is ambiguous: {} agents match", shown(typed), ids.len());
    let candidates = ids.iter().take(CANDIDATES).filter_map(|id| open.get(id));
    let candidates = candidates.map(|session| sessions.context.directory.candidate(session)).collect();
    Err(Failure::new(Code::Ambiguous, message).hint("type one more character").candidates(candidates))
}

/// Finds the open agent that was typed, among those that pass. `nobody` is told when none of them is open.
pub(super) async fn find(
    sessions: &Sessions,
    typed: &str,
    seen: impl Fn(&Session) -> bool,
    nobody: &str,
) -> Result<SessionId, Failure> {
    let open = open(sessions, &seen);
    if let Some(id) = among(sessions, typed, &open)? {
        return Ok(id);
    }
    let context = &sessions.context;
    let closed = match context.directory.resolve(typed, Reach::OpenThenClosed, &context.journal).await {
        Ok(id) => context.journal.session(id).await?.map(|(session, _)| session),
        Err(failure) if matches!(failure.code, Code::NotFound | Code::Ambiguous) => None,
        Err(failure) => return Err(failure),
    };
    match closed.filter(|session| !session.is_open() && seen(session)) {
        Some(closed) => {
            let handle = context.directory.handle(closed.id);
            Err(Failure::new(Code::Closed, format!("tab {handle} is closed"))
                .hint("do not send again; only a person can reopen it"))
        }
        None => Err(unknown(sessions, typed, open, nobody)),
    }
}

fn unknown(sessions: &Sessions, typed: &str, open: Open, nobody: &str) -> Failure {
    let directory = &sessions.context.directory;
    let mut open: Vec<Arc<Session>> = open.into_values().collect();
    // Whoever typed a name is shown the agent that has it, however many there are.
    let named = |session: &Session| session.naming.shown() == Some(typed.trim());
    open.sort_by_key(|session| (!named(session), Reverse(session.updated_at)));
    let names = open.iter().take_while(|session| named(session)).take(CANDIDATES);
    let names: Vec<String> = names.map(|session| directory.handle(session.id)).collect();
    let hint = match (names.as_slice(), open.len()) {
        ([], 0) => nobody.to_owned(),
        ([], all) if all > CANDIDATES => format!("{all} agents are open; these are the newest"),
        ([], _) => "choose one of the open agents".to_owned(),
        (names, _) => format!("use a handle instead of a name: {}", names.join(" or ")),
    };
    let candidates = open.iter().take(CANDIDATES).map(|session| directory.candidate(session)).collect();
    Failure::new(Code::NotFound, format!("no agent matches `{}`", shown(typed)))
        .hint(hint)
        .candidates(candidates)
}
