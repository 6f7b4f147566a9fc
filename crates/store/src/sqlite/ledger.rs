//! What the writer remembers between transactions, and how one batch is checked and written.

use std::collections::HashSet;
use std::sync::Arc;

use rusqlite::Connection;
use uuid::Uuid;

use super::heads::{self, Cache, Entry, Unfolded};
use super::index::{self, Filled};
use super::keys::{Found, Recent, Wanted};
use super::prepared::Prepared;
use super::recent::Fresh;
use super::rows::{self, Numbers};
use super::submission::Submission;
use super::{content, erase};
use crate::batch::{Appended, Erasure, Expect, NewItem};
use crate::error::Error;
use crate::log::Fold;
use crate::record::{Body, Record, Seq, Version};

/// Why a batch was not written.
pub(super) enum Failure {
    /// The batch is at fault; nothing of it was written, and its neighbours may go on.
    Refused(Error),
    /// The database is at fault; the transaction must be rolled back.
    Broken(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(failure: rusqlite::Error) -> Self {
        Self::Broken(failure)
    }
}

impl From<Unfolded> for Failure {
    fn from(unfolded: Unfolded) -> Self {
        match unfolded {
            Unfolded::Broken(failure) => Self::Broken(failure),
            Unfolded::Refused(reason) => Self::Refused(Error::Invalid(reason)),
        }
    }
}

/// The writer's memory. Valid as long as nobody else writes, which [`Ledger::refresh`] checks.
pub(super) struct Ledger {
    fold: Arc<dyn Fold>,
    heads: Cache,
    last: Seq,
    filled: Filled,
    keys: Recent,
    /// What the transaction under way brings.
    fresh: Fresh,
    /// Changes when another connection has committed.
    data_version: Option<i64>,
}

/// A batch that passed every check, with all that is to be written.
struct Plan {
    ts: i64,
    last: Seq,
    drafts: Vec<Draft>,
    /// Control events, each with the place of its stream in `drafts`.
    controls: Vec<(usize, Record)>,
    /// Items, each with the place of its stream in `drafts` and its ordinal.
    items: Vec<(usize, u64, NewItem)>,
    versions: Vec<Version>,
}

/// A stream as the batch leaves it.
struct Draft {
    name: Arc<str>,
    head: Entry,
    changed: bool,
}

impl Ledger {
    /// Makes an empty memory.
    pub(super) fn new(fold: Arc<dyn Fold>) -> Self {
        Self {
            fold,
            heads: Cache::default(),
            last: 0,
            filled: Filled::default(),
            keys: Recent::default(),
            fresh: Fresh::default(),
            data_version: None,
        }
    }

    /// Takes what the transaction brought, once it is committed.
    pub(super) fn take_fresh(&mut self) -> Fresh {
        std::mem::take(&mut self.fresh)
    }

    /// Returns the sequence number of the last event.
    pub(super) fn last(&self) -> Seq {
        self.last
    }

    /// Drops what is remembered, because it was not committed.
    pub(super) fn forget(&mut self) {
        self.heads.clear();
        self.fresh = Fresh::default();
        self.data_version = None;
    }

    /// Makes sure, inside a transaction, that the memory is what the database says.
    pub(super) fn refresh(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let data_version =
            connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get::<_, i64>(0))?;
        if self.data_version != Some(data_version) {
            self.heads.clear();
            self.last = heads::last_seq(connection)?;
            self.filled = index::filled(connection)?;
            self.keys = Recent::load(connection, self.filled)?;
            self.data_version = Some(data_version);
        }
        Ok(())
    }

    /// Checks a batch completely, then writes it.
    pub(super) fn append(
        &mut self,
        prepared: &mut Prepared<'_>,
        mut submission: Submission,
        now: i64,
    ) -> Result<Appended, Failure> {
        let connection = prepared.connection;
        if let Some((key, hash)) = &submission.key {
            let wanted = Wanted { scope: &key.scope, key: &key.key, hash: *hash, body: &key.body };
            match self.keys.find(connection, &mut prepared.find_key, wanted, now)? {
                Found::Nothing => {}
                Found::Receipt(receipt) => return Ok(Appended::Repeat { receipt }),
                Found::Reused => return Err(Failure::Refused(Error::KeyReused { key: key.key.clone() })),
            }
        }
        let plan = self.check(connection, &mut submission, now)?;
        self.write(prepared, submission, plan, now)
    }

