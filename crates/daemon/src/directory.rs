//! The open sessions, in memory: what lists, handles and views are made from.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use paseo_core::actor::Actor;
use paseo_core::family;
use paseo_core::fold::{self, SessionHead};
use paseo_core::handle::{self, Prefix, Resolution};
use paseo_core::id::SessionId;
use paseo_core::limits::{HANDLE_CHARS, PAGE_ROWS};
use paseo_core::session::{self, Session};
use paseo_core::time::Timestamp;
use paseo_core::usage::Ledger;
use paseo_store::{Seq, Version, Which};
use paseo_wire::error::Code;
use paseo_wire::session::{Candidate, SessionLine, SessionView};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::failure::Failure;
use crate::journal::Journal;
use crate::previews::Previews;
use crate::view;

/// How many candidates an error lists.
pub(crate) const CANDIDATES: usize = 8;

/// The open sessions by id.
#[derive(Clone, Default)]
pub(crate) struct Directory {
    open: Arc<RwLock<BTreeMap<SessionId, Entry>>>,
    /// The closed sessions, by project.
    closed: Arc<Mutex<BTreeMap<String, Past>>>,
    /// What the closed sessions have used.
    spent: Arc<Mutex<HashMap<SessionId, Arc<Ledger>>>>,
    /// All closed sessions were counted.
    counted: Arc<watch::Sender<bool>>,
    /// Where the log stood when each change that is not taken in yet began.
    changing: Arc<Mutex<BTreeMap<u64, Seq>>>,
    /// Rings when one of them is over.
    changed: Arc<Notify>,
}

/// A change between the log and the directory.
pub(crate) struct Changing {
    changing: Arc<Mutex<BTreeMap<u64, Seq>>>,
    changed: Arc<Notify>,
    number: u64,
}

impl Drop for Changing {
    fn drop(&mut self) {
        self.changing.lock().remove(&self.number);
        self.changed.notify_waiters();
    }
}

/// An open session, and the version of its stream that this is the state of.
struct Entry {
    session: Arc<Session>,
    version: Version,
}

/// Closed sessions of one project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Past {
    pub(crate) sessions: usize,
    /// When one of them last changed.
    pub(crate) last: Timestamp,
}

/// What happens to the number of closed sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closing {
    /// One more is closed.
    Closed,
    /// One was reopened or deleted.
    Gone,
}

/// Which sessions a handle may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// What agents see.
    Open,
    /// What people see: closed ones when no open one matches.
    OpenThenClosed,
}

impl Directory {
    /// Announces a change; it is over when the guard is dropped, after [`Directory::put`].
    pub(crate) fn change(&self, head: Seq) -> Changing {
        let mut changing = self.changing.lock();
        let number = changing.last_key_value().map_or(0, |(number, _)| number + 1);
        changing.insert(number, head);
        drop(changing);
        Changing { changing: Arc::clone(&self.changing), changed: Arc::clone(&self.changed), number }
    }

    /// Returns the point in the log that the directory is surely up to: stream from here after reading it.
    pub(crate) fn point(&self, journal: &Journal) -> Seq {
        let head = journal.head();
        self.changing.lock().values().copied().min().map_or(head, |oldest| oldest.min(head))
    }

    /// Returns what rings when any session has changed, from now on.
    pub(crate) fn changes(&self) -> tokio::sync::futures::OwnedNotified {
        Arc::clone(&self.changed).notified_owned()
    }

    /// Waits until an event is taken in, if that is still to come: whoever stored it hears of it when we do.
    pub(crate) async fn taken_in(&self, id: SessionId, version: Version, seq: Seq) {
        loop {
            let changed = self.changed.notified();
            let known = self.open.read().get(&id).is_some_and(|entry| entry.version >= version);
            if known || !self.changing.lock().values().any(|began| *began < seq) {
                return;
            }
            changed.await;
        }
    }

    /// Waits until everything that was stored before is taken in: who was told of it finds it in what is read next.
    pub(crate) async fn caught_up(&self, journal: &Journal) {
        let head = journal.head();
        loop {
            let changed = self.changed.notified();
            if !self.changing.lock().values().any(|began| *began < head) {
                return;
            }
            changed.await;
        }
    }

