//! Messages of people: to idle agents and busy ones, and what becomes of those that wait.

use serde_json::json;

use crate::api::Caller;
use crate::flows;
use crate::scene::gate;

flows! {
    send_to_idle(scene) {
        let agent = scene.run("<<say one>>");
        scene.tell(&agent, "<<think hm>><<sh echo two>><<usage 3 4>><<say two>>");
    }
    create_without_prompt(scene) {
        let agent = scene.start(json!({ "name": "Docs", "labels": { "kind": "test" } }), "");
        scene.tell(&agent, "<<say first>>");
    }
    send_to_busy_is_queued(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say second>>");
        scene.send(&agent, "<<say third>>");
        scene.open("go");
        scene.settle(&agent);
    }
    send_waited_for_gets_a_turn_of_its_own(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say second>>");
        scene.send_with(&agent, json!({ "text": "<<say third>>", "wait": true }));
        scene.open("go");
        scene.settle(&agent);
    }
    steer_into_a_turn(scene) {
        let agent = scene.busy();
        scene.send_with(&agent, json!({ "text": "<<say steered>>", "verb": "steer" }));
        scene.open("go");
        scene.settle(&agent);
    }
    steer_that_the_turn_never_took(scene) {
        let agent = scene.start(json!({}), &format!("{}<<crash 3>>", gate("go")));
        scene.until_item(&agent, "tool_call", 1);
        scene.send_with(&agent, json!({ "text": "<<say again>>", "verb": "steer" }));
        scene.send(&agent, "<<say behind>>");
        scene.open("go");
        scene.until_item(&agent, "turn.ended", 1);
        scene.tell(&agent, "<<say on>>");
    }
    steer_an_idle_agent(scene) {
        let agent = scene.run("<<say one>>");
        scene.send_with(&agent, json!({ "text": "<<say two>>", "verb": "steer" }));
        scene.settle(&agent);
    }
    interrupt_goes_first(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say queued>>");
        scene.send_with(&agent, json!({ "text": "<<say first>>", "verb": "interrupt" }));
        scene.settle(&agent);
    }
    stop_holds_what_waits(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say later>>");
        scene.act(&agent, "stop");
        scene.until_item(&agent, "turn.ended", 1);
        scene.settle(&agent);
    }
    stop_then_a_person_goes_on(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say kept>>");
        scene.act(&agent, "stop");
        scene.until_item(&agent, "turn.ended", 1);
        scene.tell(&agent, "<<say on>>");
    }
    stop_an_idle_agent(scene) {
        let agent = scene.run("<<say one>>");
        scene.act(&agent, "stop");
        scene.tell(&agent, "<<say two>>");
    }
    repeat_with_the_same_key(scene) {
        let agent = scene.busy();
        let path = format!("/api/sessions/{agent}/messages");
        let caller = Caller { key: Some("k1"), ..Caller::default() };
        let first = scene.ask_as(caller, "POST", &path, json!({ "text": "<<say once>>" }));
        let again = scene.ask_as(caller, "POST", &path, json!({ "text": "<<say once>>" }));
        assert_eq!(first, again);
        scene.ask_as(caller, "POST", &path, json!({ "text": "<<say other>>" }));
        scene.open("go");
        scene.settle(&agent);
    }
    create_with_the_same_key(scene) {
        let caller = Caller { key: Some("k1"), ..Caller::default() };
        let work = scene.home.work().display().to_string();
        let body = json!({ "directory": work, "prompt": "<<say once>>" });
        let made = scene.ask_as(caller, "POST", "/api/sessions", body.clone()).ok();
        scene.ask_as(caller, "POST", "/api/sessions", body).ok();
        scene.settle(made["session"]["id"].as_str().unwrap());
    }
    refused_messages_leave_nothing(scene) {
        let agent = scene.run("<<say one>>");
        let path = format!("/api/sessions/{agent}/messages");
        scene.ask("POST", &path, json!({ "text": "" }));
        scene.ask("POST", &path, json!({ "text": "x", "verb": "shout" }));
        scene.ask("POST", "/api/sessions/ffff0000/messages", json!({ "text": "x" }));
        scene.act(&agent, "close");
        scene.ask("POST", &path, json!({ "text": "<<say back>>" }));
        scene.settle(&agent);
    }
    attachments_go_with_a_message(scene) {
        let agent = scene.run("<<say ready>>");
        let file = scene.upload("notes.txt", b"remember the milk\n");
        scene.send_with(&agent, json!({ "text": "read it", "attachments": [file] }));
        scene.settle(&agent);
        let again = scene.upload("more.txt", b"and the bread\n");
        scene.busy();
        scene.send_with(&agent, json!({ "text": "and this", "attachments": [again.clone()] }));
        scene.settle(&agent);
        scene.ask("POST", &format!("/api/sessions/{agent}/messages"), json!({ "text": "x", "attachments": [again] }));
        scene.open("go");
        scene.until("turn.ended", 4);
    }
}
