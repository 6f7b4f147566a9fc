//! What comes of waking somebody.

use serde_json::json;

use super::{Bridge, tags, words};

/// B6
#[test]
fn who_is_addressed_answers_and_the_answer_says_to_what() {
    let bridge = Bridge::new(&["ada"]);
    let asked = bridge.say("ada", "<<say one>>");
    let mut keys: Vec<&String> = asked.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["content", "from", "id", "meta", "thread", "to", "ts", "type"]);
    assert_eq!(asked["meta"], json!({"reply_to": null, "tags": []}));
    let answer = bridge.reply(&asked);
    assert_eq!(
        (&answer["type"], &answer["from"], &answer["to"]),
        (&json!("message"), &json!("ada"), &json!("all"))
    );
    assert_eq!(words(&answer), "one");
    assert_eq!(
        answer["meta"],
        json!({"reply_to": asked["id"], "tags": ["coordinator"], "via": "bridge-coordinator"})
    );
}

/// B8, B25: what is said counts for two minutes; that it is over then is a rule of `core`, tested there.
#[test]
fn it_is_seen_who_thinks_and_who_listens() {
    let bridge = Bridge::new(&["ada"]);
    let asked = bridge.say("ada", "<<sh while ! test -e gate; do sleep 0.02; done>><<say done>>");
    bridge.until_seen("ada", "thinking");
    std::fs::write(bridge.home.work().join("gate"), "").unwrap();
    bridge.reply(&asked);
    bridge.until_seen("ada", "listening");

    let eve = bridge.seat("eve");
    assert!(bridge.presence("eve").is_null());
    let said =
        eve.post(&bridge.path("presence"), &json!({"from": "eve", "state": "typing", "details": "a plan"}));
    let said = said.ok();
    assert_eq!(said["received"], true);
    let seen = bridge.presence("eve");
    assert_eq!(said["presence"]["updated_at"], seen["updated_at"]);
    assert_eq!(
        (&seen["state"], &seen["stale"], &seen["details"]),
        (&json!("typing"), &json!(false), &json!("a plan"))
    );
    assert!(seen["updated_at"].is_string());
    // Details that are not repeated are kept.
    eve.post(&bridge.path("presence"), &json!({"state": "idle"})).ok();
    assert_eq!(
        (&bridge.presence("eve")["state"], &bridge.presence("eve")["details"]),
        (&json!("idle"), &json!("a plan"))
    );
    for wrong in
        [json!({}), json!({"state": ""}), json!({"state": "x\u{7}"}), json!({"state": "x".repeat(300)})]
    {
        assert_eq!(eve.post(&bridge.path("presence"), &wrong).refused(), (400, "invalid_request"));
    }
    let forged = json!({"from": "user", "state": "offline"});
    assert_eq!(eve.post(&bridge.path("presence"), &forged).refused(), (403, "identity_mismatch"));
}

/// B21
#[test]
fn failures_and_delays_are_posted() {
    let bridge = Bridge::configured("[limits]\nthread_patience_seconds = 1\n", &["ada", "eve"]);
    let asked = bridge.say("ada", "<<fail no luck>>");
    let told = bridge.reply(&asked);
    assert_eq!((&told["from"], words(&told)), (&json!("bridge-coordinator"), "ada failed: no luck"));
    assert_eq!((&told["to"], tags(&told)), (&json!("all"), "coordinator,error".to_owned()));

    let asked = bridge.say("eve", "<<sh while ! test -e gate; do sleep 0.02; done>><<say done>>");
    let late = bridge.reply(&asked);
    assert_eq!(words(&late), "eve has not answered within 1 second and is still working.");
    assert_eq!(tags(&late), "coordinator,error,timeout");
    // It is waited for nevertheless.
    std::fs::write(bridge.home.work().join("gate"), "").unwrap();
    let answer = bridge.until(|event| event["from"] == "eve");
    assert!(words(&answer).ends_with("done") && answer["meta"]["reply_to"] == asked["id"], "{answer}");
}

/// B22
#[test]
fn an_answer_without_words_is_marked() {
    let bridge = Bridge::new(&["ada"]);
    let answer = bridge.reply(&bridge.say("ada", "<<think hm>>"));
    assert_eq!(
        (&answer["from"], words(&answer), tags(&answer)),
        (&json!("ada"), "[no output]", "coordinator".to_owned())
    );
}

/// B33
#[test]
fn threads_and_participants_wait_for_nobody() {
    let mut bridge = Bridge::new(&["ada", "eve"]);
    let slow = bridge.say("ada", "<<sh while ! test -e gate; do sleep 0.02; done>><<say done>>");
    bridge.until_seen("ada", "thinking");
    assert!(words(&bridge.reply(&bridge.say("eve", "<<say here>>"))).ends_with("here"));
    let first = std::mem::take(&mut bridge.thread);
    bridge.thread = bridge.another("other");
    bridge.invite("ada", json!({}));
    assert_eq!(words(&bridge.reply(&bridge.say("ada", "<<say there>>"))), "there");
    // What is said in one is not in the other.
    assert!(!bridge.events().iter().any(|event| event["thread"] != bridge.thread));
    bridge.thread = first;
    assert!(!bridge.events().iter().any(|event| event["meta"]["reply_to"] == slow["id"]));
    std::fs::write(bridge.home.work().join("gate"), "").unwrap();
    assert_eq!(words(&bridge.reply(&slow)), "done");
}

#[test]
fn a_busy_participant_answers_everything_that_it_is_told() {
    let bridge = Bridge::new(&["ada"]);
    let asked: Vec<_> = (0..3).map(|number| bridge.say("ada", &format!("<<say {number}>>"))).collect();
    for message in &asked {
        assert_eq!(bridge.reply(message)["from"], "ada");
    }
    bridge.until_seen("ada", "listening");
    let answers = bridge.events().iter().filter(|event| event["from"] == "ada").count();
    assert_eq!(answers, asked.len());
    // By one session, however fast it was told.
    let sessions = bridge.user.get("/api/sessions?all_statuses=true").ok();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
}
