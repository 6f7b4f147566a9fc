//! Measures what the design promises, each bar against a yardstick of the same run. `make bench` runs it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods
)] // Nothing here ships.

mod conversation;
mod daemon;
mod fixture;
mod http;
mod machine;
mod report;
mod rows;
mod soak;
mod statistics;
mod web;

use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::machine::Machine;
use crate::report::Row;

const USAGE: &str =
    "usage: paseo-bench [--rows NAME,NAME] [--results FILE] [--without-web] [--soak MINUTES] [PASEO]";

/// What is measured, and where things are.
pub(crate) struct Options {
    /// The release binary.
    pub(crate) binary: PathBuf,
    /// Where what takes long to make is kept.
    pub(crate) cache: PathBuf,
    /// The web app.
    pub(crate) ui: PathBuf,
    rows: Vec<String>,
    /// How long to soak, instead of measuring rows.
    pub(crate) soak: Option<Duration>,
    results: Option<PathBuf>,
    /// Leave out what needs a browser.
    pub(crate) without_web: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, socket] = arguments.as_slice()
        && role == "--bare-fan-out"
    {
        rows::fan_out::serve(socket.as_ref());
        return ExitCode::SUCCESS;
    }
    match options(arguments) {
        Ok(options) => run(&options),
        Err(reason) => {
            eprintln!("{reason}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn options(arguments: Vec<String>) -> Result<Options, String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut options = Options {
        binary: target.join("release/paseo"),
        cache: target.join("bench"),
        ui: root.join("ui"),
        rows: Vec::new(),
        soak: None,
        results: None,
        without_web: false,
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--rows" => {
                options.rows =
                    value()?.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            }
            "--soak" => options.soak = Some(minutes(&value()?)?),
            "--without-web" => options.without_web = true,
            "--results" => options.results = Some(value()?.into()),
            path if !path.starts_with('-') => options.binary = path.into(),
            _ => return Err(format!("there is no option {argument}")),
        }
    }
    let names: Vec<&str> = subjects(&options).iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = options.rows.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(format!("there is no row {unknown}; there are {}", names.join(", ")));
    }
    let named = options.binary.display().to_string();
    options.binary = options.binary.canonicalize().map_err(|error| format!("{named}: {error}"))?;
    Ok(options)
}

fn minutes(word: &str) -> Result<Duration, String> {
    let minutes: f64 = word.parse().map_err(|_| format!("{word} is no number of minutes"))?;
    // Below that, what is new to the daemon and to the browsers would count as growth.
    if !(1.0..=1440.0).contains(&minutes) {
        return Err(format!("cannot soak for {word} minutes; it takes 1 to 1440"));
    }
    Ok(Duration::from_secs_f64(minutes * 60.0))
}

fn subjects(options: &Options) -> &'static [rows::Subject] {
    if options.soak.is_some() { soak::ALL } else { rows::ALL }
}

fn run(options: &Options) -> ExitCode {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let machine = Machine::look(directory.path());
    let wanted = |name: &str| options.rows.is_empty() || options.rows.iter().any(|row| row == name);
    let mut rows: Vec<Row> = Vec::new();
    for (name, measure) in subjects(options).iter().filter(|(name, _)| wanted(name)) {
        eprintln!("measuring {name}");
        match panic::catch_unwind(|| measure(options)) {
            Ok(measured) => rows.extend(measured),
            Err(_) => rows.push(Row::broken(name, "could not be measured, see above")),
        }
    }
    let table = report::table(&rows);
    println!("{table}");
    if let Some(results) = &options.results {
        std::fs::write(results, report::page(&machine.list(), &table)).expect("a file of results");
    }
    if rows.iter().any(Row::failed) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
