//! Conversations of several.

use serde_json::{Value, json};

use crate::flows;
use crate::scene::{Scene, gate};

/// Makes the thread `plan` with these participants.
fn plan(scene: &mut Scene, seats: &[&str]) {
    let work = scene.home.work().display().to_string();
    scene.ok("POST", "/api/threads", json!({ "name": "plan", "directory": work }));
    for seat in seats {
        invite(scene, seat);
    }
}

fn invite(scene: &mut Scene, seat: &str) {
    let profile = json!({ "client": "scripted", "model": "default" });
    control(scene, json!({ "invite": { "participant_id": seat, "profile": profile } }));
}

fn control(scene: &mut Scene, content: Value) {
    scene.ok("POST", "/api/threads/plan/controls", content);
}

fn post(scene: &mut Scene, to: &str, text: &str) -> Value {
    scene.ok("POST", "/api/threads/plan/messages", json!({ "text": text, "to": to }))
}

flows! {
    thread_invite_and_answer(scene) {
        plan(scene, &["ada"]);
        post(scene, "all", "nobody is addressed");
        post(scene, "ada", "<<say one>>");
        scene.until("thread.settled", 1);
        post(scene, "all", "@ada <<say two>>");
        scene.until("thread.settled", 2);
    }
    thread_mention_while_busy(scene) {
        plan(scene, &["ada"]);
        post(scene, "ada", &format!("{}<<say one>>", gate("go")));
        scene.until("tool_call", 1);
        post(scene, "ada", "<<say two>>");
        scene.until("delivery.accepted", 2);
        scene.open("go");
        scene.until("thread.settled", 2);
    }
    thread_mute_keeps_a_reply(scene) {
        plan(scene, &["ada"]);
        post(scene, "ada", &format!("{}<<say one>>", gate("go")));
        scene.until("tool_call", 1);
        control(scene, json!({ "mute": { "targets": ["ada"] } }));
        control(scene, json!({ "mute": { "targets": ["ada"] } }));
        scene.open("go");
        scene.until("thread.held", 1);
        control(scene, json!({ "unmute": { "targets": ["ada"] } }));
        scene.until("thread.posted", 2);
        scene.until("thread.settled", 1);
    }
    thread_pause(scene) {
        plan(scene, &["ada"]);
        post(scene, "ada", &format!("{}<<say one>>", gate("go")));
        scene.until("tool_call", 1);
        control(scene, json!({ "pause": { "on": true } }));
        post(scene, "ada", "<<say unheard>>");
        scene.open("go");
        scene.until("thread.held", 1);
        control(scene, json!({ "pause": { "on": false } }));
        scene.until("thread.posted", 3);
    }
    thread_discussion(scene) {
        plan(scene, &["ada", "eve"]);
        control(scene, json!({ "discussion": { "on": true } }));
        post(scene, "ada", "<<say @eve what do you think?>>");
        scene.until("thread.settled", 2);
        control(scene, json!({ "discussion": { "on": false } }));
        post(scene, "ada", "<<say @eve and now?>>");
        scene.until("thread.settled", 3);
    }
    thread_auto(scene) {
        plan(scene, &["ada"]);
        control(scene, json!({ "invited_auto": { "on": true } }));
        post(scene, "all", "<<say one>>");
        scene.until("thread.settled", 1);
    }
    thread_uninvite(scene) {
        plan(scene, &["ada"]);
        post(scene, "ada", "<<say one>>");
        scene.until("thread.settled", 1);
        control(scene, json!({ "uninvite": { "participant_id": "ada" } }));
        scene.until("thread.dismissed", 1);
        scene.until("session.closed", 1);
    }
    thread_rename_move_and_delete(scene) {
        plan(scene, &["ada"]);
        post(scene, "ada", "<<say one>>");
        scene.until("thread.settled", 1);
        let home = scene.home.path().parent().unwrap().display().to_string();
        scene.ok("PATCH", "/api/threads/plan", json!({ "directory": home }));
        scene.ok("PATCH", "/api/threads/plan", json!({ "name": "past" }));
        scene.ok("DELETE", "/api/threads/past", Value::Null);
        scene.until("thread.ended", 1);
    }
    thread_delete_at_work(scene) {
        plan(scene, &["ada"]);
        post(scene, "ada", &gate("never"));
        scene.until("tool_call", 1);
        scene.ask("DELETE", "/api/threads/plan", Value::Null);
        scene.ok("DELETE", "/api/threads/plan?force=true", Value::Null);
        scene.until("thread.ended", 1);
    }
    thread_participant_fails(scene) {
        plan(scene, &["ada"]);
        post(scene, "ada", "<<fail no money>>");
        scene.until("thread.settled", 1);
        scene.until("thread.posted", 2);
    }
    thread_crash_at_work(scene) {
        plan(scene, &["ada"]);
        post(scene, "ada", &gate("never"));
        scene.until("tool_call", 1);
        scene.crash();
        scene.until("thread.settled", 1);
    }
    thread_of_a_guest(scene) {
        plan(scene, &["ada"]);
        let made = scene.ok("POST", "/api/threads/plan/tokens", json!({ "participant": "eve" }));
        let token = made["secret"].as_str().unwrap().to_owned();
        let eve = crate::api::Caller { token: Some(&token), ..Default::default() };
        let thread = scene.look("/api/threads/plan")["thread"]["id"].as_str().unwrap().to_owned();
        let path = format!("/api/threads/{thread}/messages");
        scene.ask_as(eve, "POST", &path, json!({ "text": "hello from elsewhere" })).ok();
        control(scene, json!({ "mute": { "targets": ["eve"] } }));
        scene.ask_as(eve, "POST", &path, json!({ "text": "still here" }));
    }
    thread_limits(scene) {
        plan(scene, &[]);
        let refused = |scene: &mut Scene, body: Value| {
            scene.ask("POST", "/api/threads/plan/messages", body);
        };
        refused(scene, json!({ "text": "" }));
        refused(scene, json!({ "text": "x", "to": "nobody" }));
        refused(scene, json!({ "text": "x", "reply_to": "nothing" }));
        refused(scene, json!({ "text": "x", "tags": ["t".repeat(9000)] }));
        scene.ask("POST", "/api/threads", json!({ "name": "plan" }));
        scene.ask("POST", "/api/threads/plan/controls", json!({ "dance": {} }));
    }
}
