//! What only Paseo itself starts: the shim above a harness, and the scripted agent.

use std::ffi::OsString;
use std::process::ExitCode;

use paseo_runtime::shim;

/// Runs the hidden command that was asked for, if one was.
pub fn dispatch() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next()?;
    if command == "shim" {
        return Some(shim(arguments.collect()));
    }
    if command == "scripted-agent" {
        return Some(paseo_runtime::scripted::agent::run());
    }
    None
}

/// Runs `shim -- program arguments…`.
fn shim(arguments: Vec<OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter().skip_while(|argument| argument == "--");
    match arguments.next() {
        Some(program) => shim::run(shim::Arguments { program, arguments: arguments.collect() }),
        None => ExitCode::from(paseo_wire::error::Exit::Usage as u8),
    }
}
