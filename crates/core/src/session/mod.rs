//! A session as a function of its events.

mod accept;
mod answer;
mod apply;
mod attention;
mod callback;
mod draft;
mod event;
mod lifecycle;
mod limit;
mod options;
mod presence;
mod promotion;
mod queue;
mod receipt;
mod setback;
mod shell;
mod spent;
mod take_over;
mod turn;
mod typed;
mod watch;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use accept::{Incoming, Placement, Refusal, accept};
pub use answer::{Check, Checked, Conclusion, Finding, Stage, judge, next_correction};
pub use attention::{Attention, Unseen, archive, look, tell};
pub use callback::{Landing, Unasked, call_back};
pub use draft::Draft;
pub use event::{
    Abandoned, Accepted, Class, Created, Event, HeldReason, Hold, Outcome, SeatOf, ShellEnd, Source,
    TakeOverEnd, TeamSeat, Verb, Verdict, Worktree,
};
pub use lifecycle::{
    BadAttributes, attribute, branch, clear, close, hold_cause, hold_for_stop, label, pin, pin_rank, rename,
    reopen, title, todo, uproot,
};
pub use limit::{LIMIT_OVER, cut_off, parked_until, unpark};
pub use options::{Options, OptionsChange, TooFree, configure};
pub use presence::{Entered, enter, whereabouts};
pub use promotion::{Farewell, Unpromotable, promote};
pub use queue::{
    Position, Released, Unchangeable, cancel, edit, is_editable, is_movable, is_releasable, move_to, release,
};
pub use receipt::{Receipt, Settled};
pub use setback::{Again, Ended, Setback, setback};
pub use shell::{close_shell, open_shell};
pub use spent::{Spent, day};
pub use take_over::{end_take_over, take_over};
pub use turn::{Ending, Opening, Plan, end, end_unsent, next, open, open_own, take_up, take_words};
pub use typed::typed;
pub use watch::{Due, Notice, On, Watch, arm, disarm, disarm_notice, due, forget_news, gather, notices};

use crate::actor::Actor;
use crate::attachment::Attached;
use crate::content::ContentRef;
use crate::glob::Glob;
use crate::id::{CauseId, DeliveryId, SessionId, ThreadId, TurnId};
use crate::item::Usage;
use crate::label::Labels;
use crate::permission::{Mode, Shape};
use crate::time::Timestamp;
use crate::tool::Ceiling;

/// The state of a session. Thousands of them are in memory, most without what is boxed here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: SessionId,
    pub profile: Profile,
    pub labels: Labels,
    pub naming: Naming,
    pub condition: Condition,
    pub hold: Hold,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Box<Turn>>,
    /// What counts from the next turn on, while one is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Box<Options>>,
    /// The answer that has to satisfy a schema, from the end of its turn until it does or cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Box<Check>>,
    /// Accepted messages that no turn has taken yet, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<Pending>,
    /// The newest settled deliveries, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<Settled>,
    pub history: History,
    /// Who is to be notified of outcomes here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watches: Vec<Watch>,
    /// The list of what is to be done, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todo: Option<Box<ContentRef>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned_at: Option<Timestamp>,
    /// What people and programs noted about it, as JSON values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, Value>,
    /// Where the person who is in it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered: Option<Box<Entered>>,
    /// What people want to know of it, and how far they have looked.
    #[serde(default, skip_serializing_if = "Attention::is_empty")]
    pub attention: Attention,
    pub updated_at: Timestamp,
}

/// What a session was made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    pub provider: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    #[serde(default, skip_serializing_if = "Mode::is_full")]
    pub permissions: Mode,
    /// The mode that a person chose after the start. It binds what the session starts, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_mode: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// The definition that it follows; without one: the built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The definition is the project's own, and no other of that name will do.
    #[serde(default, skip_serializing_if = "is_false")]
    pub of_project: bool,
    /// What it may use, instead of what its definition lets through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Glob>>,
    /// What it may pass on; without one: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<Ceiling>,
    pub project: String,
    pub directory: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Box<Worktree>>,
    /// The worktree was removed; since then no turn has begun in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uprooted: Option<Uprooted>,
    pub created_by: Actor,
    pub created_at: Timestamp,
    /// The seat in a thread that it is behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Box<SeatOf>>,
    /// The team that it belongs to, and as whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Box<TeamSeat>>,
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

/// What is left of a worktree that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uprooted {
    /// What git still knows its work by: a reference or a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// What a session is called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naming {
    /// Given by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Given by the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent has titled the current task; until the next human message.
    #[serde(default)]
    pub titled: bool,
}

impl Naming {
    /// Returns what to show, when there is more than a handle.
    pub fn shown(&self) -> Option<&str> {
        self.name.as_deref().or(self.title.as_deref())
    }
}

