//! How a turn reaches a harness: a process that runs, or one that is started.

use std::env;
use std::ffi::OsString;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use paseo_core::answer;
use paseo_core::envelope::{self, Sender};
use paseo_core::id::{DeliveryId, SessionId, TurnId};
use paseo_core::item::{Draft, Kind};
use paseo_core::places::Beneficiary;
use paseo_core::session::{Class, Event, On, Outcome, Pending, Session, Source};
use paseo_core::tool::SEND_TO_TAB;
use paseo_runtime::provider::{
    Exit, Harness, Input, Launch, Memory, Message, Output, StartError, TOKEN_VARIABLE,
};

use super::Context;
use super::actor::{Ending, SessionActor};
use super::dress::Dress;
use super::reattach::Persistence;
use super::writing;
use crate::failure::Failure;
use crate::identity::Registration;
use crate::processes::Place;
use crate::{journal, mint, skills, worktrees};

/// A harness with everything that lives as long as it does.
pub(super) struct Running {
    harness: Harness,
    _registration: Registration,
    /// Those elsewhere need none.
    place: Option<Place>,
    /// What it was started with, and would have to be restarted to change; `None` when another daemon started it.
    dress: Option<Dress>,
    ended: bool,
    /// How many commands it runs in the background.
    pub(super) background: usize,
}

/// The address of teams, and as whom an agent acts there: it gets only its own.
pub(crate) const OF_OTHERS: [&str; 6] = [
    "PI_TEAMD_URL",
    "PI_TEAMD_TOKEN",
    "PI_TEAMD_TOKEN_FILE",
    "PI_TEAM_ID",
    "PI_AGENT_ID",
    "PI_TEAM_WORKSPACE_ROOT",
];

/// A harness on its way.
pub(super) type Start = Pin<Box<dyn Future<Output = Result<Running, NotStarted>> + Send>>;

/// Why there is no harness.
pub(super) enum NotStarted {
    /// Something is wrong: a code and words.
    Failed { code: &'static str, text: String },
    /// Its terminal, which was checked first, is empty: it ended like this.
    Vacant(Exit),
}

impl NotStarted {
    /// It cannot be started.
    pub(super) fn failed(text: String) -> Self {
        Self::Failed { code: "start_failed", text }
    }

    /// The log could not be read.
    pub(super) fn storage(failure: Failure) -> Self {
        Self::Failed { code: "storage_unavailable", text: failure.message }
    }

    /// Returns the words for it.
    pub(super) fn text(self) -> String {
        match self {
            Self::Failed { text, .. } => text,
            Self::Vacant(_) => "no process is running".to_owned(),
        }
    }

    /// The token of a process in a terminal could not be kept for later daemons.
    fn unkept() -> Self {
        Self::Failed { code: "storage_unavailable", text: "cannot store the token of the process".to_owned() }
    }
}

impl Running {
    /// A harness that was found in its terminal, with the credentials that it has.
    pub(super) fn found(
        context: &Context,
        session: &Session,
        harness: Harness,
        registration: Option<Registration>,
    ) -> Result<Self, NotStarted> {
        let registration = match registration {
            Some(registration) => registration,
            // What it has is not known; who descends from it is.
            None => {
                let secret = mint::secret().map_err(|error| NotStarted::failed(error.to_string()))?;
                context.credentials.register(session.id, &secret)
            }
        };
        Ok(Self::new(harness, registration, None, None))
    }

    fn new(harness: Harness, registration: Registration, place: Option<Place>, dress: Option<Dress>) -> Self {
        let registration = match harness.shim {
            Some(shim) => registration.with_shim(shim),
            None => registration,
        };
        Self { harness, _registration: registration, place, dress, ended: false, background: 0 }
    }

    /// Says whether it had ended before it was found, and only tells how.
    fn is_past(&self) -> bool {
        self.harness.shim.is_none()
    }

    /// Returns what the harness said since, at most `limit`; empty when it says nothing more.
    pub(super) async fn outputs(&mut self, limit: usize) -> Vec<Output> {
        let mut outputs = Vec::new();
        self.harness.output.recv_many(&mut outputs, limit).await;
        outputs
    }

    /// Tells the harness something. False when it does not listen.
    pub(super) fn tell(&mut self, input: Input) -> bool {
        !self.ended && self.harness.input.try_send(input).is_ok()
    }

    /// Asks the harness to end the turn. False when it does not listen.
    pub(super) fn interrupt(&mut self) -> bool {
        self.tell(Input::Interrupt)
    }

