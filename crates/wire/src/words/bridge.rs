//! The bridge protocol.

use std::fmt;

words! {
    /// The type of an event in the bridge protocol.
    BridgeEventKind {
        Message = "message",
        Control = "control",
        Created = "thread.created",
        Renamed = "thread.renamed",
    }
}

words! {
    /// The type of an event that clients of the bridge protocol may post.
    BridgePostKind {
        Message = "message",
        Control = "control",
    }
}

words! {
    /// The name of the bridge protocol.
    BridgeServer {
        AgentBridge = "agent-bridge",
    }
}

words! {
    /// The version of the bridge protocol.
    BridgeVersion {
        Current = "0.3.0",
    }
}

words! {
    /// The component that posted a message for its sender.
    PostedVia {
        /// The daemon, with the reply of an agent or with a notice.
        Coordinator = "bridge-coordinator",
    }
}
