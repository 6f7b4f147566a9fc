//! The newest events, kept as they were committed, so that followers of the log need not ask the database for each.
//!
//! It holds what this process wrote, and only while no other process wrote in between and nothing was erased.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use uuid::Uuid;

use crate::record::{Body, ContentRow, Record, Seq, Text};

/// How many events and how many bytes of them are kept: a few groups of batches.
const EVENTS: usize = 1024;
const BYTES: usize = 1024 * 1024;

/// What a transaction brings.
#[derive(Default)]
pub(super) struct Fresh {
    events: Vec<Event>,
    contents: Vec<ContentRow>,
    erases: bool,
}

/// An event, with its content by name.
struct Event {
    record: Record,
    content: Option<Uuid>,
}

/// The newest events.
#[derive(Default)]
pub(super) struct Recent(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// All events after `floor`, without a gap.
    events: VecDeque<Event>,
    floor: Seq,
    /// Texts that came with these events, or just before them, and the order in which they came.
    contents: HashMap<Uuid, ContentRow>,
    arrivals: VecDeque<(Seq, Uuid)>,
    bytes: usize,
}

impl Fresh {
    /// Makes room for about so many events.
    pub(super) fn expect(&mut self, events: usize) {
        self.events.reserve(events);
    }

    pub(super) fn event(&mut self, record: Record, content: Option<Uuid>) {
        self.events.push(Event { record, content });
    }

    pub(super) fn content(&mut self, row: ContentRow) {
        self.contents.push(row);
    }

    /// Notes that text was erased, which nothing may remember.
    pub(super) fn erase(&mut self) {
        self.erases = true;
    }
}

impl Recent {
    /// Takes in what was committed; `last` is the newest event that there is.
    pub(super) fn take_in(&self, fresh: Fresh, last: Seq) {
        let mut kept = self.0.lock();
        let begin = last - fresh.events.len() as Seq;
        if fresh.erases {
            return kept.forget(last);
        }
        if kept.last() != begin {
            kept.forget(begin);
        }
        for row in fresh.contents {
            kept.bytes += size(&row);
            kept.arrivals.push_back((begin, row.id));
            kept.contents.insert(row.id, row);
        }
        for event in fresh.events {
            kept.bytes += event.record.data.as_ref().map_or(0, String::len);
            kept.events.push_back(event);
        }
        kept.trim();
    }

    /// Returns at most `limit` events after a point; `None` when the database has to be asked.
    pub(super) fn read(&self, after: Seq, limit: usize) -> Option<Vec<Record>> {
        let kept = self.0.lock();
        // What others wrote is not here, so that there is nothing more is for the database to say.
        if after < kept.floor || after >= kept.last() {
            return None;
        }
        let start = usize::try_from(after - kept.floor).ok()?;
        kept.events.range(start..).take(limit).map(|event| kept.whole(event)).collect()
    }
}

impl Kept {
    fn last(&self) -> Seq {
        self.floor + self.events.len() as Seq
    }

    fn forget(&mut self, floor: Seq) {
        *self = Self { floor, ..Self::default() };
    }

    fn trim(&mut self) {
        while self.events.len() > EVENTS || self.bytes > BYTES {
            if let Some(event) = self.events.pop_front() {
                self.bytes -= event.record.data.as_ref().map_or(0, String::len);
                self.floor += 1;
            }
            while self.arrivals.front().is_some_and(|(seq, _)| *seq < self.floor)
                && let Some((_, id)) = self.arrivals.pop_front()
            {
                self.bytes -= self.contents.remove(&id).map_or(0, |row| size(&row));
            }
            if self.events.is_empty() {
                return self.forget(self.floor);
            }
        }
    }

    /// Returns an event with its content, if that is here, too.
    fn whole(&self, event: &Event) -> Option<Record> {
        let mut record = event.record.clone();
        if let (Some(id), Body::Item { content, .. }) = (&event.content, &mut record.body) {
            *content = Some(self.contents.get(id)?.clone());
        }
        Some(record)
    }
}

