//! Agents in terminals, with the real tmux.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::flows;
use crate::scene::{Scene, gate};

/// Makes the team `red` and starts a worker; returns its session.
fn worker(scene: &mut Scene, task: &str) -> String {
    let work = scene.home.work().display().to_string();
    scene.ok("POST", "/api/teams", json!({ "id": "red", "directory": work }));
    let started =
        scene.ok("POST", "/api/workers", json!({ "task": task, "team": "red", "provider": "scripted" }));
    started["worker"]["session"].as_str().unwrap().to_owned()
}

#[allow(clippy::disallowed_methods)] // A person's own tmux.
fn tmux(scene: &Scene, words: &[&str]) {
    let mut command = Command::new("tmux");
    command.arg("-S").arg(scene.home.path().join("tmux.sock")).args(words).stdin(Stdio::null());
    assert!(command.status().unwrap().success(), "tmux {words:?}");
}

flows! {
    worker_started_and_told(scene) {
        let session = worker(scene, "<<say the parser is done>>");
        scene.settle(&session);
        scene.until("thread.posted", 2);
        scene.ok("POST", "/api/workers/red-1/send", json!({ "message": "<<say again>>" }));
        scene.settle(&session);
        scene.until("thread.posted", 3);
    }
    worker_taken_over(scene) {
        let session = worker(scene, "<<say ready>>");
        scene.settle(&session);
        scene.until("thread.posted", 2);
        tmux(scene, &["send-keys", "-t", "=red-1:", "-l", "<<say by hand>>"]);
        tmux(scene, &["send-keys", "-t", "=red-1:", "Enter"]);
        scene.until("thread.posted", 3);
    }
    worker_ended(scene) {
        let session = worker(scene, "<<say ready>>");
        scene.settle(&session);
        scene.until("thread.posted", 2);
        scene.ok("DELETE", "/api/workers/red-1", Value::Null);
        scene.until("session.closed", 1);
    }
    worker_survives_a_crash(scene) {
        let session = worker(scene, &format!("<<say begun>>{}<<say done>>", gate("go")));
        scene.until_item(&session, "tool_call", 1);
        scene.crash();
        scene.until_status(&session, "running");
        scene.open("go");
        scene.settle(&session);
        scene.until("thread.posted", 2);
    }
    worker_survives_a_restart(scene) {
        let session = worker(scene, &format!("<<say begun>>{}<<say done>>", gate("go")));
        scene.until_item(&session, "tool_call", 1);
        scene.restart();
        scene.until_status(&session, "running");
        scene.open("go");
        scene.settle(&session);
        scene.until("thread.posted", 2);
    }
    worker_gone_meanwhile(scene) {
        let session = worker(scene, &format!("<<say begun>>{}", gate("never")));
        scene.until_item(&session, "tool_call", 1);
        scene.kill();
        tmux(scene, &["kill-session", "-t", "=red-1"]);
        scene.up();
        scene.until_item(&session, "turn.ended", 1);
        scene.tell(&session, "<<say back>>");
        scene.until("thread.posted", 3);
    }
    worker_stopped(scene) {
        let session = worker(scene, &format!("<<say begun>>{}", gate("never")));
        scene.until_item(&session, "tool_call", 1);
        scene.act(&session, "stop");
        scene.until_item(&session, "turn.ended", 1);
        scene.settle(&session);
    }
}
