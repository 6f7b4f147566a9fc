//! The daemon goes in the middle of a turn of an agent elsewhere, and comes back: the turn goes on.

use paseo_wire::words::ItemKind;

use crate::cast::Cast;
use crate::far_agent::{Reply, answer, meet};

/// How the daemon goes.
#[derive(Debug, Clone, Copy)]
enum Way {
    Killed,
    Stopped,
}

const WAYS: [Way; 2] = [Way::Killed, Way::Stopped];

fn restart(cast: &Cast, way: Way) {
    match way {
        Way::Killed => cast.0.crash(),
        Way::Stopped => {
            assert!(cast.0.home.stop_daemon());
            cast.0.home.paseo(&["up"]).ok();
        }
    }
}

#[tokio::test]
async fn a_turn_that_was_handed_over_is_answered_after_the_restart() {
    for way in WAYS {
        let (cast, far, session) = meet(Some("long work")).await;
        let posted = far.next();
        cast.until_heard(&session, "long work").await;
        let waits = cast.0.send(&session, "and then").await;
        restart(&cast, way);
        let view = cast.view(&session).await;
        assert_eq!((view.status.as_str(), view.queued), ("running", 1), "{way:?}");
        assert!(far.is_quiet(), "{way:?}: it has it already");
        assert_eq!(answer(&cast, &posted, "done").await, 200);
        let next = far.next();
        assert_eq!(next.body["message"]["text"], "and then");
        assert_eq!(answer(&cast, &next, "done again").await, 200);
        assert_eq!(cast.said(&session).await, ["done", "done again"], "{way:?}");
        assert_eq!(cast.heard(&session).await, ["long work", "and then"], "{way:?}");
        let stage = cast.0.client.delivery(&session, &waits.delivery).await.unwrap().stage;
        assert_eq!(stage.as_str(), "answered");
    }
}

#[tokio::test]
async fn a_message_that_was_on_its_way_is_posted_again_under_the_same_key() {
    for (way, reply) in [
        (Way::Killed, Reply::Silence),
        (Way::Stopped, Reply::Silence),
        (Way::Killed, Reply::Status(503)),
        (Way::Stopped, Reply::Status(503)),
    ] {
        let (cast, far, session) = meet(None).await;
        far.plan(&[reply, Reply::Status(202)]);
        cast.0.send(&session, "once").await;
        let first = far.next();
        if let Reply::Status(_) = reply {
            cast.until(&session, |items| items.iter().any(|item| item.kind() == ItemKind::Notice)).await;
        }
        restart(&cast, way);
        let again = far.next();
        assert_eq!(again.headers["idempotency-key"], first.headers["idempotency-key"]);
        assert_eq!(again.body["message"], first.body["message"]);
        assert_eq!(again.body["deliveryIds"], first.body["deliveryIds"]);
        // Either of the two was taken; the agent knows that they are one.
        assert_eq!(answer(&cast, &first, "done").await, 200);
        assert_eq!(answer(&cast, &again, "done").await, 200);
        assert_eq!(cast.0.settled(&session).await, "idle");
        assert_eq!(cast.said(&session).await, ["done"], "{way:?}");
        assert_eq!(cast.heard(&session).await, ["once"], "{way:?}");
        assert_eq!(cast.view(&session).await.turns, 1);
    }
}

#[tokio::test]
async fn that_nobody_is_there_is_said_once_in_a_turn_whatever_happens() {
    for way in WAYS {
        let (cast, far, session) = meet(None).await;
        far.plan(&[Reply::Status(503)]);
        cast.0.send(&session, "once").await;
        far.next();
        cast.until(&session, |items| items.iter().any(|item| item.kind() == ItemKind::Notice)).await;
        // What was to be tried again may be, before the daemon is gone.
        far.plan(&[Reply::Status(503), Reply::Status(503)]);
        restart(&cast, way);
        cast.until_heard(&session, "once").await;
        let posted = far.next();
        assert_eq!(answer(&cast, &posted, "done").await, 200);
        let items = cast.0.items(&session).await;
        let retries = items.iter().filter(|item| item.kind() == ItemKind::Notice).count();
        assert_eq!(retries, 1, "{way:?}: {items:#?}");
    }
}

#[tokio::test]
async fn an_answer_that_was_acknowledged_is_there_and_not_recorded_again() {
    let (cast, far, session) = meet(Some("work")).await;
    let posted = far.next();
    assert_eq!(answer(&cast, &posted, "done").await, 200);
    cast.0.crash();
    assert_eq!(cast.said(&session).await, ["done"]);
    assert_eq!(answer(&cast, &posted, "done").await, 200);
    assert_eq!((cast.said(&session).await.len(), cast.view(&session).await.turns), (1, 1));
    // What is stopped after a restart is over, and what is answered then is late.
    cast.0.send(&session, "more").await;
    let more = far.next();
    cast.until_heard(&session, "more").await;
    cast.0.crash();
    cast.0.home.paseo(&["stop", &session]).ok();
    assert_eq!(cast.0.settled(&session).await, "idle");
    assert_eq!(answer(&cast, &more, "too late").await, 200);
    assert_eq!(cast.said(&session).await, ["done", "too late"]);
}
