//! The daemon goes, in good order and otherwise, and comes back.

use serde_json::json;

use crate::failures::silent_pi;
use crate::flows;
use crate::scene::gate;

flows! {
    crash_during_a_turn(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say second>>");
        scene.crash();
        scene.settle(&agent);
    }
    crash_while_idle(scene) {
        let agent = scene.run("<<say one>>");
        scene.crash();
        scene.tell(&agent, "<<say two>>");
    }
    restart_during_a_turn(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say second>>");
        scene.restart();
        scene.settle(&agent);
    }
    crash_during_handing(scene) {
        // It never confirms: the turn is open, and nobody knows whether its message arrived.
        silent_pi(scene);
        let agent = scene.start(json!({ "provider": "pi" }), "hello");
        scene.crash();
        scene.until_item(&agent, "turn.opened", 2);
    }
    attempts_exhausted(scene) {
        silent_pi(scene);
        let agent = scene.start(json!({ "provider": "pi" }), "hello");
        for attempt in 2..=3 {
            scene.crash();
            if attempt == 2 {
                scene.until_item(&agent, "turn.opened", 2);
            }
        }
        scene.until_item(&agent, "turn.ended", 2);
    }
    crash_of_a_steered_turn(scene) {
        let agent = scene.busy();
        scene.send_with(&agent, json!({ "text": "<<say steered>>", "verb": "steer" }));
        scene.crash();
        scene.settle(&agent);
    }
    crash_with_held_messages(scene) {
        let agent = scene.busy();
        scene.send(&agent, "<<say kept>>");
        scene.act(&agent, "stop");
        scene.until_item(&agent, "turn.ended", 1);
        scene.crash();
        scene.tell(&agent, "<<say on>>");
    }
    crash_of_a_harness(scene) {
        let agent = scene.run("<<say one>><<crash 3>>");
        scene.tell(&agent, "<<say two>>");
    }
    harness_killed_with_a_call_open(scene) {
        let agent = scene.run("<<sh kill -9 $PPID>><<say never>>");
        scene.tell(&agent, "<<say two>>");
    }
    shutdown_at_work(scene) {
        let agent = scene.start(json!({}), &format!("<<say begun>>{}", gate("never")));
        scene.until_item(&agent, "tool_call", 1);
    }
}
