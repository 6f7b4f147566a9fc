//! Who may speak, and who says so.

use serde_json::json;

use super::{Bridge, tags, words};

/// B9
#[test]
fn who_is_muted_is_not_woken_and_cannot_speak() {
    let bridge = Bridge::new(&["ada"]);
    let ada = bridge.seat("ada");
    bridge.control(json!({"mute": {"targets": ["ada"]}}));
    assert_eq!(bridge.state()["muted"], json!(["ada"]));
    assert_eq!(bridge.woken(&bridge.say("ada", "<<say x>>")), [""; 0]);
    let refused = bridge.post(&ada, &json!({"from": "ada", "content": "hi"}));
    assert_eq!(refused.refused(), (409, "participant_muted"));
    let error = &refused.body["error"];
    assert_eq!((&error["thread"], &error["participant"]), (&json!(bridge.thread), &json!("ada")));
    // Nothing else gets past it, under another name or as another kind of event.
    for event in [json!({"type": "note", "content": "hi"}), json!({"type": "result", "content": "hi"})] {
        assert_eq!(bridge.post(&ada, &event).refused(), (400, "invalid_request"));
    }
    bridge.control(json!({"unmute": {"targets": ["ada"]}}));
    assert_eq!(bridge.state()["muted"], json!([]));
    bridge.post(&ada, &json!({"content": "hi"})).ok();
    assert!(!bridge.events().iter().any(|event| event["from"] == "ada" && event["content"] != "hi"));
}

/// B10, B13
#[test]
fn in_a_paused_thread_people_are_heard_and_nobody_is_woken() {
    let bridge = Bridge::new(&["ada"]);
    let ada = bridge.seat("ada");
    bridge.control(json!({"pause": {}}));
    assert_eq!(bridge.state()["paused"], true);
    assert_eq!(bridge.post(&ada, &json!({"content": "hi"})).refused(), (409, "thread_paused"));
    let asked = bridge.say("ada", "<<say x>>");
    assert_eq!(bridge.woken(&asked), [""; 0]);
    bridge.control(json!({"pause": {"on": false}}));
    assert_eq!(bridge.state()["paused"], false);
    bridge.post(&ada, &json!({"content": "hi"})).ok();
    // What was said meanwhile is not made up for.
    assert_eq!(bridge.woken(&asked), [""; 0]);
}

/// B11
#[test]
fn what_only_people_may_is_without_effect_from_an_agent() {
    let bridge = Bridge::new(&["ada", "eve"]);
    let (ada, before) = (bridge.seat("ada"), bridge.state());
    for content in [
        json!({"mute": {"targets": ["eve"]}}),
        json!({"unmute": {"targets": ["eve"]}}),
        json!({"pause": {}}),
        json!({"discussion": {}}),
        json!({"invited_auto": {}}),
    ] {
        let refused = bridge.post(&ada, &json!({"type": "control", "content": content}));
        assert_eq!(refused.refused(), (403, "forbidden"));
    }
    assert_eq!(bridge.state(), before);
    // The rest of a control that holds more than that counts, and only that is stored.
    let mixed = json!({"uninvite": {"participant_id": "eve"}, "pause": {}});
    let stored = bridge.post(&ada, &json!({"type": "control", "content": mixed})).ok();
    assert_eq!(stored["event"]["content"], json!({"uninvite": {"participant_id": "eve"}}));
    let state = bridge.state();
    assert_eq!(
        (&state["paused"], state["participants"]["invited"].as_array().unwrap().len()),
        (&json!(false), 1)
    );
    // What the protocol announces and nothing does is taken from anybody, and kept as it is.
    let noted = json!({"done": true, "prod": ["ada"], "ttl_seconds": 60});
    let stored = bridge.post(&ada, &json!({"type": "control", "content": noted})).ok();
    assert_eq!(stored["event"]["content"], noted);
    assert_eq!(bridge.events().last().unwrap()["content"], noted);
}

/// B12
#[test]
fn a_control_may_be_json_in_a_text() {
    let bridge = Bridge::new(&["ada"]);
    bridge.control(json!("{\"pause\": {}, \"mute\": {\"targets\": [\"ada\"]}}"));
    let state = bridge.state();
    assert_eq!((&state["paused"], &state["muted"]), (&json!(true), &json!(["ada"])));
    for content in
        [json!("pause"), json!("[]"), json!({}), json!(null), json!({"frobnicate": {}}), json!({"pause": 1})]
    {
        let refused = bridge.post(&bridge.user, &json!({"type": "control", "content": content}));
        assert_eq!(refused.refused(), (400, "invalid_request"), "{content}");
    }
}

/// B29
#[test]
fn a_reply_that_comes_while_its_author_may_not_speak_is_kept() {
    for (silence, voice) in [
        (json!({"mute": {"targets": ["ada"]}}), json!({"unmute": {"targets": ["ada"]}})),
        (json!({"pause": {}}), json!({"pause": {"on": false}})),
    ] {
        let bridge = Bridge::new(&["ada"]);
        let asked = bridge.say("ada", "<<sh while ! test -e gate; do sleep 0.02; done>><<say done>>");
        bridge.until_seen("ada", "thinking");
        bridge.control(silence);
        std::fs::write(bridge.home.work().join("gate"), "").unwrap();
        bridge.until_seen("ada", "listening");
        assert!(!bridge.events().iter().any(|event| event["from"] == "ada"));
        bridge.control(voice);
        let late = bridge.reply(&asked);
        assert_eq!((words(&late), tags(&late)), ("done", "coordinator,held".to_owned()));
    }
}
