//! Starting agents and writing to them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use paseo_core::label::Label;

use super::{Output, Since};
use crate::duration;

/// Start an agent and wait for its answer
///
/// Prints the answer on stdout and progress on stderr. The agent runs in the daemon: it keeps working when you
/// interrupt this command or --timeout expires.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo run \"Fix the failing tests\"
  paseo run --label env=ci --label team=infra \"Fix the failing tests\"
  paseo run --agent reviewer \"Look at the last commit\"
  paseo run --permissions ask \"Clean up the branches\"
  paseo run --attach shot.png \"Why does the page look like this?\"
  paseo run --output-schema release.json \"Which version is this, and when was it released?\"
  paseo run --worktree=spike \"Try the new parser\"
  git diff | paseo run --timeout 5m -
  agent=$(paseo run -d --prompt-file task.md) && paseo wait \"$agent\" && paseo read \"$agent\"")]
pub(crate) struct RunArgs {
    /// The task; `-` reads it from stdin
    #[arg(required_unless_present = "prompt_file", conflicts_with = "prompt_file")]
    pub(crate) prompt: Option<OsString>,
    /// Taken only to say what was meant.
    #[arg(hide = true)]
    pub(crate) extra: Vec<OsString>,
    /// Read the prompt from a file
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt_file: Option<PathBuf>,
    /// Attach a file: an image, a PDF document or a text file (repeatable)
    #[arg(long = "attach", value_name = "FILE")]
    pub(crate) attachments: Vec<PathBuf>,
    /// Require an answer that satisfies this JSON Schema; the agent gets at most two chances to correct its answer
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,
    /// Add a label (repeatable)
    #[arg(short, long = "label", value_name = "KEY=VALUE", value_parser = super::label)]
    pub(crate) labels: Vec<Label>,
    /// Show the agent in the web app; short for --label ui=true
    #[arg(long)]
    pub(crate) ui: bool,
    /// Name of the agent
    #[arg(long, value_name = "NAME", visible_alias = "name")]
    pub(crate) title: Option<String>,
    /// Agent definition to use, see `paseo agents ls`; other options override it
    #[arg(long, value_name = "SLUG")]
    pub(crate) agent: Option<String>,
    /// Provider, see `paseo providers` [env: PASEO_PROVIDER] [default: from the definition, else the default provider]
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Model, as the provider names it
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Reasoning effort, as the provider names it
    #[arg(long, value_name = "WORD")]
    pub(crate) effort: Option<String>,
    /// Permission mode: do everything (full), ask before writes and commands (ask), or only read (read-only) [default: from the
    /// definition, else full]
    #[arg(long, value_name = "MODE", value_parser = ["full", "ask", "read-only"])]
    pub(crate) permissions: Option<String>,
    /// Working directory [default: from the definition, else the current directory]
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Create a git worktree for the agent; implied by --ui
    ///
    /// The worktree is called after the repository and NAME, for example myapp-spike. The default NAME is the first 8
    /// characters of the agent's id.
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) worktree: Option<String>,
    /// Start the worktree's branch at this branch, tag or commit [default: HEAD]
    #[arg(long, value_name = "COMMIT", conflicts_with = "no_worktree")]
    pub(crate) base: Option<String>,
    /// Work in the directory itself, even with --ui
    #[arg(long, conflicts_with = "worktree")]
    pub(crate) no_worktree: bool,
    /// Add the agent to a team; it shares the team's tasks and threads
    #[arg(long, value_name = "ID")]
    pub(crate) team: Option<String>,
    /// Member id in the team [default: derived from the definition or provider]
    #[arg(long, value_name = "ID")]
    pub(crate) member: Option<String>,
    /// With `lease`, the agent may write only to files of a task that it has claimed; requires --team
    #[arg(long, value_name = "GUARD", value_parser = ["lease"])]
    pub(crate) guard: Option<String>,
    /// Set by `paseo team leader`.
    #[arg(skip)]
    pub(crate) leads: bool,
    /// Print the agent's handle and don't wait for the answer
    ///
    /// The handle is the short id that `paseo ls` shows, such as 3f2a.
    #[arg(short, long, conflicts_with = "timeout")]
    pub(crate) detach: bool,
    /// How long to wait for the answer, for example 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Print the answer as is, without rendering Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Send a message to an agent
///
/// A busy agent reads the message after its current turn. A closed agent is reopened. With --wait, prints the answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo send 3f2a \"Also update the docs\"
  paseo send 3f2a --attach before.png --attach after.png \"Find the difference\"
  paseo send 3f2a --interrupt \"Stop, wrong branch\"
  git diff | paseo send 3f2a --wait -")]
pub(crate) struct SendArgs {
    /// Handle of the agent: the short id that `paseo ls` shows, such as 3f2a
    pub(crate) handle: String,
    /// The message; `-` reads it from stdin
    pub(crate) message: OsString,
    /// Taken only to say what was meant.
    #[arg(hide = true)]
    pub(crate) extra: Vec<OsString>,
    /// Attach a file: an image, a PDF document or a text file (repeatable)
    #[arg(long = "attach", value_name = "FILE")]
    pub(crate) attachments: Vec<PathBuf>,
    /// Require an answer that satisfies this JSON Schema; the agent gets at most two chances to correct its answer
    #[arg(long, value_name = "FILE", conflicts_with = "steer")]
    pub(crate) output_schema: Option<PathBuf>,
    /// Add the message to the current turn
    #[arg(long, conflicts_with = "interrupt")]
    pub(crate) steer: bool,
    /// Interrupt the current turn and start with this message
    #[arg(long)]
    pub(crate) interrupt: bool,
    /// Wait for the answer
    #[arg(short, long)]
    pub(crate) wait: bool,
    /// How long to wait for the answer, for example 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, requires = "wait")]
    pub(crate) timeout: Option<Duration>,
    /// Idempotency key: repeating the command with it sends the message only once
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// Print the answer as is, without rendering Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Chat with an agent: prints the transcript, then follows it
///
/// Each line you type is a message, read after the current turn. Start a line with `!` to interrupt the turn. /stop
/// stops the turn, /allow and /deny answer permission requests, /help lists all commands. Ctrl-D detaches; the agent
/// keeps working.
///
/// When stdin is a pipe, each line is a message. At the end of input, the command waits for the answers and exits with
/// the exit code of the last turn.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo attach 3f2a
  paseo attach 3f2a --since 1h
  paseo attach --agent journal
  printf 'run the tests\\n/allow\\n' | paseo attach 3f2a")]
pub(crate) struct AttachArgs {
    /// Handle of the agent: the short id that `paseo ls` shows, such as 3f2a
    #[arg(required_unless_present = "agent")]
    pub(crate) handle: Option<String>,
    /// Attach to the newest agent in this directory with this definition
    #[arg(long, value_name = "SLUG", conflicts_with = "handle")]
    pub(crate) agent: Option<String>,
    /// Print the transcript from this entry (12), age (10m) or time (2026-01-31T12:00:00Z)
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Since>,
    /// Print texts as they are, without rendering Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}
