//! What can be typed. Only definitions: what it means is decided in `settings` and `commands`.

mod agent;
mod agents;
mod call;
mod converse;
mod daemon;
mod explain;
mod files;
mod groups;
mod list;
mod past;
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

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ErrorKind};
use clap::{Args, FromArgMatches, Parser, Subcommand};
use paseo_core::label::{Label, Malformed};

pub(crate) use agent::{
    HandlesArgs, InboxArgs, InspectArgs, LabelArgs, LogsArgs, ReadArgs, RemoveArgs, RenameArgs, SetArgs,
    Since, WaitArgs,
};
pub(crate) use agents::{AgentsCommand, EditArgs, Place as AgentsPlace, TrustArgs};
pub(crate) use call::ToolArgs;
pub(crate) use converse::{AgentWords, AskArgs, NotifyArgs, PinArgs, SwitchArgs, TellArgs};
pub(crate) use daemon::{
    DaemonCommand, DaemonLogsArgs, SettingsArgs, SettingsCommand, StatusArgs, Switch, TokenCommand, UpArgs,
};
pub(crate) use explain::{CauseArgs, MapArgs, QueueArgs, TraceArgs, WhyArgs};
pub(crate) use files::{FilesArgs, ProjectsArgs, UsageArgs};
pub(crate) use groups::command;
pub(crate) use list::ListArgs;
pub(crate) use past::{At, PastArgs};
pub(crate) use permit::{PermitArgs, PermitCommand};
pub(crate) use provider::{ProvidersArgs, ProvidersCommand};
pub(crate) use search::{SearchArgs, When};
pub(crate) use talk::{AttachArgs, RunArgs, SendArgs};
pub(crate) use team::{
    CanWriteArgs, EndArgs, Epoch, OneTask, TaskCommand, TaskCreateArgs, TaskEditArgs, TeamCommand,
};
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
    4  the agent is waiting for permission
    5  timed out; the agent keeps working
    6  not possible in the current state
    7  the daemon is unreachable
  130  interrupted with ctrl-C; the agent keeps working

Words:
  handle      the short id of an agent that `paseo ls` shows, such as 3f2a
  definition  a file that configures an agent, see `paseo agents ls`
  turn        an agent's work on one message
  held        (a message) kept until you release it or write to the agent

Examples:
  paseo run \"Fix the failing tests\"         start an agent, print its answer
  paseo run -d --ui \"Write the changelog\"   start one in the background
  paseo ls --ui                             list the agents that the web app shows
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
        let typed = helped(std::env::args_os());
        let matches = command.try_get_matches_from_mut(typed).map_err(unmisleading)?;
        Self::from_arg_matches(&matches).map_err(|error| unmisleading(error.format(&mut command)))
    }
}

/// Leaves out `--help` after `help`, which is help already: the parser would take it for the name of a command.
fn helped(typed: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut is_help = false;
    typed.enumerate().filter_map(move |(index, word)| {
        is_help |= index == 1 && word == "help";
        (!is_help || (word != "--help" && word != "-h")).then_some(word)
    })
}

/// Leaves out what the parser suggests and what would fail as well: a usage line with the options that exclude each
/// other, and a `--` before an option that is not known.
fn unmisleading(mut error: clap::Error) -> clap::Error {
    match error.kind() {
        ErrorKind::ArgumentConflict => drop(error.remove(ContextKind::Usage)),
        ErrorKind::UnknownArgument if error.get(ContextKind::SuggestedArg).is_none() => {
            drop(error.remove(ContextKind::Suggested));
        }
        _ => {}
    }
    error
}

/// Flags of every command.
#[derive(Debug, Clone, Default, Args)]
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
    text.parse().map_err(|_| "expected a whole number, for example 50".to_owned())
}

/// Reads a label. clap itself quotes what was typed and says that it is invalid.
fn label(text: &str) -> Result<Label, String> {
    text.parse::<Label>().map_err(|malformed| match malformed {
        Malformed::Shape(_) => "expected key=value, for example env=ci".to_owned(),
        other => other.to_string(),
    })
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
    Files(FilesArgs),
    Inbox(InboxArgs),
    Inspect(InspectArgs),
    Why(WhyArgs),
    Queue(QueueArgs),
    Trace(TraceArgs),
    Cause(CauseArgs),
    Map(MapArgs),
    Wait(WaitArgs),
    /// Stop the current turn; queued messages are held
    Stop(HandlesArgs),
    /// Hide agents from the inbox until something new happens
    Archive(HandlesArgs),
    /// Close agents and keep their transcripts
    Close(HandlesArgs),
    /// Reopen closed agents
    Reopen(HandlesArgs),
    /// Promote subagents to independent agents, shown in the web app
    Promote(HandlesArgs),
    /// Delete the transcript and start with an empty context
    Clear(HandlesArgs),
    Rm(RemoveArgs),
    Rename(RenameArgs),
    Set(SetArgs),
    Label(LabelArgs),
    Pin(PinArgs),
    Notify(NotifyArgs),
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
    /// Manage teams: agents that share tasks
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
    Projects(ProjectsArgs),
    Usage(UsageArgs),
    Open(OpenArgs),
    /// List logged-in browsers and log them out
    #[command(subcommand)]
    Devices(DevicesCommand),
    /// Show and change settings
    Settings(SettingsArgs),
    /// Create, list and revoke API tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Start the daemon; print its status and a link to the web app
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

    #[test]
    fn help_of_help_is_help() {
        let read = |typed: &[&str]| -> Vec<OsString> { helped(typed.iter().map(OsString::from)).collect() };
        assert_eq!(read(&["paseo", "help", "--help"]), ["paseo", "help"]);
        assert_eq!(read(&["paseo", "help", "run", "-h"]), ["paseo", "help", "run"]);
        for typed in [&["paseo", "--help"][..], &["paseo", "run", "--help"], &["paseo", "run", "help", "-h"]]
        {
            assert_eq!(read(typed), typed);
        }
    }
}
