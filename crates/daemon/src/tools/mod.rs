//! Tools: what agents can call and the daemon does. However a call comes in, it passes [`call`].

mod agents;
pub(crate) mod answers;
mod arguments;
pub(crate) mod catalogue;
pub(crate) mod news;
mod powers;
mod summon;
mod tabs;
#[cfg(test)]
mod tests;
mod todo;
mod waiting;

use paseo_core::id::SessionId;
use paseo_core::item::ToolOutcome;
use paseo_core::tool::{
    self, AGENTS_LIST, AGENTS_MESSAGE, NOTIFY_WHEN_IDLE, READ_TAB, RETRIEVE, SEND_TO_TAB, SET_BRANCH,
    SET_TITLE, SUMMON, TODO,
};
use serde_json::Value;

pub(crate) use tabs::admitted;

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
    let grants = context.grants(&session);
    if let Err(refused) = grants.check(name) {
        tracing::info!(session = %caller, tool = name, "refused a tool that is not granted");
        let text = refused.to_string();
        let note = |reply| Command::Note { code: "tool_refused", text: text.clone(), reply };
        if let Err(failure) = sessions.ask(caller, note).await {
            tracing::error!(session = %caller, error = %failure.message, "a refusal is not recorded");
        }
        return (ToolOutcome::Denied, text);
    }
    // However the call comes in, it is the same mistake.
    let described =
        catalogue::describe(context, &session, &grants).into_iter().find(|tool| tool.name == name);
    if let Some(misfit) = described.and_then(|of| tool::arguments::check(name, &of.schema, &input).err()) {
        return (ToolOutcome::Error, misfit.to_string());
    }
    let answer = match name {
        SEND_TO_TAB => tabs::send(sessions, &session, &input).await,
        READ_TAB => tabs::read(sessions, &session, &input).await,
        NOTIFY_WHEN_IDLE => tabs::notify_when_idle(sessions, &session, &input).await,
        AGENTS_LIST => agents::list(sessions, &session),
        AGENTS_MESSAGE => agents::message(sessions, &session, &input).await,
        SUMMON => summon::summon(sessions, &session, &grants, &input).await,
        RETRIEVE => summon::retrieve(sessions, &session, &input).await,
        // What changes the agent itself is its own actor's business.
        SET_TITLE | SET_BRANCH | TODO => {
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
