//! A tmux server that hangs: the daemon does not hang with it, says so, and goes on with it; nothing is lost.

use std::process::Child;
use std::time::{Duration, Instant};

use paseo_testkit::home::finish;
use paseo_wire::error::Code;
use paseo_wire::worker::{CaptureQuery, WorkerQuery, WorkerView};
use rustix::process::{Pid, Signal, kill_process};

use crate::cast::{Cast, release};
use crate::screens::{assert_said, assert_told, squeezed};
use crate::workers::{red, started, tmux, until, wanted};
use crate::workers_tools::member;

/// Far shorter than a daemon that waited for each worker would take.
const SOON: Duration = Duration::from_secs(8);

/// The tmux server, suspended until it goes on or this is dropped.
pub(crate) struct Suspended(Pid);

impl Suspended {
    pub(crate) fn of(cast: &Cast) -> Self {
        let pid = Pid::from_raw(server(cast)).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for Suspended {
    fn drop(&mut self) {
        kill_process(self.0, Signal::CONT).ok();
    }
}

fn server(cast: &Cast) -> i32 {
    let told = tmux(cast, &["display-message", "-p", "#{pid}"]).output().unwrap();
    String::from_utf8(told.stdout).unwrap().trim().parse().unwrap()
}

fn has_terminal(cast: &Cast, worker: &str) -> bool {
    let target = format!("={worker}");
    tmux(cast, &["has-session", "-t", &target])
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap()
        .success()
}

/// Says whether a process of a session is left.
fn lives(cast: &Cast, session: &str) -> bool {
    let mark = format!("PASEO_SESSION={session}");
    cast.0.home.processes().into_iter().any(|pid| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    })
}

async fn idle(cast: &Cast) -> WorkerView {
    let worker = started(cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    worker
}

#[tokio::test]
async fn a_daemon_begins_beside_a_tmux_that_hangs_and_finds_its_workers_when_it_goes_on() {
    let cast = red();
    let busy = started(
        &cast,
        "<<say begun>><<sh until [ -e go ]; do sleep 0.02; done; paseo task create Parse --json>><<say done>>",
    )
    .await;
    cast.until(&busy.session, |items| items.iter().any(|item| item.text.as_deref() == Some("begun"))).await;
    let (calm, gone) = (idle(&cast).await, started(&cast, "<<crash 3>>").await);
    cast.0.settled(&gone.session).await;
    let pid = server(&cast);
    let suspended = Suspended::of(&cast);

    let began = Instant::now();
    cast.0.crash();
    assert!(began.elapsed() < SOON, "it was there after {:?}", began.elapsed());
    let listed = cast.0.home.paseo(&["worker", "ls"]);
    assert_said!(cast.0.home, &squeezed(listed.ok()), @r"
    WORKER HANDLE STATUS TERMINAL PROVIDER THREAD STARTED
    red-1 aaa1 running unknown scripted thread-0001 now
    red-2 aaa2 idle unknown scripted thread-0002 now
    red-3 aaa3 error exited 3 scripted thread-0003 now
    ");
    assert_told!(cast.0.home, listed);
    let all = cast.0.home.paseo(&["ls"]);
    let line = all.ok().lines().find(|line| line.contains(&calm.handle)).unwrap();
    assert_said!(cast.0.home, &squeezed(line), @"aaa1 idle: tmux does not respond red-2 (worker) scripted now");
    for words in [&["why", "red-2"][..], &["doctor"]] {
        let told = cast.0.home.paseo(words);
        assert!(told.stdout.contains(&format!("kill -CONT {pid}")), "{told:?}");
        assert!(!told.stdout.contains("worker attach"), "{told:?}");
    }
    let lead = member(&cast, None, "leader").await;
    let listed = cast.call(&lead.id, "team_tmux_list", &serde_json::json!({})).await.json();
    assert_eq!(listed["sessions"][1]["alive"], "unknown", "{listed}");
    assert_said!(cast.0.home, listed["sessions"][1]["trouble"].as_str().unwrap(), @"tmux did not answer `list-panes` within 5 s: its server, process 1000, is suspended (run `kill -CONT 1000` to resume it; its workers and their messages are still there)");

    // Its own token is good, although nobody has seen it yet.
    release(&cast);
    until("the task", async || cast.0.client.task("red", "task-0001").await.is_ok()).await;
    assert_eq!(cast.0.client.task("red", "task-0001").await.unwrap().task.created_by, "red-1");

    // Whoever asks for something that only tmux can do is told at once, whatever it is.
    let began = Instant::now();
    let refused = cast.0.client.capture_worker("red-2", &CaptureQuery::default()).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::TmuxFailed), "{refused}");
    let refused = cast.0.client.start_worker(&wanted("<<say hi>>"), None).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::TmuxFailed), "{refused}");
    let sent = cast.0.home.paseo(&["send", &gone.handle, "<<say back>>", "--wait"]);
    assert_told!(cast.0.home, sent);
    cast.0.home.paseo(&["send", &calm.handle, "<<sh paseo task create Write --json>>"]).ok();
    assert!(began.elapsed() < SOON, "all were told after {:?}", began.elapsed());
    assert_said!(cast.0.home, &refused.to_string(), @"tmux did not answer `list-panes` within 5 s: its server, process 1000, is suspended");
    assert_eq!(cast.0.client.workers(&WorkerQuery::default()).await.unwrap().workers.len(), 3);

    drop(suspended);
    assert_eq!(cast.0.settled(&busy.session).await, "idle");
    assert_eq!(cast.said(&busy.session).await, ["begun", "done"]);
    assert_eq!(cast.heard(&busy.session).await.len(), 1, "it was typed in once");
    assert_eq!(cast.0.settled(&calm.session).await, "idle");
    assert_eq!(cast.heard(&calm.session).await.len(), 2, "each was typed in once");
    let task = cast.0.client.task("red", "task-0002").await.unwrap().task;
    assert_eq!(task.created_by, "red-2", "it is still who it was");
    cast.0.home.paseo(&["send", &gone.handle, "<<say back>>", "--wait"]).ok();
    let views = cast.0.client.workers(&WorkerQuery::default()).await.unwrap().workers;
    assert!(views.iter().all(|view| view.alive && !view.unknown), "{views:?}");
    assert_eq!(server(&cast), pid, "it is the same server");
}

