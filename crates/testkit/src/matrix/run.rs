//! Runs the contract tests, and reads what came of each.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{NOTES_VARIABLE, Outcome, Outcomes};

/// Runs all contract tests, and those that fail once more, each by itself: one that only fails while others keep the
/// machine busy says nothing about a harness.
pub fn run(repository: &Path) -> io::Result<Outcomes> {
    let directory = tempfile::tempdir()?;
    let notes = directory.path().join("notes");
    let mut outcomes = contract(repository, &notes, &[])?;
    let failed: Vec<String> =
        outcomes.iter().filter(|(_, outcome)| !outcome.passed).map(|(test, _)| test.clone()).collect();
    if !failed.is_empty() {
        let exactly = ["--test-threads=1", "--exact"].map(str::to_owned);
        outcomes.extend(contract(repository, &notes, &[exactly.to_vec(), failed].concat())?);
    }
    let noted = std::fs::read_to_string(&notes).unwrap_or_default();
    for (test, reason) in noted.lines().filter_map(|line| line.split_once('\t')) {
        if let Some(outcome) = outcomes.get_mut(test) {
            outcome.lacks = Some(reason.to_owned());
        }
    }
    Ok(outcomes)
}

#[allow(clippy::disallowed_methods)] // Cargo is not a harness.
fn contract(repository: &Path, notes: &Path, arguments: &[String]) -> io::Result<Outcomes> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["test", "--workspace", "--all-features", "--locked", "--test", "contract", "--"])
        .args(arguments);
    let mut child =
        cargo.current_dir(repository).env(NOTES_VARIABLE, notes).stdout(Stdio::piped()).spawn()?;
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let (mut outcomes, mut ended) = (Outcomes::new(), false);
    for line in lines {
        let line = line?;
        writeln!(io::stderr(), "{line}")?;
        ended |= line.starts_with("test result: ");
        if let Some((test, passed)) = outcome(&line) {
            outcomes.insert(test.to_owned(), Outcome { passed, lacks: None });
        }
    }
    let status = child.wait()?;
    if ended {
        Ok(outcomes)
    } else {
        Err(io::Error::other(format!("the contract tests did not come to their end: {status}")))
    }
}

/// Reads `test a::b ... ok`.
fn outcome(line: &str) -> Option<(&str, bool)> {
    let (test, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    match outcome {
        "ok" => Some((test, true)),
        "FAILED" => Some((test, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_test_that_ended_has_an_outcome() {
        assert_eq!(outcome("test a::b ... ok"), Some(("a::b", true)));
        assert_eq!(outcome("test a::b ... FAILED"), Some(("a::b", false)));
        assert_eq!(outcome("test a::b ... ignored"), None);
        assert_eq!(outcome("test a::b has been running for over 60 seconds"), None);
        assert_eq!(outcome("test result: ok. 3 passed"), None);
    }
}
