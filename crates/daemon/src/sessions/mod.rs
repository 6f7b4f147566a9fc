//! Sessions: each that has something to do has an actor; idle ones cost nothing but their place in the directory.

mod actor;
mod answers;
mod asks;
mod attempts;
mod blueprint;
mod callback;
mod changes;
mod create;
mod delegations;
mod deliver;
mod dress;
mod guard;
mod harness;
mod limit;
mod mailboxes;
mod options;
mod outlook;
mod output;
mod past;
mod peers;
mod people;
mod promotion;
mod queue;
mod reattach;
mod recover;
pub(crate) mod routing;
mod shell;
mod take_over;
mod terminal;
mod tools;
mod watches;
mod writing;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::delegation::Delegation;
use paseo_core::envelope;
use paseo_core::family;
use paseo_core::id::{CauseId, RuleId, SessionId, WatchId};
use paseo_core::item::ToolOutcome;
use paseo_core::label::Label;
use paseo_core::permission::Rule;
use paseo_core::permission::form::Given;
use paseo_core::session::{Class, OptionsChange, Session, ShellEnd, TakeOverEnd, Verb, Watch};
use paseo_core::tool::Plugin;
use paseo_runtime::git::Removed;
use paseo_store::Version;
use paseo_wire::error::Code;
use paseo_wire::message::Receipt;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use actor::Beginning;
pub(crate) use blueprint::Order;
pub(crate) use callback::Callback;
pub(crate) use create::NewSession;
pub(crate) use harness::{OF_OTHERS, own_path};
use mailboxes::Mailboxes;
pub(crate) use queue::{Rearrange, Rearrangement};
pub(crate) use shell::why as told_shell_end;
pub(crate) use watches::Spared;

use crate::attachments::{Attachments, Claimed};
use crate::definitions::Definitions;
use crate::directory::Directory;
use crate::external::External;
use crate::failure::Failure;
use crate::identity::Credentials;
use crate::journal::Journal;
use crate::live::Live;
use crate::previews::Previews;
use crate::processes::Processes;
use crate::providers::Providers;
use crate::settings::SettingsCell;
use crate::shells::Shells;
use crate::signs::Signs;
use crate::slash_commands::SlashCommands;
use crate::teams::Teams;
use crate::threads::Hall;
use crate::waits::Waits;
use crate::workers::Terminals;
use crate::worktrees::Listed;

/// What every session works with.
pub(crate) struct Context {
    pub(crate) journal: Journal,
    pub(crate) attachments: Arc<Attachments>,
    pub(crate) directory: Directory,
    /// What lists show of transcripts.
    pub(crate) previews: Previews,
    pub(crate) live: Live,
    pub(crate) definitions: Definitions,
    /// The plugins that are switched off.
    pub(crate) plugins_off: BTreeSet<Plugin>,
    pub(crate) providers: Providers,
    pub(crate) slash_commands: SlashCommands,
    pub(crate) external: External,
    pub(crate) processes: Processes,
    pub(crate) credentials: Credentials,
    pub(crate) settings: SettingsCell,
    /// Who waits for whom.
    pub(crate) waits: Waits,
    /// When each harness was last heard of.
    pub(crate) signs: Signs,
    /// What is known of threads.
    pub(crate) hall: Hall,
    /// Held while a definition's session is looked for and made, so that two who ask at once do not make two.
    pub(crate) routing: tokio::sync::Mutex<()>,
    /// Held while a family grows or is closed, so that no open agent is left below a closed one.
    pub(crate) families: tokio::sync::Mutex<()>,
    pub(crate) home: PathBuf,
    pub(crate) executable: PathBuf,
    /// How long a harness may take to answer for the first time.
    pub(crate) start_patience: Duration,
    /// Where the API is, for agents.
    pub(crate) url: String,
    /// The terminals of workers.
    pub(crate) terminals: Terminals,
    /// Shells that people have open where agents work.
    pub(crate) shells: Shells,
    /// What agents share; there as soon as requests are answered.
    pub(crate) teams: OnceLock<Teams>,
}

impl Context {
    /// Returns the teams.
    pub(crate) fn teams(&self) -> Result<&Teams, Failure> {
        self.teams.get().ok_or_else(|| Failure::new(Code::ShuttingDown, "the daemon is not ready yet"))
    }
}