    /// Does what is due now and then: removes expired keys, fills the indexes.
    pub(super) fn maintain(&mut self, connection: &Connection, now: i64) -> rusqlite::Result<()> {
        self.keys.purge(connection, now)?;
        if (self.last - self.filled.event).max(self.keys.waiting()) >= index::WAITING {
            self.fill(connection)?;
        }
        Ok(())
    }

    fn fill(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.filled = index::fill(connection)?;
        self.keys.indexed();
        Ok(())
    }

    /// Builds all heads again.
    pub(super) fn rebuild_heads(&mut self, connection: &Connection) -> Result<(), Unfolded> {
        // What it remembers is read again with the next batch.
        self.forget();
        heads::rebuild(connection, &*self.fold)
    }

    fn check(
        &mut self,
        connection: &Connection,
        submission: &mut Submission,
        now: i64,
    ) -> Result<Plan, Failure> {
        self.check_fence(connection, submission)?;
        check_contents(connection, submission)?;

        let mut drafts = Drafts { heads: &mut self.heads, connection, list: Vec::new() };
        let mut ts = now;
        for append in submission.streams.iter().filter(|append| !append.events.is_empty()) {
            ts = ts.max(drafts.get(&append.stream)?.1.head.ts);
        }
        for item in &submission.items {
            ts = ts.max(drafts.get(&item.stream)?.1.head.ts);
        }
        if let Some(Erasure::Stream { stream }) = &submission.erase {
            forget_data(&*self.fold, connection, drafts.get(stream)?.1)?;
        }

        let mut last = self.last;
        let mut controls = Vec::new();
        let mut versions = Vec::with_capacity(submission.streams.len());
        for append in submission.streams.drain(..) {
            let (place, draft) = drafts.get(&append.stream)?;
            check_version(&append.stream, append.expect, draft.head.version)?;
            let version = draft.head.version;
            let records: Vec<Record> = (1..)
                .zip(append.events)
                .map(|(n, event)| Record {
                    seq: last + n,
                    stream: draft.name.clone(),
                    id: event.id,
                    ts,
                    actor: submission.actor.clone(),
                    kind: event.kind,
                    v: event.v,
                    data: Some(event.data),
                    body: Body::Control { version: version + n },
                })
                .collect();
            if !records.is_empty() {
                let mut memory = draft.head.memory.take();
                let folded = self
                    .fold
                    .fold_on(&draft.name, draft.head.prior(), &mut memory, &records)
                    .map_err(|reason| Failure::Refused(Error::Invalid(reason)))?;
                draft.head.advance(folded, records.len() as u64);
                draft.head.memory = memory;
                draft.head.ts = ts;
                draft.changed = true;
            }
            last += records.len() as Seq;
            versions.push(draft.head.version);
            controls.extend(records.into_iter().map(|record| (place, record)));
        }

        let mut items = Vec::with_capacity(submission.items.len());
        for item in submission.items.drain(..) {
            let (place, draft) = drafts.get(&item.stream)?;
            draft.head.items += 1;
            draft.head.ts = ts;
            draft.changed = true;
            last += 1;
            items.push((place, draft.head.items, item));
        }
        Ok(Plan { ts, last, drafts: drafts.list, controls, items, versions })
    }

    fn check_fence(&mut self, connection: &Connection, submission: &Submission) -> Result<(), Failure> {
        let Some(fence) = &submission.fence else { return Ok(()) };
        let actual = self.heads.load(connection, &fence.stream)?.1.epoch;
        if actual != fence.epoch {
            let stream = fence.stream.clone();
            return Err(Failure::Refused(Error::Fenced { stream, expected: fence.epoch, actual }));
        }
        Ok(())
    }

