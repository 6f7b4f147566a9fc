//! `paseo set`: model, effort and permissions of an agent that is there already.

use paseo_testkit::home::TestHome;
use paseo_testkit::personality::{Fake, Personality};
use paseo_testkit::real::Program;
use serde_json::Value;

use crate::screens::{assert_said, assert_told};
use crate::{Transcript, home, inspect, json, start, wait_for_text};

fn claude() -> (TestHome, Fake) {
    let fake = Fake::of(Program::Claude);
    let mut home = home();
    fake.install(&mut home, Personality::Steady);
    home.set("PASEO_PROVIDER", "claude");
    (home, fake)
}

fn run(home: &TestHome, flags: &[&str], prompt: &str) -> String {
    let words = [&["run", "-d"], flags, &[prompt]].concat();
    let handle = home.paseo(&words).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    handle
}

#[test]
fn the_next_turn_runs_with_the_new_model_in_the_same_conversation() {
    let (home, fake) = claude();
    let handle = run(&home, &["--model", "opus"], "<<say one>>");
    wait_for_text(&home, &handle, "one [turns=1 tools=0 model=opus]");
    let said = home.paseo(&["set", &handle, "--model", "claude-sonnet-4-5", "--effort", "high"]);
    assert_said!(home, said.ok(), @"aaa1 uses claude-sonnet-4-5, effort high, permissions full");
    home.paseo(&["send", &handle, "<<say two>>"]).ok();
    wait_for_text(&home, &handle, "two [turns=2 tools=0 model=claude-sonnet-4-5]");
    let starts = fake.record().starts;
    assert_eq!(starts.len(), 2, "the process that had the old model was ended");
    let last = format!("{:?}", starts.last().unwrap());
    assert!(last.contains("--model=claude-sonnet-4-5") && last.contains("--effort=high"), "{last}");
    // Nothing changed, so the process stays.
    home.paseo(&["set", &handle, "--effort", "high"]).ok();
    home.paseo(&["send", &handle, "<<say three>>"]).ok();
    wait_for_text(&home, &handle, "three [turns=3 tools=0 model=claude-sonnet-4-5]");
    assert_eq!(fake.record().starts.len(), 2);
}

#[test]
fn permissions_change_with_the_next_turn_and_not_in_this_one() {
    let home = home();
    let handle = start(&home, "<<sh until [ -e go ]; do sleep 0.02; done; touch first>><<sh touch second>>");
    Transcript::follow(&home, &handle).until(|item| item["kind"] == "tool_call");
    let changed = home.paseo(&["set", &handle, "--permissions", "read-only"]);
    assert_eq!(
        changed.ok(),
        format!("{handle} uses scripted's default model, permissions read-only from the next turn")
    );
    let view = inspect(&home, &handle);
    assert_eq!(
        (&view["permissions"], &view["next_turn"]["permissions"]),
        (&"full".into(), &"read-only".into())
    );
    std::fs::write(home.work().join("go"), "").unwrap();
    home.paseo(&["wait", &handle]).ok();
    assert!(home.work().join("second").exists(), "the turn that ran kept its permissions");
    let view = inspect(&home, &handle);
    assert_eq!((&view["permissions"], &view["next_turn"]), (&"read-only".into(), &Value::Null));
    home.paseo(&["send", &handle, "<<sh touch third>><<say over>>"]).ok();
    wait_for_text(&home, &handle, "over");
    assert!(!home.work().join("third").exists());
    // It survives a restart, as everything does.
    home.paseo(&["restart"]).ok();
    assert_eq!(inspect(&home, &handle)["permissions"], "read-only");
}

#[test]
fn what_the_provider_or_the_definition_does_not_allow_is_refused_in_words() {
    let home = home();
    let handle = start(&home, "<<say hi>>");
    home.paseo(&["wait", &handle]).ok();
    for (flag, value) in [("--effort", "high"), ("--permissions", "sometimes")] {
        assert_told!(home, home.paseo(&["set", &handle, flag, value]));
    }
    assert_eq!(home.paseo(&["set", &handle]).code, 2, "nothing was asked for");
    let folder = home.path().join("agents");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("careful.toml"), "description = 'x'\npermissions = 'ask'\n").unwrap();
    home.paseo(&["agents", "trust", "--yes", "careful"]).ok();
    let careful = run(&home, &["--agent", "careful"], "<<say hi>>");
    home.paseo(&["set", &careful, "--permissions", "read-only"]).ok();
    assert_told!(home, home.paseo(&["set", &careful, "--permissions", "full"]));
    let json = json(&home.paseo(&["set", &careful, "--permissions", "ask", "--json"]));
    assert_eq!(json["permissions"], "ask");
}
