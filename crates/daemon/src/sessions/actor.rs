//! The actor of one session: it alone decides and appends for it in this daemon.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::id::{ContentId, DeliveryId, SessionId, TurnId, WatchId};
use paseo_core::permission::Secrets;
use paseo_core::session::{Outcome, Session, Source};
use paseo_core::time::Timestamp;
use paseo_runtime::provider::{Input, Lifetime, Output};
use paseo_store::{Seq, Version};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::answers::{Checking, Found};
use super::asks::OpenRequest;
use super::delegations::Delegations;
use super::harness::{Running, Start};
use super::reattach::Search;
use super::{Command, Context, Sessions};
use crate::failure::Failure;
use crate::mint;

/// How long a harness may take to end a turn before its processes are ended.
pub(super) const INTERRUPT_GRACE: Duration = Duration::from_secs(5);
/// How long the shim may take to end everything before it is killed itself.
pub(super) const SHIM_GRACE: Duration = Duration::from_secs(5);
/// How long an idle process is kept.
const IDLE: Duration = Duration::from_secs(600);
/// How long to wait before something that could not be stored is tried again.
pub(super) const RETRY: Duration = Duration::from_secs(1);
/// Outputs that are taken at once.
const OUTPUTS: usize = 64;

/// The owner of a session while it has something to do.
pub(super) struct SessionActor {
    pub(super) context: Arc<Context>,
    /// All sessions, this one among them.
    pub(super) sessions: Sessions,
    pub(super) session: Session,
    pub(super) version: Version,
    commands: mpsc::Receiver<Command>,
    pub(super) mailbox: mpsc::WeakSender<Command>,
    pub(super) running: Option<Running>,
    pub(super) start: Option<Start>,
    /// Set while reattaching to a terminal left by the previous daemon.
    pub(super) search: Option<Search>,
    /// The check of an answer that is under way.
    pub(super) checking: Option<Checking>,
    /// The turn that the harness has, or is about to get.
    pub(super) current: Option<TurnId>,
    /// Who is ending the current turn.
    pub(super) ending: Option<Source>,
    pub(super) timer: Option<(Instant, Timer)>,
    /// Texts of waiting messages, so that a fresh one need not be read back.
    pub(super) texts: HashMap<ContentId, String>,
    /// The point in the log that the session's own last event has.
    pub(super) reached: Seq,
    /// Why what the harness says cannot be stored.
    pub(super) lost: Option<String>,
    /// Calls that the harness made and did not close.
    pub(super) calls: Vec<String>,
    /// Codes of notices that the turn has from before a restart: they are not repeated.
    pub(super) noted: HashSet<String>,
    /// Open asks, in the harness's words, by hash.
    pub(super) asks: HashMap<String, OpenRequest>,
    /// What people told the agent in confidence: nothing of it is stored or shown.
    pub(super) secrets: Secrets,
    /// A person's words that ended a wait, until the agent goes on with them.
    pub(super) words: Vec<DeliveryId>,
    /// Answers about work that the agent handed to others.
    pub(super) delegations: Delegations,
    /// Notices that are on their way.
    pub(super) telling: HashSet<WatchId>,
    /// The turn's messages, until the harness is there to take them.
    pub(super) unsent: Option<Input>,
    /// The token of the process that is about to be started in a terminal.
    pub(super) token: Option<String>,
    /// An ending that could not be stored yet.
    pub(super) unrecorded: Option<Ending>,
    /// Nothing more is to be stored: the session is deleted, or the daemon stops.
    pub(super) over: bool,
}

/// What a timer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timer {
    /// The harness does not end its turn.
    Interrupt,
    /// The shim does not end its processes.
    Shim,
    /// The process had nothing to do for long.
    Idle,
    /// The end of a turn could not be stored.
    Retry,
    /// A limit that was reached has ended.
    Unpark,
}

/// How an actor comes to its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Its first turn was just opened.
    Fresh,
    /// It was read from the log.
    Loaded,
}