    /// Says whether it takes a place among the processes that may live at once.
    pub(super) fn has_place(&self) -> bool {
        self.place.is_some()
    }

    /// Kills the shim itself.
    pub(super) fn kill(&self) {
        self.harness.shim.into_iter().for_each(paseo_runtime::process::kill);
    }

    /// Ends the harness and everything under it.
    pub(super) fn end(&mut self) {
        self.ended = true;
        self.harness.control.stop();
    }
}

impl SessionActor {
    /// Hands the open turn to the harness, if that has not happened yet; notes when there is none any more.
    pub(super) async fn hand_over(&mut self) {
        let Some(turn) = &self.session.turn else {
            if self.current.take().is_some() {
                self.forget_turn();
                self.rest();
            }
            return;
        };
        if self.current == Some(turn.id) || self.over {
            return;
        }
        let (id, deliveries, beneficiary) = (turn.id, turn.deliveries.clone(), Beneficiary::of(turn));
        self.forget_turn();
        self.current = Some(id);
        self.context.processes.work_for(self.session.id, beneficiary);
        self.context.processes.rouse(self.session.id);
        let input = match self.input(id, &deliveries).await {
            Ok(input) => input,
            Err(failure) => {
                let error = NotStarted::storage(failure);
                self.start = Some(Box::pin(async { Err(error) }));
                return;
            }
        };
        let dress = self.context.dress(&self.session).ok();
        match &mut self.running {
            // It is being ended; its exit starts the next.
            Some(running) if running.ended => self.unsent = Some(input),
            Some(running) => {
                // Labels and settings count from the next turn on; in a terminal, where a person may be, from its next
                // process on.
                let worn = running.dress == dress || self.session.profile.terminal.is_some();
                if !worn || !running.tell(input.clone()) {
                    self.unsent = Some(input);
                    self.end_processes();
                } else {
                    // It goes out now, and not after whatever is woken by what this actor does next.
                    tokio::task::yield_now().await;
                }
            }
            // It is just being found again.
            None if self.start.is_some() => self.unsent = Some(input),
            None => {
                self.unsent = Some(input);
                self.launch();
            }
        }
    }

    /// Forgets what was kept for the turn that is over.
    fn forget_turn(&mut self) {
        self.ending = None;
        self.timer = None;
        self.lost = None;
        self.context.live.forget(self.id());
        self.calls.clear();
        self.noted.clear();
        self.asks.clear();
    }

    /// Returns what starts a process, as soon as there is a place for it.
    pub(super) fn starting(&mut self) -> Start {
        let (context, session, dress) =
            (Arc::clone(&self.context), self.session.clone(), self.context.dress(&self.session));
        let (remote, token) = (self.is_remote(), self.token.take());
        let in_terminal = self.is_in_terminal();
        let beneficiary = session.turn.as_deref().map_or(Beneficiary::Others, Beneficiary::of);
        Box::pin(async move {
            // Terminal sessions don't count against the process limit.
            let place = match remote || in_terminal {
                true => None,
                false => Some(context.processes.place(session.id, beneficiary).await),
            };
            let not_started = NotStarted::failed;
            let provider = context.providers.get(&session.profile.provider).ok_or_else(|| {
                not_started(format!("provider `{}` no longer exists", session.profile.provider))
            })?;
            // No agent works without its instructions, or with another key.
            let credentials = context.definitions.credentials(&session).map_err(|gone| {
                not_started(
                    gone.hint.map_or(gone.message.clone(), |hint| format!("{}\n{hint}", gone.message)),
                )
            })?;
            let past = match provider.capabilities().memory {
                Memory::Own => Vec::new(),
                Memory::Ours => context.past(&session).await.map_err(NotStarted::storage)?,
            };
            let dress = dress.map_err(|failure| {
                let hint = failure.hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
                not_started(failure.message + &hint)
            })?;
            // Before a harness says it in words of its own.
            if let Some(gone) = worktrees::gone(&session.profile) {
                let hint = gone.hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
                return Err(not_started(gone.message + &hint));
            }
            skills::write(&context.home, session.id, &dress.skills)
                .map_err(|error| not_started(format!("cannot write the agent's skills: {error}")))?;
            let terminal = context.terminal(&session, false).await?;
            let secret = match (token, in_terminal) {
                (Some(token), _) => token,
                (None, true) => return Err(NotStarted::unkept()),
                (None, false) => mint::secret().map_err(|error| not_started(error.to_string()))?,
            };
            let registration = context.credentials.register(session.id, &secret);
            let team = context.team_environment(&session, &secret);
            let mut removed = context.definitions.withheld_keys(&session.profile.provider);
            let own = |name: &&str| team.iter().any(|(own, _)| own == name);
            removed.extend(OF_OTHERS.iter().filter(|name| !own(name)).map(|name| (*name).to_owned()));
            let environment = [environment(&context, session.id, &secret), team, credentials].concat();
            let launch = Launch {
                session: session.id,
                directory: session.profile.directory.clone().into(),
                model: session.profile.model.clone(),
                effort: session.profile.effort.clone(),
                permissions: dress.permissions,
                withheld: dress.withheld.clone(),
                guarded: dress.guarded,
                terminal,
                prompt: dress.prompt.clone(),
                servers: dress.servers.clone(),
                tools: dress.tools.clone(),
                chain: dress.chain.choices.clone(),
                remote: context.remote(&session).map_err(|gone| {
                    let hint = gone.hint.map(|hint| format!("\n{hint}")).unwrap_or_default();
                    not_started(gone.message + &hint)
                })?,
                past,
                resume: session.history.reference.clone(),
                turns: session.history.turns,
                executable: context.executable.clone(),
                environment,
                removed,
                patience: context.start_patience,
            };
            let harness = unharmed(provider.name(), async { provider.start(launch).await }).await?;
            Ok(Running::new(harness, registration, place, Some(dress)))
        })
    }

