//! A model server that refuses, limits, breaks.

use crate::bench::{Bench, OPENAI, PI};
use crate::lacks::Lack;

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
    if bench.lacks(Lack::ModelFailures) {
        return;
    }
    let handle = fail(bench, "<<status 401>>", "not_logged_in");
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
}

pub(crate) fn a_limit_parks_the_agent_and_says_until_when(bench: &mut Bench) {
    if bench.lacks(Lack::ModelFailures) {
        return;
    }
    let limit = limit(bench, 3600);
    let handle = fail(bench, &format!("<<status 429 {limit}>>"), "rate_limited");
    let view = bench.inspect(&handle);
    assert!(view["parked_until"].is_string(), "{view:#}");
    let seen = bench.home.paseo(&["ls"]);
    assert!(seen.ok().contains("until"), "{}", seen.stdout);
    // A person may try before: the limit was raised, or the plan changed.
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
    assert!(bench.inspect(&handle)["parked_until"].is_null());
}

/// Lets the harness learn of a limit for some seconds, as it would from the servers that it is made for.
pub(crate) fn limit(bench: &mut Bench, seconds: u32) -> String {
    // Only whose plan it is learns when it is whole again: that is a login, not a key.
    bench.home.unset("ANTHROPIC_AUTH_TOKEN");
    bench.home.set("CLAUDE_CODE_OAUTH_TOKEN", "scripted");
    // There are no plans where every request has its price: the server says when to come again.
    let is_priced = [OPENAI, PI].contains(&bench.program);
    format!("{}={seconds}", if is_priced { "retry-after" } else { "reset" })
}

pub(crate) fn after_a_limit_the_agent_goes_on_by_itself(bench: &mut Bench) {
    if bench.lacks(Lack::ModelFailures) {
        return;
    }
    let limit = limit(bench, 4);
    // In the middle of a turn, whose message the agent has.
    let handle = fail(bench, &format!("<<bash true>><<status 429 {limit}>>"), "rate_limited");
    // The daemon that knew of it is gone.
    assert!(bench.home.kill_daemon());
    bench.home.paseo(&["up"]).ok();
    let view = bench.until_status(&handle, "idle");
    assert_eq!((&view["turns"], &view["hold"]), (&2.into(), &"none".into()), "{view:#}");
    assert!(bench.told().contains("The rate limit that ended your last turn is over."));
}

pub(crate) fn a_server_error_is_told_and_the_next_message_works(bench: &mut Bench) {
    if bench.lacks(Lack::ModelFailures) {
        return;
    }
    let handle = fail(bench, "<<status 500>>", "model_error");
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
}

pub(crate) fn a_broken_stream_is_told_and_the_next_message_works(bench: &mut Bench) {
    if bench.lacks(Lack::ModelFailures) {
        return;
    }
    let handle = fail(bench, "<<break>>", "model_error");
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
}

pub(crate) fn a_stream_that_breaks_once_is_read_again(bench: &mut Bench) {
    if bench.lacks(Lack::ModelFailures) {
        return;
    }
    let (handle, answer) = bench.run(&[], "<<break times=1>><<say whole>>");
    assert!(answer.starts_with("whole [turns=1 "), "{answer}");
    let texts = bench.items_of(&handle, "assistant_text");
    assert_eq!(texts.len(), 1, "{texts:#?}");
    assert_eq!(bench.inspect(&handle)["turns"], 1);
    assert_shows_retry(bench, &handle);
}

pub(crate) fn a_retry_is_shown(bench: &mut Bench) {
    if bench.lacks(Lack::ModelFailures) {
        return;
    }
    // Twice: codex sends a request once more in silence before it counts and tells.
    let (handle, answer) = bench.run(&[], "<<status 500 times=2>><<say at last>>");
    assert!(answer.starts_with("at last ["), "{answer}");
    assert_shows_retry(bench, &handle);
}

fn assert_shows_retry(bench: &Bench, handle: &str) {
    let notices = bench.items_of(handle, "notice");
    assert!(notices.iter().any(|item| item["code"] == "retrying"), "{notices:#?}");
}
