//! What can be typed. Only definitions: what it means is decided in `settings` and `commands`.

mod agent;
mod agents;
mod call;
mod converse;
mod daemon;
mod explain;
mod groups;
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

use clap::{Args, FromArgMatches, Parser, Subcommand};

pub(crate) use agent::{
    HandlesArgs, InspectArgs, LabelArgs, LogsArgs, ReadArgs, RemoveArgs, RenameArgs, Since, WaitArgs,
};
pub(crate) use agents::{AgentsCommand, EditArgs, Place as AgentsPlace, TrustArgs};
pub(crate) use call::ToolArgs;
pub(crate) use converse::{AgentWords, AskArgs, PinArgs, SwitchArgs, TellArgs};
pub(crate) use daemon::{
    DaemonCommand, DaemonLogsArgs, SettingsArgs, SettingsCommand, StatusArgs, Switch, TokenCommand, UpArgs,
};
pub(crate) use explain::{CauseArgs, QueueArgs, TraceArgs, WhyArgs};
pub(crate) use groups::command;
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
    0  success
    1  the agent failed, was interrupted or has not answered yet
    2  invalid command line or configuration
    3  not found, or ambiguous
    4  the agent is waiting for a permission
    5  timed out; the agent keeps working
    6  refused in the current state
    7  the daemon is unreachable
  130  interrupted with ctrl-C; the agent keeps working

Examples:
  paseo run \"Fix the failing tests\"         start an agent, print its answer
  paseo run -d --ui \"Write the changelog\"   start one in the background
  paseo ls                                  list the agents of this directory
  paseo attach 3f2a                         chat with an agent
  paseo send 3f2a \"Also the docs\"           queue a message for it";

/// Run and coordinate coding agents
#[derive(Debug, Parser)]
#[command(name = "paseo", version, after_help = EXIT_CODES)]
#[command(max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads the command line of this process.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let mut command = command();
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Directory for all data [env: PASEO_HOME] [default: ~/.paseo]
    #[arg(long, global = true, value_name = "DIR", display_order = 900)]
    pub(crate) home: Option<PathBuf>,
    /// Fail instead of starting the daemon [env: PASEO_NO_START]
    #[arg(long, global = true, display_order = 901)]
    pub(crate) no_start: bool,
    /// Print ids and details on stderr
    #[arg(short, long, global = true, display_order = 902)]
    pub(crate) verbose: bool,
}

/// Reads a number of lines.
fn count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number of lines: expected for example 50"))
}

/// How much is printed, and how.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Output {
    /// Print JSON
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,
    /// Print only handles, ids or the bare result
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
    /// Stop the current turn; queued messages are held
    Stop(HandlesArgs),
    /// Close agents and keep their transcripts
    Close(HandlesArgs),
    /// Reopen closed agents
    Reopen(HandlesArgs),
    /// Delete the transcript and start with an empty context
    Clear(HandlesArgs),
    Rm(RemoveArgs),
    Rename(RenameArgs),
    Label(LabelArgs),
    Pin(PinArgs),
    /// List and answer permission requests
    #[command(subcommand)]
    Permit(PermitCommand),
    Tool(ToolArgs),
    Providers(ProvidersArgs),
    /// Manage agent definitions
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Manage threads: conversations between people and agents
    #[command(subcommand)]
    Thread(ThreadCommand),
    /// Manage teams: agents that share a task list
    #[command(subcommand)]
    Team(TeamCommand),
    /// Manage the tasks of a team
    #[command(subcommand)]
    Task(TaskCommand),
    CanWrite(CanWriteArgs),
    /// Manage workers: team agents in tmux terminals
    #[command(subcommand)]
    Worker(WorkerCommand),
    /// List and remove the git worktrees of agents
    #[command(subcommand)]
    Worktree(WorktreeCommand),
    Open(OpenArgs),
    /// List logged-in browsers and log them out
    #[command(subcommand)]
    Devices(DevicesCommand),
    /// Show and change settings
    Settings(SettingsArgs),
    /// Create, list and revoke API tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Start the daemon and print a link to the web app
    Up(UpArgs),
    /// Stop the daemon
    Down(UpArgs),
    /// Restart the daemon
    Restart(UpArgs),
    Status(StatusArgs),
    /// Run the daemon in the foreground, or print its log
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
