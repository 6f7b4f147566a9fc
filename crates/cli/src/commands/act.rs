//! `paseo stop`, `archive`, `close`, `reopen`, `promote`, `clear` and `rm`: one deed, several agents.

use paseo_client::{Client, Error};
use paseo_wire::error::{Code, Exit};
use paseo_wire::session::{ActionAnswer, SeenNews};

use super::{worktree, worse};
use crate::args::Output;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Mode;

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Stop,
    Archive,
    Close,
    Reopen,
    Promote,
    Clear,
    Remove,
    RemoveByForce,
}

/// Does it to all of them, whatever happens to some. The worst outcome counts.
pub(crate) async fn run(
    context: &Context,
    verb: Verb,
    handles: &[String],
    output: Output,
) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let client = context.client()?;
    let mut exit = Exit::Ok;
    for handle in handles {
        match act(client, verb, handle).await {
            Ok(answer) => match printer.mode() {
                Mode::Json => printer.json(&answer)?,
                Mode::Quiet => printer.line(&answer.handle)?,
                Mode::Normal => {
                    printer.line(&told(verb, &answer))?;
                    if answer.closed_with > 0 {
                        let what = if answer.closed_with == 1 { "agent" } else { "agents" };
                        printer.aside(&format!("Also closed {} {what} that it started", answer.closed_with));
                    }
                    if verb == Verb::Stop
                        && let Some(words) = going_on_below(client, &answer).await
                    {
                        printer.aside(&words);
                    }
                    if let Some(entry) = &answer.worktree {
                        printer.aside(&worktree::left(entry));
                    }
                }
            },
            Err(error) => {
                let failure = failure(verb, handle, error);
                exit = worse(exit, failure.exit);
                printer.failure(&failure);
            }
        }
    }
    Ok(exit)
}

/// Says which agents continue below a stopped one. An extra: those that cannot be read are left out.
async fn going_on_below(client: &Client, answer: &ActionAnswer) -> Option<String> {
    let stopped = client.session(&answer.id).await.ok()?.session;
    let mut busy = Vec::new();
    for child in stopped.children.unwrap_or_default() {
        let child = client.session(&child).await.ok()?.session;
        if child.turn.is_some() {
            busy.push(child.handle);
        }
    }
    let goes = if busy.len() == 1 { "keeps working" } else { "keep working" };
    (!busy.is_empty()).then(|| {
        let handle = &stopped.handle;
        format!("{} that it started {goes}; to stop everything: paseo cause {handle} --stop", busy.join(", "))
    })
}

async fn act(client: &Client, verb: Verb, handle: &str) -> Result<ActionAnswer, Error> {
    match verb {
        Verb::Stop => client.stop(handle).await,
        Verb::Archive => client.archive(handle, &SeenNews::default()).await,
        Verb::Close => client.close(handle).await,
        Verb::Reopen => client.reopen(handle).await,
        Verb::Promote => client.promote(handle).await,
        Verb::Clear => client.clear(handle).await,
        Verb::Remove => client.delete_session(handle, false).await,
        Verb::RemoveByForce => client.delete_session(handle, true).await,
    }
}

fn told(verb: Verb, answer: &ActionAnswer) -> String {
    let handle = &answer.handle;
    match (verb, answer.changed) {
        (Verb::Stop, true) => format!("Stopped {handle}"),
        (Verb::Stop, false) => format!("{handle} was not working; nothing to stop"),
        (Verb::Archive, true) => format!("Archived {handle}"),
        (Verb::Archive, false) => format!("{handle} was already archived"),
        (Verb::Close, true) => format!("Closed {handle}"),
        (Verb::Close, false) => format!("{handle} was already closed"),
        (Verb::Reopen, true) => format!("Reopened {handle}"),
        (Verb::Reopen, false) => format!("{handle} was already open"),
        (Verb::Promote, _) => format!("Promoted {handle} to an independent agent"),
        (Verb::Clear, true) => format!("Cleared {handle}"),
        (Verb::Clear, false) => format!("{handle} was already empty"),
        (Verb::Remove | Verb::RemoveByForce, _) => match answer.lost {
            0 => format!("Deleted {handle}"),
            1 => format!("Deleted {handle} and 1 waiting message"),
            lost => format!("Deleted {handle} and {lost} waiting messages"),
        },
    }
}

fn failure(verb: Verb, handle: &str, error: Error) -> Failure {
    let code = error.code();
    let mut failure = Failure::from(error);
    // Among several agents each failure says whose it is.
    if !failure.message.contains(handle) {
        failure.message = format!("{handle}: {}", failure.message);
    }
    if verb == Verb::Remove {
        match code {
            Some(Code::Busy) => {
                failure.hint = Some(format!("to stop and delete it, run `paseo rm -f {handle}`"))
            }
            Some(Code::Conflict) => {
                failure.hint = Some(format!(
                    "run `paseo queue {handle}` to see its waiting messages, or `paseo rm -f {handle}` to delete them too"
                ));
            }
            _ => {}
        }
    }
    failure
}
