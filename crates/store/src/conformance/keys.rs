//! Idempotency keys.

use super::Engine;
use super::subject::{Build, START, Subject, control};
use crate::{Appended, Batch, Erasure, Error, Expect, KEY_LIFETIME};

/// The same request gets the first receipt, whatever happened since; another one is refused.
pub async fn a_key_is_answered_once_per_scope(engine: &impl Engine) {
    let subject = Subject::new(engine);
    subject.append(request("mine", "k", 1)).await;
    // A repeat is answered although the version it expects is gone.
    assert_eq!(repeat(&subject, request("mine", "k", 1)).await, "receipt of k in mine");
    assert_eq!(subject.refusal(request("mine", "k", 2)).await, Error::KeyReused { key: "k".into() });
    assert_eq!(subject.everything().await.len(), 1);

    let receipt = |scope: &'static str, body| subject.log.receipt(scope, "k", [body; 32]);
    assert_eq!(receipt("mine", 1).await.unwrap().as_deref(), Some("receipt of k in mine"));
    assert_eq!(receipt("mine", 2).await, Err(Error::KeyReused { key: "k".into() }));
    assert_eq!(receipt("yours", 1).await.unwrap(), None);
    let mut other = request("yours", "k", 2);
    other.streams[0].expect = Expect::Version(1);
    subject.append(other).await;

    // Also when they arrive together.
    let together: Vec<_> = (0..20)
        .map(|_| {
            let log = subject.log.clone();
            let batch = control("b", Expect::Any, &["x"]).and_key("mine", "together", 1);
            tokio::spawn(async move { log.append(batch).await.unwrap() })
        })
        .collect();
    let mut stored = 0;
    for task in together {
        stored += usize::from(matches!(task.await.unwrap(), Appended::New { .. }));
    }
    assert_eq!(stored, 1);
    assert_eq!(subject.log.head("b").await.unwrap().unwrap().version, 1);
}

/// Receipts outlive the process and the text that the request was about.
pub async fn a_key_survives_reopening_and_erasure(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    subject.append(request("mine", "k", 1)).await;
    subject.reopen().await;
    assert_eq!(repeat(&subject, request("mine", "k", 1)).await, "receipt of k in mine");
    for erase in
        [Erasure::Contents { stream: "a".into(), keep: vec![] }, Erasure::Stream { stream: "a".into() }]
    {
        let mut erasing = control("a", Expect::Any, &["erased"]);
        erasing.erase = Some(erase);
        subject.append(erasing).await;
        assert_eq!(repeat(&subject, request("mine", "k", 1)).await, "receipt of k in mine");
    }
    subject.reopen().await;
    assert_eq!(subject.refusal(request("mine", "k", 2)).await, Error::KeyReused { key: "k".into() });
}

/// A refused caller may try again under the same key.
pub async fn a_refused_batch_does_not_use_its_key(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let mut wrong = request("mine", "k", 1);
    wrong.streams[0].expect = Expect::Version(5);
    assert!(matches!(subject.refusal(wrong).await, Error::Conflict { .. }));
    subject.append(request("mine", "k", 2)).await;
}

/// After thirty days a key is free again.
pub async fn keys_expire(engine: &impl Engine) {
    let subject = Subject::new(engine);
    subject.append(request("mine", "k", 1)).await;
    subject.set_clock(START + KEY_LIFETIME - 1);
    assert_eq!(repeat(&subject, request("mine", "k", 1)).await, "receipt of k in mine");
    subject.set_clock(START + KEY_LIFETIME);
    assert_eq!(subject.log.receipt("mine", "k", [1; 32]).await.unwrap(), None);
    let again = || control("a", Expect::Any, &["x"]).and_key("mine", "k", 2);
    subject.append(again()).await;
    assert_eq!(repeat(&subject, again()).await, "receipt of k in mine");
    assert_eq!(subject.everything().await.len(), 2);
}

fn request(scope: &str, key: &str, body: u8) -> Batch {
    control("a", Expect::Version(0), &["x"]).and_key(scope, key, body)
}

async fn repeat<E: Engine>(subject: &Subject<'_, E>, batch: Batch) -> String {
    match subject.log.append(batch).await.unwrap() {
        Appended::Repeat { receipt } => receipt,
        stored @ Appended::New { .. } => panic!("it was stored again: {stored:?}"),
    }
}
