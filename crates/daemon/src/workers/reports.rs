//! What workers answer is posted to their threads: as themselves, and once, whatever happens to the daemon meanwhile.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::cut::head_and_tail;
use paseo_core::id::{SessionId, TurnId};
use paseo_core::limits::MESSAGE_BYTES;
use paseo_core::session::{Receipt, Session, Source};
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::mint;
use crate::sessions::{RequestKey, Sessions};
use crate::threads::{Speaker, Threads, Words};
use crate::tools::answers;

/// How long to wait before something is posted again that could not be: longer each time, and at most.
const AGAIN: Duration = Duration::from_secs(5);
const AGAIN_AT_MOST: Duration = Duration::from_secs(300);
/// What ended longer ago was posted, or never will be: the key that keeps it from being posted twice is not kept for ever.
const FRESH_MILLIS: i64 = 28 * 24 * 3_600 * 1_000;

/// Posts what came of a turn.
pub(crate) async fn report(sessions: Sessions, worker: SessionId, turn: TurnId) {
    let mut wait = AGAIN;
    while let Err(failure) = bring(&sessions, worker, turn).await {
        if failure.code == Code::ShuttingDown {
            return;
        }
        if !may_pass(failure.code) {
            // The worker or its thread is gone, or it may not speak there, or not like this: it never will.
            tracing::warn!(session = %worker, error = %failure.message, "an answer is not posted");
            return;
        }
        tracing::warn!(session = %worker, error = %failure.message, "an answer waits to be posted");
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(AGAIN_AT_MOST);
    }
}

/// Says whether what cannot be posted now may be posted later.
fn may_pass(code: Code) -> bool {
    matches!(
        code,
        Code::StorageUnavailable
            | Code::Internal
            | Code::Conflict
            | Code::TooManyMessages
            | Code::ThreadPaused
            | Code::ParticipantMuted
    )
}

/// Returns the turn of a worker that may have ended without a word about it: the daemon ended just then.
pub(crate) fn unreported(session: &Session) -> Option<TurnId> {
    let age = mint::now().as_millis().saturating_sub(session.condition.since.as_millis());
    let fresh = session.profile.reports_to.is_some() && session.turn.is_none() && age < FRESH_MILLIS;
    session.recent.last().filter(|_| fresh)?.turn
}

async fn bring(sessions: &Sessions, worker: SessionId, turn: TurnId) -> Result<(), Failure> {
    let Some((session, _)) = sessions.context.journal.session(worker).await? else { return Ok(()) };
    let (Some(thread), Some(seat)) = (session.profile.reports_to, &session.profile.team) else {
        return Ok(());
    };
    // Whoever left a team says nothing in it any more, also when another has its name by now; nor does anybody in one
    // that was closed.
    if !sessions.context.teams()?.get(&seat.team).await?.is_member(worker) {
        return Ok(());
    }
    let settled = session.recent.iter().rev().find(|settled| settled.turn == Some(turn));
    let account = answers::of_turn(sessions, worker, turn).await?;
    let (text, failed) = match settled.map(|settled| settled.receipt) {
        Some(Receipt::Failed) => {
            let why = account.error().map(|why| format!(": {why}")).unwrap_or_else(|| ".".to_owned());
            (format!("I could not finish{why}"), true)
        }
        // Whoever stopped or closed it knows.
        Some(Receipt::Interrupted) if session.condition.source == Source::Person || !session.is_open() => {
            return Ok(());
        }
        Some(Receipt::Interrupted) => ("I was interrupted before I had finished.".to_owned(), true),
        _ => {
            let silent = || "(I have finished and have nothing to say.)".to_owned();
            (account.answer().unwrap_or_else(silent), false)
        }
    };
    let speaker = Speaker {
        actor: Actor::Session(worker),
        id: seat.agent.clone(),
        cause: session.history.cause.map(|(cause, hop)| (cause, hop + 1)),
    };
    let text = head_and_tail(&text, MESSAGE_BYTES).into_owned();
    let words = Words { to: String::new(), text, reply_to: None, tags: Vec::new() };
    let key = RequestKey { scope: "worker".to_owned(), key: turn.to_string(), body: [0; 32] };
    let threads = Threads::of(sessions);
    match failed {
        true => threads.post_failure(&speaker, thread, &words, Some(key)).await.map(drop),
        false => threads.post(&speaker, thread, &words, Some(key)).await.map(drop),
    }
}
