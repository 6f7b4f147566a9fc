//! A model server that refuses, limits, breaks.

use crate::bench::Bench;

/// Runs a first turn that fails, and returns the agent's handle.
fn fail(bench: &Bench, prompt: &str, code: &str) -> String {
    let handle = bench.start(&[], prompt);
    let waited = bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    assert_eq!(waited.code, 1, "{waited:?}\n{}", bench.transcript(&handle));
    let view = bench.inspect(&handle);
    assert_eq!((&view["status"], &view["status_code"]), (&"error".into(), &code.into()), "{view:#}");
    let errors = bench.items_of(&handle, "error");
    assert!(!errors.last().unwrap()["text"].as_str().unwrap().is_empty(), "{errors:#?}");
    handle
}

pub(crate) fn wrong_credentials_are_told(bench: &mut Bench) {
    let handle = fail(bench, "<<status 401>>", "not_logged_in");
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
}

pub(crate) fn a_limit_parks_the_agent_and_says_until_when(bench: &mut Bench) {
    // Only whose plan it is learns when it is whole again: that is a login, not a key.
    bench.home.unset("ANTHROPIC_AUTH_TOKEN");
    bench.home.set("CLAUDE_CODE_OAUTH_TOKEN", "scripted");
    let handle = fail(bench, "<<status 429 reset=3600>>", "rate_limited");
    let view = bench.inspect(&handle);
    assert!(view["parked_until"].is_string(), "{view:#}");
    let seen = bench.home.paseo(&["ls"]);
    assert!(seen.ok().contains("until"), "{}", seen.stdout);
    // A person may try before: the limit was raised, or the plan changed.
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
    assert!(bench.inspect(&handle)["parked_until"].is_null());
}

pub(crate) fn a_server_error_is_told_and_the_next_message_works(bench: &mut Bench) {
    let handle = fail(bench, "<<status 500>>", "model_error");
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
}

pub(crate) fn a_retry_is_shown(bench: &mut Bench) {
    let (handle, answer) = bench.run(&[], "<<status 500 times=1>><<say at last>>");
    assert!(answer.starts_with("at last ["), "{answer}");
    let notices = bench.items_of(&handle, "notice");
    // Codex tries again in silence before its own count begins.
    if bench.is_claude() {
        assert!(notices.iter().any(|item| item["code"] == "retrying"), "{notices:#?}");
    }
}
