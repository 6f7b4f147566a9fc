//! The table of harnesses and features in `docs/harnesses.md` knows every test of the contract.

use std::process::Command;

use paseo_testkit::matrix::{CASES, COLUMNS, GENERAL, SINGLES, subjects};

#[allow(clippy::disallowed_methods)] // The tests themselves.
fn tests() -> Vec<String> {
    let listed =
        Command::new(std::env::current_exe().unwrap()).args(["--list", "--format", "terse"]).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    listed.lines().filter_map(|line| Some(line.strip_suffix(": test")?.to_owned())).collect()
}

#[test]
fn every_test_is_about_one_feature_of_one_harness_or_general() {
    let tests = tests();
    assert!(tests.len() > 500, "{tests:?}");
    let wrong: Vec<_> = tests.iter().filter(|test| subjects(test).len() != 1).collect();
    assert!(wrong.is_empty(), "crates/testkit/src/matrix/registry.rs must name each once: {wrong:#?}");
}

#[test]
fn the_registry_names_nothing_that_is_gone() {
    let tests = tests();
    let is_case = |test: &&String, case: &str| {
        test.rsplit_once("::")
            .is_some_and(|(module, name)| name == case && COLUMNS.iter().any(|(column, _)| *column == module))
    };
    let cases = CASES.iter().flat_map(|(_, cases)| *cases);
    let cases = cases.filter(|case| !tests.iter().any(|test| is_case(&test, case))).copied();
    let begins = |start: &&str| tests.iter().any(|test| test.starts_with(*start));
    let columns = COLUMNS.iter().map(|(name, _)| *name).filter(|name| !begins(name));
    let singles =
        SINGLES.iter().map(|(name, ..)| *name).filter(|name| !tests.iter().any(|test| test == name));
    let general = GENERAL.into_iter().filter(|name| !begins(name));
    let gone: Vec<&str> = cases.chain(columns).chain(singles).chain(general).collect();
    assert!(gone.is_empty(), "{gone:#?}");
}
