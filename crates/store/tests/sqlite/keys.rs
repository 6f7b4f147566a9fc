//! Idempotency keys do not pile up.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use paseo_store::sqlite::Options;
use paseo_store::{Batch, Clock, IdempotencyKey, KEY_LIFETIME, Log, Sqlite};

use super::setup::{behind, options, place};

#[tokio::test]
async fn expired_keys_are_removed() {
    let (_directory, path) = place();
    let now = Arc::new(AtomicI64::new(0));
    let clock: Clock = Arc::new({
        let now = now.clone();
        move || now.load(Ordering::SeqCst)
    });
    let log = Sqlite::open(Options { clock, ..options(&path) }).unwrap();
    let keyed = |n: usize| {
        let (scope, key, receipt) = ("mine".into(), n.to_string(), "receipt".into());
        Batch { key: Some(IdempotencyKey { scope, key, body: [0; 32], receipt }), ..Batch::default() }
    };
    let keys = || -> i64 {
        behind(&path).query_row("SELECT count(*) FROM idempotency", [], |row| row.get(0)).unwrap()
    };
    for n in 0..10 {
        log.append(keyed(n)).await.unwrap();
    }
    assert_eq!(keys(), 10);
    now.store(KEY_LIFETIME, Ordering::SeqCst);
    log.append(keyed(10)).await.unwrap();
    assert_eq!(keys(), 1);
}
