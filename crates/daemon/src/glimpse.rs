//! What is seen of a session when one looks closer: its newest words and its list of what is to be done.

use paseo_core::id::SessionId;
use paseo_core::item::{Entry, Kind};
use paseo_core::session::{self, Session};
use paseo_core::snippet::words;
use paseo_core::todo::Todo;
use paseo_store::{ItemRow, Text};
use paseo_wire::session::TodoView;

use crate::failure::Failure;
use crate::journal::Journal;

/// Items that are looked at, at once.
const PAGE: usize = 50;

/// Returns the beginning of the newest words of any author.
pub(crate) async fn newest_words(journal: &Journal, id: SessionId) -> Result<Option<String>, Failure> {
    let (stream, mut before) = (session::stream(id), None);
    loop {
        let rows = journal.log.items_before(&stream, before, PAGE).await?;
        let spoken = rows.iter().rev().filter(|row| is_spoken(row));
        let words = spoken.filter_map(|row| match &row.content.as_ref()?.text {
            Text::Inline(text) | Text::Large { head: text, .. } => Some(words(text)),
            Text::Erased => None,
        });
        if let Some(words) = words.into_iter().find(|words| !words.is_empty()) {
            return Ok(Some(words));
        }
        if rows.len() < PAGE {
            return Ok(None);
        }
        before = rows.first().map(|row| row.ordinal);
    }
}

/// Says whether an item is a message or an answer. The text of a failed attempt is neither.
fn is_spoken(row: &ItemRow) -> bool {
    let entry = row.data.as_deref().and_then(|data| serde_json::from_str::<Entry>(data).ok());
    entry.is_some_and(|Entry { place, kind }| {
        !place.superseded && matches!(kind, Kind::UserText { .. } | Kind::AssistantText)
    })
}

/// Returns what an agent has set itself to do.
pub(crate) async fn todo(journal: &Journal, session: &Session) -> Result<Option<Vec<TodoView>>, Failure> {
    let Some(list) = &session.todo else { return Ok(None) };
    let Some(text) = journal.log.text(list.id.uuid()).await? else { return Ok(None) };
    let list: Vec<Todo> = serde_json::from_str(&text).map_err(Failure::internal)?;
    let shown = list.into_iter().map(|one| TodoView {
        content: one.content,
        status: one.status.into(),
        priority: one.priority.into(),
    });
    Ok(Some(shown.collect()))
}
