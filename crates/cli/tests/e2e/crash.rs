//! The daemon is killed, at every step: nothing acknowledged is lost, nothing runs on, nothing happens twice.

use std::collections::BTreeMap;

use paseo_wire::change::SessionChange;
use paseo_wire::item::ItemBody;
use paseo_wire::stream::Frame;
use paseo_wire::words::{Decision, ItemKind, Status};

use crate::watch::{Watched, next, until};

const TURN: &str =
    "<<think first>><<stream 40ms one two three four>><<sh echo hello>><<usage 3 4>><<say done>>";

#[tokio::test]
async fn nothing_is_lost_when_the_daemon_dies_at_any_step_of_a_turn() {
    let watched = Watched::new();
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for step in 1.. {
        let created = watched.create(TURN).await;
        let session = created.session.id.as_str();
        let first = created.receipt.unwrap();
        let second = watched.send(session, "<<say second>>").await;
        let mut events = watched.follow(session, first.seq);
        let mut stored = 0;
        let last = loop {
            match next(&mut events).await {
                Frame::Event(frame)
                    if matches!(frame.change, SessionChange::TurnEnded { .. })
                        && frame.view.as_ref().is_some_and(|v| v.turn.is_none() && v.queued == 0) =>
                {
                    break true;
                }
                Frame::Event(_) | Frame::Item(_) => stored += 1,
                Frame::Live(_)
                | Frame::Thread(_)
                | Frame::Team(_)
                | Frame::Cause(_)
                | Frame::Resume(_)
                | Frame::Cursor(_) => {}
            }
            if stored == step {
                break false;
            }
        };
        let before: Vec<u32> = watched.home.processes();
        watched.crash();
        let status = watched.settled(session).await;
        assert!(["idle", "interrupted"].contains(&status.as_str()), "step {step}: {status}");

        let left: Vec<u32> =
            watched.home.processes().into_iter().filter(|pid| before.contains(pid)).collect();
        assert!(left.is_empty(), "step {step}: processes from before the crash are left: {left:?}");
        let running = watched.client.status().await.unwrap().sessions;
        assert!(
            ![Status::Running, Status::Starting, Status::Waiting].iter().any(|at| running.contains_key(at)),
            "step {step}: {running:?}"
        );

        let items = watched.items(session).await;
        for receipt in [&first, &second] {
            let there = items.iter().filter(|item| item.delivery() == Some(&receipt.delivery)).count();
            assert_eq!(there, 1, "step {step}: a message is there {there} times: {items:#?}");
        }
        let stage = watched.client.delivery(session, &first.delivery).await.unwrap().stage;
        assert!(["answered", "interrupted"].contains(&stage.as_str()), "step {step}: {stage}");
        *outcomes.entry(stage.to_string()).or_default() += 1;
        let stage = watched.client.delivery(session, &second.delivery).await.unwrap().stage;
        assert!(["answered", "interrupted"].contains(&stage.as_str()), "step {step}: {stage}");

        let calls = items.iter().filter(|item| item.kind() == ItemKind::ToolCall).count();
        let results = items.iter().filter(|item| item.kind() == ItemKind::ToolResult).count();
        assert_eq!(calls, results, "step {step}: a tool call dangles");
        if last {
            break;
        }
    }
    // The walk met turns that were cut off and turns that were over.
    assert!(outcomes.values().sum::<usize>() > 8, "{outcomes:?}");
    assert!(outcomes.get("interrupted").is_some_and(|count| *count > 3), "{outcomes:?}");
    assert!(outcomes.contains_key("answered"), "{outcomes:?}");
}

