//! Whose name and whose words they are in a team, and commands that mean what people expect.

use paseo_testkit::home::finish;
use serde_json::{Value, json};

use crate::screens::{assert_said, assert_told, squeezed};
use crate::teamd::{Agent, Team, code};
use crate::worktrees::make_repository;
use crate::{json as parsed, workers};

#[test]
fn nobody_takes_over_the_name_and_the_tasks_of_one_elsewhere() {
    let team = Team::new();
    let (home, ann) = (&team.home, team.agent("ann"));
    let run =
        || home.paseo(&["run", "-d", "--json", "--team", "red", "--member", "ann", "--guard", "lease", "hi"]);
    let task = team.task(json!({ "teamId": "red", "title": "one", "resources": ["src"] }));
    assert_eq!(ann.on(&task, "claim", json!({})).0, 200);
    let refused = run();
    assert_eq!(refused.code, 6, "{refused:?}");
    assert_told!(home, refused, @r#"
    exit 6
    {"error":{"code":"conflict","message":"the id `ann` in team red is taken: it belongs to a member outside Paseo whose token is still valid","hint":"choose another name, or remove the agent first: `paseo team leave red --agent ann` revokes its tokens and releases its tasks"}}
    "#);
    assert_eq!(ann.get("/v1/tasks").0, 200, "it goes on as it did");

    // Without the token the task is still somebody's.
    let tokens = parsed(&home.paseo(&["token", "ls", "--json"]));
    let mut tokens = tokens["tokens"].as_array().unwrap().iter();
    let token = tokens.find(|token| token["actor"] == "agent:red/ann").unwrap();
    home.paseo(&["token", "revoke", token["id"].as_str().unwrap()]).ok();
    assert_told!(home, run(), @r#"
    exit 6
    {"error":{"code":"conflict","message":"the id `ann` in team red is taken: it belongs to a member outside Paseo that still owns a task","hint":"choose another name, or remove the agent first: `paseo team leave red --agent ann` revokes its tokens and releases its tasks"}}
    "#);

    home.paseo(&["team", "leave", "red", "--agent", "ann"]).ok();
    let made = parsed(&run());
    let id = made["session"]["id"].as_str().unwrap();
    home.paseo(&["wait", id]).ok();
    assert_eq!(home.paseo(&["can-write", "src/a", "--agent", "ann"]).code, 6, "nobody claims for it");
    // It comes back under its own name.
    home.paseo(&["close", id]).ok();
    home.paseo(&["send", id, "--wait", "<<say back>>"]).ok();
    let shown = parsed(&home.paseo(&["team", "show", "red", "--json"]));
    let names: Vec<&str> =
        shown["agents"].as_array().unwrap().iter().map(|agent| agent["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["ann", "planner"], "{shown}");
}

#[test]
fn a_completion_refers_to_something_that_was_said() {
    let team = Team::new();
    let ann = team.agent("ann");
    let task = team.task(json!({ "teamId": "red", "title": "one" }));
    ann.on(&task, "claim", json!({}));
    let thread = ann.post("/v1/threads", json!({ "title": "Talk" })).1["thread"]["id"].clone();
    let path = format!("/v1/threads/{}/messages", thread.as_str().unwrap());
    let message = ann.post(&path, json!({ "message": "all of it" })).1["message"]["id"].clone();
    let complete = |more: Value| {
        let mut body = json!({ "epoch": 1 });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ann.on(&task, "complete", body)
    };
    for half in [json!({ "threadId": thread }), json!({ "messageId": message })] {
        let refused = complete(half);
        assert_eq!(code(&refused), (400, "INVALID_REQUEST"));
        assert_said!(team.home, refused.1["error"]["message"].as_str().unwrap(), @"`threadId` and `messageId` must be given together (give both, as returned when the message was posted, or neither)");
    }
    let invented = "msg-00000000-0000-7000-8000-000000000000";
    let refused = complete(json!({ "threadId": thread, "messageId": invented }));
    assert_eq!(code(&refused), (400, "INVALID_REQUEST"), "{refused:?}");
    assert!(refused.1["error"]["message"].as_str().unwrap().contains("thread-0001"), "{refused:?}");
    assert_eq!(ann.status(&task), "in_progress");
    let (status, done) = complete(json!({ "threadId": thread, "messageId": message }));
    assert_eq!(status, 200, "{done}");
    assert_eq!(done["task"]["message"], json!({ "threadId": thread, "messageId": message }));
    let shown = team.home.paseo(&["task", "show", &task]);
    let line = shown.ok().lines().find(|line| line.starts_with("message ")).unwrap();
    assert_said!(team.home, &squeezed(line), @"message thread-0001 aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1");
}

#[test]
fn what_is_suggested_can_be_done() {
    let cast = workers::red();
    let home = &cast.0.home;
    home.paseo(&["team", "create", "green"]).ok();
    let none = home.paseo(&["task", "ls", "--team", "green"]);
    assert_told!(home, none);
    home.paseo(&["team", "rm", "green"]).ok();
    home.paseo(&["run", "-d", "--team", "red", "--member", "ann", "<<say hello>>"]).ok();
    assert!(home.paseo(&["ls"]).ok().contains("ann"));
    home.paseo(&["team", "rm", "red"]).ok();
    // They are told apart as before.
    assert!(home.paseo(&["ls"]).ok().contains("ann"));
    for hint in [home.paseo(&["task", "create", "x"]), home.paseo(&["team", "ls"])] {
        assert_told!(home, hint);
    }
    home.paseo(&["team", "create", "blue"]).ok();
}

#[test]
fn a_start_that_fails_leaves_no_name_behind() {
    let team = Team::new();
    let home = &team.home;
    make_repository(&home.work());
    home.paseo(&["team", "create", "blue", "--agent", "ann:leader"]).ok();
    let run = |member: &str| {
        home.paseo(&["run", "-d", "--team", "blue", "--member", member, "--worktree=spike", "<<say a>>"])
    };
    run("w1").ok();
    for member in ["w2", "ann"] {
        assert_ne!(run(member).code, 0);
    }
    let shown = parsed(&home.paseo(&["team", "show", "blue", "--json"]));
    let names: Vec<(&str, &str)> = shown["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| (agent["id"].as_str().unwrap(), agent["role"].as_str().unwrap()))
        .collect();
    assert_eq!(names, [("ann", "leader"), ("w1", "worker")], "{shown}");
}

#[test]
fn paths_count_from_where_people_are_and_patterns_are_none() {
    let team = Team::new();
    let home = &team.home;
    let below = home.work().join("src");
    std::fs::create_dir(&below).unwrap();
    let there = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        command.current_dir(&below).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        finish(command.spawn().unwrap())
    };
    let made =
        parsed(&there(&["task", "create", "one", "--resource", "parse", "--resource", "../docs", "--json"]));
    assert_eq!(made["resources"], json!(["docs", "src/parse"]));
    home.paseo(&["task", "claim", "task-0001"]).ok();
    assert_eq!(there(&["can-write", "parse/a"]).code, 0);
    assert_eq!(home.paseo(&["can-write", "parse/a"]).code, 6);
    assert!(there(&["task", "create", "out", "--resource", "../../x"]).stderr.contains("`..`"));

    let pattern = home.paseo(&["task", "create", "all", "--resource", "src/*"]);
    assert_told!(home, pattern);
    // Clients of teamd have them taken for names.
    let names = team.agent("ann").post("/v1/tasks", json!({ "title": "x", "resources": ["src/*"] }));
    assert_eq!((names.0, &names.1["task"]["resources"]), (201, &json!(["src/*"])));
}

#[test]
fn people_need_no_epoch_for_what_they_claimed() {
    let team = Team::new();
    let (home, ann): (_, Agent) = (&team.home, team.agent("ann"));
    let task = team.task(json!({ "teamId": "red", "title": "one" }));
    let act = |act: &str| home.paseo(&["task", act, &task]);
    assert_told!(home, act("release"), @r"
    exit 6
    error: task-0001 is not owned by any member
     hint: claim it first
    ");
    for epoch in 1..=2 {
        act("claim").ok();
        act("renew").ok();
        act(if epoch == 1 { "release" } else { "fail" }).ok();
    }
    home.paseo(&["task", "retry", &task]).ok();
    assert_eq!(ann.on(&task, "claim", json!({})).0, 200);
    let listed = home.paseo(&["task", "ls"]);
    assert!(listed.ok().contains("UNTIL"), "{listed:?}");
    let hers = act("complete");
    assert_told!(home, hers, @r"
    exit 2
    error: only ann, who owns task-0001, can do this
     hint: run `paseo task reassign task-0001` to take it from ann
    ");
}
