//! Reading in pages.

use super::Engine;
use super::subject::{Build, Subject, batch, control, fresh_id};
use crate::{Expect, ItemRow, Side};

/// Pages of all events and of one stream fit together.
pub async fn events_are_read_in_pages(engine: &impl Engine) {
    let subject = Subject::new(engine);
    for _ in 0..5 {
        subject.append(control("a", Expect::Any, &["x"]).and_control("b", Expect::Any, &["y", "z"])).await;
    }
    let all = subject.everything().await;
    assert_eq!(all.len(), 15);
    let mut paged = Vec::new();
    while let page @ [_, ..] = subject.log.read(paged.len() as u64, 4).await.unwrap().as_slice() {
        assert!(page.len() <= 4);
        paged.extend_from_slice(page);
    }
    assert_eq!(paged, all);
    assert_eq!(subject.log.read(u64::MAX, 4).await.unwrap(), []);
    assert_eq!(subject.log.read(0, 0).await.unwrap(), []);

    let mut paged = Vec::new();
    while let page @ [_, ..] = subject.log.read_stream("b", paged.len() as u64, 3).await.unwrap().as_slice() {
        assert!(page.len() <= 3);
        paged.extend_from_slice(page);
    }
    let own: Vec<_> = all.into_iter().filter(|record| &*record.stream == "b").collect();
    assert_eq!(paged, own);
    assert_eq!(subject.log.read_stream("nobody", 0, 3).await.unwrap(), []);
}

/// A transcript can be read from its start and from its end.
pub async fn items_are_read_in_pages_both_ways(engine: &impl Engine) {
    let subject = Subject::new(engine);
    for n in 0..10 {
        let content = fresh_id();
        let batch = control("a", Expect::Any, &["x"])
            .and_item("a", (n % 2 == 0).then_some(content))
            .and_item("b", None)
            .and_content(content, "a", &format!("text {n}"));
        subject.append(batch).await;
    }
    let ordinals = |page: &[ItemRow]| page.iter().map(|item| item.ordinal).collect::<Vec<_>>();
    let after = |after, limit| subject.log.items("a", after, limit);
    let before = |before, limit| subject.log.items_before("a", before, limit);
    assert_eq!(ordinals(&after(0, 4).await.unwrap()), [1, 2, 3, 4]);
    assert_eq!(ordinals(&after(8, 4).await.unwrap()), [9, 10]);
    assert_eq!(after(10, 4).await.unwrap(), []);
    assert_eq!(ordinals(&before(None, 3).await.unwrap()), [8, 9, 10]);
    assert_eq!(ordinals(&before(Some(8), 3).await.unwrap()), [5, 6, 7]);
    assert_eq!(ordinals(&before(Some(3), 9).await.unwrap()), [1, 2]);
    assert_eq!(before(Some(1), 3).await.unwrap(), []);
    assert_eq!(before(None, 10).await.unwrap(), after(0, 10).await.unwrap());
    assert_eq!(subject.log.items("nobody", 0, 3).await.unwrap(), []);

    let item = after(2, 1).await.unwrap().remove(0);
    assert_eq!((item.seq, item.kind.as_str(), item.v), (8, "said", 1));
    assert_eq!(item.data.as_deref(), Some("{\"item\":1}"));
    let content = item.content.unwrap();
    assert_eq!(subject.log.content(content.id).await.unwrap(), Some(content));
    assert_eq!(after(1, 1).await.unwrap()[0].content, None);
}

/// A transcript can be read by one kind of its items.
pub async fn items_of_one_kind_are_read_in_pages_both_ways(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    for n in 1..=12 {
        let mut batch = batch().and_item("a", None).and_item("b", None);
        for item in &mut batch.items {
            item.kind = if n % 3 == 0 { "asked" } else { "said" }.to_owned();
        }
        subject.append(batch).await;
        // Some are in the index, some wait for it.
        if n == 8 {
            subject.reopen().await;
        }
    }
    let read = async |kind, side, limit| -> Vec<u64> {
        let page = subject.log.items_of("a", kind, side, limit).await.unwrap();
        page.iter().map(|item: &ItemRow| item.ordinal).collect()
    };
    assert_eq!(read("asked", Side::After(0), 9).await, [3, 6, 9, 12]);
    assert_eq!(read("asked", Side::After(3), 2).await, [6, 9]);
    assert_eq!(read("asked", Side::Before(None), 3).await, [6, 9, 12]);
    assert_eq!(read("asked", Side::Before(Some(9)), 1).await, [6]);
    assert_eq!(read("asked", Side::Before(Some(3)), 9).await, [0; 0]);
    assert_eq!(read("said", Side::Before(Some(5)), 9).await, [1, 2, 4]);
    assert_eq!(read("nothing", Side::After(0), 9).await, [0; 0]);
    assert_eq!(subject.log.items_of("nobody", "asked", Side::After(0), 9).await.unwrap(), []);
}

/// Names are found by a range, so no character of a prefix means anything else.
pub async fn names_are_read_by_prefix(engine: &impl Engine) {
    let subject = Subject::new(engine);
    for name in ["session/b", "session/a", "sess%", "session_", "a\u{10ffff}b", "b"] {
        subject.append(batch().and_item(name, None)).await;
    }
    let names = |prefix: &'static str, limit| subject.log.names(prefix, limit);
    assert_eq!(names("session/", 10).await.unwrap(), ["session/a", "session/b"]);
    assert_eq!(names("session/", 1).await.unwrap(), ["session/a"]);
    assert_eq!(names("sess%", 10).await.unwrap(), ["sess%"]);
    assert_eq!(names("session_", 10).await.unwrap(), ["session_"]);
    assert_eq!(names("a\u{10ffff}", 10).await.unwrap(), ["a\u{10ffff}b"]);
    assert_eq!(names("", 10).await.unwrap().len(), 6);
    assert!(names("nobody", 10).await.unwrap().is_empty());
}
