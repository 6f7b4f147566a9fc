//! The `Paseo` MCP server and the text that comes with it.

use paseo_core::prompt::UI_TEXT;

use crate::bench::Bench;

/// The verbatim text as it stands inside a JSON string.
fn encoded() -> String {
    serde_json::to_string(UI_TEXT).unwrap().trim_matches('"').to_owned()
}

fn has_text(told: &str) -> bool {
    told.contains(&encoded()) || told.contains(UI_TEXT)
}

pub(crate) fn an_agent_in_the_app_has_two_tools_and_the_text(bench: &mut Bench) {
    let prompt =
        r#"<<tool set_title {"title":"Sort the shelves"}>><<tool set_title {"title":"Again"}>><<say ok>>"#;
    let (handle, _) = bench.run(&["--ui"], prompt);
    assert_eq!(bench.inspect(&handle)["title"], "Sort the shelves", "{}", bench.transcript(&handle));
    assert!(bench.transcript(&handle).contains("Nothing changed"), "{}", bench.transcript(&handle));
    let told = bench.told();
    assert!(has_text(&told), "the text is missing");
    if let Some(model) = &bench.model {
        let request = model.requests().into_iter().find(|request| request.body["tools"].is_array()).unwrap();
        assert_eq!(paseo_tools(&request.body["tools"]), ["set_branch", "set_title"]);
    }
}

pub(crate) fn a_background_agent_has_neither(bench: &mut Bench) {
    bench.run(&[], "<<say ok>>");
    let told = bench.told();
    assert!(!has_text(&told), "a background agent was told to title itself");
    assert!(!told.contains("set_title") && !told.contains("/mcp/"), "a background agent has our tools");
}

pub(crate) fn a_label_counts_from_the_next_turn(bench: &mut Bench) {
    let (handle, _) = bench.run(&[], "<<say a>>");
    bench.home.paseo(&["label", &handle, "ui=true"]).ok();
    let answer = bench.answer(&handle, r#"<<tool set_title {"title":"Late"}>><<say b>>"#);
    assert!(answer.contains("turns=2 "), "{answer}");
    assert_eq!(bench.inspect(&handle)["title"], "Late", "{}", bench.transcript(&handle));
}

/// Returns the names of our tools, however deep the harness puts them.
fn paseo_tools(tools: &serde_json::Value) -> Vec<String> {
    let mut names = Vec::new();
    for tool in tools.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap_or_default();
        if let Some(own) = name.strip_prefix("mcp__Paseo__") {
            names.push(own.to_owned());
        } else if name == "mcp__Paseo" {
            let inner = tool["tools"].as_array().unwrap();
            names.extend(inner.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        }
    }
    names.sort();
    names
}
