//! Sessions, their messages and their turns.

use std::fmt;

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
