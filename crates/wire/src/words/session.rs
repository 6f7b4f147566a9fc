//! Sessions, their messages and their turns.

use std::fmt;

words! {
    /// Status of an agent.
    Status from paseo_core::session::Status {
        Idle = "idle",
        Starting = "starting",
        Running = "running",
        /// It waits for a permission or an answer.
        Waiting = "waiting",
        Error = "error",
        Interrupted = "interrupted",
        Closed = "closed",
    }
}

words! {
    /// Status of an agent that may have been deleted.
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

impl From<&Status> for TracedStatus {
    fn from(status: &Status) -> Self {
        status.as_str().into()
    }
}

impl From<paseo_core::session::Status> for TracedStatus {
    fn from(status: paseo_core::session::Status) -> Self {
        status.word().into()
    }
}

words! {
    /// Where a status comes from.
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
    /// Why an agent starts no turn by itself.
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
    /// What happened to an accepted message.
    Placement {
        Started = "started",
        Queued = "queued",
        Steering = "steering",
        Interrupting = "interrupting",
        Held = "held",
    }
}

words! {
    /// Why a message is held, or why it is queued if not behind the current turn.
    PlacementReason {
        Stopped = "stopped",
        Budget = "budget",
        Paused = "paused",
        Attempts = "attempts",
        CauseStopped = "cause_stopped",
        /// Held messages go first.
        Earlier = "earlier",
        Limit = "limit",
        /// It was started, but tmux does not answer.
        Terminal = "terminal",
    }
}

impl From<paseo_core::session::HeldReason> for PlacementReason {
    fn from(reason: paseo_core::session::HeldReason) -> Self {
        HeldReason::from(reason).as_str().into()
    }
}

words! {
    /// How waiting for the outcome of a message ended.
    Ending {
        Completed = "completed",
        Failed = "failed",
        Interrupted = "interrupted",
        /// The message is held until a person acts.
        Held = "held",
        /// The agent waits for a permission or an answer.
        Waiting = "waiting",
        Cancelled = "cancelled",
        /// The time is up; the agent keeps working.
        Timeout = "timeout",
        /// A person stopped waiting; the agent keeps working.
        Detached = "detached",
        /// The daemon does not answer.
        Unreachable = "unreachable",
    }
}

words! {
    /// Stage of a message.
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
    /// A field of an agent's view.
    SessionField {
        Name = "name",
        Title = "title",
        Options = "options",
        Labels = "labels",
        PinnedAt = "pinned_at",
        NotifyWhenFinished = "notify_when_finished",
        Attributes = "attributes",
        Worktree = "worktree",
        ParkedUntil = "parked_until",
        Entered = "entered",
        Terminal = "terminal",
        Todo = "todo",
        Usage = "usage",
        LastSnippet = "last_snippet",
        Step = "step",
        Unread = "unread",
    }
}

words! {
    /// What usage is totalled by.
    UsageBy from paseo_core::usage::By {
        Day = "day",
        Project = "project",
        Model = "model",
    }
}

words! {
    /// Why a person is needed.
    InboxNeed from paseo_core::inbox::Need {
        /// The agent waits for a permission.
        Permission = "permission",
        /// The agent asked a question.
        Question = "question",
        /// The request can only be answered in the worker's terminal.
        Terminal = "terminal",
        /// The newest turn failed or was interrupted.
        Failure = "failure",
        /// A rate limit was reached; the agent continues when it ends.
        RateLimit = "rate_limit",
        /// Messages are held until a person sends one.
        Hold = "hold",
    }
}

words! {
    /// State of the check of a structured answer.
    CheckState {
        Checking = "checking",
        /// The agent was asked to correct its answer.
        Correcting = "correcting",
        Valid = "valid",
        /// The answer still violates the schema after two corrections.
        Invalid = "invalid",
        /// The check did not finish.
        Unchecked = "unchecked",
        /// The agent stopped waiting for the answer.
        Abandoned = "abandoned",
    }
}

words! {
    /// Result of the check of a structured answer.
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
    /// Why the agent stopped waiting for a structured answer.
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
    /// An unfinished git operation in a worktree.
    GitOperation {
        Merge = "merge",
        Rebase = "rebase",
        CherryPick = "cherry-pick",
        Revert = "revert",
        Bisect = "bisect",
    }
}

words! {
    /// How a message reaches a busy agent.
    Verb from paseo_core::session::Verb {
        /// After the running turn.
        Queue = "queue",
        /// Into the running turn.
        Steer = "steer",
        /// Instead of the running turn.
        Interrupt = "interrupt",
    }
}

#[allow(clippy::derivable_impls)] // The macro that makes the enum has no place for the attribute.
impl Default for Verb {
    fn default() -> Self {
        Self::Queue
    }
}

words! {
    /// A position in a queue.
    QueuePosition {
        First = "first",
        Last = "last",
        /// Before another message.
        Before = "before",
    }
}
