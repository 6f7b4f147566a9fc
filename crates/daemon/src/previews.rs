//! Previews of the transcripts of open sessions, in memory: each is read from the log once, when it is first wanted, and kept
//! up to date by the owner of its session. So a list of any length reads nothing.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_core::id::SessionId;
use paseo_core::item::Entry;
use paseo_core::preview::{self, Preview};
use paseo_core::session::{self, Session};
use paseo_store::{Batch, ItemRow, Seq, Text};

use crate::failure::Failure;
use crate::journal::Journal;
use crate::sessions::Context;

/// Items that are read at once when a preview is made: at first, and then.
const FIRST: usize = 16;
const MORE: usize = 128;
/// How far back it is looked for the agent's last words.
const REACH: usize = 2_000;

/// The previews by session. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Previews {
    known: Arc<Mutex<HashMap<SessionId, Kept>>>,
}

/// What is known of one transcript.
#[derive(Default)]
struct Kept {
    /// The newest change that was taken in.
    seq: Seq,
    /// `None`: it was not read from the log yet.
    preview: Option<Arc<Preview>>,
}

/// What a batch does to a preview, until it is stored.
pub(crate) enum Next {
    /// Nothing that a preview shows.
    Same,
    Changed(Option<Arc<Preview>>),
}

impl Next {
    /// The preview of a transcript that is empty.
    pub(crate) fn empty() -> Self {
        Self::Changed(Some(Arc::default()))
    }
}

impl Previews {
    /// Returns what a batch makes of a session's preview. Only the owner of the session asks, one batch after the other.
    pub(crate) fn after(&self, id: SessionId, batch: &Batch) -> Next {
        let stream = session::stream(id);
        let mut items = batch
            .items
            .iter()
            .filter(|item| item.stream == stream && preview::concerns(&item.kind))
            .peekable();
        if items.peek().is_none() {
            return Next::Same;
        }
        let Some(known) = self.get(id) else { return Next::Changed(None) };
        let mut changed = (*known).clone();
        for item in items {
            let Ok(entry) = serde_json::from_str::<Entry>(&item.data) else { continue };
            let content = item.content.and_then(|id| batch.contents.iter().find(|content| content.id == id));
            let (text, extra) =
                content.map_or(("", None), |content| (content.text.as_str(), content.extra.as_deref()));
            changed.take(&entry, text, extra);
        }
        Next::Changed(Some(Arc::new(changed)))
    }

    /// Takes in what a stored batch made of a preview.
    pub(crate) fn put(&self, id: SessionId, seq: Seq, next: Next) {
        if let Next::Changed(preview) = next {
            self.known.lock().insert(id, Kept { seq, preview });
        }
    }

    /// Forgets a session: it is closed or deleted.
    pub(crate) fn forget(&self, id: SessionId) {
        self.known.lock().remove(&id);
    }

    /// Says whether a change of a transcript was taken in.
    pub(crate) fn has_taken_in(&self, id: SessionId, seq: Seq) -> bool {
        self.known.lock().get(&id).is_some_and(|kept| kept.seq >= seq)
    }

    fn get(&self, id: SessionId) -> Option<Arc<Preview>> {
        self.known.lock().get(&id)?.preview.clone()
    }

    /// Returns the preview of an open session, from the log on the first request.
    async fn of(&self, journal: &Journal, session: &Session) -> Result<Arc<Preview>, Failure> {
        loop {
            let before = match self.known.lock().get(&session.id) {
                Some(Kept { preview: Some(preview), .. }) => return Ok(Arc::clone(preview)),
                kept => kept.map_or(0, |kept| kept.seq),
            };
            let preview = Arc::new(read(journal, session).await?);
            let mut known = self.known.lock();
            let kept = known.entry(session.id).or_default();
            // What was stored meanwhile may not be in what was read. What is in it already can be taken in once more.
            if kept.seq == before {
                kept.preview = Some(Arc::clone(&preview));
                return Ok(preview);
            }
        }
    }
}

impl Context {
    /// Returns the preview of a session's transcript; an empty one for a session that is closed.
    pub(crate) async fn preview(&self, session: &Session) -> Arc<Preview> {
        if self.directory.get(session.id).is_none() {
            return Arc::default();
        }
        self.previews.of(&self.journal, session).await.unwrap_or_else(|failure| {
            tracing::error!(session = %session.id, error = %failure.message, "cannot read a preview");
            Arc::default()
        })
    }
}

/// Reads the end of a transcript, back to the agent's last words and to the beginning of a turn that is under way.
pub(crate) async fn read(journal: &Journal, session: &Session) -> Result<Preview, Failure> {
    let (stream, mut before) = (session::stream(session.id), None);
    let current = session.turn.as_ref().map(|turn| turn.id);
    let mut newest_first: Vec<(Entry, String, Option<String>)> = Vec::new();
    let (mut said, mut whole_turn) = (false, current.is_none());
    let (mut seen, mut wanted) = (0, FIRST);
    while seen < REACH && !(said && whole_turn) {
        let rows = journal.log.items_before(&stream, before, wanted).await?;
        let at_start = rows.len() < wanted;
        (before, seen, wanted) = (rows.first().map(|row| row.ordinal), seen + rows.len(), MORE);
        for row in rows.into_iter().rev() {
            let Some(entry) = row.data.as_deref().and_then(|data| serde_json::from_str::<Entry>(data).ok())
            else {
                continue;
            };
            whole_turn |= entry.place.turn.is_some() && entry.place.turn != current;
            if preview::concerns(&row.kind) {
                let (text, extra) = words(row);
                said |= preview::is_said(&entry, &text);
                newest_first.push((entry, text, extra));
            }
        }
        if at_start {
            break;
        }
    }
    let mut preview = Preview::default();
    newest_first.iter().rev().for_each(|(entry, text, extra)| preview.take(entry, text, extra.as_deref()));
    // The list may stand further back, and is not cut there.
    preview.progress = match &session.todo {
        Some(list) => journal.log.text(list.id.uuid()).await?.as_deref().and_then(preview::progress),
        None => None,
    };
    Ok(preview)
}

fn words(row: ItemRow) -> (String, Option<String>) {
    let Some(content) = row.content else { return Default::default() };
    let text = match content.text {
        Text::Inline(text) | Text::Large { head: text, .. } => text,
        Text::Erased => String::new(),
    };
    (text, content.extra)
}

#[cfg(test)]
mod tests;