/// Status with its source and time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    pub status: Status,
    pub source: Source,
    pub since: Timestamp,
    /// Code of what went wrong, when something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// A limit is reached until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// Where a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Idle,
    Starting,
    Running,
    /// For a permission or an answer.
    Waiting,
    Error,
    Interrupted,
    Closed,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Idle,
        Self::Starting,
        Self::Running,
        Self::Waiting,
        Self::Error,
        Self::Interrupted,
        Self::Closed,
    ];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
            Self::Closed => "closed",
        }
    }

    /// Says whether a turn is under way.
    pub fn is_busy(self) -> bool {
        matches!(self, Self::Starting | Self::Running | Self::Waiting)
    }
}

/// The turn that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub id: TurnId,
    pub cause: CauseId,
    pub hop: u32,
    /// Its messages; settled when it ends.
    pub deliveries: Vec<Pending>,
    /// The harness confirmed the messages that opened it.
    pub handed: bool,
    /// Messages on their way into it, not confirmed yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steering: Vec<Pending>,
    /// Messages that went back to the queue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<DeliveryId>,
    /// The asks that it waits for, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Ask>,
    pub opened_at: Timestamp,
    /// The newest attempt that was made because one broke off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
}

/// An attempt to get an answer from the model after one that broke off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
    pub since: Timestamp,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    pub hash: String,
    pub text: ContentRef,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// It asks for words, not for leave to do something.
    #[serde(default, skip_serializing_if = "is_false")]
    pub question: bool,
    /// It would destroy what cannot be brought back.
    #[serde(default, skip_serializing_if = "is_false")]
    pub destructive: bool,
    pub asked_at: Timestamp,
}

/// A message that is accepted and not settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub id: DeliveryId,
    pub origin: Actor,
    pub verb: Verb,
    pub cause: CauseId,
    pub hop: u32,
    pub text: ContentRef,
    pub class: Class,
    #[serde(default, skip_serializing_if = "is_false")]
    pub waited: bool,
    /// How often it was handed to a harness.
    #[serde(default)]
    pub attempts: u8,
    /// It may have reached the agent before.
    #[serde(default, skip_serializing_if = "is_false")]
    pub repeat: bool,
    /// The newest turns that it left with and came back from, oldest first: an answer to one of them may come late.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<TurnId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldReason>,
    /// The files that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attached>,
    /// The JSON Schema that the answer has to satisfy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<ContentRef>>,
    /// The message whose answer it asks to correct.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrects: Option<DeliveryId>,
    pub accepted_at: Timestamp,
}

/// What a session has behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The harness's own id of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Turns since it was made or cleared.
    pub turns: u64,
    pub usage: Usage,
    /// The same by day and model, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<Spent>,
    /// The cause of the newest turn, and its distance from the person: what work between turns descends from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<(CauseId, u32)>,
    /// How the newest turn ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Box<Ended>>,
    /// What was added to the prompt of its newest process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<ContentRef>,
    /// Who wrote to it last, of all people, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoken: Option<(Actor, Timestamp)>,
    /// Hash of the token that the process in its terminal has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Whether that process was started guarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guarded: Option<bool>,
    /// How the newest process in its terminal ended; nothing while one is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Who has taken over the keyboard of its terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<Box<Actor>>,
    /// Who has a shell of their own where it works.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shells: Vec<Actor>,
    /// Ownership epoch: which daemon may write.
    #[serde(default)]
    pub epoch: u64,
}

/// How a process in a terminal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    pub at: Timestamp,
}

impl Profile {
    /// Returns the slug of the definition that it follows.
    pub fn slug(&self) -> &str {
        self.definition.as_deref().unwrap_or(crate::definition::DEFAULT)
    }
}

impl Session {
    /// Returns when a limit that was reached ends, while it keeps the session from going on by itself.
    pub fn parked(&self) -> Option<Timestamp> {
        self.condition.until.filter(|_| self.is_open() && self.turn.is_none())
    }

    /// Returns the cause of its running turn, or of the newest one.
    pub fn last_cause(&self) -> Option<CauseId> {
        self.turn.as_ref().map(|turn| turn.cause).or(self.history.cause.map(|(cause, _)| cause))
    }

    /// Says whether it is open.
    pub fn is_open(&self) -> bool {
        self.condition.status != Status::Closed
    }
}

/// Names the stream of a session.
pub fn stream(id: SessionId) -> String {
    format!("session/{id}")
}

/// Reads the session out of a stream's name.
pub fn from_stream(stream: &str) -> Option<SessionId> {
    stream.strip_prefix("session/")?.parse().ok()
}

fn is_false(value: &bool) -> bool {
    !*value
}
