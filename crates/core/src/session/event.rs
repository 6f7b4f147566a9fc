//! What happens to a session. Control events: small, without conversation text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Options, Watch};
use crate::actor::Actor;
use crate::attachment::Attached;
use crate::content::ContentRef;
use crate::glob::Glob;
use crate::id::{CauseId, DeliveryId, SessionId, ThreadId, TurnId, WatchId};
use crate::item::{Decision, Usage};
use crate::label::Labels;
use crate::permission::{Mode, Shape};
use crate::team::TeamId;
use crate::time::Timestamp;
use crate::tool::Ceiling;

/// A control event of the stream `session/<uuid>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data")]
pub enum Event {
    #[serde(rename = "session.created")]
    Created(Box<Created>),
    #[serde(rename = "session.renamed")]
    Renamed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A person changed what its process is started with. It counts from the next turn.
    #[serde(rename = "session.configured")]
    Configured(Options),
    #[serde(rename = "session.titled")]
    Titled { title: String },
    #[serde(rename = "session.labelled")]
    Labelled { set: Labels, unset: Vec<String> },
    /// The harness told its own id of the conversation, or has forgotten it.
    #[serde(rename = "session.referenced")]
    Referenced {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<String>,
    },
    /// The branch of its worktree has a new name.
    #[serde(rename = "session.branched")]
    Branched { branch: String },
    /// A limit that was reached has ended.
    #[serde(rename = "session.unparked")]
    Unparked {},
    /// Its worktree was removed.
    #[serde(rename = "session.uprooted")]
    Uprooted {
        /// What git still knows its work by: a reference or a commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<String>,
    },
    /// A person keeps it at hand, or does not any more.
    #[serde(rename = "session.pinned")]
    Pinned {
        pinned: bool,
        /// Later than that of any other pin, so that pins have an order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rank: Option<Timestamp>,
    },
    /// Notes about it changed; null takes one away.
    #[serde(rename = "session.attributed")]
    Attributed { set: BTreeMap<String, Value> },
    /// A person came here from another session, or went back there.
    #[serde(rename = "session.entered")]
    Entered {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<SessionId>,
        by: Actor,
    },
    /// People have looked at so many of its news.
    #[serde(rename = "session.looked")]
    Looked { news: u64 },
    /// A person took it out of the inbox when it had so many news.
    #[serde(rename = "session.archived")]
    Archived { news: u64 },
    /// A person wants to be told when it finishes, or does not any more.
    #[serde(rename = "session.awaited")]
    Awaited { awaited: bool },
    /// A process was started with this added to its prompt.
    #[serde(rename = "session.prompted")]
    Prompted { prompt: ContentRef },
    /// The list of what is to be done was replaced.
    #[serde(rename = "session.planned")]
    Planned {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        todo: Option<ContentRef>,
    },
    /// A process was started in its terminal. It outlives daemons, and so does its token, of which this is the hash.
    #[serde(rename = "session.boarded")]
    Boarded {
        token: String,
        /// Whether it was started guarded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guarded: Option<bool>,
    },
    /// The process in its terminal ended. The terminal stays.
    #[serde(rename = "session.exited")]
    Exited {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
    },
    /// A person took over the keyboard of its terminal.
    #[serde(rename = "terminal.taken")]
    TerminalTaken { by: Actor },
    /// They have it no longer.
    #[serde(rename = "terminal.released")]
    TerminalReleased { by: Actor, reason: TakeOverEnd },
    /// A person opened a shell of their own where it works.
    #[serde(rename = "shell.opened")]
    ShellOpened { by: Actor },
    /// That shell has ended.
    #[serde(rename = "shell.closed")]
    ShellClosed { by: Actor, reason: ShellEnd },
    #[serde(rename = "session.held")]
    Held { hold: Hold },
    #[serde(rename = "session.released")]
    Released {},
    #[serde(rename = "session.closed")]
    Closed {
        /// How that came; older ones do not say, and were taken for a person's.
        #[serde(default = "Source::person", skip_serializing_if = "Source::is_person")]
        source: Source,
    },
    #[serde(rename = "session.reopened")]
    Reopened {},
    /// A person made it an independent agent.
    #[serde(rename = "session.promoted")]
    Promoted {
        /// Its parent until then.
        from: SessionId,
        /// Watches of that parent that are about this from now on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        watches: Vec<WatchId>,
    },
    #[serde(rename = "session.cleared")]
    Cleared {},
    #[serde(rename = "session.deleted")]
    Deleted {},

