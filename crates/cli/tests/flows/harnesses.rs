//! Other providers against the fakes: agents that speak ACP, our own agent on a scripted model, claude's background
//! commands, and attempts that break off.

use std::fs;

use paseo_testkit::model::ModelServer;
use paseo_testkit::personality::{Fake, Personality};
use paseo_testkit::real::Program;
use serde_json::json;

use crate::flows;
use crate::permissions::answer;
use crate::scene::{Scene, until};

/// Adds an agent that speaks ACP as `helper`.
fn helper(scene: &mut Scene, asks: bool) {
    let fake = Fake::of(Program::Opencode);
    for (name, value) in fake.environment(Personality::Steady) {
        scene.home.set(name, &value);
    }
    scene.home.set("PASEO_FAKE", "acp");
    let program = fake.program();
    scene.ok(
        "POST",
        "/api/providers",
        json!({ "name": "helper", "command": [program.display().to_string()], "asks": asks }),
    );
    scene.keep(fake.config().parent().unwrap().to_owned(), "$FAKE", fake);
}

/// Lets our own agent run on a scripted model.
fn own(scene: &mut Scene) {
    let model = ModelServer::start();
    scene.home.set("PASEO_PROVIDER", "openai");
    scene.home.set("OPENAI_API_KEY", "sk-environment");
    scene.home.set("OPENAI_BASE_URL", format!("{}/v1", model.url()));
    scene.home.set("OPENAI_MODEL", "scripted");
    let url = model.url();
    scene.keep(url.into(), "$MODEL", model);
}

/// Makes the fake of a program the default.
fn fake(scene: &mut Scene, program: Program, name: &str, personality: Personality) {
    let fake = Fake::of(program);
    fake.install(&mut scene.home, personality);
    scene.home.set("PASEO_PROVIDER", name);
    scene.keep(fake.config().parent().unwrap().to_owned(), "$FAKE", fake);
}

flows! {
    acp_agent(scene) {
        helper(scene, false);
        let agent = scene.run_with(json!({ "provider": "helper" }), "<<bash echo hi>><<say one>>");
        scene.tell(&agent, "<<say two>>");
    }
    acp_agent_asks(scene) {
        helper(scene, true);
        let more = json!({ "provider": "helper", "permissions": "ask" });
        let agent = scene.start(more, "<<bash echo hi>><<say over>>");
        scene.until_status(&agent, "waiting");
        answer(scene, json!({ "allow": true })).ok();
        scene.settle(&agent);
    }
    own_agent(scene) {
        own(scene);
        let agent = scene.run("<<think hm>><<bash echo hi>><<say one>>");
        scene.tell(&agent, "<<say two>>");
    }
    own_agent_refused_by_its_model(scene) {
        own(scene);
        scene.run("<<status 401>>");
    }
    own_agent_rate_limited(scene) {
        own(scene);
        scene.run("<<status 429 retry-after=3600>>");
    }
    own_agent_attempt_that_breaks_off(scene) {
        own(scene);
        scene.run("<<torn times=1 fragment>><<say whole>>");
    }
    claude_turns(scene) {
        fake(scene, Program::Claude, "claude", Personality::Steady);
        let agent = scene.run("<<think hm>><<bash echo hi>><<say one>>");
        scene.tell(&agent, "<<say two>>");
    }
    claude_background_command(scene) {
        fake(scene, Program::Claude, "claude", Personality::Steady);
        scene.run("<<background sleep 1000>><<say a>>");
        scene.restart();
    }
    claude_crashes_once(scene) {
        fake(scene, Program::Claude, "claude", Personality::CrashingOnce);
        let agent = scene.run("<<say one>>");
        scene.tell(&agent, "<<say two>>");
    }
    deaf_harness_is_killed(scene) {
        // It takes messages and never answers; interrupts neither.
        fake(scene, Program::Claude, "claude", Personality::Wedged);
        let agent = scene.start(json!({}), "<<say one>>");
        let record = scene.beside("$FAKE").join("record.jsonl");
        until("the message", || fs::read_to_string(&record).unwrap_or_default(), |told| told.contains("say one"));
        scene.send(&agent, "<<say two>>");
        scene.act(&agent, "stop");
        scene.until_item(&agent, "turn.ended", 1);
    }
    codex_turns(scene) {
        fake(scene, Program::Codex, "codex", Personality::Steady);
        let agent = scene.run("<<bash echo hi>><<say one>>");
        scene.tell(&agent, "<<say two>>");
    }
    pi_turns(scene) {
        fake(scene, Program::Pi, "pi", Personality::Steady);
        let agent = scene.run("<<bash echo hi>><<say one>>");
        scene.tell(&agent, "<<say two>>");
    }
}
