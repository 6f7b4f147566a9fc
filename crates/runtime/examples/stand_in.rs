//! Stands in for the `paseo` binary in this crate's tests: it has its two hidden subcommands, and one
//! that plays a daemon which can be killed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use paseo_runtime::process::{self, Program};
use paseo_runtime::scripted::agent;
use paseo_runtime::shim;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let subcommand = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    match subcommand.to_str() {
        Some("shim") => shim_arguments(words).map_or(ExitCode::FAILURE, shim::run),
        Some("scripted-agent") => agent_arguments(&words).map_or(ExitCode::FAILURE, agent::run),
        Some("daemon") => shim_arguments(words).map_or(ExitCode::FAILURE, play_daemon),
        _ => ExitCode::FAILURE,
    }
}

/// Parses `-- program arguments…`.
fn shim_arguments(words: Vec<OsString>) -> Option<shim::Arguments> {
    let mut words = words.into_iter().skip_while(|word| word == "--");
    Some(shim::Arguments { program: words.next()?, arguments: words.collect() })
}

/// Parses `--session ID --turns N [--script PATH]`.
fn agent_arguments(words: &[OsString]) -> Option<agent::Arguments> {
    let value = |flag| words.chunks(2).find(|pair| pair[0] == flag)?.get(1);
    Some(agent::Arguments {
        session: value("--session")?.to_str()?.parse().ok()?,
        turns: value("--turns")?.to_str()?.parse().ok()?,
        script: value("--script").map(PathBuf::from),
    })
}

/// Runs a program under the shim until someone kills this process.
fn play_daemon(arguments: shim::Arguments) -> ExitCode {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    runtime.block_on(async {
        let (Ok(shim), Ok(directory)) = (std::env::current_exe(), std::env::current_dir()) else {
            return ExitCode::FAILURE;
        };
        let Some(session) = std::env::var("TEST_SESSION").ok().and_then(|text| text.parse().ok()) else {
            return ExitCode::FAILURE;
        };
        let program = Program {
            shim,
            program: arguments.program,
            arguments: arguments.arguments,
            directory,
            session,
            environment: Vec::new(),
            removed: Vec::new(),
        };
        match process::start(program) {
            Ok(process) => {
                process.output.finish().await;
                ExitCode::SUCCESS
            }
            Err(_) => ExitCode::FAILURE,
        }
    })
}
