//! Erased text is gone.

use uuid::Uuid;

use super::Engine;
use super::subject::{Build, Subject, batch, control, event, fresh_id, text_with};
use crate::{Batch, Body, ContentRow, Erasure, Expect, MAX_INLINE, StreamAppend, Text};

/// Clearing takes a stream's texts, small and large, from every file, and nothing else.
pub async fn clearing_removes_text_and_keeps_rows(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let (small, large, kept, foreign) = (fresh_id(), fresh_id(), fresh_id(), fresh_id());
    let first = control("a", Expect::Any, &["x"])
        .and_item("a", Some(small))
        .and_item("a", Some(large))
        .and_item("a", Some(kept))
        .and_content(small, "a", &text_with("small-needle", 600))
        .and_content(large, "a", &text_with("large-needle", MAX_INLINE * 2))
        .and_content(kept, "a", &text_with("kept-needle", MAX_INLINE * 2))
        .and_content(foreign, "b", &text_with("foreign-needle", 600));
    subject.append(first).await;
    let before = subject.everything().await;
    for needle in ["small-needle", "large-needle"] {
        assert_ne!(subject.holds(needle), Some(false), "{needle} can be searched for");
    }

    let erasing = control("a", Expect::Any, &["cleared"]);
    subject.append(erase(erasing, Erasure::Contents { stream: "a".into(), keep: vec![kept] })).await;
    for _ in 0..2 {
        for needle in ["small-needle", "large-needle"] {
            assert_ne!(subject.holds(needle), Some(true), "{needle} is still there");
        }
        for id in [small, large] {
            assert_eq!(subject.log.content(id).await.unwrap(), None);
            assert_eq!(subject.log.text(id).await.unwrap(), None);
        }
        let text = |id| subject.log.text(id);
        assert_eq!(text(kept).await.unwrap(), Some(text_with("kept-needle", MAX_INLINE * 2)));
        assert_eq!(text(foreign).await.unwrap(), Some(text_with("foreign-needle", 600)));

        let after = subject.everything().await;
        assert_eq!(after.len(), before.len() + 1);
        assert!(after.iter().zip(1..).all(|(record, seq)| record.seq == seq));
        for (before, after) in before.iter().zip(&after) {
            assert_eq!((&before.data, before.id, &before.kind), (&after.data, after.id, &after.kind));
        }
        let items = subject.log.items("a", 0, 10).await.unwrap();
        let texts: Vec<_> = items.iter().map(|item| item.content.as_ref().unwrap()).collect();
        assert_eq!([texts[0], texts[1]], [&gone(small), &gone(large)]);
        assert!(matches!(texts[2].text, Text::Large { .. }));
        subject.reopen().await;
    }
}

/// Deleting also takes the data of all earlier events, of both classes.
pub async fn deleting_removes_text_and_data(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    for n in 0..20 {
        let id = fresh_id();
        let mut batch =
            batch().and_item("a", Some(id)).and_content(id, "a", &text_with("text-needle", 100 * n));
        batch.items[0].data = "\"item-needle\"".into();
        for (stream, needle) in [("a", "\"event-needle\""), ("b", "\"other-needle\"")] {
            let events = vec![event("x", needle)];
            batch.streams.push(StreamAppend { stream: stream.into(), expect: Expect::Any, events });
        }
        subject.append(batch).await;
    }
    let needles = ["text-needle", "item-needle", "event-needle"];
    for needle in needles {
        assert_ne!(subject.holds(needle), Some(false), "{needle} can be searched for");
    }

    subject
        .append(erase(control("a", Expect::Any, &["deleted"]), Erasure::Stream { stream: "a".into() }))
        .await;
    subject.append(control("a", Expect::Version(21), &["later"])).await;
    for _ in 0..2 {
        for needle in needles {
            assert_ne!(subject.holds(needle), Some(true), "{needle} is still there");
        }
        let records = subject.everything().await;
        assert_eq!(records.len(), 62);
        for record in &records {
            let erased = &*record.stream == "a" && record.seq <= 60;
            assert_eq!(record.data.is_none(), erased, "{record:?}");
            if let Body::Item { content, .. } = &record.body {
                assert_eq!(content.as_ref().unwrap().text, Text::Erased);
            }
        }
        let head = subject.log.head("a").await.unwrap().unwrap();
        assert_eq!((head.version, head.items), (22, 20));
        // The head too has forgotten the data: only that of the last two events counts.
        assert!(head.state.starts_with(b"22 4 "), "{}", String::from_utf8_lossy(&head.state));
        subject.reopen().await;
    }
}

