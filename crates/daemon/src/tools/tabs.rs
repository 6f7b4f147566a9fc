//! Talking to other agents by their handles: `send_to_tab` and `read_tab`.

use paseo_core::actor::Actor;
use paseo_core::delegation::State;
use paseo_core::envelope;
use paseo_core::id::{CauseId, SessionId};
use paseo_core::limits::ANSWER_CHARS;
use paseo_core::session::{self, Class, On, Session, Status, Verb, Watch};
use paseo_wire::error::Code;
use paseo_wire::words::Placement;
use serde_json::Value;

use super::addressing;
use super::answers::{self, Extent};
use super::arguments::{self, invalid};
use super::delegated::Delegated;
use super::powers;
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{Command, Message, Sessions};

/// Delivers a message to another agent and says where it went. Waits for nothing.
pub(super) async fn send(sessions: &Sessions, caller: &Session, input: &Value) -> Result<Delegated, Failure> {
    let target = resolve(sessions, caller, input).await?;
    let text = arguments::message(input, "message")?;
    let cause = admitted(sessions, caller, target)?;
    let message = Message {
        attachments: Vec::new(),
        cause: Some(cause),
        origin: Actor::Session(caller.id),
        text: text.to_owned(),
        verb: Verb::Queue,
        class: Class::Message,
        waited: false,
        aside: false,
        schema: None,
        notify: None,
        key: None,
    };
    let before =
        sessions.context.directory.get(target).map_or("idle", |session| word(session.condition.status));
    let receipt = sessions.ask(target, |reply| Command::Deliver(message, reply)).await?;
    let handle = &receipt.handle;
    let (state, text) = match receipt.placement {
        Placement::Started => (
            State::Sent,
            format!("Delivered to tab {handle} (status: {before} → started new turn). {END_TURN}"),
        ),
        Placement::Held => {
            let why = arguments::held_words(receipt.reason.as_ref());
            let text = format!(
                "HELD — do not keep resending. The message is held at tab {handle}, because {why}; it is \
                 delivered when a person writes to that agent."
            );
            (State::Held, text)
        }
        _ => (State::Sent, format!("Delivered to tab {handle} (status: {before} → queued). {END_TURN}")),
    };
    Ok(Delegated::ok(target, state, text))
}

/// Told with every delivery, so that nobody polls.
const END_TURN: &str = "Do not wait or poll for an answer: end your turn when you have nothing else to do.";

/// Has the caller told, once, when another agent has nothing left to do.
pub(super) async fn notify_when_idle(
    sessions: &Sessions,
    caller: &Session,
    input: &Value,
) -> Result<String, Failure> {
    let target = resolve(sessions, caller, input).await?;
    let (cause, hop) = inherited(caller, target)?;
    let context = &sessions.context;
    let handle = context.directory.handle(target);
    let open = context.directory.get(target);
    let busy = open.filter(|session| session.turn.is_some() || session::next(session).is_some());
    let Some(session) = busy else { return Ok(format!("Tab {handle} is already idle.")) };
    let mine = |watch: &Watch| watch.watcher == caller.id && watch.on == On::Idle;
    if !session.watches.iter().any(mine) {
        let (id, watcher, class) = (mint::watch(), caller.id, Class::Passive);
        let watch =
            Watch { id, watcher, on: On::Idle, cause, hop, class, due: None, request: None, notice: None };
        sessions.ask(target, |reply| Command::Watch(watch, reply)).await?;
    }
    Ok(format!(
        "You will be notified once, with your next turn, when tab {handle} has nothing left to do. {END_TURN}"
    ))
}

/// Returns what another agent said in its last completed turn, as it is now.
pub(super) async fn read(sessions: &Sessions, caller: &Session, input: &Value) -> Result<String, Failure> {
    let target = resolve(sessions, caller, input).await?;
    if target == caller.id {
        return Err(invalid("this is your own tab".to_owned()));
    }
    let context = &sessions.context;
    let handle = context.directory.handle(target);
    let session = context
        .directory
        .get(target)
        .ok_or_else(|| Failure::new(Code::NotFound, format!("tab {handle} is closed")))?;
    let running = session.turn.as_ref().map(|turn| turn.id);
    let status = word(session.condition.status);
    let found = answers::last_turn(sessions, target, running, Extent::SaidHead(ANSWER_CHARS));
    let said = found.await?.and_then(|(_, account)| account.said());
    let note = match (&said, running) {
        (Some(_), None) => "",
        (Some(_), Some(_)) => "[its turn is still in progress; this is the previous one]\n",
        (None, Some(_)) => "[its first turn is still in progress; no completed turn yet]",
        (None, None) => "Tab has no assistant responses yet.",
    };
    Ok(envelope::tab_response(&handle, status, note, said.as_deref().unwrap_or_default()))
}

/// Finds the open agent that a handle names. The caller itself is found, and never offered.
async fn resolve(sessions: &Sessions, caller: &Session, input: &Value) -> Result<SessionId, Failure> {
    let typed = arguments::text(input, "tab_id")?;
    let own = addressing::open(sessions, |session| session.id == caller.id);
    let other =
        addressing::find(sessions, typed, |session| session.id != caller.id, "no other agent is open");
    match other.await {
        Err(failure) if failure.code == Code::NotFound => {
            addressing::among(sessions, typed, &own)?.ok_or(failure)
        }
        found => found,
    }
}

/// Decides whether an agent may write to another, and returns what its message descends from.
pub(crate) fn admitted(
    sessions: &Sessions,
    sender: &Session,
    target: SessionId,
) -> Result<(CauseId, u32), Failure> {
    let cause = inherited(sender, target)?;
    if let Some(open) = sessions.context.directory.get(target) {
        powers::may_write_to(sessions, sender, &open)?;
    }
    Ok(cause)
}

/// Returns what an agent's message descends from.
pub(crate) fn inherited(sender: &Session, target: SessionId) -> Result<(CauseId, u32), Failure> {
    if sender.id == target {
        return Err(invalid("an agent cannot send a message to itself".to_owned()));
    }
    let current = sender.turn.as_ref().map(|turn| (turn.cause, turn.hop));
    let (cause, hop) = current
        .or(sender.history.cause)
        .ok_or_else(|| Failure::new(Code::Forbidden, "this agent has not received a message yet"))?;
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
