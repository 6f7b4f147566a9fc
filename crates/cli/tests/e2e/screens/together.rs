//! Teams, tasks, threads and workers.

use super::Screens;

#[test]
fn teams() {
    let mut screens = Screens::new();
    screens.show(&["team", "ls"]);
    screens.show_once(&["team", "create", "red"]);
    screens.show(&["team", "show", "red"]);
    screens.show(&["task", "ls"]);
    screens.show_once(&["task", "create", "Parse the configuration", "--resource", "src/config"]);
    screens
        .home
        .paseo(&["task", "create", "Write the documentation of the configuration, with examples"])
        .ok();
    screens.home.paseo(&["task", "create", "Release", "--dep", "task-0001"]).ok();
    screens.show_once(&["task", "claim", "task-0001"]);
    screens.show(&["team", "ls"]);
    screens.show(&["team", "show", "red"]);
    screens.show(&["task", "ls"]);
    screens.show(&["task", "show", "task-0001"]);
    screens.show(&["can-write", "src/config/a"]);
    screens.show_once(&["task", "complete", "task-0001", "--epoch", "1", "--summary", "parsed"]);
    screens.show(&["team", "audit"]);
    screens.show(&["team", "show", "red", "--at", "5"]);
    screens.show_once(&["team", "rm", "red"]);
    screens.compare("team");
}

#[test]
fn threads() {
    let mut screens = Screens::new();
    screens.show(&["thread", "ls"]);
    screens.show_once(&["thread", "new", "planning"]);
    screens.show(&["thread", "show", "planning"]);
    screens.show(&["thread", "tail", "planning"]);
    screens.show_once(&["thread", "invite", "planning", "scripted", "--id", "ada"]);
    screens.show(&["thread", "show", "planning", "--at", "1"]);
    screens.home.paseo(&["thread", "post", "planning", "What shall we do about the release?"]).ok();
    screens.show(&["thread", "ls"]);
    screens.show(&["thread", "show", "planning"]);
    screens.show(&["thread", "tail", "planning"]);
    screens.show_once(&["thread", "mute", "planning", "ada"]);
    screens.show_once(&["thread", "unmute", "planning", "ada"]);
    screens.show_once(&["thread", "pause", "planning"]);
    screens.show_once(&["thread", "resume", "planning"]);
    screens.show_once(&["thread", "uninvite", "planning", "ada"]);
    screens.compare("thread");
}

#[test]
fn workers() {
    let mut screens = Screens::new();
    screens.home.paseo(&["team", "create", "red"]).ok();
    screens.show(&["worker", "ls"]);
    let start = ["worker", "start", "--team", "red", "--provider", "scripted", "<<say hi>>"];
    screens.show_once(&start);
    let handle = screens.home.paseo(&["ls", "-q"]).ok().to_owned();
    screens.home.paseo(&["wait", &handle]).ok();
    screens.show(&["worker", "ls"]);
    screens.show_once(&["worker", "kill", "red-1"]);
    screens.compare("worker");
}
