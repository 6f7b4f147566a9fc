//! Streams that break after something was said. Only what the last attempt said is an answer, wherever one looks.

use serde_json::Value;

use crate::bench::{Bench, CLAUDE, CODEX, OPENCODE, item};
use crate::lacks::Lack;
use crate::together::{define, results};

/// Stands in nothing but the attempts that break, and in the prompt.
const DEAD: &str = "fragmentum";

pub(crate) fn a_text_that_breaks_off_is_no_answer(bench: &mut Bench) {
    survives(bench, &format!("<<torn times=1 {DEAD} of a text>>"));
}

pub(crate) fn a_call_that_breaks_off_is_no_answer(bench: &mut Bench) {
    survives(bench, &format!("<<torncall times=1 {}>>", before_call(bench)));
}

pub(crate) fn several_attempts_that_break_off_are_no_answer(bench: &mut Bench) {
    survives(bench, &format!("<<torn times=1 {DEAD} one>><<torncall times=1>><<bash true>>"));
}

pub(crate) fn a_text_that_breaks_off_twice_is_no_answer(bench: &mut Bench) {
    survives(bench, &format!("<<torn times=2 {DEAD} again>>"));
}

/// Codex behind ACP gives warnings as words of the agent: those are no part of any attempt.
pub(crate) fn what_else_an_agent_says_stays(bench: &mut Bench) {
    let prompt = format!("<<torn times=2 {DEAD} of a text>><<say whole answer>>");
    let run = bench.home.paseo(&["run", "--timeout", "60s", &prompt]);
    assert!(run.ok().trim_end().ends_with("whole answer [turns=1 tools=0 model=scripted]"), "{run:?}");
    assert!(run.stdout.contains("Warning: ") && !run.stdout.contains(DEAD), "{run:?}");
}

/// When no attempt gets through there is a failure, and no answer.
pub(crate) fn an_answer_that_always_breaks_off_is_a_failure(bench: &mut Bench) {
    if bench.lacks(Lack::ModelFailures) {
        return;
    }
    let prompt = format!("<<torn {DEAD} for ever>>");
    let run = bench.home.paseo(&["run", "--json", "--timeout", "60s", &prompt]);
    let ending: Value = run.stdout.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap();
    assert_eq!((run.code, &ending["outcome"]), (1, &"failed".into()), "{run:?}");
    assert!(ending["answer"].is_null(), "{ending:#}");
    let handle = ending["session"].as_str().unwrap();
    let read = bench.home.paseo(&["read", handle]);
    assert!(read.code == 1 && !read.stdout.contains(DEAD), "{read:?}");
    assert!(assert_agrees(bench, handle, None) > 0);
    let answer = bench.answer(handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
}

/// The answer of an agent that another waits for, or hears of.
pub(crate) fn those_who_wait_get_what_the_last_attempt_said(bench: &mut Bench) {
    define(bench, &[("lead", "description = \"Leads.\""), ("notes", "description = \"Takes notes.\"")]);
    let task = format!("<<torn times=1 {DEAD}\\>\\><<say whole\\>\\>");
    let prompt = format!(r#"<<tool agents_message {{"agentId":"notes","content":"{task}"}}>><<say on>>"#);
    let (handle, _) = bench.run(&["--agent", "lead"], &prompt);
    let told = results(bench, &handle).join("\n");
    assert!(told.contains("whole [turns=") && !told.contains(DEAD), "{told}");
}

/// The same as news, for one that does not wait.
pub(crate) fn those_who_are_told_later_get_what_the_last_attempt_said(bench: &mut Bench) {
    define(bench, &[("lead", ""), ("notes", "")]);
    // The notice quotes how the request begins.
    let patience = "Please take your time with this. ".repeat(4);
    let task = format!("{patience}<<torn times=1 {DEAD}\\>\\><<say noted it\\>\\>");
    let ask = format!(
        r#"<<tool agents_message {{"agentId":"notes","content":"{task}","mode":"async"}}>><<say on>>"#
    );
    let (handle, _) = bench.run(&["--agent", "lead"], &ask);
    let news = bench.until(&handle, |item| {
        let text = item["text"].as_str().unwrap_or_default();
        item["kind"] == "user_text" && text.contains("noted it [turns=")
    });
    assert!(!news["text"].as_str().unwrap().contains(DEAD), "{news:#}");
    bench.until_idle(&handle);
}

/// Breaks attempts, then compares what every command, tool and route says about the outcome.
fn survives(bench: &mut Bench, torn: &str) {
    let prompt = format!("{torn}<<say whole answer>>");
    let run = bench.home.paseo(&["run", "--timeout", "60s", &prompt]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.starts_with("whole answer [turns=1 "), "{run:?}");
    assert!(!run.stdout.contains(DEAD) && run.stdout.matches("whole answer").count() == 1, "{run:?}");
    let listed: Value = serde_json::from_str(bench.home.paseo(&["ls", "--json"]).ok()).unwrap();
    let handle = listed["sessions"][0]["id"].as_str().unwrap_or_else(|| panic!("{listed:#}")).to_owned();
    let read = bench.home.paseo(&["read", &handle]);
    assert_eq!(read.ok().trim_end(), run.stdout.trim_end());
    let dead = assert_agrees(bench, &handle, Some(run.stdout.trim_end()));
    // What was streamed is still there for those who ask for it. Opencode is slow to read, and may never see any of it.
    if bench.program != OPENCODE {
        assert_eq!(dead > 0, torn.contains(DEAD), "{}", bench.transcript(&handle));
    }
}

/// Whatever shows an answer shows the same one, and no part of a broken attempt. Returns how many of those are kept.
fn assert_agrees(bench: &Bench, handle: &str, answer: Option<&str>) -> usize {
    let every = bench.home.paseo(&["logs", "--json", "--superseded", handle]);
    let texts: Vec<Value> =
        every.ok().lines().map(item).filter(|item| item["kind"] == "assistant_text").collect();
    let (dead, live): (Vec<_>, Vec<_>) = texts.iter().partition(|item| item["superseded"] == true);
    let live: Vec<&str> = live.iter().filter_map(|item| item["text"].as_str()).collect();
    assert_eq!(live, answer.into_iter().collect::<Vec<_>>(), "{texts:#?}");
    assert!(dead.iter().all(|item| item["text"].as_str().unwrap().contains(DEAD)), "{dead:#?}");
    // The prompt has the word as well.
    let shown = bench.transcript(handle);
    assert_eq!(shown.matches(DEAD).count(), prompt(bench, handle).matches(DEAD).count(), "{shown}");
    let all = bench.home.paseo(&["logs", "--superseded", handle]);
    // Opencode may stream two attempts as one text.
    let in_dead: usize = dead.iter().map(|item| item["text"].as_str().unwrap().matches(DEAD).count()).sum();
    assert_eq!(all.ok().matches(DEAD).count(), shown.matches(DEAD).count() + in_dead, "{}", all.stdout);
    let found = bench.home.paseo(&["search", "--json", "--kind", "answered", DEAD]);
    let found: Value = serde_json::from_str(found.ok()).unwrap();
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(0), "{found:#}");
    dead.len()
}

fn prompt(bench: &Bench, handle: &str) -> String {
    let said = bench.items_of(handle, "user_text");
    said.iter().filter_map(|item| item["text"].as_str()).collect()
}

/// What is said before a call that breaks off. Claude and codex keep what was finished, and so does their model.
fn before_call(bench: &Bench) -> &'static str {
    if [CLAUDE, CODEX].contains(&bench.program) { "" } else { DEAD }
}
