//! What can be typed. Only definitions: what it means is decided in `settings` and `commands`.

mod agent;
mod agents;
mod call;
mod converse;
mod daemon;
mod explain;
mod list;
mod permit;
mod provider;
mod search;
mod talk;
mod team;
mod thread;
mod tool;
mod web;
mod worker;
mod worktree;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use agent::{
    HandlesArgs, InspectArgs, LabelArgs, LogsArgs, ReadArgs, RemoveArgs, RenameArgs, Since, WaitArgs,
};
pub(crate) use agents::{AgentsCommand, EditArgs, Place as AgentsPlace, TrustArgs};
pub(crate) use call::ToolArgs;
pub(crate) use converse::{AgentWords, AskArgs, PinArgs, SwitchArgs, TellArgs};
pub(crate) use daemon::{
    DaemonCommand, DaemonLogsArgs, SettingsCommand, StatusArgs, Switch, TokenCommand, UpArgs,
};
pub(crate) use explain::{CauseArgs, QueueArgs, TraceArgs, WhyArgs};
pub(crate) use list::ListArgs;
pub(crate) use permit::{PermitArgs, PermitCommand};
pub(crate) use provider::{ProvidersArgs, ProvidersCommand};
pub(crate) use search::{SearchArgs, When};
pub(crate) use talk::{AttachArgs, RunArgs, SendArgs};
pub(crate) use team::{CanWriteArgs, EndArgs, Epoch, OneTask, TaskCommand, TaskCreateArgs, TeamCommand};
pub(crate) use thread::{InviteArgs, OneThread, PostArgs, SeatsArgs, TailArgs, ThreadCommand, ToggleArgs};
pub(crate) use tool::{CompletionsArgs, DemoArgs, DoctorArgs, ManArgs};
pub(crate) use web::{DevicesCommand, OpenArgs};
pub(crate) use worker::{WorkerCommand, WorkerStartArgs};
pub(crate) use worktree::WorktreeCommand;

/// Shown under `paseo --help`; `docs/exit-codes.md` says more.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
    0  ok
    1  the agent failed, was interrupted or has nothing to say
    2  the command makes no sense as typed
    3  no such agent, or several
    4  the agent waits for a permission
    5  the time was up; the agent goes on
    6  refused in the present state
    7  the daemon cannot be reached
  130  ctrl-C; the agent goes on

Examples:
  paseo run \"Fix the failing tests\"         an answer on stdout, progress on stderr
  paseo run -d --ui \"Write the changelog\"   in the background, visible in the web app
  paseo ls                                  what runs here
  paseo attach 3f2a                         talk with one of them
  paseo send 3f2a \"Also the docs\"           after the running turn";

/// Runs and coordinates coding agents.
#[derive(Debug, Parser)]
#[command(name = "paseo", version, after_help = EXIT_CODES)]
#[command(max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Where everything is kept [env: PASEO_HOME] [default: ~/.paseo]
    #[arg(long, global = true, value_name = "DIR", display_order = 900)]
    pub(crate) home: Option<PathBuf>,
    /// Do not start the daemon when it is not running [env: PASEO_NO_START]
    #[arg(long, global = true, display_order = 901)]
    pub(crate) no_start: bool,
    /// Say more on stderr
    #[arg(short, long, global = true, display_order = 902)]
    pub(crate) verbose: bool,
}

/// How much is printed, and how.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Output {
    /// Print JSON
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,
    /// Print only what a script needs
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Box<RunArgs>),
    #[command(visible_alias = "list")]
    Ls(ListArgs),
    Send(SendArgs),
    Ask(AskArgs),
    Tell(TellArgs),
    Switch(SwitchArgs),
    Attach(AttachArgs),
    Read(ReadArgs),
    Logs(LogsArgs),
    Search(Box<SearchArgs>),
    Inspect(InspectArgs),
    Why(WhyArgs),
    Queue(QueueArgs),
    Trace(TraceArgs),
    Cause(CauseArgs),
    Wait(WaitArgs),
    /// Stop what an agent is doing; its queue is kept until you write to it
    Stop(HandlesArgs),
    /// Close agents; they keep their transcripts
    Close(HandlesArgs),
    /// Open closed agents again
    Reopen(HandlesArgs),
    /// Delete transcripts and start with a fresh context
    Clear(HandlesArgs),
    Rm(RemoveArgs),
    Rename(RenameArgs),
    Label(LabelArgs),
    Pin(PinArgs),
    /// Answer agents that ask for permission
    #[command(subcommand)]
    Permit(PermitCommand),
    Tool(ToolArgs),
    Providers(ProvidersArgs),
    /// List, check and trust the definitions that agents follow
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Hold conversations of several participants, people and agents
    #[command(subcommand)]
    Thread(ThreadCommand),
    /// Let agents share tasks
    #[command(subcommand)]
    Team(TeamCommand),
    /// Plan, take and finish the tasks of a team
    #[command(subcommand)]
    Task(TaskCommand),
    CanWrite(CanWriteArgs),
    /// Start, watch and take over workers: agents of a team in terminals
    #[command(subcommand)]
    Worker(WorkerCommand),
    /// List and remove the worktrees of agents
    #[command(subcommand)]
    Worktree(WorktreeCommand),
    Open(OpenArgs),
    /// List and log out browsers
    #[command(subcommand)]
    Devices(DevicesCommand),
    /// Show and switch settings
    #[command(subcommand)]
    Settings(SettingsCommand),
    /// Make, list and revoke tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Start the daemon if it is not running, say where it is, and print a link into the web app
    Up(UpArgs),
    /// Stop the daemon
    Down(UpArgs),
    /// Stop the daemon and start it again
    Restart(UpArgs),
    Status(StatusArgs),
    /// Run the daemon in the foreground, or read its log
    #[command(subcommand)]
    Daemon(DaemonCommand),
    Doctor(DoctorArgs),
    Demo(DemoArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definitions_hold_together() {
        Cli::command().debug_assert();
    }
}
