//! Measures what the design promises, each bar against a yardstick of the same run. `make bench` runs it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods
)] // Nothing here ships.

mod daemon;
mod fixture;
mod http;
mod machine;
mod report;
mod rows;
mod statistics;

use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::machine::Machine;
use crate::report::Row;

const USAGE: &str = "usage: paseo-bench [--rows NAME,NAME] [--results FILE] [PASEO]";

/// What is measured, and where things are.
pub(crate) struct Options {
    /// The release binary.
    pub(crate) binary: PathBuf,
    /// Where what takes long to make is kept.
    pub(crate) cache: PathBuf,
    /// The web app, when it is built.
    pub(crate) ui: PathBuf,
    rows: Vec<String>,
    results: Option<PathBuf>,
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
        ui: root.join("ui/dist"),
        rows: Vec::new(),
        results: None,
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--rows" => {
                options.rows =
                    value()?.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            }
            "--results" => options.results = Some(value()?.into()),
            path if !path.starts_with('-') => options.binary = path.into(),
            _ => return Err(format!("there is no option {argument}")),
        }
    }
    let names: Vec<&str> = rows::ALL.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = options.rows.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(format!("there is no row {unknown}; there are {}", names.join(", ")));
    }
    let named = options.binary.display().to_string();
    options.binary = options.binary.canonicalize().map_err(|error| format!("{named}: {error}"))?;
    Ok(options)
}

fn run(options: &Options) -> ExitCode {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let machine = Machine::look(directory.path());
    let wanted = |name: &str| options.rows.is_empty() || options.rows.iter().any(|row| row == name);
    let mut rows: Vec<Row> = Vec::new();
    for (name, measure) in rows::ALL.iter().filter(|(name, _)| wanted(name)) {
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
