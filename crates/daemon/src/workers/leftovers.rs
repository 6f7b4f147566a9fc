//! What is left of workers: those that are open outlived the last daemon, and of those that were ended nothing stays, even
//! if the daemon or tmux was not there to see to it.

use std::time::Duration;

use paseo_core::id::SessionId;
use paseo_wire::error::Code;
use tokio::time::sleep;

use super::Pane;
use crate::journal::Journal;
use crate::sessions::{Command, Sessions};

/// How long to wait before it is looked again.
const AGAIN: Duration = Duration::from_secs(1);

/// Returns those sessions whose processes go on although the daemon that started them is gone: workers that are open.
pub(crate) async fn outliving(
    journal: &Journal,
    found: impl IntoIterator<Item = SessionId>,
) -> Vec<SessionId> {
    let mut spared = Vec::new();
    for id in found {
        match journal.session(id).await {
            Ok(Some((session, _))) if session.is_open() && session.profile.terminal.is_some() => {
                spared.push(id);
            }
            Ok(_) => {}
            Err(failure) => {
                // Better to leave something behind than to end one that is at work.
                tracing::warn!(session = %id, error = %failure.message, "cannot tell whether a worker was killed");
                spared.push(id);
            }
        }
    }
    spared
}

/// Takes away the terminals of workers that were ended, at the beginning and whenever one may have been left behind.
pub(crate) async fn tidy(sessions: Sessions) {
    loop {
        while !is_tidy(&sessions).await {
            sleep(AGAIN).await;
        }
        sessions.context.terminals.left_behind().await;
        // Whatever cannot be taken away is not tried for all the time.
        sleep(AGAIN).await;
    }
}

/// Takes away what it can. False when it has to be tried again.
async fn is_tidy(sessions: &Sessions) -> bool {
    let terminals = &sessions.context.terminals;
    if !terminals.socket().exists() {
        return true;
    }
    let panes = match terminals.all().await {
        Ok(panes) => panes,
        Err(failure) => return failure.code == Code::TmuxNotInstalled,
    };
    let mut tidy = true;
    for pane in panes {
        let Some(owner) = pane.owner().filter(|owner| !is_used(sessions, *owner, &pane)) else { continue };
        tracing::warn!(session = %owner, name = pane.name(), "removing the terminal of a killed worker");
        // Its own actor does it: it may be coming back right now.
        let cleared = match sessions.ask(owner, Command::ClearAway).await {
            Err(failure) if failure.code == Code::NotFound => terminals.remove(pane.name(), owner).await,
            cleared => cleared,
        };
        tidy &= cleared.is_ok();
    }
    tidy
}

/// Says whether a terminal is that of a worker that is open.
fn is_used(sessions: &Sessions, owner: SessionId, pane: &Pane) -> bool {
    let open = sessions.context.directory.get(owner);
    open.is_some_and(|session| session.profile.terminal.as_deref() == Some(pane.name()))
}
