//! Whoever is suspended loses what it had, and is told so when it goes on.

use paseo_wire::team::NoticeQuery;
use paseo_wire::worker::{StartWorker, WorkerView};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::cast::{Cast, WAIT, release};
use crate::screens::assert_said;
use crate::workers::{red, started, until, wanted};
use crate::worktrees::make_repository;
use crate::{Transcript, home, json};

#[test]
fn a_holder_that_slept_past_its_lease_changes_nothing_and_is_told_why() {
    let home = home();
    make_repository(&home.work());
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    home.paseo(&["task", "create", "All of it", "--resource", "."]).ok();
    let script = "<<tool team_tasks_claim {\"taskId\":\"task-0001\",\"ttlMs\":2000}>>\
                  <<sh touch early; echo $PPID>><<ask Shall I go on?>><<sh touch late>>\
                  <<tool team_tasks_complete {\"taskId\":\"task-0001\",\"epoch\":1}>>\
                  <<tool team_tasks_renew {\"taskId\":\"task-0001\",\"epoch\":1}>><<say over>>";
    let flags = ["run", "-d", "--json", "--team", "red", "--member", "ann", "--guard", "lease", script];
    let made = json(&home.paseo(&flags));
    let ann = made["session"]["id"].as_str().unwrap();
    let mut transcript = Transcript::follow(&home, ann);
    let printed = transcript.until(|item| is_result(item) && !text(item).contains("lease"));
    let holder = Pid::from_raw(text(&printed).trim().parse().unwrap()).unwrap();
    transcript.until(|item| item["kind"] == "permission");
    assert!(home.work().join("early").exists());

    kill_process(holder, Signal::STOP).unwrap();
    let expired = || home.paseo(&["team", "audit", "red", "--json"]).ok().contains("task_expired");
    assert!((0..600).any(|_| expired()), "its lease ended");
    let claimed = json(&home.paseo(&["task", "claim", "task-0001", "--json"]));
    assert_eq!(claimed["epoch"], 2);
    kill_process(holder, Signal::CONT).unwrap();

    home.paseo(&["permit", "allow", "--yes", ann]).ok();
    let written = transcript.until(is_result);
    assert_said!(home, text(&written), @"Not done: you may not run commands. You may change only files of tasks that you own: user owns task-0001, which covers `.`: wait until it is done, or ask user. List tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.");
    // Neither completes nor renews it.
    for _ in 0..2 {
        assert_said!(home, text(&transcript.until(is_result)));
    }
    home.paseo(&["wait", ann]).ok();
    assert!(!home.work().join("late").exists());
    let task = json(&home.paseo(&["task", "show", "task-0001", "--json"]));
    assert_eq!((&task["lease"]["holder"], &task["status"]), (&"user".into(), &"in_progress".into()));
}

#[tokio::test]
async fn a_worker_in_a_terminal_that_slept_past_its_lease_changes_nothing_and_is_told_why() {
    let cast = red();
    let (home, client) = (&cast.0.home, &cast.0.client);
    home.paseo(&["task", "create", "All of it", "--resource", "."]).ok();
    let script = "<<tool team_tasks_claim {\"taskId\":\"task-0001\",\"ttlMs\":2000}>>\
                  <<sh touch early; echo $PPID \\> holder; until [ -e go ]; do sleep 0.02; done>>\
                  <<sh touch late>>\
                  <<tool team_tasks_complete {\"taskId\":\"task-0001\",\"epoch\":1}>>\
                  <<tool team_tasks_renew {\"taskId\":\"task-0001\",\"epoch\":1}>><<say over>>";
    let worker =
        client.start_worker(&StartWorker { guard: true, ..wanted(script) }, None).await.unwrap().worker;
    assert!(worker.guarded);
    let holder = || std::fs::read_to_string(home.work().join("holder")).ok()?.trim().parse().ok();
    until("the holder", async || holder().is_some()).await;
    let holder = Pid::from_raw(holder().unwrap()).unwrap();
    assert!(home.work().join("early").exists());

    kill_process(holder, Signal::STOP).unwrap();
    let expired = async || {
        let audit = client.audit("red", &NoticeQuery::default()).await.unwrap().notices;
        audit.iter().any(|notice| notice.kind.as_str() == "task_expired")
    };
    until("the end of its lease", expired).await;
    let claimed = json(&home.paseo(&["task", "claim", "task-0001", "--json"]));
    assert_eq!(claimed["epoch"], 2);
    release(&cast);
    kill_process(holder, Signal::CONT).unwrap();

    cast.0.settled(&worker.session).await;
    assert_eq!(cast.said(&worker.session).await, ["over"]);
    let called = cast.called(&worker.session).await;
    for (held, call) in ["user owns task-0001", "owned by user", "owned by user"].iter().zip(&called[2..]) {
        assert!(call.text.contains(held), "{held}: {called:?}");
    }
    assert_eq!(called.len(), 5, "{called:?}");
    assert!(!home.work().join("late").exists());
    let task = client.task("red", "task-0001").await.unwrap().task;
    assert_eq!((task.owner.as_deref(), task.status.as_str()), (Some("user"), "in_progress"));
}

