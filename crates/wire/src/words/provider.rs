//! Providers.

use std::fmt;

words! {
    /// Whether a provider can be used now.
    Readiness {
        Ready = "ready",
        NoLogin = "no_login",
        Unset = "unset",
        Missing = "missing",
        /// Its program does not run.
        Broken = "broken",
    }
}

words! {
    /// Where a list of models comes from.
    ModelSource {
        /// The model server.
        Endpoint = "endpoint",
        /// The program that runs the agent.
        Harness = "harness",
        /// The user's definitions; the provider may have others.
        Configuration = "configuration",
    }
}

words! {
    /// What happens to a harness when the daemon ends.
    Lifetime {
        /// It ends.
        Pipe = "pipe",
        Reattach = "reattach",
        Remote = "remote",
    }
}

words! {
    /// Why a provider was chosen.
    ProviderReason {
        AskedFor = "asked_for",
        Configured = "configured",
        FirstReady = "first_ready",
    }
}

words! {
    /// A power of a harness.
    Power {
        Read = "native_read",
        Write = "native_write",
        Shell = "native_shell",
        Net = "native_net",
    }
}

words! {
    /// A known agent that speaks the Agent Client Protocol.
    Preset {
        OpenCode = "opencode",
        Gemini = "gemini",
        ClaudeAgentAcp = "claude-agent-acp",
        CodexAcp = "codex-acp",
        Qwen = "qwen",
        Copilot = "copilot",
        PiAcp = "pi-acp",
    }
}

words! {
    /// The plugin of a tool.
    ToolPlugin from paseo_core::tool::Plugin {
        Ui = "ui",
        Native = "native",
        Tabs = "tabs",
        Agents = "agents",
        Summon = "summon",
        Todo = "todo",
        Threads = "threads",
        Team = "team",
    }
}
