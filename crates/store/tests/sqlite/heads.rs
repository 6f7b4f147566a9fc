//! Heads are derived, so they can be thrown away.

use paseo_store::{Erasure, Expect, Log};
use rusqlite::types::Value;

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
