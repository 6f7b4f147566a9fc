//! Teams and threads.

use std::fmt;

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
