//! Erasure, as far as the suite cannot see it from outside.

use std::path::Path;
use std::sync::Arc;

use paseo_store::{Batch, Erasure, Expect, Find, Indexing, Log, Source};

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

/// The index keeps its words in pages of its own, moves them about when it grows, and marks what is deleted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_word_of_an_erased_stream_stays_in_a_page_of_the_index() {
    const STREAMS: u64 = 40;
    let (_directory, path) = place();
    let log = open(&path);
    log.indexed(1).await.unwrap();
    let word = |seed: u64| -> String {
        noise(seed, 60).bytes().filter(u8::is_ascii_lowercase).map(char::from).take(12).collect()
    };
    let mut words: Vec<Vec<String>> = vec![Vec::new(); STREAMS as usize];
    for n in 0..30 {
        let (mut batch, mut finds) = (Batch::default(), Vec::new());
        for k in 0..40 {
            let id = n * 40 + k + 1;
            let stream = (id * 7 + n) % STREAMS;
            let own: Vec<String> = (0..12).map(|m| word(id * 1000 + m)).collect();
            let mut next = content(id.into(), &stream.to_string(), own.join(" "));
            batch.contents.append(&mut next.contents);
            words[stream as usize].extend(own);
            finds.push(Find {
                stream: stream.to_string().into(),
                seq: n + 1,
                ordinal: None,
                source: Source::Content(uuid::Uuid::from_u128(id.into())),
                class: "said".into(),
                who: "w".into(),
                ts: 0,
            });
        }
        batch.streams = event("log", Expect::Any).streams;
        log.append(batch).await.unwrap();
        let indexing = Indexing { after: n, upto: n + 1, version: 1, finds, homes: vec![] };
        assert!(log.index(indexing).await.unwrap());
    }
    // Words share their first letters with their neighbours, and have only the rest to themselves.
    let ends = |stream: usize| words[stream].iter().filter(|word| word.len() == 12).map(|word| &word[5..]);
    let left = |stream: usize, bytes: &[u8]| {
        let ends: std::collections::HashSet<&[u8]> = ends(stream).map(str::as_bytes).collect();
        bytes.windows(7).filter(|window| ends.contains(window)).count()
    };
    log.append(clear("0")).await.unwrap();
    for stream in [3, 16, 17, 25] {
        log.append(clear(&stream.to_string())).await.unwrap();
    }
    log.append(event("log", Expect::Any)).await.unwrap();
    let files = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let bytes: Vec<u8> = files.flat_map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
    for stream in [0, 3, 16, 17, 25] {
        assert!(ends(stream).count() > 200);
        assert_eq!(left(stream, &bytes), 0, "stream {stream}");
    }
    assert!(left(1, &bytes) > 400, "the others are there, as texts and as words");
}
