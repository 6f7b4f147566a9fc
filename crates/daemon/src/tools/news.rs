//! What a watcher is told.

use paseo_core::id::SessionId;
use paseo_core::limits::ANSWER_CHARS;
use paseo_core::session::{self, On, Receipt, Watch};

use super::answers;
use crate::failure::Failure;
use crate::sessions::Sessions;

/// Returns the news about what is watched.
pub(crate) async fn about(sessions: &Sessions, watched: SessionId, watch: &Watch) -> Result<String, Failure> {
    let context = &sessions.context;
    let handle = called(sessions, watched).await;
    let (delivery, due) = match (&watch.on, &watch.due) {
        (On::Idle, _) if context.directory.get(watched).is_none() => {
            return Ok(format!("[notice] Tab {handle} was closed."));
        }
        (On::Idle, _) => return Ok(format!("[notice] Tab {handle} is idle now.")),
        (On::Delivery(_), None) => {
            return Ok(format!("[notice] Tab {handle} was closed before it took up what you sent."));
        }
        (On::Delivery(delivery), Some(due)) => (*delivery, due),
    };
    let account = match due.turn {
        Some(turn) => answers::of_turn(sessions, watched, turn).await?,
        None => answers::Account::default(),
    };
    let (how, words) = match due.receipt {
        Receipt::Answered => ("has finished what you asked for", account.answer()),
        Receipt::Failed => ("failed at what you asked for", account.error().map(str::to_owned)),
        Receipt::Interrupted => ("was interrupted before it finished what you asked for", account.answer()),
        _ => ("will not do what you asked for: the message was withdrawn", None),
    };
    let setback = context.directory.get(watched).and_then(|session| session::setback(&session, delivery));
    let again = setback.map(|setback| format!("\n\n{}", setback.again.words())).unwrap_or_default();
    let id = due.turn.map(|turn| format!(", responseId {turn}")).unwrap_or_default();
    let words = words.unwrap_or_else(|| "It said nothing.".to_owned());
    Ok(format!("[notice] Tab {handle} {how} ({watched}{id}).\n\n{}{again}", cut(&words).0))
}

/// Returns the handle of a session, for a worker with the name that others know it by, and its thread.
async fn called(sessions: &Sessions, watched: SessionId) -> String {
    let context = &sessions.context;
    let handle = context.directory.handle(watched);
    let Some(session) = context.directory.get(watched) else { return handle };
    let Some(name) = &session.profile.terminal else { return handle };
    let team = match (&session.profile.team, context.teams()) {
        (Some(seat), Ok(teams)) => teams.get(&seat.team).await.ok(),
        _ => None,
    };
    let thread = team.zip(session.profile.reports_to).and_then(|(team, thread)| {
        team.threads.iter().find(|(_, known)| known.thread == thread).map(|(alias, _)| format!(", {alias}"))
    });
    format!("{handle} (worker {name}{})", thread.unwrap_or_default())
}

/// Cuts an answer to what another agent gets of it, and says whether that was needed.
pub(crate) fn cut(text: &str) -> (String, bool) {
    match text.char_indices().nth(ANSWER_CHARS) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text.to_owned(), false),
    }
}
