//! How one batch is checked, and what is then to be written.

use std::collections::HashSet;
use std::sync::Arc;

use rusqlite::Connection;
use uuid::Uuid;

use super::heads::{self, Cache, Entry, Unfolded};
use super::submission::Submission;
use super::{content, files};
use crate::batch::{Erasure, Expect, NewItem};
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

/// A batch that passed every check, with all that is to be written.
pub(super) struct Plan {
    pub(super) ts: i64,
    pub(super) last: Seq,
    pub(super) drafts: Vec<Draft>,
    /// Control events, each with the place of its stream in `drafts`.
    pub(super) controls: Vec<(usize, Record)>,
    /// Items, each with the place of its stream in `drafts` and its ordinal.
    pub(super) items: Vec<(usize, u64, NewItem)>,
    pub(super) versions: Vec<Version>,
}

/// A stream as the batch leaves it.
pub(super) struct Draft {
    pub(super) name: Arc<str>,
    pub(super) head: Entry,
    pub(super) changed: bool,
    /// The head is written with the batch: the one before it may know what is erased.
    pub(super) at_once: bool,
}

/// The streams that a batch touches, each loaded once.
pub(super) struct Drafts<'a> {
    heads: &'a mut Cache,
    connection: &'a Connection,
    fold: &'a dyn Fold,
    list: Vec<Draft>,
}

impl<'a> Drafts<'a> {
    pub(super) fn new(heads: &'a mut Cache, connection: &'a Connection, fold: &'a dyn Fold) -> Self {
        Self { heads, connection, fold, list: Vec::new() }
    }

    /// Puts back the heads that are as they were, because the batch was refused. The others are read again.
    pub(super) fn put_back(self) {
        for draft in self.list.into_iter().filter(|draft| !draft.changed) {
            self.heads.put(draft.name, draft.head);
        }
    }

    fn get(&mut self, name: &str) -> rusqlite::Result<(usize, &mut Draft)> {
        // A batch names a few streams.
        let place = match self.list.iter().position(|draft| &*draft.name == name) {
            Some(place) => place,
            None => {
                let (name, head) = self.heads.take(self.connection, self.fold, name)?;
                self.list.push(Draft { name, head, changed: false, at_once: false });
                self.list.len() - 1
            }
        };
        Ok((place, &mut self.list[place]))
    }
}

/// Gives a batch its numbers and folds its events; `last` is the newest event that there is.
pub(super) fn plan(
    drafts: &mut Drafts<'_>,
    submission: &mut Submission,
    mut last: Seq,
    now: i64,
) -> Result<Plan, Failure> {
    let fold = drafts.fold;
    let mut ts = now;
    for append in submission.streams.iter().filter(|append| !append.events.is_empty()) {
        ts = ts.max(drafts.get(&append.stream)?.1.head.ts);
    }
    for item in &submission.items {
        ts = ts.max(drafts.get(&item.stream)?.1.head.ts);
    }
    if let Some(Erasure::Stream { stream }) = &submission.erase {
        let (connection, fold) = (drafts.connection, drafts.fold);
        forget_data(fold, connection, drafts.get(stream)?.1)?;
    }

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
            // It is not to be put back, should the fold refuse it.
            draft.changed = true;
            let mut memory = draft.head.memory.take();
            let advanced = fold
                .fold_on(&draft.name, draft.head.prior(), &mut memory, &records)
                .map_err(|reason| Failure::Refused(Error::Invalid(reason)))?;
            draft.head.advance(advanced, memory, records.len() as u64);
            draft.head.ts = ts;
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
    Ok(Plan { ts, last, drafts: std::mem::take(&mut drafts.list), controls, items, versions })
}

fn check_version(stream: &str, expect: Expect, actual: Version) -> Result<(), Failure> {
    match expect {
        Expect::Version(expected) if expected != actual => {
            Err(Failure::Refused(Error::Conflict { stream: stream.to_owned(), expected, actual }))
        }
        Expect::Version(_) | Expect::Any => Ok(()),
    }
}

/// Checks that new texts are new, that files are free, and that items point at texts.
pub(super) fn check_contents(connection: &Connection, submission: &Submission) -> Result<(), Failure> {
    let refused = |text: String| Err(Failure::Refused(Error::Invalid(text)));
    for packed in &submission.contents {
        if content::exists(connection, packed.id)? {
            return refused(format!("content {} is already stored", packed.id));
        }
    }
    for claim in &submission.claims {
        if !files::is_free(connection, claim.file)? {
            return Err(Failure::Refused(files::not_free(claim.file)));
        }
    }
    let brought: HashSet<Uuid> = submission.contents.iter().map(|packed| packed.id).collect();
    for id in submission.items.iter().filter_map(|item| item.content) {
        if !brought.contains(&id) && !content::exists(connection, id)? {
            return refused(format!("an item refers to content {id}, which is not stored"));
        }
    }
    Ok(())
}

/// Folds a stream again without its data, so that its head forgets what its events forget.
fn forget_data(fold: &dyn Fold, connection: &Connection, draft: &mut Draft) -> Result<(), Failure> {
    let Some(stream) = draft.head.stream else { return Ok(()) };
    if let Some(folded) = heads::replay(connection, fold, &draft.name, stream, |record| record.data = None)? {
        draft.head.advance(folded.into(), None, 0);
        (draft.changed, draft.at_once) = (true, true);
    }
    Ok(())
}
