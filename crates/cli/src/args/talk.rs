//! Starting agents and writing to them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use paseo_core::label::Label;

use super::Output;
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
  git diff | paseo run --timeout 5m -
  agent=$(paseo run -d --prompt-file task.md) && paseo wait \"$agent\" && paseo read \"$agent\"")]
pub struct RunArgs {
    /// What to do; `-` reads it from stdin
    #[arg(required_unless_present = "prompt_file", conflicts_with = "prompt_file")]
    pub prompt: Option<OsString>,
    /// Read the prompt from a file
    #[arg(long, value_name = "FILE")]
    pub prompt_file: Option<PathBuf>,
    /// Attach a label (repeatable)
    #[arg(short, long = "label", value_name = "KEY=VALUE")]
    pub labels: Vec<Label>,
    /// Show it in the web app: the same as --label ui=true, unless a label says otherwise
    #[arg(long)]
    pub ui: bool,
    /// What to call it
    #[arg(long, value_name = "NAME", visible_alias = "name")]
    pub title: Option<String>,
    /// Which kind of agent [env: PASEO_PROVIDER]
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Which model, as the provider calls it
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Where it works [default: here]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Print the handle and return at once
    #[arg(short, long, conflicts_with = "timeout")]
    pub detach: bool,
    /// How long to wait for the answer, as in 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub timeout: Option<Duration>,
    #[command(flatten)]
    pub output: Output,
}

/// Send a message to an agent
///
/// A busy agent takes it up after the running turn. Prints the receipt, or with --wait the answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo send 3f2a \"Also update the docs\"
  paseo send 3f2a --interrupt \"Stop, wrong branch\"
  git diff | paseo send 3f2a --wait -")]
pub struct SendArgs {
    /// Which agent
    pub handle: String,
    /// What to say; `-` reads it from stdin
    pub message: OsString,
    /// Put it into the running turn
    #[arg(long, conflicts_with = "interrupt")]
    pub steer: bool,
    /// Interrupt the running turn: this message is next
    #[arg(long)]
    pub interrupt: bool,
    /// Wait for the answer
    #[arg(short, long)]
    pub wait: bool,
    /// How long to wait for the answer, as in 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, requires = "wait")]
    pub timeout: Option<Duration>,
    /// Send it once, however often it is repeated with the same key
    #[arg(long)]
    pub key: Option<String>,
    #[command(flatten)]
    pub output: Output,
}
