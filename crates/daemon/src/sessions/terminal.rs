//! Sessions whose harness runs in a terminal: it outlives daemons, people type into it, and it ends when it is told to.

use std::time::Duration;

use paseo_core::actor::{Actor, TERMINAL};
use paseo_core::id::{ItemId, TurnId};
use paseo_core::item::{Draft, Kind};
use paseo_core::session::{self, Class, Event, Outcome, Session, Source, Verb};
use paseo_runtime::provider::Exit;
use tokio::time::{Instant, timeout_at};

use super::actor::{Ending, INTERRUPT_GRACE, SessionActor, Timer};
use super::changes::{Spent, Stored};
use super::deliver::{incoming, opened};
use super::reattach::Persistence;
use super::writing::{place, user_text_as};
use super::{Context, Message};
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::mint;
use crate::workers;

/// How many times as long as others a harness in a terminal may take to end a turn: nobody ends its processes for that.
const PATIENCE: u32 = 3;

/// How long the news that a turn was taken may be behind what comes of it.
const HEARSAY: Duration = Duration::from_millis(500);

impl SessionActor {
    /// Says whether its harness runs in a terminal.
    pub(super) fn is_in_terminal(&self) -> bool {
        self.session.profile.terminal.is_some()
    }

    /// Starts a process, as soon as there is a place for it. In a terminal it is looked first whether one lives there.
    pub(super) fn launch(&mut self) {
        self.start = Some(match self.is_in_terminal() {
            false => self.starting(),
            true => self.looking(Persistence::Brief),
        });
    }

    /// Makes a token for the process that is about to be started, which later daemons know as well.
    pub(super) async fn board(&mut self) {
        let Ok(secret) = mint::secret() else { return };
        let token = mint::hex(&mint::sha256(secret.as_bytes()));
        let guarded = Some(self.context.is_guarded(&self.session));
        let boarded = Event::Boarded { token, guarded };
        match self.quietly(|change| change.draft.push(boarded.clone())).await {
            Ok(()) => self.token = Some(secret),
            Err(failure) => {
                tracing::error!(session = %self.id(), error = %failure.message, "cannot store a token");
            }
        }
    }

    /// Takes in what a person typed into the terminal. The harness has it already.
    pub(super) async fn typed(&mut self, turn: TurnId, item: ItemId, text: String) -> Result<(), Failure> {
        let message = Message {
            attachments: Vec::new(),
            origin: Actor::Human(TERMINAL.to_owned()),
            text,
            verb: Verb::Queue,
            class: Class::Message,
            waited: false,
            aside: true,
            schema: None,
            notify: None,
            cause: None,
            key: None,
        };
        let (said, session, before) = (incoming(&message), self.id(), self.current);
        loop {
            let mut change = self.begin(&message.origin);
            change.entries.content(session, said.text.id, message.text.clone(), None);
            let Some(turn) = session::typed(&mut change.draft, said.clone(), turn) else { return Ok(()) };
            let taken = change.draft.session.turn.iter().flat_map(|turn| &turn.deliveries);
            let Some(taken) = taken.into_iter().find(|taken| taken.id == said.delivery).cloned() else {
                return Ok(());
            };
            user_text_as(item, &mut change.entries, session, Some(turn), &taken);
            let mut spent = Spent::default();
            spent.open(said.cause, opened(&message, session, said.delivery));
            // The harness has it already.
            self.current = Some(turn);
            match self.store(change, spent, None).await {
                Ok(Stored::Conflict) => {}
                Ok(Stored::Done | Stored::Repeat(_)) => return Ok(()),
                Err(failure) => {
                    self.current = before;
                    return Err(failure);
                }
            }
        }
    }

    /// Waits a little until it is read that the harness has its turn. One in a terminal may call a tool before that, and
    /// what it does comes behind what it was told.
    pub(super) async fn hear_of_turn(&mut self) {
        let deadline = Instant::now() + HEARSAY;
        while self.is_in_terminal()
            && self.session.turn.as_ref().is_some_and(|turn| !turn.handed)
            && let Some(running) = &mut self.running
            && let Ok(outputs) = timeout_at(deadline, running.outputs(1)).await
            && !outputs.is_empty()
        {
            self.outputs(outputs).await;
        }
    }

    /// Notes that the process in the terminal ended, and how.
    pub(super) async fn note_exit(&mut self, exit: &Exit) {
        if !self.is_in_terminal() || !self.session.is_open() {
            return;
        }
        let (session, turn) = (self.id(), self.current);
        let how = match (exit.code, exit.signal) {
            (Some(code), _) => format!("The program in the terminal exited with code {code}."),
            (None, Some(signal)) => format!("The program in the terminal was killed by signal {signal}."),
            (None, None) => "The terminal no longer exists.".to_owned(),
        };
        let notice = Draft::text(Kind::Notice { code: "exited".to_owned() }, how);
        let stored = self.quietly(|change| {
            change.draft.push(Event::Exited { code: exit.code, signal: exit.signal });
            change.entries.item(session, mint::item(), place(turn), notice.clone());
        });
        if let Err(failure) = stored.await {
            tracing::error!(%session, error = %failure.message, "cannot store the end of a program");
        }
    }

