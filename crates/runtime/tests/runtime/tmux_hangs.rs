//! A tmux server that hangs: nobody waits for it for long, and what is said to it is done once or not at all.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use paseo_runtime::terminal::ending::kill;
use paseo_runtime::terminal::tmux::{Error, State, Tmux};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::Child;

use crate::support::{executable, within};
use crate::tmux::{READER, Server, clients};

/// Longer than anybody waits for an answer.
const LONG: Duration = Duration::from_secs(8);

/// Far shorter than anybody waits for an answer.
const AT_ONCE: Duration = Duration::from_secs(2);

/// A server that was suspended, and goes on at the latest when this is dropped.
struct Suspended(Pid);

impl Suspended {
    fn new(server: &Server) -> Self {
        let [pid] = clients(server.place.home(), "-D")[..] else { panic!("there is one server") };
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for Suspended {
    fn drop(&mut self) {
        kill_process(self.0, Signal::CONT).ok();
    }
}

/// Returns what speaks to the same server over a line of its own, as another daemon would.
fn stranger(server: &Server, detours: usize) -> Arc<Tmux> {
    let mut home = server.place.home().to_owned();
    for _ in 0..detours {
        home = home.join("..").join(server.place.home().file_name().unwrap());
    }
    Tmux::at(&home.join("tmux.sock"))
}

/// Asks in vain, and ends with all that it has begun.
fn come_and_go(tmux: Arc<Tmux>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        assert!(matches!(runtime.block_on(tmux.sessions()), Err(Error::Silent { .. })));
    })
}

