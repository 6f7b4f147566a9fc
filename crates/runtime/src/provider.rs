//! The contract between the daemon and a driver for one kind of harness.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, ItemId, SessionId, TurnId};
use paseo_core::item::{Draft, ToolOutcome};
use serde_json::Value;
use tokio::sync::mpsc;

/// A future that can be boxed behind `dyn Provider`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Our driver for one kind of harness.
pub trait Provider: Send + Sync + 'static {
    /// Returns the name people type.
    fn name(&self) -> &'static str;

    /// Returns what it can do; what it cannot is refused when asked for.
    fn capabilities(&self) -> Capabilities;

    /// Checks what can be checked before a session is made: is it installed, does the model make sense.
    fn check(&self, request: &Check) -> Result<(), StartError>;

    /// Starts a process for a session.
    fn start(&self, launch: Launch) -> BoxFuture<'_, Result<Harness, StartError>>;
}

/// What a provider can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// A message can enter a running turn.
    pub steer: bool,
    /// A new process can continue an old conversation.
    pub resume: bool,
    pub lifetime: Lifetime,
}

/// What becomes of a harness when the daemon goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// It dies with the daemon.
    Pipe,
    /// It lives on and can be reattached (tmux).
    Reattach,
    /// It is someone else's (external).
    Remote,
}

/// What [`Provider::check`] looks at.
#[derive(Debug, Clone)]
pub struct Check {
    pub directory: PathBuf,
    pub model: Option<String>,
}

/// Everything that a process needs.
#[derive(Debug, Clone)]
pub struct Launch {
    pub session: SessionId,
    pub directory: PathBuf,
    pub model: Option<String>,
    /// The provider's own id of the conversation, to continue it.
    pub resume: Option<String>,
    /// How many turns the conversation had before.
    pub turns: u64,
    /// Our binary: it is also the shim.
    pub executable: PathBuf,
    /// Set on top of the daemon's environment; `PASEO_SESSION` and `PASEO_HOME` mark descendants.
    pub environment: Vec<(String, String)>,
}

/// A running harness. Dropping it ends every process it started.
#[derive(Debug)]
pub struct Harness {
    pub input: mpsc::Sender<Input>,
    /// Ends after [`Output::Exited`].
    pub output: mpsc::Receiver<Output>,
    /// The shim's process id: callers under it are this session.
    pub shim: u32,
    /// Closing it makes the shim end every descendant.
    pub control: Control,
}

/// The daemon's end of the shim's control channel. Closing it is the stop signal.
#[derive(Debug)]
pub struct Control(pub(crate) Option<std::os::unix::net::UnixStream>);

impl Control {
    /// Tells the shim to end everything. [`Output::Exited`] follows when nothing is left.
    pub fn stop(&mut self) {
        self.0.take();
    }
}

/// What the daemon tells a harness.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Runs a turn. Confirmed by [`Output::Handed`].
    Turn { turn: TurnId, messages: Vec<Message> },
    /// Puts a message into the running turn. Confirmed by [`Output::Steered`].
    Steer { message: Message },
    /// Ends the running turn and the commands it started; [`Output::TurnEnded`] follows.
    Interrupt,
    /// Answers [`Output::Ask`].
    Permission { hash: String, allow: bool, message: Option<String> },
    /// Answers [`Output::ToolRequest`].
    ToolResult { call: String, outcome: ToolOutcome, text: String },
}

/// A message, ready for the harness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub delivery: DeliveryId,
    pub origin: Actor,
    /// The text as the harness shall see it: in its envelope when a peer sent it.
    pub text: String,
}

/// What a harness tells the daemon, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// The provider's own id of the conversation.
    Reference(String),
    /// The harness has taken the turn's messages.
    Handed { turn: TurnId },
    /// The harness has taken a steered message.
    Steered { delivery: DeliveryId },
    /// A piece of an item that is still growing; never stored.
    Delta { item: ItemId, kind: DeltaKind, text: String },
    /// A finished item. Replaces the deltas with the same id.
    Item { id: ItemId, step: u32, parent: Option<String>, draft: Draft },
    /// The agent calls a tool of the daemon, or (`native_*`) asks whether it may use a power of its own.
    ToolRequest { call: String, name: String, input: Value },
    /// The agent asks a person. `text` is exactly what is asked.
    Ask { hash: String, text: String },
    /// The turn is over, in the harness's own words.
    TurnEnded { turn: TurnId, end: TurnEnd },
    /// The process and all its descendants are gone.
    Exited(Exit),
}

/// What a delta grows into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaKind {
    AssistantText,
    Thinking,
    ToolOutput,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    Completed,
    Failed { code: String, text: String },
    Interrupted,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// The last lines of stderr, at most 4 KB.
    pub stderr: String,
}

/// Why a harness could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StartError {
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}