    /// Has what came of the turn that ended posted where its answers go.
    pub(super) fn report(&self) {
        if self.session.profile.reports_to.is_some()
            // What is still to be corrected is not what was asked for.
            && self.session.check.is_none()
            && let Some(ended) = &self.session.history.ended
        {
            tokio::spawn(workers::report(self.sessions.clone(), self.id(), (**ended).clone()));
        }
    }

    /// Goes on when a harness does not end its turn. One in a terminal is left to the person who may be there.
    pub(super) async fn not_interrupted(&mut self) {
        if !self.is_in_terminal() {
            return self.end_processes();
        }
        self.timer = None;
        let source = self.ending.unwrap_or(Source::Person);
        self.finish(Ending::of(Outcome::Interrupted, source, None)).await;
    }

    /// Returns how long its harness may take to end a turn.
    pub(super) fn interrupted_by(&self) -> (Instant, Timer) {
        let grace = if self.is_in_terminal() { INTERRUPT_GRACE * PATIENCE } else { INTERRUPT_GRACE };
        (Instant::now() + grace, Timer::Interrupt)
    }

    /// Refuses to open one that was closed when its name, in its team or at its terminal, is another's by now.
    pub(super) async fn come_back(&mut self) -> Result<(), Failure> {
        let profile = &self.session.profile;
        let (Some(name), false) = (&profile.terminal, self.session.is_open()) else { return Ok(()) };
        self.context.terminals.check().await?;
        let id = self.session.id;
        let taken =
            |other: &Session| other.id != id && other.profile.terminal.as_deref() == Some(name.as_str());
        let by_name = self.context.directory.all().iter().any(|other| taken(other));
        // What cannot be looked at cannot be started either, and whoever tries says why.
        let by_terminal = self.context.terminals.is_anothers(name, id).await.unwrap_or(false);
        let by_seat = match &profile.team {
            Some(seat) => {
                let team = self.context.teams()?.get(&seat.team).await?;
                team.agent_of(id) != Some(seat.agent.as_str())
            }
            None => false,
        };
        if let Some(seat) = profile.team.as_ref().filter(|_| by_seat)
            && !self.context.teams()?.get(&seat.team).await?.agents.contains_key(&seat.agent)
        {
            let message = format!("this worker was killed and is no longer in team {}", seat.team);
            return Err(Failure::new(Code::Closed, message).hint("start a new one with `paseo worker start`"));
        }
        if by_name || by_terminal || by_seat {
            let message = format!("this worker was killed, and {name} is now another worker");
            // Whoever has its name in the team need not be a worker.
            let other = match profile.team.as_ref().filter(|_| !by_name && !by_terminal) {
                Some(seat) => {
                    let team = self.context.teams()?.get(&seat.team).await?;
                    team.agents.get(&seat.agent).and_then(|member| member.session)
                }
                None => None,
            };
            let send = match other {
                Some(other) => format!("`paseo send {}`", self.context.directory.handle(other)),
                None => format!("`paseo worker send {name}`"),
            };
            return Err(Failure::new(Code::Closed, message).hint(format!(
                "use {send} to write to the other one, or start a new one with `paseo worker start`"
            )));
        }
        Ok(())
    }

    /// Notes in its team who had it come back, after it was ended.
    pub(super) async fn note_return(&mut self, by: &Actor) {
        let (Some(seat), Ok(teams)) = (&self.session.profile.team, self.context.teams()) else { return };
        if let Err(failure) = teams.boarded(by, &seat.team, self.id()).await {
            tracing::error!(session = %self.id(), error = %failure.message, "cannot tell a team that its worker is back");
        }
    }

    /// Gives back the tasks that it had in its team: somebody closed it.
    pub(super) async fn leave_team(&mut self, by: &Actor) {
        let (Some(seat), Ok(teams)) = (&self.session.profile.team, self.context.teams()) else { return };
        if let Err(failure) = teams.left(by, &seat.team, &self.session).await {
            tracing::error!(session = %self.id(), error = %failure.message, "cannot release the tasks of a closed agent");
        }
    }

    /// Removes the terminal of a program that has ended.
    pub(super) async fn remove_terminal(&mut self) {
        let (Some(name), None) = (&self.session.profile.terminal, &self.running) else { return };
        if let Err(failure) = self.context.terminals.remove(name, self.session.id).await {
            tracing::warn!(session = %self.id(), error = %failure.message, "cannot remove a terminal yet");
            self.context.terminals.look_after();
        }
    }
}

impl Context {
    /// Returns what clients of teamd read in the environment of a worker: who it is, and its own token.
    pub(super) fn team_environment(&self, session: &Session, secret: &str) -> Vec<(String, String)> {
        let (Some(_), Some(seat)) = (&session.profile.terminal, &session.profile.team) else {
            return Vec::new();
        };
        let variables = [
            ("PI_TEAMD_URL", self.url.as_str()),
            ("PI_TEAMD_TOKEN", secret),
            ("PI_TEAM_ID", seat.team.as_str()),
            ("PI_AGENT_ID", seat.agent.as_str()),
        ];
        variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }
}