    fn write(
        &mut self,
        prepared: &mut Prepared<'_>,
        submission: Submission,
        mut plan: Plan,
        now: i64,
    ) -> Result<Appended, Failure> {
        let connection = prepared.connection;
        // First, so that what the batch itself brings stays.
        self.erase(connection, &submission)?;
        for draft in plan.drafts.iter_mut().filter(|draft| draft.changed) {
            let stream = match draft.head.stream {
                Some(stream) => stream,
                None => *draft.head.stream.insert(heads::intern(connection, &draft.name)?),
            };
            heads::store(connection, &mut prepared.update_head, &draft.name, stream, &mut draft.head)?;
            let head = std::mem::replace(&mut draft.head, Entry::numbered(stream));
            self.heads.put(draft.name.clone(), head);
        }
        for packed in submission.contents {
            let owner = self.intern(connection, &packed.owner)?;
            content::insert(connection, &packed, owner)?;
            self.fresh.content(packed.into_row());
        }
        let mut seq = self.last;
        for (place, record) in plan.controls {
            seq += 1;
            rows::insert_control(&mut prepared.insert_event, plan.drafts[place].head.stream, &record)?;
            self.fresh.event(record, None);
        }
        let ordinals = plan.items.iter().map(|(_, ordinal, _)| *ordinal).collect();
        for (place, ordinal, item) in plan.items {
            seq += 1;
            let Draft { name, head, .. } = &plan.drafts[place];
            let numbers = Numbers { seq, stream: head.stream, ordinal, ts: plan.ts };
            rows::insert_item(&mut prepared.insert_event, &numbers, &submission.actor, &item)?;
            let body = Body::Item { ordinal, content: None };
            let NewItem { id, kind, v, data, content, .. } = item;
            let (stream, actor) = (name.clone(), submission.actor.clone());
            let record = Record { seq, stream, id, ts: plan.ts, actor, kind, v, data: Some(data), body };
            self.fresh.event(record, content);
        }
        if let Some((key, hash)) = &submission.key {
            self.keys.insert(&mut prepared.insert_key, key, *hash, now)?;
        }
        self.last = plan.last;
        Ok(Appended::New { seq: plan.last, ts: plan.ts, versions: plan.versions, ordinals })
    }

    fn erase(&mut self, connection: &Connection, submission: &Submission) -> rusqlite::Result<()> {
        let Some(erasure) = &submission.erase else { return Ok(()) };
        self.fresh.erase();
        let (Erasure::Contents { stream: name, .. } | Erasure::Stream { stream: name }) = erasure;
        let Some(stream) = self.heads.load(connection, name)?.1.stream else { return Ok(()) };
        match erasure {
            Erasure::Contents { keep, .. } => erase::contents(connection, stream, keep),
            Erasure::Stream { .. } => {
                erase::contents(connection, stream, &[])?;
                self.fill(connection)?;
                erase::data(connection, stream)
            }
        }
    }

    fn intern(&mut self, connection: &Connection, name: &str) -> rusqlite::Result<i64> {
        let (name, mut entry) = self.heads.load(connection, name)?;
        if let Some(stream) = entry.stream {
            return Ok(stream);
        }
        let stream = heads::intern(connection, &name)?;
        entry.stream = Some(stream);
        self.heads.put(name, entry);
        Ok(stream)
    }
}

/// The streams that a batch touches, each loaded once.
struct Drafts<'a> {
    heads: &'a mut Cache,
    connection: &'a Connection,
    list: Vec<Draft>,
}

impl Drafts<'_> {
    fn get(&mut self, name: &str) -> rusqlite::Result<(usize, &mut Draft)> {
        // A batch names a few streams.
        let place = match self.list.iter().position(|draft| &*draft.name == name) {
            Some(place) => place,
            None => {
                let memory = self.heads.take_memory(name);
                let (name, mut head) = self.heads.load(self.connection, name)?;
                head.memory = memory;
                self.list.push(Draft { name, head, changed: false });
                self.list.len() - 1
            }
        };
        Ok((place, &mut self.list[place]))
    }
}

fn check_version(stream: &str, expect: Expect, actual: Version) -> Result<(), Failure> {
    match expect {
        Expect::Version(expected) if expected != actual => {
            Err(Failure::Refused(Error::Conflict { stream: stream.to_owned(), expected, actual }))
        }
        Expect::Version(_) | Expect::Any => Ok(()),
    }
}

fn check_contents(connection: &Connection, submission: &Submission) -> Result<(), Failure> {
    let refused = |text: String| Err(Failure::Refused(Error::Invalid(text)));
    for packed in &submission.contents {
        if content::exists(connection, packed.id)? {
            return refused(format!("content {} is already stored", packed.id));
        }
    }
    let brought: HashSet<Uuid> = submission.contents.iter().map(|packed| packed.id).collect();
    for id in submission.items.iter().filter_map(|item| item.content) {
        if !brought.contains(&id) && !content::exists(connection, id)? {
            return refused(format!("an item points at content {id}, which is not stored"));
        }
    }
    Ok(())
}

/// Folds a stream again without its data, so that its head forgets what its events forget.
fn forget_data(fold: &dyn Fold, connection: &Connection, draft: &mut Draft) -> Result<(), Failure> {
    let Some(stream) = draft.head.stream else { return Ok(()) };
    if let Some(folded) = heads::replay(connection, fold, &draft.name, stream, |record| record.data = None)? {
        draft.head.advance(folded, 0);
        draft.changed = true;
    }
    Ok(())
}
