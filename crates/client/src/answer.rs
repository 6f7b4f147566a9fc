//! Answers: what an agent said at the end of a turn.

use paseo_core::item::{Entry, Kind, Place, answer};
use paseo_wire::item::{ItemPage, ItemQuery, ItemView};
use serde_json::{Value, json};

use crate::{Client, Error};

/// Returns an item's kind, when this version knows it.
pub fn kind_of(item: &ItemView) -> Option<Kind> {
    let mut fields = item.fields.clone();
    fields.insert("kind".to_owned(), json!(item.kind));
    serde_json::from_value(Value::Object(fields)).ok()
}

/// Returns an item as far as it counts for an answer, when this version knows its kind.
fn entry_of(item: &ItemView) -> Option<Entry> {
    let place = Place { superseded: item.superseded, ..Place::default() };
    Some(Entry { place, kind: kind_of(item)? })
}

impl Client {
    /// Returns the answer of a turn, `None` when nothing was said.
    pub async fn answer(&self, session: &str, turn: &str) -> Result<Option<String>, Error> {
        let mut tail = Tail::default();
        let mut backwards = Backwards::new(self, session);
        'pages: while let Some(page) = backwards.next().await? {
            for item in page.into_iter().rev() {
                let ours = item.turn.as_deref() == Some(turn);
                // Before our turn others may have been, after it others may have begun; notices stand outside.
                let before = !ours && item.turn.is_some() && !tail.is_empty();
                if before || (ours && tail.push(item)) {
                    break 'pages;
                }
            }
        }
        tail.answer(self, session).await
    }

    /// Returns the whole text of an item, also of one whose view holds only beginning and end.
    pub async fn full_text(&self, session: &str, item: &ItemView) -> Result<String, Error> {
        match item.full_length {
            Some(_) => self.item_text(session, item.ordinal).await,
            None => Ok(item.text.clone().unwrap_or_default()),
        }
    }
}

/// A transcript, page by page, from its end.
struct Backwards<'a> {
    client: &'a Client,
    session: &'a str,
    before: Option<u64>,
    finished: bool,
}

impl<'a> Backwards<'a> {
    fn new(client: &'a Client, session: &'a str) -> Self {
        Self { client, session, before: None, finished: false }
    }

    async fn next(&mut self) -> Result<Option<Vec<ItemView>>, Error> {
        if self.finished {
            return Ok(None);
        }
        let asked = ItemQuery { before: self.before, limit: Some(100), ..ItemQuery::default() };
        let ItemPage { items, earlier, .. } = self.client.items(self.session, &asked).await?;
        self.before = earlier;
        self.finished = earlier.is_none();
        Ok(Some(items))
    }
}

/// The end of a turn, as much of it as its answer needs. Newest first.
#[derive(Default)]
struct Tail {
    items: Vec<(Entry, ItemView)>,
    said: bool,
}

impl Tail {
    /// Takes the item before. True when no older one can change the answer.
    fn push(&mut self, item: ItemView) -> bool {
        let Some(entry) = entry_of(&item) else { return false };
        let complete = match &entry.kind {
            _ if entry.place.superseded => false,
            Kind::AssistantText => {
                self.said |= item.text.as_deref().is_some_and(|text| !text.is_empty());
                false
            }
            Kind::ToolCall { .. } | Kind::ToolResult { .. } => self.said,
            _ => false,
        };
        self.items.push((entry, item));
        complete
    }

    fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    async fn answer(self, client: &Client, session: &str) -> Result<Option<String>, Error> {
        let mut texts = Vec::new();
        for (entry, item) in self.items.iter().rev() {
            let text = match &entry.kind {
                Kind::AssistantText if !entry.place.superseded => client.full_text(session, item).await?,
                _ => String::new(),
            };
            texts.push((entry, text));
        }
        Ok(answer(texts.iter().map(|(entry, text)| (*entry, text.as_str()))))
    }
}