#[tokio::test]
async fn what_is_said_while_tmux_hangs_is_typed_once_when_it_goes_on() {
    let cast = red();
    let worker = idle(&cast).await;
    let suspended = Suspended::of(&cast);
    for _ in 0..2 {
        let sent = cast.0.home.paseo(&["send", &worker.handle, "--key", "once", "<<say heard>>"]);
        assert_said!(cast.0.home, sent.ok(), @"Queued: aaa1 will read it when tmux responds again");
    }
    // It was tried in vain.
    cast.0.explained(&worker.session, Some("tmux does not respond")).await;
    drop(suspended);
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    assert_eq!(cast.said(&worker.session).await, ["ready", "heard"]);
    assert_eq!(cast.heard(&worker.session).await.len(), 2);
}

#[tokio::test]
async fn a_worker_that_is_killed_while_tmux_hangs_ends_and_its_terminal_goes_later() {
    let cast = red();
    let (ended, other) = (idle(&cast).await, idle(&cast).await);
    let suspended = Suspended::of(&cast);
    let killed = cast.0.home.paseo(&["worker", "kill", "red-1"]);
    assert_told!(cast.0.home, killed);
    assert!(!lives(&cast, &ended.session) && lives(&cast, &other.session));
    assert_eq!(cast.view(&ended.session).await.status.as_str(), "closed");
    drop(suspended);
    until("the end of its terminal", async || !has_terminal(&cast, "red-1")).await;
    cast.0.home.paseo(&["send", &other.handle, "<<say here>>", "--wait"]).ok();
    assert_eq!(cast.said(&other.session).await, ["ready", "here"]);
}

/// Begins to end a worker while tmux hangs, and kills the daemon in the middle.
async fn cut_off(cast: &Cast, arguments: &[&str], worker: &WorkerView, is_ended: impl AsyncFn() -> bool) {
    let suspended = Suspended::of(cast);
    let ending: Child = cast.0.home.spawn(arguments);
    until("the word", is_ended).await;
    assert!(cast.0.home.kill_daemon());
    assert_ne!(finish(ending).code, 0);
    drop(suspended);
    assert!(has_terminal(cast, &worker.name) && lives(cast, &worker.session), "nobody has seen to it");
}

#[tokio::test]
async fn what_was_ended_when_the_daemon_was_killed_is_gone_once_the_next_is_there() {
    let cast = red();
    let (closed, open) = (idle(&cast).await, idle(&cast).await);
    let is_closed = async || cast.view(&closed.session).await.status.as_str() == "closed";
    cut_off(&cast, &["worker", "kill", "red-1"], &closed, is_closed).await;
    // Nobody knows this one, and nobody has made that one.
    let home = format!("PASEO_HOME={}", cast.0.home.path().display());
    let unknown = "00000000-0000-4000-8000-000000000000";
    let session = format!("PASEO_SESSION={unknown}");
    let ghost = ["new-session", "-d", "-s", "ghost-1", "-e", &home, "-e", &session, "--", "sleep", "1000"];
    assert!(tmux(&cast, &ghost).status().unwrap().success());
    assert!(
        tmux(&cast, &["new-session", "-d", "-s", "mine", "--", "sleep", "1000"]).status().unwrap().success()
    );

    cast.0.home.paseo(&["up"]).ok();
    assert!(!lives(&cast, &closed.session) && !lives(&cast, unknown), "before the daemon answers");
    assert!(lives(&cast, &open.session));
    until("the end of its terminal", async || !has_terminal(&cast, "red-1")).await;
    assert!(has_terminal(&cast, "mine") && has_terminal(&cast, "red-2"));
    cast.0.home.paseo(&["send", &open.handle, "<<say here>>", "--wait"]).ok();
    assert_eq!(cast.said(&open.session).await, ["ready", "here"]);
}

