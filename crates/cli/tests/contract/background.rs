//! Commands that claude leaves in the background: they live and die with its process.

use std::io::{BufRead, BufReader};

use crate::bench::{Bench, CLAUDE, Witness};

/// Codex leaves nothing that would wake it.
fn a_process_with_commands_in_the_background_does_not_sleep(bench: &Bench) {
    std::fs::create_dir(bench.home.path()).unwrap();
    std::fs::write(bench.home.path().join("config.toml"), "[limits]\nlive_processes = 1\n").unwrap();
    let witness = bench.witness();
    let prompt = format!("<<background {} sleep 1000>><<say a>>", Witness::COMMAND);
    let (first, _) = bench.run(&[], &prompt);
    witness.up();
    let before = bench.harnesses();
    // Another one waits for a place instead of taking this one's.
    let mut other = bench.home.spawn(&["run", "--timeout", "60s", "<<say b>>"]);
    let mut said = BufReader::new(other.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("waits for a process slot (limit 1)")));
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(bench.harnesses(), before);
    bench.home.paseo(&["restart"]).ok();
    witness.gone();
    let notices = bench.items_of(&first, "notice");
    let told = notices.iter().any(|item| item["text"] == "Stopped 1 background command.");
    assert!(told, "{notices:#?}");
}

#[test]
fn of_the_fake_keep_it_awake() {
    a_process_with_commands_in_the_background_does_not_sleep(&Bench::fake(CLAUDE));
}

#[test]
fn of_the_real_one_keep_it_awake() {
    Bench::real(CLAUDE).as_ref().map(a_process_with_commands_in_the_background_does_not_sleep);
}
