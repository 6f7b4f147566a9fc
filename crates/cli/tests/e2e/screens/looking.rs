//! What people look at: lists, transcripts, traces.

use super::Screens;
use crate::worktrees::make_repository;
use crate::{inspect, json, start_hanging};

const LONG: &str = "a name that is long enough to fill more than one line of a terminal, and then some";

#[test]
fn agents() {
    let mut screens = Screens::new();
    screens.show(&["ls"]);
    screens.settled(&["<<say hi>>"]);
    screens.show(&["ls"]);
    screens.settled(&["--title", "fix the tests", "--label", "env=ci", "<<fail x>>"]);
    screens.settled(&[
        "--title",
        LONG,
        "--label",
        "team=infrastructure",
        "--label",
        "env=production",
        "<<ask may I>>",
    ]);
    start_hanging(&screens.home);
    screens.settled(&["<<limit 7200000>>"]);
    let closed = screens.settled(&["--title", "done", "<<say hi>>"]);
    screens.home.paseo(&["close", &closed]).ok();
    screens.settled(&["--ui", "<<say hi>>"]);
    screens.show(&["ls"]);
    screens.show(&["ls", "--label", "env=ci"]);
    screens.show(&["ls", "--label", "env=none"]);
    screens.show(&["ls", "-ag"]);
    screens.compare("ls");
}

#[test]
fn inbox() {
    let mut screens = Screens::new();
    screens.show(&["inbox"]);
    screens
        .settled(&["<<say The tests pass. One of them was wrong about the time zone, and is fixed now.>>"]);
    screens.settled(&["--title", "fix the tests", "<<fail x>>"]);
    screens.settled(&["--title", LONG, "<<ask may I push this to the branch that all others work on?>>"]);
    screens.show(&["inbox"]);
    screens.compare("inbox");
}

#[test]
fn one_agent() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| {
        let options = ["--title", "fix the tests", "--label", "env=ci"];
        vec![
            "inspect".to_owned(),
            screens.settled(&[&options[..], &["<<usage 1200 80>><<say hi>>"]].concat()),
        ]
    });
    screens.show_fresh(|screens| {
        vec![
            "inspect".to_owned(),
            screens.settled(&["--permissions", "ask", "<<sh git push --force origin main>>"]),
        ]
    });
    screens.compare("inspect");
}

#[test]
fn transcripts() {
    let mut screens = Screens::new();
    let talk = "<<think What is there to do?>><<sh seq 1 20>><<sh echo no >&2; false>>\
                <<say The tests pass. One of them was wrong about the time zone, and is fixed now.>>";
    let talk = talk.replace(">&2", "\\>&2");
    let agent = screens.settled(&[&talk]);
    screens.show(&["logs", &agent]);
    screens.show(&["logs", "-n", "1", &agent]);
    screens.show(&["read", &agent]);
    let failed = screens.settled(&["<<say Half of it>><<fail The model refused to answer>>"]);
    screens.show(&["logs", &failed]);
    screens.show(&["read", &failed]);
    screens.show(&["search", "zone"]);
    screens.show(&["search", "nowhere"]);
    screens.compare("transcripts");
}

#[test]
fn messages() {
    let mut screens = Screens::new();
    screens.show_fresh(|screens| {
        let agent = screens.settled(&["<<say hi>>"]);
        vec!["trace".to_owned(), agent]
    });
    screens.show_fresh(|screens| {
        let agent = screens.settled(&["<<say hi>>"]);
        let cause = inspect(&screens.home, &agent)["last_cause"].as_str().map(str::to_owned);
        vec!["cause".to_owned(), cause.unwrap_or(agent)]
    });
    screens.show_fresh(|screens| {
        vec!["cause".to_owned(), screens.settled(&["<<say hi>>"]), "--messages".to_owned()]
    });
    screens.show_fresh(|screens| {
        let busy = start_hanging(&screens.home);
        screens.home.paseo(&["send", &busy, "Also the docs"]).ok();
        screens.home.paseo(&["send", &busy, LONG]).ok();
        vec!["queue".to_owned(), busy]
    });
    screens.show_fresh(|screens| vec!["queue".to_owned(), screens.settled(&["<<say hi>>"])]);
    screens.compare("messages");
}

#[test]
fn map() {
    let mut screens = Screens::new();
    screens.show(&["map"]);
    screens.show_fresh(|screens| {
        for agent in json(&screens.home.paseo(&["ls", "-g", "--json"]))["sessions"].as_array().unwrap() {
            screens.home.paseo(&["close", agent["id"].as_str().unwrap()]).ok();
        }
        screens.settled(&["--title", LONG, "<<usage 100 10>><<say hi>>"]);
        screens.settled(&["<<ask May I push to origin?>>"]);
        vec!["map".to_owned(), "--all".to_owned()]
    });
    screens.compare("map");
}

#[test]
fn requests() {
    let mut screens = Screens::new();
    screens.show(&["permit", "ls"]);
    screens.show(&["permit", "rules"]);
    screens.show_fresh(|screens| {
        for open in json(&screens.home.paseo(&["permit", "ls", "--json"]))["asks"].as_array().unwrap() {
            screens.home.paseo(&["close", open["session"].as_str().unwrap()]).ok();
        }
        screens.settled(&["--title", LONG, "<<ask May I push to origin?>>"]);
        screens.settled(&["--permissions", "ask", "<<sh git push --force origin main>>"]);
        vec!["permit".to_owned(), "ls".to_owned()]
    });
    screens.compare("permit");
}

#[test]
fn worktrees() {
    let mut screens = Screens::new();
    make_repository(&screens.home.work());
    screens.show(&["worktree", "ls"]);
    screens.settled(&["--worktree=spike", "<<say hi>>"]);
    screens.settled(&["--worktree=parser", "<<sh echo x \\> new>>"]);
    screens.show(&["worktree", "ls"]);
    screens.show(&["worktree", "rm", "parser"]);
    screens.compare("worktree");
}
