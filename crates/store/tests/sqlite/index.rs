//! The indexes that are filled in bulk: whoever reads does not notice where an event is found.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use paseo_store::sqlite::Options;
use paseo_store::{
    Appended, Batch, Body, Clock, Error, Expect, IdempotencyKey, KEY_LIFETIME, Log, NewEvent, NewItem,
    Sqlite, StreamAppend,
};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::setup::{behind, open, options, place};

const STREAMS: usize = 3;
/// More than are indexed at once, and in the end some that wait.
const ROUNDS: u64 = 1000;
/// As many keys as are indexed at once.
const KEYS: u64 = 32_768;

/// Returns one control event and one item for each stream.
fn round() -> Batch {
    let names = || (0..STREAMS).map(|n| format!("s{n}"));
    let (id, v, data) = (Uuid::from_u128(1), 1, "{}".to_owned());
    Batch {
        actor: "tester".into(),
        streams: names()
            .map(|stream| {
                let events = vec![NewEvent { id, kind: "x".into(), v, data: data.clone() }];
                StreamAppend { stream, expect: Expect::Any, events }
            })
            .collect(),
        items: names()
            .map(|stream| NewItem { stream, id, kind: "i".into(), v, data: data.clone(), content: None })
            .collect(),
        ..Batch::default()
    }
}

fn keyed(key: &str, body: u8) -> Batch {
    let (scope, key, receipt) = ("mine".into(), key.to_owned(), format!("receipt of {key}"));
    Batch { key: Some(IdempotencyKey { scope, key, body: [body; 32], receipt }), ..Batch::default() }
}

fn indexed(path: &std::path::Path) -> (u64, u64) {
    behind(path)
        .query_row("SELECT event, key FROM indexed", [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        })
        .map(|(event, key)| (event.cast_unsigned(), key.cast_unsigned()))
        .unwrap()
}

#[tokio::test]
async fn pages_span_what_is_indexed_and_what_waits() {
    let (_directory, path) = place();
    let log = open(&path);
    for _ in 0..ROUNDS {
        log.append(round()).await.unwrap();
    }
    let (event, _) = indexed(&path);
    assert!(event > 0 && event < ROUNDS * STREAMS as u64 * 2, "{event}");
    // Readers must not notice; so after the log was opened again, too.
    let again = open(&path);
    for log in [&log, &again] {
        for stream in ["s0", "s2"] {
            let all = log.read_stream(stream, 0, usize::MAX).await.unwrap();
            let versions: Vec<u64> = all
                .iter()
                .map(|record| match record.body {
                    Body::Control { version } => version,
                    Body::Item { .. } => panic!("{record:?}"),
                })
                .collect();
            assert!(versions.iter().copied().eq(1..=ROUNDS));
            let mut after = 0;
            loop {
                let page = log.items(stream, after, 300).await.unwrap();
                let Some(last) = page.last() else { break };
                assert!(page.iter().map(|item| item.ordinal).eq(after + 1..=last.ordinal));
                after = last.ordinal;
            }
            assert_eq!(after, ROUNDS);
            let mut before = ROUNDS + 1;
            while before > 1 {
                let page = log.items_before(stream, Some(before), 300).await.unwrap();
                assert!(page.iter().map(|item| item.ordinal).eq(before.saturating_sub(300).max(1)..before));
                before = page[0].ordinal;
            }
            let newest = log.items_before(stream, None, 10).await.unwrap();
            assert!(newest.iter().map(|item| item.ordinal).eq(ROUNDS - 9..=ROUNDS));
        }
    }
    let heads = log.heads("", paseo_store::Which::All, None, 10).await.unwrap();
    log.rebuild_heads().await.unwrap();
    assert_eq!(log.heads("", paseo_store::Which::All, None, 10).await.unwrap(), heads);
    log.append(round()).await.unwrap();
    assert_eq!(log.read_stream("s1", ROUNDS - 1, 10).await.unwrap().len(), 2);
}

#[tokio::test]
async fn keys_are_found_in_the_index_and_before() {
    let (_directory, path) = place();
    let log = open(&path);
    log.append(keyed("first", 1)).await.unwrap();
    let log = Arc::new(log);
    let mut appends = JoinSet::new();
    for n in 0..KEYS {
        let log = log.clone();
        appends.spawn(async move { log.append(keyed(&n.to_string(), 1)).await.unwrap() });
    }
    appends.join_all().await;
    // Some that wait.
    for n in KEYS..KEYS + 10 {
        log.append(keyed(&n.to_string(), 1)).await.unwrap();
    }
    let (_, key) = indexed(&path);
    assert!(key > 1 && key < KEYS + 11, "{key}");
    let again = open(&path);
    for log in [&*log, &again] {
        for key in ["first", "0", &(KEYS + 9).to_string()] {
            let receipt = format!("receipt of {key}");
            assert_eq!(
                log.append(keyed(key, 1)).await.unwrap(),
                Appended::Repeat { receipt: receipt.clone() }
            );
            assert_eq!(log.append(keyed(key, 2)).await.unwrap_err(), Error::KeyReused { key: key.into() });
            assert_eq!(log.receipt("mine", key, [1; 32]).await.unwrap(), Some(receipt));
            let fresh = format!("never {key}");
            assert_eq!(log.receipt("mine", &fresh, [1; 32]).await.unwrap(), None);
            assert_eq!(log.receipt("yours", key, [1; 32]).await.unwrap(), None);
        }
    }
}

#[tokio::test]
async fn a_key_is_found_again_after_all_others_were_removed() {
    let (_directory, path) = place();
    let now = Arc::new(AtomicI64::new(0));
    let clock: Clock = Arc::new({
        let now = now.clone();
        move || now.load(Ordering::SeqCst)
    });
    let open = || Sqlite::open(Options { clock: clock.clone(), ..options(&path) }).unwrap();
    let log = open();
    for n in 0..2100 {
        log.append(keyed(&n.to_string(), 1)).await.unwrap();
    }
    now.store(KEY_LIFETIME, Ordering::SeqCst);
    // Each append removes some of the expired ones.
    for _ in 0..10 {
        log.append(Batch::default()).await.unwrap();
    }
    let count = |table| -> i64 {
        behind(&path).query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    assert_eq!((count("idempotency"), count("idempotency_hash")), (0, 0));
    log.close().await.unwrap();

    let log = open();
    assert!(matches!(log.append(keyed("7", 2)).await.unwrap(), Appended::New { .. }));
    for log in [log, open()] {
        assert_eq!(log.receipt("mine", "7", [2; 32]).await.unwrap().as_deref(), Some("receipt of 7"));
        assert!(matches!(log.append(keyed("7", 2)).await.unwrap(), Appended::Repeat { .. }));
    }
}
