//! What only codex behind ACP does: commands run in its own sandbox without a question, where they can read.

use std::fs;

use crate::bench::{Bench, CODEX_ACP, Witness};

#[test]
fn who_has_no_shell_runs_no_command_in_the_sandbox_either() {
    let Some(bench) = Bench::real(CODEX_ACP) else { return };
    bench.home.paseo(&["up"]).ok();
    let folder = bench.home.path().join("agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mute.toml"), "provider = 'codex-acp'\ntoolDenylist = ['native_shell']\n").unwrap();
    bench.home.trust();
    fs::write(bench.file("poem.txt"), "roses\n").unwrap();
    let (handle, _) = bench.run(&["--agent", "mute"], "<<bash cat poem.txt>><<say done>>");
    let told = bench.told();
    assert!(!told.contains("roses"), "{}", bench.transcript(&handle));
    assert!(!told.contains("\"exec_command\""), "it is not even offered");
}

#[test]
fn what_goes_beyond_the_sandbox_is_asked_about() {
    let Some(bench) = Bench::real(CODEX_ACP) else { return };
    let call = r#"{"cmd":"touch made","sandbox_permissions":"require_escalated","justification":"x"}"#;
    let prompt = format!("<<tool exec_command {call}>><<say done>>");
    let handle = bench.start(&["--permissions", "ask"], &prompt);
    bench.until_asked(&handle);
    assert!(!bench.file("made").exists());
    bench.home.paseo(&["permit", "allow", &handle, "--yes"]).ok();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]).ok();
    assert!(bench.file("made").exists(), "{}", bench.transcript(&handle));
}

#[test]
fn a_command_that_it_leaves_running_after_a_stop_is_ended_and_the_conversation_goes_on() {
    let Some(bench) = Bench::real(CODEX_ACP) else { return };
    let witness = bench.witness();
    let handle = bench.start(&[], &format!("<<bash {} sleep 1000>><<say never>>", Witness::COMMAND));
    witness.up();
    bench.until(&handle, |item| item["kind"] == "tool_call");
    bench.home.paseo(&["stop", &handle]).ok();
    witness.gone();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]).ok();
    let results = bench.items_of(&handle, "tool_result");
    let outcomes: Vec<_> = results.iter().map(|result| result["outcome"].clone()).collect();
    assert_eq!(outcomes, ["interrupted"], "{}", bench.transcript(&handle));
    // Another process knows what was said. What codex has to say about the model comes as words of the agent.
    bench.home.paseo(&["restart"]).ok();
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.contains("on [turns=2 "), "{answer}");
}
