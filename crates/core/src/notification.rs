//! Notifications: which news of a session a person is told of outside the app, on which devices, and how often.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::SessionId;
use crate::inbox::{self, Need, What};
use crate::limits::{PUSH_ENDPOINT_BYTES, PUSHES_PENDING, PUSHES_PER_MINUTE};
use crate::public_url;
use crate::session::Session;
use crate::time::Timestamp;

const MINUTE: Duration = Duration::from_secs(60);

/// What a notification is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Need(Need),
    /// A turn is over, and a person asked to be told.
    Finished,
}

/// One thing that a person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    pub session: SessionId,
    pub kind: Kind,
}

/// The kinds that a device wants. Missing ones are as for a new device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Switches {
    /// Permission requests, and prompts in a terminal.
    pub permission: bool,
    pub question: bool,
    pub failure: bool,
    /// Rate limits and held messages.
    pub hold: bool,
    /// Finished turns of agents that a person asked about.
    pub finished: bool,
}

impl Default for Switches {
    fn default() -> Self {
        // A limit ends by itself.
        Self { permission: true, question: true, failure: true, hold: false, finished: true }
    }
}

impl Switches {
    /// Says whether a device wants to be told.
    pub fn want(&self, kind: Kind) -> bool {
        match kind {
            Kind::Need(Need::Permission | Need::Terminal) => self.permission,
            Kind::Need(Need::Question) => self.question,
            Kind::Need(Need::Failure) => self.failure,
            Kind::Need(Need::RateLimit | Need::Hold) => self.hold,
            Kind::Finished => self.finished,
        }
    }
}

impl Kind {
    /// Says what an agent did, after its name. Never what it said.
    pub fn words(self) -> &'static str {
        match self {
            Self::Need(Need::Permission) => "asks for permission",
            Self::Need(Need::Question) => "has a question",
            Self::Need(Need::Terminal) => "is waiting in its terminal",
            Self::Need(Need::Failure) => "failed",
            Self::Need(Need::RateLimit) => "reached a rate limit",
            Self::Need(Need::Hold) => "holds messages for you",
            Self::Finished => "finished",
        }
    }

    /// Says whether an agent waits for a person.
    pub fn is_urgent(self) -> bool {
        matches!(self, Self::Need(Need::Permission | Need::Question | Need::Terminal | Need::Failure))
    }
}

/// Where the notifications of a device go, and which it wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Endpoint URL from the browser's push service. A secret: with the keys, it is enough to send.
    pub endpoint: String,
    /// The browser's public key, in base64url.
    pub p256dh: String,
    /// The secret that it shares with us, in base64url.
    pub auth: String,
    /// Under which address the browser knows this daemon: links lead there.
    pub origin: String,
    #[serde(default)]
    pub switches: Switches,
}

/// Why an endpoint is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadEndpoint {
    #[error("the endpoint is longer than {PUSH_ENDPOINT_BYTES} bytes")]
    Long,
    #[error("the endpoint must start with https://")]
    Plain,
    #[error(transparent)]
    Malformed(#[from] crate::address::Refused),
}

/// Checks the address of a push service, as far as that can be done without looking its name up.
pub fn check_endpoint(endpoint: &str) -> Result<crate::address::Target, BadEndpoint> {
    if endpoint.len() > PUSH_ENDPOINT_BYTES {
        return Err(BadEndpoint::Long);
    }
    let target = crate::address::Target::parse(endpoint)?;
    // Loopback traffic needs no encryption.
    if !public_url::is_trusted(&target) {
        return Err(BadEndpoint::Plain);
    }
    Ok(target)
}

/// Returns what is new in a session's inbox entries and worth a notification. The inbox decides what needs a person, and
/// [`crate::session::Attention`] what is news: what a person brought about is not.
///
/// A session without a `before` was created or reopened; of what it has, only what began after `since` is new.
pub fn notices(before: Option<&Session>, after: &Session, since: Timestamp) -> Vec<Notice> {
    let known: Vec<inbox::Place> =
        before.into_iter().flat_map(inbox::entries).map(|entry| entry.place).collect();
    let counted = before.map_or(0, |before| before.attention.news);
    let is_news = after.attention.news > counted && after.attention.is_unread();
    inbox::entries(after)
        .into_iter()
        .filter(|entry| !known.contains(&entry.place))
        .filter(|entry| before.is_some() || entry.since >= since)
        .filter_map(|entry| match entry.what {
            What::Request(need, _) => Some(Kind::Need(need)),
            What::Trouble(need) if is_news => Some(Kind::Need(need)),
            What::Finished if is_news && after.attention.awaited => Some(Kind::Finished),
            What::Trouble(_) | What::Finished | What::Working => None,
        })
        .map(|kind| Notice { session: after.id, kind })
        .collect()
}

/// What one device is still to be told, and how much it was told lately.
#[derive(Debug, Clone, Default)]
pub struct Outbox {
    /// The oldest first, at most one of each session.
    pending: Vec<Notice>,
    /// What did not fit.
    dropped: usize,
    /// When notifications were sent within the last minute.
    sent: Vec<Timestamp>,
}

/// What to send next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Nothing,
    /// Enough was sent for now.
    Wait(Duration),
    One(Notice),
    /// So many agents have news: one notification for all of them.
    Several(usize),
}

impl Outbox {
    /// Adds a notice. It takes the place of an older one of the same session.
    pub fn add(&mut self, notice: Notice) {
        self.pending.retain(|pending| pending.session != notice.session);
        if self.pending.len() >= PUSHES_PENDING {
            self.pending.remove(0);
            self.dropped += 1;
        }
        self.pending.push(notice);
    }

    /// Takes what to send now. When little may still be sent in this minute, all that waits becomes one notification.
    pub fn next(&mut self, now: Timestamp) -> Next {
        if self.pending.is_empty() {
            return Next::Nothing;
        }
        let free = match self.take_turn(now) {
            Ok(free) => free,
            Err(wait) => return Next::Wait(wait),
        };
        if self.dropped == 0 && (self.pending.len() == 1 || free >= self.pending.len()) {
            return Next::One(self.pending.remove(0));
        }
        let several = self.pending.len() + std::mem::take(&mut self.dropped);
        self.pending.clear();
        Next::Several(several)
    }

    /// Counts one notification, and returns how many more may follow within the minute; or how long to wait.
    pub fn take_turn(&mut self, now: Timestamp) -> Result<usize, Duration> {
        let age = |at: &Timestamp| {
            Duration::from_millis(u64::try_from(now.as_millis() - at.as_millis()).unwrap_or(0))
        };
        self.sent.retain(|at| age(at) < MINUTE);
        let Some(free) = PUSHES_PER_MINUTE.checked_sub(self.sent.len() + 1) else {
            let oldest = self.sent.first().map(age).unwrap_or_default();
            return Err(MINUTE.saturating_sub(oldest));
        };
        self.sent.push(now);
        Ok(free)
    }
}

#[cfg(test)]
mod tests;
