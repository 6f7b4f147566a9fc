//! Workers outlive the daemon: whatever they are at goes on, and the next daemon finds them.

use std::fs;

use paseo_wire::words::ItemKind;
use paseo_wire::worker::WorkerQuery;
use rustix::process::{Pid, Signal, kill_process};

use crate::cast::{Cast, WAIT, release};
use crate::screens::{assert_said, squeezed};
use crate::workers::{Reader, red, started, tmux, told, type_in, until, until_seen};

/// Starts a worker that is in the middle of a turn until it is released.
async fn busy(cast: &Cast) -> paseo_wire::worker::WorkerView {
    let worker = started(cast, &format!("<<say begun>>{WAIT}<<say done>>")).await;
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("begun"))).await;
    worker
}

async fn goes_on(cast: &Cast, worker: &paseo_wire::worker::WorkerView) {
    let found = cast.0.client.worker("red-1").await.unwrap().worker;
    assert!(found.alive && found.status.as_str() == "running", "{found:?}");
    assert_eq!((&found.session, &found.handle), (&worker.session, &worker.handle));
    release(cast);
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    assert_eq!(cast.said(&worker.session).await, ["begun", "done"]);
    assert_eq!(cast.heard(&worker.session).await.len(), 1, "it was typed in once");
    let reader = Reader::new(cast);
    reader.until_posts("thread-0001", 2).await;
    assert_eq!(reader.posts("thread-0001")[1].0, "red-1");
    // It still is who it was, with the token from before: its shell acts as itself.
    cast.0.send(&worker.session, "<<sh paseo task create Parse --json>>").await;
    cast.0.settled(&worker.session).await;
    let said = cast.called(&worker.session).await.pop().unwrap();
    assert!(
        said.ok().contains("\"created_by\":\"red-1\""),
        "{said:?}\n{:?}",
        cast.0.items(&worker.session).await
    );
    // And people are still seen.
    type_in(cast, "red-1", &["-l", "<<say by hand>>"]);
    type_in(cast, "red-1", &["Enter"]);
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("by hand")))
        .await;
    cast.0.settled(&worker.session).await;
    let posts = reader.posts("thread-0001");
    assert_eq!(posts.iter().filter(|(_, said)| said.ends_with("done")).count(), 1, "{posts:?}");
}

#[tokio::test]
async fn a_daemon_that_is_killed_leaves_its_workers_at_work() {
    let cast = red();
    let worker = busy(&cast).await;
    cast.0.crash();
    goes_on(&cast, &worker).await;
}

#[tokio::test]
async fn the_lease_of_a_worker_at_work_is_as_it_was_and_goes_on() {
    let cast = red();
    cast.0.home.paseo(&["task", "create", "All of it"]).ok();
    let claim = "<<tool team_tasks_claim {\"taskId\":\"task-0001\",\"ttlMs\":10000}>>";
    let worker = started(&cast, &format!("{claim}<<say begun>>{WAIT}<<say done>>")).await;
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("begun"))).await;
    let lease =
        async || cast.0.client.task("red", "task-0001").await.unwrap().task.lease.expect("it is held");
    let before = lease().await;
    cast.0.crash();
    assert_eq!(lease().await, before);
    until("more time", async || lease().await.expires_at > before.expires_at).await;
    assert_eq!((lease().await.epoch, lease().await.holder.as_str()), (1, "red-1"));
    release(&cast);
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
}

#[tokio::test]
async fn a_daemon_that_is_stopped_leaves_its_workers_at_work_and_says_so() {
    let cast = red();
    let worker = busy(&cast).await;
    let down = cast.0.home.paseo(&["down"]);
    assert!(down.stderr.contains("red-1") && !down.stderr.contains("interrupted"), "{down:?}");
    assert!(tmux(&cast, &["has-session", "-t", "=red-1"]).status().unwrap().success());
    cast.0.home.paseo(&["up"]).ok();
    goes_on(&cast, &worker).await;
}

#[tokio::test]
async fn what_ended_meanwhile_is_told_when_the_daemon_is_back() {
    let cast = red();
    let worker = busy(&cast).await;
    assert!(cast.0.home.kill_daemon());
    assert!(tmux(&cast, &["kill-session", "-t", "=red-1"]).status().unwrap().success());
    cast.0.home.paseo(&["up"]).ok();
    assert_eq!(cast.0.settled(&worker.session).await, "interrupted");
    let found = cast.0.client.worker("red-1").await.unwrap().worker;
    assert!(!found.alive && found.exit.is_some(), "{found:?}");
    // Whoever writes to it has it back.
    cast.0.home.paseo(&["send", &worker.handle, "<<say back>>", "--wait"]).ok();
    assert!(cast.0.client.worker("red-1").await.unwrap().worker.alive);
}

