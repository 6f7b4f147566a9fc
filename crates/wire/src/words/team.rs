//! Teams and threads.

use std::fmt;

words! {
    /// Status of a task.
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
    /// Why an agent may or may not write to a path.
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
    /// Role of a member of a team. A `leader` may reassign the tasks of others.
    TeamRole {
        Worker = "worker",
        Leader = "leader",
    }
}

words! {
    /// The kind of an event in a team.
    NoticeKind {
        TeamCreated = "team_created",
        TeamClosed = "team_closed",
        AgentEnrolled = "agent_enrolled",
        AgentLeft = "agent_left",
        WorkerStarted = "worker_started",
        WorkerEnded = "worker_ended",
        WriteRefused = "write_refused",
        ThreadStarted = "thread_started",
        ThreadLinkedTask = "thread_linked_task",
        ThreadMessage = "thread_message",
        TaskCreated = "task_created",
        TaskEdited = "task_edited",
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
    /// Why the daemon released a task by itself.
    NoticeReason {
        HolderGone = "the holder was closed or left the team",
    }
}

words! {
    /// What restricts an agent: `lease` allows only the files of tasks that it owns.
    Guard {
        Lease = "lease",
    }
}

words! {
    /// The type of an event of a thread.
    ThreadEventKind {
        Message = "message",
        Control = "control",
        Created = "thread.created",
        Renamed = "thread.renamed",
        Moved = "thread.moved",
    }
}

words! {
    /// How participants are muted: their replies are held.
    MuteMode {
        Hard = "hard",
    }
}

words! {
    /// What a participant is doing. Participants may choose other words.
    PresenceState {
        Listening = "listening",
        Thinking = "thinking",
        Typing = "typing",
        Idle = "idle",
        /// It waits for a permission or an answer.
        Waiting = "waiting",
        /// It has not answered in time and is still working.
        Late = "late",
        /// The participant reported nothing for a while.
        Offline = "offline",
    }
}

words! {
    /// Why a message does not wake a participant.
    NotWokenReason from paseo_core::thread::Asleep {
        /// The message is not for it.
        NotAddressed = "not_addressed",
        Muted = "muted",
        /// The thread is paused.
        Paused = "paused",
        /// Another program runs it, and reads the thread itself.
        Outside = "outside",
        /// It wrote the message.
        Author = "author",
        /// It has permissions that the author cannot pass on.
        NotPermitted = "not_permitted",
    }
}

words! {
    /// Why a participant may not post.
    SilencedReason from paseo_core::thread::Silence {
        Muted = "muted",
        /// The thread is paused.
        Paused = "paused",
    }
}
