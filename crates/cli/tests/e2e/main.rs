//! The real binary, in a temporary home, with the scripted provider.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod acp;
mod advertised;
mod agent_shell;
mod agents_message;
mod api_examples;
mod api_patterns;
mod assistant;
mod attach;
mod attach_terminal;
mod attachments;
mod audit;
mod bridge;
mod broken_attempts;
mod cast;
mod causes;
mod ceilings;
mod chat;
mod chat_endpoints;
mod chat_fallback;
mod chat_files;
mod chat_memory;
mod chat_turns;
mod commands;
mod config;
mod consent;
mod crash;
mod daemon;
mod default_provider;
mod definitions;
mod definitions_save;
mod definitions_trust;
mod delegations;
mod diagnosis;
mod doc_links;
mod documented;
mod dropped;
mod explain;
mod external;
mod external_example;
mod external_restart;
mod external_stop;
mod fake_daemon;
mod far_agent;
mod files;
mod followers;
mod full_disk;
mod greedy_clients;
mod growing;
mod guard;
mod guarded_asks;
mod help;
mod identity;
mod idle_notice;
mod inbox;
mod input;
mod kindness;
mod labels;
mod life;
mod limits;
mod list;
mod look;
mod map;
mod models;
mod notifications;
mod open_requests;
mod options;
mod past;
mod patterns;
mod permit;
mod pipes;
mod places;
mod processes;
mod projects;
mod promotion;
mod providers;
mod pty;
mod questions;
mod queue;
mod rendered;
mod requests;
mod retrieve;
mod run;
mod schemas;
mod screens;
mod search;
mod send;
mod setbacks;
mod settings;
mod shapes;
mod shells;
mod streams_end;
mod structured;
mod structured_crash;
mod structured_hostile;
mod structured_people;
mod summon;
mod suspended;
mod tabs;
mod team_edits;
mod team_endings;
mod team_hints;
mod team_lists;
mod team_nonsense;
mod team_rules;
mod team_stream;
mod team_words;
mod teamd;
mod teamd_refusals;
mod teamd_shapes;
mod teams;
mod terminal;
mod terminals;
mod terminals_handover;
mod terminals_viewer;
mod threads;
mod threads_ending;
mod threads_limits;
mod threads_paid;
mod threads_reach;
mod threads_survival;
mod threads_switches;
mod threads_wakes;
mod threads_words;
mod todos;
mod told_once;
mod tools;
mod turns;
mod usage;
mod wait;
mod watch;
mod watch_list;
mod web;
mod workers;
mod workers_attach;
mod workers_ending;
mod workers_found;
mod workers_hang;
mod workers_people;
mod workers_restart;
mod workers_tools;
mod worktrees;

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout};

use paseo_testkit::home::{Output, TestHome};
use serde_json::Value;

/// Makes an empty home for the binary under test.
fn home() -> TestHome {
    TestHome::new(env!("CARGO_BIN_EXE_paseo"))
}

/// Starts an agent in the background and returns its handle.
fn start(home: &TestHome, prompt: &str) -> String {
    home.paseo(&["run", "-d", prompt]).ok().to_owned()
}

/// Starts an agent and waits until it said `started`; it is busy from then on.
fn start_hanging(home: &TestHome) -> String {
    let handle = start(home, "<<say started>><<hang>>");
    wait_for_text(home, &handle, "started");
    handle
}

/// Waits until the transcript holds a text.
fn wait_for_text(home: &TestHome, handle: &str, text: &str) {
    Transcript::follow(home, handle).until(|item| item["text"] == text);
}

/// Parses what a command printed as one JSON value.
fn json(output: &Output) -> Value {
    serde_json::from_str(output.ok()).unwrap_or_else(|error| panic!("{error}: {output:#?}"))
}

/// Returns what is known about an agent.
fn inspect(home: &TestHome, handle: &str) -> Value {
    json(&home.paseo(&["inspect", handle, "--json"]))
}

/// A transcript that is followed by `paseo logs -f --json`.
struct Transcript {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Transcript {
    fn follow(home: &TestHome, handle: &str) -> Self {
        let mut child = home.spawn(&["logs", "-f", "--json", handle]);
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Reads on until an item is the wanted one, and returns it.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "the transcript ended early");
            let item: Value = serde_json::from_str(&line).unwrap();
            if wanted(&item) {
                return item;
            }
        }
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Takes away what differs from run to run.
macro_rules! assert_shown {
    ($home:expr, $text:expr, @$expected:literal) => {{
        let mut settings = insta::Settings::clone_current();
        let directory = $home.path().parent().unwrap().display().to_string();
        settings.add_filter(&directory, "[DIR]");
        settings.add_filter(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "[UUID]");
        settings.add_filter(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "[TIME]");
        settings.add_filter(r"\d\d:\d\d:\d\d", "[CLOCK]");
        settings.add_filter(r"\b(now|\d+[smhd] ago)\b", "[AGO]");
        settings.add_filter(r"127\.0\.0\.1:\d+", "[ADDRESS]");
        settings.add_filter(r"\b[0-9a-f]{4}\b", "[id]");
        settings.bind(|| insta::assert_snapshot!($text, @$expected));
    }};
}
pub(crate) use assert_shown;
