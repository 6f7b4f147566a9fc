//! Harnesses with bad manners. Status and text say what happened, the queue is kept, the next message works.

use paseo_testkit::personality::Personality;
use paseo_testkit::real::Program;

use crate::bench::{Bench, CLAUDE, CODEX};

fn both(personality: Personality, case: impl Fn(&mut Bench, Program)) {
    for program in [CLAUDE, CODEX] {
        case(&mut Bench::with_personality(program, personality), program);
    }
}

#[test]
fn garbage_is_kept_and_does_no_harm() {
    both(Personality::Garbage, |bench, _| {
        let (handle, answer) = bench.run(&[], "<<say fine>>");
        assert!(answer.starts_with("fine ["), "{answer}");
        assert!(!bench.items_of(&handle, "raw").is_empty());
        assert!(bench.answer(&handle, "<<say again>>").starts_with("again ["));
    });
}

#[test]
fn a_crash_is_told_with_its_exit_code_and_the_queue_goes_on() {
    both(Personality::CrashingOnce, |bench, _| {
        let handle = bench.start(&[], "<<say one two three four>>");
        let waited = bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
        assert_eq!(waited.code, 1, "{waited:?}");
        let view = bench.inspect(&handle);
        assert_eq!(
            (&view["status"], &view["status_code"]),
            (&"error".into(), &"harness_exited".into()),
            "{view:#}"
        );
        assert!(bench.transcript(&handle).contains("exit code 3"), "{}", bench.transcript(&handle));
        let answer = bench.answer(&handle, "<<say back>>");
        assert!(answer.starts_with("back ["), "{answer}");
    });
}

#[test]
fn one_that_never_answers_is_ended_when_it_is_stopped() {
    both(Personality::Wedged, |bench, _| {
        let handle = bench.start(&[], "<<say never>>");
        bench.home.paseo(&["send", &handle, "later"]).ok();
        bench.home.paseo(&["stop", &handle]).ok();
        bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
        let view = bench.inspect(&handle);
        assert_ne!(view["status"], "running", "{view:#}");
        assert!(view["held"].as_u64().unwrap() >= 1, "the queue is kept: {view:#}");
        assert!(bench.harnesses().is_empty());
    });
}

#[test]
fn an_answer_after_an_interrupt_is_not_the_next_ones() {
    both(Personality::Late, |bench, _| {
        let handle = bench.start(&[], "<<slow 50>><<say one two three four five six>>");
        bench.until(&handle, |item| item["kind"] == "user_text");
        let output =
            bench.home.paseo(&["send", &handle, "--interrupt", "--wait", "--timeout", "60s", "<<say new>>"]);
        assert!(output.ok().starts_with("new ["), "{output:?}");
    });
}

#[test]
fn a_slow_one_is_waited_for() {
    both(Personality::Slow, |bench, _| {
        let (_, answer) = bench.run(&[], "<<say a b c>>");
        assert!(answer.starts_with("a b c ["), "{answer}");
    });
}
