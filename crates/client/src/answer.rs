//! Answers: what an agent said at the end of a turn.

use paseo_wire::item::{ItemPage, ItemQuery, ItemView};
use paseo_wire::words::ItemKind;

use crate::{Client, Error};

impl Client {
    /// Returns the answer of a turn, `None` when nothing was said.
    pub async fn answer(&self, session: &str, turn: &str) -> Result<Option<String>, Error> {
        let mut tail = Tail::default();
        let mut backwards = Backwards::new(self, session);
        'pages: while let Some(page) = backwards.next().await? {
            for item in page.into_iter().rev() {
                let ours = item.turn.as_deref() == Some(turn);
                // Before our turn others may have been, after it others may have begun; notices stand outside.
                let before = !ours && item.turn.is_some() && tail.begun;
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

/// The end of a turn, as much of it as its answer needs: see [`paseo_core::item::answer`].
#[derive(Default)]
struct Tail {
    begun: bool,
    /// Newest first.
    said: Vec<ItemView>,
}

impl Tail {
    /// Takes the item before. True when no older one can change the answer.
    fn push(&mut self, item: ItemView) -> bool {
        self.begun = true;
        match item.kind() {
            _ if item.superseded => false,
            ItemKind::AssistantText => {
                if item.text.as_deref().is_some_and(|text| !text.is_empty()) {
                    self.said.push(item);
                }
                false
            }
            ItemKind::ToolCall | ItemKind::ToolResult => !self.said.is_empty(),
            _ => false,
        }
    }

    async fn answer(self, client: &Client, session: &str) -> Result<Option<String>, Error> {
        let mut texts = Vec::new();
        for item in self.said.iter().rev() {
            texts.push(client.full_text(session, item).await?);
        }
        Ok((!texts.is_empty()).then(|| texts.join("\n")))
    }
}
