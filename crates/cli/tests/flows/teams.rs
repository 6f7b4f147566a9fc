//! Teams: members, tasks, leases, threads, endings.

use serde_json::{Value, json};

use crate::flows;
use crate::scene::{Scene, gate, tool};

/// Makes the team `red` with `ann` and `ben`, who are elsewhere.
fn red(scene: &mut Scene) {
    let work = scene.home.work().display().to_string();
    scene.ok("POST", "/api/teams", json!({ "id": "red", "directory": work }));
    for name in ["ann", "ben"] {
        scene.ok("POST", "/api/teams/red/agents", json!({ "id": name, "role": "worker" }));
    }
}

fn task(scene: &mut Scene, body: Value) {
    scene.ok("POST", "/api/teams/red/tasks", body);
}

/// Does something with a task, as the person at this machine.
fn on(scene: &mut Scene, task: &str, what: &str, body: Value) -> Value {
    scene.ask("POST", &format!("/api/teams/red/tasks/{task}/{what}"), body).body
}

flows! {
    task_claimed_renewed_and_completed(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse", "description": "all of it", "resources": ["src"] }));
        on(scene, "task-0001", "claim", json!({ "ttl_ms": 60_000 }));
        on(scene, "task-0001", "claim", json!({}));
        on(scene, "task-0001", "renew", json!({ "epoch": 1, "ttl_ms": 120_000 }));
        on(scene, "task-0001", "renew", json!({ "epoch": 7 }));
        on(scene, "task-0001", "complete", json!({ "epoch": 1, "summary": "done" }));
        on(scene, "task-0001", "complete", json!({ "epoch": 1 }));
    }
    task_fails_and_is_retried(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        on(scene, "task-0001", "claim", json!({}));
        on(scene, "task-0001", "fail", json!({ "epoch": 1, "summary": "no parser" }));
        on(scene, "task-0001", "retry", Value::Null);
        on(scene, "task-0001", "claim", json!({}));
        on(scene, "task-0001", "release", json!({ "epoch": 2 }));
    }
    task_dependencies(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        task(scene, json!({ "title": "Print", "deps": ["task-0001"] }));
        scene.ask("POST", "/api/teams/red/tasks", json!({ "title": "Lost", "deps": ["task-0009"] }));
        on(scene, "task-0002", "claim", json!({}));
        on(scene, "task-0001", "claim", json!({}));
        on(scene, "task-0001", "complete", json!({ "epoch": 1 }));
        on(scene, "task-0002", "claim", json!({}));
    }
    task_overlap_is_refused(scene) {
        red(scene);
        task(scene, json!({ "title": "All", "resources": ["src"] }));
        task(scene, json!({ "title": "One", "resources": ["src/lib.rs"] }));
        on(scene, "task-0001", "claim", json!({}));
        on(scene, "task-0002", "claim", json!({}));
        on(scene, "task-0001", "cancel", Value::Null);
        on(scene, "task-0002", "claim", json!({}));
    }
    task_expires(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        on(scene, "task-0001", "reassign", json!({ "to": "ann", "ttl_ms": 1_000 }));
        scene.until("task.expired", 1);
    }
    task_reassigned(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        on(scene, "task-0001", "reassign", json!({ "to": "ann" }));
        on(scene, "task-0001", "reassign", json!({ "to": "ben" }));
        on(scene, "task-0001", "reassign", json!({}));
        on(scene, "task-0001", "reassign", json!({ "to": "nobody" }));
    }
    task_canceled_and_retried(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        on(scene, "task-0001", "cancel", Value::Null);
        on(scene, "task-0001", "cancel", Value::Null);
        on(scene, "task-0001", "retry", Value::Null);
    }
    team_agent_works_with_tools(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        let carl = scene.start(json!({ "team": "red", "team_agent": "carl" }), "");
        let claim = tool("team_tasks_claim", &json!({ "taskId": "task-0001" }));
        let complete = tool("team_tasks_complete", &json!({ "taskId": "task-0001", "epoch": 1, "summary": "done" }));
        scene.tell(&carl, &format!("{claim}{complete}<<say done>>"));
    }
    team_agent_is_told_of_a_loss(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        let carl = scene.start(json!({ "team": "red", "team_agent": "carl" }), "");
        let claim = tool("team_tasks_claim", &json!({ "taskId": "task-0001" }));
        scene.send(&carl, &format!("{claim}{}<<say done>>", gate("go")));
        scene.until_item(&carl, "tool_call", 2);
        on(scene, "task-0001", "reassign", json!({ "to": "ann" }));
        scene.until_item(&carl, "delivery.accepted", 2);
        scene.open("go");
        scene.settle(&carl);
    }
    team_member_leaves(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        on(scene, "task-0001", "reassign", json!({ "to": "ann" }));
        scene.ok("DELETE", "/api/teams/red/agents/ann", Value::Null);
        scene.ask("DELETE", "/api/teams/red/agents/ann", Value::Null);
    }
    team_closed(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        on(scene, "task-0001", "claim", json!({}));
        let carl = scene.run_with(json!({ "team": "red", "team_agent": "carl" }), "<<say here>>");
        scene.ok("DELETE", "/api/teams/red", Value::Null);
        scene.until_item(&carl, "delivery.accepted", 2);
        scene.ask("POST", "/api/teams/red/tasks", json!({ "title": "Late" }));
    }
    team_threads(scene) {
        red(scene);
        task(scene, json!({ "title": "Parse" }));
        let carl = scene.start(json!({ "team": "red", "team_agent": "carl" }), "");
        scene.call(&carl, "team_threads_start", json!({ "title": "Parser", "participants": ["ben"] }));
        scene.call(&carl, "team_threads_link", json!({ "threadId": "thread-0001", "taskId": "task-0001" }));
        scene.call(&carl, "team_threads_post", json!({ "threadId": "thread-0001", "message": "a plan" }));
    }
    teamd_client(scene) {
        red(scene);
        let made = scene.ok("POST", "/api/teams/red/agents/ann/tokens", json!({}));
        let token = made["secret"].as_str().unwrap().to_owned();
        let ann = crate::api::Caller { token: Some(&token), ..Default::default() };
        let mut ask = |path: &str, body: Value| scene.ask_as(ann, "POST", path, body);
        ask("/v1/tasks", json!({ "teamId": "red", "title": "Parse", "resources": ["src"] }));
        ask("/v1/tasks/task-0001/claim", json!({ "teamId": "red" }));
        ask("/v1/tasks/task-0001/renew", json!({ "teamId": "red", "epoch": 1 }));
        ask("/v1/threads", json!({ "teamId": "red", "title": "Talk" }));
        ask("/v1/threads/thread-0001/messages", json!({ "teamId": "red", "message": "hello" }));
        ask("/v1/tasks/task-0001/complete", json!({ "teamId": "red", "epoch": 1, "summary": "done" }));
        ask("/v1/tasks/task-0001/complete", json!({ "teamId": "red", "epoch": 1 }));
    }
}
