//! The contract between the daemon and a driver for one kind of harness.

use std::future::Future;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use paseo_core::actor::Actor;
use paseo_core::attachment::Accepts;
use paseo_core::id::{DeliveryId, ItemId, TurnId};
use paseo_core::item::{Draft, ToolOutcome};
use paseo_core::permission::{Mode, Power, Request};
use paseo_core::time::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use crate::models;
use crate::slash::SlashCommand;

pub use crate::attachment::Attachment;
pub use crate::launch::{
    Access, Choice, Launch, McpServer, Past, Remote, TOKEN_VARIABLE, TOOL_TIMEOUT_SECONDS, Terminal, Tool,
    Underway,
};

/// A future that can be boxed behind `dyn Provider`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Our driver for one kind of harness.
pub trait Provider: Send + Sync + 'static {
    /// Returns the name people type.
    fn name(&self) -> &str;

    /// Returns what it can do; what it cannot is refused when asked for.
    fn capabilities(&self) -> Capabilities;

    /// Says whether it could be used now. Looks at files and the environment only, so that it is quick.
    fn readiness(&self) -> Readiness;

    /// Asks the program for its version; `None` when it has none or does not say. A program that cannot be run says
    /// so here only.
    fn version(&self) -> BoxFuture<'_, Result<Option<String>, Broken>>;

    /// Checks what can be checked before a session is made: is it installed, does the model make sense.
    fn check(&self, request: &Check) -> Result<(), StartError>;

    /// Reads what a harness in a terminal asks leave for, in its own words ([`Launch::guarded`]); `None` when it needs
    /// none, like tools of our own servers.
    fn leave(&self, _words: &Value, _place: &Place<'_>) -> Result<Option<Request>, String> {
        Err(format!("{} does not send permission requests in a terminal", self.name()))
    }

    /// Asks which models can be chosen, where something can tell.
    fn models(&self, _: models::Ask) -> BoxFuture<'_, Result<models::Offered, models::Error>> {
        Box::pin(async { Err(models::Error::Untold) })
    }

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
    /// A model can be chosen.
    pub models: bool,
    /// The words for how hard it thinks; empty when that cannot be chosen.
    pub efforts: &'static [&'static str],
    /// The permission modes that it can keep.
    pub permissions: &'static [Mode],
    /// The powers that it can do without, when it is told to.
    pub withholds: &'static [Power],
    /// It takes our tools by MCP.
    pub mcp: bool,
    /// It wants to be told of our tools, in [`Launch::tools`], and calls them through us.
    pub native_tools: bool,
    pub memory: Memory,
    /// It shows what it thinks.
    pub thinking: bool,
    /// It says what a turn cost, in money.
    pub cost: bool,
    /// It carries the words of a denial, and those of an answer to a question, to the model.
    pub answer_messages: bool,
    /// It starts turns by itself, when work in the background ends.
    pub own_turns: bool,
    /// It can be kept from changing anything without leave: [`Launch::guarded`].
    pub guard: bool,
    /// It can run in a terminal that people take over: [`Launch::terminal`]. There its lifetime is
    /// [`Lifetime::Reattach`].
    pub terminal: bool,
    /// The kinds of files that a message may bring. One that only the process itself may refuse is listed here too.
    pub attachments: Accepts,
    pub lifetime: Lifetime,
}

/// Whether a provider could be used now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    Ready {
        /// The program; `None` for those that need none.
        program: Option<PathBuf>,
    },
    /// It is installed, and logged out as far as can be seen. `hint` says how to.
    NoLogin { program: PathBuf, hint: String },
    /// Something has to be said first: what it needs, as in `it needs a key`, and how to say it.
    Unset { needs: String, hint: String },
    /// It is not there. `hint` says how to install it.
    Missing { hint: String },
}

impl Readiness {
    /// Says what is wrong, after `it`, and what to do about it. Nothing when it is ready.
    pub fn problem(&self) -> Option<(String, String)> {
        match self {
            Self::Ready { .. } => None,
            Self::NoLogin { hint, .. } => Some(("is not logged in".to_owned(), hint.clone())),
            Self::Unset { needs, hint } => Some((format!("needs {needs}"), hint.clone())),
            Self::Missing { hint } => Some(("is not installed".to_owned(), hint.clone())),
        }
    }
}

