//! The daemon itself: its health and its settings.

use std::fmt;

words! {
    /// The health of the daemon.
    HealthStatus {
        Ok = "ok",
    }
}

words! {
    /// A button of a notification, by what it opens.
    PushButton {
        /// The agent's card in the inbox.
        Card = "card",
        Agent = "agent",
        Inbox = "inbox",
    }
}

words! {
    /// How a check of the machine ended.
    Verdict {
        Ok = "ok",
        /// Something does not work, the rest does.
        Warn = "warn",
        Fail = "fail",
    }
}

words! {
    /// A setting.
    SettingKey from paseo_core::settings::Key {
        PermSendToTab = "perm_send_to_tab",
        PermReadTab = "perm_read_tab",
        PermUserAgent = "perm_user_agent",
        PermSummon = "perm_summon",
        PermTodo = "perm_todo",
        WebShell = "web_shell",
    }
}
