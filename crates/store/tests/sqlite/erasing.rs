//! Erasure, as far as the suite cannot see it from outside.

use std::path::Path;
use std::sync::Arc;

use paseo_store::{Batch, Erasure, Expect, Log};

use super::setup::{behind, content, event, noise, open, place};

#[tokio::test]
async fn a_compressed_blob_is_overwritten() {
    let (_directory, path) = place();
    let log = open(&path);
    log.append(content(1, "a", noise(1, 100_000))).await.unwrap();
    log.append(content(2, "b", noise(2, 100_000))).await.unwrap();
    let blobs: Vec<Vec<u8>> = {
        let connection = behind(&path);
        let mut statement = connection.prepare("SELECT zstd FROM blob ORDER BY id").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    // A piece from the start of the blob, which is in its row, and one from a page of its own.
    let pieces = |blob: &[u8]| [blob[100..140].to_vec(), blob[50_000..50_040].to_vec()];
    for piece in pieces(&blobs[0]) {
        assert!(holds(&path, &piece));
    }
    log.append(clear("a")).await.unwrap();
    for piece in pieces(&blobs[0]) {
        assert!(!holds(&path, &piece));
    }
    for piece in pieces(&blobs[1]) {
        assert!(holds(&path, &piece));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_waits_for_readers_and_nobody_waits_for_it() {
    let (_directory, path) = place();
    let log = Arc::new(open(&path));
    log.append(content(1, "a", "the needle".into())).await.unwrap();
    let reader = behind(&path);
    reader.execute_batch("BEGIN").unwrap();
    let _: i64 = reader.query_row("SELECT count(*) FROM content", [], |row| row.get(0)).unwrap();

    let mut head = log.watch();
    let erasing = tokio::spawn({
        let log = log.clone();
        let mut batch = clear("a");
        batch.streams = event("a", Expect::Any).streams;
        async move { log.append(batch).await }
    });
    head.changed().await.unwrap();
    assert_eq!(log.text(uuid::Uuid::from_u128(1)).await.unwrap(), None, "it is committed");
    for _ in 0..3 {
        log.append(event("b", Expect::Any)).await.unwrap();
    }
    assert!(!erasing.is_finished(), "acknowledged while {}", holds(&path, b"the needle"));

    drop(reader);
    erasing.await.unwrap().unwrap();
    assert!(!holds(&path, b"the needle"));
}

fn clear(stream: &str) -> Batch {
    Batch { erase: Some(Erasure::Contents { stream: stream.into(), keep: vec![] }), ..Batch::default() }
}

fn holds(path: &Path, needle: &[u8]) -> bool {
    let files = std::fs::read_dir(path.parent().unwrap()).unwrap();
    files
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .any(|bytes| bytes.windows(needle.len()).any(|window| window == needle))
}
