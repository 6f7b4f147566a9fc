//! Tools: what agents can call and the daemon does. However a call comes in, it passes [`call`].

pub(crate) mod catalogue;
mod tabs;
#[cfg(test)]
mod tests;

use paseo_core::id::SessionId;
use paseo_core::item::ToolOutcome;
use paseo_core::tool::{Grants, READ_TAB, SEND_TO_TAB, SET_BRANCH, SET_TITLE};
use serde_json::Value;

pub(crate) use tabs::inherited;

use crate::failure::Failure;
use crate::sessions::{Command, Sessions};

/// Does what an agent asks for, if it may, and returns what to tell it.
pub(crate) async fn call(
    sessions: &Sessions,
    caller: SessionId,
    name: &str,
    input: Value,
) -> (ToolOutcome, String) {
    let context = &sessions.context;
    let Some(session) = context.directory.get(caller) else {
        return (ToolOutcome::Denied, "this agent is not open".to_owned());
    };
    if let Err(refused) = Grants::of(&session, &context.settings.get()).check(name) {
        tracing::info!(session = %caller, tool = name, "refused a tool that is not granted");
        return (ToolOutcome::Denied, refused.to_string());
    }
    let answer = match name {
        SEND_TO_TAB => tabs::send(sessions, &session, &input).await,
        READ_TAB => tabs::read(sessions, &session, &input).await,
        // What changes the agent itself is its own actor's business.
        SET_TITLE | SET_BRANCH => {
            let command = |reply| Command::Tool { name: name.to_owned(), input, reply };
            return sessions.ask(caller, command).await.unwrap_or_else(told);
        }
        // A power of the harness itself: it asked whether it may.
        native if native.starts_with("native_") => Ok(String::new()),
        other => Err(Failure::new(
            paseo_wire::error::Code::NotFound,
            format!("the tool `{other}` cannot be called this way"),
        )),
    };
    answer.map_or_else(told, |text| (ToolOutcome::Ok, text))
}

/// Puts a failure into words for an agent: what is wrong, what there is, what to do.
fn told(failure: Failure) -> (ToolOutcome, String) {
    let mut text = failure.message;
    for candidate in &failure.candidates {
        let name = candidate.name.as_deref().unwrap_or("without a name");
        text.push_str(&format!("\n- {} ({}, {name})", candidate.handle, candidate.status));
    }
    if let Some(hint) = failure.hint {
        text.push_str(&format!("\n{hint}"));
    }
    (ToolOutcome::Error, text)
}
