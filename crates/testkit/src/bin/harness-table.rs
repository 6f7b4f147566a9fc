//! Runs the contract tests and writes what works with which harness: `harness-table docs/harnesses.md 2026-11-17`.
//!
//! `make harnesses LATEST=1` runs it with the newest harnesses, which `PASEO_HARNESSES` names.

#![allow(clippy::print_stderr)] // It talks to a person at a terminal.

use std::path::Path;
use std::process::ExitCode;

use paseo_testkit::matrix;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, day] = arguments.as_slice() else {
        eprintln!("usage: harness-table FILE DAY");
        return ExitCode::from(2);
    };
    let outcomes = match matrix::run(Path::new(".")) {
        Ok(outcomes) => outcomes,
        Err(error) => {
            eprintln!("harness-table: {error}");
            return ExitCode::FAILURE;
        }
    };
    let page = matrix::page(&outcomes, day, |program| program.version());
    if let Err(error) = std::fs::write(path, page) {
        eprintln!("harness-table: {path} cannot be written: {error}");
        return ExitCode::FAILURE;
    }
    let failed = outcomes.values().filter(|outcome| !outcome.passed).count();
    eprintln!("harness-table: {} tests, {failed} failed; see {path}", outcomes.len());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
