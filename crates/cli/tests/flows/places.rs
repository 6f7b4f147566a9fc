//! Slots for processes, and worktrees.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::flows;
use crate::scene::Scene;

/// Makes the working directory a repository with one commit.
fn repository(scene: &Scene) {
    let work = scene.home.work();
    fs::write(work.join("lib.rs"), "one\n").unwrap();
    for words in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-q", "-m", "first"]] {
        git(scene, words);
    }
}

#[allow(clippy::disallowed_methods)] // A person's own git.
fn git(scene: &Scene, words: &[&str]) {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
    let status = Command::new("git").args(identity).args(words).current_dir(scene.home.work()).status();
    assert!(status.unwrap().success(), "git {words:?}");
}

flows! {
    slots_full(scene) {
        scene.write("config.toml", "[limits]\nlive_processes = 1\n");
        let first = scene.busy();
        let second = scene.start(json!({}), "<<say done>>");
        scene.until_status(&second, "starting");
        scene.open("go");
        scene.settle(&second);
        scene.tell(&first, "<<say back>>");
    }
    stop_while_it_waits_for_a_slot(scene) {
        scene.write("config.toml", "[limits]\nlive_processes = 1\n");
        scene.busy();
        let second = scene.start(json!({}), "<<say done>>");
        scene.until_status(&second, "starting");
        scene.act(&second, "stop");
        scene.settle(&second);
        scene.open("go");
        scene.tell(&second, "<<say on>>");
    }
    worktree_made_renamed_and_removed(scene) {
        repository(scene);
        let agent = scene.run_with(json!({ "labels": { "ui": "true" } }), "<<sh git rev-parse --abbrev-ref HEAD>><<tool set_branch {\"branch\":\"fix-it\"}>>");
        scene.act(&agent, "close");
        scene.ok("DELETE", &format!("/api/worktrees/{agent}"), Value::Null);
    }
    worktree_with_work_in_it(scene) {
        repository(scene);
        let agent = scene.run_with(json!({ "worktree": true, "worktree_name": "try" }), "<<sh echo two \\>\\> lib.rs>>");
        let path = format!("/api/worktrees/{agent}");
        scene.ask("DELETE", &path, Value::Null);
        scene.act(&agent, "close");
        scene.ask("DELETE", &path, Value::Null);
        scene.ok("DELETE", &format!("{path}?force=true"), Value::Null);
    }
}