    /// Waits until an item is in the preview of its transcript, if that is still to come.
    pub(crate) async fn transcript_taken_in(&self, previews: &Previews, id: SessionId, seq: Seq) {
        loop {
            let changed = self.changed.notified();
            let known = previews.has_taken_in(id, seq);
            if known || !self.changing.lock().values().any(|began| *began < seq) {
                return;
            }
            changed.await;
        }
    }

    /// Takes in a session as it stands at a version.
    pub(crate) fn put(&self, session: Session, version: Version) {
        if session.is_open() {
            // Receipts are read from the log; ten thousand idle sessions need not hold them.
            let kept = Session { recent: Vec::new(), ..session };
            let mut open = self.open.write();
            // Whoever comes late does not overwrite what is newer.
            if open.get(&kept.id).is_none_or(|entry| entry.version <= version) {
                open.insert(kept.id, Entry { session: Arc::new(kept), version });
            }
        } else {
            self.open.write().remove(&session.id);
        }
    }

    /// Counts a session that was closed, reopened or deleted.
    pub(crate) fn count_closed(&self, session: &Session, change: Closing) {
        match (change, Ledger::of(session)) {
            (Closing::Closed, Some(ledger)) => drop(self.spent.lock().insert(session.id, Arc::new(ledger))),
            (Closing::Closed | Closing::Gone, _) => drop(self.spent.lock().remove(&session.id)),
        }
        let mut closed = self.closed.lock();
        let project = &session.profile.project;
        match change {
            Closing::Closed => {
                let new = Past { sessions: 0, last: session.updated_at };
                let past = closed.entry(project.clone()).or_insert(new);
                *past = Past { sessions: past.sessions + 1, last: past.last.max(session.updated_at) };
            }
            // The count may still be on its way up, after a restart.
            Closing::Gone => match closed.get_mut(project) {
                Some(past) if past.sessions > 1 => past.sessions -= 1,
                _ => drop(closed.remove(project)),
            },
        }
    }

    /// Returns what all sessions have used, and whether the closed ones were all counted.
    pub(crate) async fn ledgers(&self, patience: Duration) -> (Vec<Arc<Ledger>>, bool) {
        let mut counted = self.counted.subscribe();
        let complete =
            timeout(patience, counted.wait_for(|counted| *counted)).await.is_ok_and(|told| told.is_ok());
        // The closed ones first: who is reopened in between is then in both, and counts as the open one.
        let mut ledgers = self.spent.lock().clone();
        for session in self.all() {
            match Ledger::of(&session) {
                Some(ledger) => drop(ledgers.insert(session.id, Arc::new(ledger))),
                None => drop(ledgers.remove(&session.id)),
            }
        }
        (ledgers.into_values().collect(), complete)
    }

    /// Returns the projects of closed sessions.
    pub(crate) fn past(&self) -> Vec<(String, Past)> {
        self.closed.lock().iter().map(|(project, past)| (project.clone(), *past)).collect()
    }

    /// Returns an open session.
    pub(crate) fn get(&self, id: SessionId) -> Option<Arc<Session>> {
        self.open.read().get(&id).map(|entry| Arc::clone(&entry.session))
    }

    /// Returns the session that acts; `None` when it is a person, or an agent elsewhere. One that was closed meanwhile does
    /// nothing more.
    pub(crate) fn acting(&self, by: &Actor) -> Result<Option<Arc<Session>>, Failure> {
        let Some(id) = by.session() else { return Ok(None) };
        let closed = || Failure::new(Code::Forbidden, "this process belongs to an agent that is closed");
        self.get(id).map(Some).ok_or_else(closed)
    }

