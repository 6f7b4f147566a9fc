//! The teamd protocol.

use std::fmt;

words! {
    /// The code of an error in the teamd protocol.
    TeamdCode {
        Unauthorized = "UNAUTHORIZED",
        Forbidden = "FORBIDDEN",
        IdentityMismatch = "IDENTITY_MISMATCH",
        NotFound = "NOT_FOUND",
        TeamNotFound = "TEAM_NOT_FOUND",
        TaskNotFound = "TASK_NOT_FOUND",
        ThreadNotFound = "THREAD_NOT_FOUND",
        MethodNotAllowed = "METHOD_NOT_ALLOWED",
        InvalidRequest = "INVALID_REQUEST",
        InvalidJson = "INVALID_JSON",
        InvalidTeam = "INVALID_TEAM",
        InvalidAgentId = "INVALID_AGENT_ID",
        InvalidTask = "INVALID_TASK",
        InvalidThread = "INVALID_THREAD",
        InvalidThreadMessage = "INVALID_THREAD_MESSAGE",
        TooLarge = "TOO_LARGE",
        Conflict = "CONFLICT",
        TeamClosed = "TEAM_CLOSED",
        TaskNotClaimable = "TASK_NOT_CLAIMABLE",
        TaskNotInProgress = "TASK_NOT_IN_PROGRESS",
        LeaseExpired = "LEASE_EXPIRED",
        LeaseHolderMismatch = "LEASE_HOLDER_MISMATCH",
        EpochMismatch = "EPOCH_MISMATCH",
        ResourceHeld = "RESOURCE_HELD",
        IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED",
        Unavailable = "UNAVAILABLE",
        InternalError = "INTERNAL_ERROR",
    }
}

words! {
    /// The version of the records of the teamd protocol.
    TeamdSchemaVersion {
        Current = "1.0.0",
    }
}

words! {
    /// Why an agent may or may not write to a path, in the teamd protocol.
    TeamdWriteReason {
        LeaseActiveForResource = "lease_active_for_resource",
        NoActiveLeaseForPath = "no_active_lease_for_path",
        OutsideProject = "outside_project",
        PathTraversalDenied = "path_traversal_denied",
        InvalidPath = "invalid_path",
        TeamClosed = "team_closed",
        TeamNotFound = "team_not_found",
        /// The request names another agent than its credential.
        IdentityMismatch = "identity_mismatch",
    }
}
