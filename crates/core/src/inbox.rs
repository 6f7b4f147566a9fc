//! The inbox: what needs a person, what finished since people looked, and what is being worked on.

use std::fmt;
use std::str::FromStr;

use crate::id::SessionId;
use crate::session::{Ask, Event, Session, Status};
use crate::time::Timestamp;

/// The sections, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    NeedsYou,
    Finished,
    Working,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NeedsYou, Self::Finished, Self::Working];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs_you",
            Self::Finished => "finished",
            Self::Working => "working",
        }
    }
}

/// What a person is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It asks for leave to do something.
    Permission,
    /// It asks for words.
    Question,
    /// It asks for something that can only be answered in its terminal.
    Terminal,
    /// Its newest turn failed or was cut off.
    Failure,
    /// A limit was reached; it goes on by itself when the limit ends.
    RateLimit,
    /// Messages are held until a person writes.
    Hold,
}

/// Where an entry stands in the inbox. Places are unique, and what is in front stays in front while it is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    section: Section,
    /// Milliseconds; negative where the newest comes first.
    order: i64,
    session: SessionId,
    /// The hash of a request; empty for what a session has once.
    request: String,
}

/// One entry of the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    pub place: Place,
    pub session: &'a Session,
    pub since: Timestamp,
    pub what: What<'a>,
}

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What<'a> {
    Request(Need, &'a Ask),
    Trouble(Need),
    Finished,
    Working,
}

impl Place {
    /// Returns the section that it is in.
    pub fn section(&self) -> Section {
        self.section
    }
}

/// The text is not the place of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid inbox cursor")]
pub struct NoPlace;

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}:{}", self.section.word(), self.order, self.session, self.request)
    }
}

impl FromStr for Place {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        let mut parts = text.splitn(4, ':');
        let mut next = || parts.next().ok_or(NoPlace);
        let word = next()?;
        let section = Section::ALL.into_iter().find(|section| section.word() == word).ok_or(NoPlace)?;
        let order = next()?.parse().map_err(|_| NoPlace)?;
        let session = next()?.parse().map_err(|_| NoPlace)?;
        Ok(Self { section, order, session, request: next()?.to_owned() })
    }
}

/// Returns the entries of a session, in order. Requests stay until they are decided; everything else leaves with a session
/// that was archived.
pub fn entries(session: &Session) -> Vec<Entry<'_>> {
    if !session.is_open() {
        return Vec::new();
    }
    let asks = session.turn.iter().flat_map(|turn| &turn.asks);
    let mut found: Vec<Entry<'_>> = asks
        .map(|ask| Entry {
            place: place(session, Section::NeedsYou, ask.asked_at.as_millis(), &ask.hash),
            session,
            since: ask.asked_at,
            what: What::Request(request(session, ask), ask),
        })
        .collect();
    if session.attention.is_archived() {
        found.sort_by(|one, other| one.place.cmp(&other.place));
        return found;
    }
    if let Some((need, since)) = trouble(session) {
        let place = place(session, Section::NeedsYou, since.as_millis(), "");
        found.push(Entry { place, session, since, what: What::Trouble(need) });
    } else if let Some(since) = finished(session) {
        // The newest comes first.
        let place = place(session, Section::Finished, since.as_millis().saturating_neg(), "");
        found.push(Entry { place, session, since, what: What::Finished });
    }
    if let Some(since) = working(session) {
        let place = place(session, Section::Working, since.as_millis(), "");
        found.push(Entry { place, session, since, what: What::Working });
    }
    found.sort_by(|one, other| one.place.cmp(&other.place));
    found
}

/// Says whether an event may change what needs a person: entries may come or go with it.
pub fn moves(event: &Event) -> bool {
    match event {
        // Messages are held and released, and turns end the trouble or bring it.
        Event::Accepted(_)
        | Event::DeliveriesHeld { .. }
        | Event::DeliveriesReleased { .. }
        | Event::Cancelled { .. }
        | Event::Returned { .. }
        | Event::Handing { .. }
        | Event::Held { .. }
        | Event::Released {}
        | Event::TurnOpened { .. }
        | Event::TurnEnded { .. }
        | Event::Unparked {}
        | Event::AnswerChecked { .. }
        | Event::AnswerAbandoned { .. }
        | Event::Asked { .. }
        | Event::Decided { .. }
        | Event::Archived { .. }
        | Event::Boarded { .. }
        | Event::Created(_)
        | Event::Closed { .. }
        | Event::Reopened {}
        | Event::Cleared {}
        | Event::Deleted {} => true,
        Event::Renamed { .. }
        | Event::Configured(_)
        | Event::Titled { .. }
        | Event::Labelled { .. }
        | Event::Referenced { .. }
        | Event::Branched { .. }
        | Event::Uprooted { .. }
        | Event::Pinned { .. }
        | Event::Attributed { .. }
        | Event::Entered { .. }
        | Event::Looked { .. }
        | Event::Awaited { .. }
        | Event::Prompted { .. }
        | Event::Planned { .. }
        | Event::ShellOpened { .. }
        | Event::ShellClosed { .. }
        | Event::Exited { .. }
        | Event::TerminalTaken { .. }
        | Event::TerminalReleased { .. }
        | Event::Promoted { .. }
        | Event::Handed { .. }
        | Event::Edited { .. }
        | Event::Moved { .. }
        | Event::TurnHanded { .. }
        | Event::TurnRetried { .. }
        | Event::UsageAdded { .. }
        | Event::WatchArmed(_)
        | Event::WatchEnded { .. }
        | Event::WatchesGathered { .. } => false,
    }
}

/// Counts what needs a person.
pub fn needing_you<'a>(sessions: impl IntoIterator<Item = &'a Session>) -> usize {
    let entries = sessions.into_iter().flat_map(entries);
    entries.filter(|entry| entry.place.section() == Section::NeedsYou).count()
}

fn place(session: &Session, section: Section, order: i64, request: &str) -> Place {
    Place { section, order, session: session.id, request: request.to_owned() }
}

fn request(session: &Session, ask: &Ask) -> Need {
    match session.profile.terminal {
        Some(_) => Need::Terminal,
        None if ask.question => Need::Question,
        None => Need::Permission,
    }
}

/// Returns what keeps a session from going on by itself, and since when.
fn trouble(session: &Session) -> Option<(Need, Timestamp)> {
    let condition = &session.condition;
    if session.parked().is_some() {
        return Some((Need::RateLimit, condition.since));
    }
    if session.turn.is_none() && matches!(condition.status, Status::Error | Status::Interrupted) {
        return Some((Need::Failure, condition.since));
    }
    let held = session.queue.iter().filter(|pending| pending.held.is_some());
    held.map(|pending| pending.accepted_at).min().map(|since| (Need::Hold, since))
}

/// Returns when a session that is idle now came to something that no person has looked at.
fn finished(session: &Session) -> Option<Timestamp> {
    let is_idle = session.condition.status == Status::Idle;
    session.attention.since.filter(|_| is_idle && session.attention.is_unread())
}

/// Returns since when a session is at work. One that waits for a person is not.
fn working(session: &Session) -> Option<Timestamp> {
    let is_working = matches!(session.condition.status, Status::Starting | Status::Running);
    let opened = session.turn.as_ref().map_or(session.condition.since, |turn| turn.opened_at);
    is_working.then_some(opened)
}