    /// Returns all open sessions.
    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.open.read().values().map(|entry| Arc::clone(&entry.session)).collect()
    }

    /// Says whether an open session passes, or one above it does: whether the web app shows it.
    pub(crate) fn is_shown_in_ui(&self, id: SessionId, is_ui: impl Fn(&Session) -> bool) -> bool {
        let open = self.open.read();
        let session = |id: SessionId| open.get(&id).map(|entry| &entry.session);
        let parent = |id| session(id).and_then(|session| session.profile.parent);
        family::is_shown_in_ui(id, parent, |id| session(id).is_some_and(|session| is_ui(session)))
    }

    /// Returns how many closed sessions there are, in or under a directory.
    pub(crate) fn closed(&self, project: Option<&str>) -> usize {
        let under = |name: &str| project.is_none_or(|project| Path::new(name).starts_with(project));
        let closed = self.closed.lock();
        closed.iter().filter(|(name, _)| under(name)).map(|(_, past)| past.sessions).sum()
    }

    /// Counts the closed sessions in the log, a page at a time.
    pub(crate) async fn count_all_closed(&self, journal: &Journal) -> Result<(), Failure> {
        let mut after: Option<String> = None;
        loop {
            let (sessions, next) = Self::closed_page(journal, after.as_deref()).await?;
            for session in sessions {
                self.count_closed(&session, Closing::Closed);
            }
            if next.is_none() {
                self.counted.send_replace(true);
                return Ok(());
            }
            after = next;
        }
    }

    /// Returns a page of closed sessions, by id, and the stream to read on from.
    pub(crate) async fn closed_page(
        journal: &Journal,
        after: Option<&str>,
    ) -> Result<(Vec<Arc<Session>>, Option<String>), Failure> {
        let heads = journal.log.heads("session/", Which::All, after, PAGE_ROWS).await?;
        let next = heads.last().filter(|_| heads.len() == PAGE_ROWS).map(|row| row.stream.to_string());
        let mut found = Vec::new();
        for row in &heads {
            let head = fold::read(&row.stream, &row.head.state).map_err(Failure::internal)?;
            if let SessionHead::Session(session) = head
                && !session.is_open()
            {
                found.push(Arc::from(session));
            }
        }
        Ok((found, next))
    }

    /// Returns the handle of a session.
    pub(crate) fn handle(&self, id: SessionId) -> String {
        handle::shortest(id, &self.open.read())
    }

    /// Returns a session as the API shows it.
    pub(crate) fn view(&self, session: &Session) -> SessionView {
        view::session(session, self.handle(session.id))
    }

    /// Returns a session as a list shows it in one line.
    pub(crate) fn line(&self, session: &Session, status_reason: Option<String>) -> SessionLine {
        view::line(session, self.handle(session.id), status_reason)
    }

    /// Returns a session that is at least as new as a version: from the log when it is closed, or when its
    /// owner has not come round to it yet. `None` once it is deleted.
    pub(crate) async fn at(
        &self,
        id: SessionId,
        version: Version,
        journal: &Journal,
    ) -> Result<Option<Arc<Session>>, Failure> {
        let known = self
            .open
            .read()
            .get(&id)
            .filter(|entry| entry.version >= version)
            .map(|entry| Arc::clone(&entry.session));
        match known {
            Some(session) => Ok(Some(session)),
            None => Ok(journal.session(id).await?.map(|(session, _)| Arc::new(session))),
        }
    }

    /// Finds the session that was meant. The one way from a typed handle to an id.
    pub(crate) async fn resolve(
        &self,
        typed: &str,
        reach: Reach,
        journal: &Journal,
    ) -> Result<SessionId, Failure> {
        let found = handle::resolve(typed, &self.open.read());
        match found {
            Resolution::One(id) => return Ok(id),
            Resolution::Ambiguous(ids) => {
                let candidates =
                    ids.iter().take(CANDIDATES).filter_map(|id| self.get(*id)).map(|s| self.candidate(&s));
                return Err(Failure::new(
                    Code::Ambiguous,
                    format!("`{}` is ambiguous: {} agents match", shown(typed), ids.len()),
                )
                .hint("type one more character")
                .candidates(candidates.collect()));
            }
            Resolution::None => {}
        }
        if let Some(worker) = self.worker(typed) {
            return Ok(worker);
        }
        if reach == Reach::OpenThenClosed
            && let Some(prefix) = Prefix::parse(typed)
        {
            let mut closed = Vec::new();
            for name in journal.log.names(&format!("session/{}", prefix.text), CANDIDATES + 1).await? {
                if let Some(id) = session::from_stream(&name)
                    && let Some((session, _)) = journal.session(id).await?
                {
                    closed.push(session);
                }
            }
            match closed.as_slice() {
                [] => {}
                [one] => return Ok(one.id),
                several => {
                    let candidates = several.iter().map(|session| self.candidate(session)).collect();
                    return Err(Failure::new(
                        Code::Ambiguous,
                        format!("`{}` is ambiguous: several closed agents match", shown(typed)),
                    )
                    .hint("type more of the id")
                    .candidates(candidates));
                }
            }
        }
        Err(self.unknown(typed))
    }

    /// Finds a worker by its name, which no other terminal has. What could be a handle is none.
    fn worker(&self, typed: &str) -> Option<SessionId> {
        let typed = Some(typed.trim()).filter(|typed| !typed.is_empty() && Prefix::parse(typed).is_none());
        let open = self.open.read();
        let mut named = open
            .iter()
            .filter(|(_, entry)| typed.is_some() && entry.session.profile.terminal.as_deref() == typed);
        let found = named.next().map(|(id, _)| *id);
        found.filter(|_| named.next().is_none())
    }

    fn unknown(&self, typed: &str) -> Failure {
        let mut open = self.all();
        // Whoever typed a name is shown the agent that has it, however many there are.
        let named =
            |session: &Session| [session.naming.shown(), member(session)].contains(&Some(typed.trim()));
        open.sort_by_key(|session| (!named(session), std::cmp::Reverse(session.updated_at)));
        let candidates: Vec<Candidate> =
            open.iter().take(CANDIDATES).map(|session| self.candidate(session)).collect();
        let names = open.iter().take_while(|session| named(session)).map(|session| self.handle(session.id));
        let names: Vec<String> = names.take(CANDIDATES).collect();
        let hint = match (candidates.len(), open.len()) {
            _ if !names.is_empty() => format!("use a handle instead of a name: {}", names.join(" or ")),
            (0, _) => "start an agent with `paseo run`; none is open".to_owned(),
            (listed, all) if listed < all => {
                format!(
                    "{all} agents are open, these are the newest; `paseo ls -g` and `paseo ls -g --ui` list all"
                )
            }
            _ => "choose one of the open agents".to_owned(),
        };
        let plausible = Prefix::parse(typed).is_some() || typed.trim().len() >= HANDLE_CHARS;
        let why = if plausible { "" } else { ": a handle has at least 4 characters" };
        Failure::new(Code::NotFound, format!("no agent matches `{}`{why}", shown(typed)))
            .hint(hint)
            .candidates(candidates)
    }

    /// Returns an agent as one that could have been meant.
    pub(crate) fn candidate(&self, session: &Session) -> Candidate {
        Candidate {
            handle: self.handle(session.id),
            id: session.id.into(),
            name: session.naming.shown().or(member(session)).map(str::to_owned),
            status: session.condition.status.into(),
        }
    }
}

/// Returns what a session is called in its team.
fn member(session: &Session) -> Option<&str> {
    session.profile.team.as_ref().map(|seat| seat.agent.as_str())
}

/// Returns what was typed as it can be shown.
pub(crate) fn shown(typed: &str) -> String {
    typed.trim().chars().take(60).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;
    use crate::mint;

    #[tokio::test(start_paused = true)]
    async fn an_event_is_taken_in_when_its_change_is_over() {
        let directory = Directory::default();
        let (id, change) = (mint::session(), directory.change(4));
        let waiting = directory.taken_in(id, 1, 5);
        tokio::pin!(waiting);
        assert!(timeout(Duration::from_secs(1), waiting.as_mut()).await.is_err(), "it is still to come");
        drop(change);
        timeout(Duration::from_secs(1), waiting).await.unwrap();

        let _later = directory.change(5);
        timeout(Duration::from_secs(1), directory.taken_in(id, 1, 5)).await.unwrap();
    }
}
