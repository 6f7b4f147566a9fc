//! Files of an agent of our own: what it reads and writes where, and what it must ask for.

use std::fs;
use std::os::unix::fs::symlink;

use paseo_testkit::home::TestHome;
use paseo_testkit::model::ModelServer;
use serde_json::Value;

use crate::Transcript;
use crate::chat::{at, items, run, start};
use crate::screens::assert_said;

/// A home with something outside of the directory that agents work in, and ways to it.
fn house(model: &ModelServer) -> (TestHome, String) {
    let home = at(&format!("{}/v1", model.url()));
    let outside = home.work().parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "violets\n").unwrap();
    fs::write(home.work().join("poem"), "roses\n").unwrap();
    symlink("../outside/secret", home.work().join("link")).unwrap();
    symlink("../outside", home.work().join("folder")).unwrap();
    let secret = outside.join("secret").display().to_string();
    (home, secret)
}

fn outcomes(results: &[Value]) -> Vec<&str> {
    results.iter().map(|result| result["outcome"].as_str().unwrap()).collect()
}

#[test]
fn who_may_only_read_reads_nothing_outside_and_writes_nothing() {
    let model = ModelServer::start();
    let (home, secret) = house(&model);
    let prompt = format!(
        "<<read poem>><<read {secret}>><<read ../outside/secret>><<read link>><<read folder/secret>>\
         <<tool list {{\"path\":\"folder\"}}>><<tool search {{\"text\":\"violets\",\"path\":\"..\"}}>>\
         <<read /proc/self/environ>><<write poem x>><<write folder/made x>><<edit poem roses x>><<bash touch made>><<say done>>"
    );
    let id = run(&home, &["--permissions", "read-only"], &prompt);
    let results = items(&home, &id, "tool_result");
    assert_eq!(outcomes(&results)[..1], ["ok"], "{results:#?}");
    assert!(results[0]["text"].as_str().unwrap().contains("roses"));
    assert_eq!(results.len(), 12);
    for result in &results[1..] {
        assert_ne!(result["outcome"], "ok", "{result:#}");
        assert!(!result["text"].as_str().unwrap_or_default().contains("violets"), "{result:#}");
    }
    assert_said!(home, results[1]["text"].as_str().unwrap(), @"This agent may only read files in its own directory. Continue without it, and say in your answer what is missing.");
    assert_eq!(fs::read_to_string(home.work().join("poem")).unwrap(), "roses\n");
    assert!(!home.work().join("made").exists() && !home.work().join("folder/made").exists());
    assert!(items(&home, &id, "permission").is_empty());
}

#[test]
fn who_may_only_read_is_offered_nothing_else_and_follows_no_hard_link() {
    let model = ModelServer::start();
    let (home, secret) = house(&model);
    fs::hard_link(&secret, home.work().join("linked")).unwrap();
    let prompt = "<<read linked>><<tool search {\"text\":\"violets\"}>>\
        <<tool write {\"path\":\"made\",\"content\":\"x\"}>><<tool shell {\"command\":\"touch made\"}>><<read poem>><<say done>>";
    let id = run(&home, &["--permissions", "read-only"], prompt);
    let offered = &model.requests()[0].body["tools"];
    let names: Vec<&str> =
        offered.as_array().unwrap().iter().filter_map(|tool| tool["function"]["name"].as_str()).collect();
    assert_eq!(names[..3], ["read", "list", "search"], "{offered:#}");
    assert!(!names.iter().any(|name| ["write", "edit", "shell"].contains(name)), "{offered:#}");
    // Names that it guesses help it nothing.
    let results = items(&home, &id, "tool_result");
    assert_eq!(outcomes(&results), ["error", "ok", "denied", "denied", "ok"], "{results:#?}");
    assert_said!(home, results[0]["text"].as_str().unwrap(), @"linked: the file has several hard links, and another link may be outside your directory");
    assert!(!home.work().join("made").exists());
    for result in &results {
        assert!(!result["text"].as_str().unwrap().contains("violets"), "{result:#}");
    }
    // Whoever may do everything may do this, too.
    let id = run(&home, &[], "<<read linked>><<say done>>");
    assert!(items(&home, &id, "tool_result")[0]["text"].as_str().unwrap().contains("violets"));
}

#[test]
fn who_asks_reads_freely_inside_and_asks_outside() {
    let model = ModelServer::start();
    let (home, secret) = house(&model);
    let prompt = "<<read poem>><<tool list {}>><<tool search {\"text\":\"roses\"}>><<read link>><<say done>>";
    let id = start(&home, &["--permissions", "ask"], prompt);
    let open = until_asked(&home, &id);
    let shown = home.paseo(&["permit", "ls"]);
    assert!(
        shown.ok().contains(&format!("reads {}", fs::canonicalize(&secret).unwrap().display())),
        "{shown:?}"
    );
    home.paseo(&["permit", "deny", &open]).ok();
    home.paseo(&["wait", "--timeout", "60s", &id]);
    let results = items(&home, &id, "tool_result");
    assert_eq!(outcomes(&results), ["ok", "ok", "ok", "denied"], "{results:#?}");
    assert!(!home.paseo(&["logs", &id]).stdout.contains("violets"));
}

#[test]
fn a_link_that_is_swapped_while_a_person_thinks_leads_nowhere() {
    let model = ModelServer::start();
    let (home, secret) = house(&model);
    let id = start(&home, &["--permissions", "ask"], "<<write poem stolen>><<say done>>");
    let open = until_asked(&home, &id);
    fs::remove_file(home.work().join("poem")).unwrap();
    symlink(&secret, home.work().join("poem")).unwrap();
    home.paseo(&["permit", "allow", &open]).ok();
    home.paseo(&["wait", "--timeout", "60s", &id]);
    assert_eq!(fs::read_to_string(&secret).unwrap(), "violets\n");
    let result = items(&home, &id, "tool_result").pop().unwrap();
    assert_eq!(result["outcome"], "error", "{result:#}");
    assert_said!(home, result["text"].as_str().unwrap(), @"poem: a symbolic link in the path changed or is broken");
}

#[test]
fn who_may_do_everything_reads_and_writes_anywhere() {
    let model = ModelServer::start();
    let (home, secret) = house(&model);
    let prompt = format!("<<read {secret}>><<write folder/made x>><<edit link violets daisies>><<say done>>");
    let id = run(&home, &[], &prompt);
    let results = items(&home, &id, "tool_result");
    assert_eq!(outcomes(&results), ["ok", "ok", "ok"], "{results:#?}");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "daisies\n");
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_that_it_started() {
    let model = ModelServer::start();
    let (home, _) = house(&model);
    let prompt =
        r#"<<tool shell {"command":"echo begun; setsid sleep 1000 & sleep 1000","timeout":1}>><<say done>>"#;
    let id = run(&home, &[], prompt);
    let result = items(&home, &id, "tool_result").pop().unwrap();
    assert_eq!(result["outcome"], "error", "{result:#}");
    let text = result["text"].as_str().unwrap();
    assert_said!(home, text, @r"
    begun

    [stopped after 1 seconds]
    ");
    home.paseo(&["close", &id]).ok();
    assert_eq!(home.left_beside_the_daemon(), [""; 0]);
}

/// Waits until something is asked, and returns its hash.
fn until_asked(home: &TestHome, id: &str) -> String {
    let ask = Transcript::follow(home, id).until(|item| item["kind"] == "permission");
    ask["fields"]["hash"].as_str().unwrap().to_owned()
}
