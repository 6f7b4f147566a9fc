//! Real harnesses as workers: how much longer it takes until they have their task than until they listen by themselves.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use paseo_testkit::model::ModelServer;
use paseo_testkit::real::{Program, Real};
use serde_json::json;

use super::workers::{has_tmux, started};
use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, EventReader};
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds};

const STARTS: usize = 5;
/// What may be added, in milliseconds.
const ADDED: f64 = 1000.0;

/// How often a screen is looked at, and how long it may take to show anything.
const LOOK: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    [Program::Claude, Program::Codex, Program::Pi].map(|program| added(options, program)).into()
}

fn added(options: &Options, program: Program) -> Row {
    let name = format!("workers: from a terminal that listens to the task taken, {}", program.name());
    let model = ModelServer::start();
    // Each has a home of its own, so that neither reads what the other wrote.
    let (Some(alone), Some(real)) = (program.with(&model), program.with(&model)) else {
        return Row::skipped(&name, &format!("{} is not installed: make harnesses", program.name()));
    };
    if !has_tmux() {
        return Row::skipped(&name, "tmux is not installed");
    }
    let mut home = daemon::home(&options.binary, None);
    real.install(&mut home);
    let daemon = Daemon::start(home);
    let mut connection = Connection::open(&daemon.socket);
    let team = json!({ "id": "red", "directory": daemon.home.work() }).to_string();
    connection.request("POST", "/api/teams", &team);
    let mut ours = || {
        let mut events = EventReader::of(&daemon.socket, "sessions");
        let start = Instant::now();
        let worker = started(&mut connection, program.name(), "Please <<say ready>>").worker.name;
        events.wait_for_agent(b"\"type\":\"turn_confirmed\"", &format!("{} as {worker}", program.name()));
        let taken = milliseconds(start.elapsed());
        connection.request("DELETE", &format!("/api/workers/{worker}"), "");
        taken
    };
    // The first of each fills caches and does not count.
    let times: Vec<(f64, f64)> =
        (0..=STARTS).map(|_| (ours(), alone_until_it_listens(program, &alone))).skip(1).collect();
    let ours = median(&times.iter().map(|(ours, _)| *ours).collect::<Vec<_>>());
    let alone = median(&times.iter().map(|(_, alone)| *alone).collect::<Vec<_>>());
    let added = ours - alone;
    Row::ratio(
        &name,
        format!("{added:.0} ms ({ours:.0}, alone {alone:.0})"),
        format!("{ADDED} ms"),
        added / ADDED,
        Limit::AtMost(1.0),
    )
}

/// Starts it in a tmux of its own, and returns after how many milliseconds its screen shows where to type.
fn alone_until_it_listens(program: Program, real: &Real) -> f64 {
    let directory = tempfile::tempdir().expect("a directory to work in");
    let socket = directory.path().join("sock");
    let start = Instant::now();
    let mut words = vec!["new-session", "-d", "-s", "alone", "-x", "160", "-y", "48"];
    words.extend(["--", real.program().to_str().expect("a path in UTF-8")]);
    if program == Program::Codex {
        words.extend(["-a", "never", "-s", "danger-full-access"]);
    }
    let tmux = |words: &[&str]| tmux(real, &socket, directory.path(), words);
    tmux(&words);
    let mut screen = String::new();
    while !listens(program, &screen) {
        assert!(start.elapsed() < PATIENCE, "{} does not listen:\n{screen}", program.name());
        thread::sleep(LOOK);
        screen = tmux(&["capture-pane", "-p", "-t", "=alone:"]);
    }
    let listened = milliseconds(start.elapsed());
    tmux(&["kill-server"]);
    listened
}

/// Says whether a screen shows where to type.
fn listens(program: Program, screen: &str) -> bool {
    match program {
        Program::Claude => screen.contains('❯'),
        Program::Codex => screen.contains('›') && screen.contains(" · "),
        _ => screen.lines().filter(|line| line.starts_with("────────")).count() > 1,
    }
}

/// The environment is that of tmux itself, which starts programs with the `PATH` of its client, whatever `-e` says.
fn tmux(real: &Real, socket: &Path, directory: &Path, words: &[&str]) -> String {
    let mut command = Command::new("tmux");
    command.args(["-u", "-f", "/dev/null", "-S"]).arg(socket).args(words);
    command.current_dir(directory).envs(real.environment()).env_remove("TMUX");
    String::from_utf8_lossy(&command.output().expect("tmux").stdout).into_owned()
}
