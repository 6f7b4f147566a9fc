//! Sessions: each that has something to do has an actor; idle ones cost nothing but their place in the directory.

mod actor;
mod asks;
mod changes;
mod create;
mod deliver;
mod harness;
mod output;
mod people;
mod recover;
mod tools;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_core::id::{CauseId, SessionId};
use paseo_core::item::ToolOutcome;
use paseo_core::label::Label;
use paseo_core::session::{Class, Session, Verb};
use paseo_runtime::git::Removed;
use paseo_store::Version;
use paseo_wire::error::Code;
use paseo_wire::message::Receipt;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use actor::Beginning;
pub(crate) use create::NewSession;

use crate::directory::Directory;
use crate::failure::Failure;
use crate::identity::Credentials;
use crate::journal::Journal;
use crate::live::Live;
use crate::processes::Processes;
use crate::providers::Providers;
use crate::settings::SettingsCell;
use crate::worktrees::Listed;

/// Messages that may wait for an actor's attention.
const MAILBOX: usize = 256;

/// What every session works with.
pub(crate) struct Context {
    pub(crate) journal: Journal,
    pub(crate) directory: Directory,
    pub(crate) live: Live,
    pub(crate) providers: Providers,
    pub(crate) processes: Processes,
    pub(crate) credentials: Credentials,
    pub(crate) settings: SettingsCell,
    pub(crate) home: PathBuf,
    pub(crate) executable: PathBuf,
    /// Where the API is, for agents.
    pub(crate) url: String,
}

/// An answer on its way back to whoever asked.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, Failure>>;

/// What a session can be asked to do.
pub(crate) enum Command {
    Deliver(Message, Reply<Receipt>),
    Stop(Actor, Reply<bool>),
    Close(Actor, Reply<bool>),
    Reopen(Actor, Reply<bool>),
    Clear(Actor, Reply<bool>),
    /// Removes its worktree.
    Uproot(Uproot, Reply<Removed>),
    Delete {
        by: Actor,
        force: bool,
        reply: Reply<bool>,
    },
    Patch(Patch, Reply<bool>),
    Answer(Answer, Reply<bool>),
    /// Does what the agent asks for, if it may.
    Tool {
        name: String,
        input: Value,
        reply: Reply<(ToolOutcome, String)>,
    },
    /// A tool that the agent called is done.
    ToolDone {
        call: String,
        outcome: ToolOutcome,
        text: String,
    },
    /// Goes on with what waits: after a restart.
    Resume(Reply<()>),
    /// Ends the process if it is idle: another needs its place.
    Sleep,
    /// Ends everything in good order.
    Shutdown(Reply<()>),
}

impl Command {
    /// Answers a command that comes too late: the session is deleted, or the daemon stops.
    fn refuse(self) {
        let failure = Failure::new(Code::NotFound, "the agent was deleted, or the daemon is stopping");
        // Whoever asked may have gone.
        match self {
            Self::Deliver(_, reply) => drop(reply.send(Err(failure))),
            Self::Stop(_, reply) | Self::Close(_, reply) | Self::Reopen(_, reply) | Self::Clear(_, reply) => {
                drop(reply.send(Err(failure)))
            }
            Self::Uproot(_, reply) => drop(reply.send(Err(failure))),
            Self::Delete { reply, .. } | Self::Patch(_, reply) | Self::Answer(_, reply) => {
                drop(reply.send(Err(failure)))
            }
            Self::Tool { reply, .. } => drop(reply.send(Err(failure))),
            Self::Resume(reply) => drop(reply.send(Err(failure))),
            Self::Shutdown(reply) => drop(reply.send(Ok(()))),
            Self::Sleep | Self::ToolDone { .. } => {}
        }
    }
}

/// A message for a session.
pub(crate) struct Message {
    pub(crate) origin: Actor,
    pub(crate) text: String,
    pub(crate) verb: Verb,
    pub(crate) class: Class,
    pub(crate) waited: bool,
    /// What it descends from; `None` opens a new cause, which only people do.
    pub(crate) cause: Option<(CauseId, u32)>,
    pub(crate) key: Option<RequestKey>,
}

