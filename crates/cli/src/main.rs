//! `paseo`: the daemon and its command line in one binary.

mod args;
mod asks;
mod autostart;
mod browser;
mod commands;
mod context;
mod demo;
#[cfg(test)]
mod docs;
mod doctor;
mod duration;
mod editor;
mod environment;
mod failure;
mod hidden;
mod home;
mod outcome;
mod printer;
mod process;
mod progress;
mod prompt;
mod settings;
mod terminal;
mod transcript;

use std::process::ExitCode;

use clap::Parser;
use paseo_wire::error::Exit;

use crate::args::{Cli, Command, DaemonCommand};
use crate::context::Context;
use crate::environment::Variable;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::settings::Settings;

fn main() -> ExitCode {
    // Every agent goes through here: no parser, no settings, no output of our own.
    if let Some(code) = hidden::dispatch() {
        return code;
    }
    let cli = Cli::parse();
    let printer = Printer::new(cli.global.verbose);
    let exit = run(cli, printer).unwrap_or_else(|failure| {
        printer.failure(&failure);
        failure.exit
    });
    ExitCode::from(exit as u8)
}

fn run(cli: Cli, printer: Printer) -> Result<Exit, Failure> {
    let settings = Settings::resolve(&cli.global, Variable::value)?;
    if let Command::Daemon(DaemonCommand::Run { detached }) = cli.command {
        return commands::daemon::run(&settings, detached);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::AgentError, format!("cannot start: {error}")))?;
    let context = Context::new(settings, printer);
    let result = runtime.block_on(commands::dispatch(&context, cli.command));
    context.explain_version();
    runtime.shutdown_background();
    result
}
