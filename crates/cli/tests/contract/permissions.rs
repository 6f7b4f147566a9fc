//! Permission modes, in each harness's own words.

use crate::bench::{Bench, CODEX};

pub(crate) fn what_is_allowed_happens_and_what_is_denied_does_not(bench: &mut Bench) {
    let handle =
        bench.start(&["--permissions", "ask"], "<<bash touch allowed>><<bash touch denied>><<say done>>");
    let first = bench.until_asked(&handle);
    let view = bench.inspect(&handle);
    assert_eq!(view["status"], "waiting", "{view:#}");
    let open = bench.home.paseo(&["permit", "ls"]);
    assert!(open.ok().contains("touch allowed"), "{}", open.stdout);
    assert!(!bench.file("allowed").exists());
    bench.home.paseo(&["permit", "allow", &first]).ok();
    let late = bench.home.paseo(&["permit", "deny", &first]);
    assert_ne!(late.code, 0, "the second answer is told: {late:?}");
    let second = bench.until(&handle, |item| {
        item["kind"] == "permission" && item["decision"].is_null() && item["hash"] != first.as_str()
    });
    bench.home.paseo(&["permit", "deny", second["hash"].as_str().unwrap(), "--message", "not today"]).ok();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    assert!(bench.file("allowed").exists(), "{}", bench.transcript(&handle));
    assert!(!bench.file("denied").exists());
    let results = bench.items_of(&handle, "tool_result");
    assert_eq!(results[0]["outcome"], "ok", "{results:#?}");
    assert_ne!(results[1]["outcome"], "ok", "{results:#?}");
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
}

pub(crate) fn always_covers_the_same_again(bench: &mut Bench) {
    let handle = bench.start(
        &["--permissions", "ask"],
        "<<bash touch one>><<bash touch one>><<bash touch two>><<say done>>",
    );
    let first = bench.until_asked(&handle);
    bench.home.paseo(&["permit", "allow", "--always", &first]).ok();
    let second = bench.until(&handle, |item| {
        item["kind"] == "permission" && item["decision"].is_null() && item["hash"] != first.as_str()
    });
    assert!(second["text"].as_str().unwrap().contains("touch two"), "{second:#}");
    bench.home.paseo(&["permit", "deny", second["hash"].as_str().unwrap()]).ok();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    assert!(bench.file("one").exists() && !bench.file("two").exists());
}

pub(crate) fn read_only_changes_nothing(bench: &mut Bench) {
    // Codex keeps this by its sandbox, which the fake has not.
    if bench.program == CODEX && bench.model.is_none() {
        return;
    }
    std::fs::write(bench.file("poem.txt"), "roses\n").unwrap();
    let prompt = "<<read poem.txt>><<bash touch made>><<write written.txt x>><<say done>>";
    let handle = bench.start(&["--permissions", "read-only"], prompt);
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    assert!(
        !bench.file("made").exists() && !bench.file("written.txt").exists(),
        "{}",
        bench.transcript(&handle)
    );
    assert!(bench.transcript(&handle).contains("roses"), "{}", bench.transcript(&handle));
    assert_eq!(bench.inspect(&handle)["asks"], 0);
}

pub(crate) fn a_pending_ask_is_withdrawn_by_a_restart(bench: &mut Bench) {
    let handle = bench.start(&["--permissions", "ask"], "<<bash touch made>><<say done>>");
    let hash = bench.until_asked(&handle);
    bench.home.paseo(&["restart"]).ok();
    let asks = bench.items_of(&handle, "permission");
    assert_eq!(asks.last().unwrap()["decision"], "withdrawn", "{asks:#?}");
    let late = bench.home.paseo(&["permit", "allow", &hash]);
    assert_ne!(late.code, 0, "{late:?}");
    assert!(!bench.file("made").exists());
    let answer = bench.answer(&handle, "<<say on>>");
    assert!(answer.starts_with("on ["), "{answer}");
}

pub(crate) fn a_standing_deny_holds_in_every_mode(bench: &mut Bench) {
    let handle = bench.start(&["--permissions", "ask"], "<<bash touch denied>><<say done>>");
    let hash = bench.until_asked(&handle);
    bench.home.paseo(&["permit", "deny", "--always", &hash]).ok();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    let (handle, _) =
        bench.run(&["--permissions", "full"], "<<bash touch denied>><<bash touch other>><<say done>>");
    assert!(!bench.file("denied").exists(), "{}", bench.transcript(&handle));
    assert!(bench.file("other").exists(), "{}", bench.transcript(&handle));
}

pub(crate) fn a_file_that_is_denied_is_denied_to_every_tool_and_below(bench: &mut Bench) {
    std::fs::write(bench.file("guard.txt"), "roses\n").unwrap();
    std::fs::create_dir(bench.file("sub")).unwrap();
    let guard = bench.file("guard.txt").canonicalize().unwrap();
    let guard = guard.to_str().unwrap();
    let handle = bench.start(&["--permissions", "ask"], &format!("<<write {guard} violets>><<say done>>"));
    let hash = bench.until_asked(&handle);
    bench.home.paseo(&["permit", "deny", "--always", &hash]).ok();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    let prompt = format!("<<read {guard}>><<edit {guard} roses violets>><<say done>>");
    let sub = bench.file("sub");
    let (handle, _) = bench.run(&["--permissions", "full", "--cwd", sub.to_str().unwrap()], &prompt);
    let kept = std::fs::read_to_string(guard).unwrap();
    assert_eq!(kept, "roses\n", "{}", bench.transcript(&handle));
}

pub(crate) fn words_along_with_an_answer_reach_the_model(bench: &mut Bench) {
    for (answer, words) in [("allow", "mind the gap"), ("deny", "not today")] {
        let handle = bench.start(&["--permissions", "ask"], "<<bash touch one>><<say done>>");
        let hash = bench.until_asked(&handle);
        bench.home.paseo(&["permit", answer, &hash, "--message", words]).ok();
        bench.home.paseo(&["wait", "--timeout", "20s", &handle]);
        assert!(bench.told().contains(words), "{answer}: {}", bench.transcript(&handle));
    }
}
