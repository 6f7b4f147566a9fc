//! Agents among themselves: started, asked, waited for, told; and what bounds them.

use serde_json::{Value, json};

use crate::flows;
use crate::scene::{Scene, gate, tool};

const SUBAGENT: &str = "is_subagent = true\ntools = ['*']";

fn task(agent: &str) -> Value {
    json!({ "agent": agent, "task": "do it" })
}

fn background(agent: &str) -> Value {
    json!({ "agent": agent, "task": "do it", "background": true })
}

/// Starts an idle agent that may start others.
fn parent(scene: &mut Scene) -> String {
    scene.switch("perm_summon");
    scene.start(json!({}), "")
}

flows! {
    summon_and_wait(scene) {
        scene.script("flash", SUBAGENT, "<<say the answer>>");
        let parent = parent(scene);
        scene.call(&parent, "summon", task("flash"));
        scene.until("watch.ended", 1);
    }
    summon_that_fails(scene) {
        scene.script("poor", SUBAGENT, "<<fail no money>>");
        let parent = parent(scene);
        scene.call(&parent, "summon", task("poor"));
        scene.until("watch.ended", 1);
    }
    summon_refused(scene) {
        let parent = parent(scene);
        scene.call(&parent, "summon", task("nobody"));
    }
    summon_in_the_background(scene) {
        scene.script("flash", SUBAGENT, &format!("{}<<say the answer>>", gate("child")));
        let parent = parent(scene);
        scene.call(&parent, "summon", background("flash"));
        scene.open("child");
        scene.until_item(&parent, "turn.ended", 2);
        scene.until("watch.ended", 1);
    }
    summon_in_the_background_and_crash(scene) {
        scene.script("flash", SUBAGENT, &gate("never"));
        let parent = parent(scene);
        scene.call(&parent, "summon", background("flash"));
        let child = scene.session_of("flash");
        scene.until_item(&child, "tool_call", 1);
        scene.crash();
        scene.until_item(&parent, "turn.ended", 2);
        scene.until("watch.ended", 1);
    }
    retrieve_a_child(scene) {
        scene.script("flash", SUBAGENT, &format!("{}<<say the answer>>", gate("child")));
        let parent = parent(scene);
        scene.call(&parent, "summon", background("flash"));
        let child = scene.session_of("flash");
        scene.send(&parent, &tool("retrieve", &json!({ "agent_id": child })));
        scene.until_waiting(&parent);
        scene.open("child");
        scene.settle(&parent);
        scene.until("watch.ended", 1);
    }
    a_persons_words_end_a_wait(scene) {
        scene.script("flash", SUBAGENT, &format!("{}<<say the answer>>", gate("child")));
        let parent = parent(scene);
        scene.call(&parent, "summon", background("flash"));
        let child = scene.session_of("flash");
        scene.until_item(&child, "tool_call", 1);
        scene.send(&parent, &tool("retrieve", &json!({ "agent_id": child })));
        scene.until_waiting(&parent);
        scene.send(&parent, "hurry up");
        scene.settle(&parent);
        scene.open("child");
        scene.until_item(&parent, "turn.ended", 3);
        scene.until("watch.ended", 1);
    }
    child_stopped_by_a_person(scene) {
        scene.script("flash", SUBAGENT, &gate("never"));
        let parent = parent(scene);
        scene.call(&parent, "summon", background("flash"));
        let child = scene.session_of("flash");
        scene.until_item(&child, "tool_call", 1);
        scene.act(&child, "stop");
        scene.until_item(&parent, "turn.ended", 2);
        scene.until("watch.ended", 1);
    }
    message_another_agent(scene) {
        scene.define("general", "toolAllowlist = ['agents_*']\nagentAllowlist = ['*']");
        scene.script("notes", "name = 'Notes'", "<<think hm>><<say noted>>");
        let caller = scene.start(json!({ "agent": "general" }), "");
        scene.call(&caller, "agents_message", json!({ "agentId": "notes", "content": "please" }));
        scene.until("watch.ended", 1);
    }
    message_another_agent_and_go_on(scene) {
        scene.define("general", "toolAllowlist = ['agents_*']\nagentAllowlist = ['*']");
        scene.script("notes", "name = 'Notes'", &format!("{}<<say noted>>", gate("notes")));
        let caller = scene.start(json!({ "agent": "general" }), "");
        scene.call(&caller, "agents_message", json!({ "agentId": "notes", "content": "please", "mode": "async" }));
        scene.open("notes");
        scene.until_item(&caller, "turn.ended", 2);
        scene.until("watch.ended", 1);
    }
    send_to_a_busy_tab(scene) {
        scene.switch("perm_send_to_tab");
        let target = scene.busy();
        let caller = scene.start(json!({}), "");
        scene.call(&caller, "send_to_tab", json!({ "tab_id": target, "message": "hello" }));
        scene.open("go");
        scene.settle(&target);
    }
    send_to_a_stopped_tab_is_held(scene) {
        scene.switch("perm_send_to_tab");
        let target = scene.busy();
        scene.act(&target, "stop");
        scene.until_item(&target, "turn.ended", 1);
        let caller = scene.start(json!({}), "");
        scene.call(&caller, "send_to_tab", json!({ "tab_id": target, "message": "hello" }));
        scene.tell(&target, "<<say on>>");
    }
    told_when_another_is_idle(scene) {
        scene.switch("perm_read_tab");
        let target = scene.busy();
        let caller = scene.start(json!({}), "");
        scene.call(&caller, "notify_when_idle", json!({ "tab_id": target }));
        scene.open("go");
        scene.until("watch.ended", 1);
        scene.tell(&caller, "<<say on>>");
    }
    wakes_run_out(scene) {
        scene.switch("perm_send_to_tab");
        let target = scene.start(json!({}), "");
        let caller = scene.start(json!({}), "");
        // One at a time: each is answered before the next one comes.
        let send = tool("send_to_tab", &json!({ "tab_id": target, "message": "your turn" }));
        let script: String = (1..=7).map(|number| format!("{send}{}", gate(&format!("gate-{number}")))).collect();
        scene.send(&caller, &script);
        for number in 1..=6 {
            scene.until_item(&target, "turn.ended", number);
            scene.open(&format!("gate-{number}"));
        }
        scene.until_item(&target, "delivery.held", 1);
        scene.open("gate-7");
        scene.settle(&caller);
        scene.tell(&target, "<<say on>>");
    }
    cause_held_behind_another(scene) {
        let agent = scene.busy();
        let sent = scene.send(&agent, "<<say never>>");
        scene.ok("POST", &format!("/api/causes/{}/stop", sent["cause"].as_str().unwrap()), Value::Null);
        scene.open("go");
        scene.settle(&agent);
    }
}
