//! Workers that are found again when what they were started with is gone: they live, and need none of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use paseo_testkit::home::TestHome;
use paseo_wire::worker::{StartWorker, WorkerView};
use rustix::process::{Pid, Signal, kill_process};

use crate::cast::Cast;
use crate::screens::{assert_said, assert_told, squeezed};
use crate::workers::{Reader, red, started, tmux, type_in, until, wanted};

/// What its token is good for: to read what happened in its team.
const EVENTS: &str = "\"events\"";

/// In the middle of a turn until it is released; then it says what its own token is good for.
fn at_work(cast: &Cast) -> String {
    let go = cast.0.home.work().join("go");
    let token = "-H \"authorization: Bearer $PASEO_TOKEN\"";
    let ask = format!(
        "curl -s --unix-socket $PASEO_HOME/daemon.sock {token} \"http://paseo/v1/inbox?teamId=$PI_TEAM_ID\""
    );
    let wait = format!("until [ -e {} ]; do sleep 0.02; done", go.display());
    format!("<<say begun>><<sh {wait}; {ask}>><<say done>>")
}

async fn begun(cast: &Cast, wanted: &StartWorker) -> WorkerView {
    let worker = cast.0.client.start_worker(wanted, None).await.unwrap().worker;
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("begun"))).await;
    worker
}

/// It goes on with its turn as who it was, and answers in its thread, once.
async fn goes_on(cast: &Cast, worker: &WorkerView, told: &str) {
    crate::cast::release(cast);
    assert_eq!(cast.0.settled(&worker.session).await, "idle", "{:?}", cast.0.items(&worker.session).await);
    assert_eq!(cast.said(&worker.session).await, ["begun", "done"]);
    assert_eq!(cast.heard(&worker.session).await.len(), 1, "it was typed in once");
    let answer = cast.called(&worker.session).await.pop().unwrap();
    assert!(answer.text.contains(told), "{answer:?}");
    let reader = Reader::new(cast);
    until("the answer", async || reader.posts("thread-0001").len() == 2).await;
    let posts = reader.posts("thread-0001");
    assert!(posts[1].0 == "red-1" && posts[1].1.ends_with("done"), "{posts:?}");
    // People are seen there, and others are heard.
    type_in(cast, "red-1", &["-l", "<<say by hand>>"]);
    type_in(cast, "red-1", &["Enter"]);
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("by hand")))
        .await;
    cast.0.home.paseo(&["send", &worker.handle, "<<say heard>>", "--wait"]).ok();
}

/// Ends its program: a new one needs what is gone, and says so.
async fn cannot_begin_again(cast: &Cast, worker: &WorkerView, why: &str) {
    cast.0.send(&worker.session, "<<crash 3>>").await;
    assert_eq!(cast.0.settled(&worker.session).await, "error");
    let refused = cast.0.home.paseo(&["send", &worker.handle, "<<say back>>", "--wait"]);
    assert!(refused.code != 0 && format!("{refused:?}").contains(why), "{refused:?}");
}

#[tokio::test]
async fn a_worker_goes_on_without_its_definition() {
    for after in [None, Some("provider = 7")] {
        let cast = red();
        cast.define("helper", "");
        let wanted = StartWorker { agent: Some("helper".to_owned()), ..wanted(&at_work(&cast)) };
        let worker = begun(&cast, &wanted).await;
        assert!(cast.0.home.kill_daemon());
        let file = cast.0.home.path().join("agents/helper.toml");
        match after {
            None => fs::remove_file(file).unwrap(),
            Some(text) => fs::write(file, text).unwrap(),
        }
        cast.0.home.paseo(&["up"]).ok();
        match after {
            // It is known for who it is, and may use nothing.
            None => {
                goes_on(&cast, &worker, "is not granted to this agent").await;
                cannot_begin_again(&cast, &worker, "helper").await;
            }
            // A file that cannot be read keeps its last good content.
            Some(_) => goes_on(&cast, &worker, EVENTS).await,
        }
    }
}

#[tokio::test]
async fn a_worker_goes_on_without_the_script_that_it_was_started_with() {
    let cast = red();
    cast.script("helper", "", "<<say from the script>>");
    let wanted = StartWorker { agent: Some("helper".to_owned()), ..wanted(&at_work(&cast)) };
    let worker = begun(&cast, &wanted).await;
    assert!(cast.0.home.kill_daemon());
    fs::remove_file(cast.0.home.work().with_file_name("helper.script")).unwrap();
    cast.0.home.paseo(&["up"]).ok();
    goes_on(&cast, &worker, EVENTS).await;
    cannot_begin_again(&cast, &worker, "helper.script").await;
}

