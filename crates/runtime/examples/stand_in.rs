//! Stands in for the `paseo` binary in this crate's tests: it has its two hidden subcommands, and two
//! that play a daemon which can be killed.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use paseo_runtime::orphans;
use paseo_runtime::process::{self, Program};
use paseo_runtime::scripted::agent;
use paseo_runtime::shim;
use paseo_runtime::sweep::{Sweep, marked, sweep};
use paseo_runtime::terminal::{socket, tmux::Tmux};

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let subcommand = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    match subcommand.to_str() {
        Some("shim") => shim::Arguments::read(words.into_iter()).map_or(ExitCode::FAILURE, shim::run),
        Some("scripted-agent") => {
            agent::Arguments::read(words.into_iter()).map_or(ExitCode::FAILURE, agent::run)
        }
        Some("daemon") => shim::Arguments::read(words.into_iter()).map_or(ExitCode::FAILURE, play_daemon),
        Some("terminals") => {
            shim::Arguments::read(words.into_iter()).map_or(ExitCode::FAILURE, play_terminals)
        }
        _ => ExitCode::FAILURE,
    }
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

/// Starts a program in a terminal, ends what a daemon takes for orphans, says how many those were, and waits to be
/// killed.
fn play_terminals(arguments: shim::Arguments) -> ExitCode {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    let (Ok(executable), Ok(home)) = (std::env::current_exe(), std::env::current_dir()) else {
        return ExitCode::FAILURE;
    };
    let Some(session) = std::env::var("TEST_SESSION").ok().and_then(|text| text.parse().ok()) else {
        return ExitCode::FAILURE;
    };
    let program = Program {
        shim: executable.clone(),
        program: arguments.program,
        arguments: arguments.arguments,
        directory: home.clone(),
        session,
        environment: vec![("PASEO_HOME".to_owned(), home.display().to_string())],
        removed: Vec::new(),
    };
    runtime.block_on(async {
        let tmux = Tmux::at(&socket(&home));
        if orphans::adopt().is_err() || tmux.start("w-1", &program).await.is_err() {
            return ExitCode::FAILURE;
        }
        let alive: Vec<_> = marked(&home).into_iter().collect();
        let ended = sweep(&home, Sweep::AllBut(&alive)) + orphans::end_all(&executable);
        if writeln!(std::io::stdout(), "{} spared, {ended} ended", alive.len()).is_err() {
            return ExitCode::FAILURE;
        }
        std::future::pending().await
    })
}