    /// The acknowledgement of a message.
    #[serde(rename = "delivery.accepted")]
    Accepted(Accepted),
    #[serde(rename = "delivery.held")]
    DeliveriesHeld { deliveries: Vec<DeliveryId>, reason: HeldReason },
    /// A message is about to enter the running turn.
    #[serde(rename = "delivery.handing")]
    Handing { delivery: DeliveryId, turn: TurnId },
    /// The harness took a message into the running turn.
    #[serde(rename = "delivery.handed")]
    Handed { delivery: DeliveryId },
    /// The harness never confirmed the message: it goes back to the head of the queue.
    #[serde(rename = "delivery.returned")]
    Returned { delivery: DeliveryId, repeat: bool },
    #[serde(rename = "delivery.cancelled")]
    Cancelled { delivery: DeliveryId },
    /// A person replaced the words of a message that waits.
    #[serde(rename = "delivery.edited")]
    Edited { delivery: DeliveryId, text: ContentRef },
    /// A person moved a message that waits: before another, or to the end.
    #[serde(rename = "delivery.moved")]
    Moved {
        delivery: DeliveryId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<DeliveryId>,
    },
    /// A person lets these messages go on, and the session with them.
    #[serde(rename = "delivery.released")]
    DeliveriesReleased {
        deliveries: Vec<DeliveryId>,
        /// The request of that person, when their own can no longer pay for them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<CauseId>,
    },

    /// A turn begins with these messages; durable before any byte of them leaves.
    #[serde(rename = "turn.opened")]
    TurnOpened { turn: TurnId, cause: CauseId, hop: u32, deliveries: Vec<DeliveryId> },
    /// The harness confirmed the messages.
    #[serde(rename = "turn.handed")]
    TurnHanded { turn: TurnId },
    /// An attempt to get an answer from the model broke off, and the harness makes another.
    #[serde(rename = "turn.retried")]
    TurnRetried {
        turn: TurnId,
        /// Which attempt follows, where the harness counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempt: Option<u32>,
        /// How many it makes at most, where it says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<u32>,
    },
    #[serde(rename = "turn.ended")]
    TurnEnded {
        turn: TurnId,
        outcome: Outcome,
        source: Source,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// A limit is reached until then: nothing starts by itself before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },

    /// The answer to a message was compared with the schema of that message.
    #[serde(rename = "answer.checked")]
    AnswerChecked {
        delivery: DeliveryId,
        turn: TurnId,
        verdict: Verdict,
        /// What the answer violates, as JSON.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        violations: Option<ContentRef>,
    },
    /// Paseo gave up on an answer that satisfies the schema of its message.
    #[serde(rename = "answer.abandoned")]
    AnswerAbandoned { delivery: DeliveryId, reason: Abandoned },

    #[serde(rename = "permission.asked")]
    Asked {
        hash: String,
        text: ContentRef,
        /// The tool, in the harness's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        /// What a standing answer would cover.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shape: Option<Shape>,
        /// It asks for words, not for leave to do something.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        question: bool,
        /// It would destroy what cannot be brought back.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        destructive: bool,
    },
    #[serde(rename = "permission.decided")]
    Decided { hash: String, decision: Decision },

    #[serde(rename = "usage.added")]
    UsageAdded { turn: TurnId, usage: Usage },

    /// A recipient is to be notified.
    #[serde(rename = "watch.armed")]
    WatchArmed(Watch),
    /// They were told, or need not be any more.
    #[serde(rename = "watch.ended")]
    WatchEnded { watch: WatchId },
    /// One notice reports these watches.
    #[serde(rename = "watch.gathered")]
    WatchesGathered { watches: Vec<WatchId> },
}

/// How a session begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    pub session: SessionId,
    pub by: Actor,
    pub provider: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    #[serde(default, skip_serializing_if = "Mode::is_full")]
    pub permissions: Mode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The definition is the project's own, and no other of that name will do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_project: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Glob>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<Ceiling>,
    /// Where it was started.
    pub project: String,
    /// Where it runs.
    pub directory: String,
    /// The worktree that was made for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    #[serde(default)]
    pub labels: Labels,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The seat in a thread that it is behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatOf>,
    /// The team that it belongs to, and as whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamSeat>,
    /// It changes nothing but what a task that it owns covers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guarded: bool,
    /// The terminal that its harness runs in, where people can take over; without one it runs behind pipes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
    /// The thread that its answers are posted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports_to: Option<ThreadId>,
}

/// One's place in a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamSeat {
    pub team: TeamId,
    pub agent: String,
    /// It directs the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leads: bool,
}

