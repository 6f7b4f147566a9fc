//! Agents that work together, by MCP. What they do by skills is in `skills.rs`.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;

use paseo_testkit::home::TestHome;
use serde_json::Value;

use crate::bench::Bench;

/// Defines agents in the home, each by its slug and the lines of its file.
pub(crate) fn define(bench: &Bench, agents: &[(&str, &str)]) {
    define_in(&bench.home, agents);
}

/// The same in a home that no bench has.
pub(crate) fn define_in(home: &TestHome, agents: &[(&str, &str)]) {
    let folder = home.path().join("agents");
    // A home is for its owner alone.
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
    for (slug, lines) in agents {
        fs::write(folder.join(format!("{slug}.toml")), format!("name = \"{slug}\"\n{lines}\n")).unwrap();
    }
    home.trust();
}

fn switch_on(bench: &Bench, settings: &[&str]) {
    for setting in settings {
        bench.home.paseo(&["settings", "set", setting, "on"]).ok();
    }
}

/// The results of an agent's calls, oldest first.
pub(crate) fn results(bench: &Bench, handle: &str) -> Vec<String> {
    let results = bench.items_of(handle, "tool_result");
    results.iter().map(|result| result["text"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Returns where the work stood that an agent's last call handed on, and the agent that got it.
pub(crate) fn delegated(bench: &Bench, handle: &str) -> (String, String) {
    let result = bench.items_of(handle, "tool_result").pop().unwrap();
    let word = |name: &str| result["delegation"][name].as_str().unwrap_or_default().to_owned();
    assert!(result["delegation"].is_object(), "it was not recognised: {result:#}");
    (word("state"), word("session"))
}

/// Reads JSON out of a result, whatever the harness puts around it.
fn json(text: &str) -> Value {
    let json = &text[text.find('{').expect(text)..=text.rfind('}').expect(text)];
    serde_json::from_str(json)
        .or_else(|_| serde_json::from_str(&json.replace("\\\"", "\"")))
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}

pub(crate) fn an_agent_starts_another_and_gets_its_answer(bench: &mut Bench) {
    define(bench, &[("helper", "description = \"Helps.\"\nis_subagent = true")]);
    switch_on(bench, &["perm_summon"]);
    let prompt = r#"<<tool summon {"agent":"helper","task":"<<say the child is done\>\>"}>><<say on>>"#;
    let (handle, _) = bench.run(&[], prompt);
    let told = results(bench, &handle).join("\n");
    assert!(told.contains("agent_id: ") && told.contains("the child is done"), "{told}");
    let child = told.split("agent_id: ").nth(1).unwrap().split_whitespace().next().unwrap();
    let child = bench.inspect(&child[..8]);
    assert_eq!(child["parent"], bench.inspect(&handle)["id"], "{child:#}");
    assert_eq!(child["provider"], bench.inspect(&handle)["provider"]);
    let id = child["id"].as_str().unwrap().to_owned();
    assert_eq!(delegated(bench, &handle), ("finished".to_owned(), id));
}

pub(crate) fn an_agent_in_the_background_is_retrieved(bench: &mut Bench) {
    define(bench, &[("helper", "is_subagent = true")]);
    switch_on(bench, &["perm_summon"]);
    let summon =
        r#"<<tool summon {"agent":"helper","task":"<<say later\>\>","background":true}>><<say started>>"#;
    let (handle, _) = bench.run(&[], summon);
    let told = results(bench, &handle).join("\n");
    let child = told.split("agent_id: ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    assert_eq!(delegated(bench, &handle), ("background".to_owned(), child[..36].to_owned()));
    bench.answer(&handle, &format!(r#"<<tool retrieve {{"agent_id":"{}"}}>><<say on>>"#, &child[..36]));
    let told = results(bench, &handle).join("\n");
    assert!(told.contains("later"), "{told}");
    assert_eq!(delegated(bench, &handle), ("finished".to_owned(), child[..36].to_owned()));
}

pub(crate) fn an_agent_asks_another_by_its_definition(bench: &mut Bench) {
    define(bench, &[("lead", "description = \"Leads.\""), ("notes", "description = \"Takes notes.\"")]);
    let prompt = r#"<<tool agents_message {"agentId":"notes","content":"<<say noted it\>\>"}>><<say on>>"#;
    let (handle, _) = bench.run(&["--agent", "lead"], prompt);
    let answer = json(results(bench, &handle).last().unwrap());
    assert_eq!((&answer["status"], &answer["agentId"]), (&"complete".into(), &"notes".into()), "{answer:#}");
    assert!(answer["response"].as_str().unwrap().contains("noted it"), "{answer:#}");
    let session = answer["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(delegated(bench, &handle), ("finished".to_owned(), session));
    let told = bench.told();
    assert!(told.contains("notes: notes - Takes notes."), "the other agents are not in the prompt");
}

pub(crate) fn a_list_of_what_is_to_be_done_is_kept(bench: &mut Bench) {
    define(bench, &[("planner", "")]);
    let prompt =
        r#"<<tool todo {"todos":[{"content":"Sweep","status":"in_progress"},{"content":"Mop"}]}>><<say on>>"#;
    let (handle, _) = bench.run(&["--agent", "planner"], prompt);
    let shown = bench.inspect(&handle);
    let list: Vec<_> = shown["todo"].as_array().unwrap().iter().map(|todo| &todo["content"]).collect();
    assert_eq!(list, ["Sweep", "Mop"], "{shown:#}");
    assert!(bench.told().contains("# Task Management"), "the prompt does not say how");
}

pub(crate) fn an_agent_starts_one_for_the_person(bench: &mut Bench) {
    define(bench, &[("writer", "description = \"Writes.\"")]);
    switch_on(bench, &["perm_user_agent"]);
    let prompt =
        r#"<<tool summon {"agent":"writer","task":"<<say written\>\>","top_level":true}>><<say on>>"#;
    let (handle, _) = bench.run(&[], prompt);
    let told = results(bench, &handle).join("\n");
    let made = told.split("agent_id: ").nth(1).expect(&told).split_whitespace().next().unwrap();
    assert!(bench.wait_for_answer(&made[..8]).contains("written"));
    let made = bench.inspect(&made[..8]);
    assert_eq!((&made["parent"], &made["agent"]), (&Value::Null, &"writer".into()), "{made:#}");
}

pub(crate) fn an_agent_is_told_when_another_is_idle(bench: &mut Bench) {
    switch_on(bench, &["perm_read_tab"]);
    let gate = bench.gate();
    let busy = bench.start(&[], "<<bash cat gate>><<say done>>");
    bench.until(&busy, |item| item["kind"] == "tool_call");
    let busy_handle = bench.inspect(&busy)["handle"].as_str().unwrap().to_owned();
    let ask = format!(r#"<<tool notify_when_idle {{"tab_id":"{busy_handle}"}}>><<say on>>"#);
    let (handle, _) = bench.run(&[], &ask);
    let told = results(bench, &handle).join("\n");
    assert!(told.contains("You will be notified once"), "{told}");
    gate.open();
    bench.wait_for_answer(&busy);
    let notice = format!("[notice] Tab {busy_handle} is now idle.");
    bench.until_queued(&handle, &notice);
    let mark = bench.mark();
    // It comes along with the next turn, and starts none.
    assert_eq!(bench.inspect(&handle)["turns"], 1);
    bench.home.paseo(&["send", &handle, "<<say further>>"]).ok();
    bench.until_idle(&handle);
    assert!(bench.told_since(&mark).contains(&notice), "nobody told it");
}

pub(crate) fn an_answer_that_nobody_waits_for_comes_as_news(bench: &mut Bench) {
    define(bench, &[("lead", ""), ("notes", "")]);
    // The notice quotes how the request begins: what is to be done stands behind that, or the asking agent does it, too.
    let request =
        format!("{}<<bash cat gate\\>\\><<say noted it\\>\\>", "Please take your time with this. ".repeat(3));
    let content = format!(r#""agentId":"notes","content":"{request}""#);
    for (mode, status) in [(r#""mode":"async""#, "started"), (r#""timeout":1"#, "timeout")] {
        fs::remove_file(bench.file("gate")).ok();
        let gate = bench.gate();
        let ask = format!("<<tool agents_message {{{content},{mode}}}>><<say on>>");
        let (handle, _) = bench.run(&["--agent", "lead"], &ask);
        let answer = json(results(bench, &handle).last().unwrap());
        assert_eq!(answer["status"], status, "{answer:#}");
        gate.open();
        let notes = answer["sessionId"].as_str().unwrap();
        bench.until(&handle, |item| {
            let text = item["text"].as_str().unwrap_or_default();
            item["kind"] == "user_text" && text.contains("noted it")
        });
        bench.until_idle(&handle);
        bench.until_idle(notes);
    }
}
