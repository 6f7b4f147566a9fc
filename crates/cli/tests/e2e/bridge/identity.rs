//! Who somebody is, whatever they say.

use std::time::Instant;

use paseo_core::limits::THREAD_POSTS_PER_MINUTE;
use serde_json::json;

use super::{Bridge, Client, PATIENCE, words};
use crate::screens::assert_said;

#[test]
fn nobody_speaks_for_another() {
    let bridge = Bridge::new(&["ada", "eve"]);
    let ada = bridge.seat("ada");
    for from in ["user", "eve", "User", "ADA", "ada ", "us\u{200b}er", "\u{430}da", "bridge-coordinator", ""]
    {
        for kind in ["message", "control"] {
            let forged = json!({"type": kind, "from": from, "content": {"pause": {}}});
            let refused = bridge.post(&ada, &forged);
            assert_eq!(refused.refused(), (403, "identity_mismatch"), "{from}");
            let told = refused.body["error"]["message"].as_str().unwrap();
            assert!(told.is_ascii(), "{told}");
            assert_said!(bridge.home, told.split(';').next().unwrap(), @"this token belongs to `ada` in this thread");
        }
    }
    // A person is `user`, and no participant.
    let posed = bridge.post(&bridge.user, &json!({"from": "ada", "content": "hi"}));
    assert_eq!(posed.refused(), (403, "identity_mismatch"));
    assert_eq!(bridge.user.post("/threads", &json!({"from": "ada"})).refused(), (403, "identity_mismatch"));
    let said = bridge.post(&bridge.user, &json!({"content": "hi"})).ok();
    assert_eq!((&said["received"], &said["event"]["from"]), (&json!(true), &json!("user")));
    assert_eq!(bridge.post(&ada, &json!({"content": "hi"})).ok()["event"]["from"], "ada");
    assert_eq!(bridge.events().iter().filter(|event| event["type"] == "message").count(), 2);
    assert_eq!(bridge.state()["paused"], false);
}

/// B34
#[test]
fn id_time_and_thread_are_not_for_clients_to_say() {
    let bridge = Bridge::new(&[]);
    let (other, first) = (bridge.another("other"), bridge.say("all", "one"));
    let forged = json!({
        "id": first["id"], "ts": "2099-01-01T00:00:00.000Z", "thread": other, "from": "user", "type": "message",
        "content": "two", "meta": {"tags": ["x"], "via": "me", "reply_to": first["id"], "wakes": ["ada"]},
    });
    let stored = bridge.post(&bridge.user, &forged).ok()["event"].clone();
    assert_ne!(stored["id"], first["id"]);
    assert!(
        stored["ts"].as_str() > first["ts"].as_str() && !stored["ts"].as_str().unwrap().starts_with("2099")
    );
    assert_eq!(stored["thread"], bridge.thread);
    assert_eq!(stored["meta"], json!({"reply_to": first["id"], "tags": ["x"]}));
    // Nobody is deaf for it, and nothing is elsewhere.
    let after =
        bridge.user.get(&bridge.path(&format!("events?since={}", stored["ts"].as_str().unwrap()))).ok();
    assert_eq!((&after["events"], &after["count"]), (&json!([]), &json!(0)));
    let next = bridge.say("all", "three");
    let seen =
        bridge.user.get(&bridge.path(&format!("events?since={}", stored["ts"].as_str().unwrap()))).ok();
    assert_eq!(seen["events"], json!([next]));
    assert_eq!(bridge.user.get(&format!("/threads/{other}/events")).ok()["count"], 1);
}

