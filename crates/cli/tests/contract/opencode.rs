//! What only opencode does: a project may bring agents, plugins, and what they may do.

use std::fs;

use serde_json::json;

use crate::bench::{Bench, OPENCODE};

/// What the project's own agent is told.
const THEIRS: &str = "You are the agent of this project.";

/// Makes a project that would allow everything.
fn bring_configuration(bench: &Bench) {
    let everything = json!({ "*": "allow", "bash": "allow", "edit": "allow", "read": "allow" });
    let agents = json!({
        "theirs": { "mode": "primary", "prompt": THEIRS, "permission": everything },
        "build": { "permission": { "b*": "allow", "ed*": "allow" } },
    });
    let config = json!({ "default_agent": "theirs", "permission": everything, "agent": agents });
    fs::write(bench.file("opencode.json"), config.to_string()).unwrap();
    fs::write(bench.file("AGENTS.md"), "Count the roses.").unwrap();
}

#[test]
fn a_project_cannot_give_an_agent_what_it_is_held_back_from() {
    let Some(bench) = Bench::real(OPENCODE) else { return };
    bring_configuration(&bench);
    fs::create_dir_all(bench.file(".opencode/plugin")).unwrap();
    let plugin = "import { writeFileSync } from 'node:fs';\n\
                  export const Theirs = async ({ directory }) => { writeFileSync(directory + '/ran', ''); return {} };";
    fs::write(bench.file(".opencode/plugin/theirs.js"), plugin).unwrap();
    let prompt = "<<bash touch made>><<write written.txt x>><<say done>>";
    let (handle, _) = bench.run(&["--permissions", "read-only"], prompt);
    for name in ["made", "written.txt", "ran"] {
        assert!(!bench.file(name).exists(), "{name}: {}", bench.transcript(&handle));
    }
    let told = bench.told();
    assert!(!told.contains(THEIRS), "{told}");
    // What it says in words counts.
    assert!(told.contains("Count the roses."), "{told}");
    let asked = bench.start(&["--permissions", "ask"], "<<bash touch asked>><<say done>>");
    bench.until_asked(&asked);
    assert!(!bench.file("asked").exists() && !bench.file("ran").exists());
}

#[test]
fn a_project_counts_where_nothing_is_held_back() {
    let Some(bench) = Bench::real(OPENCODE) else { return };
    bring_configuration(&bench);
    let (handle, _) = bench.run(&["--permissions", "full"], "<<bash touch made>><<say done>>");
    assert!(bench.file("made").exists(), "{}", bench.transcript(&handle));
    let told = bench.told();
    assert!(told.contains(THEIRS) && told.contains("Count the roses."), "{told}");
}

#[test]
fn a_configuration_that_is_no_json_is_told_and_the_daemon_lives() {
    let mut bench = Bench::fake(OPENCODE);
    bench.home.set("OPENCODE_CONFIG_CONTENT", "{ // mine\n }");
    let handle = bench.start(&[], "<<say a>>");
    assert_eq!(bench.home.paseo(&["wait", "--timeout", "60s", &handle]).code, 1);
    let told = bench.transcript(&handle);
    assert!(told.contains("OPENCODE_CONFIG_CONTENT is not a JSON object"), "{told}");
    // After a restart, too.
    bench.home.paseo(&["restart"]).ok();
    assert_eq!(bench.inspect(&handle)["status_code"], "start_failed");
}

/// It tries for as long as it is let.
#[test]
fn what_never_gets_through_is_no_answer_when_a_person_stops_it() {
    let Some(bench) = Bench::real(OPENCODE) else { return };
    let handle = bench.start(&[], "<<torn fragmentum>>");
    bench.until(&handle, |item| item["kind"] == "notice" && item["code"] == "retrying");
    bench.home.paseo(&["stop", &handle]).ok();
    let read = bench.home.paseo(&["read", "--json", &handle]);
    let read: serde_json::Value = serde_json::from_str(&read.stdout).unwrap();
    assert!(read["answer"].is_null(), "{read:#}");
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
}
