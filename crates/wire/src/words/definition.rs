//! Definitions of agents.

use std::fmt;

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
    /// How a file differs from the trusted one.
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