    /// Goes on once the process is there, or is known not to come.
    pub(super) async fn started(&mut self, result: Result<Running, NotStarted>) {
        self.start = None;
        let search = self.search.take();
        match result {
            Ok(mut running) => {
                if running.is_past() {
                    // The outcome of a turn that it never took is decided after its last output.
                    self.search = search;
                }
                // A harness that does not listen is about to report its exit.
                if let Some(input) = self.unsent.take()
                    && !running.tell(input.clone())
                {
                    self.unsent = Some(input);
                }
                if self.ending.is_some() {
                    running.interrupt();
                    self.timer = Some(self.interrupted_by());
                }
                let dress = running.dress.clone();
                self.running = Some(running);
                if let Some(dress) = dress {
                    self.note_prompt(&dress.prompt).await;
                    self.note_left_out(&dress.chain.unreadable).await;
                }
            }
            Err(NotStarted::Vacant(exit)) => self.vacant(&exit, search).await,
            Err(NotStarted::Failed { code, text }) => {
                self.unsent = None;
                if self.current.is_some() {
                    let error = Some((code.to_owned(), text));
                    self.finish(Ending::unsent(Outcome::Failed, Source::Daemon, error)).await;
                }
                let may_live = self.is_in_terminal() && self.session.history.token.is_some();
                if may_live && self.session.is_open() && self.start.is_none() {
                    // Should something have come of it after all, it is not left to itself.
                    self.start = Some(self.looking(Persistence::Untiring));
                }
            }
        }
    }

    /// Keeps what a process was given, to be looked at.
    pub(super) async fn note_prompt(&mut self, prompt: &str) {
        let (session, given) = (self.id(), journal::reference(prompt));
        let known = self.session.history.prompt.as_ref().map(|known| known.sha256.as_str());
        if known == Some(given.sha256.as_str()) || (known.is_none() && prompt.is_empty()) {
            return;
        }
        let stored = self.quietly(|change| {
            change.entries.content(session, given.id, prompt.to_owned(), None);
            change.draft.push(Event::Prompted { prompt: given.clone() });
        });
        if let Err(failure) = stored.await {
            tracing::error!(%session, error = %failure.message, "cannot store the prompt of a process");
        }
    }

    /// Says which of its models a process was started without.
    async fn note_left_out(&mut self, models: &[String]) {
        let (session, turn) = (self.id(), self.current);
        for words in models {
            let notice = Draft::text(Kind::Notice { code: "key_unreadable".to_owned() }, words.clone());
            let stored = self.quietly(|change| {
                change.entries.item(session, mint::item(), writing::place(turn), notice.clone());
            });
            if let Err(failure) = stored.await {
                tracing::error!(%session, error = %failure.message, "cannot store a notice");
            }
        }
    }