#[tokio::test]
async fn a_program_that_died_meanwhile_is_not_blamed_on_the_restart() {
    let cast = red();
    let worker = started(&cast, &format!("<<say begun>>{WAIT}<<say last>><<crash 3>>")).await;
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("begun"))).await;
    assert!(cast.0.home.kill_daemon());
    release(&cast);
    // Nobody reminds tmux of how it ended, which is known once the daemon asks.
    let state =
        "pane_dead=#{pane_dead} status=#{pane_dead_status} signal=#{pane_dead_signal} pid=#{pane_pid}";
    until_seen("its end", async || told(&cast, "red-1", state), |seen| seen.starts_with("pane_dead=1")).await;
    cast.0.home.paseo(&["up"]).ok();
    assert_eq!(cast.0.settled(&worker.session).await, "error");
    assert_eq!(cast.said(&worker.session).await, ["begun", "last"]);
    let why = cast.0.home.paseo(&["why", &worker.handle]);
    assert!(why.ok().contains("harness_exited"), "{why:?}");
    let terminal = why.ok().lines().find(|line| line.starts_with("terminal ")).unwrap();
    assert_said!(cast.0.home, &squeezed(terminal), @"terminal red-1: exited with code 3");
    let notes = cast.texts(&worker.session, ItemKind::Notice).await;
    assert_said!(cast.0.home, &notes.join("\n"), @"The program in the terminal exited with code 3.");
    cast.0.home.paseo(&["send", &worker.handle, "<<say back>>", "--wait"]).ok();
}

#[tokio::test]
async fn a_turn_that_ended_while_nobody_looked_is_taken_in_and_answered_once() {
    let cast = red();
    let worker = busy(&cast).await;
    assert!(cast.0.home.kill_daemon());
    release(&cast);
    let shown = || {
        let shown = tmux(&cast, &["capture-pane", "-p", "-t", "=red-1:"]).output().unwrap();
        String::from_utf8_lossy(&shown.stdout).into_owned()
    };
    until_seen("the end of the turn", async || shown(), |shown| shown.contains("done")).await;
    cast.0.home.paseo(&["up"]).ok();
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    assert_eq!(cast.said(&worker.session).await, ["begun", "done"]);
    let reader = Reader::new(&cast);
    reader.until_posts("thread-0001", 2).await;
    cast.0.crash();
    let reader = Reader::new(&cast);
    cast.0.home.paseo(&["send", &worker.handle, "<<say more>>", "--wait"]).ok();
    reader.until_posts("thread-0001", 3).await;
}

#[tokio::test]
async fn what_a_person_typed_is_in_the_transcript_once_however_often_the_daemon_dies() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    let by_hand = format!("<<say by hand>>{WAIT}<<say over>>");
    type_in(&cast, "red-1", &["-l", &by_hand]);
    type_in(&cast, "red-1", &["Enter"]);
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("by hand")))
        .await;
    // In the middle of the turn, and again, and after it.
    cast.0.crash();
    type_in(&cast, "red-1", &["-l", "<<say in between>>"]);
    type_in(&cast, "red-1", &["Enter"]);
    cast.until_heard(&worker.session, "in between").await;
    cast.0.crash();
    assert_eq!(cast.view(&worker.session).await.status.as_str(), "running");
    release(&cast);
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("in between")))
        .await;
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    cast.0.crash();
    cast.0.home.paseo(&["send", &worker.handle, "<<say next>>", "--wait"]).ok();
    let heard = cast.heard(&worker.session).await;
    assert_eq!(heard, ["<<say ready>>", &by_hand, "<<say in between>>", "<<say next>>"]);
    assert_eq!(cast.said(&worker.session).await, ["ready", "by hand", "over", "in between", "next"]);
}

#[tokio::test]
async fn killing_a_worker_ends_everything_that_it_started() {
    let cast = red();
    let script = "<<sh setsid sh -c 'echo $$ \\> stray; exec sleep 600' & disown 2\\>/dev/null; until [ -s stray ]; do sleep 0.02; done>><<say left>>";
    let worker = started(&cast, script).await;
    cast.0.settled(&worker.session).await;
    let stray: i32 = fs::read_to_string(cast.0.home.work().join("stray")).unwrap().trim().parse().unwrap();
    let lives = || kill_process(Pid::from_raw(stray).unwrap(), Signal::CONT).is_ok();
    assert!(lives(), "what it left in the background goes on");
    cast.0.home.paseo(&["worker", "kill", "red-1"]).ok();
    assert!(!lives());
    assert!(cast.0.client.workers(&WorkerQuery::default()).await.unwrap().workers.is_empty());
    assert_eq!(cast.0.home.left_beside_the_daemon(), Vec::<String>::new());
}
