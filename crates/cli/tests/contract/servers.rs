//! The `Paseo` MCP server and the text that comes with it.

use paseo_core::prompt::UI_TEXT;

use crate::bench::{Bench, OPENAI, Witness};
use crate::together::delegated;

/// The verbatim text as it stands inside a JSON string.
fn encoded() -> String {
    serde_json::to_string(UI_TEXT).unwrap().trim_matches('"').to_owned()
}

pub(crate) fn has_text(told: &str) -> bool {
    told.contains(&encoded()) || told.contains(UI_TEXT)
}

pub(crate) fn an_agent_in_the_app_has_two_tools_and_the_text(bench: &mut Bench) {
    let prompt =
        r#"<<tool set_title {"title":"Sort the shelves"}>><<tool set_title {"title":"Again"}>><<say ok>>"#;
    let (handle, _) = bench.run(&["--ui"], prompt);
    assert_eq!(bench.inspect(&handle)["title"], "Sort the shelves", "{}", bench.transcript(&handle));
    assert!(bench.transcript(&handle).contains("No change"), "{}", bench.transcript(&handle));
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

pub(crate) fn a_tool_that_is_taken_away_is_refused_in_words_and_the_turn_goes_on(bench: &mut Bench) {
    let witness = bench.witness();
    let gate = bench.gate();
    let command = format!("<<bash {} exec 9\\>&-; cat gate>>", Witness::COMMAND);
    let prompt = format!(r#"{command}<<tool set_title {{"title":"Never"}}>><<say on>>"#);
    let handle = bench.start(&["--ui"], &prompt);
    witness.up();
    bench.home.paseo(&["label", &handle, "ui-"]).ok();
    gate.open();
    let answer = bench.wait_for_answer(&handle);
    assert!(answer.contains("on [turns=1 tools=2 "), "{answer}");
    assert_ne!(bench.inspect(&handle)["title"], "Never");
    let results = bench.items_of(&handle, "tool_result");
    let refused = results.last().unwrap();
    // By MCP, a refusal is an error like any other.
    let outcome = if bench.program == OPENAI { "denied" } else { "error" };
    assert_eq!(refused["outcome"], outcome, "{results:#?}");
    assert!(refused["text"].as_str().unwrap().contains("the tool `set_title` is not granted"), "{refused:#}");
    // Neither the tools nor the text come with the next turn.
    let mark = bench.mark();
    assert!(bench.answer(&handle, "<<say next>>").starts_with("next [turns=2 "));
    if let Some(model) = &bench.model {
        let requests = model.requests().split_off(mark.requests);
        assert!(requests.iter().all(|request| paseo_tools(&request.body["tools"]).is_empty()));
    }
}

/// Returns the names of our tools, however deep the harness puts them.
pub(crate) fn paseo_tools(tools: &serde_json::Value) -> Vec<String> {
    let mut names = Vec::new();
    for tool in tools.as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        // Who takes them from us directly has them by their own names.
        let told = tool["function"]["name"].as_str().unwrap_or_default();
        // Opencode puts the name of the server before each.
        let told = told.strip_prefix("Paseo_").unwrap_or(told);
        let told = told.strip_prefix("mcp__Paseo__").unwrap_or(told);
        if paseo_core::tool::find(told).is_some() {
            names.push(told.to_owned());
        } else if let Some(own) = name.strip_prefix("mcp__Paseo__") {
            names.push(own.to_owned());
        } else if name == "mcp__Paseo" {
            let inner = tool["tools"].as_array().unwrap();
            names.extend(inner.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        }
    }
    names.sort();
    names
}

pub(crate) fn agents_talk_by_their_handles(bench: &mut Bench) {
    let (other, _) = bench.run(&[], "<<say b>>");
    let handle = bench.inspect(&other)["handle"].as_str().unwrap().to_owned();
    for setting in ["perm_send_to_tab", "perm_read_tab"] {
        bench.home.paseo(&["settings", "set", setting, "on"]).ok();
    }
    let send = format!(r#"<<tool send_to_tab {{"tab_id":"{handle}","message":"say pong"}}>><<say sent>>"#);
    let (sender, _) = bench.run(&[], &send);
    let told = bench.transcript(&sender);
    assert!(told.contains(&format!("Delivered to tab {handle} (status: idle → started new turn)")), "{told}");
    let id = bench.inspect(&other)["id"].as_str().unwrap().to_owned();
    assert_eq!(delegated(bench, &sender), ("sent".to_owned(), id));
    let arrived = bench.until(&other, |item| item["kind"] == "user_text" && item["text"] == "say pong");
    assert_eq!(arrived["origin"], format!("session:{}", bench.inspect(&sender)["id"].as_str().unwrap()));
    bench.wait_for_answer(&other);
    let sender_handle = bench.inspect(&sender)["handle"].as_str().unwrap().to_owned();
    assert!(bench.told().contains(&format!("[message from tab {sender_handle}]")), "the envelope is missing");
    bench.answer(&sender, &format!(r#"<<tool read_tab {{"tab_id":"{handle}"}}>><<say read>>"#));
    let told = bench.transcript(&sender);
    assert!(told.contains(&format!("<tab_response tab={handle} status=idle>")), "{told}");
}
