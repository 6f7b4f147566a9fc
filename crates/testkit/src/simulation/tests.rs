use super::{Fault, Report, Seed, run};

const RUNS: u64 = 2_000;
const RUNS_OF_A_FAULT: u64 = 500;

#[test]
fn the_rules_keep_their_promises() {
    let seeds = match number("PASEO_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("PASEO_SIM_RUNS").unwrap_or(RUNS),
    };
    for seed in seeds {
        if let Err(violation) = run(Seed(seed), None) {
            panic!("{violation}");
        }
    }
}

#[test]
fn the_runs_meet_what_they_are_meant_to_meet() {
    let reports: Vec<Report> = (0..200).map(|seed| run(Seed(seed), None).unwrap()).collect();
    let sum = |of: fn(&Report) -> usize| reports.iter().map(of).sum::<usize>();
    assert!(sum(|report| report.turns) > 1_000, "turns: {}", sum(|report| report.turns));
    assert!(sum(|report| report.crashes) > 50, "crashes: {}", sum(|report| report.crashes));
    assert!(sum(|report| report.conflicts) > 50, "conflicts: {}", sum(|report| report.conflicts));
    assert!(sum(|report| report.repeats) > 50, "repeats: {}", sum(|report| report.repeats));
    assert!(sum(|report| report.unpaid) > 20, "unpaid: {}", sum(|report| report.unpaid));
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
        let caught = (0..RUNS_OF_A_FAULT).find_map(|seed| run(Seed(seed), Some(fault)).err());
        let violation = caught.unwrap_or_else(|| panic!("{fault:?} goes unnoticed"));
        let expected = match fault {
            Fault::DropReturned | Fault::ForgetRepeat | Fault::AcknowledgeEarly | Fault::HandEarly => "I1",
            Fault::SkipSpending => "I7",
            Fault::Reorder => "I3",
            Fault::SkipReconciliation => "died with the daemon",
        };
        assert!(violation.what.contains(expected), "{fault:?}: {violation}");
    }
}

#[test]
fn a_violation_says_how_to_replay_it() {
    let caught = (0..RUNS_OF_A_FAULT).find_map(|seed| run(Seed(seed), Some(Fault::DropReturned)).err());
    let violation = caught.unwrap();
    let Seed(seed) = violation.seed;
    assert!(violation.to_string().contains(&format!("PASEO_SIM_SEED={seed} cargo test")));
    assert_eq!(run(violation.seed, Some(Fault::DropReturned)), Err(violation));
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}