fn size(row: &ContentRow) -> usize {
    let text = match &row.text {
        Text::Inline(text) => text.len(),
        Text::Large { head, tail } => head.len() + tail.len(),
        Text::Erased => 0,
    };
    text + row.extra.as_ref().map_or(0, String::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(fresh: &mut Fresh, seq: Seq, content: Option<Uuid>) {
        let body = match content {
            Some(_) => Body::Item { ordinal: 1, content: None },
            None => Body::Control { version: seq },
        };
        let (actor, kind, data) = ("a".to_owned(), "k".to_owned(), Some("{}".to_owned()));
        fresh.event(
            Record { seq, stream: "s".into(), id: Uuid::nil(), ts: 0, actor, kind, v: 1, data, body },
            content,
        );
    }

    fn committed(recent: &Recent, seqs: std::ops::RangeInclusive<Seq>) {
        let (mut fresh, last) = (Fresh::default(), *seqs.end());
        seqs.for_each(|seq| event(&mut fresh, seq, None));
        recent.take_in(fresh, last);
    }

    fn read(recent: &Recent, after: Seq, limit: usize) -> Option<Vec<Seq>> {
        Some(recent.read(after, limit)?.iter().map(|record| record.seq).collect())
    }

    #[test]
    fn pages_follow_each_other_and_the_end_is_for_the_database_to_say() {
        let recent = Recent::default();
        committed(&recent, 1..=3);
        committed(&recent, 4..=5);
        assert_eq!(read(&recent, 0, 2), Some(vec![1, 2]));
        assert_eq!(read(&recent, 2, 9), Some(vec![3, 4, 5]));
        assert_eq!(read(&recent, 5, 9), None);
    }

    #[test]
    fn what_others_wrote_in_between_is_not_skipped() {
        let recent = Recent::default();
        committed(&recent, 1..=2);
        committed(&recent, 4..=4);
        assert_eq!(read(&recent, 0, 9), None);
        assert_eq!(read(&recent, 2, 9), None);
        assert_eq!(read(&recent, 3, 9), Some(vec![4]));
    }

    #[test]
    fn an_item_has_its_text_also_when_that_came_before() {
        let recent = Recent::default();
        let (id, text) = (Uuid::from_u128(7), Text::Inline("hello".to_owned()));
        let mut fresh = Fresh::default();
        fresh.content(ContentRow { id, len: 5, sha256: [0; 32], text: text.clone(), extra: None });
        event(&mut fresh, 1, None);
        recent.take_in(fresh, 1);
        let mut fresh = Fresh::default();
        event(&mut fresh, 2, Some(id));
        event(&mut fresh, 3, Some(Uuid::from_u128(8)));
        recent.take_in(fresh, 3);

        let item = recent.read(1, 1).unwrap().remove(0);
        assert!(matches!(item.body, Body::Item { content: Some(row), .. } if row.text == text));
        assert!(recent.read(2, 1).is_none(), "that text is only in the database");
    }

    #[test]
    fn an_erasure_is_forgotten_with_all_that_was_before() {
        let recent = Recent::default();
        committed(&recent, 1..=3);
        let mut fresh = Fresh::default();
        fresh.erase();
        event(&mut fresh, 4, None);
        recent.take_in(fresh, 4);
        assert_eq!(read(&recent, 0, 9), None);
        committed(&recent, 5..=5);
        assert_eq!(read(&recent, 4, 9), Some(vec![5]));
    }

    #[test]
    fn only_the_newest_are_kept() {
        let recent = Recent::default();
        let count = EVENTS as Seq;
        committed(&recent, 1..=count + 5);
        assert_eq!(read(&recent, 4, 1), None);
        assert_eq!(read(&recent, 5, 1), Some(vec![6]));
        assert_eq!(read(&recent, count + 4, 9), Some(vec![count + 5]));
    }
}
