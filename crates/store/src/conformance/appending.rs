//! What a batch may do.

use super::Engine;
use super::subject::{Build, START, Subject, batch, control, event, fresh_id};
use crate::{Body, Error, Expect, Fence, MAX_DATA, NewEvent, StreamAppend};

/// Control events come first, then items, and everything about them is kept.
pub async fn events_come_back_in_order_and_whole(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let content = fresh_id();
    let mut first = control("b", Expect::Version(0), &["one", "two"])
        .and_item("a", Some(content))
        .and_control("a", Expect::Any, &["three"])
        .and_item("b", None)
        .and_content(content, "a", "hello");
    first.streams[0].events[0] =
        NewEvent { id: fresh_id(), kind: "one".into(), v: 7, data: r#"{"n":1}"#.into() };
    let one = first.streams[0].events[0].clone();
    let stored = subject.append(first).await;
    assert_eq!((stored.seq, stored.ts), (5, START));
    assert_eq!((stored.versions, stored.ordinals), (vec![2, 1], vec![1, 1]));
    subject.append(control("b", Expect::Version(2), &["four"]).and_item("b", None)).await;

    let records = subject.everything().await;
    let seen: Vec<_> = records
        .iter()
        .map(|record| {
            let place = match &record.body {
                Body::Control { version } => format!("v{version}"),
                Body::Item { ordinal, content } => {
                    format!("i{ordinal}{}", if content.is_some() { "+" } else { "" })
                }
            };
            format!("{} {} {} {place}", record.seq, record.stream, record.kind)
        })
        .collect();
    assert_eq!(
        seen,
        [
            "1 b one v1",
            "2 b two v2",
            "3 a three v1",
            "4 a said i1+",
            "5 b said i1",
            "6 b four v3",
            "7 b said i2"
        ]
    );
    let record = &records[0];
    assert_eq!((record.id, record.v, record.data.as_ref()), (one.id, 7, Some(&one.data)));
    assert_eq!((record.actor.as_str(), record.ts), ("tester", START));
    assert_eq!(subject.log.read_stream("a", 0, 10).await.unwrap(), [records[2].clone()]);
}

/// A conflict in one stream keeps everything else of the batch out.
pub async fn several_streams_are_all_or_nothing(engine: &impl Engine) {
    let subject = Subject::new(engine);
    subject.append(control("a", Expect::Any, &["one"])).await;
    let content = fresh_id();
    let torn = control("new", Expect::Version(0), &["two"])
        .and_control("a", Expect::Version(0), &["three"])
        .and_item("a", Some(content))
        .and_content(content, "a", "text")
        .and_key("scope", "key", 1);
    let refusal = subject.refusal(torn).await;
    assert_eq!(refusal, Error::Conflict { stream: "a".into(), expected: 0, actual: 1 });

    assert_eq!(subject.everything().await.len(), 1);
    assert_eq!(subject.log.head("new").await.unwrap(), None);
    assert_eq!(subject.log.names("", 10).await.unwrap(), ["a"]);
    assert_eq!(subject.log.content(content).await.unwrap(), None);
    assert_eq!(subject.log.receipt("scope", "key", [1; 32]).await.unwrap(), None);
    assert_eq!(subject.append(control("a", Expect::Version(1), &["four"])).await.seq, 2);
}

/// Only the version that the stream has is accepted.
pub async fn expected_versions_are_kept(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let refused = |expected, actual| Error::Conflict { stream: "a".into(), expected, actual };
    assert_eq!(subject.refusal(control("a", Expect::Version(1), &["x"])).await, refused(1, 0));
    subject.append(control("a", Expect::Version(0), &["x", "y"])).await;
    assert_eq!(subject.refusal(control("a", Expect::Version(0), &["x"])).await, refused(0, 2));
    assert_eq!(subject.refusal(control("a", Expect::Version(3), &["x"])).await, refused(3, 2));
    // Items take no version.
    subject.append(batch().and_item("a", None)).await;
    subject.reopen().await;
    assert_eq!(subject.refusal(control("a", Expect::Version(1), &["x"])).await, refused(1, 2));
    // A stream without events in the batch is only checked.
    let guarded = |n| control("b", Expect::Any, &["x"]).and_control("a", Expect::Version(n), &[]);
    assert_eq!(subject.refusal(guarded(1)).await, refused(1, 2));
    assert_eq!(subject.append(guarded(2)).await.versions, [1, 2]);
    assert_eq!(subject.append(control("a", Expect::Any, &["z"])).await.versions, [3]);
}

/// Each part sees what the parts before it did.
pub async fn a_stream_may_be_named_twice(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let twice = control("a", Expect::Version(0), &["x", "y"]).and_control("a", Expect::Version(2), &["z"]);
    assert_eq!(subject.append(twice).await.versions, [2, 3]);
    assert_eq!(subject.log.head("a").await.unwrap().unwrap().state, b"3 6 x,y,z,");
    assert_eq!(subject.log.read_stream("a", 0, 10).await.unwrap().len(), 3);
}

/// It can be used to store text or to check versions, and says where the log is.
pub async fn a_batch_without_events_returns_the_head(engine: &impl Engine) {
    let subject = Subject::new(engine);
    subject.append(control("a", Expect::Any, &["x", "y"])).await;
    let content = fresh_id();
    let stored = subject.append(batch().and_content(content, "a", "text")).await;
    assert_eq!((stored.seq, stored.ts, stored.versions.len()), (2, START, 0));
    assert_eq!(subject.log.text(content).await.unwrap().as_deref(), Some("text"));
}

/// Good and bad batches that arrive together do not disturb each other.
pub async fn a_refused_batch_leaves_its_neighbours_alone(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let mut appends = Vec::new();
    for n in 0..60 {
        let stream = format!("s{n}");
        appends.push(match n % 3 {
            0 => control(&stream, Expect::Version(0), &["x"]),
            1 => control(&stream, Expect::Version(9), &["x"]),
            _ => control(&stream, Expect::Any, &["x", "impossible"]),
        });
    }
    let tasks: Vec<_> = appends
        .into_iter()
        .map(|append| {
            let log = subject.log.clone();
            tokio::spawn(async move { log.append(append).await })
        })
        .collect();
    for (n, task) in tasks.into_iter().enumerate() {
        assert_eq!(task.await.unwrap().is_ok(), n % 3 == 0, "batch {n}");
    }
    let records = subject.everything().await;
    assert_eq!(records.len(), 20);
    assert!(records.iter().zip(1..).all(|(record, seq)| record.seq == seq));
    assert_eq!(subject.log.names("", 100).await.unwrap().len(), 20);
}

/// What can never be stored is refused, and nothing of it is stored.
pub async fn invalid_batches_are_refused(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let with = |kind: &str, data: &str| {
        let mut batch = control("good", Expect::Any, &["x"]);
        batch.streams.push(StreamAppend {
            stream: "a".into(),
            expect: Expect::Any,
            events: vec![event(kind, data)],
        });
        batch
    };
    let mut long_item = control("good", Expect::Any, &["x"]).and_item("a", None);
    long_item.items[0].data = "x".repeat(MAX_DATA + 1);
    let twice = fresh_id();
    let invalid = [
        with("x", &"x".repeat(MAX_DATA + 1)),
        with("x", ""),
        with("", "{}"),
        long_item,
        control("good", Expect::Any, &["x"]).and_control("", Expect::Any, &["x"]),
        control("good", Expect::Any, &["x"]).and_item("a", Some(fresh_id())),
        control("good", Expect::Any, &["x"]).and_content(twice, "a", "1").and_content(twice, "a", "2"),
    ];
    for batch in invalid {
        let refusal = subject.refusal(batch).await;
        assert!(matches!(refusal, Error::Invalid(_)), "{refusal:?}");
    }
    assert_eq!(subject.everything().await, []);
    assert_eq!(subject.append(with("x", &"x".repeat(MAX_DATA))).await.seq, 2);
}

/// What the fold cannot take is not stored.
pub async fn the_fold_can_refuse(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let refusal = subject.refusal(control("a", Expect::Any, &["x", "impossible"])).await;
    assert_eq!(refusal, Error::Invalid("this cannot happen".into()));
    assert_eq!(subject.everything().await, []);
    assert_eq!(subject.log.head("a").await.unwrap(), None);
}

/// A writer that lost a stream writes nothing more, to any stream.
pub async fn a_fence_stops_a_former_owner(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let fenced = |epoch| {
        let mut batch = control("other", Expect::Any, &["x"]).and_item("a", None);
        batch.fence = Some(Fence { stream: "a".into(), epoch });
        batch
    };
    let refused = |expected, actual| Error::Fenced { stream: "a".into(), expected, actual };
    assert_eq!(subject.refusal(fenced(1)).await, refused(1, 0));
    subject.append(control("a", Expect::Any, &["owned"])).await;
    subject.append(fenced(1)).await;
    subject.append(control("a", Expect::Any, &["owned"])).await;
    assert_eq!(subject.refusal(fenced(1)).await, refused(1, 2));
    subject.reopen().await;
    assert_eq!(subject.refusal(fenced(1)).await, refused(1, 2));
    subject.append(fenced(2)).await;
    assert_eq!(subject.everything().await.len(), 6);
}

/// A clock that jumps back stands still for the streams that it has seen.
pub async fn time_never_goes_backwards_within_a_stream(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    assert_eq!(subject.append(control("a", Expect::Any, &["x"])).await.ts, START);
    subject.set_clock(START + 500);
    assert_eq!(subject.append(batch().and_item("a", None)).await.ts, START + 500);
    subject.set_clock(START - 1000);
    assert_eq!(subject.append(control("a", Expect::Any, &["y"])).await.ts, START + 500);
    assert_eq!(subject.append(control("b", Expect::Any, &["y"])).await.ts, START - 1000);
    // A batch has one time, which suits all of its streams.
    assert_eq!(subject.append(control("b", Expect::Any, &["z"]).and_item("a", None)).await.ts, START + 500);
    subject.reopen().await;
    assert_eq!(subject.append(control("b", Expect::Any, &["z"])).await.ts, START + 500);

    let records = subject.everything().await;
    for stream in ["a", "b"] {
        let times: Vec<_> = records.iter().filter(|record| &*record.stream == stream).map(|r| r.ts).collect();
        assert!(times.is_sorted(), "{stream}: {times:?}");
    }
    assert_eq!(subject.log.head("a").await.unwrap().unwrap().ts, START + 500);
}

/// The log does not know kinds, so it keeps all.
pub async fn unknown_kinds_are_kept(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let strange = ["from.the.future/9", "ein Wort", "\u{1f980}", "'; DROP TABLE event; --"];
    let mut batch = control("a", Expect::Any, &strange);
    batch.streams[0].events[0].v = u16::MAX;
    batch.streams[0].events[1].data = "this is not JSON".into();
    subject.append(batch).await;
    subject.reopen().await;
    let records = subject.everything().await;
    assert_eq!(records.iter().map(|record| record.kind.as_str()).collect::<Vec<_>>(), strange);
    assert_eq!(records[0].v, u16::MAX);
    assert_eq!(records[1].data.as_deref(), Some("this is not JSON"));
}
