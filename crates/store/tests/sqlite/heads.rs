//! Heads are derived, so they can be thrown away, and written later than their events.

use std::sync::Arc;

use paseo_store::{Appended, Erasure, Error, Expect, HeadRow, Log, NewItem, Sqlite, Which};
use rusqlite::types::Value;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::setup::{behind, event, open, place};

#[tokio::test]
async fn rebuilt_heads_have_the_same_bytes() {
    let (_directory, path) = place();
    let log = open(&path);
    for n in 0..130 {
        let mut batch = event(if n % 3 == 0 { "b" } else { "a" }, Expect::Any);
        // So many that a stream is folded in more than one go.
        let one = batch.streams[0].events[0].clone();
        batch.streams[0].events.resize(10, one);
        if n == 60 {
            batch.erase = Some(Erasure::Stream { stream: "a".into() });
        }
        log.append(batch).await.unwrap();
    }
    let dump = || -> Vec<Vec<Value>> {
        let connection = behind(&path);
        let mut statement = connection.prepare("SELECT * FROM stream_head ORDER BY stream").unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect()).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let before = dump();
    assert_eq!(before.len(), 2);
    behind(&path).execute("UPDATE stream_head SET state = x'00', version = 0, live = 0", []).unwrap();
    assert_ne!(dump(), before);
    log.rebuild_heads().await.unwrap();
    assert_eq!(dump(), before);
    log.append(event("a", Expect::Any)).await.unwrap();
}

/// How many streams the crowd writes to.
const CROWD: u64 = 64;

fn crowded(n: u64) -> String {
    format!("crowd/{n:02}")
}

/// Appends to many streams at once, so that many batches share a transaction, each with an event and an item.
async fn crowd(log: &Arc<Sqlite>, version: u64) {
    let mut appends = JoinSet::new();
    for n in 0..CROWD {
        let (log, mut batch) = (log.clone(), event(&crowded(n), Expect::Version(version)));
        let (stream, kind, data) = (crowded(n), "said".into(), "{}".into());
        batch.items.push(NewItem { stream, id: Uuid::nil(), kind, v: 1, data, content: None });
        appends.spawn(async move { log.append(batch).await.unwrap() });
    }
    for appended in appends.join_all().await {
        let Appended::New { versions, ordinals, .. } = appended else { panic!("{appended:?}") };
        assert_eq!((versions, ordinals), (vec![version + 1], vec![version + 1]));
    }
}

async fn all_heads(log: &Sqlite) -> Vec<HeadRow> {
    log.heads("", Which::All, None, 500).await.unwrap()
}

/// Says whether some heads are behind their events.
fn some_are_behind(path: &std::path::Path) -> bool {
    let connection = behind(path);
    let heads: Option<i64> = connection.query_row("SELECT heads FROM indexed", [], |row| row.get(0)).unwrap();
    let written: i64 = connection
        .query_row("SELECT coalesce(sum(version), 0) FROM stream_head", [], |row| row.get(0))
        .unwrap();
    let events: i64 = connection
        .query_row("SELECT count(*) FROM event WHERE version IS NOT NULL", [], |row| row.get(0))
        .unwrap();
    assert!(heads.is_some() || written == events, "{written} of {events}");
    written < events
}

/// Appends in crowds until some heads are behind, and returns their version.
async fn fall_behind(log: &Arc<Sqlite>, path: &std::path::Path, mut version: u64) -> u64 {
    // How many batches share a transaction is a matter of luck.
    for _ in 0..1000 {
        crowd(log, version).await;
        version += 1;
        if some_are_behind(path) {
            return version;
        }
    }
    panic!("the heads were never behind");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_notices_heads_that_are_behind() {
    let (_directory, path) = place();
    let log = Arc::new(open(&path));
    let version = fall_behind(&log, &path, 0).await;
    let heads = all_heads(&log).await;
    assert_eq!(heads.len() as u64, CROWD);
    for HeadRow { stream, head } in &heads {
        assert_eq!((head.version, head.items), (version, version));
        assert!(head.state.starts_with(format!("{version} {} x,", version * 2).as_bytes()));
        assert_eq!(log.head(stream).await.unwrap().as_ref(), Some(head));
    }
    assert_eq!(log.heads("", Which::Live, None, 500).await.unwrap(), heads);

    // Whoever opens the file beside it, or after a crash, sees and continues the same.
    let other = Arc::new(open(&path));
    assert_eq!(all_heads(&other).await, heads);
    let refusal = other.append(event(&crowded(3), Expect::Version(version - 1))).await.unwrap_err();
    let expected = version - 1;
    assert_eq!(refusal, Error::Conflict { stream: crowded(3), expected, actual: version });
    let version = fall_behind(&other, &path, version).await;
    let version = fall_behind(&log, &path, version).await;

    let heads = all_heads(&log).await;
    assert!(heads.iter().all(|row| row.head.version == version));
    log.rebuild_heads().await.unwrap();
    assert!(!some_are_behind(&path));
    assert_eq!(all_heads(&log).await, heads);
    assert_eq!(all_heads(&other).await, heads);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_batch_leaves_heads_that_are_behind_as_they_are() {
    let (_directory, path) = place();
    let log = Arc::new(open(&path));
    let version = fall_behind(&log, &path, 0).await;
    let heads = all_heads(&log).await;
    // Its first part is good, its second is not.
    let mut batch = event(&crowded(1), Expect::Version(version));
    batch.streams.extend(event(&crowded(2), Expect::Version(0)).streams);
    log.append(batch).await.unwrap_err();
    let mut impossible = event(&crowded(4), Expect::Any);
    impossible.streams[0].events[0].kind = "impossible".into();
    log.append(impossible).await.unwrap_err();
    assert_eq!(all_heads(&log).await, heads);
    crowd(&log, version).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_erased_is_in_no_head_that_is_behind() {
    let (_directory, path) = place();
    let log = Arc::new(open(&path));
    let version = fall_behind(&log, &path, 0).await;
    let mut batch = event(&crowded(5), Expect::Version(version));
    batch.erase = Some(Erasure::Stream { stream: crowded(5) });
    log.append(batch).await.unwrap();
    let written: Vec<u8> = behind(&path)
        .query_row(
            "SELECT state FROM stream_head h JOIN stream s ON s.id = h.stream WHERE s.name = ?1",
            [crowded(5)],
            |row| row.get(0),
        )
        .unwrap();
    // All events, but only the data of the newest.
    assert!(written.starts_with(format!("{} 2 ", version + 1).as_bytes()), "{written:?}");
    assert_eq!(log.head(&crowded(5)).await.unwrap().unwrap().state, written);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closing_writes_all_heads() {
    let (_directory, path) = place();
    let log = Arc::new(open(&path));
    let version = fall_behind(&log, &path, 0).await;
    log.close().await.unwrap();
    assert!(!some_are_behind(&path));
    let log = open(&path);
    assert!(all_heads(&log).await.iter().all(|row| row.head.version == version));
}
