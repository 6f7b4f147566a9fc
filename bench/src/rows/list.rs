//! `paseo ls`, next to a program that does nothing.

use std::process::{Command, Stdio};
use std::time::Instant;

use paseo_core::id::SessionId;
use uuid::Uuid;

use crate::Options;
use crate::daemon::{self, Daemon, kilobytes};
use crate::fixture;
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds};

const SESSIONS: usize = 1000;
const RUNS: usize = 31;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let home = daemon::home(&options.binary, None);
    let project = home.work().canonicalize().expect("a directory to work in");
    let sessions = (0..SESSIONS).map(|_| (SessionId::from_uuid(Uuid::new_v4()), 0));
    fixture::fill(&daemon::database(&home), &project.to_string_lossy(), sessions);
    let daemon = Daemon::start(home);
    let listed = daemon.home.paseo(&["ls", "-q"]);
    assert_eq!(listed.ok().lines().count(), SESSIONS, "all sessions are listed");

    let list = || daemon.home.command(&["ls"]);
    let memory: Vec<f64> = (0..5).map(|_| peak(list())).collect();
    let memory = Row::bar("ls: peak memory", memory.iter().copied().fold(0.0, f64::max), 15.0, "MB");
    let name = "ls: 1,000 sessions";
    let node = || {
        let mut node = Command::new("node");
        node.args(["-e", "0"]);
        node
    };
    if node().status().is_err() {
        return vec![Row::skipped(name, "node is not installed"), memory];
    }
    // The first of each warms the caches and does not count.
    let times: Vec<(f64, f64)> = (0..=RUNS).map(|_| (time(list()), time(node()))).skip(1).collect();
    let ours = median(&times.iter().map(|(ours, _)| *ours).collect::<Vec<_>>());
    let nodes = median(&times.iter().map(|(_, node)| *node).collect::<Vec<_>>());
    let measured = format!("{ours:.1} ms");
    vec![
        Row::ratio(name, measured, format!("node -e 0: {nodes:.1} ms"), ours / nodes, Limit::AtMost(0.2)),
        memory,
    ]
}

fn time(mut command: Command) -> f64 {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    assert!(command.status().expect("a command that starts").success());
    milliseconds(start.elapsed())
}

/// Returns the most memory that a command had, in megabytes, as it was last seen before its end.
fn peak(mut command: Command) -> f64 {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("a command that starts");
    let mut peak: f64 = 0.0;
    while child.try_wait().expect("a child").is_none() {
        peak = peak.max(kilobytes(child.id(), "VmHWM").unwrap_or(0.0));
    }
    peak / 1024.0
}
