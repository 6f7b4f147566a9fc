//! Two writers on one file, as two processes would be.

use paseo_store::{Error, Expect, Log};

use super::setup::{event, open, place};

#[tokio::test]
async fn what_another_writer_did_is_noticed() {
    let (_directory, path) = place();
    let (one, other) = (open(&path), open(&path));
    one.append(event("a", Expect::Version(0))).await.unwrap();
    other.append(event("a", Expect::Version(1))).await.unwrap();
    let refusal = one.append(event("a", Expect::Version(1))).await.unwrap_err();
    assert_eq!(refusal, Error::Conflict { stream: "a".into(), expected: 1, actual: 2 });
    one.append(event("a", Expect::Version(2))).await.unwrap();
    let records = other.read(0, 10).await.unwrap();
    assert_eq!(records.iter().map(|record| record.seq).collect::<Vec<_>>(), [1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_writers_at_once_lose_nothing() {
    let (_directory, path) = place();
    let writers: Vec<_> = (0..2)
        .map(|_| {
            let log = open(&path);
            tokio::spawn(async move {
                for _ in 0..50 {
                    log.append(event("a", Expect::Any)).await.unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let log = open(&path);
    let records = log.read(0, 1000).await.unwrap();
    assert_eq!(records.len(), 100);
    assert!(records.iter().zip(1..).all(|(record, seq)| record.seq == seq));
    assert_eq!(log.head("a").await.unwrap().unwrap().version, 100);
}
