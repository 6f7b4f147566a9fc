//! Agents elsewhere: what they answer, late or never, and what a restart does to their turns.

use serde_json::json;

use crate::far::{Far, answer};
use crate::flows;

flows! {
    external_answers(scene) {
        let far = Far::start(scene);
        let agent = scene.start(json!({ "agent": "far" }), "hello");
        let posted = far.next();
        scene.until_item(&agent, "turn.handed", 1);
        scene.send(&agent, "and then");
        assert_eq!(answer(scene, &posted, "**hello** back"), 200);
        let posted = far.next();
        scene.until_item(&agent, "turn.handed", 2);
        assert_eq!(answer(scene, &posted, "done"), 200);
        scene.settle(&agent);
    }
    external_answers_late(scene) {
        let far = Far::start(scene);
        let agent = scene.start(json!({ "agent": "far" }), "hello");
        let posted = far.next();
        scene.until_item(&agent, "turn.handed", 1);
        scene.act(&agent, "stop");
        scene.settle(&agent);
        assert_eq!(far.next()["type"], "stop");
        for _ in 0..2 {
            assert_eq!(answer(scene, &posted, "sorry, late"), 200);
        }
    }
    external_refuses(scene) {
        let far = Far::start(scene);
        far.plan(&[403]);
        let agent = scene.start(json!({ "agent": "far" }), "hello");
        far.next();
        scene.until_item(&agent, "turn.ended", 1);
    }
    external_in_trouble(scene) {
        let far = Far::start(scene);
        far.plan(&[503]);
        let agent = scene.start(json!({ "agent": "far" }), "hello");
        far.next();
        let posted = far.next();
        scene.until_item(&agent, "turn.handed", 1);
        assert_eq!(answer(scene, &posted, "here"), 200);
        scene.settle(&agent);
    }
    external_crash_after_it_was_handed(scene) {
        let far = Far::start(scene);
        let agent = scene.start(json!({ "agent": "far" }), "hello");
        let posted = far.next();
        scene.until_item(&agent, "turn.handed", 1);
        scene.crash();
        assert_eq!(answer(scene, &posted, "done"), 200);
        scene.settle(&agent);
    }
    external_crash_before_it_was_handed(scene) {
        let far = Far::start(scene);
        far.plan(&[0, 202]);
        let agent = scene.start(json!({ "agent": "far" }), "hello");
        far.next();
        scene.crash();
        let posted = far.next();
        scene.until_item(&agent, "turn.handed", 1);
        assert_eq!(answer(scene, &posted, "done"), 200);
        scene.settle(&agent);
    }
    external_restart(scene) {
        let far = Far::start(scene);
        let agent = scene.start(json!({ "agent": "far" }), "hello");
        let posted = far.next();
        scene.until_item(&agent, "turn.handed", 1);
        scene.restart();
        assert_eq!(answer(scene, &posted, "done"), 200);
        scene.settle(&agent);
    }
}