/// How a turn ended, on its way into the log.
#[derive(Debug, Clone)]
pub(super) struct Ending {
    pub(super) outcome: Outcome,
    pub(super) source: Source,
    /// Code and words of what went wrong.
    pub(super) error: Option<(String, String)>,
    /// When a limit that was reached ends.
    pub(super) until: Option<Timestamp>,
    /// Whether anything of the turn has left for the harness.
    pub(super) sent: bool,
}

impl Ending {
    /// A turn that the harness had.
    pub(super) fn of(outcome: Outcome, source: Source, error: Option<(String, String)>) -> Self {
        Self { outcome, source, error, until: None, sent: true }
    }

    /// A turn that never left.
    pub(super) fn unsent(outcome: Outcome, source: Source, error: Option<(String, String)>) -> Self {
        Self { sent: false, ..Self::of(outcome, source, error) }
    }
}

enum Wake {
    Command(Option<Command>),
    Outputs(Vec<Output>),
    Started(Result<Running, super::harness::NotStarted>),
    Checked(Found),
    Timer(Timer),
}

impl SessionActor {
    pub(super) fn new(
        context: Arc<Context>,
        sessions: Sessions,
        session: Session,
        version: Version,
        commands: mpsc::Receiver<Command>,
        mailbox: mpsc::WeakSender<Command>,
    ) -> Self {
        Self {
            context,
            sessions,
            session,
            version,
            commands,
            mailbox,
            running: None,
            start: None,
            search: None,
            checking: None,
            current: None,
            ending: None,
            timer: None,
            texts: HashMap::new(),
            reached: 0,
            lost: None,
            calls: Vec::new(),
            noted: HashSet::new(),
            asks: HashMap::new(),
            secrets: Secrets::default(),
            words: Vec::new(),
            delegations: Delegations::default(),
            telling: HashSet::new(),
            unsent: None,
            token: None,
            unrecorded: None,
            over: false,
        }
    }

    /// Works until there is nothing left to do.
    pub(super) async fn run(mut self, beginning: Beginning) {
        match beginning {
            Beginning::Fresh => self.hand_over().await,
            Beginning::Loaded => self.recover().await,
        }
        while !self.retires() {
            match self.next().await {
                Wake::Command(Some(command)) => self.command(command).await,
                Wake::Command(None) => break,
                Wake::Outputs(outputs) => self.outputs(outputs).await,
                Wake::Started(result) => self.started(result).await,
                Wake::Checked(found) => self.checked(found).await,
                Wake::Timer(Timer::Interrupt) => self.not_interrupted().await,
                Wake::Timer(Timer::Shim) => self.kill_shim(),
                Wake::Timer(Timer::Idle) => self.sleep(),
                Wake::Timer(Timer::Retry) => self.record_ending().await,
                Wake::Timer(Timer::Unpark) => self.unpark().await,
            }
        }
    }

    pub(super) fn id(&self) -> SessionId {
        self.session.id
    }

    /// Says whether the agent runs elsewhere: a turn goes on there whatever happens here.
    pub(super) fn is_remote(&self) -> bool {
        let provider = self.context.providers.get(&self.session.profile.provider);
        provider.is_some_and(|provider| provider.capabilities().lifetime == Lifetime::Remote)
    }

