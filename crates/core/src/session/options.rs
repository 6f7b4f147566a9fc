//! What a session's process is started with and people change later: model, effort and permission mode. A change counts
//! from the next turn.

use serde::{Deserialize, Serialize};

use super::{Draft, Event, Session};
use crate::permission::Mode;

/// What the next process is started with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// `None`: the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// The mode that a person chose after the start; `None` while it is the one that it was started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Mode>,
}

/// A change of them. What is `None` stays; `Some(None)` is the provider's default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OptionsChange {
    pub model: Option<Option<String>>,
    pub effort: Option<Option<String>>,
    pub permissions: Option<Mode>,
}

/// The mode would allow more than the session may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("permissions `{}` are more than this agent may have; it may have `{}` at most", .wanted.word(), .freest.word())]
pub struct TooFree {
    pub wanted: Mode,
    pub freest: Mode,
}

/// Changes what the next process is started with. `freest` is the most that a person may give it.
pub fn configure(draft: &mut Draft, change: OptionsChange, freest: Mode) -> Result<(), TooFree> {
    let session = &draft.session;
    let before = session.options();
    let mode = before.permissions.unwrap_or(session.profile.permissions);
    // A freer mode sorts first. What it has already it keeps.
    if let Some(wanted) = change.permissions.filter(|wanted| *wanted < freest && *wanted != mode) {
        return Err(TooFree { wanted, freest });
    }
    let permissions = change.permissions.filter(|wanted| *wanted != mode).or(before.permissions);
    let options = Options {
        model: change.model.unwrap_or_else(|| before.model.clone()),
        effort: change.effort.unwrap_or_else(|| before.effort.clone()),
        permissions,
    };
    if options != before {
        draft.push(Event::Configured(options));
    }
    Ok(())
}

impl Session {
    /// Returns what the next process is started with.
    pub fn options(&self) -> Options {
        match &self.options {
            Some(waiting) => (**waiting).clone(),
            None => Options {
                model: self.profile.model.clone(),
                effort: self.profile.effort.clone(),
                permissions: self.profile.chosen_mode,
            },
        }
    }

    pub(super) fn configured(&mut self, options: &Options) {
        self.options = Some(Box::new(options.clone()));
        if self.turn.is_none() {
            self.take_options();
        }
    }

    /// Lets a change count that waited for the end of a turn.
    pub fn take_options(&mut self) {
        let Some(options) = self.options.take() else { return };
        let Options { model, effort, permissions } = *options;
        (self.profile.model, self.profile.effort) = (model, effort);
        if let Some(mode) = permissions {
            self.profile.permissions = mode;
            self.profile.chosen_mode = Some(mode);
        }
    }
}
