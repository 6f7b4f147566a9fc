//! Coming back from an agent to the one that a person came from, with a summary of what was decided.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::id::{CauseId, DeliveryId, SessionId, TurnId};
use paseo_core::limits::ANSWER_CHARS;
use paseo_core::session::{Receipt as Stage, Status};
use paseo_wire::conversation::{GoBack, WentBack};
use paseo_wire::error::Code;
use tokio::time::{Instant, sleep_until};

use super::App;
use super::conversations::words;
use super::reply::Answer;
use super::request::{Body, Caller, Path};
use super::sessions::{check_text, resolve, whole};
use crate::failure::Failure;
use crate::sessions::{Command, Message, RequestKey};
use crate::tools::answers::{self, Extent};
use crate::tools::news;

/// How long an agent may take to sum up.
const PATIENCE: Duration = Duration::from_secs(600);
/// What an agent is asked when a person switches back.
const SUM_UP: &str = "I am returning to the previous agent. Summarise for it what we decided here and what \
                      it needs to know to continue, in a few sentences. Output only the summary: it is \
                      passed on verbatim.";

/// Brings a person back to where they came from, with a summary of what was decided.
pub(crate) async fn back(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(request): Body<GoBack>,
) -> Answer<WentBack> {
    if let Some(text) = &request.text {
        check_text(text)?;
    }
    let id = resolve(&app, &by, &typed).await?;
    // The way back is the daemon's, not that of the connection that asked for it.
    let going = tokio::spawn(go_back(app, by, id, request.text));
    going.await.map_err(Failure::internal)?.map(Json)
}

async fn go_back(app: App, by: Actor, id: SessionId, text: Option<String>) -> Result<WentBack, Failure> {
    let sessions = &app.sessions;
    let handle = sessions.context.directory.handle(id);
    let from = came_from(&app, id).await?.ok_or_else(|| {
        Failure::new(Code::Conflict, format!("you did not switch to {handle} from another agent"))
            .hint("switch first with `paseo switch SLUG`")
    })?;
    if sessions.context.journal.session(from).await?.is_none() {
        sessions.ask(id, |reply| Command::Enter { by, from: None, reply }).await?;
        return Err(Failure::new(Code::NotFound, "the previous agent was deleted")
            .hint(format!("stay in {handle}, or switch to another agent")));
    }

    let asked = Message { waited: true, ..words(by.clone(), text.unwrap_or_else(|| SUM_UP.to_owned())) };
    let receipt = sessions.ask(id, |reply| Command::Deliver(asked, reply)).await?;
    let delivery = receipt.delivery.parse().map_err(Failure::internal)?;
    let summary = summary(&app, &handle, id, delivery).await?;

    // Another request may have been faster.
    if came_from(&app, id).await? != Some(from) {
        return Err(Failure::new(
            Code::Conflict,
            format!("you have already switched back from {handle}, or switched to it from another agent"),
        )
        .hint(format!("run `paseo read {handle}` to see its summary")));
    }
    sessions.ask(from, |reply| Command::Reopen(by.clone(), reply)).await?;
    let cause: CauseId = receipt.cause.parse().map_err(Failure::internal)?;
    let passed_on = Message {
        // One further from the person than the turn that they asked for.
        cause: Some((cause, 1)),
        key: Some(RequestKey { scope: "back".to_owned(), key: delivery.to_string(), body: [0; 32] }),
        ..words(Actor::Session(id), summary.clone())
    };
    let receipt = sessions.ask(from, |reply| Command::Deliver(passed_on, reply)).await?;
    sessions.ask(id, |reply| Command::Enter { by, from: None, reply }).await?;
    Ok(WentBack { session: whole(&app, from).await?, left: id.into(), summary, receipt })
}

/// Returns where the person came from who is in a session.
async fn came_from(app: &App, id: SessionId) -> Result<Option<SessionId>, Failure> {
    let (session, _) = app
        .sessions
        .context
        .journal
        .session(id)
        .await?
        .ok_or_else(|| Failure::new(Code::NotFound, "the agent was deleted"))?;
    Ok(session.entered.map(|entered| entered.from))
}

/// Waits for what an agent sums up.
async fn summary(app: &App, handle: &str, id: SessionId, delivery: DeliveryId) -> Result<String, Failure> {
    let refused = |why: &str| {
        Failure::new(Code::Conflict, format!("{handle} {why}; you have not switched back"))
            .hint(format!("see `paseo logs {handle}`, then try `paseo switch --back` again"))
    };
    let (receipt, turn) = match settled(app, id, delivery).await? {
        Some((receipt, Some(turn))) => (receipt, turn),
        Some((Stage::Handed, None)) => {
            let asks = refused("is waiting for permission and has not written the summary");
            let terminal =
                app.sessions.context.directory.get(id).and_then(|one| one.profile.terminal.clone());
            let hint = match terminal {
                Some(name) => format!("run `paseo worker attach {name}`, then switch back"),
                None => {
                    format!(
                        "run `paseo permit allow {handle}` or `paseo permit deny {handle}`, then switch back"
                    )
                }
            };
            return Err(Failure { code: Code::WaitingForPermission, ..asks.hint(hint) });
        }
        Some((_, None)) => return Err(refused("did not accept the request for a summary")),
        None => {
            let minutes = PATIENCE.as_secs() / 60;
            return Err(refused(&format!(
                "did not write the summary within {minutes} minutes and is still working"
            )));
        }
    };
    let account = answers::of_turn(&app.sessions, id, turn, Extent::AnswerHead(ANSWER_CHARS)).await?;
    match (receipt, account.answer()) {
        (Stage::Answered, Some(answer)) => Ok(news::cut(&answer).0),
        (Stage::Answered, None) => Err(refused("returned an empty summary")),
        (Stage::Failed, _) => {
            let why = account.error().map(|error| format!(": {error}")).unwrap_or_default();
            Err(refused(&format!("failed to write the summary{why}")))
        }
        _ => Err(refused("was interrupted before it wrote the summary")),
    }
}

/// Waits for the outcome of a message, and which turn took it; `None` when that takes too long. An agent that asks for
/// permission meanwhile is not waited for: it still has the message, and no turn is told.
async fn settled(
    app: &App,
    id: SessionId,
    delivery: DeliveryId,
) -> Result<Option<(Stage, Option<TurnId>)>, Failure> {
    let (context, until) = (&app.sessions.context, Instant::now() + PATIENCE);
    let gone = Some((Stage::Cancelled, None));
    loop {
        // Before looking, so that nothing is missed in between.
        let changed = context.directory.changes();
        let open = context.directory.get(id);
        match open.as_ref().and_then(|session| session.receipt(delivery)) {
            Some(held @ Stage::Held(_)) => return Ok(Some((held, None))),
            Some(Stage::Handed)
                if open.is_some_and(|session| session.condition.status == Status::Waiting) =>
            {
                return Ok(Some((Stage::Handed, None)));
            }
            Some(_) => {}
            // What is settled only the log knows.
            None => {
                let Some((session, _)) = context.journal.session(id).await? else { return Ok(gone) };
                let settled = session.recent.iter().rev().find(|settled| settled.id == delivery);
                if let Some(settled) = settled {
                    return Ok(Some((settled.receipt, settled.turn)));
                }
                if !session.is_open() || session.receipt(delivery).is_none() {
                    return Ok(gone);
                }
            }
        }
        tokio::select! {
            () = changed => {}
            () = sleep_until(until) => return Ok(None),
        }
    }
}