/// A program that is there and cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub program: PathBuf,
    /// What comes of `--version`, after its name.
    pub how: String,
}

impl Broken {
    /// Says what is wrong, after `it`, and what to do about it.
    pub fn problem(&self) -> (String, String) {
        let program = self.program.display();
        (
            format!("does not run: `{program} --version` {}", self.how),
            "try it in a shell, then reinstall it, or correct `program` in config.toml".to_owned(),
        )
    }
}

/// What people set for one provider in `config.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The program, instead of the one on the `PATH`.
    pub program: Option<PathBuf>,
    /// A configuration of its own instead of the user's.
    pub isolated_home: Option<PathBuf>,
}

/// Whether a harness outlives the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// It dies with the daemon.
    Pipe,
    /// It lives on and can be reattached (tmux).
    Reattach,
    /// It is someone else's (external).
    Remote,
}

/// Who remembers a conversation from one process to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// The harness, under the reference that it gave.
    Own,
    /// We do: a new process is told, in [`Launch::past`].
    Ours,
}

/// Where a permission request is made.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub directory: &'a Path,
    /// The names of our MCP servers.
    pub servers: &'a [String],
    /// In a terminal: no other source is asked after this.
    pub terminal: bool,
}

/// What [`Provider::check`] looks at.
#[derive(Debug, Clone)]
pub struct Check {
    pub directory: PathBuf,
    pub model: Option<String>,
    pub effort: Option<String>,
    pub permissions: Mode,
}

/// A running harness. Dropping it ends every process it started, but for one in a terminal, which lives on.
#[derive(Debug)]
pub struct Harness {
    pub input: mpsc::Sender<Input>,
    /// Ends after [`Output::Exited`].
    pub output: mpsc::Receiver<Output>,
    /// The process id of the shim, or of the first process in a terminal: callers under it are this session. `None` for
    /// one that is no process of ours.
    pub shim: Option<u32>,
    /// Closing it makes the shim end every descendant.
    pub control: Control,
}

/// The daemon's end of what keeps a harness alive. Closing it is the stop signal.
#[derive(Debug)]
pub struct Control(Option<Lifeline>);

/// What a harness watches, to end when it closes. Never read: it is there to be dropped.
#[derive(Debug)]
#[allow(dead_code)]
enum Lifeline {
    /// The shim's control channel.
    Shim(UnixStream),
    /// A task of ours.
    Task(oneshot::Sender<()>),
    /// A terminal, which lives on when this is dropped: only a word ends it.
    Terminal(oneshot::Sender<()>),
}

impl Control {
    /// Holds the control channel of a shim.
    pub(crate) fn of_shim(channel: UnixStream) -> Self {
        Self(Some(Lifeline::Shim(channel)))
    }

    /// Holds a task that ends when its receiver says that the sender is gone.
    pub(crate) fn of_task(lifeline: oneshot::Sender<()>) -> Self {
        Self(Some(Lifeline::Task(lifeline)))
    }

    /// Holds a terminal, whose receiver gets a word when it is to end; when the sender is just gone, it lives on.
    pub(crate) fn of_terminal(word: oneshot::Sender<()>) -> Self {
        Self(Some(Lifeline::Terminal(word)))
    }

    /// Tells the harness to end everything. [`Output::Exited`] follows when nothing is left.
    pub fn stop(&mut self) {
        if let Some(Lifeline::Terminal(word)) = self.0.take() {
            // A closed receiver means that it has ended.
            let _ = word.send(());
        }
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
    Permission { call: String, decision: Answer },
    /// Answers [`Output::ToolRequest`].
    ToolResult { call: String, outcome: ToolOutcome, text: String },
}

/// The answer to an ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Go on, with exactly this input.
    ///
    /// To a question the message is the answer. What the person says along with anything else reaches the agent as
    /// a message of its own.
    Allow { input: Value, message: Option<String> },
    /// The answers to the questions of a [form](paseo_core::permission::Form), in their order.
    Choose { answers: Vec<Vec<String>> },
    /// What a person filled in, by the names of the fields of a [form](paseo_core::permission::Form).
    Fill { content: Map<String, Value> },
    /// Do without, for this reason.
    Deny { message: String },
    /// The form was closed without an answer. Only a form of an MCP server can tell that from a no.
    Cancel,
}

