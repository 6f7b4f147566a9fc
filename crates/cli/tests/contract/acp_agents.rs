//! What every agent behind ACP does with files and errors, for real: each case with each agent that is installed.

use std::fs;

use serde_json::Value;

use crate::bench::{Bench, CLAUDE_ACP, CODEX_ACP, COPILOT, GEMINI, OPENCODE, QWEN, Witness};
use crate::failures::a_limit_parks_the_agent_and_says_until_when;
use crate::keys::a_model_is_paid_with_its_key;
use crate::lacks::Lack;
use crate::steering::a_steered_message_reaches_the_running_turn;

/// Makes a test of each case with each agent.
macro_rules! agents {
    ($($case:ident),* $(,)?) => {
        mod claude_agent_acp { $(#[test] fn $case() { crate::bench::Bench::real(super::CLAUDE_ACP).as_mut().map(super::$case); })* }
        mod codex_acp { $(#[test] fn $case() { crate::bench::Bench::real(super::CODEX_ACP).as_mut().map(super::$case); })* }
        mod copilot { $(#[test] fn $case() { crate::bench::Bench::real(super::COPILOT).as_mut().map(super::$case); })* }
        mod gemini { $(#[test] fn $case() { crate::bench::Bench::real(super::GEMINI).as_mut().map(super::$case); })* }
        mod opencode { $(#[test] fn $case() { crate::bench::Bench::real(super::OPENCODE).as_mut().map(super::$case); })* }
        mod qwen { $(#[test] fn $case() { crate::bench::Bench::real(super::QWEN).as_mut().map(super::$case); })* }
    };
}

agents! {
    files_are_made_changed_renamed_and_deleted,
    nothing_is_changed_read_only,
    what_is_asked_and_allowed_happens,
    what_the_model_server_says_is_told,
    a_missing_login_is_told_as_that,
    a_conversation_goes_on_after_a_restart,
    a_stop_ends_the_command,
    a_steered_message_reaches_the_running_turn,
    a_limit_parks_the_agent_and_says_until_when,
    a_model_is_paid_with_its_key,
}

/// The model makes two files and changes one, renames another and deletes a third.
fn files_are_made_changed_renamed_and_deleted(bench: &mut Bench) {
    fs::create_dir(bench.file("deep")).unwrap();
    fs::write(bench.file("old.txt"), "kept\n").unwrap();
    fs::write(bench.file("gone.txt"), "gone\n").unwrap();
    let work = bench.home.work();
    let work = work.display();
    let prompt = format!(
        r#"<<write {work}/new.txt first>><<write {work}/deep/new.txt second>><<read {work}/new.txt>><<edit {work}/new.txt first changed>><<bash mv old.txt renamed.txt>><<bash rm gone.txt>><<say done>>"#
    );
    let (handle, answer) = bench.run(&[], &prompt);
    let told = || bench.transcript(&handle);
    assert!(answer.contains("done [turns=1 tools=6 "), "{answer}\n{}", told());
    let text = |name: &str| fs::read_to_string(bench.file(name)).map(|text| text.trim_end().to_owned());
    assert_eq!(text("new.txt").ok().as_deref(), Some("changed"), "{}", told());
    assert_eq!(text("deep/new.txt").ok().as_deref(), Some("second"), "{}", told());
    assert_eq!(text("renamed.txt").ok().as_deref(), Some("kept"), "{}", told());
    assert!(!bench.file("old.txt").exists() && !bench.file("gone.txt").exists(), "{}", told());
}

fn nothing_is_changed_read_only(bench: &mut Bench) {
    fs::write(bench.file("poem.txt"), "roses\n").unwrap();
    let work = bench.home.work();
    let work = work.display();
    let prompt = format!(
        r#"<<read {work}/poem.txt>><<edit {work}/poem.txt roses tulips>><<write {work}/new.txt x>><<bash touch made>><<say done>>"#
    );
    let handle = bench.start(&["--permissions", "read-only"], &prompt);
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    assert_eq!(
        fs::read_to_string(bench.file("poem.txt")).unwrap(),
        "roses\n",
        "{}",
        bench.transcript(&handle)
    );
    for name in ["new.txt", "made"] {
        assert!(!bench.file(name).exists(), "{name}: {}", bench.transcript(&handle));
    }
}

fn what_is_asked_and_allowed_happens(bench: &mut Bench) {
    let work = bench.home.work();
    let prompt = format!("<<write {}/new.txt first>><<say done>>", work.display());
    let handle = bench.start(&["--permissions", "ask"], &prompt);
    bench.until_asked(&handle);
    assert!(!bench.file("new.txt").exists());
    bench.home.paseo(&["permit", "allow", &handle, "--yes"]).ok();
    let waited = bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    assert_eq!(waited.code, 0, "{waited:?}\n{}", bench.transcript(&handle));
    assert!(bench.file("new.txt").exists(), "{}", bench.transcript(&handle));
}

fn what_the_model_server_says_is_told(bench: &mut Bench) {
    let handle = bench.start(&[], "<<status 400 the model is on holiday>>");
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    assert!(bench.transcript(&handle).contains("the model is on holiday"), "{}", bench.transcript(&handle));
    if bench.lacks(Lack::FailedTurns) {
        return;
    }
    let why = bench.home.paseo(&["why", &handle]);
    assert!(why.ok().contains("the model is on holiday"), "{why:?}");
}

fn a_missing_login_is_told_as_that(bench: &mut Bench) {
    if bench.lacks(Lack::Login) {
        return;
    }
    // No agent reaches the network, either.
    for name in ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"] {
        bench.home.set(name, "http://127.0.0.1:9");
    }
    for name in ["ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "OPENAI_API_KEY", "COPILOT_OFFLINE"] {
        bench.home.unset(name);
    }
    for name in ["COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_API_KEY", "COPILOT_MODEL"] {
        bench.home.unset(name);
    }
    fs::remove_file(bench.config().join("config.toml")).ok();
    let ran = bench.home.paseo(&["run", "--timeout", "60s", "<<say never>>"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("needs a login"), "{ran:?}");
    let listed = bench.home.paseo(&["providers", "--json"]);
    let listed: Value = serde_json::from_str(listed.ok()).unwrap();
    let name = bench.program.name();
    let one = listed["providers"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(one["readiness"], "no_login", "{one:#}");
    let handle = bench.start(&[], "<<say never>>");
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    let why = bench.home.paseo(&["why", &handle]);
    assert!(why.ok().contains("not_logged_in") && why.ok().contains("needs a login"), "{why:?}");
}

fn a_conversation_goes_on_after_a_restart(bench: &mut Bench) {
    let (handle, first) = bench.run(&[], "<<say a>>");
    let second = bench.answer(&handle, "<<bash true>><<say b>>");
    assert!(first.contains("turns=1 ") && second.contains("turns=2 "), "{first}\n{second}");
    if bench.lacks(Lack::Resume) {
        return;
    }
    bench.home.paseo(&["restart"]).ok();
    let third = bench.answer(&handle, "<<say c>>");
    assert!(third.contains("turns=3 tools=1 "), "{third}\n{}", bench.transcript(&handle));
}

fn a_stop_ends_the_command(bench: &mut Bench) {
    let witness = bench.witness();
    let handle = bench.start(&[], &format!("<<bash {} sleep 1000>><<say never>>", Witness::COMMAND));
    witness.up();
    bench.home.paseo(&["stop", &handle]).ok();
    witness.gone();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]).ok();
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.contains("on [turns="), "{answer}");
    assert!(!bench.transcript(&handle).contains("never ["));
}

#[test]
fn as_root_claude_may_do_everything_that_full_says_and_a_line_says_so() {
    let Some(bench) = Bench::real(CLAUDE_ACP) else { return };
    let (handle, _) = bench.run(&["--permissions", "full"], "<<bash touch made>><<say done>>");
    assert!(bench.file("made").exists(), "{}", bench.transcript(&handle));
    let notices = bench.items_of(&handle, "notice");
    let told = notices.iter().any(|notice| notice["code"] == "runs_as_root");
    assert_eq!(told, rustix::process::geteuid().is_root(), "{}", bench.transcript(&handle));
    assert_eq!(bench.items_of(&handle, "permission"), Vec::<Value>::new(), "it had nothing to ask");
}
