//! Turns that fail: before they begin, by the harness, by a limit.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::json;

use crate::flows;
use crate::scene::Scene;

/// Lets `pi` say its version and otherwise do what the script says.
fn pi(scene: &mut Scene, script: &str) {
    let program = scene.home.work().with_file_name("my-pi");
    // Another process writes it: whatever this one starts meanwhile would have the file open, which then cannot be run.
    let path = program.display().to_string();
    let mut writer = scene.home.program("/bin/sh", &["-c", "cat > \"$0\" && chmod 755 \"$0\"", &path]);
    let mut writer = writer.stdin(Stdio::piped()).spawn().unwrap();
    let text = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo 0.73.1 && exit\n{script}\n");
    writer.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(writer.wait().unwrap().success());
    scene.write("config.toml", &format!("[providers.pi]\nprogram = '{path}'\n"));
}

/// Lets `pi` neither answer nor end when it is asked to.
pub(crate) fn silent_pi(scene: &mut Scene) {
    pi(scene, "trap '' TERM INT HUP\nwhile :; do sleep 0.05; done");
}

flows! {
    turn_that_fails(scene) {
        let agent = scene.run("<<say one>><<fail no money>>");
        scene.tell(&agent, "<<say two>>");
    }
    turn_that_fails_keeps_what_waits(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say behind>>");
        scene.send_with(&agent, json!({ "text": "<<fail no money>>", "verb": "steer" }));
        scene.open("go");
        scene.until_item(&agent, "turn.ended", 1);
        scene.tell(&agent, "<<say on>>");
    }
    script_that_makes_no_sense(scene) {
        scene.run("<<dance>>");
    }
    failed_start_keeps_the_message(scene) {
        let gone = scene.home.work().join("gone");
        fs::create_dir(&gone).unwrap();
        let agent = scene.run_with(json!({ "cwd": gone.display().to_string() }), "<<crash>>");
        fs::remove_dir(&gone).unwrap();
        scene.send(&agent, "<<say later>>");
        scene.until_item(&agent, "turn.ended", 2);
        scene.send(&agent, "<<say sooner>>");
        scene.until_item(&agent, "turn.ended", 3);
        fs::create_dir(&gone).unwrap();
        scene.tell(&agent, "<<say now>>");
    }
    harness_that_dies_before_it_begins(scene) {
        pi(scene, "echo 'no disk' >&2\nexit 7");
        let agent = scene.start(json!({ "provider": "pi" }), "hello");
        scene.until_item(&agent, "turn.ended", 1);
        scene.send(&agent, "again");
        scene.until_item(&agent, "turn.ended", 2);
    }
    limit_with_a_reset_time(scene) {
        let agent = scene.run("<<say one>><<limit 1500>>");
        scene.until_item(&agent, "turn.ended", 2);
        scene.settle(&agent);
    }
    limit_and_a_person_tries_at_once(scene) {
        let agent = scene.run("<<limit 1380000>>");
        scene.tell(&agent, "<<say back>>");
    }
    limit_that_ends_without_a_daemon(scene) {
        let agent = scene.run("<<limit 1000>>");
        scene.crash();
        scene.until_item(&agent, "turn.ended", 2);
    }
    limit_beyond_reason(scene) {
        scene.run("<<limit 9000000000>>");
    }
    garbage_from_a_harness(scene) {
        scene.run("<<garbage>><<say on>>");
    }
}
