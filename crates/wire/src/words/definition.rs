//! Definitions of agents.

use std::fmt;

words! {
    /// Where agents of a definition run: `chat` on this machine, `external` elsewhere.
    DefinitionKind {
        Chat = "chat",
        External = "external",
    }
}

words! {
    /// The color of a definition's agents.
    AgentColor from paseo_core::definition::Color {
        Gray = "gray",
        Red = "red",
        Orange = "orange",
        Yellow = "yellow",
        Green = "green",
        Cyan = "cyan",
        Blue = "blue",
        Purple = "purple",
        Pink = "pink",
    }
}

words! {
    /// The layer of a definition.
    Layer from paseo_core::definition::Origin {
        BuiltIn = "built-in",
        Home = "home",
        Project = "project",
    }
}

words! {
    /// The kind of a change that a person has to trust.
    PendingChange from paseo_core::definition::WaitingKind {
        New = "new",
        /// It would replace another definition.
        Shadows = "shadows",
        Changed = "changed",
        Removed = "removed",
        /// It is in effect; once it is trusted, other definitions may use it.
        Named = "named",
    }
}

words! {
    /// How a file differs from the trusted one.
    FileChange from paseo_core::definition::Change {
        Added = "added",
        Changed = "changed",
        Removed = "removed",
    }
}

words! {
    /// Whether the definitions of a project are trusted.
    Trust {
        Trusted = "trusted",
        /// An earlier version was trusted.
        Changed = "changed",
        Untrusted = "untrusted",
    }
}

words! {
    /// Severity of a mistake in a definition.
    Severity from paseo_core::definition::Severity {
        /// The definition is loaded without the faulty part.
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
