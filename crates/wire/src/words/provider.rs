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
    /// What becomes of a harness when the daemon ends.
    Lifetime {
        /// It ends.
        Pipe = "pipe",
        Reattach = "reattach",
        Remote = "remote",
    }
}

words! {
    /// Why a provider is used.
    ProviderReason {
        AskedFor = "asked_for",
        Configured = "configured",
        FirstReady = "first_ready",
    }
}

words! {
    /// What a harness may do by itself.
    Power {
        Read = "native_read",
        Write = "native_write",
        Shell = "native_shell",
        Net = "native_net",
    }
}