/// An answer on its way back to the caller.
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
    /// Changes what waits.
    Rearrange(Rearrange, Reply<bool>),
    /// Leaves its parent.
    Promote {
        by: Actor,
        key: Option<RequestKey>,
        reply: Reply<bool>,
    },
    /// A person has looked at it, or archives it.
    See {
        by: Actor,
        what: Seen,
        /// Of how many news; `None`: of all.
        upto: Option<u64>,
        reply: Reply<bool>,
    },
    /// A person comes from another session, or goes back there.
    Enter {
        by: Actor,
        from: Option<SessionId>,
        reply: Reply<()>,
    },
    Answer(Answer, Reply<bool>),
    /// Takes in what an agent elsewhere says.
    CallBack(Callback, Reply<()>),
    /// Does what the agent asks for, if it may.
    Tool {
        name: String,
        input: Value,
        reply: Reply<(ToolOutcome, String)>,
    },
    /// The agent is about to be told about work that it handed to another one.
    Delegated {
        text: String,
        delegation: Delegation,
        reply: Reply<()>,
    },
    /// A tool that the agent called is done.
    ToolDone {
        call: String,
        outcome: ToolOutcome,
        text: String,
    },
    /// A recipient is to be notified.
    Watch(Watch, Reply<()>),
    /// A notice is stored with its watcher, or the watcher is gone.
    Noticed(WatchId, Reply<()>),
    /// The watcher knows already.
    Spare(WatchId, Reply<Spared>),
    /// The former parent knows that this one left it.
    SpareFarewell(WatchId, Reply<Spared>),
    /// Looks again who is to be told.
    TellWatchers,
    /// Takes back the news of another session's work: they are known here.
    ForgetNews(SessionId, Reply<()>),
    /// Holds what descends from a request that a person stopped.
    HoldCause(Actor, CauseId, Reply<()>),
    /// Takes a person's words into the running turn, whose agent waits for something.
    TakeWords(Reply<Option<String>>),
    /// A person takes over the keyboard of its terminal.
    TakeOver {
        by: Actor,
        /// As people know them.
        name: String,
        reply: Reply<()>,
    },
    /// A take-over has ended: that of a person, or of whoever it is.
    EndTakeOver {
        by: Option<Actor>,
        name: String,
        reason: TakeOverEnd,
        reply: Reply<()>,
    },
    /// A person opens a shell where it works.
    OpenShell(Actor, Reply<()>),
    /// The shell of a person has ended.
    CloseShell(Actor, ShellEnd, Reply<()>),
    /// Puts a notice into the transcript.
    Note {
        code: &'static str,
        text: String,
        reply: Reply<()>,
    },
    /// Goes on with what waits: after a restart.
    Resume(Reply<()>),
    /// Ends what is left of it, if it is closed.
    ClearAway(Reply<()>),
    /// Ends the process if it is idle: another needs its place.
    Sleep,
    /// Ends everything in good order.
    Shutdown(Reply<()>),
}

impl Command {
    /// Answers a command that comes too late: the session is deleted, or the daemon stops.
    fn refuse(self) {
        let failure = Failure::new(Code::NotFound, "the agent was deleted, or the daemon is stopping");
        // The caller may have gone.
        match self {
            Self::Deliver(_, reply) => drop(reply.send(Err(failure))),
            Self::Stop(_, reply) | Self::Close(_, reply) | Self::Reopen(_, reply) | Self::Clear(_, reply) => {
                drop(reply.send(Err(failure)))
            }
            Self::Uproot(_, reply) => drop(reply.send(Err(failure))),
            Self::Delete { reply, .. }
            | Self::Patch(_, reply)
            | Self::Rearrange(_, reply)
            | Self::Promote { reply, .. }
            | Self::See { reply, .. }
            | Self::Answer(_, reply) => drop(reply.send(Err(failure))),
            Self::Tool { reply, .. } => drop(reply.send(Err(failure))),
            Self::Resume(reply)
            | Self::ClearAway(reply)
            | Self::Watch(_, reply)
            | Self::Noticed(_, reply)
            | Self::ForgetNews(_, reply)
            | Self::HoldCause(_, _, reply)
            | Self::CallBack(_, reply)
            | Self::Enter { reply, .. }
            | Self::TakeOver { reply, .. }
            | Self::EndTakeOver { reply, .. }
            | Self::OpenShell(_, reply)
            | Self::CloseShell(_, _, reply)
            | Self::Delegated { reply, .. }
            | Self::Note { reply, .. } => drop(reply.send(Err(failure))),
            Self::TakeWords(reply) => drop(reply.send(Err(failure))),
            Self::Spare(_, reply) | Self::SpareFarewell(_, reply) => drop(reply.send(Err(failure))),
            Self::Shutdown(reply) => drop(reply.send(Ok(()))),
            Self::Sleep | Self::TellWatchers | Self::ToolDone { .. } => {}
        }
    }
}

