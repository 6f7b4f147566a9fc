//! Talking: text, thoughts, tools, turns.

use serde_json::Value;

use crate::bench::{Bench, CODEX, Witness};
use crate::lacks::Lack;

pub(crate) fn an_answer_streams_and_is_stored_once(bench: &mut Bench) {
    let (handle, answer) = bench.run(&[], "<<say one two three>>");
    assert!(answer.starts_with("one two three [turns=1 "), "{answer}");
    let said = bench.items_of(&handle, "assistant_text");
    assert_eq!(said.len(), 1, "{said:#?}");
    let view = bench.inspect(&handle);
    assert_eq!((&view["status"], &view["status_source"]), (&"idle".into(), &"protocol".into()));
}

pub(crate) fn thoughts_and_tools_become_items(bench: &mut Bench) {
    let (handle, _) = bench.run(&[], "<<think let me see>><<bash echo hello; exit 3>><<say done>>");
    let thought = bench.items_of(&handle, "thinking");
    assert!(
        thought.iter().any(|item| item["text"].as_str().unwrap_or("").contains("let me see")),
        "{thought:#?}"
    );
    let call = &bench.items_of(&handle, "tool_call")[0];
    assert_eq!(call["class"], "execute", "{call:#}");
    assert_eq!(call["title"], "Run echo hello; exit 3", "{call:#}");
    let result = &bench.items_of(&handle, "tool_result")[0];
    assert_eq!(result["call"], call["call"]);
    assert_eq!((&result["outcome"], &result["exit_code"]), (&"error".into(), &3.into()), "{result:#}");
    assert!(result["text"].as_str().unwrap().contains("hello"), "{result:#}");
}

pub(crate) fn a_changed_file_comes_with_its_diff(bench: &mut Bench) {
    std::fs::write(bench.file("poem.txt"), "roses are red\n").unwrap();
    let (handle, _) = bench.run(
        &[],
        r#"<<read poem.txt>><<edit poem.txt "roses are red" "roses are blue">><<write new.txt first>><<say done>>"#,
    );
    let poem = std::fs::read_to_string(bench.file("poem.txt")).unwrap();
    assert_eq!(poem, "roses are blue\n", "{}", bench.transcript(&handle));
    let diffs: Vec<Value> = bench
        .items_of(&handle, "tool_result")
        .into_iter()
        .flat_map(|item| item["diffs"].as_array().cloned().unwrap_or_default())
        .collect();
    let patch = |name: &str| {
        let found = diffs.iter().find(|diff| diff["path"].as_str().unwrap().ends_with(name));
        found.unwrap_or_else(|| panic!("no diff of {name}: {diffs:#?}"))["patch"].as_str().unwrap().to_owned()
    };
    let poem = patch("poem.txt");
    let changed =
        |sign: char, text: &str| poem.lines().any(|line| line.starts_with(sign) && line.ends_with(text));
    assert!(changed('-', "are red") && changed('+', "are blue"), "{poem}");
    assert!(patch("new.txt").contains("+first"));
    // Every harness calls it the same, and says how much it changed.
    let shown = bench.home.paseo(&["logs", &handle]).stdout;
    // Codex reads with commands, and says which of them read; the fake says nothing about them.
    let read = if bench.program == CODEX && bench.model.is_none() {
        "Run cat -- poem.txt\n"
    } else {
        "Read poem.txt\n"
    };
    let heads = [read, "Edit poem.txt +1 −1\n", "Edit new.txt +1 −0\n"];
    let at: Vec<_> =
        heads.iter().map(|head| shown.find(head).unwrap_or_else(|| panic!("{head}: {shown}"))).collect();
    assert!(at.is_sorted(), "{shown}");
    assert!(shown.contains("\n-roses are red\n+roses are blue\n"), "{shown}");
    let counted = bench.home.paseo(&["logs", "--stat", &handle]).stdout;
    assert!(counted.contains("Edit poem.txt +1 −1\n") && !counted.contains("+roses"), "{counted}");
}

