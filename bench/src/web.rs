//! A daemon with much to look at, and a real browser that looks at it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use paseo_core::id::SessionId;
use paseo_core::label::Labels;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::Options;
use crate::conversation;
use crate::daemon::{self, Daemon};
use crate::fixture::{self, Past};
use crate::http::{Connection, EventReader};
use crate::report::Row;

/// Items of a long transcript.
pub(crate) const LONG: u64 = 100_000;
/// Items of all others.
const SHORT: u64 = 20;
/// Processes that the daemon keeps: more than there are agents that wait or work.
const PROCESSES: usize = 260;
/// How long the daemon may take to index the words of all transcripts.
const INDEXING: Duration = Duration::from_secs(300);

/// What there is to look at.
pub(crate) struct Shape {
    pub(crate) agents: usize,
    /// How many of them have a long transcript.
    pub(crate) long: usize,
    /// How many of them ask for permission, once each.
    pub(crate) requests: usize,
}

/// A daemon, and some of its agents.
pub(crate) struct World {
    pub(crate) daemon: Daemon,
    /// Agents with long transcripts.
    long: Vec<String>,
}

impl World {
    /// Makes agents that finished, and agents that ask, all of which the web app lists.
    pub(crate) fn start(options: &Options, shape: &Shape) -> Self {
        let home = daemon::home(&options.binary, None);
        let configuration = format!("[limits]\nlive_processes = {PROCESSES}\n");
        fs::write(home.path().join("config.toml"), configuration).expect("a configuration");
        let project = home.work().canonicalize().expect("a directory to work in");
        let ids: Vec<SessionId> =
            (shape.requests..shape.agents).map(|_| SessionId::from_uuid(Uuid::new_v4())).collect();
        let past = |(number, id): (usize, &SessionId)| Past {
            id: *id,
            name: if number < shape.long { format!("long {number}") } else { format!("finished {number}") },
            labels: Labels::from_flags([], true).expect("a label"),
            items: if number < shape.long { LONG } else { SHORT },
            item: conversation::item,
        };
        let sessions = ids.iter().enumerate().map(past);
        fixture::fill_unindexed(&daemon::database(&home), &project.to_string_lossy(), sessions);
        let daemon = Daemon::start(home);
        let long: Vec<String> = ids.iter().take(shape.long).map(ToString::to_string).collect();
        let world = Self { daemon, long };
        world.index();
        world.ask(shape.requests);
        world
    }

    /// Waits until the last words of every long transcript are found.
    fn index(&self) {
        let deadline = Instant::now() + INDEXING;
        for session in &self.long {
            let path = format!("/api/search?q=part+{LONG}&agent={session}");
            loop {
                let found = Connection::open(&self.daemon.socket).request("GET", &path, "");
                let found: Value = serde_json::from_slice(&found).expect("what was found");
                if found["hits"].as_array().is_some_and(|hits| !hits.is_empty()) {
                    break;
                }
                assert!(Instant::now() < deadline, "the words of {session} were not indexed in {INDEXING:?}");
                thread::sleep(Duration::from_millis(200));
            }
        }
    }

    /// Starts agents that ask for permission, and waits until all of them do.
    fn ask(&self, requests: usize) {
        let mut connection = Connection::open(&self.daemon.socket);
        let mut events = EventReader::of(&self.daemon.socket, "permissions");
        for number in 0..requests {
            let wanted = json!({
                "provider": "scripted",
                "directory": self.daemon.home.work(),
                "labels": { "ui": "true" },
                "name": format!("asks {number}"),
                "prompt": format!("<<ask May I publish version 1.{number}?>>"),
            });
            connection.request("POST", "/api/sessions", &wanted.to_string());
            // One after the other: what is measured is not how they start.
            events.wait_for(b"\"type\":\"permission_requested\"");
        }
    }

    /// Plays a scene of `ui/bench` in a browser, and returns what it measured.
    pub(crate) fn play(&self, options: &Options, scene: &str, about: &Value) -> Value {
        let root = self.daemon.home.work().parent().expect("a directory of its own").to_owned();
        let world = json!({
            "root": root,
            "listen": self.daemon.address,
            "long": self.long,
            "items": LONG,
            "about": about,
        });
        let output = Command::new("node")
            .args(["node_modules/@playwright/test/cli.js", "test", "--config", "bench/playwright.config.ts"])
            .arg(format!("/{scene}.scene.ts"))
            .current_dir(&options.ui)
            .env("PASEO_BIN", &options.binary)
            .env("PASEO_BENCH", world.to_string())
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .expect("node starts");
        assert!(output.status.success(), "{scene}: {}", String::from_utf8_lossy(&output.stdout));
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{scene}: {error} in {}", String::from_utf8_lossy(&output.stdout)))
    }
}

/// Returns the rows of a page that cannot be measured here. They fail unless `--without-web` is given.
pub(crate) fn left_out(options: &Options, names: &[&str]) -> Option<Vec<Row>> {
    if options.without_web {
        return Some(names.iter().map(|name| Row::skipped(name, "left out with --without-web")).collect());
    }
    let missing = missing(options)?;
    Some(names.iter().map(|name| Row::broken(name, missing)).collect())
}

/// Says what is missing to play scenes, if anything is.
fn missing(options: &Options) -> Option<&'static str> {
    if !options.ui.join("dist/index.html").is_file() {
        return Some("the web app is not built");
    }
    if !options.ui.join("node_modules/@playwright/test/cli.js").is_file() {
        return Some("Playwright is not installed: make web");
    }
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    (!Path::new(&chromium).is_file()).then_some("there is no Chromium: set CHROMIUM")
}

/// Returns numbers that a scene measured.
pub(crate) fn numbers(measured: &Value, name: &str) -> Vec<f64> {
    let numbers = measured[name].as_array().unwrap_or_else(|| panic!("no {name} in {measured}"));
    numbers.iter().filter_map(Value::as_f64).collect()
}

/// Returns a number that a scene measured.
pub(crate) fn number(measured: &Value, name: &str) -> f64 {
    measured[name].as_f64().unwrap_or_else(|| panic!("no {name} in {measured}"))
}
