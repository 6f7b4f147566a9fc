//! Tools: what agents can call and the daemon does. However a call comes in, it passes [`call`].

mod addressing;
mod agents;
pub(crate) mod answers;
mod arguments;
pub(crate) mod catalogue;
mod delegated;
pub(crate) mod news;
pub(crate) mod powers;
mod started;
mod summon;
mod tabs;
mod team;
#[cfg(test)]
mod tests;
mod threads;
mod todo;
mod waiting;
mod workers;

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use paseo_core::id::SessionId;
use paseo_core::item::ToolOutcome;
use paseo_core::tool::{
    self, AGENTS_LIST, AGENTS_MESSAGE, NOTIFY_WHEN_IDLE, READ_TAB, RETRIEVE, SEND_TO_TAB, SET_BRANCH,
    SET_TITLE, SUMMON, THREADS_INVITE, THREADS_LIST, THREADS_PARTICIPANTS, THREADS_POST, THREADS_READ, TODO,
};
use serde_json::Value;

use delegated::Delegated;
pub(crate) use summon::admit as admit_child;
pub(crate) use tabs::{admitted, inherited};

use crate::failure::Failure;
use crate::sessions::{Command, Sessions};

/// How a call comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Through the agent's harness, which gets the answer.
    Harness,
    /// From a process of the agent, by a command of its shell or by HTTP: what becomes of the answer nobody knows.
    Process,
}

/// Does what an agent asks for, if it may, and returns what to tell it. Whatever goes wrong, it is told something: an
/// agent that is told nothing waits for ever.
pub(crate) async fn call(
    sessions: &Sessions,
    caller: SessionId,
    way: Way,
    name: &str,
    input: Value,
) -> (ToolOutcome, String) {
    answered(name, done(sessions, caller, way, name, input)).await
}

/// Returns what came of a call, also when that is a defect of ours.
async fn answered(name: &str, call: impl Future<Output = (ToolOutcome, String)>) -> (ToolOutcome, String) {
    AssertUnwindSafe(call).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(tool = name, "a tool panicked");
        let text = format!(
            "the tool `{}` failed because of a bug in Paseo, and may or may not have taken effect; check \
             before you try again",
            name.escape_debug()
        );
        (ToolOutcome::Error, text)
    })
}

async fn done(
    sessions: &Sessions,
    caller: SessionId,
    way: Way,
    name: &str,
    input: Value,
) -> (ToolOutcome, String) {
    let context = &sessions.context;
    let Some(session) = context.directory.get(caller) else {
        return (ToolOutcome::Denied, "this agent is closed".to_owned());
    };
    let grants = context.grants(&session);
    let checked = match way {
        Way::Harness => grants.check(name),
        Way::Process => grants.check_process(name),
    };
    if let Err(refused) = checked {
        tracing::info!(session = %caller, tool = name, "denied a tool that is not granted");
        let text = match context.definitions.of(&session) {
            Ok(_) => refused.to_string(),
            Err(gone) => format!(
                "the tool `{}` is not granted to this agent, and neither is any other: {}, so its agents \
                 have no tools until a person fixes that",
                name.escape_debug(),
                gone.message
            ),
        };
        note(sessions, caller, "tool_refused", text.clone()).await;
        return (ToolOutcome::Denied, text);
    }
    // What a setting keeps out is no mistake in the arguments.
    if name == SUMMON
        && let Err(refused) = summon::Modes::of(context).admit(&input)
    {
        return told(refused);
    }
    // However the call comes in, it is the same mistake. A list of todos is read leniently, by rules of its own.
    let described = catalogue::describe(context, &session, &grants)
        .into_iter()
        .find(|tool| tool.name == name && name != TODO);
    if let Some(misfit) = described.and_then(|of| tool::arguments::check(name, &of.schema, &input).err()) {
        return (ToolOutcome::Error, misfit.to_string());
    }
    if way == Way::Process {
        // No harness says that it was called.
        note(sessions, caller, "tool_called", format!("{name} {}", short(&input))).await;
    }
    let delegated = match name {
        SEND_TO_TAB => Some(tabs::send(sessions, &session, &input).await),
        AGENTS_MESSAGE => Some(agents::message(sessions, &session, way, &input).await),
        SUMMON => Some(summon::summon(sessions, &session, &grants, way, &input).await),
        RETRIEVE => Some(summon::retrieve(sessions, &session, way, &input).await),
        _ => None,
    };
    match delegated {
        Some(Ok(delegated)) => return reported(sessions, caller, way, delegated).await,
        Some(Err(failure)) => return told(failure),
        None => {}
    }
    let answer = match name {
        READ_TAB => tabs::read(sessions, &session, &input).await,
        NOTIFY_WHEN_IDLE => tabs::notify_when_idle(sessions, &session, &input).await,
        AGENTS_LIST => agents::list(sessions, &session),
        THREADS_LIST => threads::list(sessions, &session).await,
        THREADS_READ => threads::read(sessions, &session, &input).await,
        THREADS_POST => threads::post(sessions, &session, &input).await,
        THREADS_INVITE => threads::invite(sessions, &session, &input).await,
        THREADS_PARTICIPANTS => threads::participants(sessions, &session, &input).await,
        of_worker if of_worker.starts_with("team_tmux_") => {
            workers::call(sessions, &session, of_worker, &input).await
        }
        of_team if of_team.starts_with("team_") => team::call(sessions, &session, of_team, &input).await,
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

/// Lets the caller's transcript show where its work stands, before its harness has the result.
async fn reported(
    sessions: &Sessions,
    caller: SessionId,
    way: Way,
    delegated: Delegated,
) -> (ToolOutcome, String) {
    let Delegated { outcome, text, delegation } = delegated;
    if way == Way::Harness {
        let known = text.clone();
        let told = sessions.ask(caller, |reply| Command::Delegated { text: known, delegation, reply }).await;
        if let Err(failure) = told {
            tracing::debug!(session = %caller, error = %failure.message, "a delegation is not shown");
        }
    }
    (outcome, text)
}

/// Puts a notice into an agent's transcript.
pub(crate) async fn note(sessions: &Sessions, agent: SessionId, code: &'static str, text: String) {
    if let Err(failure) = sessions.ask(agent, |reply| Command::Note { code, text, reply }).await {
        tracing::error!(session = %agent, error = %failure.message, code, "cannot store a notice");
    }
}

/// Returns arguments on one line that is not too long.
fn short(input: &Value) -> String {
    const LINE: usize = 300;
    let line = input.to_string();
    match line.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Puts a failure into words for an agent: what is wrong, what there is, what to do.
fn told(failure: Failure) -> (ToolOutcome, String) {
    let mut text = failure.message;
    for candidate in &failure.candidates {
        let name = candidate.name.as_deref().unwrap_or("unnamed");
        text.push_str(&format!("\n- {} ({}, {name})", candidate.handle, candidate.status));
    }
    if let Some(hint) = failure.hint {
        text.push_str(&format!("\n{hint}"));
    }
    (ToolOutcome::Error, text)
}