#[tokio::test]
async fn a_stream_has_neither_gap_nor_duplicate_across_crashes() {
    let watched = Watched::new();
    let created = watched.create("<<say 0>>").await;
    let session = created.session.id.clone();
    let mut events = watched.follow(&session, 0);
    let (mut seqs, mut ordinals) = (Vec::new(), Vec::new());
    for round in 1..=3 {
        for n in 0..10 {
            watched.send(&session, &format!("<<say {round}.{n}>>")).await;
        }
        watched.crash();
        watched.settled(&session).await;
    }
    let head = watched.client.status().await.unwrap().seq;
    // One more event, so that there is a last one to wait for.
    watched.client.close(&session).await.unwrap();
    until(&mut events, |frame| {
        match frame {
            Frame::Event(frame) => seqs.push(frame.seq),
            Frame::Item(frame) => {
                seqs.push(frame.item.seq);
                ordinals.push(frame.item.ordinal);
            }
            Frame::Live(_) | Frame::Thread(_) | Frame::Team(_) | Frame::Cause(_) | Frame::Resume(_) | Frame::Cursor(_) => {}
        }
        matches!(frame, Frame::Event(frame) if matches!(frame.change, SessionChange::Closed {}) && frame.seq > head)
    })
    .await;
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "out of order or twice: {seqs:?}");
    let stored: Vec<u64> = watched.items(&session).await.iter().map(|item| item.ordinal).collect();
    assert_eq!(ordinals, stored);
}

#[tokio::test]
async fn an_ask_that_was_open_when_the_daemon_died_is_visibly_withdrawn() {
    let watched = Watched::new();
    let created = watched.create("<<ask May I?>><<say done>>").await;
    let session = created.session.id.as_str();
    let mut events = watched.follow(session, created.receipt.unwrap().seq);
    until(&mut events, |frame| matches!(frame, Frame::Event(event) if matches!(event.change, SessionChange::PermissionRequested { .. })))
        .await;
    watched.crash();
    assert_eq!(watched.settled(session).await, "interrupted");
    let items = watched.items(session).await;
    let decisions: Vec<_> = items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Permission(asked) => Some(asked.decision.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(decisions, [None, Some(Decision::Withdrawn)]);
}

#[tokio::test]
async fn what_was_said_before_a_stop_is_kept() {
    let watched = Watched::new();
    let created =
        watched.create("<<stream 20ms one two three four five six seven eight nine ten>><<hang>>").await;
    let session = created.session.id.as_str();
    let mut events = watched.follow(session, created.receipt.unwrap().seq);
    until(&mut events, |frame| crate::watch::shows(frame, "three")).await;
    watched.client.close(session).await.unwrap();
    let items = watched.items(session).await;
    let said = items
        .iter()
        .find(|item| item.kind() == ItemKind::AssistantText)
        .and_then(|item| item.text.clone())
        .unwrap();
    assert!(said.starts_with("one two three"), "{said}");
    assert!(items.iter().any(|item| item.code() == Some("interrupted")));
}

#[tokio::test]
async fn deleting_takes_everything_with_it_whatever_arrives_meanwhile() {
    let watched = Watched::new();
    let created = watched.create("<<sh trap '' TERM; while :; do sleep 4009; done>>").await;
    let session = created.session.id.clone();
    let mut events = watched.follow(&session, created.receipt.unwrap().seq);
    until(&mut events, |frame| matches!(frame, Frame::Event(event) if matches!(event.change, SessionChange::TurnConfirmed { .. }))).await;
    let sends = async {
        for n in 0..40 {
            let text = format!("unforgettable-{n}");
            let message = paseo_wire::message::SendMessage {
                text,
                verb: Default::default(),
                wait: false,
                attachments: Vec::new(),
                output_schema: None,
            };
            let _ = watched.client.send(&session, &message, None).await;
        }
    };
    let (deleted, ()) = tokio::join!(watched.client.delete_session(&session, true), sends);
    deleted.unwrap();
    assert_eq!(watched.home.paseo(&["ls", "-a", "-g", "-q"]).ok(), "");
    watched.home.paseo(&["down"]).ok();
    for entry in std::fs::read_dir(watched.home.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(13).any(|window| window == b"unforgettable"), "{}", path.display());
        }
    }
}
