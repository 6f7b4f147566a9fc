//! What people type and read about teams, their workers and their threads.

use paseo_wire::session::CreateSession;
use paseo_wire::thread::PostMessage;
use paseo_wire::worker::StartWorker;
use serde_json::json;

use crate::screens::{assert_said, assert_told};
use crate::workers::{red, started, tmux, until, wanted};
use crate::worktrees::make_repository;

#[tokio::test]
async fn a_capture_has_the_lines_of_the_terminal() {
    let cast = red();
    let worker = started(&cast, "<<say one>><<say two>>").await;
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    until("the answer", async || cast.0.home.paseo(&["worker", "capture", "red-1"]).ok().contains("two"))
        .await;
    let shown = cast.0.home.paseo(&["worker", "capture", "red-1"]);
    assert!(shown.ok().lines().any(|line| line.trim() == "one"), "{shown:?}");
    let none = cast.0.home.paseo(&["worker", "capture", "red-1", "--lines", "0"]);
    assert_eq!(none.code, 2, "{none:?}");
    let leader = cast.0.home.paseo(&["team", "leader", "red", "-d", "--provider", "scripted", "hello"]);
    let leader = leader.ok().trim();
    let id = cast.0.client.session(leader).await.unwrap().session.id;
    for lines in [json!(-1), json!(0)] {
        let input = json!({ "sessionName": "red-1", "lines": lines });
        let refused = cast.call(&id, "team_tmux_capture", &input).await;
        assert!(refused.error().contains("lines"), "{refused:?}");
    }

    // The terminal goes, and the worker stays.
    assert!(tmux(&cast, &["kill-session", "-t", "=red-1"]).status().unwrap().success());
    let gone = cast.0.home.paseo(&["worker", "capture", "red-1"]);
    assert_told!(cast.0.home, gone);
}

#[tokio::test]
async fn a_thread_of_a_team_goes_by_what_the_team_calls_it() {
    let cast = red();
    let home = &cast.0.home;
    let worker = started(&cast, "<<say the parser is done>>").await;
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    let tail = || home.paseo(&["thread", "tail", "thread-0001"]);
    until("the report", async || tail().ok().contains("the parser is done")).await;
    home.paseo(&["thread", "post", "red/thread-0001", "well done"]).ok();
    let shown = home.paseo(&["thread", "show", "thread-0001"]);
    assert!(shown.ok().contains("red/thread-0001") && shown.ok().contains("red-1"), "{shown:?}");
    let listed = home.paseo(&["thread", "ls"]);
    assert!(listed.ok().contains("red/thread-0001") && listed.ok().contains("red-1"), "{listed:?}");
    let short = listed.ok().lines().last().unwrap().split_whitespace().last().unwrap().to_owned();
    assert!(short.len() < 36, "{short}");
    assert!(home.paseo(&["thread", "tail", &short]).ok().contains("well done"));
    let team = home.paseo(&["team", "show", "--team", "red"]);
    assert!(team.ok().contains("thread-0001"), "{team:?}");

    // By its id another worker posts there, too.
    let thread = cast.0.client.thread("thread-0001").await.unwrap().thread;
    let mut second = wanted("<<say me too>>");
    second.thread = Some(thread.id.to_string());
    let second = cast.0.client.start_worker(&second, None).await.unwrap().worker;
    assert_eq!(second.thread.as_deref(), Some("thread-0001"));
    let lonely = home.paseo(&["thread", "new", "lonely"]);
    assert_told!(home, lonely);
    let plan = home.paseo(&["thread", "new", "plan", "-q"]).ok().trim().to_owned();
    let foreign = home.paseo(&["worker", "start", "--team", "red", "--thread", &plan, "x"]);
    assert_told!(home, foreign);

    // Of two teams one has to be named.
    home.paseo(&["team", "create", "blue"]).ok();
    let blue = StartWorker { team: Some("blue".into()), ..wanted("<<say blue>>") };
    cast.0.client.start_worker(&blue, None).await.unwrap();
    let which = home.paseo(&["thread", "tail", "thread-0001"]);
    assert_told!(home, which);
    let message = PostMessage { text: "hello".to_owned(), ..PostMessage::default() };
    cast.0.client.post("blue/thread-0001", &message, None).await.unwrap();
    assert!(home.paseo(&["worker", "ls"]).ok().contains("TEAM"));
}

