//! Harnesses that end in every way there is, in the middle of a command: nothing of them is left.
//!
//! `PASEO_CYCLES` says how often, for those who have the time.

use crate::bench::{Bench, CLAUDE, CODEX, OPENAI, PI, Witness};

/// As many as take half a minute on two cores: each way four times.
const CYCLES: usize = 25;

/// A name, and what is done to an agent.
type Way = (&'static str, fn(&Bench, &str));

/// How a running command comes to its end.
const WAYS: [Way; 6] = [
    ("stop", |bench, handle| {
        bench.home.paseo(&["stop", handle]).ok();
    }),
    ("kill the harness", |bench, _| bench.kill_harness()),
    ("kill the shim", |bench, _| bench.kill_shim()),
    ("close", |bench, handle| {
        bench.home.paseo(&["close", handle]).ok();
    }),
    ("restart the daemon", |bench, _| {
        bench.home.paseo(&["restart"]).ok();
    }),
    ("kill the daemon", |bench, _| {
        assert!(bench.home.kill_daemon());
        bench.home.paseo(&["up"]).ok();
    }),
];

fn nothing_is_left(bench: &Bench) {
    let cycles = std::env::var("PASEO_CYCLES").map_or(CYCLES, |number| number.parse().unwrap());
    let (handle, _) = bench.run(&[], "<<say ready>>");
    // One command in the foreground, and one that left its session, as daemons do.
    let command = format!("{} setsid sleep 1000 & sleep 1000", Witness::COMMAND);
    for cycle in 0..cycles {
        let (name, way) = WAYS[cycle % WAYS.len()];
        let witness = bench.witness();
        bench.home.paseo(&["send", &handle, &format!("<<bash {command}>><<say never>>")]).ok();
        assert!(witness.starts(), "cycle {cycle}, {name}: no command\n{}", bench.transcript(&handle));
        way(bench, &handle);
        witness.gone();
        if name == "close" {
            assert_eq!(bench.home.left_beside_the_daemon(), [""; 0], "after cycle {cycle}, {name}");
            bench.home.paseo(&["reopen", &handle]).ok();
        }
        // Else the next message would wait behind the error, for a person to look at it.
        bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    }
    let answer = bench.answer(&handle, "<<say well>>");
    assert!(answer.starts_with("well ["), "{answer}");
    bench.home.paseo(&["close", &handle]).ok();
    assert_eq!(bench.home.left_beside_the_daemon(), [""; 0]);
}

#[test]
fn of_openai_leave_nothing() {
    Bench::real(OPENAI).as_ref().map(nothing_is_left);
}

#[test]
fn of_claude_leave_nothing() {
    Bench::real(CLAUDE).as_ref().map(nothing_is_left);
}

#[test]
fn of_pi_leave_nothing() {
    Bench::real(PI).as_ref().map(nothing_is_left);
}

#[test]
fn of_codex_leave_nothing() {
    Bench::real(CODEX).as_ref().map(nothing_is_left);
}
