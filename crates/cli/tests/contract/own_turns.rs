//! Turns that claude starts by itself, when something it left in the background comes to an end.

use serde_json::Value;

use crate::bench::{Bench, CLAUDE, Witness};

/// Codex has no such turns: what it leaves running it looks at when it is asked again.
fn a_turn_of_its_own_is_shown_and_spends_a_wake(bench: &Bench) {
    let witness = bench.witness();
    let gate = bench.gate();
    let command = format!("{} exec 9\\>&-; cat gate", Witness::COMMAND);
    let made =
        bench.home.paseo(&["run", "-d", "--json", &format!("<<background {command}>><<say started>>")]);
    let made: Value = serde_json::from_str(made.ok()).unwrap();
    let handle = made["session"]["id"].as_str().unwrap().to_owned();
    let answer = bench.wait_for_answer(&handle);
    assert!(answer.starts_with("started [turns=1 "), "{answer}");
    witness.up();
    let before = bench.until_idle(&handle);
    assert_eq!((&before["status"], &before["turns"]), (&"idle".into(), &1.into()), "{before:#}");
    gate.open();
    let own = bench.until(&handle, |item| {
        item["kind"] == "assistant_text"
            && item["text"].as_str().is_some_and(|text| !text.starts_with("started"))
    });
    assert!(own["text"].as_str().unwrap().contains("[turns=2 "), "{own:#}");
    let after = bench.until_idle(&handle);
    assert_eq!((&after["status"], &after["turns"]), (&"idle".into(), &2.into()), "{after:#}");
    // It is paid for by the request that left the command behind.
    let cause = made["receipt"]["cause"].as_str().unwrap();
    let cause: Value = serde_json::from_str(bench.home.paseo(&["cause", cause, "--json"]).ok()).unwrap();
    assert_eq!(cause["wakes"], 1, "{cause:#}");
    let woken: Vec<_> = cause["turns"].as_array().unwrap().iter().map(|turn| turn["woken"] == true).collect();
    assert_eq!(woken, [false, true], "{cause:#}");
    assert!(bench.answer(&handle, "<<say on>>").starts_with("on [turns=3 "));
}

#[test]
fn of_the_fake_are_shown_and_spend_a_wake() {
    a_turn_of_its_own_is_shown_and_spends_a_wake(&Bench::fake(CLAUDE));
}

#[test]
fn of_the_real_one_are_shown_and_spend_a_wake() {
    Bench::real(CLAUDE).as_ref().map(a_turn_of_its_own_is_shown_and_spends_a_wake);
}
