//! Which tools a session may use. This is a security boundary: every way in asks [`Grants::check`].

use crate::session::Session;
use crate::settings::{Key, Settings};

/// Running commands, by the harness itself.
pub const NATIVE_SHELL: &str = "native_shell";
/// Names the session for the current task.
pub const SET_TITLE: &str = "set_title";
/// Names the branch of the session's worktree.
pub const SET_BRANCH: &str = "set_branch";
/// Sends a message to another session.
pub const SEND_TO_TAB: &str = "send_to_tab";
/// Reads another session's last answer.
pub const READ_TAB: &str = "read_tab";

const NATIVE: [&str; 4] = ["native_read", "native_write", NATIVE_SHELL, "native_net"];

/// The tools that a session may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants(Vec<&'static str>);

/// A tool was called that is not granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tool `{name}` is not granted to this agent (granted: {granted})")]
pub struct NotGranted {
    pub name: String,
    pub granted: String,
}

impl Grants {
    /// Returns what a session may use.
    pub fn of(session: &Session, settings: &Settings) -> Self {
        let mut granted: Vec<&'static str> = NATIVE.to_vec();
        if session.labels.is_ui() {
            granted.extend([SET_TITLE, SET_BRANCH]);
        }
        if session.profile.parent.is_none() {
            let by_setting = [(Key::PermSendToTab, SEND_TO_TAB), (Key::PermReadTab, READ_TAB)];
            granted
                .extend(by_setting.into_iter().filter(|(key, _)| settings.is_on(*key)).map(|(_, tool)| tool));
        }
        Self(granted)
    }

    /// Decides whether a tool may be used.
    pub fn check(&self, name: &str) -> Result<(), NotGranted> {
        if self.0.contains(&name) {
            return Ok(());
        }
        Err(NotGranted { name: name.to_owned(), granted: self.0.join(", ") })
    }
}
