//! One file per command.

mod act;
mod agents;
mod ask;
mod attach;
mod cause;
mod completions;
pub(crate) mod daemon;
mod devices;
mod doctor;
mod files;
mod inbox;
mod inspect;
mod label;
mod logs;
pub(crate) mod ls;
mod man;
mod map;
mod notify;
mod open;
mod past;
mod permit;
mod pin;
mod projects;
mod providers;
mod queue;
pub(crate) mod read;
mod rename;
mod run;
mod search;
mod send;
mod set;
mod settings;
mod status;
mod switch;
mod task;
mod team;
mod thread;
mod token;
mod tool;
mod trace;
pub(crate) mod up;
mod usage;
pub(crate) mod wait;
mod watched;
pub(crate) mod why;
mod worker;
mod worktree;

use paseo_wire::error::Exit;

use crate::args::{Command, DaemonCommand};
use crate::context::Context;
use crate::demo;
use crate::failure::Failure;

/// Runs a command and returns its exit code.
pub(crate) async fn dispatch(context: &Context, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => run::run(context, *args).await,
        Command::Ls(args) => ls::run(context, args).await,
        Command::Send(args) => send::run(context, args).await,
        Command::Ask(args) => ask::ask(context, args).await,
        Command::Tell(args) => ask::tell(context, args).await,
        Command::Switch(args) => switch::run(context, args).await,
        Command::Attach(args) => attach::run(context, args).await,
        Command::Read(args) => read::run(context, args).await,
        Command::Logs(args) => logs::run(context, args).await,
        Command::Search(args) => search::run(context, *args).await,
        Command::Files(args) => files::run(context, args).await,
        Command::Inbox(args) => inbox::run(context, args).await,
        Command::Inspect(args) => inspect::run(context, args).await,
        Command::Why(args) => why::run(context, args).await,
        Command::Queue(args) => queue::run(context, args).await,
        Command::Trace(args) => trace::run(context, args).await,
        Command::Cause(args) => cause::run(context, args).await,
        Command::Map(args) => map::run(context, args).await,
        Command::Wait(args) => wait::run(context, args).await,
        Command::Stop(args) => act::run(context, act::Verb::Stop, &args.handles, args.output).await,
        Command::Archive(args) => act::run(context, act::Verb::Archive, &args.handles, args.output).await,
        Command::Close(args) => act::run(context, act::Verb::Close, &args.handles, args.output).await,
        Command::Promote(args) => act::run(context, act::Verb::Promote, &args.handles, args.output).await,
        Command::Reopen(args) => act::run(context, act::Verb::Reopen, &args.handles, args.output).await,
        Command::Clear(args) => act::run(context, act::Verb::Clear, &args.handles, args.output).await,
        Command::Rm(args) => {
            let verb = if args.force { act::Verb::RemoveByForce } else { act::Verb::Remove };
            act::run(context, verb, &args.handles, args.output).await
        }
        Command::Rename(args) => rename::run(context, args).await,
        Command::Set(args) => set::run(context, args).await,
        Command::Label(args) => label::run(context, args).await,
        Command::Notify(args) => notify::run(context, args).await,
        Command::Pin(args) => pin::run(context, args).await,
        Command::Permit(command) => permit::run(context, command).await,
        Command::Tool(args) => tool::run(context, args).await,
        Command::Agents(command) => agents::run(context, command).await,
        Command::Providers(args) => providers::run(context, args).await,
        Command::Thread(command) => thread::run(context, command).await,
        Command::Team(command) => team::run(context, command).await,
        Command::Task(command) => task::run(context, command).await,
        Command::CanWrite(args) => task::can_write(context, args).await,
        Command::Worker(command) => worker::run(context, command).await,
        Command::Worktree(command) => worktree::run(context, command).await,
        Command::Projects(args) => projects::run(context, args).await,
        Command::Usage(args) => usage::run(context, args).await,
        Command::Open(args) => open::run(context, args).await,
        Command::Devices(command) => devices::run(context, command).await,
        Command::Settings(command) => settings::run(context, command).await,
        Command::Token(command) => token::run(context, command).await,
        Command::Up(args) => up::up(context, args.output).await,
        Command::Down(args) => up::down(context, args.output).await,
        Command::Restart(args) => up::restart(context, args.output).await,
        Command::Status(args) => status::run(context, args).await,
        Command::Daemon(DaemonCommand::Logs(args)) => daemon::logs(context, &args).await,
        Command::Daemon(DaemonCommand::Run { detached }) => daemon::run(&context.settings, detached),
        Command::Doctor(args) => doctor::run(context, args).await,
        Command::Demo(args) => demo::run(context, args).await,
        Command::Completions(args) => completions::run(context, &args),
        Command::Man(args) => man::run(context, &args),
    }
}

/// Returns the worse of two exit codes: any failure is worse than none, the higher one stands.
fn worse(one: Exit, other: Exit) -> Exit {
    if (one as u8) < (other as u8) { other } else { one }
}