    /// Asks the harness to end the turn, and ends its processes if it does not.
    pub(super) async fn interrupt(&mut self, source: Source) {
        if self.unrecorded.is_some() {
            // It has ended; only the log does not know yet.
            return;
        }
        self.ending = Some(source);
        let handed = self.session.turn.as_ref().is_some_and(|turn| turn.handed);
        // The harness that is being reattached may have it, too: only its terminal knows what was typed.
        let may_have = self.search.as_ref().is_some_and(|search| search.turn == self.current);
        if self.is_in_terminal() && self.start.is_some() && (handed || may_have) {
            // It is told as soon as it is found again.
            return;
        }
        let on_its_way = self.start.is_some();
        if !self.is_in_terminal() {
            self.start = None;
        }
        // A harness that is being started in a terminal arrives all the same, and has nothing to do.
        if on_its_way || self.unsent.is_some() {
            // Nothing has left for the harness yet.
            self.unsent = None;
            self.finish(Ending::unsent(Outcome::Interrupted, source, None)).await;
            return;
        }
        if self.is_remote() {
            // What runs elsewhere need not end there, although it is told: whatever it still says comes late.
            if let Some(turn) = self.current {
                self.context.tell_stopped(&self.session, turn);
            }
            return self.finish(Ending::of(Outcome::Interrupted, source, None)).await;
        }
        let sent = self.running.as_mut().is_some_and(Running::interrupt);
        if !sent {
            self.end_processes();
        }
        self.timer = Some(self.interrupted_by());
    }

    /// Notes that the process has nothing to do.
    pub(super) fn rest(&mut self) {
        if self.running.is_none() || self.current.is_some() || self.in_background() > 0 {
            return;
        }
        if self.is_in_terminal() {
            // A person may come to it at any time.
            return;
        }
        if self.is_remote() {
            // The address of the agent is read again for each turn.
            return self.end_processes();
        }
        self.timer = Some((Instant::now() + IDLE, Timer::Idle));
        self.context.processes.rest(self.id(), self.mailbox.clone());
    }

    /// Ends an idle process; the next turn starts a new one.
    pub(super) fn sleep(&mut self) {
        if self.current.is_none() && self.in_background() == 0 && !self.is_in_terminal() {
            self.end_processes();
        }
    }

    /// Returns how many commands the process runs in the background. It is not idle while there are any.
    pub(super) fn in_background(&self) -> usize {
        self.running.as_ref().map_or(0, |running| running.background)
    }

    /// Ends the harness and everything under it. Its exit is reported as an output.
    pub(super) fn end_processes(&mut self) {
        let Some(running) = &mut self.running else { return };
        if running.has_place() {
            self.context.processes.leave(self.session.id);
        }
        running.end();
        if self.unrecorded.is_none() {
            self.timer = Some((Instant::now() + SHIM_GRACE, Timer::Shim));
        }
    }

    /// Kills a shim that does not do its duty; what it leaves is swept when its exit is reported.
    fn kill_shim(&mut self) {
        self.timer = None;
        if let Some(running) = &self.running {
            tracing::warn!(session = %self.id(), "the shim did not end in time and was killed");
            running.kill();
        }
    }

    /// Returns what is due first: what was set, or the end of a limit that was reached.
    fn alarm(&self) -> Option<(Instant, Timer)> {
        let trying_again = matches!(self.timer, Some((_, Timer::Unpark)));
        let unpark = self.session.parked().filter(|_| !self.over && !trying_again).map(|until| {
            let left = until.as_millis().saturating_sub(mint::now().as_millis());
            (Instant::now() + Duration::from_millis(left.max(0).unsigned_abs()), Timer::Unpark)
        });
        self.timer.into_iter().chain(unpark).min_by_key(|(at, _)| *at)
    }