/// Starts a worker, and returns what listens in its terminal.
async fn listening(cast: &Cast) -> (WorkerView, Pid) {
    let worker = started(cast, "<<sh echo $PPID \\> agent>>").await;
    cast.0.settled(&worker.session).await;
    let agent = std::fs::read_to_string(cast.0.home.work().join("agent")).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", agent.trim())).unwrap();
    let front = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap().trim().parse().unwrap();
    (worker, Pid::from_raw(front).unwrap())
}

/// Waits until something was typed, and is not taken.
async fn untaken(cast: &Cast, worker: &WorkerView) {
    let waits = async || cast.view(&worker.session).await.status.as_str() == "waiting";
    until("a word that it does not take the message", waits).await;
}

#[tokio::test]
async fn a_message_to_a_worker_that_sleeps_is_taken_once_and_is_nobody_elses() {
    let cast = red();
    let home = &cast.0.home;
    let (worker, front) = listening(&cast).await;

    kill_process(front, Signal::STOP).unwrap();
    home.paseo(&["send", &worker.handle, "<<say heard>>"]).ok();
    untaken(&cast, &worker).await;
    let why = home.paseo(&["why", &worker.handle]);
    assert_said!(home, why.ok());
    kill_process(front, Signal::CONT).unwrap();

    cast.0.settled(&worker.session).await;
    assert_eq!(cast.said(&worker.session).await, ["heard"]);
    let items = cast.0.items(&worker.session).await;
    let heard: Vec<_> = items.iter().filter(|item| item.text.as_deref() == Some("<<say heard>>")).collect();
    assert_eq!(heard.len(), 1, "{items:#?}");
    assert!(!format!("{heard:?}").contains("human:terminal"), "{heard:?}");
}

fn is_result(item: &Value) -> bool {
    item["kind"] == "tool_result"
}

fn text(item: &Value) -> &str {
    item["text"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn what_was_stopped_while_its_worker_was_looked_for_is_not_done_later() {
    let cast = red();
    let home = &cast.0.home;
    let (worker, front) = listening(&cast).await;
    kill_process(front, Signal::STOP).unwrap();
    // Long enough to be stopped, should it be taken all the same.
    home.paseo(&["send", &worker.handle, &format!("{WAIT}<<sh touch done>><<say ran>>")]).ok();
    untaken(&cast, &worker).await;
    assert!(home.kill_daemon());
    home.paseo(&["up"]).ok();
    home.paseo(&["stop", &worker.handle]).ok();
    kill_process(front, Signal::CONT).unwrap();

    cast.0.settled(&worker.session).await;
    home.paseo(&["send", &worker.handle, "<<say next>>", "--wait"]).ok();
    assert_eq!(cast.said(&worker.session).await, ["next"]);
    assert!(!home.work().join("done").exists());
}
