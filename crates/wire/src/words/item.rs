//! Transcripts: items, tools, permission requests, files.

use std::fmt;

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
