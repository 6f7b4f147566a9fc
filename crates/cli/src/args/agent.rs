//! Looking at agents and changing them.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::Output;
use crate::duration;

/// Print the answer of an agent's last turn
///
/// Exits with 1 when there is no answer yet, or when the last turn failed; the reason goes to stderr.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Handle of the agent
    pub(crate) handle: String,
    /// Print the answer as is, without rendering Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Show what needs you, what finished, and what is being worked on
///
/// Lists permission requests, questions, failures, rate limits and held messages of all agents, the oldest first.
/// Finished agents stay listed until you look at them in the web app, write to them, or archive them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo inbox
  paseo inbox -q | sort -u
  paseo inbox --json | jq -r '.needs_you[].hint'")]
pub(crate) struct InboxArgs {
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Print an agent's transcript
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo logs 3f2a --since 10m
  paseo logs 3f2a -n 5 -f
  paseo logs 3f2a -f --json | jq -r 'select(.kind == \"assistant_text\").text'")]
pub(crate) struct LogsArgs {
    /// Handle of the agent
    pub(crate) handle: String,
    /// Keep printing new entries until ctrl-C
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Start at this entry (12), age (10m) or time (2026-01-31T12:00:00Z)
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Since>,
    /// Print only the newest N entries; 0 for none
    #[arg(short = 'n', long, value_name = "N", visible_alias = "tail", conflicts_with = "since", value_parser = entries)]
    pub(crate) lines: Option<usize>,
    /// Print long texts, diffs and tool output in full
    #[arg(long, conflicts_with = "stat")]
    pub(crate) full: bool,
    /// Print line counts instead of diffs, and no tool output
    #[arg(long)]
    pub(crate) stat: bool,
    /// Print texts as they are, without rendering Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    /// Include text that was discarded because the provider tried again
    #[arg(long)]
    pub(crate) superseded: bool,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where in a transcript to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    Ordinal(u64),
    Ago(Duration),
    Moment(Timestamp),
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(ordinal) = text.parse() {
            return Ok(Self::Ordinal(ordinal));
        }
        if let Ok(duration) = duration::parse(text) {
            return Ok(Self::Ago(duration));
        }
        text.parse().map(Self::Moment).map_err(|_| {
            "expected an entry number (12), an age (10m) or a time (2026-01-31T12:00:00Z)".to_owned()
        })
    }
}

/// Print everything about an agent
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Handle of the agent
    pub(crate) handle: String,
    /// Print only the system prompt that Paseo adds
    #[arg(long, conflicts_with = "json")]
    pub(crate) prompt: bool,
    /// Print only the secret shared with an external agent
    #[arg(long, conflicts_with_all = ["json", "prompt"])]
    pub(crate) secret: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Wait until agents finish
///
/// Also ends when an agent needs permission (exit code 4), fails or is interrupted (exit code 1).
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// Handles of the agents
    #[arg(required = true)]
    pub(crate) handles: Vec<String>,
    /// Wait for the first agent to finish
    #[arg(long, conflicts_with = "all")]
    pub(crate) any: bool,
    /// Wait for all agents to finish (the default)
    #[arg(long)]
    pub(crate) all: bool,
    /// How long to wait, for example 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Several agents.
#[derive(Debug, Args)]
pub(crate) struct HandlesArgs {
    /// Handles of the agents
    #[arg(required = true)]
    pub(crate) handles: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Delete agents
///
/// Permanently deletes the transcript, messages and name. Files that the agent changed stay.
#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// Handles of the agents
    #[arg(required = true)]
    pub(crate) handles: Vec<String>,
    /// Also delete busy agents and agents with waiting messages
    #[arg(short, long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Rename an agent
#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    /// Handle of the agent
    pub(crate) handle: String,
    /// New name; an empty name removes it
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Change an agent's model, effort and permissions from the next turn on
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo set 3f2a --model opus --effort high
  paseo set 3f2a --permissions read-only
  paseo set 3f2a --model ''   (the provider's default)")]
#[command(override_usage = "paseo set [OPTIONS] <HANDLE>")]
#[group(id = "options", required = true, multiple = true, args = ["model", "effort", "permissions"])]
pub(crate) struct SetArgs {
    /// Handle of the agent
    pub(crate) handle: String,
    /// Model, as the provider names it; '' for the provider's default
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Reasoning effort, as the provider names it; '' for the provider's default
    #[arg(long)]
    pub(crate) effort: Option<String>,
    /// Permission mode: do everything, ask before writing or running commands, or only read
    #[arg(long, value_name = "MODE", value_parser = ["full", "ask", "read-only"])]
    pub(crate) permissions: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Set and remove labels and attributes
///
/// Use labels to filter lists of agents. Attributes store JSON values for people and programs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo label 3f2a env=ci team=infra
  paseo label 3f2a 91cc ui=true env-
  paseo label 3f2a --attr ticket=ABC-12 --attr weight=3 --attr old-")]
pub(crate) struct LabelArgs {
    /// Handles, then changes: KEY=VALUE sets a label, KEY- removes it
    #[arg(required = true, value_name = "HANDLE|CHANGE")]
    pub(crate) words: Vec<String>,
    /// Change an attribute: NAME=VALUE sets it to a JSON value or plain text, NAME- removes it (repeatable)
    #[arg(long = "attr", value_name = "CHANGE")]
    pub(crate) attributes: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Reads how many entries of a transcript are wanted.
fn entries(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number, for example 20".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_takes_three_forms() {
        assert_eq!("12".parse(), Ok(Since::Ordinal(12)));
        assert_eq!("10m".parse(), Ok(Since::Ago(Duration::from_secs(600))));
        let moment: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        assert_eq!("2026-01-31T12:00:00Z".parse(), Ok(Since::Moment(moment)));
        assert!("yesterday".parse::<Since>().unwrap_err().contains("10m"));
    }
}
