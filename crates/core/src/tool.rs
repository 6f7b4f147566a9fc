//! Which tools a session may use. This is a security boundary: every way in asks [`Grants::check`].

use crate::permission::Power;
use crate::session::Session;
use crate::settings::{Key, Settings};

/// Names the session for the current task.
pub const SET_TITLE: &str = "set_title";
/// Names the branch of the session's worktree.
pub const SET_BRANCH: &str = "set_branch";
/// Sends a message to another session.
pub const SEND_TO_TAB: &str = "send_to_tab";
/// Reads another session's last answer.
pub const READ_TAB: &str = "read_tab";

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
        let mode = session.profile.permissions;
        let mut granted: Vec<&'static str> =
            Power::ALL.into_iter().filter(|power| mode.grants(*power)).map(Power::tool).collect();
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