/// A message, ready for the harness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub delivery: DeliveryId,
    pub origin: Actor,
    /// The text as the harness shall see it: in its envelope when a peer sent it.
    pub text: String,
    /// The files that it brings, of kinds that the provider takes.
    pub attachments: Vec<Attachment>,
}

/// What a harness tells the daemon, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// The provider's own id of the conversation, as soon as the conversation could be continued by it.
    Reference(String),
    /// The conversation cannot be continued: the next process begins a new one.
    Forgotten,
    /// What was really added to its prompt, where that is not what it was started with.
    Prompted(String),
    /// The harness began a turn by itself. [`Output::TurnEnded`] follows.
    TurnBegan { turn: TurnId },
    /// A person typed this into the harness's own terminal, and it began a turn with it. [`Output::TurnEnded`] follows.
    /// It goes into the transcript as this item, by which it is known again.
    Typed { turn: TurnId, item: ItemId, text: String },
    /// The harness has taken the turn's messages.
    Handed { turn: TurnId },
    /// The harness ended before anything of the turn's messages reached it: the next one is to get them.
    Untold { turn: TurnId },
    /// The harness has taken a steered message. It goes into the transcript as this item, where it has to be known again.
    Steered { delivery: DeliveryId, item: Option<ItemId> },
    /// A piece of an item that is still growing; never stored.
    Delta { item: ItemId, kind: DeltaKind, text: String },
    /// A piece of the output of a call that runs. Its result will be this item.
    Printed { call: String, item: ItemId, text: String },
    /// An attempt to get an answer from the model broke off: what was shown of these growing items is superseded.
    BrokeOff {
        items: Vec<ItemId>,
        /// The attempt that follows; `None` when none does.
        retry: Option<Retry>,
    },
    /// A finished item. Replaces the deltas with the same id.
    Item { id: ItemId, step: u32, parent: Option<String>, draft: Draft },
    /// The agent calls a tool of the daemon, or (`native_*`) asks whether it may use a power of its own.
    ToolRequest { call: String, name: String, input: Value },
    /// The agent asks whether it may do something. Several may be open at once.
    Ask(Request),
    /// The harness does not want to know any more.
    AskWithdrawn { call: String },
    /// So many commands run in the background: they outlive turns, and end with the process. Told when it changes.
    Background { tasks: usize },
    /// The commands that a message can begin with. Told when they change.
    Commands(Vec<SlashCommand>),
    /// The turn is over, in the harness's own words.
    TurnEnded { turn: TurnId, end: TurnEnd },
    /// The process and all its descendants are gone.
    Exited(Exit),
}

/// An attempt after one that broke off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Retry {
    /// Its number, where the harness counts.
    pub attempt: Option<u32>,
    /// How many it makes at most, where it says.
    pub of: Option<u32>,
}

/// What a delta grows into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaKind {
    AssistantText,
    Thinking,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    Completed,
    Failed(Failed),
    Interrupted,
}

/// Why a turn failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    pub code: FailureCode,
    /// What happened, in words for people.
    pub text: String,
    /// When it makes sense to try again: a limit is reached until then.
    pub until: Option<Timestamp>,
}

/// What kind of failure it was. Decided by status codes and the harness's own codes, never by its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureCode {
    /// The model server refused the credentials.
    NotLoggedIn,
    /// A limit is reached.
    RateLimited,
    /// The model server failed, or the connection to it broke.
    ModelError,
    /// The harness does not know the conversation that it was to continue.
    ResumeFailed,
    /// Anything else that the harness calls an error.
    HarnessError,
    /// A word of the provider's own.
    Own(String),
}

impl FailureCode {
    /// Returns the word for it, as it stands in the log.
    pub fn word(&self) -> &str {
        match self {
            Self::NotLoggedIn => "not_logged_in",
            Self::RateLimited => "rate_limited",
            Self::ModelError => "model_error",
            Self::ResumeFailed => "resume_failed",
            Self::HarnessError => "harness_error",
            Self::Own(word) => word,
        }
    }
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// Of the program.
    pub code: Option<i32>,
    /// What ended the program, or the shim itself.
    pub signal: Option<i32>,
    /// The shim itself was killed, so that it could not end what the program left.
    pub shim_killed: bool,
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
