//! After a restart: a turn whose process is gone is interrupted, and the queue goes on. What runs elsewhere goes on, too.

use paseo_core::id::{SessionId, TurnId};
use paseo_core::item::{Entry, Kind, dangling_calls};
use paseo_core::session;
use paseo_core::session::{Outcome, Source};
use paseo_store::Which;

use super::actor::{Ending, SessionActor};
use super::{Command, Sessions};
use crate::failure::Failure;
use crate::journal::Journal;

/// Rows that are read at once.
const PAGE: usize = 500;

impl Sessions {
    /// Loads the open sessions, ends what the last life left open, and goes on with what waits.
    pub(crate) async fn boot(&self) -> Result<(), Failure> {
        let mut after: Option<String> = None;
        let mut unfinished: Vec<SessionId> = Vec::new();
        loop {
            let heads =
                self.context.journal.log.heads("session/", Which::Live, after.as_deref(), PAGE).await?;
            let Some(last) = heads.last() else { break };
            after = Some(last.stream.to_string());
            for row in &heads {
                let head = match paseo_core::fold::read(&row.stream, &row.head.state) {
                    Ok(head) => head,
                    // The others go on without it.
                    Err(error) => {
                        tracing::error!(stream = %row.stream, %error, "cannot read a session; it is left out");
                        continue;
                    }
                };
                if let paseo_core::fold::SessionHead::Session(session) = head {
                    if session.turn.is_some()
                        || session.parked().is_some()
                        || !session.watches.is_empty()
                        || session::next(&session).is_some()
                    {
                        unfinished.push(session.id);
                    }
                    self.context.directory.put(&session, row.head.version);
                }
            }
        }
        for id in unfinished {
            if let Err(failure) = self.ask(id, Command::Resume).await {
                tracing::error!(session = %id, error = %failure.message, "cannot go on with a session");
            }
        }
        Ok(())
    }
}

impl SessionActor {
    /// Ends the turn that was open when the daemon ended: its process is gone with whoever had opened it. An agent
    /// elsewhere still has it, or gets it once more, under the same key.
    pub(super) async fn recover(&mut self) {
        let handed = self.session.turn.as_ref().is_some_and(|turn| turn.handed);
        if self.is_remote() && !handed {
            self.hand_over().await;
            self.noted = self.last_turn().await.into_iter().filter_map(notice).collect();
            return;
        }
        self.current = self.session.turn.as_ref().map(|turn| turn.id);
        if self.is_remote() {
            return;
        }
        // Tool calls that were never answered.
        self.calls = dangling_calls(self.last_turn().await.iter());
        self.finish(Ending::of(Outcome::Interrupted, Source::Restart, None)).await;
    }

    /// Returns what the transcript says of the current turn, as far as it can be read.
    async fn last_turn(&mut self) -> Vec<Kind> {
        let Some(turn) = self.current else { return Vec::new() };
        match said(&self.context.journal, self.id(), turn).await {
            Ok(said) => said,
            Err(failure) => {
                tracing::error!(session = %self.id(), error = %failure.message, "cannot read the last turn");
                Vec::new()
            }
        }
    }
}

fn notice(kind: Kind) -> Option<String> {
    match kind {
        Kind::Notice { code } => Some(code),
        _ => None,
    }
}

/// Returns what the transcript says of a turn, in order.
async fn said(journal: &Journal, session: SessionId, turn: TurnId) -> Result<Vec<Kind>, Failure> {
    let stream = session::stream(session);
    let mut newest_first: Vec<Vec<Kind>> = Vec::new();
    let mut before = None;
    loop {
        let rows = journal.log.items_before(&stream, before, PAGE).await?;
        let entries: Vec<Entry> =
            rows.iter().filter_map(|row| serde_json::from_str(row.data.as_deref()?).ok()).collect();
        let of_turn: Vec<Kind> = entries
            .into_iter()
            .filter(|entry| entry.place.turn == Some(turn))
            .map(|entry| entry.kind)
            .collect();
        let all = of_turn.len() == rows.len();
        before = rows.first().map(|row| row.ordinal);
        newest_first.push(of_turn);
        if !all || rows.len() < PAGE {
            break;
        }
    }
    Ok(newest_first.into_iter().rev().flatten().collect())
}