/// A batch that erases can bring new text in the same go.
pub async fn clearing_keeps_what_the_batch_brings(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let (old, new) = (fresh_id(), fresh_id());
    subject.append(batch().and_item("a", Some(old)).and_content(old, "a", "old")).await;
    for erasure in
        [Erasure::Contents { stream: "a".into(), keep: vec![] }, Erasure::Stream { stream: "a".into() }]
    {
        let new = if matches!(erasure, Erasure::Stream { .. }) { fresh_id() } else { new };
        let batch =
            control("a", Expect::Any, &["erased"]).and_item("a", Some(new)).and_content(new, "a", "new");
        subject.append(erase(batch, erasure)).await;
        assert_eq!(subject.log.text(old).await.unwrap(), None);
        assert_eq!(subject.log.text(new).await.unwrap().as_deref(), Some("new"));
        let items = subject.log.items_before("a", None, 1).await.unwrap();
        assert!(items[0].data.is_some());
    }
    assert_eq!(subject.log.text(new).await.unwrap(), None);
}

/// The same text under two ids is erased twice.
pub async fn a_blob_stays_while_another_content_has_the_same_text(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let text = text_with("shared-needle", MAX_INLINE * 3);
    let (mine, yours) = (fresh_id(), fresh_id());
    subject.append(batch().and_content(mine, "a", &text).and_content(yours, "b", &text)).await;
    let clear = |stream: &str| erase(batch(), Erasure::Contents { stream: stream.into(), keep: vec![] });
    subject.append(clear("a")).await;
    assert_eq!(subject.log.text(mine).await.unwrap(), None);
    assert!(subject.log.text(yours).await.unwrap() == Some(text.clone()));
    subject.append(clear("b")).await;
    assert_ne!(subject.holds("shared-needle"), Some(true));
    // It can be stored again.
    let again = fresh_id();
    subject.append(batch().and_content(again, "a", &text)).await;
    assert!(subject.log.text(again).await.unwrap() == Some(text));
}

/// Texts that were stored side by side do not survive in each other's neighbourhood.
///
/// An engine that moves rows when it makes room leaves copies behind; texts of very different sizes that go one
/// stream at a time make it do that.
pub async fn interleaved_streams_leave_nothing_behind(engine: &impl Engine) {
    for seed in 1..=3 {
        erase_interleaved_streams(engine, seed).await;
    }
}

/// There may be nothing to erase.
pub async fn erasing_twice_or_nothing_is_harmless(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let id = fresh_id();
    subject.append(control("a", Expect::Any, &["x"]).and_content(id, "a", "text")).await;
    for stream in ["nobody", "a", "a"] {
        subject.append(erase(batch(), Erasure::Contents { stream: stream.into(), keep: vec![] })).await;
        subject.append(erase(batch(), Erasure::Stream { stream: stream.into() })).await;
    }
    assert_eq!(subject.log.names("", 10).await.unwrap(), ["a"]);
    assert_eq!(subject.everything().await.len(), 1);
}

fn erase(mut batch: Batch, erasure: Erasure) -> Batch {
    batch.erase = Some(erasure);
    batch
}

fn gone(id: Uuid) -> ContentRow {
    ContentRow { id, len: 0, sha256: [0; 32], text: Text::Erased, extra: None }
}

async fn erase_interleaved_streams(engine: &impl Engine, mut random: u64) {
    let subject = Subject::new(engine);
    let streams = ["a", "b", "c", "d"];
    let mut pick = |choices: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % choices
    };
    for _ in 0..30 {
        let mut batch = batch();
        for _ in 0..40 {
            let stream = streams[pick(4) as usize];
            let id = fresh_id();
            let mut repeats = || [1, 2, 20, 100, 400][pick(5) as usize];
            batch = batch.and_content(id, stream, &format!("text-{stream}-").repeat(repeats()));
            batch = batch.and_item(stream, Some(id));
            batch.items.last_mut().unwrap().data = format!("data-{stream}-").repeat(repeats());
        }
        subject.append(batch).await;
    }
    for (at, stream) in streams.iter().enumerate() {
        subject.append(erase(batch(), Erasure::Contents { stream: (*stream).into(), keep: vec![] })).await;
        assert_ne!(subject.holds(&format!("text-{stream}-")), Some(true), "{stream} was cleared");
        subject.append(erase(batch(), Erasure::Stream { stream: (*stream).into() })).await;
        assert_ne!(subject.holds(&format!("data-{stream}-")), Some(true), "{stream} was deleted");
        for other in &streams[at + 1..] {
            assert_ne!(subject.holds(&format!("text-{other}-")), Some(false), "{other} was not erased");
        }
    }
}