/// A message for a session.
pub(crate) struct Message {
    pub(crate) origin: Actor,
    pub(crate) text: String,
    /// The files that it has, uploaded by its author.
    pub(crate) attachments: Vec<Claimed>,
    pub(crate) verb: Verb,
    pub(crate) class: Class,
    pub(crate) waited: bool,
    /// Said in passing: the person stays where they are.
    pub(crate) aside: bool,
    /// The JSON Schema that the answer has to satisfy, as JSON.
    pub(crate) schema: Option<String>,
    /// Who is notified of its outcome.
    pub(crate) notify: Option<Notify>,
    /// What it descends from; `None` opens a new cause, which only people do.
    pub(crate) cause: Option<(CauseId, u32)>,
    pub(crate) key: Option<RequestKey>,
}

impl Message {
    /// Keeps the words of an agent from looking like those of another author.
    fn contained(mut self) -> Self {
        let is_of_agent = !self.origin.is_human() && self.origin != Actor::Daemon;
        if is_of_agent && self.class == Class::Message {
            self.text = envelope::contained(&self.text);
        }
        self
    }
}

/// Who is notified of the outcome of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Notify {
    pub(crate) watch: WatchId,
    pub(crate) watcher: SessionId,
}

/// An idempotency key, before its receipt is known.
#[derive(Clone)]
pub(crate) struct RequestKey {
    pub(crate) scope: String,
    pub(crate) key: String,
    pub(crate) body: [u8; 32],
}

/// A change of what people call a session and note about it.
pub(crate) struct Patch {
    pub(crate) by: Actor,
    /// `Some(None)` takes the name away.
    pub(crate) name: Option<Option<String>>,
    pub(crate) set: Vec<Label>,
    pub(crate) unset: Vec<String>,
    pub(crate) pinned: Option<bool>,
    /// Whether people are told when it finishes.
    pub(crate) awaited: Option<bool>,
    /// Null takes one away.
    pub(crate) attributes: BTreeMap<String, Value>,
    /// From the next turn on.
    pub(crate) options: OptionsChange,
}

impl Patch {
    /// Changes nothing.
    pub(crate) fn by(by: Actor) -> Self {
        Self {
            by,
            name: None,
            set: Vec::new(),
            unset: Vec::new(),
            pinned: None,
            awaited: None,
            attributes: BTreeMap::new(),
            options: OptionsChange::default(),
        }
    }
}

/// What a person does about the news of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    Looked,
    Archived,
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
    /// To the questions of a request, in their order.
    pub(crate) answers: Option<Vec<Given>>,
    /// For the fields of a request, by their names.
    pub(crate) fields: Option<Map<String, Value>>,
    /// A form is closed without an answer.
    pub(crate) cancel: bool,
    /// For how long the request was displayed, where it was decided on a screen.
    pub(crate) shown_ms: Option<u64>,
    /// The rule to keep if this answer counts.
    pub(crate) rule: Option<(RuleId, Rule)>,
}

/// All sessions. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Sessions {
    pub(crate) context: Arc<Context>,
    mailboxes: Mailboxes,
    stopping: Arc<AtomicBool>,
}

impl Sessions {
    pub(crate) fn new(context: Context) -> Self {
        Self { context: Arc::new(context), mailboxes: Mailboxes::default(), stopping: Arc::default() }
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
        answer.await.unwrap_or_else(|_| Err(Failure::internal("a session ended without a reply")))
    }