#[tokio::test]
async fn a_worker_goes_on_without_its_directory() {
    let cast = red();
    let place = cast.0.home.work().join("place");
    fs::create_dir(&place).unwrap();
    let wanted = StartWorker { directory: Some(place.display().to_string()), ..wanted(&at_work(&cast)) };
    let worker = begun(&cast, &wanted).await;
    assert!(cast.0.home.kill_daemon());
    fs::remove_dir(&place).unwrap();
    cast.0.home.paseo(&["up"]).ok();
    goes_on(&cast, &worker, EVENTS).await;
    cannot_begin_again(&cast, &worker, "no longer exists").await;
}

/// A home whose commands find tmux in a folder of its own.
fn with_own_tmux() -> (TestHome, PathBuf) {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    let folder = home.work().with_file_name("tools");
    fs::create_dir(&folder).unwrap();
    for folder_of_all in std::env::split_paths(&std::env::var_os("PATH").unwrap()) {
        for entry in fs::read_dir(folder_of_all).into_iter().flatten().flatten() {
            symlink(entry.path(), folder.join(entry.file_name())).ok();
        }
    }
    home.set("PATH", &folder);
    (home, folder.join("tmux"))
}

#[tokio::test]
async fn a_worker_that_cannot_be_got_to_has_its_token_and_is_found_later() {
    let (home, program) = with_own_tmux();
    let cast = crate::workers::red_at(home);
    let worker = begun(&cast, &wanted(&at_work(&cast))).await;
    assert!(cast.0.home.kill_daemon());
    let hidden = program.with_extension("hidden");
    fs::rename(&program, &hidden).unwrap();
    cast.0.home.paseo(&["up"]).ok();
    // Its command asks, and is answered, although nobody can look at it.
    crate::cast::release(&cast);
    let record = record(&cast);
    until("the end of its turn", async || fs::read_to_string(&record).unwrap().contains("\"done\"")).await;
    assert!(fs::read_to_string(&record).unwrap().contains("events"));
    assert_eq!(cast.view(&worker.session).await.status.as_str(), "running");
    fs::rename(&hidden, &program).unwrap();
    goes_on(&cast, &worker, EVENTS).await;
}

/// Returns the program in a worker's terminal, below the shim.
fn program_of(cast: &Cast, worker: &str) -> Pid {
    let target = format!("={worker}:");
    let told = tmux(cast, &["display-message", "-p", "-t", &target, "#{pane_pid}"]).output().unwrap();
    let shim = String::from_utf8(told.stdout).unwrap().trim().to_owned();
    let children = fs::read_to_string(format!("/proc/{shim}/task/{shim}/children")).unwrap();
    Pid::from_raw(children.trim().parse().unwrap()).unwrap()
}

/// Has a message typed into a program that does not take it, and kills the daemon.
async fn typed_and_not_taken(cast: &Cast, text: &str) -> (WorkerView, Pid) {
    let worker = started(cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    let program = program_of(cast, "red-1");
    kill_process(program, Signal::STOP).unwrap();
    cast.0.send(&worker.session, text).await;
    // All that can be done was done: a person is asked to see to it.
    until("the word for people", async || cast.view(&worker.session).await.status.as_str() == "waiting")
        .await;
    assert!(cast.0.home.kill_daemon());
    (worker, program)
}

fn is_dead(cast: &Cast) -> bool {
    let shown = tmux(cast, &["display-message", "-p", "-t", "=red-1:", "#{pane_dead}"]).output().unwrap();
    String::from_utf8_lossy(&shown.stdout).trim() == "1"
}

/// What was typed is said again, to the next program, with the word that it may be a repeat.
async fn is_said_again(cast: &Cast, worker: &WorkerView) {
    cast.0.home.paseo(&["up"]).ok();
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("taken"))).await;
    cast.0.settled(&worker.session).await;
    assert_eq!(cast.said(&worker.session).await, ["ready", "taken"]);
    assert_eq!(cast.heard(&worker.session).await, ["<<say ready>>", "<<say taken>>"]);
    assert!(fs::read_to_string(record(cast)).unwrap().contains("repeat"));
}