/// A seat in a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatOf {
    pub thread: ThreadId,
    pub seat: String,
}

impl Created {
    /// A session without anything special.
    pub fn plain(session: SessionId, by: Actor, provider: &str, directory: &str) -> Self {
        Self {
            session,
            by,
            provider: provider.to_owned(),
            model: None,
            effort: None,
            permissions: Mode::Full,
            parent: None,
            definition: None,
            of_project: false,
            tools: None,
            ceiling: None,
            project: directory.to_owned(),
            directory: directory.to_owned(),
            worktree: None,
            labels: Labels::default(),
            name: None,
            seat: None,
            team: None,
            guarded: false,
            terminal: None,
            reports_to: None,
        }
    }
}

/// A git worktree that belongs to Paseo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// What all checkouts of the repository share, usually a `.git`.
    pub repository: String,
    pub path: String,
    /// The branch that was made for it, by its present name.
    pub branch: String,
    /// The commit that it began at.
    pub base: String,
}

/// A message that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    pub delivery: DeliveryId,
    pub origin: Actor,
    pub verb: Verb,
    pub cause: CauseId,
    pub hop: u32,
    pub text: ContentRef,
    pub class: Class,
    /// A caller waits for the answer to this message alone.
    #[serde(default)]
    pub waited: bool,
    /// It is said in passing: the person who says it stays where they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// The files that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attached>,
    /// The JSON Schema that the answer has to satisfy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<ContentRef>,
    /// The message whose answer it asks to correct.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrects: Option<DeliveryId>,
}

/// How a message enters a busy session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    #[default]
    Queue,
    Steer,
    Interrupt,
}

/// What kind of message it is, as far as wakes are concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Words for the agent.
    #[default]
    Message,
    /// News of work that the receiver itself started.
    Completion,
    /// Rides along with the next turn and never starts one.
    Passive,
}

/// Why a session starts no turn by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    #[default]
    None,
    /// A person stopped it.
    Stopped,
    /// The last turn failed.
    Error,
    /// No wake was left.
    Budget,
    /// A person paused it.
    Paused,
}

/// Why a message waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldReason {
    Stopped,
    Budget,
    Paused,
    /// It was handed several times and never confirmed.
    Attempts,
    /// A person stopped the cause it descends from.
    CauseStopped,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Completed,
    Failed,
    Interrupted,
}

/// What a check of an answer led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The answer satisfies its schema.
    Valid,
    /// It does not, and the agent is asked to correct it.
    Correct,
    /// It does not, and the agent was asked as often as it may be.
    Invalid,
    /// The check did not come to an end.
    Unchecked,
}

/// Why Paseo gave up on an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abandoned {
    /// A person stopped the agent.
    Stopped,
    /// A person interrupted the correction, or sent a message that interrupts.
    Interrupted,
    /// The agent was closed.
    Closed,
    /// The transcript was cleared.
    Cleared,
    /// A person stopped everything that descends from the request.
    CauseStopped,
    /// No wake was left for the correction.
    Budget,
    /// The turn of the correction failed.
    Failed,
    /// The correction was handed several times and never answered.
    Attempts,
}

/// Why a person no longer has the keyboard of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TakeOverEnd {
    /// They gave it back.
    Released,
    /// Another person took it.
    Taken,
    /// Their connection was lost.
    Lost,
    /// They typed nothing for long.
    Idle,
    /// Their device or token was revoked.
    Revoked,
    /// The terminal is gone.
    Gone,
    /// The daemon was started again.
    Restart,
}

/// Why a person's shell beside an agent has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellEnd {
    /// It exited, or could not start.
    Exited,
    /// They closed it.
    Closed,
    /// No viewer was connected for too long.
    Lost,
    /// Their device or token was revoked.
    Revoked,
    /// A person switched such shells off.
    Off,
    /// The agent was closed.
    Gone,
    /// The daemon was stopped.
    Restart,
}

/// How a status is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The harness said so.
    Protocol,
    /// Its process ended.
    ProcessExit,
    Hook,
    Screen,
    /// A person did it.
    Person,
    /// The daemon decided it.
    Daemon,
    /// The daemon was started again.
    Restart,
}

impl Source {
    /// Returns the source of an act.
    pub fn of(by: &Actor) -> Self {
        if by.is_human() { Self::Person } else { Self::Daemon }
    }

    fn person() -> Self {
        Self::Person
    }

    fn is_person(&self) -> bool {
        *self == Self::Person
    }
}
