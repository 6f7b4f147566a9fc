//! Following the log.

use super::Engine;
use super::subject::{Build, Subject, batch, control, fresh_id};
use crate::{Body, Error, Expect};

const WRITERS: u64 = 8;
const BATCHES: u64 = 40;
/// Two control events and one item.
const EVENTS: u64 = 3;

/// A reader that is told the head and reads by cursor sees everything once, while others write.
pub async fn eight_writers_and_a_reader_without_gap_or_duplicate(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let log = subject.log.clone();
            tokio::spawn(async move {
                for n in 0..BATCHES {
                    let (own, content) = (format!("writer/{writer}"), fresh_id());
                    let batch = control(&own, Expect::Version(n), &["own"])
                        .and_control("shared", Expect::Any, &["common"])
                        .and_item(&own, Some(content))
                        .and_content(content, &own, &format!("{writer} {n}"));
                    log.append(batch).await.unwrap();
                }
            })
        })
        .collect();

    let mut head = subject.log.watch();
    let mut records = Vec::new();
    while (records.len() as u64) < WRITERS * BATCHES * EVENTS {
        let told = *head.borrow_and_update();
        let mut after = records.len() as u64;
        while after < told {
            // A small page, so that it ends in the middle of a batch.
            let page = subject.log.read(after, 7).await.unwrap();
            assert!(!page.is_empty(), "told of {told}, but there is nothing after {after}");
            for record in page {
                after += 1;
                assert_eq!(record.seq, after);
                records.push(record);
            }
        }
        if (records.len() as u64) < WRITERS * BATCHES * EVENTS {
            head.changed().await.unwrap();
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }

    // The parts of a batch are together, and each writer's batches are in its order.
    let mut next = [0; WRITERS as usize];
    for (at, batch) in records.chunks(EVENTS as usize).enumerate() {
        let own = &batch[0].stream;
        let writer: usize = own.strip_prefix("writer/").unwrap().parse().unwrap();
        next[writer] += 1;
        assert_eq!(batch[0].body, Body::Control { version: next[writer] });
        assert_eq!(&*batch[1].stream, "shared");
        assert_eq!(batch[1].body, Body::Control { version: at as u64 + 1 });
        assert_eq!(&batch[2].stream, own);
        assert!(matches!(batch[2].body, Body::Item { ordinal, content: Some(_) } if ordinal == next[writer]));
    }
}

/// A new watcher knows the head without waiting, and refused batches do not move it.
pub async fn the_head_is_told_at_once_and_after_each_commit(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let mut head = subject.log.watch();
    assert_eq!(*head.borrow_and_update(), 0);
    subject.append(control("a", Expect::Any, &["x", "y"])).await;
    assert!(head.has_changed().unwrap(), "it is told before the append returns");
    assert_eq!(*head.borrow_and_update(), 2);
    subject.refusal(control("a", Expect::Version(9), &["x"])).await;
    assert!(!head.has_changed().unwrap());
    subject.append(batch().and_item("a", None)).await;
    assert_eq!(*head.borrow_and_update(), 3);
    subject.reopen().await;
    assert_eq!(*subject.log.watch().borrow(), 3);
}

/// Nothing waits for ever for a log that is closed, and closing twice is fine.
pub async fn a_closed_log_says_so(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let accepted: Vec<_> = (0..20)
        .map(|_| {
            let log = subject.log.clone();
            tokio::spawn(async move { log.append(control("a", Expect::Any, &["x"])).await })
        })
        .collect();
    subject.append(control("a", Expect::Any, &["x"])).await;
    subject.log.close().await.unwrap();
    subject.log.close().await.unwrap();
    assert!(matches!(subject.refusal(control("a", Expect::Any, &["x"])).await, Error::Unavailable(_)));
    assert!(matches!(subject.log.read(0, 1).await, Err(Error::Unavailable(_))));

    let mut stored = 1;
    for task in accepted {
        stored += usize::from(task.await.unwrap().is_ok());
    }
    subject.reopen().await;
    assert_eq!(subject.everything().await.len(), stored);
}
