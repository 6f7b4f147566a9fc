//! What workers answer is posted to their threads: as themselves, and once, whatever happens to the daemon meanwhile.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::cut::head_and_tail;
use paseo_core::id::SessionId;
use paseo_core::limits::MESSAGE_BYTES;
use paseo_core::session::{self, Ended, Outcome, Session, Source};
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::mint;
use crate::sessions::{RequestKey, Sessions};
use crate::threads::{Speaker, Threads, Words};
use crate::tools::answers::{self, Extent};

/// How long to wait before something is posted again that could not be: longer each time, and at most.
const AGAIN: Duration = Duration::from_secs(5);
const AGAIN_AT_MOST: Duration = Duration::from_secs(300);
/// What ended longer ago was posted, or never will be: the key that keeps it from being posted twice is not kept for ever.
const FRESH_MILLIS: i64 = 28 * 24 * 3_600 * 1_000;

/// Posts what came of a turn.
pub(crate) async fn report(sessions: Sessions, worker: SessionId, ended: Ended) {
    let mut wait = AGAIN;
    while let Err(failure) = bring(&sessions, worker, &ended).await {
        if failure.code == Code::ShuttingDown {
            return;
        }
        if !may_pass(failure.code) {
            // The worker or its thread is gone, or it may not speak there, or not like this: it never will.
            tracing::warn!(session = %worker, error = %failure.message, "cannot post an answer");
            return;
        }
        tracing::warn!(session = %worker, error = %failure.message, "cannot post an answer yet");
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
pub(crate) fn unreported(session: &Session) -> Option<&Ended> {
    let age = mint::now().as_millis().saturating_sub(session.condition.since.as_millis());
    let fresh = session.profile.reports_to.is_some()
        && session.turn.is_none()
        && session.check.is_none()
        && age < FRESH_MILLIS;
    session.history.ended.as_deref().filter(|_| fresh)
}

async fn bring(sessions: &Sessions, worker: SessionId, ended: &Ended) -> Result<(), Failure> {
    let Some((session, _)) = sessions.context.journal.session(worker).await? else { return Ok(()) };
    let (Some(thread), Some(seat)) = (session.profile.reports_to, &session.profile.team) else {
        return Ok(());
    };
    // Whoever left a team says nothing in it any more, also when another has its name by now; nor does anybody in one
    // that was closed.
    if !sessions.context.teams()?.get(&seat.team).await?.is_member(worker) {
        return Ok(());
    }
    let account = answers::of_turn(sessions, worker, ended.turn, Extent::Answer).await?;
    let Some((text, failed)) = account_of(&session, ended, account.answer(), account.error()) else {
        return Ok(());
    };
    let speaker = Speaker {
        actor: Actor::Session(worker),
        id: seat.agent.clone(),
        cause: session.history.cause.map(|(cause, hop)| (cause, hop + 1)),
    };
    let text = head_and_tail(&text, MESSAGE_BYTES).into_owned();
    let words = Words { to: String::new(), text, reply_to: None, tags: Vec::new() };
    let key = RequestKey { scope: "worker".to_owned(), key: ended.turn.to_string(), body: [0; 32] };
    let threads = Threads::of(sessions);
    match failed {
        true => threads.post_failure(&speaker, thread, &words, Some(key)).await.map(drop),
        false => threads.post(&speaker, thread, &words, Some(key)).await.map(drop),
    }
}

/// Says what came of a turn, and whether that is a failure. `None` when there is nothing to say.
fn account_of(
    session: &Session,
    ended: &Ended,
    answer: Option<String>,
    error: Option<&str>,
) -> Option<(String, bool)> {
    let silent = || "(Finished without output.)".to_owned();
    match ended.outcome {
        Outcome::Completed => Some((answer.unwrap_or_else(silent), false)),
        Outcome::Failed => {
            let why = error.map(|why| format!(": {why}")).unwrap_or_else(|| ".".to_owned());
            let what = if ended.returned.is_empty() { "finish" } else { "begin" };
            // It may have gone on meanwhile.
            let setback = ended.returned.iter().find_map(|delivery| session::setback(session, *delivery));
            let again = setback.map(|setback| format!("\n\n{}", setback.again.words())).unwrap_or_default();
            Some((format!("I could not {what}{why}{again}"), true))
        }
        // Whoever stopped or closed it knows.
        Outcome::Interrupted if ended.source == Source::Person || !session.is_open() => None,
        // What it was told comes again by itself.
        Outcome::Interrupted if !ended.returned.is_empty() => None,
        Outcome::Interrupted => Some(("I was interrupted before I finished.".to_owned(), true)),
    }
}
