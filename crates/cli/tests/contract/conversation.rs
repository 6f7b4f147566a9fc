//! Talking: text, thoughts, tools, turns.

use serde_json::Value;

use crate::bench::Bench;

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
    assert!(call["title"].as_str().unwrap().contains("echo hello"), "{call:#}");
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
    let model = if bench.is_claude() { "claude-sonnet-4-5" } else { "scripted-two" };
    let (handle, answer) = bench.run(&["--model", model, "--effort", "high"], "<<say a>>");
    assert!(answer.contains(&format!("model={model}")), "{answer}");
    let view = bench.inspect(&handle);
    assert_eq!((&view["model"], &view["effort"]), (&model.into(), &"high".into()));
    assert!(bench.told().contains("high"), "the effort was not passed on");
    let refused = bench.home.paseo(&["run", "--effort", "heroic", "x"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("high"), "{}", refused.stderr);
}

pub(crate) fn usage_adds_up(bench: &mut Bench) {
    let (handle, _) = bench.run(&[], "<<say a>>");
    let first = bench.inspect(&handle)["usage"].clone();
    bench.answer(&handle, "<<bash true>><<say b>>");
    let second = bench.inspect(&handle)["usage"].clone();
    for field in ["input_tokens", "output_tokens"] {
        assert!(first[field].as_u64().unwrap() > 0, "{first}");
        assert!(second[field].as_u64() > first[field].as_u64(), "{field}: {first} then {second}");
    }
    // The fakes are free.
    if bench.is_claude() && bench.model.is_some() {
        assert!(second["cost_micros"].as_u64() > first["cost_micros"].as_u64(), "{first} then {second}");
        // Each turn counts once, although the harness tells the sum.
        let items = bench.items_of(&handle, "usage");
        let sum: u64 = items.iter().map(|item| item["cost_micros"].as_u64().unwrap_or(0)).sum();
        assert_eq!(second["cost_micros"].as_u64(), Some(sum));
    }
}
