//! What people do to agents, and what they are told about it.

use super::Screens;
use crate::{json, start_hanging};

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn starting() {
    let mut screens = Screens::new();
    screens.show(&["run", "<<sh echo hi>><<say Done: the tests pass again.>>"]);
    screens.show(&["run", "-d", "<<say hi>>"]);
    screens.show(&["run", "-q", "<<say hi>>"]);
    screens.show(&["run", "<<fail The model refused to answer>>"]);
    screens.show(&["run", "<<crash 3>>"]);
    screens.show(&["run", "<<ask May I push to origin?>>"]);
    screens.show(&["run", "<<limit 7200000>>"]);
    screens.show(&["run", "--timeout", "1s", "<<hang>>"]);
    screens.compare("run");
}

#[test]
fn sending() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| words(&["send", &screens.settled(&["<<say hi>>"]), "<<say again>>"]));
    screens
        .show_fresh(|screens| words(&["send", "--wait", &screens.settled(&["<<say hi>>"]), "<<say again>>"]));
    screens.show_fresh(|screens| words(&["send", &start_hanging(&screens.home), "later"]));
    screens
        .show_fresh(|screens| words(&["send", "--interrupt", &start_hanging(&screens.home), "<<say now>>"]));
    screens.show_fresh(|screens| {
        let stopped = start_hanging(&screens.home);
        screens.home.paseo(&["send", &stopped, "<<say later>>"]).ok();
        screens.home.paseo(&["stop", &stopped]).ok();
        words(&["send", &stopped, "<<say go on>>"])
    });
    screens.compare("send");
}

#[test]
fn deciding() {
    let mut screens = Screens::new();
    let ask = "<<ask May I push to origin?>><<say went on>>";
    screens.show_fresh(|screens| words(&["permit", "allow", "--yes", &screens.settled(&[ask])]));
    screens.show_fresh(|screens| words(&["permit", "deny", &screens.settled(&[ask])]));
    screens.show_fresh(|screens| {
        for rule in json(&screens.home.paseo(&["permit", "rules", "--json"]))["rules"].as_array().unwrap() {
            screens.home.paseo(&["permit", "forget", rule["id"].as_str().unwrap()]).ok();
        }
        let strict = screens.settled(&["--permissions", "ask", "<<sh git push --force origin main>>"]);
        words(&["permit", "allow", "--yes", "--always", &strict])
    });
    screens.compare("permit_decided");
}

#[test]
fn changing() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| words(&["stop", &start_hanging(&screens.home)]));
    for command in [&["stop"][..], &["close"], &["clear"], &["rm", "-f"], &["pin"], &["wait"]] {
        screens.show_fresh(|screens| {
            let agent = screens.settled(&["<<say hi>>"]);
            words(&[command, &[&agent]].concat())
        });
    }
    screens.show_fresh(|screens| {
        let closed = screens.settled(&["<<say hi>>"]);
        screens.home.paseo(&["close", &closed]).ok();
        words(&["reopen", &closed])
    });
    screens.show_fresh(|screens| words(&["rename", &screens.settled(&["<<say hi>>"]), "fix the tests"]));
    screens.show_fresh(|screens| words(&["label", &screens.settled(&["<<say hi>>"]), "env=ci"]));
    screens.compare("changes");
}
