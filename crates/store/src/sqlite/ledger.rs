//! What the writer remembers between transactions, and how one batch is written.

use std::sync::Arc;

use rusqlite::Connection;

use super::heads::{self, Cache, Entry, Unfolded};
use super::index::{self, Filled};
use super::keys::{Found, Recent, Waiting, Wanted};
use super::plan::{Drafts, Failure, Plan, check_contents, plan};
use super::prepared::Prepared;
use super::recent::Fresh;
use super::rows::{self, Numbers};
use super::submission::Submission;
use super::{content, erase, files, words};
use crate::batch::{Appended, Erasure, NewItem};
use crate::error::Error;
use crate::log::Fold;
use crate::record::{Body, Record, Seq};

/// So many batches at once leave their heads to be written later.
const MANY: usize = 8;
/// After so many milliseconds the next batch writes them, should there be too few events until then.
const BEHIND: i64 = 100;

/// The writer's memory. Valid as long as no other process writes, which [`Ledger::refresh`] checks.
pub(super) struct Ledger {
    fold: Arc<dyn Fold>,
    heads: Cache,
    last: Seq,
    filled: Filled,
    keys: Recent,
    /// What the transaction under way brings.
    fresh: Fresh,
    /// Whether the group under way writes its heads later, and since when there are heads that wait.
    defers: bool,
    behind_since: i64,
    /// Changes when another connection has committed.
    data_version: Option<i64>,
}

impl Ledger {
    /// Makes an empty memory.
    pub(super) fn new(fold: Arc<dyn Fold>, keys: Arc<Waiting>) -> Self {
        Self {
            fold,
            heads: Cache::default(),
            last: 0,
            filled: Filled::default(),
            keys: Recent::new(keys),
            fresh: Fresh::default(),
            defers: false,
            behind_since: 0,
            data_version: None,
        }
    }

    /// Takes note that the transaction was committed, and returns what it brought.
    pub(super) fn committed(&mut self) -> Fresh {
        self.keys.committed();
        std::mem::take(&mut self.fresh)
    }

