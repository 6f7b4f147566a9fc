//! A full disk, a failing one, and the size of the write-ahead log.

use paseo_store::sqlite::Options;
use paseo_store::{Batch, Erasure, Error, Expect, Log, NewItem, Sqlite};
use uuid::Uuid;

use super::setup::{behind, content, event, noise, open, options, place};

#[tokio::test]
async fn a_full_disk_is_told_and_survived() {
    let (_directory, path) = place();
    let log = Sqlite::open(Options { max_pages: Some(200), ..options(&path) }).unwrap();
    let large = |n: u64| {
        let mut batch = content(u128::from(n), "a", noise(n, 100_000));
        batch.streams = event("a", Expect::Version(n)).streams;
        batch
    };
    let mut stored = 0;
    let told = loop {
        match log.append(large(stored)).await {
            Ok(_) => stored += 1,
            Err(told) => break told,
        }
    };
    assert!(stored > 1);
    let Error::Unavailable(text) = &told else { panic!("{told:?}") };
    assert!(text.contains("full") && text.contains("free some space"), "{text}");

    // Nothing of the failed batch is there, what was there still is, and small things still fit.
    assert_eq!(log.read(0, 100).await.unwrap().len() as u64, stored);
    assert_eq!(log.head("a").await.unwrap().unwrap().version, stored);
    assert_eq!(log.content(Uuid::from_u128(u128::from(stored))).await.unwrap(), None);
    assert!(log.text(Uuid::from_u128(0)).await.unwrap() == Some(noise(0, 100_000)));
    log.append(event("b", Expect::Version(0))).await.unwrap();

    // Erasing makes room.
    assert!(log.append(large(stored)).await.is_err());
    let clear = Erasure::Contents { stream: "a".into(), keep: vec![Uuid::from_u128(0)] };
    log.append(Batch { erase: Some(clear), ..Batch::default() }).await.unwrap();
    log.append(large(stored)).await.unwrap();
    log.close().await.unwrap();

    let log = open(&path);
    for n in stored + 1..stored * 3 {
        log.append(large(n)).await.unwrap();
    }
    let records = log.read(0, 100).await.unwrap();
    assert!(records.iter().zip(1..).all(|(record, seq)| record.seq == seq));
    assert_eq!(records.len() as u64, stored * 3 + 1);
}

#[tokio::test]
async fn a_failure_in_the_middle_of_a_batch_leaves_nothing_of_it() {
    let (_directory, path) = place();
    let log = open(&path);
    log.append(event("a", Expect::Version(0))).await.unwrap();
    // Items are among the last things that are written.
    let trigger = "CREATE TRIGGER broken BEFORE INSERT ON event WHEN new.ordinal IS NOT NULL
                   BEGIN SELECT raise(ABORT, 'broken'); END";
    behind(&path).execute_batch(trigger).unwrap();
    let batch = || {
        let mut batch = content(1, "b", "text".into());
        batch.streams = event("a", Expect::Version(1)).streams;
        let (stream, kind, data) = ("b".into(), "said".into(), "{}".into());
        batch.items.push(NewItem { stream, id: Uuid::nil(), kind, v: 1, data, content: None });
        batch
    };
    let told = log.append(batch()).await.unwrap_err();
    assert!(matches!(told, Error::Unavailable(_)), "{told:?}");
    assert_eq!(log.read(0, 10).await.unwrap().len(), 1);
    assert_eq!(log.head("a").await.unwrap().unwrap().version, 1);
    assert_eq!(log.names("", 10).await.unwrap(), ["a"]);
    assert_eq!(log.content(Uuid::from_u128(1)).await.unwrap(), None);
    assert_eq!(*log.watch().borrow(), 1);

    behind(&path).execute_batch("DROP TRIGGER broken").unwrap();
    log.append(batch()).await.unwrap();
    assert_eq!(log.read(0, 10).await.unwrap().len(), 3);
}

#[tokio::test]
async fn an_idle_writer_checkpoints_a_large_write_ahead_log() {
    let (_directory, path) = place();
    let log = open(&path);
    for n in 0..4 {
        log.append(content(n, "a", noise(n as u64, 2_000_000))).await.unwrap();
    }
    // When this is answered, the writer is done with what it did after the others.
    log.append(event("a", Expect::Any)).await.unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(size > 4_000_000, "the database itself has only {size} bytes");
}
