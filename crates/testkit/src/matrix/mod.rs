//! Harness × feature: what each contract test is about, and the table that a run of them makes.

mod page;
mod registry;
mod run;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;

use crate::real::Program;

pub use page::page;
pub use registry::{CASES, COLUMNS, GENERAL, SINGLES, subjects};
pub use run::run;

/// Names the file that tests note in what their harness lacks.
pub(crate) const NOTES_VARIABLE: &str = "PASEO_CONTRACT_NOTES";

/// What people expect of a harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    Conversation,
    Attachments,
    Commands,
    Model,
    Setup,
    Keys,
    Continuing,
    Stopping,
    Steering,
    Background,
    Tools,
    Skills,
    Permissions,
    Withholding,
    Guard,
    Failures,
    Retries,
    Limits,
    Terminal,
    GuardedTerminal,
}

impl Feature {
    pub const ALL: [Self; 20] = [
        Self::Conversation,
        Self::Attachments,
        Self::Commands,
        Self::Model,
        Self::Setup,
        Self::Keys,
        Self::Continuing,
        Self::Stopping,
        Self::Steering,
        Self::Background,
        Self::Tools,
        Self::Skills,
        Self::Permissions,
        Self::Withholding,
        Self::Guard,
        Self::Failures,
        Self::Retries,
        Self::Limits,
        Self::Terminal,
        Self::GuardedTerminal,
    ];

    fn title(self) -> &'static str {
        match self {
            Self::Conversation => "answers, thoughts, tool calls, diffs, usage",
            Self::Attachments => "images and files as input",
            Self::Commands => "its own slash commands: listed and run",
            Self::Model => "choosing model and effort",
            Self::Setup => "missing or wrong login, broken configuration",
            Self::Keys => "keys that Paseo hands out",
            Self::Continuing => "continuing after restarts and crashes",
            Self::Stopping => "stopping and interrupting",
            Self::Steering => "steering a running turn",
            Self::Background => "work in the background, turns of its own",
            Self::Tools => "Paseo's tools, by MCP",
            Self::Skills => "Paseo's tools, as skills",
            Self::Permissions => "permission modes, requests and rules",
            Self::Withholding => "withheld powers",
            Self::Guard => "guard: only files of its task",
            Self::Failures => "failures of the model server",
            Self::Retries => "attempts that break off",
            Self::Limits => "rate limits: parked until they end",
            Self::Terminal => "works in a terminal",
            Self::GuardedTerminal => "guard in a terminal",
        }
    }
}

/// What a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Cell(Program, Feature),
    /// Not one real harness: a fake, several at once, or the tests themselves.
    General,
}

/// What came of one test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    pub passed: bool,
    /// Why it was cut short, when its harness lacks what it needs.
    pub lacks: Option<String>,
}

/// What came of all tests, by name.
pub type Outcomes = BTreeMap<String, Outcome>;

/// Notes that the running test was cut short, when a table is made.
pub fn note(reason: &str) {
    let Some(path) = std::env::var_os(NOTES_VARIABLE) else { return };
    let thread = std::thread::current();
    let test = thread.name().expect("a test has a name");
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file for notes");
    // In one piece: other tests write too.
    file.write_all(format!("{test}\t{reason}\n").as_bytes()).expect("a note");
}