/// An idempotency key, before its receipt is known.
#[derive(Clone)]
pub(crate) struct RequestKey {
    pub(crate) scope: String,
    pub(crate) key: String,
    pub(crate) body: [u8; 32],
}

/// A change of names and labels.
pub(crate) struct Patch {
    pub(crate) by: Actor,
    /// `Some(None)` takes the name away.
    pub(crate) name: Option<Option<String>>,
    pub(crate) set: Vec<Label>,
    pub(crate) unset: Vec<String>,
}

/// The wish to remove a session's worktree.
pub(crate) struct Uproot {
    pub(crate) by: Actor,
    pub(crate) worktree: Listed,
    pub(crate) force: bool,
}

/// A person's answer to an ask.
pub(crate) struct Answer {
    pub(crate) by: Actor,
    pub(crate) hash: String,
    pub(crate) allow: bool,
    pub(crate) message: Option<String>,
}

/// All sessions. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Sessions {
    pub(crate) context: Arc<Context>,
    actors: Actors,
    stopping: Arc<AtomicBool>,
}

/// The actors that are awake.
type Actors = Arc<Mutex<HashMap<SessionId, mpsc::Sender<Command>>>>;

impl Sessions {
    pub(crate) fn new(context: Context) -> Self {
        Self { context: Arc::new(context), actors: Actors::default(), stopping: Arc::default() }
    }

    /// Asks a session to do something and waits for the answer.
    pub(crate) async fn ask<T>(
        &self,
        id: SessionId,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<T, Failure> {
        if self.stopping.load(Ordering::SeqCst) {
            return Err(
                Failure::new(Code::ShuttingDown, "the daemon is stopping").hint("try again in a moment")
            );
        }
        let (reply, answer) = oneshot::channel();
        self.tell(id, command(reply)).await?;
        answer.await.unwrap_or_else(|_| Err(Failure::internal("a session ended without an answer")))
    }

    /// Stops all sessions in good order.
    pub(crate) async fn shutdown(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        let awake: Vec<_> = self.actors.lock().values().cloned().collect();
        let mut answers = Vec::new();
        for mailbox in awake {
            let (reply, answer) = oneshot::channel();
            if mailbox.send(Command::Shutdown(reply)).await.is_ok() {
                answers.push(answer);
            }
        }
        for answer in answers {
            // An actor that is gone has nothing left to stop.
            let _ = answer.await;
        }
    }

    async fn tell(&self, id: SessionId, mut command: Command) -> Result<(), Failure> {
        loop {
            let mailbox = match self.awake(id) {
                Some(mailbox) => mailbox,
                None => {
                    let (session, version) = self.context.journal.session(id).await?.ok_or_else(|| {
                        Failure::new(Code::NotFound, format!("the agent {id} does not exist any more"))
                    })?;
                    self.wake(session, version, Beginning::Loaded)
                }
            };
            match mailbox.send(command).await {
                Ok(()) => return Ok(()),
                // It went to sleep just now.
                Err(mpsc::error::SendError(unsent)) => command = unsent,
            }
        }
    }

    fn awake(&self, id: SessionId) -> Option<mpsc::Sender<Command>> {
        self.actors.lock().get(&id).filter(|mailbox| !mailbox.is_closed()).cloned()
    }

    /// Starts the actor of a session, unless another caller was faster.
    fn wake(&self, session: Session, version: Version, beginning: Beginning) -> mpsc::Sender<Command> {
        let mut actors = self.actors.lock();
        if let Some(mailbox) = actors.get(&session.id).filter(|mailbox| !mailbox.is_closed()) {
            return mailbox.clone();
        }
        let (mailbox, commands) = mpsc::channel(MAILBOX);
        actors.insert(session.id, mailbox.clone());
        let actor = actor::SessionActor::new(
            Arc::clone(&self.context),
            self.clone(),
            session,
            version,
            commands,
            mailbox.downgrade(),
        );
        tokio::spawn(actor.run(beginning));
        mailbox
    }
}
