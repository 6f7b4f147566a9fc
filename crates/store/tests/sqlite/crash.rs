//! `kill -9` at any moment: what was acknowledged is there, and nothing is there by half.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use paseo_store::{
    Appended, Batch, Body, Expect, IdempotencyKey, Log, NewContent, NewItem, Record, Sqlite, StreamAppend,
    Which,
};
use uuid::Uuid;

use super::setup::{event, noise, open, place};

/// Says to [`child_writes_until_it_is_killed`] which database to write to.
const DATABASE: &str = "PASEO_STORE_TEST_CRASH_DATABASE";
/// Enough for heads to be written later than their events.
const WRITERS: u64 = 24;
/// Two control events and one item.
const EVENTS: usize = 3;

#[tokio::test]
async fn what_was_acknowledged_survives_kill_9() {
    let (_directory, path) = place();
    let mut acknowledged = Vec::new();
    for enough in [1, 20, 60, 150] {
        let (mut child, output) = spawn(&path);
        let mut lines = output.lines().map(Result::unwrap);
        acknowledged.extend(lines.by_ref().filter_map(|line| parse(&line)).take(enough));
        child.kill().unwrap();
        // What it could still say before it died counts as well.
        acknowledged.extend(lines.filter_map(|line| parse(&line)));
        child.wait().unwrap();
        verify(&path, &acknowledged).await;
    }
    assert!(acknowledged.len() >= 231);
}

/// Not a test of its own: the process that the test above kills.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_writes_until_it_is_killed() {
    let Ok(path) = std::env::var(DATABASE) else { return };
    let log = Arc::new(open(Path::new(&path)));
    let writers: Vec<_> = (0..WRITERS).map(|writer| tokio::spawn(write(log.clone(), writer))).collect();
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn write(log: Arc<Sqlite>, writer: u64) {
    let first = log.head(&stream(writer)).await.unwrap().map_or(0, |head| head.version);
    for n in first.. {
        let Appended::New { seq, .. } = log.append(batch(writer, n)).await.unwrap() else {
            panic!("{n} of {writer} was stored before")
        };
        println!("ack {writer} {n} {seq}");
    }
}

fn batch(writer: u64, n: u64) -> Batch {
    let own = stream(writer);
    let id = content_id(writer, n);
    let mut batch = event(&own, Expect::Version(n));
    batch
        .streams
        .push(StreamAppend { stream: "shared".into(), ..event("shared", Expect::Any).streams.remove(0) });
    batch.items.push(NewItem {
        stream: own.clone(),
        id,
        kind: "said".into(),
        v: 1,
        data: "{}".into(),
        content: Some(id),
    });
    batch.contents.push(NewContent { id, owner: own, text: text(writer, n), extra: None });
    let key =
        IdempotencyKey { scope: "crash".into(), key: id.to_string(), body: [0; 32], receipt: id.to_string() };
    batch.key = Some(key);
    batch
}

/// Checks the database after a crash. `acknowledged` has writer, number and sequence number.
async fn verify(path: &Path, acknowledged: &[(u64, u64, u64)]) {
    let log = open(path);
    let records = log.read(0, usize::MAX).await.unwrap();
    assert!(records.iter().zip(1..).all(|(record, seq)| record.seq == seq), "there is a gap");
    for (writer, n, seq) in acknowledged {
        let record = &records[*seq as usize - 1];
        assert_eq!(*record.stream, *stream(*writer));
        assert!(matches!(record.body, Body::Item { ordinal, .. } if ordinal == n + 1), "{record:?}");
    }
    assert_eq!(records.len() % EVENTS, 0, "there is half a batch");
    let mut next = [0; WRITERS as usize];
    for records in records.chunks(EVENTS) {
        verify_batch(&log, records, &mut next).await;
    }
    let heads = log.heads("", Which::All, None, 100).await.unwrap();
    assert_eq!(heads.len(), if records.is_empty() { 0 } else { next.iter().filter(|n| **n > 0).count() + 1 });
    log.rebuild_heads().await.unwrap();
    assert_eq!(log.heads("", Which::All, None, 100).await.unwrap(), heads);
    log.close().await.unwrap();
}

async fn verify_batch(log: &Sqlite, records: &[Record], next: &mut [u64; WRITERS as usize]) {
    let writer: u64 = records[0].stream.strip_prefix("writer/").unwrap().parse().unwrap();
    let n = next[writer as usize];
    next[writer as usize] += 1;
    assert_eq!(records[0].body, Body::Control { version: n + 1 });
    assert_eq!(&*records[1].stream, "shared");
    let Body::Item { ordinal, content: Some(content) } = &records[2].body else { panic!("{records:?}") };
    assert_eq!((*ordinal, content.id), (n + 1, content_id(writer, n)));
    assert_eq!(log.text(content.id).await.unwrap(), Some(text(writer, n)));
    let receipt = log.receipt("crash", &content.id.to_string(), [0; 32]).await.unwrap();
    assert_eq!(receipt, Some(content.id.to_string()));
}

fn stream(writer: u64) -> String {
    format!("writer/{writer}")
}

fn content_id(writer: u64, n: u64) -> Uuid {
    Uuid::from_u64_pair(writer, n)
}

/// Returns a text that is a blob now and then.
fn text(writer: u64, n: u64) -> String {
    noise(writer * 1000 + n, if n % 5 == 4 { 40_000 } else { 200 })
}

#[allow(clippy::disallowed_methods)] // A process is what this test is about.
fn spawn(path: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "sqlite::crash::child_writes_until_it_is_killed"])
        .env(DATABASE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

fn parse(line: &str) -> Option<(u64, u64, u64)> {
    let mut numbers = line.split_once("ack ")?.1.split(' ').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??, numbers.next()??))
}
