//! A batch on its way to the writer.

use tokio::task::spawn_blocking;

use super::content::{self, Packed};
use super::keys;
use crate::batch::{Batch, Erasure, Fence, IdempotencyKey, NewContent, NewItem, StreamAppend};
use crate::error::{Error, Result};
use crate::file::Claim;
use crate::limits;

/// A batch that passed the checks that need no database, with its texts packed.
pub(super) struct Submission {
    pub(super) actor: String,
    pub(super) streams: Vec<StreamAppend>,
    pub(super) items: Vec<NewItem>,
    pub(super) contents: Vec<Packed>,
    pub(super) claims: Vec<Claim>,
    /// The key, and what it is found by.
    pub(super) key: Option<(IdempotencyKey, i64)>,
    pub(super) fence: Option<Fence>,
    pub(super) erase: Option<Erasure>,
}

/// Does all the work that the writer thread need not do.
pub(super) async fn prepare(batch: Batch) -> Result<Submission> {
    limits::check(&batch)?;
    let Batch { actor, streams, items, contents, claims, key, fence, erase } = batch;
    let contents = if contents.iter().any(content::is_large) {
        spawn_blocking(|| pack(contents))
            .await
            .map_err(|failure| Error::Unavailable(format!("cannot pack the texts: {failure}")))??
    } else {
        pack(contents)?
    };
    let key = key.map(|key| {
        let hash = keys::hash(&key.scope, &key.key);
        (key, hash)
    });
    Ok(Submission { actor, streams, items, contents, claims, key, fence, erase })
}

fn pack(contents: Vec<NewContent>) -> Result<Vec<Packed>> {
    contents.into_iter().map(content::pack).collect()
}
