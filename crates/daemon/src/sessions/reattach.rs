//! Sessions whose harness lives in a terminal already: after a restart of the daemon, or because it was started too late
//! for the callers that waited for it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use paseo_core::id::{ItemId, SessionId, TurnId};
use paseo_core::session::{self, Outcome, Session, Source};
use paseo_runtime::process_table::HOME_VARIABLE;
use paseo_runtime::provider::{Exit, Harness, Launch, Terminal, Underway};
use tokio::time::sleep;

use super::Context;
use super::actor::{Ending, SessionActor};
use super::asks::withdraw_all;
use super::harness::{NotStarted, Running, Start, unharmed};
use crate::failure::Failure;
use crate::mint;

/// How many of the newest items a harness that is attached to need not tell again.
const KNOWN: usize = 1_000;
/// Rows that are read at once.
const PAGE: usize = 500;
/// How long to wait before it is looked again at a terminal that cannot be looked at, at first and at most.
const AGAIN: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(5);

/// How long it is tried to look at a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Persistence {
    /// The waiting caller is told if it fails.
    Brief,
    /// Until it works: what lives there must not be lost.
    Untiring,
}

/// It is looked for a harness that may have outlived the last daemon.
pub(super) struct Search {
    /// The turn that it had.
    pub(super) turn: Option<TurnId>,
}

impl SessionActor {
    /// Returns what goes to the harness in its terminal, if one lives there. Its token counts for as long as it may.
    pub(super) fn looking(&mut self, persistence: Persistence) -> Start {
        let (context, session) = (Arc::clone(&self.context), self.session.clone());
        let name = session.profile.terminal.clone().unwrap_or_default();
        // A harness of an earlier daemon keeps the token that it was started with.
        let hash = session.history.token.as_deref().and_then(mint::from_hex);
        let registration = hash.map(|hash| context.credentials.register_hash(session.id, hash));
        // The reader of its session file tells how its turn ended.
        let tells_end = session.turn.is_some() && persistence == Persistence::Untiring;
        Box::pin(async move {
            let (mut told, mut pause) = (false, AGAIN);
            loop {
                let why = match (context.terminals.pane(&name, session.id).await, persistence) {
                    (Ok(pane), _) => match pane.map_or(Some((None, None)), |pane| pane.exit()) {
                        Some((code, signal)) if !tells_end || (code, signal) == (None, None) => {
                            let exit = Exit { code, signal, shim_killed: false, stderr: String::new() };
                            return Err(NotStarted::Vacant(exit));
                        }
                        _ => match context.attach(&session).await {
                            Ok(harness) => return Running::found(&context, &session, harness, registration),
                            // A live one is not given up: it is at work.
                            Err(failed) => failed.text(),
                        },
                    },
                    (Err(failure), Persistence::Brief) => {
                        let hint = failure.hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
                        return Err(NotStarted::failed(failure.message + &hint));
                    }
                    (Err(failure), Persistence::Untiring) => failure.message,
                };
                if !std::mem::replace(&mut told, true) {
                    tracing::warn!(session = %session.id, error = why, "cannot reach a terminal yet");
                }
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST);
            }
        })
    }

    /// Continues when its terminal is empty: the harness is gone, or the terminal is free for the next.
    pub(super) async fn vacant(&mut self, exit: &Exit, search: Option<Search>) {
        if self.session.history.token.is_some() {
            // Whatever is left of it has a token that is no good any more.
            self.context.terminals.sweep(self.id()).await;
            if search.is_some() {
                self.note_exit(exit).await;
            }
        }
        if let Some(turn) = search.and_then(|search| search.turn)
            && self.current == Some(turn)
        {
            self.unsent = None;
            let source = self.ending.unwrap_or(Source::Restart);
            return self.finish(Ending::of(Outcome::Interrupted, source, None)).await;
        }
        if self.unsent.is_some() {
            self.board().await;
            self.start = Some(self.starting());
        }
    }

    /// Finds the harness in a terminal left by the previous daemon, however long that takes. Returns false if the
    /// session had none.
    pub(super) async fn reattach(&mut self) -> bool {
        let was_there = self.is_in_terminal() && self.session.history.token.is_some();
        if !was_there || !self.session.is_open() {
            return false;
        }
        // Whatever is stored meanwhile does not begin it again.
        self.current = self.session.turn.as_ref().map(|turn| turn.id);
        if let Some(turn) = self.session.turn.clone() {
            self.calls = self.open_calls().await;
            if !turn.asks.is_empty() {
                // Its screen tells what it still asks.
                let id = turn.id;
                if let Err(failure) = self.quietly(|change| withdraw_all(change, Some(id))).await {
                    tracing::error!(session = %self.id(), error = %failure.message, "cannot withdraw a permission request");
                }
            }
            if !turn.handed {
                // The driver knows whether it was typed in already.
                self.unsent = self.input(turn.id, &turn.deliveries).await.ok();
            }
        }
        self.search = Some(Search { turn: self.current });
        self.start = Some(self.looking(Persistence::Untiring));
        true
    }
}

impl Context {
    /// Goes to the harness that lives in a session's terminal. It needs nothing of what a start needs, and is not asked
    /// whether it could be started now.
    async fn attach(&self, session: &Session) -> Result<Harness, NotStarted> {
        let profile = &session.profile;
        let gone = || NotStarted::failed(format!("provider `{}` no longer exists", profile.provider));
        let provider = self.providers.get(&profile.provider).ok_or_else(gone)?;
        let launch = Launch {
            session: session.id,
            directory: profile.directory.clone().into(),
            model: profile.model.clone(),
            effort: profile.effort.clone(),
            permissions: self.dress(session).map_or(profile.permissions, |dress| dress.permissions),
            withheld: Vec::new(),
            guarded: self.is_guarded_process(session),
            terminal: self.terminal(session, true).await?,
            prompt: String::new(),
            servers: Vec::new(),
            tools: Vec::new(),
            chain: Vec::new(),
            remote: None,
            past: Vec::new(),
            resume: session.history.reference.clone(),
            turns: session.history.turns,
            executable: self.executable.clone(),
            environment: vec![(HOME_VARIABLE.to_owned(), self.home.display().to_string())],
            removed: Vec::new(),
            patience: self.start_patience,
        };
        unharmed(provider.name(), async { provider.start(launch).await }).await
    }

    /// Returns the terminal that a session's harness runs in, as its driver has to know it.
    pub(super) async fn terminal(
        &self,
        session: &Session,
        attach: bool,
    ) -> Result<Option<Terminal>, NotStarted> {
        let Some(name) = session.profile.terminal.clone() else { return Ok(None) };
        let underway = session.turn.as_ref().filter(|_| attach);
        let underway = underway.map(|turn| Underway { turn: turn.id, handed: turn.handed });
        let known = self.known(session.id).await.map_err(NotStarted::storage)?;
        Ok(Some(Terminal { socket: self.terminals.socket().to_owned(), name, underway, known, attach }))
    }

    /// Returns the newest items of a transcript.
    async fn known(&self, session: SessionId) -> Result<HashSet<ItemId>, Failure> {
        let (stream, mut before, mut known) = (session::stream(session), None, HashSet::new());
        while known.len() < KNOWN {
            let rows = self.journal.log.items_before(&stream, before, PAGE).await?;
            known.extend(rows.iter().map(|row| ItemId::from_uuid(row.id)));
            before = rows.first().map(|row| row.ordinal);
            if rows.len() < PAGE {
                break;
            }
        }
        Ok(known)
    }
}
