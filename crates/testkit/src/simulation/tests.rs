use super::{Fault, Report, Seed, run, run_all};

const SCHEDULES: u64 = 10_000;
const RUNS_OF_A_FAULT: u64 = 4_000;

#[test]
fn the_rules_keep_their_promises() {
    let seeds = match number("PASEO_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("PASEO_SCHEDULES").unwrap_or(SCHEDULES),
    };
    if let Err(violation) = run_all(seeds, None) {
        panic!("{violation}");
    }
}

#[test]
fn the_runs_meet_what_they_are_meant_to_meet() {
    let reports = run_all(0..300, None).unwrap();
    let met = |what: &str, of: fn(&Report) -> usize, least: usize| {
        let sum: usize = reports.iter().map(of).sum();
        assert!(sum > least, "{what}: {sum}");
    };
    met("turns", |report| report.turns, 1_500);
    met("crashes", |report| report.crashes, 75);
    met("conflicts", |report| report.conflicts, 75);
    met("repeats", |report| report.repeats, 75);
    met("unpaid", |report| report.unpaid, 30);
    met("spawns", |report| report.spawns, 300);
    met("refused spawns", |report| report.refused_spawns, 100);
    met("waits", |report| report.waits, 300);
    met("refused waits", |report| report.refused_waits, 10);
    met("news", |report| report.news, 300);
}

#[test]
fn a_seed_means_the_same_run() {
    for seed in 0..20 {
        assert_eq!(run(Seed(seed), None), run(Seed(seed), None));
    }
}

#[test]
fn the_checker_has_teeth() {
    for fault in Fault::ALL {
        let violation = run_all(0..RUNS_OF_A_FAULT, Some(fault)).err();
        let violation = violation.unwrap_or_else(|| panic!("{fault:?} goes unnoticed"));
        // Whoever does not pay does not notice either that a cause was stopped.
        let unpaid = matches!(fault, Fault::SkipSpending | Fault::SpawnForFree);
        if unpaid && violation.what.contains("was stopped and goes on") {
            continue;
        }
        // Whoever was told and is told again may also ask again.
        if fault == Fault::AnswerAndTell && violation.what.contains("gets an answer that is none, or twice") {
            continue;
        }
        let expected = match fault {
            Fault::DropReturned | Fault::ForgetRepeat | Fault::AcknowledgeEarly | Fault::HandEarly => "I1",
            Fault::SkipSpending => "I7",
            Fault::Reorder => "I3",
            Fault::SkipReconciliation => "died with the daemon",
            Fault::TellTwice => "is told twice",
            Fault::DisarmFirst => "was not told",
            Fault::TellApart => "one outcome in two notices",
            Fault::AnswerAndTell => "is told twice",
            Fault::WaitForAnyone => "in a circle or a row",
            Fault::IgnoreCeiling => "I6",
            Fault::IgnoreFamily => "ancestors",
            Fault::SpawnForFree => "has started",
            Fault::CloseRootFirst | Fault::SpawnWhileClosing => "before its child",
        };
        assert!(violation.what.contains(expected), "{fault:?}: {violation}");
    }
}

#[test]
fn a_violation_says_how_to_replay_it() {
    let violation = run_all(0..RUNS_OF_A_FAULT, Some(Fault::DropReturned)).unwrap_err();
    let Seed(seed) = violation.seed;
    assert!(violation.to_string().contains(&format!("PASEO_SIM_SEED={seed} cargo test")));
    assert_eq!(run(violation.seed, Some(Fault::DropReturned)), Err(violation));
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}
