//! What was said before, read from the log for a process that does not remember it.

use paseo_core::attachment::{self, Attached};
use paseo_core::cut::head_and_tail;
use paseo_core::envelope::{self, Sender};
use paseo_core::item::{COMPACTED, CompactionExtra, Entry, Kind};
use paseo_core::limits::{ATTACHMENTS_BYTES, PAGE_ROWS};
use paseo_core::session::{self, Session};
use paseo_runtime::provider::{Attachment, Past};
use paseo_store::{ItemRow, Text};
use paseo_wire::attachment::AttachmentView;

use super::Context;
use crate::attachments;
use crate::failure::Failure;

/// How much is told at most. A conversation that is kept short by its agent never has as much.
const BYTES: usize = 4 * 1024 * 1024;
/// How much is told of one result; its agent was told no more.
const RESULT_BYTES: usize = 64 * 1024;
/// How many pages are read at most.
const PAGES: usize = 40;

/// What is read backwards, and where that ends.
#[derive(Default)]
struct Reading {
    /// The newest first.
    found: Vec<Past>,
    bytes: usize,
    /// A summary, and where what is kept word for word begins.
    summary: Option<(Past, CompactionExtra)>,
    /// Nothing older is told.
    over: bool,
}

impl Context {
    /// Returns what was said before, oldest first: all of it, or a summary and what came after.
    pub(super) async fn past(&self, session: &Session) -> Result<Vec<Past>, Failure> {
        let (stream, log) = (session::stream(session.id), &self.journal.log);
        let mut reading = Reading::default();
        let mut room = ATTACHMENTS_BYTES;
        let mut before = None;
        for _ in 0..PAGES {
            let rows = log.items_before(&stream, before, PAGE_ROWS).await?;
            let last = rows.len() < PAGE_ROWS;
            before = rows.first().map(|row| row.ordinal);
            for row in rows.into_iter().rev() {
                if reading.over {
                    break;
                }
                if let Some((past, extra)) = self.said(row, &mut room).await? {
                    reading.take(past, extra);
                }
            }
            if last || reading.over || before.is_none() {
                break;
            }
        }
        Ok(reading.finish())
    }

    /// Returns what an item says, if it belongs to the conversation. Files are told again while there is room for them.
    async fn said(
        &self,
        row: ItemRow,
        room: &mut u64,
    ) -> Result<Option<(Past, Option<CompactionExtra>)>, Failure> {
        let entry = row.data.as_deref().and_then(|data| serde_json::from_str::<Entry>(data).ok());
        let entry = entry.filter(|entry| belongs(&entry.kind) && !entry.place.superseded);
        let Some(Entry { place, kind }) = entry else { return Ok(None) };
        let Some(content) = row.content else {
            // A call that was never answered has a result without text.
            let (turn, text, attachments) = (place.turn, String::new(), Vec::new());
            return Ok(Some((Past { turn, kind, text, kept: None, attachments }, None)));
        };
        let listed = attachments::listed(content.extra.as_deref());
        let extra = content.extra.as_deref().and_then(|extra| serde_json::from_str(extra).ok());
        let text = match content.text {
            Text::Inline(text) => text,
            Text::Large { .. } => self.journal.log.text(content.id).await?.unwrap_or_default(),
            Text::Erased => return Ok(None),
        };
        let text = match &kind {
            Kind::UserText { origin, .. } => {
                let handle = origin.session().map(|sender| self.directory.handle(sender));
                envelope::wrap(Sender { origin, handle: handle.as_deref(), reply: false }, &text, false)
            }
            Kind::ToolResult { .. } => head_and_tail(&text, RESULT_BYTES).into_owned(),
            _ => text,
        };
        let (told, attachments) = match &kind {
            Kind::UserText { .. } if !listed.is_empty() => self.shown_again(&listed, room).await?,
            _ => (String::new(), Vec::new()),
        };
        Ok(Some((Past { turn: place.turn, kind, text: text + &told, kept: None, attachments }, extra)))
    }
}

impl Context {
    /// Reads the files of a message as far as there is room, and names the others.
    async fn shown_again(
        &self,
        listed: &[AttachmentView],
        room: &mut u64,
    ) -> Result<(String, Vec<Attachment>), Failure> {
        let (mut told, mut files) = (String::new(), Vec::new());
        for file in listed {
            let fits = room.checked_sub(file.size);
            match (fits, file.id.parse()) {
                (Some(left), Ok(id)) => {
                    *room = left;
                    // The kind is read with the bytes.
                    files.extend(
                        self.read_attachments(&[Attached {
                            id,
                            kind: attachment::Kind::Text,
                            len: file.size,
                        }])
                        .await?,
                    );
                }
                _ => told.push_str(&format!("\n\n[{} was attached here and is not repeated]", file.name)),
            }
        }
        Ok((told, files))
    }
}

fn belongs(kind: &Kind) -> bool {
    match kind {
        Kind::UserText { .. } | Kind::AssistantText | Kind::ToolCall { .. } | Kind::ToolResult { .. } => true,
        Kind::Notice { code } => code == COMPACTED,
        Kind::Thinking
        | Kind::Permission { .. }
        | Kind::Todo
        | Kind::Usage(_)
        | Kind::Error { .. }
        | Kind::Raw { .. } => false,
    }
}

