//! Harnesses with bad manners. Status and text say what happened, the queue is kept, the next message works.

use std::time::{Duration, Instant};

use paseo_testkit::personality::Personality;
use paseo_testkit::real::Program;

use crate::bench::{Bench, CLAUDE, CODEX, OPENCODE, PI};

const MEGABYTE: usize = 1024 * 1024;

/// How long memory may take to be given back.
const PATIENCE: Duration = Duration::from_secs(60);

fn all(personality: Personality, case: impl Fn(&mut Bench, Program)) {
    for program in [CLAUDE, CODEX, PI, OPENCODE] {
        case(&mut Bench::with_personality(program, personality), program);
    }
}

#[test]
fn garbage_is_kept_and_does_no_harm() {
    all(Personality::Garbage, |bench, _| {
        let (handle, answer) = bench.run(&[], "<<say fine>>");
        assert!(answer.starts_with("fine ["), "{answer}");
        let raw = bench.items_of(&handle, "raw");
        let texts: Vec<&str> = raw.iter().filter_map(|item| item["text"].as_str()).collect();
        assert!(texts.contains(&"Warning: this is no JSON"), "{texts:?}");
        // Half a character is replaced, and of a line without an end in sight as much is kept as a text may have.
        assert!(texts.contains(&"\u{fffd}"), "half a character is missing");
        let long = raw.iter().find(|item| item["text"].as_str().is_some_and(|text| text.starts_with("xxx")));
        assert_eq!(long.expect("the long line")["full_length"], 32 * MEGABYTE);
        // A few copies on the way to the disk, and then it is forgotten.
        let pid = bench.home.daemon_pid().unwrap();
        assert!(memory(pid, "VmHWM") < 600 * MEGABYTE, "{} MB", memory(pid, "VmHWM") / MEGABYTE);
        assert!(bench.answer(&handle, "<<say again>>").starts_with("again ["));
        // The allocator gives it back within seconds.
        let began = Instant::now();
        while memory(pid, "VmRSS") >= 150 * MEGABYTE {
            assert!(began.elapsed() < PATIENCE, "{} MB", memory(pid, "VmRSS") / MEGABYTE);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
}

/// Returns a field of a process's status, in bytes.
fn memory(pid: u32, field: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

#[test]
fn a_crash_is_told_with_its_exit_code_and_the_queue_goes_on() {
    all(Personality::CrashingOnce, |bench, _| {
        let handle = bench.start(&[], "<<say one two three four>>");
        let waited = bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
        assert_eq!(waited.code, 1, "{waited:?}");
        let view = bench.inspect(&handle);
        assert_eq!(
            (&view["status"], &view["status_code"]),
            (&"error".into(), &"harness_exited".into()),
            "{view:#}"
        );
        assert!(bench.transcript(&handle).contains("with code 3"), "{}", bench.transcript(&handle));
        let answer = bench.answer(&handle, "<<say back>>");
        assert!(answer.starts_with("back ["), "{answer}");
    });
}

#[test]
fn one_that_never_answers_is_ended_when_it_is_stopped_and_the_queue_is_kept() {
    all(Personality::Wedged, |bench, _| {
        let handle = bench.start(&[], "<<say never>>");
        // Stopped before it was asked anything, it would be as good as any, and stay.
        bench.until_read("say never");
        bench.home.paseo(&["send", &handle, "<<say later>>"]).ok();
        bench.home.paseo(&["stop", &handle]).ok();
        bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
        let view = bench.inspect(&handle);
        assert_ne!(view["status"], "running", "{view:#}");
        assert!(view["held"].as_u64().unwrap() >= 1, "the queue is kept: {view:#}");
        bench.until_no_harness();
        // With a better one in its place, what was kept is answered with what comes next.
        bench.home.set("PASEO_PERSONALITY", Personality::Steady.name());
        bench.home.paseo(&["restart"]).ok();
        assert!(bench.inspect(&handle)["held"].as_u64().unwrap() >= 1);
        let answer = bench.answer(&handle, "<<say now>>");
        assert!(answer.contains("now ["), "{answer}");
        bench.until_idle(&handle);
        let texts = bench.items_of(&handle, "user_text");
        let later =
            texts.iter().filter(|item| item["text"].as_str().is_some_and(|text| text.contains("later")));
        assert_eq!(later.count(), 1, "{texts:#?}");
        assert_eq!(bench.inspect(&handle)["held"], 0);
    });
}

#[test]
fn an_answer_after_an_interrupt_is_not_the_next_ones() {
    all(Personality::Late, |bench, _| {
        let handle = bench.start(&[], "<<slow 50>><<say one two three four five six>>");
        bench.until(&handle, |item| item["kind"] == "user_text");
        let output =
            bench.home.paseo(&["send", &handle, "--interrupt", "--wait", "--timeout", "60s", "<<say new>>"]);
        assert!(output.ok().starts_with("new ["), "{output:?}");
    });
}

#[test]
fn a_slow_one_is_waited_for() {
    all(Personality::Slow, |bench, _| {
        let (_, answer) = bench.run(&[], "<<say a b c>>");
        assert!(answer.starts_with("a b c ["), "{answer}");
    });
}
