//! Closed sets of words: enums with the words of the API.
//!
//! A daemon may be newer than its client. So reading takes any word: one that this version does not know is
//! [`Other`](Status::Other), and is written again as it came. The schemas list the known ones.

use std::fmt;

/// Makes an enum of the words for something; `from` maps a type of the core whose variants have the same names.
macro_rules! words {
    (
        $(#[doc = $about:literal])+
        $name:ident from $core:ty {
            $($(#[doc = $means:literal])* $variant:ident = $word:literal,)+
        }
    ) => {
        words! {
            $(#[doc = $about])+
            $name {
                $($(#[doc = $means])* $variant = $word,)+
            }
        }

        impl From<$core> for $name {
            fn from(core: $core) -> Self {
                type Core = $core;
                match core {
                    $(Core::$variant => Self::$variant,)+
                }
            }
        }
    };
    (
        $(#[doc = $about:literal])+
        $name:ident {
            $($(#[doc = $means:literal])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[doc = $means])* $variant,)+
            /// A word of a newer version.
            Other(Box<str>),
        }

        impl $name {
            /// The words that this version knows.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Returns the word.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    other => Self::Other(other.into()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Ok(Self::from(word.as_ref()))
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                crate::words::schema(&[$($about),+], Self::WORDS)
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

/// Returns the schema of a set of words.
fn schema(about: &[&str], words: &[&str]) -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
    let about = about.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n");
    utoipa::openapi::ObjectBuilder::new()
        .schema_type(utoipa::openapi::schema::Type::String)
        .description(Some(about))
        .enum_values(Some(words.iter().copied()))
        .into()
}

words! {
    /// How the check of a structured answer stands.
    CheckState {
        Checking = "checking",
        /// The agent was asked to correct its answer.
        Correcting = "correcting",
        Valid = "valid",
        /// The answer still violates the schema after two corrections.
        Invalid = "invalid",
        /// The check did not finish.
        Unchecked = "unchecked",
        /// The answer is no longer waited for.
        Abandoned = "abandoned",
    }
}

words! {
    /// What the check of a structured answer led to.
    AnswerVerdict from paseo_core::session::Verdict {
        Valid = "valid",
        /// The agent is asked to correct its answer.
        Correct = "correct",
        Invalid = "invalid",
        /// The check did not finish.
        Unchecked = "unchecked",
    }
}

words! {
    /// Why a structured answer is no longer waited for.
    AbandonReason from paseo_core::session::Abandoned {
        Stopped = "stopped",
        Interrupted = "interrupted",
        Closed = "closed",
        Cleared = "cleared",
        CauseStopped = "cause_stopped",
        /// No wake was left for the correction.
        Budget = "budget",
        /// The turn of the correction failed.
        Failed = "failed",
        /// The correction was handed over several times and never answered.
        Attempts = "attempts",
    }
}

words! {
    /// How a session is doing.
    Status from paseo_core::session::Status {
        Idle = "idle",
        Starting = "starting",
        Running = "running",
        /// For a permission or an answer.
        Waiting = "waiting",
        Error = "error",
        Interrupted = "interrupted",
        Closed = "closed",
    }
}

words! {
    /// The status of a session that may be deleted by now.
    TracedStatus {
        Idle = "idle",
        Starting = "starting",
        Running = "running",
        Waiting = "waiting",
        Error = "error",
        Interrupted = "interrupted",
        Closed = "closed",
        Deleted = "deleted",
    }
}

impl From<paseo_core::session::Status> for TracedStatus {
    fn from(status: paseo_core::session::Status) -> Self {
        status.word().into()
    }
}

words! {
    /// How a status is known.
    StatusSource from paseo_core::session::Source {
        Protocol = "protocol",
        ProcessExit = "process_exit",
        Hook = "hook",
        Screen = "screen",
        Person = "person",
        Daemon = "daemon",
        Restart = "restart",
    }
}

words! {
    /// Why a session starts no turn by itself.
    Hold from paseo_core::session::Hold {
        None = "none",
        Stopped = "stopped",
        Error = "error",
        Budget = "budget",
        Paused = "paused",
    }
}

words! {
    /// Why a message is held.
    HeldReason from paseo_core::session::HeldReason {
        Stopped = "stopped",
        Budget = "budget",
        Paused = "paused",
        /// The agent never confirmed it.
        Attempts = "attempts",
        CauseStopped = "cause_stopped",
    }
}

words! {
    /// Where an accepted message went.
    Placement {
        Started = "started",
        Queued = "queued",
        Steering = "steering",
        Interrupting = "interrupting",
        Held = "held",
    }
}

words! {
    /// Why a message is held; or why it is queued, when not for a running turn.
    PlacementReason {
        Stopped = "stopped",
        Budget = "budget",
        Paused = "paused",
        Attempts = "attempts",
        CauseStopped = "cause_stopped",
        /// Messages that were kept go first.
        Earlier = "earlier",
        Limit = "limit",
        /// It was started and waits for a tmux that does not answer.
        Terminal = "terminal",
    }
}

impl From<paseo_core::session::HeldReason> for PlacementReason {
    fn from(reason: paseo_core::session::HeldReason) -> Self {
        HeldReason::from(reason).as_str().into()
    }
}

words! {
    /// How far a message is.
    Stage {
        Queued = "queued",
        Held = "held",
        Handing = "handing",
        Handed = "handed",
        Answered = "answered",
        Failed = "failed",
        Interrupted = "interrupted",
        Cancelled = "cancelled",
    }
}

words! {
    /// How a turn ended.
    TurnOutcome from paseo_core::session::Outcome {
        Completed = "completed",
        Failed = "failed",
        Interrupted = "interrupted",
    }
}

words! {
    /// What an agent may do without asking.
    PermissionMode from paseo_core::permission::Mode {
        Full = "full",
        Ask = "ask",
        ReadOnly = "read-only",
    }
}

words! {
    /// How a permission request ended.
    Decision from paseo_core::item::Decision {
        Allow = "allow",
        Deny = "deny",
        /// The turn ended first.
        Withdrawn = "withdrawn",
    }
}

words! {
    /// What a harness in a terminal may do.
    LeaveDecision {
        Allow = "allow",
        Deny = "deny",
        /// The person at the terminal decides.
        Ask = "ask",
    }
}

words! {
    /// What a tool does to the world.
    ToolClass {
        Read = "read",
        Edit = "edit",
        Execute = "execute",
        Search = "search",
        Fetch = "fetch",
        Any = "other",
    }
}

impl From<paseo_core::item::ToolClass> for ToolClass {
    fn from(class: paseo_core::item::ToolClass) -> Self {
        use paseo_core::item::ToolClass as Core;
        match class {
            Core::Read => Self::Read,
            Core::Edit => Self::Edit,
            Core::Execute => Self::Execute,
            Core::Search => Self::Search,
            Core::Fetch => Self::Fetch,
            Core::Other => Self::Any,
        }
    }
}

words! {
    /// How a tool call ended.
    ToolOutcome from paseo_core::item::ToolOutcome {
        Ok = "ok",
        Error = "error",
        Denied = "denied",
        Interrupted = "interrupted",
    }
}

words! {
    /// What an item of a transcript is.
    ItemKind {
        UserText = "user_text",
        AssistantText = "assistant_text",
        Thinking = "thinking",
        ToolCall = "tool_call",
        ToolResult = "tool_result",
        Permission = "permission",
        Todo = "todo",
        Usage = "usage",
        Notice = "notice",
        Error = "error",
        Raw = "raw",
    }
}

words! {
    /// What is growing.
    LiveKind {
        AssistantText = "assistant_text",
        Thinking = "thinking",
        ToolOutput = "tool_output",
    }
}

words! {
    /// How far an entry of a task list is.
    TodoStatus from paseo_core::todo::Status {
        Pending = "pending",
        InProgress = "in_progress",
        Completed = "completed",
        Cancelled = "cancelled",
    }
}

words! {
    /// How important an entry of a task list is.
    TodoPriority from paseo_core::todo::Priority {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

words! {
    /// Whether a provider can be used now.
    Readiness {
        Ready = "ready",
        NoLogin = "no_login",
        Unset = "unset",
        Missing = "missing",
        /// Its program does not run.
        Broken = "broken",
    }
}

words! {
    /// What becomes of a harness when the daemon ends.
    Lifetime {
        /// It ends.
        Pipe = "pipe",
        Reattach = "reattach",
        Remote = "remote",
    }
}

words! {
    /// Why a provider is used.
    ProviderReason {
        AskedFor = "asked_for",
        Configured = "configured",
        FirstReady = "first_ready",
    }
}

words! {
    /// What a harness may do by itself.
    Power {
        Read = "native_read",
        Write = "native_write",
        Shell = "native_shell",
        Net = "native_net",
    }
}

words! {
    /// A kind of file that a message may have.
    AttachmentKind {
        Image = "image",
        Pdf = "pdf",
        Text = "text",
    }
}

words! {
    /// What a file is, by its bytes.
    MediaType {
        Png = "image/png",
        Jpeg = "image/jpeg",
        Gif = "image/gif",
        Webp = "image/webp",
        Pdf = "application/pdf",
        Text = "text/plain",
    }
}

words! {
    /// How far a task is.
    TaskStatus {
        Blocked = "blocked",
        Pending = "pending",
        InProgress = "in_progress",
        Completed = "completed",
        Failed = "failed",
        Canceled = "canceled",
    }
}

words! {
    /// Why a path may be written to, or may not.
    WriteReason {
        LeaseActiveForResource = "lease_active_for_resource",
        NoActiveLeaseForPath = "no_active_lease_for_path",
        OutsideProject = "outside_project",
        PathTraversalDenied = "path_traversal_denied",
        InvalidPath = "invalid_path",
        TeamClosed = "team_closed",
    }
}

words! {
    /// What a member of a team is: a `leader` decides about what others have.
    TeamRole {
        Worker = "worker",
        Leader = "leader",
    }
}

words! {
    /// What happened in a team.
    NoticeKind {
        TeamCreated = "team_created",
        TeamClosed = "team_closed",
        AgentEnrolled = "agent_enrolled",
        AgentLeft = "agent_left",
        WorkerStarted = "worker_started",
        WorkerEnded = "worker_ended",
        ThreadStarted = "thread_started",
        ThreadLinkedTask = "thread_linked_task",
        ThreadMessage = "thread_message",
        TaskCreated = "task_created",
        TaskClaimed = "task_claimed",
        TaskRenewed = "task_renewed",
        TaskExpired = "task_expired",
        TaskCompleted = "task_completed",
        TaskUnblocked = "task_unblocked",
        TaskFailed = "task_failed",
        TaskReleased = "task_released",
        TaskAssigned = "task_assigned",
        TaskTakenBack = "task_taken_back",
        TaskCanceled = "task_canceled",
        TaskRetried = "task_retried",
    }
}

words! {
    /// What keeps an agent from changing files: `lease` allows only what a task that it holds covers.
    Guard {
        Lease = "lease",
    }
}

words! {
    /// Where the agents of a definition run.
    DefinitionKind {
        Chat = "chat",
        External = "external",
    }
}

words! {
    /// Whose a definition is.
    Layer from paseo_core::definition::Origin {
        BuiltIn = "built-in",
        Home = "home",
        Project = "project",
    }
}

words! {
    /// What waits for a person in a definition.
    PendingChange from paseo_core::definition::WaitingKind {
        New = "new",
        /// It would take the place of another.
        Shadows = "shadows",
        Changed = "changed",
        Removed = "removed",
        /// It counts, and another definition may use it as it is once it is trusted.
        Named = "named",
    }
}

words! {
    /// What became of a file that was trusted, or was not there then.
    FileChange from paseo_core::definition::Change {
        Added = "added",
        Changed = "changed",
        Removed = "removed",
    }
}

words! {
    /// Whether the definitions of a project count.
    Trust {
        Trusted = "trusted",
        /// Others were trusted.
        Changed = "changed",
        Untrusted = "untrusted",
    }
}

words! {
    /// How bad a mistake in a definition is.
    Severity from paseo_core::definition::Severity {
        /// The definition is loaded without what is wrong.
        Warning = "warning",
        /// The definition is not loaded.
        Error = "error",
    }
}

words! {
    /// How an agent gets its tools.
    Exposure from paseo_core::definition::Exposure {
        Tools = "tools",
        Skills = "skills",
        Mixed = "mixed",
    }
}

words! {
    /// What an event of a thread is.
    ThreadEventKind {
        Message = "message",
        Control = "control",
        Created = "thread.created",
        Renamed = "thread.renamed",
        Moved = "thread.moved",
    }
}

words! {
    /// What a participant is doing. Participants may use words of their own.
    PresenceState {
        Listening = "listening",
        Thinking = "thinking",
        Typing = "typing",
        Idle = "idle",
        /// Nothing was heard for a while.
        Offline = "offline",
    }
}

words! {
    /// A field of a session's view.
    SessionField {
        Name = "name",
        Title = "title",
        Labels = "labels",
        PinnedAt = "pinned_at",
        Attributes = "attributes",
        Worktree = "worktree",
        ParkedUntil = "parked_until",
        Entered = "entered",
        Terminal = "terminal",
        Todo = "todo",
        Usage = "usage",
    }
}

words! {
    /// Where to search.
    SearchIn {
        Agents = "agents",
        Threads = "threads",
    }
}

words! {
    /// What kind of text was found.
    SearchKind from paseo_core::search::Class {
        Said = "said",
        Answered = "answered",
        Tool = "tool",
        Name = "name",
        Title = "title",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_newer_version_is_read_and_written_as_it_came() {
        let known: Status = serde_json::from_str(r#""idle""#).unwrap();
        assert_eq!(known, Status::Idle);
        let newer: Status = serde_json::from_str(r#""dreaming""#).unwrap();
        assert_eq!(newer, Status::Other("dreaming".into()));
        assert_eq!(serde_json::to_string(&newer).unwrap(), r#""dreaming""#);
    }

    #[test]
    fn words_are_those_of_the_core() {
        use paseo_core::{item, permission, session, todo};
        for status in session::Status::ALL {
            assert_eq!(Status::from(status).as_str(), status.word());
            assert!(!matches!(TracedStatus::from(status), TracedStatus::Other(_)), "{status:?}");
        }
        for mode in permission::Mode::ALL {
            assert_eq!(PermissionMode::from(mode).as_str(), mode.word());
        }
        // The log has the same words.
        let same = |word: &str, stored: serde_json::Value| assert_eq!(stored, word);
        same(Hold::from(session::Hold::Budget).as_str(), serde_json::json!(session::Hold::Budget));
        same(
            HeldReason::from(session::HeldReason::CauseStopped).as_str(),
            serde_json::json!(session::HeldReason::CauseStopped),
        );
        same(
            StatusSource::from(session::Source::ProcessExit).as_str(),
            serde_json::json!(session::Source::ProcessExit),
        );
        same(ToolClass::from(item::ToolClass::Other).as_str(), serde_json::json!(item::ToolClass::Other));
        same(
            TodoStatus::from(todo::Status::InProgress).as_str(),
            serde_json::json!(todo::Status::InProgress),
        );
    }
}
