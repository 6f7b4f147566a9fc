//! What people do to messages that wait: `paseo queue` and its routes.

use paseo_wire::change::SessionChange;
use paseo_wire::error::Code;
use paseo_wire::message::EditMessage;
use paseo_wire::stream::Frame;
use serde_json::json;

use crate::cast::{Cast, WAIT, release};
use crate::screens::{assert_said, assert_told};
use crate::watch::{Watched, until};
use crate::{home, json as parsed, start_hanging};

#[test]
fn what_waits_is_edited_moved_and_canceled() {
    let home = home();
    let handle = start_hanging(&home);
    let send = |text: &str| home.paseo(&["send", "-q", &handle, text]).ok().to_owned();
    let (one, two, three) = (send("one"), send("two"), send("three"));
    let rows = || parsed(&home.paseo(&["queue", "--json", &handle]))["messages"].as_array().unwrap().clone();
    for (position, row) in (1..).zip(rows()) {
        assert_eq!(row["position"], json!(position));
        let may = [&row["editable"], &row["movable"], &row["releasable"]];
        assert_eq!(may, [&json!(true), &json!(true), &json!(false)], "{row}");
    }
    assert_said!(home, home.paseo(&["queue", &handle, "--edit", &one, "first"]).ok(), @"Edited the message");
    let again = home.paseo(&["queue", &handle, "--edit", &one, "first"]);
    assert_said!(home, again.ok(), @"The message already has this text");
    let moved = || home.paseo(&["queue", &handle, "--move", &three, "--before", &one]);
    assert_said!(home, moved().ok(), @"Moved the message");
    assert_said!(home, moved().ok(), @"The message is already in that position");
    assert_said!(home, home.paseo(&["queue", &handle, "--cancel", &two]).ok(), @"Canceled the message");
    let texts: Vec<String> = rows().iter().map(|row| row["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(texts, ["three", "first"]);
    assert_eq!(home.paseo(&["queue", &handle, "--cancel", &two]).code, 6, "it is gone");
    assert_eq!(home.paseo(&["queue", &handle, "--cancel", "zzzz"]).code, 3);
    assert_eq!(home.paseo(&["queue", &handle, "--edit", &one, " "]).code, 2);
    assert_eq!(home.paseo(&["queue", &handle, "--move", &one]).code, 2, "but where to?");
    let traced = home.paseo(&["trace", &one]);
    assert_told!(home, traced);
}

#[test]
fn a_release_lets_a_stopped_agent_go_on_with_that_message() {
    let home = home();
    let handle = start_hanging(&home);
    home.paseo(&["send", "-q", &handle, "<<say one>>"]).ok();
    let two = home.paseo(&["send", "-q", &handle, "<<say two>>"]).ok().to_owned();
    home.paseo(&["stop", &handle]).ok();
    home.paseo(&["wait", &handle]).ok();
    home.paseo(&["queue", &handle, "--release", &two]).ok();
    home.paseo(&["wait", &handle]).ok();
    assert_eq!(home.paseo(&["read", &handle]).ok(), "two");
    let left = parsed(&home.paseo(&["queue", "--json", &handle]));
    assert_eq!(
        (left["messages"].as_array().unwrap().len(), &left["messages"][0]["releasable"]),
        (1, &json!(true))
    );
    home.paseo(&["queue", &handle, "--release-all"]).ok();
    home.paseo(&["wait", &handle]).ok();
    assert_eq!(home.paseo(&["read", &handle]).ok(), "one");
    let none = home.paseo(&["queue", &handle, "--release-all"]);
    assert_said!(home, none.ok(), @"aaa1 has no held messages");
}

#[tokio::test]
async fn what_is_handed_over_is_locked() {
    let watched = Watched::new();
    let created = watched.create("<<say started>><<hang>>").await;
    let (session, first) = (created.session.id.to_string(), created.receipt.unwrap().delivery);
    watched.runs(&session).await;
    let refused = watched.client.cancel_queued(&session, &first, None).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::Conflict), "{refused}");
    let edit = EditMessage { text: "other".into() };
    let refused = watched.client.edit_queued(&session, &first, &edit, None).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::Conflict), "{refused}");
}

