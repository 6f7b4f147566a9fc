//! The real daemon in a temporary home.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, DirEntry};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use paseo_testkit::home::TestHome;
use serde_json::{Value, json};

use crate::http::Connection;
use crate::machine::field;

/// How much of a daemon's log is shown when a row breaks off.
const SHOWN_LINES: usize = 40;

/// A daemon that runs until this is dropped.
pub(crate) struct Daemon {
    /// Before the home, with which the log goes.
    _log: Log,
    pub(crate) home: TestHome,
    pub(crate) pid: u32,
    pub(crate) socket: PathBuf,
    /// Where it listens for TCP.
    pub(crate) address: String,
    /// How long it took until it said that it answers.
    pub(crate) ready: Duration,
    child: Child,
}

/// Makes an empty home, with a log in it if there is one to copy.
pub(crate) fn home(binary: &Path, log: Option<&Path>) -> TestHome {
    let mut home = TestHome::new(binary);
    home.set("PASEO_LOG", "warn");
    DirBuilder::new().mode(0o700).create(home.path()).expect("a home");
    if let Some(log) = log {
        fs::copy(log, database(&home)).expect("a copy of the log");
    }
    home
}

/// Makes an empty home whose daemon keeps more processes alive than any row needs.
pub(crate) fn roomy(binary: &Path) -> TestHome {
    let home = home(binary, None);
    fs::write(home.path().join("config.toml"), "[limits]\nlive_processes = 220\n").expect("a configuration");
    home
}

/// Returns where the log of a home is.
pub(crate) fn database(home: &TestHome) -> PathBuf {
    home.path().join("paseo.sqlite3")
}

impl Daemon {
    /// Starts the daemon as the command line does, and waits until it is ready.
    pub(crate) fn start(home: TestHome) -> Self {
        let mut command = home.command(&["daemon", "run", "--detached"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let start = Instant::now();
        let mut child = command.spawn().expect("the daemon starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a report");
        let ready = start.elapsed();
        let report: Value = serde_json::from_str(&line).unwrap_or_default();
        let socket = report["ready"]["socket"].as_str().unwrap_or_else(|| panic!("not ready: {line}")).into();
        let url = report["ready"]["url"].as_str().unwrap_or_default();
        let address = url.trim_start_matches("http://").to_owned();
        let log = Log(home.path().join("log/daemon.log"));
        Self { _log: log, home, pid: child.id(), socket, address, ready, child }
    }

    /// Stops the daemon and returns its home.
    pub(crate) fn stop(self) -> TestHome {
        let Self { home, mut child, .. } = self;
        home.stop_daemon();
        child.wait().expect("a daemon that ended");
        home
    }

    /// Returns how much memory it has now, in megabytes.
    pub(crate) fn resident(&self) -> f64 {
        kilobytes(self.pid, "VmRSS").unwrap_or(f64::NAN) / 1024.0
    }

    /// Returns how much time of a processor it has used so far, in seconds.
    pub(crate) fn processor_time(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).expect("the daemon's times");
        // What stands before, the name of the program, may hold anything.
        let fields = stat.rsplit_once(')').expect("a name").1;
        let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok());
        ticks.sum::<u64>() as f64 / rustix::param::clock_ticks_per_second() as f64
    }

    /// Makes a session and returns its id.
    pub(crate) fn session(&self, connection: &mut Connection, provider: &str) -> String {
        let wanted = json!({ "provider": provider, "directory": self.home.work() }).to_string();
        let created = connection.request("POST", "/api/sessions", &wanted);
        let created: Value = serde_json::from_slice(&created).expect("a created session");
        created["session"]["id"].as_str().expect("an id").to_owned()
    }

    /// Returns how often each of its threads was switched to and from so far.
    pub(crate) fn context_switches(&self) -> HashMap<OsString, u64> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.pid)).expect("the daemon's threads");
        let count = |task: &DirEntry, name| field(task.path().join("status"), name)?.parse::<u64>().ok();
        tasks
            .filter_map(Result::ok)
            .filter_map(|task| {
                let voluntary = count(&task, "voluntary_ctxt_switches")?;
                Some((task.file_name(), voluntary + count(&task, "nonvoluntary_ctxt_switches")?))
            })
            .collect()
    }
}

/// The log of a daemon. Its end is shown when a row breaks off: nothing else tells why.
struct Log(PathBuf);

impl Drop for Log {
    fn drop(&mut self) {
        if !thread::panicking() {
            return;
        }
        match fs::read_to_string(&self.0) {
            Ok(text) => {
                let lines: Vec<&str> = text.lines().collect();
                let shown = lines.len().saturating_sub(SHOWN_LINES);
                eprintln!("the daemon's log ends with:\n{}", lines[shown..].join("\n"));
            }
            Err(error) => eprintln!("the daemon's log cannot be read: {error}"),
        }
    }
}

/// Returns a field of a process's status, in kilobytes.
pub(crate) fn kilobytes(pid: u32, name: &str) -> Option<f64> {
    field(format!("/proc/{pid}/status"), name)?.split(' ').next()?.parse().ok()
}