    /// Puts a message into the running turn.
    pub(super) async fn steer(&mut self, delivery: DeliveryId) {
        let Some(turn) = &self.session.turn else { return };
        let Some(pending) = turn.steering.iter().find(|pending| pending.id == delivery).cloned() else {
            return;
        };
        // What is not taken up goes back to the queue when the turn ends.
        if let Ok(mut messages) = self.messages(&[pending]).await
            && let (Some(running), Some(message)) = (&mut self.running, messages.pop())
        {
            running.tell(Input::Steer { message });
        }
    }

    /// Returns a turn as the harness is given it.
    pub(super) async fn input(&mut self, turn: TurnId, deliveries: &[Pending]) -> Result<Input, Failure> {
        let messages = self.messages(deliveries).await?;
        Ok(Input::Turn { turn, messages })
    }

    async fn messages(&mut self, deliveries: &[Pending]) -> Result<Vec<Message>, Failure> {
        let mut messages = Vec::with_capacity(deliveries.len());
        for pending in deliveries {
            let text = match self.texts.get(&pending.text.id) {
                Some(text) => text.clone(),
                None => self.context.journal.log.text(pending.text.id.uuid()).await?.unwrap_or_default(),
            };
            let text = match &pending.schema {
                Some(schema) => {
                    let schema = self.context.journal.log.text(schema.id.uuid()).await?;
                    answer::asked(&text, &schema.unwrap_or_default())
                }
                None => text,
            };
            let sender = pending.origin.session().map(|sender| self.context.directory.handle(sender));
            let (origin, handle) = (&pending.origin, sender.as_deref());
            // News asks for no answer, and what is watched is answered by the turn itself.
            let watched = self.session.watches.iter().any(|watch| watch.on == On::Delivery(pending.id));
            // A person's words stand for themselves; and looking at what is granted costs.
            let mail = handle.is_some() && pending.class == Class::Message && !pending.waited && !watched;
            let reply = mail && self.context.grants(&self.session).has(SEND_TO_TAB);
            let text = envelope::wrap(Sender { origin, handle, reply }, &text, pending.repeat);
            let attachments = self.context.read_attachments(&pending.attachments).await?;
            messages.push(Message {
                delivery: pending.id,
                origin: pending.origin.clone(),
                text,
                attachments,
            });
        }
        Ok(messages)
    }
}

/// What marks the processes of a session and lets them call back, as that session and no one else.
fn environment(context: &Context, session: SessionId, secret: &str) -> Vec<(String, String)> {
    let mut environment = vec![
        ("PASEO_SESSION".to_owned(), session.to_string()),
        ("PASEO_HOME".to_owned(), context.home.display().to_string()),
        (TOKEN_VARIABLE.to_owned(), secret.to_owned()),
        ("PASEO_URL".to_owned(), context.url.clone()),
    ];
    environment.extend(own_path(context));
    environment
}

/// Returns a search path on which shells find this `paseo` first.
pub(crate) fn own_path(context: &Context) -> Option<(String, String)> {
    let mut path = OsString::from(context.executable.parent()?);
    if let Some(inherited) = env::var_os("PATH") {
        path.push(":");
        path.push(inherited);
    }
    Some(("PATH".to_owned(), path.to_string_lossy().into_owned()))
}

/// Waits for a harness. A provider that panics counts as one that could not start.
pub(super) async fn unharmed(
    provider: &str,
    start: impl Future<Output = Result<Harness, StartError>>,
) -> Result<Harness, NotStarted> {
    let not_started = NotStarted::failed;
    match AssertUnwindSafe(start).catch_unwind().await {
        Ok(started) => started.map_err(|error| {
            not_started(
                error.hint.as_ref().map_or_else(|| error.to_string(), |hint| format!("{error}\n{hint}")),
            )
        }),
        Err(_) => Err(not_started(format!(
            "cannot start {provider} because of a bug in Paseo; see the daemon's log"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_provider_that_panics_has_not_started() {
        let said = async |start: Result<&str, &str>| {
            let start = async {
                match start {
                    Ok(message) => {
                        Err(StartError { message: message.to_owned(), hint: Some("do that".to_owned()) })
                    }
                    Err(panic) => panic!("{panic}"),
                }
            };
            match unharmed("helper", start).await {
                Err(NotStarted::Failed { code, text }) => Some((code, text)),
                Ok(_) | Err(NotStarted::Vacant(_)) => None,
            }
        };
        assert_eq!(said(Ok("it is gone")).await, Some(("start_failed", "it is gone\ndo that".to_owned())));
        let (code, text) = said(Err("no such key")).await.unwrap();
        assert!(code == "start_failed" && text.starts_with("cannot start helper"), "{text}");
    }
}