#[tokio::test]
async fn everybody_sees_a_change_and_a_key_makes_it_once() {
    let watched = Watched::new();
    let created = watched.create("<<say started>><<hang>>").await;
    let session = created.session.id.to_string();
    let sent = watched.send(&session, "x").await;
    let mut events = watched.follow(&session, sent.seq);
    let long = EditMessage { text: "y".repeat(9_000) };
    watched.client.edit_queued(&session, &sent.delivery, &long, None).await.unwrap();
    assert_eq!(watched.client.queued_text(&session, &sent.delivery).await.unwrap(), long.text);
    for _ in 0..2 {
        let done = watched.client.cancel_queued(&session, &sent.delivery, Some("once")).await.unwrap();
        assert!(done.changed, "the repeat gets the first answer");
    }
    let of = |frame: &Frame, wanted: fn(&SessionChange) -> bool| matches!(frame, Frame::Event(event) if wanted(&event.change));
    until(&mut events, |frame| of(frame, |change| matches!(change, SessionChange::MessageEdited { .. })))
        .await;
    until(&mut events, |frame| of(frame, |change| matches!(change, SessionChange::MessageCancelled { .. })))
        .await;
}

#[tokio::test]
async fn an_agent_whose_message_is_canceled_is_told_once_and_may_cancel_nothing() {
    let cast = Cast::new(&["perm_send_to_tab"]);
    let target = cast.start("default", WAIT).await;
    cast.until_calling(&target.id).await;
    let caller = cast.idle("default").await;
    let input = json!({ "tab_id": target.handle, "message": "please" });
    cast.call(&caller.id, "send_to_tab", &input).await.ok();
    let queue = cast.0.client.queue(&target.id).await.unwrap();
    let message = &queue.messages[0];
    assert!(!message.editable && message.movable);
    let edit = EditMessage { text: "never".into() };
    let refused = cast.0.client.edit_queued(&target.id, &message.delivery, &edit, None).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::Forbidden), "{refused}");
    // An agent's own shell acts as that agent.
    let attempt =
        format!("<<sh paseo queue {} --cancel {} 2\\>&1 || true>>", target.handle, message.delivery);
    cast.0.send(&caller.id, &attempt).await;
    cast.0.settled(&caller.id).await;
    let told = cast.called(&caller.id).await.pop().unwrap();
    assert_said!(cast.0.home, &told.text, @r"
    error: only people can do this, and you are calling as an agent
     hint: ask a person; this process belongs to agent aaa1
    ");
    assert_eq!(cast.view(&target.id).await.queued, 1);

    cast.0.client.cancel_queued(&target.id, &message.delivery, None).await.unwrap();
    cast.0.crash();
    release(&cast);
    cast.0.send(&caller.id, "<<say on>>").await;
    cast.until_heard(&caller.id, "a person canceled it").await;
    cast.0.send(&caller.id, "<<say again>>").await;
    cast.0.settled(&caller.id).await;
    assert_eq!(cast.notices(&caller.id).await.len(), 1, "{:?}", cast.notices(&caller.id).await);
    let heard = cast.heard(&target.id).await;
    assert!(!heard.iter().any(|text| text.contains("please")), "{heard:?}");
}

#[tokio::test]
async fn a_rearranged_queue_survives_a_crash() {
    let watched = Watched::new();
    let created = watched.create("<<say started>><<hang>>").await;
    let session = created.session.id.to_string();
    watched.runs(&session).await;
    let mut sent = Vec::new();
    for text in ["<<say one>>", "<<say two>>", "<<say three>>"] {
        sent.push(watched.send(&session, text).await.delivery.to_string());
    }
    let edit = EditMessage { text: "<<say first>>".into() };
    watched.client.edit_queued(&session, &sent[0], &edit, None).await.unwrap();
    watched.home.paseo(&["queue", &session, "--move", &sent[2], "--first"]).ok();
    watched.client.cancel_queued(&session, &sent[1], None).await.unwrap();
    watched.crash();
    watched.settled(&session).await;
    let items = watched.items(&session).await;
    let heard: Vec<&str> = items
        .iter()
        .filter(|item| item.delivery().is_some())
        .filter_map(|item| item.text.as_deref())
        .collect();
    assert!(heard.ends_with(&["<<say three>>", "<<say first>>"]), "{heard:?}");
}