/// Returns the file in which the only worker wrote its session down.
fn record(cast: &Cast) -> PathBuf {
    let found: Vec<_> = fs::read_dir(cast.0.home.path().join("scripted")).unwrap().flatten().collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].path()
}

#[tokio::test]
async fn what_a_program_never_took_before_it_died_is_said_to_the_next() {
    let cast = red();
    let (worker, program) = typed_and_not_taken(&cast, "<<say taken>>").await;
    kill_process(program, Signal::KILL).unwrap();
    until("its end", async || is_dead(&cast)).await;
    is_said_again(&cast, &worker).await;
}

#[tokio::test]
async fn what_was_typed_into_a_terminal_that_is_gone_is_said_again() {
    let cast = red();
    let (worker, _) = typed_and_not_taken(&cast, "<<say taken>>").await;
    assert!(tmux(&cast, &["kill-session", "-t", "=red-1"]).status().unwrap().success());
    is_said_again(&cast, &worker).await;
}

#[tokio::test]
async fn what_a_program_took_and_did_before_it_died_is_not_said_again() {
    let cast = red();
    let script = "<<sh echo once \\>\\> done>><<say taken>><<crash 3>>";
    let (worker, program) = typed_and_not_taken(&cast, script).await;
    kill_process(program, Signal::CONT).unwrap();
    until("its end", async || is_dead(&cast)).await;
    cast.0.home.paseo(&["up"]).ok();
    assert_eq!(cast.0.settled(&worker.session).await, "error");
    assert_eq!(cast.said(&worker.session).await, ["ready", "taken"]);
    assert_eq!(cast.heard(&worker.session).await.len(), 2, "it was said once");
    assert_eq!(fs::read_to_string(cast.0.home.work().join("done")).unwrap(), "once\n");
    let why = cast.0.home.paseo(&["why", &worker.handle]);
    assert!(why.ok().contains("harness_exited"), "{why:?}");
    let terminal = why.ok().lines().find(|line| line.starts_with("terminal ")).unwrap();
    assert_said!(cast.0.home, &squeezed(terminal), @"terminal red-1: exited with code 3");
    cast.0.home.paseo(&["send", &worker.handle, "<<say back>>", "--wait"]).ok();
    assert_eq!(cast.said(&worker.session).await, ["ready", "taken", "back"]);
}

/// Has a person add a pane to a worker's window; returns the pane of the worker.
fn split(cast: &Cast) -> String {
    let told = tmux(cast, &["display-message", "-p", "-t", "=red-1:", "#{pane_id}"]).output().unwrap();
    let split = ["split-window", "-d", "-t", "=red-1:", "--", "env", "-i", "sleep", "1000"];
    assert!(tmux(cast, &split).status().unwrap().success());
    String::from_utf8(told.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn a_worker_whose_pane_is_gone_has_ended_whatever_else_a_person_has_there() {
    for is_away in [false, true] {
        let cast = red();
        let worker = started(&cast, "<<say ready>>").await;
        cast.0.settled(&worker.session).await;
        let pane = split(&cast);
        if is_away {
            assert!(cast.0.home.kill_daemon());
        }
        assert!(tmux(&cast, &["kill-pane", "-t", &pane]).status().unwrap().success());
        if is_away {
            cast.0.home.paseo(&["up"]).ok();
        }
        until("its end", async || cast.view(&worker.session).await.terminal.unwrap().exit.is_some()).await;
        assert!(!cast.0.client.worker("red-1").await.unwrap().worker.alive);
        let captured = cast.0.home.paseo(&["worker", "capture", "red-1"]);
        assert_told!(cast.0.home, captured, @r#"
        exit 3
        error: the terminal of red-1 no longer exists
         hint: restart it with a message: `paseo worker send red-1 "…"`
        "#);
        cast.0.home.paseo(&["send", &worker.handle, "<<say back>>", "--wait"]).ok();
        assert_eq!(cast.said(&worker.session).await, ["ready", "back"]);
        assert!(cast.0.client.worker("red-1").await.unwrap().worker.alive);
        let panes = tmux(&cast, &["list-panes", "-s", "-t", "=red-1:"]).output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&panes.stdout).lines().count(),
            2,
            "what a person has there stays"
        );
        // It is known again.
        cast.0.crash();
        cast.0.home.paseo(&["send", &worker.handle, "<<say again>>", "--wait"]).ok();
        assert_eq!(cast.said(&worker.session).await, ["ready", "back", "again"]);
    }
}
