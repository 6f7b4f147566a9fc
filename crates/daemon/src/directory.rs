//! The open sessions, in memory: what lists, handles and views are made from.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};
use paseo_core::fold::{self, SessionHead};
use paseo_core::handle::{self, Prefix, Resolution};
use paseo_core::id::SessionId;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::session::{self, Session};
use paseo_store::{Seq, Version, Which};
use paseo_wire::error::Code;
use paseo_wire::session::{Candidate, SessionView};

use crate::failure::Failure;
use crate::journal::Journal;
use crate::view;

/// How many candidates an error lists.
const CANDIDATES: usize = 20;

/// The open sessions by id.
#[derive(Clone, Default)]
pub(crate) struct Directory {
    open: Arc<RwLock<BTreeMap<SessionId, Entry>>>,
    /// How many closed sessions there are.
    closed: Arc<AtomicUsize>,
    /// Where the log stood when each change that is not taken in yet began.
    changing: Arc<Mutex<BTreeMap<u64, Seq>>>,
}

/// A change between the log and the directory.
pub(crate) struct Changing {
    changing: Arc<Mutex<BTreeMap<u64, Seq>>>,
    number: u64,
}

impl Drop for Changing {
    fn drop(&mut self) {
        self.changing.lock().remove(&self.number);
    }
}

/// An open session, and the version of its stream that this is the state of.
struct Entry {
    session: Arc<Session>,
    version: Version,
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
        Changing { changing: Arc::clone(&self.changing), number }
    }

    /// Returns the point in the log that the directory is surely up to: stream from here after reading it.
    pub(crate) fn point(&self, journal: &Journal) -> Seq {
        let head = journal.head();
        self.changing.lock().values().copied().min().map_or(head, |oldest| oldest.min(head))
    }

    /// Takes in a session as it stands at a version.
    pub(crate) fn put(&self, session: &Session, version: Version) {
        if session.is_open() {
            let mut kept = session.clone();
            // Receipts are read from the log; ten thousand idle sessions need not hold them.
            kept.recent = Vec::new();
            self.open.write().insert(kept.id, Entry { session: Arc::new(kept), version });
        } else {
            self.open.write().remove(&session.id);
        }
    }

    /// Counts sessions that were closed, reopened or deleted.
    pub(crate) fn count_closed(&self, change: Closing) {
        match change {
            Closing::Closed => self.closed.fetch_add(1, Ordering::Relaxed),
            // The count may still be on its way up, after a restart.
            Closing::Gone => self
                .closed
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
                .unwrap_or(0),
        };
    }

    /// Returns an open session.
    pub(crate) fn get(&self, id: SessionId) -> Option<Arc<Session>> {
        self.open.read().get(&id).map(|entry| Arc::clone(&entry.session))
    }

    /// Returns all open sessions.
    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.open.read().values().map(|entry| Arc::clone(&entry.session)).collect()
    }

    /// Returns how many closed sessions there are.
    pub(crate) fn closed(&self) -> usize {
        self.closed.load(Ordering::Relaxed)
    }

    /// Returns the closed sessions, from the log.
    pub(crate) async fn closed_sessions(&self, journal: &Journal) -> Result<Vec<Arc<Session>>, Failure> {
        let mut found = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let heads = journal.log.heads("session/", Which::All, after.as_deref(), PAGE_ROWS).await?;
            let Some(last) = heads.last() else { break };
            after = Some(last.stream.to_string());
            for row in &heads {
                if let SessionHead::Session(session) =
                    fold::read(&row.stream, &row.head.state).map_err(Failure::internal)?
                    && !session.is_open()
                {
                    found.push(Arc::from(session));
                }
            }
        }
        self.closed.store(found.len(), Ordering::Relaxed);
        Ok(found)
    }

    /// Returns the handle of a session.
    pub(crate) fn handle(&self, id: SessionId) -> String {
        handle::shortest(id, &self.open.read())
    }

    /// Returns a session as the API shows it.
    pub(crate) fn view(&self, session: &Session) -> SessionView {
        view::session(session, self.handle(session.id))
    }

    /// Returns a session that is at least as new as a version: from the log when it is closed, or when its
    /// owner has not come round to it yet. `None` once it is deleted.
    pub(crate) async fn view_at(
        &self,
        id: SessionId,
        version: Version,
        journal: &Journal,
    ) -> Result<Option<SessionView>, Failure> {
        let known = self
            .open
            .read()
            .get(&id)
            .filter(|entry| entry.version >= version)
            .map(|entry| Arc::clone(&entry.session));
        match known {
            Some(session) => Ok(Some(self.view(&session))),
            None => Ok(journal.session(id).await?.map(|(session, _)| self.view(&session))),
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
                    format!("`{}` could be any of {} agents", shown(typed), ids.len()),
                )
                .hint("type one more character")
                .candidates(candidates.collect()));
            }
            Resolution::None => {}
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
                        format!("`{}` could be any of several closed agents", shown(typed)),
                    )
                    .hint("type more of the id")
                    .candidates(candidates));
                }
            }
        }
        Err(self.unknown(typed))
    }

    fn unknown(&self, typed: &str) -> Failure {
        let mut open = self.all();
        open.sort_by_key(|session| std::cmp::Reverse(session.updated_at));
        let candidates: Vec<Candidate> =
            open.iter().take(CANDIDATES).map(|session| self.candidate(session)).collect();
        let hint = match (candidates.len(), open.len()) {
            (0, _) => "no agent is open; start one with `paseo run`".to_owned(),
            (listed, all) if listed < all => {
                format!("these are the newest of {all} open agents; `paseo ls -g` lists more")
            }
            _ => "these agents are open".to_owned(),
        };
        Failure::new(Code::NotFound, format!("no agent matches `{}`", shown(typed)))
            .hint(hint)
            .candidates(candidates)
    }

    fn candidate(&self, session: &Session) -> Candidate {
        Candidate {
            handle: self.handle(session.id),
            id: session.id.to_string(),
            name: session.naming.shown().map(str::to_owned),
            status: session.condition.status.word().to_owned(),
        }
    }
}

fn shown(typed: &str) -> String {
    typed.chars().take(60).flat_map(char::escape_debug).collect()
}