    /// Says whether the last group was one of many batches.
    pub(super) fn is_busy(&self) -> bool {
        self.defers
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
            self.heads.reload(connection)?;
            self.behind_since = 0;
            self.last = heads::last_seq(connection)?;
            self.filled = index::filled(connection)?;
            self.keys.load(connection, self.filled)?;
            self.data_version = Some(data_version);
        }
        Ok(())
    }

    /// Begins a group of batches. When they are many, the heads that they change are written later.
    pub(super) fn begin(
        &mut self,
        connection: &Connection,
        batches: usize,
        now: i64,
    ) -> rusqlite::Result<()> {
        self.fresh.expect(batches);
        self.defers = batches >= MANY;
        if self.defers && self.filled.heads.is_none() {
            index::mark_heads(connection, Some(self.last))?;
            self.filled.heads = Some(self.last);
            self.behind_since = now;
        }
        Ok(())
    }

    /// Checks a batch completely, then writes it.
    pub(super) fn append(
        &mut self,
        prepared: &mut Prepared<'_>,
        submission: &mut Submission,
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
        let plan = self.check(connection, submission, now)?;
        self.write(prepared, submission, plan, now)
    }

    /// Does what is due now and then: removes expired keys, writes the heads that are behind, fills the indexes.
    pub(super) fn maintain(&mut self, prepared: &mut Prepared<'_>, now: i64) -> rusqlite::Result<()> {
        let connection = prepared.connection;
        self.keys.purge(connection, now)?;
        if let Some(heads) = self.filled.heads
            && (self.last - heads >= index::WAITING || (now - self.behind_since).abs() >= BEHIND)
        {
            self.heads.catch_up(connection, &mut prepared.update_head, &*self.fold)?;
            self.filled.heads = None;
        }
        if self.last - self.filled.event >= index::WAITING {
            self.fill(connection)?;
        }
        if self.keys.waiting() >= index::KEYS_WAITING {
            self.filled = index::fill_keys(connection)?;
            self.keys.index();
        }
        Ok(())
    }

    /// Does what can be done while nothing comes.
    pub(super) fn rest(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.keys.learn(connection)
    }

    /// Says whether there are heads to be written yet, or more keys without their place than are quickly read again.
    pub(super) fn is_behind(&self) -> bool {
        self.filled.heads.is_some() || self.keys.waiting() >= index::KEYS_LEFT
    }

    /// Writes what is behind, because nothing will come any more.
    pub(super) fn finish(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.refresh(connection)?;
        if self.filled.heads.take().is_some() {
            self.heads.catch_up(connection, &mut connection.prepare_cached(heads::UPDATE)?, &*self.fold)?;
        }
        if self.keys.waiting() >= index::KEYS_LEFT {
            self.filled = index::fill_keys(connection)?;
            self.keys.index();
        }
        Ok(())
    }

    fn fill(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.filled = index::fill(connection)?;
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

        let mut drafts = Drafts::new(&mut self.heads, connection, &*self.fold);
        let plan = plan(&mut drafts, submission, self.last, now);
        if plan.is_err() {
            drafts.put_back();
        }
        plan
    }

    fn check_fence(&mut self, connection: &Connection, submission: &Submission) -> Result<(), Failure> {
        let Some(fence) = &submission.fence else { return Ok(()) };
        let actual = self.heads.look(connection, &*self.fold, &fence.stream, |head| head.epoch)?;
        if actual != fence.epoch {
            let stream = fence.stream.clone();
            return Err(Failure::Refused(Error::Fenced { stream, expected: fence.epoch, actual }));
        }
        Ok(())
    }

    fn write(
        &mut self,
        prepared: &mut Prepared<'_>,
        submission: &mut Submission,
        mut plan: Plan,
        now: i64,
    ) -> Result<Appended, Failure> {
        let connection = prepared.connection;
        // First, so that what the batch itself brings stays.
        self.erase(connection, submission)?;
        for draft in &mut plan.drafts {
            let stream = match draft.head.stream {
                Some(stream) => Some(stream),
                None if draft.changed => Some(heads::intern(connection, &draft.name)?),
                None => None,
            };
            let mut head = std::mem::replace(&mut draft.head, Entry::numbered(stream));
            head.stream = stream;
            if self.defers && head.can_wait() && !draft.at_once {
                if draft.changed {
                    self.heads.leave_behind(&draft.name, &mut head);
                }
            } else if let (Some(stream), true) = (stream, draft.changed) {
                let update = &mut prepared.update_head;
                heads::store(connection, update, &*self.fold, &draft.name, stream, &mut head)?;
            }
            self.heads.put(draft.name.clone(), head);
        }
        for packed in submission.contents.drain(..) {
            let owner = self.intern(connection, &packed.owner)?;
            content::insert(connection, &packed, owner)?;
            self.fresh.content(packed.into_row());
        }
        for claim in submission.claims.drain(..) {
            let owner = self.intern(connection, &claim.stream)?;
            files::claim(connection, claim.file, owner)?;
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
            let draft = &plan.drafts[place];
            let numbers = Numbers { seq, stream: draft.head.stream, ordinal, ts: plan.ts };
            rows::insert_item(&mut prepared.insert_event, &numbers, &submission.actor, &item)?;
            let body = Body::Item { ordinal, content: None };
            let NewItem { id, kind, v, data, content, .. } = item;
            let (stream, actor) = (draft.name.clone(), submission.actor.clone());
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
        let stream = self.heads.look(connection, &*self.fold, name, |head| head.stream)?;
        let Some(stream) = stream else { return Ok(()) };
        match erasure {
            Erasure::Contents { keep, .. } => {
                // The index learns which words to forget from the texts themselves.
                words::erase_contents(connection, stream, keep)?;
                erase::contents(connection, stream, keep)?;
                files::erase(connection, stream, keep)
            }
            Erasure::Stream { .. } => {
                words::erase_stream(connection, stream)?;
                erase::contents(connection, stream, &[])?;
                files::erase(connection, stream, &[])?;
                self.fill(connection)?;
                erase::data(connection, stream)
            }
        }
    }

    fn intern(&mut self, connection: &Connection, name: &str) -> rusqlite::Result<i64> {
        let (name, mut entry) = self.heads.take(connection, &*self.fold, name)?;
        let stream = match entry.stream {
            Some(stream) => stream,
            None => *entry.stream.insert(heads::intern(connection, &name)?),
        };
        self.heads.put(name, entry);
        Ok(stream)
    }
}