    async fn next(&mut self) -> Wake {
        let timer = self.alarm();
        let Self { commands, running, start, checking, .. } = self;
        let outputs = async {
            match running {
                Some(running) => running.outputs(OUTPUTS).await,
                None => std::future::pending().await,
            }
        };
        let started = async {
            match start {
                Some(start) => start.await,
                None => std::future::pending().await,
            }
        };
        let checked = async {
            match checking {
                Some(checking) => checking.found().await,
                None => std::future::pending().await,
            }
        };
        let alarm = async {
            match timer {
                Some((at, what)) => {
                    tokio::time::sleep_until(at).await;
                    what
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            command = commands.recv() => Wake::Command(command),
            outputs = outputs => Wake::Outputs(outputs),
            result = started => Wake::Started(result),
            found = checked => Wake::Checked(found),
            what = alarm => Wake::Timer(what),
        }
    }

    async fn command(&mut self, command: Command) {
        // The daemon stops only when no process is left, even if the session fails.
        if self.over && !matches!(command, Command::Shutdown(_)) {
            return command.refuse();
        }
        match command {
            Command::Deliver(message, reply) => answer(reply, self.deliver(message).await),
            Command::Stop(by, reply) => answer(reply, self.stop(by).await),
            Command::Close(by, reply) => answer(reply, self.close(by).await),
            Command::Reopen(by, reply) => answer(reply, self.reopen(by).await),
            Command::Clear(by, reply) => answer(reply, self.clear(by).await),
            Command::Uproot(uproot, reply) => answer(reply, self.uproot(uproot).await),
            Command::Delete { by, force, reply } => answer(reply, self.delete(by, force).await),
            Command::Patch(patch, reply) => answer(reply, self.patch(patch).await),
            Command::Rearrange(wish, reply) => answer(reply, self.rearrange(wish).await),
            Command::Promote { by, key, reply } => answer(reply, self.promote(by, key).await),
            Command::See { by, what, upto, reply } => answer(reply, self.see(&by, what, upto).await),
            Command::Enter { by, from, reply } => answer(reply, self.enter(by, from).await),
            Command::Answer(given, reply) => answer(reply, self.answer(given).await),
            Command::CallBack(callback, reply) => answer(reply, self.call_back(callback).await),
            Command::Tool { name, input, reply } => answer(reply, Ok(self.tool(&name, &input).await)),
            Command::Delegated { mut text, delegation, reply } => {
                // As the transcript has it.
                self.secrets.scrub(&mut text);
                self.delegations.note(&text, delegation);
                answer(reply, Ok(()));
            }
            Command::ToolDone { call, outcome, text } => {
                self.tell(Input::ToolResult { call, outcome, text });
            }
            Command::Watch(watch, reply) => answer(reply, self.watch(watch).await),
            Command::Noticed(notice, reply) => answer(reply, self.noticed(notice).await),
            Command::Spare(watch, reply) => answer(reply, self.spare(watch).await),
            Command::SpareFarewell(watch, reply) => answer(reply, self.spare_known(watch).await),
            Command::TellWatchers => self.look_for_notices().await,
            Command::ForgetNews(of, reply) => answer(reply, self.forget_news(of).await),
            Command::HoldCause(by, cause, reply) => answer(reply, self.hold_cause(by, cause).await),
            Command::TakeWords(reply) => answer(reply, self.take_words().await),
            Command::TakeOver { by, name, reply } => answer(reply, self.take_over(by, &name).await),
            Command::EndTakeOver { by, name, reason, reply } => {
                answer(reply, self.end_take_over(by, &name, reason).await);
            }
            Command::OpenShell(by, reply) => answer(reply, self.open_shell(by).await),
            Command::CloseShell(by, reason, reply) => answer(reply, self.close_shell(by, reason).await),
            Command::Note { code, text, reply } => answer(reply, self.note(code, text).await),
            Command::Resume(reply) => {
                let resumed = self.advance(&Actor::Daemon).await;
                self.send_notices();
                self.look_for_check();
                answer(reply, resumed);
            }
            Command::ClearAway(reply) => {
                self.clear_away().await;
                answer(reply, Ok(()));
            }
            Command::Sleep => self.sleep(),
            Command::Shutdown(reply) => {
                self.shutdown().await;
                answer(reply, Ok(()));
            }
        }
    }

    /// Says whether the actor can go, and if so closes its mailbox: no command is lost.
    fn retires(&mut self) -> bool {
        let parked = self.session.parked().is_some() && !self.over;
        let idle = self.running.is_none()
            && self.start.is_none()
            && self.checking.is_none()
            && (self.current.is_none() || self.over)
            && !parked;
        idle && self.sessions.mailboxes.close(self.session.id, &mut self.commands)
    }
}

fn answer<T>(reply: super::Reply<T>, result: Result<T, Failure>) {
    // The caller may have gone; the decision is in the log.
    let _ = reply.send(result);
}
