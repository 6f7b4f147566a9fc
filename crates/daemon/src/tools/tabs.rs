//! Talking to other agents by their handles: `send_to_tab` and `read_tab`.

use paseo_core::actor::Actor;
use paseo_core::id::{CauseId, SessionId, TurnId};
use paseo_core::item::{self, Entry, Kind};
use paseo_core::limits::MESSAGE_BYTES;
use paseo_core::session::{self, Class, Session, Status, Verb};
use paseo_store::Text;
use paseo_wire::error::Code;
use serde_json::Value;

use crate::directory::Reach;
use crate::failure::Failure;
use crate::sessions::{Command, Message, Sessions};

/// Items that are looked at, at once, for the last answer.
const PAGE: usize = 500;

/// Delivers a message to another agent and says where it went. Waits for nothing.
pub(super) async fn send(sessions: &Sessions, caller: &Session, input: &Value) -> Result<String, Failure> {
    let target = resolve(sessions, input).await?;
    let text = argument(input, "message")?;
    if text.len() > MESSAGE_BYTES {
        return Err(invalid(format!(
            "the message has {} bytes; at most {MESSAGE_BYTES} are allowed",
            text.len()
        )));
    }
    let cause = inherited(caller, target)?;
    let message = Message {
        cause: Some(cause),
        origin: Actor::Session(caller.id),
        text: text.to_owned(),
        verb: Verb::Queue,
        class: Class::Message,
        waited: false,
        key: None,
    };
    let before =
        sessions.context.directory.get(target).map_or("idle", |session| word(session.condition.status));
    let receipt = sessions.ask(target, |reply| Command::Deliver(message, reply)).await?;
    let handle = &receipt.handle;
    Ok(match receipt.placement.as_str() {
        "started" => format!("Delivered to tab {handle} (status: {before} → started new turn). {END_TURN}"),
        "held" => {
            let why = match receipt.reason.as_deref() {
                Some("stopped") => "a person stopped it",
                Some("paused") => "a person paused it",
                _ => "agents have woken it as often as one request from a person allows",
            };
            format!(
                "HELD — do not keep resending. The message waits at tab {handle}, because {why}; it is taken up when a \
                 person writes there."
            )
        }
        _ => format!("Delivered to tab {handle} (status: {before} → queued). {END_TURN}"),
    })
}

/// Told with every delivery, so that nobody polls.
const END_TURN: &str = "Do not wait or poll for an answer: end your turn when you have nothing else to do.";

/// Returns the last completed answer of another agent, as it is now.
pub(super) async fn read(sessions: &Sessions, caller: &Session, input: &Value) -> Result<String, Failure> {
    let target = resolve(sessions, input).await?;
    if target == caller.id {
        return Err(invalid("this is your own tab".to_owned()));
    }
    let context = &sessions.context;
    let handle = context.directory.handle(target);
    let session = context
        .directory
        .get(target)
        .ok_or_else(|| Failure::new(Code::NotFound, format!("tab {handle} was closed")))?;
    let running = session.turn.as_ref().map(|turn| turn.id);
    let status = word(session.condition.status);
    let answer = last_answer(sessions, target, running).await?;
    let body = match (answer, running) {
        (Some(answer), None) => answer,
        (Some(answer), Some(_)) => {
            format!("[its turn is still in progress; this is the one before]\n{answer}")
        }
        (None, Some(_)) => "[its first turn is still in progress; no completed turn yet]".to_owned(),
        (None, None) => "Tab has no assistant responses yet.".to_owned(),
    };
    Ok(format!("<tab_response tab={handle} status={status}>{body}</tab_response>"))
}

/// Returns the answer of the newest turn that has one and is not under way.
async fn last_answer(
    sessions: &Sessions,
    target: SessionId,
    running: Option<TurnId>,
) -> Result<Option<String>, Failure> {
    let log = &sessions.context.journal.log;
    let stream = session::stream(target);
    let mut before = None;
    // Of one turn, newest first.
    let mut turn: Option<TurnId> = None;
    let mut items: Vec<(Kind, String)> = Vec::new();
    loop {
        let rows = log.items_before(&stream, before, PAGE).await?;
        before = rows.first().map(|row| row.ordinal);
        for row in rows.iter().rev() {
            let entry = row.data.as_deref().and_then(|data| serde_json::from_str::<Entry>(data).ok());
            let Some(entry) = entry.filter(|entry| entry.place.turn.is_some() && entry.place.turn != running)
            else {
                continue;
            };
            if entry.place.turn != turn {
                if let Some(answer) = answer(&items) {
                    return Ok(Some(answer));
                }
                turn = entry.place.turn;
                items.clear();
            }
            let text = match row.content.as_ref().map(|content| (content.id, &content.text)) {
                Some((_, Text::Inline(text))) => text.clone(),
                Some((id, Text::Large { .. })) if entry.kind == Kind::AssistantText => {
                    log.text(id).await?.unwrap_or_default()
                }
                _ => String::new(),
            };
            items.push((entry.kind, text));
        }
        if rows.len() < PAGE {
            return Ok(answer(&items));
        }
    }
}

fn answer(newest_first: &[(Kind, String)]) -> Option<String> {
    item::answer(newest_first.iter().rev().map(|(kind, text)| (kind, text.as_str())))
}

/// Finds the open agent that a handle names.
async fn resolve(sessions: &Sessions, input: &Value) -> Result<SessionId, Failure> {
    let typed = argument(input, "tab_id")?;
    let context = &sessions.context;
    context.directory.resolve(typed, Reach::Open, &context.journal).await
}

fn argument<'a>(input: &'a Value, name: &str) -> Result<&'a str, Failure> {
    let text = input.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| invalid(format!("`{name}` is missing or empty: give a text")))
}

/// Returns what an agent's message descends from.
pub(crate) fn inherited(sender: &Session, target: SessionId) -> Result<(CauseId, u32), Failure> {
    if sender.id == target {
        return Err(invalid("an agent cannot send a message to itself".to_owned()));
    }
    let current = sender.turn.as_ref().map(|turn| (turn.cause, turn.hop));
    let (cause, hop) = current
        .or(sender.history.cause)
        .ok_or_else(|| Failure::new(Code::Forbidden, "this agent was never asked to do anything"))?;
    Ok((cause, hop + 1))
}

/// One of the three words that agents know.
fn word(status: Status) -> &'static str {
    match status {
        Status::Starting | Status::Running | Status::Waiting => "running",
        Status::Error | Status::Interrupted => "error",
        Status::Idle | Status::Closed => "idle",
    }
}

fn invalid(message: String) -> Failure {
    Failure::new(Code::InvalidRequest, message)
}
