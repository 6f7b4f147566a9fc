//! What agents pass to tools.

use paseo_core::id::SessionId;
use paseo_core::limits::MESSAGE_BYTES;
use paseo_core::wait::Refused;
use paseo_wire::error::Code;
use paseo_wire::words::PlacementReason;
use serde_json::Value;

use crate::failure::Failure;
use crate::sessions::Sessions;

/// Reads a text that must not be empty.
pub(super) fn text<'a>(input: &'a Value, name: &str) -> Result<&'a str, Failure> {
    let text = input.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| invalid(format!("`{name}` is missing or empty: expected a string")))
}

/// Reads a text that is to be delivered.
pub(super) fn message<'a>(input: &'a Value, name: &str) -> Result<&'a str, Failure> {
    let text = text(input, name)?;
    if text.len() > MESSAGE_BYTES {
        let length = text.len();
        return Err(invalid(format!("the message has {length} bytes; the limit is {MESSAGE_BYTES}")));
    }
    Ok(text)
}

/// Reads how long to wait.
pub(super) fn seconds(input: &Value, default: u64, most: u64) -> Result<u64, Failure> {
    let Some(wanted) = input.get("timeout").filter(|wanted| !wanted.is_null()) else { return Ok(default) };
    match wanted.as_f64() {
        Some(seconds) if (1.0..=most as f64).contains(&seconds) => Ok(seconds.ceil() as u64),
        _ => Err(invalid(format!("invalid `timeout` {wanted}: give a number of seconds from 1 to {most}"))),
    }
}

/// Says why a message is not taken up.
pub(super) fn held_words(reason: Option<&PlacementReason>) -> &'static str {
    match reason {
        Some(PlacementReason::Stopped) => "a person stopped the agent",
        Some(PlacementReason::Paused) => "a person paused the agent",
        Some(PlacementReason::CauseStopped) => {
            "a person stopped this request and everything that descends from it"
        }
        Some(PlacementReason::Attempts) => "the message could not be delivered",
        _ => "the agents' wake budget for this request is used up",
    }
}

/// Says what a queued message waits for.
pub(super) fn queued_words(reason: Option<&PlacementReason>) -> &'static str {
    match reason {
        Some(PlacementReason::Earlier) => "earlier messages are answered first",
        Some(PlacementReason::Limit) => "the agent has reached a usage limit and continues when it ends",
        _ => "the agent is busy and will read the message after its current turn",
    }
}

/// Says why nobody may wait, with the agents by their handles, and what to do instead. `planned` is not there yet.
pub(super) fn refused_wait(
    sessions: &Sessions,
    refused: &Refused,
    planned: Option<SessionId>,
    instead: &str,
) -> Failure {
    let message = refused.told(|id| match planned == Some(*id) {
        true => "the new agent".to_owned(),
        false => sessions.context.directory.handle(*id),
    });
    Failure::new(Code::Conflict, message).hint(instead)
}

pub(super) fn invalid(message: String) -> Failure {
    Failure::new(Code::InvalidRequest, message)
}
