//! Where something is in a thread, by its id.

use paseo_core::codec;
use paseo_core::content::ContentRef;
use paseo_core::id::{PostId, ThreadId};
use paseo_core::limits::PAGE_ROWS;
use paseo_core::thread::Event;
use paseo_store::{Record, Version};
use paseo_wire::error::Code;

use super::Threads;
use super::coordinator::posted;
use crate::failure::Failure;

/// How many of the newest events are looked through first: most of what is looked for was just said.
const NEWEST: u64 = 16;

impl Threads {
    /// Returns the version of the event with an id. Ids are made when events are, so that their times lead to them.
    pub(crate) async fn place(&self, id: ThreadId, post: PostId) -> Result<Option<Version>, Failure> {
        let end = self.get(id).await?.version;
        let newest = end.saturating_sub(NEWEST);
        if let Some(place) = self.look(id, post, newest, NEWEST as usize).await? {
            return Ok(Some(place));
        }
        // No event is older than its id, and times never go back within a stream.
        let (mut low, mut high) = (0, newest);
        while low < high {
            let middle = low + (high - low) / 2;
            let records = self.events(id, middle, 1).await?;
            match records.first() {
                Some(record) if record.ts < post.made_at().as_millis() => low = middle + 1,
                _ => high = middle,
            }
        }
        while low < newest {
            if let Some(place) = self.look(id, post, low, PAGE_ROWS).await? {
                return Ok(Some(place));
            }
            low += PAGE_ROWS as u64;
        }
        Ok(None)
    }

    /// Finds what an id names that somebody typed: something in this thread.
    pub(crate) async fn said(&self, id: ThreadId, typed: &str) -> Result<(PostId, Version), Failure> {
        let refused = |code: Code, message: String| {
            Failure::new(code, message).hint("run `paseo thread tail THREAD --ids` to see the ids")
        };
        let post: PostId = typed
            .parse()
            .map_err(|_| refused(Code::InvalidRequest, format!("`{typed}` is not a message id")))?;
        let place = self.place(id, post).await?;
        let place = place
            .ok_or_else(|| refused(Code::NotFound, format!("message `{typed}` not found in this thread")))?;
        Ok((post, place))
    }

    /// Returns the text of a message, if what an id names is one.
    pub(crate) async fn post_text(&self, id: ThreadId, post: PostId) -> Result<Option<ContentRef>, Failure> {
        let Some(version) = self.place(id, post).await? else { return Ok(None) };
        let records = self.events(id, version - 1, 1).await?;
        Ok(records.first().and_then(posted).map(|posted| posted.text))
    }

    async fn look(
        &self,
        id: ThreadId,
        post: PostId,
        after: Version,
        limit: usize,
    ) -> Result<Option<Version>, Failure> {
        let records = self.events(id, after, limit).await?;
        let found = records.iter().position(|record| post_of(record) == Some(post));
        Ok(found.map(|found| after + 1 + found as u64))
    }
}

/// Returns the id of what people see of an event.
pub(crate) fn post_of(record: &Record) -> Option<PostId> {
    codec::decode::<Event>(&record.kind, record.v, record.data.as_deref()?).ok()??.post()
}