/// Has tmux go to sleep as soon as it has started a program, before it says so.
async fn asleep_at_the_start(cast: &Cast) -> (Suspended, WorkerView) {
    let first = idle(cast).await;
    assert_eq!(first.name, "red-1");
    let pid = server(cast);
    let hook = format!("run-shell 'kill -STOP {pid}'");
    assert!(tmux(cast, &["set-hook", "-g", "after-new-session", &hook]).status().unwrap().success());
    let asleep = Suspended(Pid::from_raw(pid).unwrap());
    let worker = started(cast, "<<sh paseo task create Parse --json>>").await;
    until("its silence", async || cast.0.client.worker("red-2").await.unwrap().worker.unknown).await;
    (asleep, worker)
}

fn awake(cast: &Cast, asleep: Suspended) {
    drop(asleep);
    assert!(tmux(cast, &["set-hook", "-gu", "after-new-session"]).status().unwrap().success());
}

#[tokio::test]
async fn a_worker_that_is_started_too_late_is_taken_in() {
    let cast = red();
    let (asleep, worker) = asleep_at_the_start(&cast).await;
    awake(&cast, asleep);
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    assert_eq!(cast.0.client.task("red", "task-0001").await.unwrap().task.created_by, "red-2");
    assert_eq!(cast.heard(&worker.session).await.len(), 1);
}

#[tokio::test]
async fn a_worker_that_was_stopped_while_it_was_started_is_taken_in_and_has_nothing_to_do() {
    let cast = red();
    let (asleep, worker) = asleep_at_the_start(&cast).await;
    cast.0.home.paseo(&["stop", &worker.handle]).ok();
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    awake(&cast, asleep);
    // Its end is noted, as that of any worker.
    until("the program", async || cast.0.client.worker("red-2").await.unwrap().worker.alive).await;
    assert!(tmux(&cast, &["send-keys", "-t", "=red-2:", "-l", "<<crash 4>>"]).status().unwrap().success());
    assert!(tmux(&cast, &["send-keys", "-t", "=red-2:", "Enter"]).status().unwrap().success());
    until("its end", async || cast.view(&worker.session).await.terminal.unwrap().exit.is_some()).await;
}

#[tokio::test]
async fn a_worker_that_was_closed_while_it_was_started_does_not_stay() {
    let cast = red();
    let (asleep, worker) = asleep_at_the_start(&cast).await;
    cast.0.home.paseo(&["close", &worker.handle]).ok();
    awake(&cast, asleep);
    until("the end of its terminal", async || !has_terminal(&cast, "red-2")).await;
    until("the end of its processes", async || !lives(&cast, &worker.session)).await;
}

#[tokio::test]
async fn nobody_extends_the_lease_of_one_that_is_not_known_to_be_at_work() {
    let cast = red();
    let (home, client) = (&cast.0.home, &cast.0.client);
    home.paseo(&["task", "create", "All of it"]).ok();
    let script = "<<tool team_tasks_claim {\"taskId\":\"task-0001\",\"ttlMs\":10000}>>\
                  <<sh echo $PPID \\> holder; until [ -e go ]; do sleep 0.02; done>>";
    started(&cast, script).await;
    let holder = || std::fs::read_to_string(home.work().join("holder")).ok()?.trim().parse().ok();
    until("the holder", async || holder().is_some()).await;
    let holder = Pid::from_raw(holder().unwrap()).unwrap();
    kill_process(holder, Signal::STOP).unwrap();
    let lease = async || client.task("red", "task-0001").await.unwrap().task.lease;
    let before = lease().await.unwrap();
    let suspended = Suspended::of(&cast);
    cast.0.crash();

    // Nobody sees that it sleeps, as long as tmux does.
    let mut now = lease().await;
    while let Some(lease) = now.take() {
        assert_eq!((lease.epoch, lease.expires_at), (before.epoch, before.expires_at), "it is as it was");
        tokio::time::sleep(Duration::from_millis(50)).await;
        now = client.task("red", "task-0001").await.unwrap().task.lease;
    }
    drop(suspended);
    release(&cast);
    kill_process(holder, Signal::CONT).unwrap();
}
