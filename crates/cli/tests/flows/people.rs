//! What people do beside talking: names, labels, pins, endings, ways between agents.

use serde_json::{Value, json};

use crate::flows;
use crate::scene::tool;

flows! {
    close_and_reopen(scene) {
        let agent = scene.run("<<say one>>");
        scene.act(&agent, "close");
        scene.act(&agent, "close");
        scene.act(&agent, "reopen");
        scene.tell(&agent, "<<say two>>");
    }
    close_at_work_cancels_what_waits(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say never>>");
        scene.act(&agent, "close");
        scene.until_item(&agent, "turn.ended", 1);
    }
    clear_removes_the_words(scene) {
        let agent = scene.run("<<say one>>");
        scene.act(&agent, "clear");
        scene.tell(&agent, "<<say two>>");
    }
    delete_erases_everything(scene) {
        let agent = scene.run("<<say one>>");
        scene.ok("DELETE", &format!("/api/sessions/{agent}"), Value::Null);
    }
    delete_loses_no_message_without_force(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say kept>>");
        scene.act(&agent, "stop");
        scene.until_item(&agent, "turn.ended", 1);
        let path = format!("/api/sessions/{agent}");
        scene.ask("DELETE", &path, Value::Null);
        scene.ok("DELETE", &format!("{path}?force=true"), Value::Null);
    }
    delete_at_work(scene) {
        let agent = scene.busy();
        scene.ok("DELETE", &format!("/api/sessions/{agent}?force=true"), Value::Null);
    }
    names_labels_pins_and_notes(scene) {
        let agent = scene.run("<<say one>>");
        let path = format!("/api/sessions/{agent}");
        scene.ok("PATCH", &path, json!({ "name": "Docs" }));
        scene.ok("PATCH", &path, json!({ "name": "Docs" }));
        scene.ok("PATCH", &path, json!({ "name": "" }));
        scene.ok("PATCH", &path, json!({ "set_labels": { "a": "1", "b": "2" } }));
        scene.ok("PATCH", &path, json!({ "set_labels": { "a": "3" }, "unset_labels": ["b"] }));
        scene.ok("PATCH", &path, json!({ "pinned": true }));
        scene.ok("PATCH", &path, json!({ "pinned": false }));
        scene.ok("PATCH", &path, json!({ "attributes": { "colour": "red" } }));
        scene.ok("PATCH", &path, json!({ "attributes": { "colour": null } }));
    }
    a_title_and_a_todo_of_its_own(scene) {
        scene.define("planner", "tools = ['todo', 'set_title']");
        let agent = scene.start(json!({ "agent": "planner", "labels": { "ui": "true" } }), "");
        let todos = json!([{ "content": "plan", "status": "completed", "priority": "high" }, { "content": "ship", "status": "pending" }]);
        scene.call(&agent, "todo", json!({ "todos": todos }));
        scene.call(&agent, "todo", json!({ "todos": [] }));
        scene.call(&agent, "set_title", json!({ "title": "Ship it" }));
    }
    go_to_an_agent_and_back(scene) {
        scene.define("notes", "name = 'Notes'");
        let first = scene.run("<<say here>>");
        let work = scene.home.work().display().to_string();
        let went = scene.ok("POST", "/api/agents/notes/switch", json!({ "project": work, "from": first }));
        let there = went["session"]["id"].as_str().unwrap().to_owned();
        scene.tell(&there, "<<say there>>");
        scene.ok("POST", &format!("/api/sessions/{there}/back"), json!({}));
        scene.settle(&first);
    }
    message_by_definition(scene) {
        scene.define("notes", "name = 'Notes'");
        let work = scene.home.work().display().to_string();
        let made = scene.ok("POST", "/api/agents/notes/messages", json!({ "project": work, "text": "<<say one>>" }));
        let agent = made["session"]["id"].as_str().unwrap().to_owned();
        scene.settle(&agent);
        scene.act(&agent, "close");
        scene.ok("POST", "/api/agents/notes/messages", json!({ "project": work, "text": "<<say two>>" }));
        scene.settle(&agent);
    }
    stop_a_whole_request(scene) {
        scene.switch("perm_summon");
        scene.script("leaf", "is_subagent = true", &crate::scene::gate("go"));
        scene.home.trust();
        let root = scene.start(json!({}), "");
        let summon = tool("summon", &json!({ "agent": "leaf", "task": "do it", "background": true }));
        let sent = scene.send(&root, &format!("{summon}<<hang>>"));
        scene.until_item(&root, "tool_result", 1);
        let leaf = scene.session_of("leaf");
        scene.until_item(&leaf, "tool_call", 1);
        scene.ok("POST", &format!("/api/causes/{}/stop", sent["cause"].as_str().unwrap()), Value::Null);
        scene.settle(&root);
        scene.settle(&leaf);
        scene.until("watch.ended", 1);
        scene.open("go");
    }
}
