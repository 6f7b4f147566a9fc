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
/// The answer goes to stdout, progress to stderr. The agent belongs to the daemon: it goes on when this
/// command is interrupted or its time is up.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo run \"Fix the failing tests\"
  paseo run --label env=ci --label team=infra \"Fix the failing tests\"
  paseo run --agent reviewer \"Look at the last commit\"
  paseo run --permissions ask \"Clean up the branches\"
  paseo run --attach shot.png \"Why does the page look like this?\"
  paseo run --worktree=spike \"Try the new parser\"
  git diff | paseo run --timeout 5m -
  agent=$(paseo run -d --prompt-file task.md) && paseo wait \"$agent\" && paseo read \"$agent\"")]
pub(crate) struct RunArgs {
    /// What to do; `-` reads it from stdin
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
    /// Attach a label (repeatable)
    #[arg(short, long = "label", value_name = "KEY=VALUE")]
    pub(crate) labels: Vec<Label>,
    /// Show it in the web app: the same as --label ui=true, unless a label says otherwise
    #[arg(long)]
    pub(crate) ui: bool,
    /// What to call it
    #[arg(long, value_name = "NAME", visible_alias = "name")]
    pub(crate) title: Option<String>,
    /// The definition that it follows: `paseo agents ls` lists them. The other options beat what it says
    #[arg(long, value_name = "SLUG")]
    pub(crate) agent: Option<String>,
    /// Which kind of agent: `paseo providers` lists them [env: PASEO_PROVIDER] [default: the definition's, else the default one]
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Which model, as the provider calls it
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// How hard it thinks, in the provider's words
    #[arg(long, value_name = "WORD")]
    pub(crate) effort: Option<String>,
    /// What it may do by itself: everything, only reading and the rest when a person allows it, or only
    /// reading [default: what the definition says, else full]
    #[arg(long, value_name = "MODE", value_parser = ["full", "ask", "read-only"])]
    pub(crate) permissions: Option<String>,
    /// Where it works [default: where the definition says, else here]
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Work in a git worktree of its own, which can be given a name, as in --worktree=spike. With --ui this is
    /// the default
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) worktree: Option<String>,
    /// Where the worktree's branch starts: a branch, tag or commit [default: what is checked out]
    #[arg(long, value_name = "COMMIT", conflicts_with = "no_worktree")]
    pub(crate) base: Option<String>,
    /// Work in the directory itself, even with --ui
    #[arg(long, conflicts_with = "worktree")]
    pub(crate) no_worktree: bool,
    /// The team that it belongs to: it shares the team's tasks and threads
    #[arg(long, value_name = "ID")]
    pub(crate) team: Option<String>,
    /// As whom it acts in the team [default: a name after its definition or provider]
    #[arg(long, value_name = "ID")]
    pub(crate) member: Option<String>,
    /// What it is held to: with `lease` it changes nothing but what a task that it holds covers. Needs --team
    #[arg(long, value_name = "GUARD", value_parser = ["lease"])]
    pub(crate) guard: Option<String>,
    /// It leads the team: set by `paseo team leader`.
    #[arg(skip)]
    pub(crate) leads: bool,
    /// Print the handle and return at once
    #[arg(short, long, conflicts_with = "timeout")]
    pub(crate) detach: bool,
    /// How long to wait for the answer, as in 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Show the answer as it is, not rendered as Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Send a message to an agent
///
/// A busy agent takes it up after the running turn. Prints the receipt, or with --wait the answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo send 3f2a \"Also update the docs\"
  paseo send 3f2a --attach before.png --attach after.png \"Find the difference\"
  paseo send 3f2a --interrupt \"Stop, wrong branch\"
  git diff | paseo send 3f2a --wait -")]
pub(crate) struct SendArgs {
    /// Which agent
    pub(crate) handle: String,
    /// What to say; `-` reads it from stdin
    pub(crate) message: OsString,
    /// Attach a file: an image, a PDF document or a text file (repeatable)
    #[arg(long = "attach", value_name = "FILE")]
    pub(crate) attachments: Vec<PathBuf>,
    /// Put it into the running turn
    #[arg(long, conflicts_with = "interrupt")]
    pub(crate) steer: bool,
    /// Interrupt the running turn: this message is next
    #[arg(long)]
    pub(crate) interrupt: bool,
    /// Wait for the answer
    #[arg(short, long)]
    pub(crate) wait: bool,
    /// How long to wait for the answer, as in 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, requires = "wait")]
    pub(crate) timeout: Option<Duration>,
    /// Send it once, however often it is repeated with the same key
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// Show the answer as it is, not rendered as Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Talk with an agent: its past, then its present
///
/// A line is a message, taken up after the running turn. `!` in front interrupts the turn. /stop stops it,
/// /allow and /deny answer what it asks, /help lists all. Ctrl-D leaves; the agent goes on.
///
/// When stdin is a pipe, each line is a message. At its end the answers are waited for, and the exit code is
/// that of the last outcome.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo attach 3f2a
  paseo attach 3f2a --since 1h
  paseo attach --agent journal
  printf 'run the tests\\n/allow\\n' | paseo attach 3f2a")]
pub(crate) struct AttachArgs {
    /// Which agent
    #[arg(required_unless_present = "agent")]
    pub(crate) handle: Option<String>,
    /// The newest session here of the agent with this definition
    #[arg(long, value_name = "SLUG", conflicts_with = "handle")]
    pub(crate) agent: Option<String>,
    /// Show the past from an ordinal (12), a time ago (10m) or a moment (2026-01-31T12:00:00Z) on
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Since>,
    /// Show texts as they are, not rendered as Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}
