//! Stream heads.

use std::collections::BTreeMap;

use super::subject::{Build, Subject, batch, control, fresh_id};
use super::{Engine, SuiteFold};
use crate::{Body, Erasure, Expect, Fold, Head, Which};

/// Folding all events again gives what the log has kept all along.
pub async fn heads_equal_a_replay(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    for round in 0..30 {
        let content = fresh_id();
        let stream = format!("s{}", round % 4);
        let kinds = ["one", "owned", "closed"];
        let mut batch = control(&stream, Expect::Any, &kinds[..=round % 3])
            .and_control("shared", Expect::Any, &["x"])
            .and_item(&stream, Some(content))
            .and_content(content, &stream, "text");
        if round == 20 {
            batch.erase = Some(Erasure::Stream { stream: "s1".into() });
        }
        if round == 25 {
            batch.erase = Some(Erasure::Contents { stream: "s2".into(), keep: vec![] });
        }
        subject.append(batch).await;
    }
    subject.append(batch().and_item("only items", None)).await;
    assert_heads_equal_a_replay(&subject).await;
    subject.reopen().await;
    assert_heads_equal_a_replay(&subject).await;
}

/// A log that is opened again goes on where it was.
pub async fn heads_survive_reopening(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    subject.append(control("a", Expect::Any, &["x"]).and_item("a", None)).await;
    subject.reopen().await;
    let stored = subject.append(control("a", Expect::Version(1), &["y"]).and_item("a", None)).await;
    assert_eq!((stored.seq, stored.versions, stored.ordinals), (4, vec![2], vec![2]));
    assert_eq!(subject.log.head("a").await.unwrap().unwrap().state, b"2 4 x,y,");
    assert_eq!(subject.log.head("b").await.unwrap(), None);
}

/// Closed streams are not loaded at boot.
pub async fn live_heads_are_a_choice(engine: &impl Engine) {
    let subject = Subject::new(engine);
    subject.append(control("a", Expect::Any, &["x", "closed"])).await;
    subject.append(control("b", Expect::Any, &["x"])).await;
    subject.append(control("c", Expect::Any, &["closed"])).await;
    assert_eq!(list(&subject, "", Which::All, None, 10).await, ["a", "b", "c"]);
    assert_eq!(list(&subject, "", Which::Live, None, 10).await, ["b"]);
    subject.append(control("a", Expect::Any, &["opened"])).await;
    subject.append(control("b", Expect::Any, &["closed"])).await;
    assert_eq!(list(&subject, "", Which::Live, None, 10).await, ["a"]);
}

/// Heads come by name, in pages, for one kind of stream.
pub async fn heads_can_be_read_for_a_prefix(engine: &impl Engine) {
    let subject = Subject::new(engine);
    for name in ["session/c", "session", "session/a", "thread/a", "session0", "session/b", "cause/z"] {
        subject.append(control(name, Expect::Any, &["x"])).await;
    }
    for which in [Which::All, Which::Live] {
        let page = |after, limit| list(&subject, "session/", which, after, limit);
        assert_eq!(page(None, 2).await, ["session/a", "session/b"]);
        assert_eq!(page(Some("session/b"), 2).await, ["session/c"]);
        assert!(page(Some("session/c"), 2).await.is_empty());
        // A cursor outside of the range does no harm.
        assert_eq!(page(Some("a"), 1).await, ["session/a"]);
        assert!(page(Some("z"), 1).await.is_empty());
        assert_eq!(list(&subject, "session", which, None, 10).await.len(), 5);
        assert_eq!(list(&subject, "", which, None, 10).await.len(), 7);
    }
}

async fn list<E: Engine>(
    subject: &Subject<'_, E>,
    prefix: &str,
    which: Which,
    after: Option<&str>,
    limit: usize,
) -> Vec<String> {
    let heads = subject.log.heads(prefix, which, after, limit).await.unwrap();
    heads.into_iter().map(|row| row.stream.to_string()).collect()
}

async fn assert_heads_equal_a_replay<E: Engine>(subject: &Subject<'_, E>) {
    let mut replayed: BTreeMap<String, Head> = BTreeMap::new();
    for record in subject.everything().await {
        let head = replayed.entry(record.stream.to_string()).or_insert(Head {
            version: 0,
            state: Vec::new(),
            items: 0,
            ts: 0,
        });
        head.ts = record.ts;
        match record.body {
            Body::Item { .. } => head.items += 1,
            Body::Control { version } => {
                let prior = (head.version > 0).then_some(head.state.as_slice());
                head.state =
                    SuiteFold.fold(&record.stream, prior, std::slice::from_ref(&record)).unwrap().state;
                head.version = version;
            }
        }
    }
    let stored = subject.log.heads("", Which::All, None, 100).await.unwrap();
    let stored: BTreeMap<_, _> = stored.into_iter().map(|row| (row.stream.to_string(), row.head)).collect();
    assert_eq!(stored, replayed);
    for (name, head) in replayed {
        assert_eq!(subject.log.head(&name).await.unwrap(), Some(head));
    }
}