    /// Closes a session, and before it those that descend from it, leaves first. Returns whether anything changed, and how
    /// many were closed with it.
    pub(crate) async fn close(&self, id: SessionId, by: &Actor) -> Result<(bool, usize), Failure> {
        let (this, by) = (self.clone(), by.clone());
        to_the_end(async move {
            let _family = this.context.families.lock().await;
            let with = this.close_descendants(id, &by).await?;
            Ok((this.ask(id, |reply| Command::Close(by, reply)).await?, with))
        })
        .await
    }

    /// Deletes a session, and closes before it those that descend from it. Returns how many were closed.
    pub(crate) async fn delete(&self, id: SessionId, by: &Actor, force: bool) -> Result<usize, Failure> {
        let (this, by) = (self.clone(), by.clone());
        to_the_end(async move {
            let _family = this.context.families.lock().await;
            let session = this.context.journal.session(id).await?;
            let refused =
                session.is_some_and(|(session, _)| session.turn.is_some() || !session.queue.is_empty());
            // One that will not be deleted keeps its children.
            let with = if refused && !force { 0 } else { this.close_descendants(id, &by).await? };
            this.ask(id, |reply| Command::Delete { by, force, reply }).await.map(|_| with)
        })
        .await
    }

    /// Closes what descends from a session, leaves first. An agent that is closed with it is not told of the others.
    async fn close_descendants(&self, id: SessionId, by: &Actor) -> Result<usize, Failure> {
        let open = self.context.directory.all();
        let parents = open.iter().filter_map(|session| Some((session.id, session.profile.parent?)));
        let below = family::descendants_leaf_first(id, parents);
        let closing = |session: SessionId| session == id || below.contains(&session);
        for child in &below {
            let watches = self.context.directory.get(*child).map(|session| session.watches.clone());
            for watch in watches.unwrap_or_default().iter().filter(|watch| closing(watch.watcher)) {
                gone_is_fine(self.ask(*child, |reply| Command::Spare(watch.id, reply)).await)?;
            }
            gone_is_fine(self.ask(*child, |reply| Command::Close(by.clone(), reply)).await)?;
        }
        Ok(below.len())
    }

    /// Stops all sessions in good order.
    pub(crate) async fn shutdown(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        let mut answers = Vec::new();
        for mailbox in self.mailboxes.all() {
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

    /// Hands a session a command.
    pub(crate) async fn tell(&self, id: SessionId, mut command: Command) -> Result<(), Failure> {
        loop {
            let mailbox = match self.mailboxes.find(id) {
                Some(mailbox) => mailbox,
                None => {
                    let (session, version) = self.context.journal.session(id).await?.ok_or_else(|| {
                        Failure::new(Code::NotFound, format!("agent {id} no longer exists"))
                    })?;
                    self.wake(session, version, Beginning::Loaded)
                }
            };
            match self.mailboxes.put(&mailbox, command).await {
                Ok(()) => return Ok(()),
                // It went to sleep just now.
                Err(unsent) => command = *unsent,
            }
        }
    }

    /// Says whether a session has something to do, or a process.
    pub(crate) fn is_awake(&self, id: SessionId) -> bool {
        self.mailboxes.find(id).is_some()
    }

    /// Starts the actor of a session, unless another caller was faster.
    fn wake(&self, session: Session, version: Version, beginning: Beginning) -> mpsc::Sender<Command> {
        let (mailbox, opened) = self.mailboxes.open(session.id);
        if let Some(commands) = opened {
            let actor = actor::SessionActor::new(
                Arc::clone(&self.context),
                self.clone(),
                session,
                version,
                commands,
                mailbox.downgrade(),
            );
            tokio::spawn(actor.run(beginning));
        }
        mailbox
    }
}

/// Does something to its end, even if the client disconnects: nothing is left half done.
pub(crate) async fn to_the_end<T: Send + 'static>(
    what: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    tokio::spawn(what).await.unwrap_or_else(|error| Err(Failure::internal(error)))
}

/// Counts a target that is gone as done.
pub(crate) fn gone_is_fine<T>(result: Result<T, Failure>) -> Result<(), Failure> {
    match result {
        Err(failure) if failure.code != Code::NotFound => Err(failure),
        _ => Ok(()),
    }
}
