//! What people want to know of a session, how far they have looked, and whether it has left the inbox.

use serde::{Deserialize, Serialize};

use super::{Draft, Event, HeldReason, Session, Source, Status};
use crate::time::Timestamp;

/// News of a session: what finished, failed, was asked or was held. Counted, so that a look says exactly how far it went
/// and one that comes late changes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attention {
    /// How much happened so far that people want to know.
    #[serde(default)]
    pub news: u64,
    /// When the newest of it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// How much of it people have looked at.
    #[serde(default)]
    pub looked: u64,
    /// How much had happened when a person archived it, unless it has begun a turn since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<u64>,
    /// People want to be told when it finishes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
}

impl Attention {
    /// Says whether something happened that no person has looked at.
    pub fn is_unread(&self) -> bool {
        self.news > self.looked
    }

    /// Says whether a person archived it and nothing happened since.
    pub fn is_archived(&self) -> bool {
        self.archived.is_some_and(|archived| archived >= self.news)
    }

    /// Says whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Why a look is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`news` is {given}, but the agent's newest is {known}")]
pub struct Unseen {
    pub given: u64,
    pub known: u64,
}

/// Notes that people have looked at the first `upto` news; without a number, at all of them. Returns whether that is new.
pub fn look(draft: &mut Draft, upto: Option<u64>) -> Result<bool, Unseen> {
    let news = checked(&draft.session, upto)?;
    let is_new = news > draft.session.attention.looked;
    if is_new {
        draft.push(Event::Looked { news });
    }
    Ok(is_new)
}

/// Takes a session out of the inbox until something happens beyond the first `upto` news; without a number, beyond all
/// of them. Returns whether it leaves now.
pub fn archive(draft: &mut Draft, upto: Option<u64>) -> Result<bool, Unseen> {
    let news = checked(&draft.session, upto)?;
    let attention = draft.session.attention;
    // An older value would archive nothing: it is in the inbox for what happened since.
    let is_new = news == attention.news && !attention.is_archived();
    if is_new {
        draft.push(Event::Archived { news });
    }
    Ok(is_new)
}

/// Notes that people want to be told when the session finishes, or do not any more.
pub fn tell(draft: &mut Draft, awaited: bool) {
    if draft.session.attention.awaited != awaited {
        draft.push(Event::Awaited { awaited });
    }
}

fn checked(session: &Session, upto: Option<u64>) -> Result<u64, Unseen> {
    let known = session.attention.news;
    match upto {
        Some(given) if given > known => Err(Unseen { given, known }),
        upto => Ok(upto.unwrap_or(known)),
    }
}

impl Session {
    /// Takes in that something happened that people want to know.
    pub(super) fn happened(&mut self, at: Timestamp) {
        self.attention.news += 1;
        self.attention.since = Some(at);
    }

    /// Takes in that people have looked. A number of another life of the log is cut to what there is.
    pub(super) fn looked_at(&mut self, news: u64) {
        let attention = &mut self.attention;
        attention.looked = attention.looked.max(news.min(attention.news));
    }

    /// Takes in that a person acted on the session, who has seen what it came to.
    pub(super) fn attended(&mut self) {
        self.looked_at(self.attention.news);
    }

    pub(super) fn archived_at(&mut self, news: u64) {
        self.looked_at(news);
        self.attention.archived = self.attention.archived.max(Some(news));
    }
}

/// Says whether a change of status is news. Not when a person brought it about.
pub(super) fn is_news(before: Status, after: Status, source: Source) -> bool {
    let is_over = matches!(after, Status::Idle | Status::Error | Status::Interrupted);
    before.is_busy() && is_over && source != Source::Person
}

/// Says whether people want to know that messages are held: not when it was a person who held them.
pub(super) fn is_news_when_held(reason: HeldReason) -> bool {
    match reason {
        HeldReason::Budget | HeldReason::Attempts => true,
        HeldReason::Stopped | HeldReason::Paused | HeldReason::CauseStopped => false,
    }
}