#[tokio::test]
async fn a_worker_goes_by_its_name_wherever_a_handle_does() {
    let cast = red();
    let home = &cast.0.home;
    let worker = started(&cast, "<<say here>>").await;
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    let inspected = home.paseo(&["inspect", "red-1"]);
    let row = |name: &str| inspected.ok().lines().any(|line| line.split_whitespace().next() == Some(name));
    assert!(row("team") && row("member"), "{inspected:?}");
    assert!(home.paseo(&["logs", "red-1"]).ok().contains("here"));
    started(&cast, "<<say there>>").await;
    let ended = home.paseo(&["worker", "kill", &worker.handle, "red-2"]);
    assert_said!(home, ended.ok(), @r"
    Ended aaa1
    Ended red-2 (aaa2)
    ");
}

#[tokio::test]
async fn a_worker_that_is_ended_says_what_stays() {
    let cast = red();
    make_repository(&cast.0.home.work());
    let wanted = StartWorker { worktree: true, ..wanted("<<sh touch made>>") };
    let worker = cast.0.client.start_worker(&wanted, None).await.unwrap().worker;
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    let ended = cast.0.home.paseo(&["worker", "kill", "red-1"]);
    ended.ok();
    assert_told!(cast.0.home, ended);
}

#[tokio::test]
async fn what_is_not_there_is_said_to_be_not_there() {
    let cast = red();
    let home = &cast.0.home;
    let said = |words: &[&str], code: i32, expected: &str| {
        let out = home.paseo(words);
        assert_eq!(out.code, code, "{words:?} {out:?}");
        assert!(out.stderr.contains(expected) || out.stdout.contains(expected), "{words:?} {out:?}");
    };
    let member = CreateSession {
        provider: Some("scripted".to_owned()),
        team: Some("red".into()),
        team_agent: Some("ann".into()),
        ..CreateSession::default()
    };
    let ann = cast.create(member).await;
    assert!(home.paseo(&["ls"]).ok().contains("ann"));
    said(&["worker", "ls", "--team", "nope"], 3, "team `nope` not found");
    said(&["can-write", "src", "--agent", "nope"], 3, "members: ann");
    said(&["team", "audit", "--after", "99999"], 0, "No events after 99999.");
    let reserved = home.paseo(&["team", "create", "user"]);
    assert_eq!(reserved.stderr.matches("choose another").count(), 1, "{reserved:?}");
    said(&["team", "audit", "--agent", "nope"], 3, "is not in team red");
    said(&["can-write", "src", "--agent", "ann"], 6, "ann owns no task that covers the path");
    std::os::unix::fs::symlink("nowhere", home.work().join("dangling")).unwrap();
    said(&["can-write", "dangling", "--agent", "ann"], 6, "a symbolic link in the path changed or is broken");
    said(&["team", "leader", "red", "--team", "blue", "x"], 2, "cannot be used with");
    said(&["team", "create", "blue", "--agent", "user"], 2, "`user` is reserved");
    let twice = ["run", "-d", "--team", "red", "--member", "ann", "x"];
    said(&twice, 6, &format!("paseo close {}", ann.handle));
    home.paseo(&["task", "create", "Parse", "--resource", "src"]).ok();
    said(&["task", "claim", "task-0001", "--ttl", "25h"], 2, "at most one day");
    home.paseo(&["task", "create", "Tell", "--dep", "task-0001", "--resource", "docs"]).ok();
    said(&["task", "ls"], 0, "docs");
    said(&["task", "show", "task-0002"], 0, "depends on  task-0001");
    home.paseo(&["task", "claim", "task-0001"]).ok();
    home.paseo(&["task", "complete", "task-0001", "--epoch", "1"]).ok();
    said(&["task", "show", "task-0002"], 0, "depends on  task-0001");
    home.paseo(&["team", "create", "blue"]).ok();
    said(&["team", "show"], 3, "several teams exist: blue, red");
}
