//! After a restart: a turn whose process is gone is interrupted, and the queue goes on. What runs elsewhere goes on, too.

use paseo_core::fold::{self, SessionHead};
use paseo_core::id::{SessionId, TurnId};
use paseo_core::item::{Entry, Kind, dangling_calls};
use paseo_core::session;
use paseo_core::session::{Ended, Outcome, Source};
use paseo_store::{HeadRow, Which};

use super::actor::{Ending, SessionActor};
use super::{Command, Sessions};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::workers;

/// Rows that are read at once.
const PAGE: usize = 500;

/// What the last life left to do.
#[derive(Default)]
pub(crate) struct Left {
    unfinished: Vec<SessionId>,
    /// Turns whose end may not have been posted.
    unreported: Vec<(SessionId, Ended)>,
}

impl Sessions {
    /// Loads the open sessions. Nothing is started yet.
    pub(crate) async fn load(&self) -> Result<Left, Failure> {
        // Ids are spread evenly: each lane reads its half of them.
        let (some, others) = ("01234567", "89abcdef");
        let (mut left, more) = tokio::try_join!(self.load_some(some), self.load_some(others))?;
        left.unfinished.extend(more.unfinished);
        left.unreported.extend(more.unreported);
        Ok(left)
    }

    /// Loads those whose ids begin with one of these digits.
    async fn load_some(&self, digits: &str) -> Result<Left, Failure> {
        let log = &self.context.journal.log;
        let mut left = Left::default();
        for digit in digits.chars() {
            let prefix = format!("session/{digit}");
            let mut after: Option<String> = None;
            loop {
                let heads = log.heads(&prefix, Which::Live, after.as_deref(), PAGE).await?;
                heads.iter().for_each(|row| self.take_in(row, &mut left));
                match heads.last() {
                    Some(last) if heads.len() == PAGE => after = Some(last.stream.to_string()),
                    _ => break,
                }
            }
        }
        Ok(left)
    }

    fn take_in(&self, row: &HeadRow, left: &mut Left) {
        let session = match fold::read(&row.stream, &row.head.state) {
            Ok(SessionHead::Session(session)) => session,
            Ok(_) => return,
            // The others go on without it.
            Err(error) => {
                tracing::error!(stream = %row.stream, %error, "cannot read a session; skipped");
                return;
            }
        };
        // A harness in a terminal may have outlived the last daemon.
        if session.turn.is_some()
            || session.profile.terminal.is_some()
            || session.parked().is_some()
            || session.check.is_some()
            || !session.watches.is_empty()
            || session::next(&session).is_some()
        {
            left.unfinished.push(session.id);
        }
        if let Some(ended) = workers::unreported(&session) {
            left.unreported.push((session.id, ended.clone()));
        }
        self.context.directory.put(*session, row.head.version);
    }

    /// Ends what the last life left open, and goes on with what waits.
    pub(crate) async fn go_on(&self, left: Left) {
        for (id, ended) in left.unreported {
            tokio::spawn(workers::report(self.clone(), id, ended));
        }
        for id in left.unfinished {
            if let Err(failure) = self.ask(id, Command::Resume).await {
                tracing::error!(session = %id, error = %failure.message, "cannot resume a session");
            }
        }
    }
}

impl SessionActor {
    /// Ends the turn that was open when the daemon ended: its process is gone with the daemon that opened it. An agent
    /// elsewhere still has it, or gets it once more, under the same key.
    pub(super) async fn recover(&mut self) {
        if self.reattach().await {
            return;
        }
        if self.session.turn.is_none() {
            return;
        }
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
        self.calls = self.open_calls().await;
        self.finish(Ending::of(Outcome::Interrupted, Source::Restart, None)).await;
    }

    /// Returns the calls of the current turn that were never answered.
    pub(super) async fn open_calls(&mut self) -> Vec<String> {
        dangling_calls(self.last_turn().await.iter())
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