impl Reading {
    /// Takes in what was said before all that was taken in so far.
    fn take(&mut self, past: Past, extra: Option<CompactionExtra>) {
        if let Kind::Notice { .. } = past.kind {
            // An older summary went into the newer one.
            if self.summary.is_none() {
                let kept = extra.unwrap_or(CompactionExtra { kept_turn: None, kept_after: 0 });
                self.over = kept.kept_turn.is_none();
                self.bytes += past.text.len();
                self.summary = Some((past, kept));
            }
            return;
        }
        if let Some((_, kept)) = &self.summary {
            let is_kept_turn = past.turn == kept.kept_turn;
            // The turn where it begins was met, and is left again.
            if !is_kept_turn && self.found.last().is_some_and(|newer| newer.turn == kept.kept_turn) {
                self.over = true;
                return;
            }
        }
        self.bytes += past.text.len();
        if self.bytes > BYTES {
            self.over = true;
            return;
        }
        self.found.push(past);
    }

    /// Returns it all in its order.
    fn finish(self) -> Vec<Past> {
        let Self { mut found, summary, .. } = self;
        found.reverse();
        match summary {
            Some((notice, kept)) => {
                let mut own = 0;
                // What the turn said before it is in the summary.
                found.retain(|past| {
                    if past.turn != kept.kept_turn || own >= kept.kept_after {
                        return true;
                    }
                    own += usize::from(!matches!(past.kind, Kind::UserText { .. }));
                    false
                });
                found.insert(0, Past { kept: Some(kept), ..notice });
                found
            }
            None => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use paseo_core::actor::Actor;
    use paseo_core::id::{DeliveryId, TurnId};
    use paseo_core::time::Timestamp;

    use super::*;

    fn turn(number: u8) -> Option<TurnId> {
        Some(TurnId::from_parts(Timestamp::from_millis(1), [number; 10]))
    }

    fn said(number: u8, text: &str) -> (Past, Option<CompactionExtra>) {
        let kind = if let Some(text) = text.strip_prefix("user") {
            let delivery = DeliveryId::from_parts(Timestamp::from_millis(1), [text.len() as u8; 10]);
            Kind::UserText { origin: Actor::Human("cli".into()), delivery }
        } else {
            Kind::AssistantText
        };
        let (text, attachments) = (text.to_owned(), Vec::new());
        (Past { turn: turn(number), kind, text, kept: None, attachments }, None)
    }

    fn summary(of: u8, kept: Option<(u8, usize)>) -> (Past, Option<CompactionExtra>) {
        let past = Past {
            turn: turn(of),
            kind: Kind::Notice { code: COMPACTED.into() },
            text: "summary".to_owned(),
            kept: None,
            attachments: Vec::new(),
        };
        let extra = kept.map(|(kept, after)| CompactionExtra { kept_turn: turn(kept), kept_after: after });
        (past, extra)
    }

    /// Reads a transcript that is given oldest first.
    fn read(items: Vec<(Past, Option<CompactionExtra>)>) -> Vec<String> {
        told(items).into_iter().map(|past| past.text).collect()
    }

    fn told(items: Vec<(Past, Option<CompactionExtra>)>) -> Vec<Past> {
        let mut reading = Reading::default();
        for (past, extra) in items.into_iter().rev() {
            if !reading.over {
                reading.take(past, extra);
            }
        }
        reading.finish()
    }

    #[test]
    fn without_a_summary_all_is_told() {
        assert_eq!(read(vec![said(1, "user 1"), said(1, "a"), said(2, "user 2")]), ["user 1", "a", "user 2"]);
    }

    #[test]
    fn a_summary_stands_for_what_is_before_what_it_keeps() {
        let items = vec![
            said(1, "user 1"),
            said(1, "a"),
            said(2, "user 2"),
            said(2, "b"),
            said(3, "user 3"),
            summary(3, Some((2, 0))),
            said(3, "c"),
        ];
        assert_eq!(read(items), ["summary", "user 2", "b", "user 3", "c"]);
    }

    #[test]
    fn a_turn_may_be_kept_from_its_middle_on() {
        let items = vec![
            said(1, "user 1"),
            said(1, "a"),
            said(1, "b"),
            said(1, "user steers"),
            said(1, "c"),
            summary(1, Some((1, 2))),
            said(1, "d"),
        ];
        // A repeated summary has to know where in the turn it begins.
        let kept = CompactionExtra { kept_turn: turn(1), kept_after: 2 };
        assert_eq!(told(items.clone())[0].kept, Some(kept));
        assert_eq!(read(items), ["summary", "user steers", "c", "d"]);
    }

    #[test]
    fn the_newest_summary_counts() {
        let items = vec![
            said(1, "user 1"),
            summary(1, None),
            said(1, "a"),
            said(2, "user 2"),
            summary(2, Some((2, 0))),
            said(2, "b"),
        ];
        assert_eq!(read(items), ["summary", "user 2", "b"]);
        assert_eq!(
            read(vec![said(1, "user 1"), said(1, "a"), summary(1, None), said(1, "b")]),
            ["summary", "b"]
        );
    }

    #[test]
    fn what_is_too_much_is_left_out_from_the_beginning() {
        let long = "x".repeat(BYTES / 2);
        let items = vec![said(1, &long), said(1, &long), said(2, "user 2"), said(2, "b")];
        assert_eq!(read(items).len(), 3);
    }
}