async fn answers(tmux: &Tmux) -> Vec<State> {
    within(async {
        loop {
            match tmux.sessions().await {
                Ok(sessions) => return sessions.into_iter().map(|session| session.state).collect(),
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    })
    .await
}

#[tokio::test]
async fn all_who_ask_fail_together_and_the_next_at_once() {
    let server = Server::new();
    server.start("w-1", READER).await;
    server.shows("w-1", |text| text.contains("ready")).await;
    let before = answers(&server.tmux).await;
    let suspended = Suspended::new(&server);
    let began = Instant::now();
    let (tmux, program) = (&server.tmux, server.program("true"));
    let (listed, found, shown, pasted, pressed, other) = tokio::join!(
        tmux.sessions(),
        tmux.find("w-1"),
        tmux.capture("w-1", 10),
        tmux.paste("w-1", "never"),
        tmux.press("w-1", &["x"]),
        tmux.restart("w-1", &program),
    );
    assert!(began.elapsed() < LONG, "{:?}", began.elapsed());
    let all = [
        listed.unwrap_err(),
        found.unwrap_err(),
        shown.unwrap_err(),
        pasted.unwrap_err(),
        pressed.unwrap_err(),
        other.unwrap_err(),
    ];
    let pid = suspended.0.as_raw_nonzero();
    for error in &all {
        assert!(error.to_string().ends_with(&format!("its server, process {pid}, is suspended")), "{error}");
        assert!(error.hint().unwrap().contains(&format!("kill -CONT {pid}")), "{error}");
    }
    let began = Instant::now();
    for _ in 0..100 {
        assert!(matches!(tmux.sessions().await, Err(Error::Silent { .. })));
    }
    assert!(tmux.is_silent() && began.elapsed() < AT_ONCE, "{:?}", began.elapsed());

    drop(suspended);
    assert_eq!(answers(tmux).await, before);
    assert!(!tmux.is_silent());
    assert_eq!(clients(server.place.home(), "-C").len(), 1, "nobody was left behind");
    within(tmux.paste("w-1", "once")).await.unwrap();
    within(tmux.press("w-1", &["Enter"])).await.unwrap();
    let shown = server.shows("w-1", |text| text.contains("once")).await;
    assert!(!shown.contains("never") && shown.matches("once").count() == 1, "{shown}");
}

#[tokio::test]
async fn what_was_pressed_just_before_the_server_went_to_sleep_is_known_to_be() {
    let server = Server::new();
    server.start("w-1", "stty -echo -icanon; echo ready; exec cat").await;
    server.shows("w-1", |text| text.contains("ready")).await;
    let [pid] = clients(server.place.home(), "-D")[..] else { panic!("there is one server") };
    // It presses the key, and has itself suspended before it says so.
    let hook = format!("run-shell 'kill -STOP {pid}'", pid = pid.as_raw_nonzero());
    ask(&server, &["set-hook", "-g", "after-send-keys", &hook]);
    let suspended = Suspended(pid);
    let tmux = Arc::clone(&server.tmux);
    let pressing = tokio::spawn(async move { tmux.press("w-1", &["x"]).await });
    within(async {
        while !server.tmux.is_silent() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    // Whoever comes now is told at once, and nothing is pressed for them later.
    assert!(matches!(server.tmux.press("w-1", &["y"]).await, Err(Error::Silent { .. })));
    assert!(!pressing.is_finished(), "nobody knows yet");
    drop(suspended);
    within(pressing).await.unwrap().unwrap();
    ask(&server, &["set-hook", "-gu", "after-send-keys"]);
    within(server.tmux.press("w-1", &["z"])).await.unwrap();
    let shown = server.shows("w-1", |text| text.contains('z')).await;
    assert!(shown.contains("xz"), "{shown}");
}

/// Gives the server a command, as a person does.
#[allow(clippy::disallowed_methods)]
fn ask(server: &Server, words: &[&str]) {
    let mut command = std::process::Command::new("tmux");
    command.arg("-S").arg(server.place.home().join("tmux.sock")).args(words);
    assert!(command.status().unwrap().success());
}

/// Starts what plays a daemon, with a worker in its terminal.
#[allow(clippy::disallowed_methods)]
async fn daemon(server: &Server) -> Child {
    let mut daemon = tokio::process::Command::new(executable())
        .args(["terminals", "--", "sleep", "1000"])
        .current_dir(server.place.home())
        .env("TEST_SESSION", server.place.session.to_string())
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut told = BufReader::new(daemon.stdout.take().unwrap()).lines();
    within(told.next_line()).await.unwrap();
    daemon
}

#[tokio::test]
async fn the_client_of_a_daemon_that_is_killed_is_gone_even_if_the_server_hangs() {
    let server = Server::new();
    let mut daemon = daemon(&server).await;
    let suspended = Suspended::new(&server);
    assert_eq!(clients(server.place.home(), "-C").len(), 1);
    daemon.kill().await.unwrap();
    within(async {
        while !clients(server.place.home(), "-C").is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    drop(suspended);
    assert!(matches!(answers(&server.tmux).await[..], [State::Alive { .. }]), "the worker is still there");
}

#[tokio::test]
async fn a_server_that_goes_on_outlives_the_daemons_that_came_and_went_meanwhile() {
    for _ in 0..3 {
        let server = Server::new();
        let mut daemon = daemon(&server).await;
        let suspended = Suspended::new(&server);
        daemon.kill().await.unwrap();
        // Two more come and go.
        let others: Vec<_> = [1, 2].map(|detours| come_and_go(stranger(&server, detours))).into();
        assert!(matches!(server.tmux.sessions().await, Err(Error::Silent { .. })));
        others.into_iter().for_each(|other| other.join().unwrap());
        let pid = suspended.0;
        drop(suspended);
        assert!(matches!(answers(&server.tmux).await[..], [State::Alive { .. }]));
        assert_eq!(clients(server.place.home(), "-D"), [pid], "it is the same server");
        within(async {
            while clients(server.place.home(), "-C").len() > 1 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_server_that_lets_nobody_in_gets_no_second_one_beside_it() {
    let server = Server::new();
    server.start("w-1", "sleep 1000").await;
    let suspended = Suspended::new(&server);
    let path = server.place.home().join("tmux.sock");
    let mut waiting = Vec::new();
    while let Ok(stream) = UnixStream::connect(&path).await {
        waiting.push(stream);
        assert!(waiting.len() < 10_000);
    }
    let refused = within(stranger(&server, 1).start("w-2", &server.program("sleep 1000"))).await.unwrap_err();
    assert!(matches!(refused, Error::Unreachable { .. }), "{refused}");
    assert_eq!(clients(server.place.home(), "-D"), [suspended.0]);
    drop((waiting, suspended));
    assert_eq!(answers(&stranger(&server, 1)).await.len(), 1);
    assert_eq!(answers(&server.tmux).await.len(), 1);
}

#[tokio::test]
async fn a_worker_is_ended_although_the_server_hangs() {
    let server = Server::new();
    let mut witness = server.place.witness();
    server.start("w-1", "exec 9>witness; echo ready >&9; sleep 1000").await;
    witness.line().await;
    let suspended = Suspended::new(&server);
    let home = server.place.home().to_owned();
    let ended = within(kill(&server.tmux, "w-1", home.clone(), server.place.session)).await;
    assert!(matches!(ended, Err(Error::Silent { .. })));
    witness.gone().await;
    drop(suspended);
    answers(&server.tmux).await;
    within(kill(&server.tmux, "w-1", home, server.place.session)).await.unwrap();
    assert_eq!(server.tmux.sessions().await.unwrap(), []);
}