pub(crate) fn many_turns_share_one_process(bench: &mut Bench) {
    let (handle, first) = bench.run(&[], "<<say a>>");
    let before = bench.harnesses();
    assert_eq!(before.len(), 1);
    let second = bench.answer(&handle, "<<bash true>><<say b>>");
    let third = bench.answer(&handle, "<<say c>>");
    assert!(
        first.contains("turns=1 ") && second.contains("turns=2 ") && third.contains("turns=3 "),
        "{third}"
    );
    assert_eq!(bench.harnesses(), before);
}

pub(crate) fn a_model_and_an_effort_can_be_chosen(bench: &mut Bench) {
    let (model, shown) = bench.other_model();
    let effort: &[&str] = if bench.lacks(Lack::Effort) { &[] } else { &["--effort", "high"] };
    let (handle, answer) = bench.run(&[&["--model", model], effort].concat(), "<<say a>>");
    assert!(answer.contains(&format!("model={shown}")), "{answer}");
    let view = bench.inspect(&handle);
    assert_eq!(view["model"], model);
    if !bench.lacks(Lack::Effort) {
        assert_eq!(view["effort"], "high");
        assert!(bench.told().contains("high"), "the effort was not passed on");
    }
    let refused = bench.home.paseo(&["run", "--effort", "heroic", "x"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(bench.lacks(Lack::Effort) || refused.stderr.contains("high"), "{}", refused.stderr);
}

pub(crate) fn usage_adds_up(bench: &mut Bench) {
    let model: &[&str] = if bench.is_claude() { &["--model", "claude-sonnet-4-5"] } else { &[] };
    let (handle, _) = bench.run(model, "<<say a>>");
    let first = bench.inspect(&handle)["usage"].clone();
    bench.answer(&handle, "<<bash true>><<say b>>");
    let second = bench.inspect(&handle)["usage"].clone();
    for field in ["input_tokens", "output_tokens"] {
        assert!(first[field].as_u64().unwrap() > 0, "{first}");
        assert!(second[field].as_u64() > first[field].as_u64(), "{field}: {first} then {second}");
    }
    // A process that ended well tells what it cost to the next, one that crashed does not.
    bench.home.paseo(&["restart"]).ok();
    bench.answer(&handle, "<<say c>>");
    let witness = bench.witness();
    let crash = format!("<<bash {} sleep 1000>>", Witness::COMMAND);
    bench.home.paseo(&["send", &handle, &crash]).ok();
    witness.up();
    bench.kill_harness();
    witness.gone();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    bench.answer(&handle, "<<say d>>");
    // The fakes are free.
    if bench.is_claude() && bench.model.is_some() {
        let items = bench.items_of(&handle, "usage");
        assert_eq!(items.len(), 4, "{items:#?}");
        let price = |item: &Value| {
            let count = |field: &str| item[field].as_u64().unwrap();
            // Dollars for a million tokens: 3 in, 0.3 from the cache, 15 out.
            let fresh = count("input_tokens") - count("cached_tokens");
            fresh * 3 + count("cached_tokens") * 3 / 10 + count("output_tokens") * 15
        };
        for item in &items {
            assert_eq!(item["cost_micros"], price(item), "{item:#}");
        }
        let sum: u64 = items.iter().map(price).sum();
        assert_eq!(bench.inspect(&handle)["usage"]["cost_micros"], sum);
    }
}

pub(crate) fn a_message_that_interrupts_is_told_apart_from_a_stop(bench: &mut Bench) {
    let witness = bench.witness();
    let handle = bench.start(&[], &format!("<<bash {} sleep 1000>><<say never>>", Witness::COMMAND));
    witness.up();
    bench.home.paseo(&["send", "--interrupt", &handle, "<<say now>>"]).ok();
    assert!(bench.wait_for_answer(&handle).starts_with("now ["), "{}", bench.transcript(&handle));
    let witness = bench.witness();
    bench.home.paseo(&["send", &handle, &format!("<<bash {} sleep 1000>>", Witness::COMMAND)]).ok();
    witness.up();
    bench.home.paseo(&["stop", &handle]).ok();
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    let notices = bench.items_of(&handle, "notice");
    let told: Vec<_> =
        notices.iter().filter(|item| item["code"] == "interrupted").map(|item| &item["text"]).collect();
    assert_eq!(told, ["A person interrupted this turn with a message.", "A person stopped this turn."]);
}
