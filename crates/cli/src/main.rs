//! `paseo`: the daemon and its command line in one binary.

mod args;
mod asks;
mod attachments;
mod autostart;
mod browser;
mod commands;
mod consent;
mod context;
mod demo;
#[cfg(test)]
mod docs;
mod doctor;
mod duration;
mod editor;
mod environment;
mod failure;
mod filling;
mod growth;
mod harnesses;
mod hidden;
mod home;
mod leave;
mod misread;
mod outcome;
mod output_schema;
mod people;
mod printer;
mod process;
mod progress;
mod prompt;
mod settings;
mod short;
mod signs;
mod terminal;
mod text_editor;
mod transcript;

use std::ffi::OsString;
use std::process::ExitCode;

use paseo_wire::error::Exit;
use tikv_jemallocator::Jemalloc;

use crate::args::{AgentsCommand, Cli, Command, DaemonCommand};
use crate::context::Context;
use crate::environment::Variable;
use crate::failure::{Failure, need_files};
use crate::misread::misread;
use crate::printer::Printer;
use crate::settings::Settings;

/// Gives memory back some seconds after it is no longer needed. The system's allocator keeps what a thousand readers of
/// a stream held; another one that gives it back takes more to begin with.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    // Every agent goes through here: no parser, no settings, no output of our own.
    if let Some(code) = hidden::dispatch() {
        return code;
    }
    let json = wants_json(std::env::args_os().skip(1));
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) if json && error.use_stderr() => {
            let failure = misread(&error, std::env::args_os().skip(1));
            Printer::new(false).json_if(true).failure(&failure);
            return ExitCode::from(Exit::Usage as u8);
        }
        Err(error) if error.use_stderr() => {
            Printer::new(false).misread(&error);
            return ExitCode::from(Exit::Usage as u8);
        }
        Err(error) => error.exit(),
    };
    // There it is what the tool gets.
    let json = json && !matches!(cli.command, Command::Tool(_));
    let printer = Printer::new(cli.global.verbose);
    let exit = run(cli, printer).unwrap_or_else(|failure| {
        printer.json_if(json).failure(&failure);
        failure.exit
    });
    ExitCode::from(exit as u8)
}

/// Says whether the command was typed with `--json`. Asked before parsing, which may fail as well.
fn wants_json(words: impl Iterator<Item = OsString>) -> bool {
    words.take_while(|word| word != "--").any(|word| word == "--json")
}

/// Tells what is wrong with `config.toml`, and stops there if the command cannot do without it.
fn look_at_config(settings: &Settings, command: &Command, printer: Printer) -> Result<(), Failure> {
    let Some(problem) = &settings.problem else { return Ok(()) };
    match command {
        Command::Restart(_) | Command::Daemon(DaemonCommand::Run { .. }) => return Err(problem.clone()),
        // It reports it among the rest.
        Command::Doctor(_) | Command::Agents(AgentsCommand::Check { .. }) => {}
        // What the daemon read when it started counts. Whatever starts it now fails with the same words.
        _ if autostart::is_running(settings) => printer.warn(&problem.message, problem.hint.as_deref()),
        Command::Status(_) | Command::Down(_) | Command::Daemon(_) => {
            printer.warn(&problem.message, problem.hint.as_deref());
        }
        _ => {}
    }
    Ok(())
}

fn run(cli: Cli, printer: Printer) -> Result<Exit, Failure> {
    need_files()?;
    let settings = Settings::resolve(&cli.global, Variable::value)?;
    look_at_config(&settings, &cli.command, printer)?;
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
