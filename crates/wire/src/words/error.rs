//! Errors.

use std::fmt;

words! {
    /// A stable name for what went wrong.
    Code {
        /// The request is malformed.
        InvalidRequest = "invalid_request",
        /// The message, name or body is too large.
        TooLarge = "too_large",
        /// The file cannot be attached: its kind is not supported, or not by this agent.
        AttachmentRefused = "attachment_refused",
        /// The provider is unknown, or cannot be used here.
        ProviderUnavailable = "provider_unavailable",
        /// No credential, or one that is not valid.
        Unauthenticated = "unauthenticated",
        /// The credential does not allow this.
        Forbidden = "forbidden",
        /// The named author does not match the credential.
        IdentityMismatch = "identity_mismatch",
        /// The Host header names another host.
        ForeignHost = "foreign_host",
        /// The Origin header or the browser says that the request comes from another site.
        ForeignOrigin = "foreign_origin",
        NotFound = "not_found",
        Ambiguous = "ambiguous",
        /// The request conflicts with the current state.
        Conflict = "conflict",
        /// The decision came before the request had been displayed long enough to be read.
        TooEarly = "too_early",
        /// The permission request is shown in a terminal and can only be answered there.
        AnswerInTerminal = "answer_in_terminal",
        /// The participant is muted in this thread.
        ParticipantMuted = "participant_muted",
        /// The thread is paused: only people can post.
        ThreadPaused = "thread_paused",
        /// The task cannot be claimed: it is owned, blocked or finished.
        TaskNotClaimable = "task_not_claimable",
        /// The task has no owner.
        TaskNotInProgress = "task_not_in_progress",
        /// The lease on the task ran out.
        LeaseExpired = "lease_expired",
        /// Another agent owns the task.
        LeaseHolderMismatch = "lease_holder_mismatch",
        /// The task has been claimed or assigned again since this epoch.
        EpochMismatch = "epoch_mismatch",
        /// Another task in progress needs the same files.
        ResourceHeld = "resource_held",
        /// tmux is not installed, so workers cannot run.
        TmuxNotInstalled = "tmux_not_installed",
        /// tmux failed.
        TmuxFailed = "tmux_failed",
        /// The worker is unknown, or its terminal is gone.
        SessionNotFound = "session_not_found",
        /// The agent is closed.
        Closed = "closed",
        /// The agent is in the middle of a turn.
        Busy = "busy",
        /// The agent waits for a permission.
        WaitingForPermission = "waiting_for_permission",
        /// Too many messages are queued.
        QueueFull = "queue_full",
        /// The participant posts too many messages.
        TooManyMessages = "too_many_messages",
        /// Too many wrong codes or credentials.
        TooManyAttempts = "too_many_attempts",
        /// Too many uploads at a time, or too many files without a message.
        TooManyUploads = "too_many_uploads",
        /// The provider cannot take a message into a running turn.
        CannotSteer = "cannot_steer",
        /// The idempotency key was used with another body.
        KeyReused = "key_reused",
        /// The log cannot be read or written.
        StorageUnavailable = "storage_unavailable",
        /// The daemon has no connections or file descriptors left.
        Overloaded = "overloaded",
        /// The daemon is stopping.
        ShuttingDown = "shutting_down",
        Internal = "internal",
    }
}
