//! Requests for permission: allowed, denied, remembered, withdrawn, overruled.

use serde_json::{Value, json};

use crate::flows;
use crate::scene::{Scene, gate, until};

/// Starts an agent that asks before it does anything, and waits until it asks.
fn asking(scene: &mut Scene, script: &str) -> String {
    let agent = scene.start(json!({ "permissions": "ask" }), script);
    scene.until_status(&agent, "waiting");
    agent
}

/// Answers the only request that is open.
pub(crate) fn answer(scene: &mut Scene, body: Value) -> crate::api::Answer {
    answer_to(scene, "", body)
}

/// Answers the request whose text holds these words.
fn answer_to(scene: &mut Scene, words: &str, body: Value) -> crate::api::Answer {
    // It is in the log a moment before it is in the list.
    let is_it = |open: &Value| open["text"].as_str().is_some_and(|text| text.contains(words));
    let find = || {
        scene.look("/api/permissions")["asks"].as_array().unwrap().iter().find(|open| is_it(open)).cloned()
    };
    let open = until("a request", find, Option::is_some).unwrap();
    let (session, hash) = (open["session"].as_str().unwrap(), open["hash"].as_str().unwrap());
    scene.ask("POST", &format!("/api/sessions/{session}/permissions/{hash}"), body)
}

flows! {
    question_allowed(scene) {
        let agent = asking(scene, "<<ask may I>><<say went on>>");
        answer(scene, json!({ "allow": true })).ok();
        scene.settle(&agent);
    }
    question_answered_with_words(scene) {
        let agent = asking(scene, "<<ask which one>><<say went on>>");
        answer(scene, json!({ "allow": true, "message": "the left" })).ok();
        scene.settle(&agent);
    }
    command_allowed(scene) {
        let agent = asking(scene, "<<sh echo done>><<say over>>");
        answer(scene, json!({ "allow": true })).ok();
        scene.settle(&agent);
    }
    command_allowed_with_words(scene) {
        let agent = asking(scene, &format!("{}<<say over>>", gate("go")));
        answer(scene, json!({ "allow": true, "message": "<<say and be quick>>" })).ok();
        scene.open("go");
        scene.settle(&agent);
    }
    command_denied_with_words(scene) {
        let agent = asking(scene, "<<sh touch made>><<say over>>");
        answer(scene, json!({ "allow": false, "message": "not today" })).ok();
        scene.settle(&agent);
    }
    remembered_rule(scene) {
        let agent = asking(scene, "<<sh echo done>><<say over>>");
        let answered = answer(scene, json!({ "allow": true, "always": true })).ok();
        scene.settle(&agent);
        scene.tell(&agent, "<<sh echo done>><<say unasked>>");
        scene.ok("DELETE", &format!("/api/rules/{}", answered["rule"]["id"].as_str().unwrap()), Value::Null);
        scene.send(&agent, "<<sh echo done>><<say asked>>");
        scene.until_status(&agent, "waiting");
        answer(scene, json!({ "allow": false })).ok();
        scene.settle(&agent);
    }
    the_first_answer_wins(scene) {
        let agent = asking(scene, "<<ask may I>><<say went on>>");
        let open = scene.look("/api/permissions")["asks"][0].clone();
        let path = format!("/api/sessions/{agent}/permissions/{}", open["hash"].as_str().unwrap());
        scene.ask("POST", &path, json!({ "allow": false })).ok();
        scene.settle(&agent);
        scene.ask("POST", &path, json!({ "allow": true }));
    }
    request_withdrawn_by_a_stop(scene) {
        let agent = asking(scene, "<<sh touch made>>");
        scene.act(&agent, "stop");
        scene.settle(&agent);
    }
    request_withdrawn_by_a_crash(scene) {
        let agent = asking(scene, "<<sh touch made>>");
        scene.crash();
        scene.settle(&agent);
    }
    several_requests_at_once(scene) {
        let agent = scene.start(json!({}), "<<asks push? | tag?>><<say went on>>");
        scene.until_item(&agent, "permission.asked", 2);
        answer_to(scene, "tag", json!({ "allow": false, "message": "too early" })).ok();
        scene.until_item(&agent, "notice", 1);
        answer(scene, json!({ "allow": true })).ok();
        scene.settle(&agent);
    }
    a_message_while_it_waits(scene) {
        let agent = asking(scene, "<<ask may I>><<say went on>>");
        scene.send(&agent, "<<say second>>");
        answer(scene, json!({ "allow": true })).ok();
        scene.settle(&agent);
    }
    read_only_is_denied(scene) {
        scene.run_with(json!({ "permissions": "read-only" }), "<<sh touch made>><<say over>>");
    }
    guard_without_a_lease(scene) {
        let ann = guarded(scene, "full");
        scene.tell(&ann, "<<sh touch made>><<say over>>");
        scene.ok("POST", "/api/teams/red/tasks/task-0001/reassign", json!({ "to": "ann" }));
        scene.tell(&ann, "<<sh touch made>><<say done>>");
    }
    guard_with_a_lease_lost(scene) {
        let ann = guarded(scene, "ask");
        scene.send(&ann, "<<tool team_tasks_claim {\"taskId\":\"task-0001\"}>><<sh touch made>><<say over>>");
        scene.until_status(&ann, "waiting");
        scene.ok("POST", "/api/teams/red/tasks/task-0001/cancel", Value::Null);
        answer(scene, json!({ "allow": true, "message": "go on" }));
        scene.settle(&ann);
    }
}

/// Makes a team, a task for all of its project, and `ann`, who changes only what a task covers.
fn guarded(scene: &mut Scene, permissions: &str) -> String {
    let work = scene.home.work().display().to_string();
    scene.ok("POST", "/api/teams", json!({ "id": "red", "directory": work }));
    scene.ok("POST", "/api/teams/red/tasks", json!({ "title": "All of it", "resources": ["."] }));
    let more = json!({ "team": "red", "team_agent": "ann", "guard": "lease", "permissions": permissions });
    scene.start(more, "")
}
