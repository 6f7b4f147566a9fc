//! Transcripts: items, tools, permission requests, files.

use std::fmt;

words! {
    /// The format of a text in a form.
    FieldFormat from paseo_core::permission::form::Format {
        Email = "email",
        /// An address with its scheme.
        Uri = "uri",
        Date = "date",
        DateTime = "date-time",
    }
}

words! {
    /// What a field of a form takes.
    FieldKind {
        Text = "text",
        /// Text to mask. Paseo does not store it.
        Secret = "secret",
        Number = "number",
        /// A whole number.
        Integer = "integer",
        Boolean = "boolean",
        /// One of the options.
        Choice = "choice",
        /// Any of the options, as an array.
        Choices = "choices",
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
    /// Decision about an action of a harness in a terminal.
    CheckDecision {
        Allow = "allow",
        Deny = "deny",
        /// The person at the terminal decides.
        Ask = "ask",
    }
}

words! {
    /// The class of a tool.
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
    /// Where delegated work stood when the call ended.
    DelegationState from paseo_core::delegation::State {
        /// The message was delivered, and its outcome is not reported to the caller.
        Sent = "sent",
        /// The agent works, and the caller did not wait for it.
        Background = "background",
        /// The agent answered.
        Finished = "finished",
        /// The wait ended before the agent answered.
        Unfinished = "unfinished",
        /// The message waits until a person releases it.
        Held = "held",
        /// The agent failed, was interrupted or was closed.
        Failed = "failed",
    }
}

words! {
    /// The kind of an item of a transcript.
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
    /// The kind of an item that is still growing.
    LiveKind {
        AssistantText = "assistant_text",
        Thinking = "thinking",
        ToolOutput = "tool_output",
    }
}

words! {
    /// Status of an entry of a to-do list.
    TodoStatus from paseo_core::todo::Status {
        Pending = "pending",
        InProgress = "in_progress",
        Completed = "completed",
        Cancelled = "cancelled",
    }
}

words! {
    /// Priority of an entry of a to-do list.
    TodoPriority from paseo_core::todo::Priority {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

words! {
    /// A kind of file that can be attached.
    AttachmentKind {
        Image = "image",
        Pdf = "pdf",
        Text = "text",
    }
}

words! {
    /// Media type of a file, detected from its bytes.
    MediaType {
        Png = "image/png",
        Jpeg = "image/jpeg",
        Gif = "image/gif",
        Webp = "image/webp",
        Pdf = "application/pdf",
        Text = "text/plain",
    }
}