#[test]
fn what_is_not_there_is_said_to_be_not_there() {
    let bridge = Bridge::new(&["ada"]);
    let ghost = "/threads/019a0000-0000-7000-8000-000000000000/events";
    for path in [
        ghost,
        "/threads/nowhere/events",
        "/threads/nowhere/state",
        "/threads/nowhere/presence",
        "/threads/x/events/stream",
    ] {
        assert_eq!(bridge.user.get(path).refused(), (404, "not_found"), "{path}");
    }
    assert_eq!(bridge.user.post(ghost, &json!({"content": "boo"})).refused(), (404, "not_found"));
    assert_eq!(bridge.user.get("/threads").ok()["threads"].as_array().unwrap().len(), 1);
    for wrong in [
        json!({"from": "user"}),
        json!({"content": ""}),
        json!({"content": " \n"}),
        json!({"content": null}),
        json!({"type": "thread.created", "content": {"name": "x"}}),
        json!({"type": "presence", "content": "x"}),
        json!({"type": 7, "content": "x"}),
        json!({"content": "x", "meta": {"reply_to": "01HX"}}),
        json!([]),
    ] {
        assert_eq!(bridge.post(&bridge.user, &wrong).refused(), (400, "invalid_request"), "{wrong}");
    }
    let since = bridge.user.get(&bridge.path("events?since=yesterday"));
    assert_eq!(since.refused(), (400, "invalid_request"));
    let long = json!({"content": "x".repeat(300 * 1024)});
    assert_eq!(bridge.post(&bridge.user, &long).refused(), (413, "too_large"));
    // An object is passed on as its words.
    let object = bridge.post(&bridge.user, &json!({"content": {"a": 1}})).ok();
    assert_eq!(words(&object["event"]), r#"{"a":1}"#);
    // A name is not needed.
    assert_eq!(bridge.user.post("/threads", &json!({})).ok()["name"], "Untitled");
}

#[test]
fn a_seat_is_good_for_its_thread_and_for_nothing_else() {
    let bridge = Bridge::new(&["ada"]);
    let (ada, other) = (bridge.seat("ada"), bridge.another("other"));
    let listed = ada.get("/threads").ok();
    assert_eq!(listed["threads"].as_array().unwrap().len(), 1);
    assert_eq!(listed["threads"][0]["id"], bridge.thread);
    // It does not even learn what there is.
    for thread in [other.as_str(), "other", "nowhere"] {
        assert_eq!(ada.get(&format!("/threads/{thread}/events")).refused(), (403, "forbidden"));
        assert_eq!(
            ada.post(&format!("/threads/{thread}/events"), &json!({"content": "x"})).refused(),
            (403, "forbidden")
        );
    }
    assert_eq!(ada.post("/threads", &json!({"name": "mine"})).refused(), (403, "forbidden"));
    let nobody = Client { token: "00".into(), ..ada.clone() };
    for path in ["/threads", &bridge.path("events"), &bridge.path("events/stream"), &bridge.path("state")] {
        assert_eq!(nobody.get(path).refused(), (401, "unauthenticated"), "{path}");
    }
    // A token that is taken back is worth nothing.
    let tokens = bridge.user.get("/api/tokens").ok();
    let token =
        tokens["tokens"].as_array().unwrap().iter().find(|token| token["name"] == "ada in plan").unwrap();
    bridge.home.paseo(&["token", "revoke", token["id"].as_str().unwrap()]).ok();
    assert_eq!(ada.get("/threads").refused(), (401, "unauthenticated"));
}

#[test]
fn a_participant_that_floods_is_slowed_down_and_the_others_are_heard() {
    let bridge = Bridge::new(&["ada", "eve"]);
    let (ada, eve) = (bridge.seat("ada"), bridge.seat("eve"));
    let say = |client: &Client, number: usize| bridge.post(client, &json!({"content": format!("{number}")}));
    for number in 0..THREAD_POSTS_PER_MINUTE {
        say(&ada, number).ok();
    }
    let refused = say(&ada, 0);
    assert_eq!(refused.refused(), (429, "too_many_messages"));
    let told = refused.body["error"]["message"].as_str().unwrap();
    assert_said!(bridge.home, &told.replace(|digit: char| digit.is_ascii_digit(), "0"), @"limit reached: a participant can post 00 messages per minute; wait 00 seconds");
    let invite = json!({"type": "control", "content": {"uninvite": {"participant_id": "eve"}}});
    assert_eq!(bridge.post(&ada, &invite).refused(), (429, "too_many_messages"));
    // By the other way it is no different.
    let natively = ada.post(&format!("/api/threads/{}/messages", bridge.thread), &json!({"text": "x"}));
    assert_eq!((natively.status, &natively.body["code"]), (429, &json!("too_many_messages")));
    // Everybody else speaks, and all can be read.
    say(&eve, 1).ok();
    bridge.say("all", "stop that");
    let heard = bridge.events().iter().filter(|event| event["type"] == "message").count();
    assert_eq!(heard, THREAD_POSTS_PER_MINUTE + 2);
    assert_eq!(ada.get(&bridge.path("events")).status, 200);
}

#[test]
fn an_agent_changes_no_thread_by_a_route_that_is_for_words() {
    let bridge = Bridge::new(&[]);
    let agents = bridge.home.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(
        agents.join("speaker.toml"),
        "provider = 'scripted'\ntoolDenylist = ['threads_invite']\ntools = ['bash', 'threads_*']\n",
    )
    .unwrap();
    bridge.home.trust();
    bridge.invite("speaker", json!({"client": "speaker"}));
    bridge.say("speaker", "<<sh echo $PASEO_TOKEN \\>token; mv token token-of>><<hang>>");
    let (path, deadline) = (bridge.home.work().join("token-of"), Instant::now() + PATIENCE);
    let token = loop {
        match std::fs::read_to_string(&path) {
            Ok(token) => break token.trim().to_owned(),
            Err(_) => assert!(Instant::now() < deadline, "no token"),
        }
        std::thread::yield_now();
    };
    let speaker = Client { token, ..bridge.user.clone() };
    let profile = json!({"client": "scripted", "model": "default"});
    for content in [
        json!({"invite": {"participant_id": "mole", "profile": profile}}),
        json!({"uninvite": {"participant_id": "speaker"}}),
    ] {
        let refused = bridge.post(&speaker, &json!({"type": "control", "content": content}));
        assert_eq!(refused.refused(), (403, "forbidden"), "{refused:#?}");
        assert!(
            refused.body["error"]["message"].as_str().unwrap().contains("threads_invite"),
            "{refused:#?}"
        );
    }
    bridge.post(&speaker, &json!({"content": "hi"})).ok();
}

#[test]
fn whoever_has_a_token_can_be_muted_and_imitated_by_nobody() {
    let bridge = Bridge::new(&[]);
    let eve = bridge.seat("alice");
    let profile = |nickname: &str| json!({"client": "scripted", "model": "default", "nickname": nickname});
    let invite = json!({"invite": {"participant_id": "mole", "profile": profile("aIice")}});
    let refused = bridge.post(&bridge.user, &json!({"type": "control", "content": invite}));
    assert_eq!(refused.refused(), (400, "invalid_request"), "{refused:#?}");
    for name in ["al1ce", "us3r", "human"] {
        let refused = bridge.home.paseo(&["thread", "token", &bridge.thread, "--as", name]);
        assert_ne!(refused.code, 0, "{name}");
    }
    for state in ["typ\u{200b}ing", "\u{202e}gnipyt"] {
        let refused = eve.post(&bridge.path("presence"), &json!({"state": state}));
        assert_eq!(refused.refused(), (400, "invalid_request"), "{state:?}");
    }
    assert_eq!(
        bridge.user.post("/threads", &json!({"name": "pl\u{200b}an"})).refused(),
        (400, "invalid_request")
    );
    // Before it has said anything.
    bridge.control(json!({"mute": {"targets": ["alice"]}}));
    assert_eq!(bridge.post(&eve, &json!({"content": "hi"})).refused(), (409, "participant_muted"));
}
