//! Long conversations: what is cut, what is summarised, and what is left of it after a restart.

use insta::assert_snapshot;
use paseo_testkit::model::ModelServer;

use crate::chat::{Canned, at, configure, http, items, notices, run, says, send};
use crate::chat_turns::calls;
use crate::screens::assert_said;

/// The model takes so little that the third turn does not fit.
const SMALL: &str = "provider = 'openai'\n[[models]]\nmodel_id = 'scripted'\ncontext_tokens = 2000\n";

#[test]
fn the_older_part_is_summarised_and_that_survives_a_restart() {
    let model = ModelServer::start();
    let home = at(&format!("{}/v1", model.url()));
    configure(&home, "", &[("small", SMALL)]);
    let id = run(&home, &["--agent", "small"], "<<say first>>");
    assert!(send(&home, &id, "<<say second>>").ok().starts_with("second [turns=2 "));
    assert!(notices(&home, &id, "compacted").is_empty());
    assert!(send(&home, &id, "<<say third>>").ok().starts_with("third [turns=1 "));
    let told = notices(&home, &id, "compacted");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_said!(home, &told[0], @r"
    4 older messages were summarised because the model's context is full:

    firstsecond [turns=1 tools=0 model=scripted]
    ");
    // The model wrote it itself, of all that was said before.
    let requests = model.requests();
    let asked = requests.iter().find(|request| request.body["tools"].is_null()).unwrap().body.to_string();
    assert!(asked.contains("<<say first>>") && asked.contains("<<say second>>"), "{asked}");
    home.paseo(&["restart"]).ok();
    assert!(send(&home, &id, "<<say fourth>>").ok().starts_with("fourth [turns=2 "));
    let last = model.requests().pop().unwrap().body["messages"].to_string();
    let summary = told[0].lines().next().unwrap();
    assert!(last.contains(summary) && last.contains("<<say third>>"), "{last}");
    assert!(!last.contains("<<say first>>") && !last.contains("<<say second>>"), "{last}");
    // What is cleared is gone with its summary.
    home.paseo(&["clear", &id]).ok();
    assert!(send(&home, &id, "<<say fifth>>").ok().starts_with("fifth [turns=1 "));
    assert!(!model.requests().pop().unwrap().body.to_string().contains("summarised"));
}

#[test]
fn a_conversation_that_a_server_finds_too_long_is_summarised_once() {
    let long = http("413 Too Large", "application/json", "{}");
    let server = Canned::start(vec![says("noted"), long.clone(), says("they spoke"), says("on"), long]);
    let home = at(&server.url);
    let id = run(&home, &[], &"so much to say ".repeat(2000));
    assert_eq!(send(&home, &id, "and more").ok(), "on");
    let told = notices(&home, &id, "compacted");
    assert!(told.len() == 1 && told[0].ends_with("they spoke"), "{told:?}");
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    let last = requests[3]["messages"].to_string();
    assert!(last.contains("they spoke") && last.contains("and more") && !last.contains("so much"), "{last}");
    // There is nothing left that could be made shorter.
    assert_ne!(send(&home, &id, "and still more").code, 0);
    assert_eq!(items(&home, &id, "error").len(), 1);
}

#[test]
fn a_long_output_is_cut_for_the_model_and_whole_in_the_transcript() {
    let model = ModelServer::start();
    let home = at(&format!("{}/v1", model.url()));
    let id = run(&home, &[], "<<bash seq 1 200000>><<say done>>");
    let result = items(&home, &id, "tool_result").pop().unwrap();
    assert_eq!(result["full_length"], 1_288_895, "{:?}", result["full_length"]);
    let told = |number: usize| {
        let request = model.requests()[number].body.clone();
        let messages = request["messages"].as_array().unwrap();
        let result = messages.iter().find(|message| message["role"] == "tool").unwrap();
        result["content"].as_str().unwrap().to_owned()
    };
    let first = told(1);
    let cut = |text: &str| text.lines().filter(|line| line.parse::<u32>().is_err()).collect::<String>();
    assert!(first.len() < 40_000, "{}", first.len());
    assert!(first.starts_with("1\n2\n") && first.trim_end().ends_with("200000"));
    assert_snapshot!(cut(&first), @"[… 1256127 bytes left out …]");
    // A process that is told of the past is told no more.
    home.paseo(&["restart"]).ok();
    assert!(send(&home, &id, "<<say on>>").ok().starts_with("on [turns=2 tools=1 "));
    let again = told(2);
    assert!(again.len() < 40_000 && again.starts_with("1\n2\n"), "{}", again.len());
    assert_snapshot!(cut(&again), @"[… 32802 bytes left out …]");
}

#[test]
fn of_an_output_without_measure_the_real_end_is_told_and_kept() {
    let model = ModelServer::start();
    let home = at(&format!("{}/v1", model.url()));
    let id =
        run(&home, &[], "<<bash yes 0123456789 | head -c 40000000; echo; echo the real end>><<say done>>");
    let result = items(&home, &id, "tool_result").pop().unwrap();
    let kept = result["full_length"].as_u64().unwrap();
    assert!((33_000_000..=33_554_432).contains(&kept), "{kept}");
    let request = model.requests()[1].body.clone();
    let told =
        request["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool").unwrap();
    assert!(told["content"].as_str().unwrap().ends_with("\nthe real end\n"), "{}", told["content"]);
}

#[test]
fn a_file_that_grows_on_the_line_is_told_nevertheless() {
    let server = Canned::start(vec![calls(&[("read", r#"{"path":"wild"}"#)]), says("done")]);
    let home = at(&server.url);
    // Text to the eye of the tool, and six times as long as JSON.
    let content = format!("{}\n{}", "x".repeat(10_000), "\u{1}".repeat(15_000_000));
    std::fs::write(home.work().join("wild"), content).unwrap();
    let id = run(&home, &[], "go");
    let result = items(&home, &id, "tool_result").pop().unwrap();
    assert_eq!(result["outcome"], "ok", "{:?}", notices(&home, &id, "line_too_long"));
    assert_eq!(home.paseo(&["read", &id]).ok(), "done");
}

#[test]
fn a_peers_message_is_remembered_in_its_envelope() {
    let model = ModelServer::start();
    let home = at(&format!("{}/v1", model.url()));
    home.paseo(&["settings", "set", "perm_send_to_tab", "on"]).ok();
    let other = run(&home, &[], "<<say ready>>");
    let send_it =
        format!(r#"<<tool send_to_tab {{"tab_id":"{}","message":"pong"}}>><<say sent>>"#, &other[..8]);
    run(&home, &[], &send_it);
    home.paseo(&["wait", "--timeout", "60s", &other]);
    home.paseo(&["restart"]).ok();
    assert!(send(&home, &other, "<<say on>>").ok().starts_with("on [turns=3 "));
    let last = model.requests().pop().unwrap().body["messages"].take();
    let told = last.as_array().unwrap().iter().find_map(|message| {
        message["content"].as_str().filter(|text| message["role"] == "user" && text.contains("pong"))
    });
    assert_said!(home, told.unwrap_or_else(|| panic!("{last}")), @r"
    [message from tab aaa1]

    pong
    ");
}
