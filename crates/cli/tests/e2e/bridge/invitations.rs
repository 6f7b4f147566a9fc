//! Who is in a thread.

use serde_json::json;

use super::{Bridge, tags, words};
use crate::screens::assert_said;

/// B1, B2
#[test]
fn a_new_thread_has_nobody_and_who_is_invited_is_there_at_once() {
    let bridge = Bridge::new(&[]);
    assert_eq!(
        bridge.state(),
        json!({
            "paused": false,
            "muted": [],
            "discussion": {"on": false, "allow_agent_mentions": false},
            "invited_auto": {"on": false},
            "participants": {"invited": []},
        })
    );
    bridge.invite("ada", json!({"nickname": "Countess", "roles": ["planner"]}));
    let invited = bridge.state()["participants"]["invited"].clone();
    assert!(invited[0]["invited_at"].as_str().unwrap().ends_with('Z'));
    let profile =
        json!({"client": "scripted", "model": "default", "roles": ["planner"], "nickname": "Countess"});
    let at = invited[0]["invited_at"].clone();
    assert_eq!(invited, json!([{"id": "ada", "profile": profile, "invited_by": "user", "invited_at": at}]));
    assert_eq!(
        bridge.presence("ada"),
        json!({"id": "ada", "state": "offline", "updated_at": null, "stale": false, "details": null})
    );
    // The thread is listed, with the one who may see it.
    let listed = bridge.user.get("/threads").ok();
    assert_eq!(
        (&listed["threads"][0]["id"], &listed["threads"][0]["name"]),
        (&json!(bridge.thread), &json!("plan"))
    );
    let events = bridge.events();
    assert_eq!((&events[0]["type"], &events[0]["content"]), (&json!("thread.created"), &json!("plan")));
    assert_eq!((&events[1]["type"], &events[1]["from"]), (&json!("control"), &json!("user")));
}

/// B3, B4
#[test]
fn an_agent_may_invite_and_who_is_invited_again_keeps_what_is_not_said_anew() {
    let bridge = Bridge::new(&["ada"]);
    let ada = bridge.seat("ada");
    let invite = |profile| json!({"type": "control", "content": {"invite": {"participant_id": "eve", "profile": profile}}});
    bridge.post(&ada, &invite(json!({"client": "scripted", "model": "default", "nickname": "Eve"}))).ok();
    let eve = &bridge.state()["participants"]["invited"][1];
    assert_eq!((&eve["id"], &eve["invited_by"]), (&json!("eve"), &json!("ada")));
    bridge.post(&bridge.user, &invite(json!({"roles": ["critic"]}))).ok();
    let eve = &bridge.state()["participants"]["invited"][1];
    assert_eq!(
        eve["profile"],
        json!({"client": "scripted", "model": "default", "roles": ["critic"], "nickname": "Eve"})
    );
    assert_eq!(eve["invited_by"], "ada");
    // Somebody without a client or a model is nobody who could be woken.
    let half = json!({"type": "control", "content": {"invite": {"participant_id": "bob", "profile": {"client": "scripted"}}}});
    assert_eq!(bridge.post(&bridge.user, &half).refused(), (400, "invalid_request"));
}

/// B5, B7
#[test]
fn who_is_not_invited_is_not_woken_and_what_was_said_stays() {
    let bridge = Bridge::new(&["ada"]);
    let asked = bridge.say("ada", "<<say one>>");
    assert_eq!(words(&bridge.reply(&asked)), "one");
    bridge.control(json!({"uninvite": {"participant_id": "ada"}}));
    assert_eq!(bridge.state()["participants"]["invited"], json!([]));
    let unheard = bridge.say("ada", "<<say two>>");
    assert_eq!(bridge.woken(&unheard), [""; 0]);
    let told = bridge.reply(&unheard);
    assert_eq!((&told["from"], &told["to"]), (&json!("bridge-coordinator"), &json!("user")));
    assert_eq!(tags(&told), "coordinator");
    assert_said!(bridge.home, words(&told), @"No participants woken: `ada` is not a participant. The thread has no participants yet.");
    let ids: Vec<_> = bridge.events().iter().map(|event| event["id"].clone()).collect();
    assert!(ids.contains(&asked["id"]) && ids.contains(&unheard["id"]));
}

/// B16
#[test]
fn two_of_a_name_are_refused_and_a_word_for_several_means_all_of_them() {
    let bridge = Bridge::new(&[]);
    bridge.invite("ada", json!({"nickname": "Max", "roles": ["critic"]}));
    let mut refusals = String::new();
    for (id, nickname) in [("eve", "max"), ("eve", "M-a.x"), ("eve", "ADA"), ("Max", "x"), ("a_da", "x")] {
        let profile = json!({"client": "scripted", "model": "default", "nickname": nickname});
        let twice =
            json!({"type": "control", "content": {"invite": {"participant_id": id, "profile": profile}}});
        let refused = bridge.post(&bridge.user, &twice);
        assert_eq!(refused.refused(), (400, "invalid_request"), "{id} {nickname}");
        let message = refused.body["error"]["message"].as_str().unwrap();
        refusals.push_str(&format!("{id}, called {nickname}: {message}\n"));
    }
    assert_said!(bridge.home, &refusals, @r"
    eve, called max: `max` is too similar to a name of participant `ada`; choose another
    eve, called M-a.x: `M-a.x` is too similar to a name of participant `ada`; choose another
    eve, called ADA: `ADA` is too similar to a name of participant `ada`; choose another
    Max, called x: `Max` is taken by participant `ada`; choose another
    a_da, called x: `a_da` is too similar to a name of participant `ada`; choose another
    ");
    bridge.invite("eve", json!({"nickname": "Eva", "roles": ["critic"]}));
    // In `to` a word must be a name; in a mention a role is all who have it.
    let asked = bridge.say("critic", "hi");
    assert_eq!(bridge.woken(&asked), [""; 0]);
    assert_said!(bridge.home, words(&bridge.reply(&asked)), @"No participants woken: `critic` is a role, client or model, not a participant. Write `@critic` in a message to all instead. Participants: ada, eve.");
    assert_eq!(bridge.woken(&bridge.say("all", "@critic <<say x>>")), ["ada", "eve"]);
}
