//! Looking at agents and changing them.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::Output;
use crate::duration;

/// Print what an agent said in its last turn
///
/// Prints all of it, in order; agents get the first 20,000 characters. Exits with 1 when there is none yet, and when the last turn failed: why is told on stderr.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Which agent
    pub(crate) handle: String,
    /// Show the answer as it is, not rendered as Markdown
    #[arg(long)]
    pub(crate) plain: bool,
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
    /// Which agent
    pub(crate) handle: String,
    /// Go on with what comes, until ctrl-C
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// From an ordinal (12), a time ago (10m) or a moment (2026-01-31T12:00:00Z) on
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Since>,
    /// How many of the newest entries to begin with; 0 for none
    #[arg(short = 'n', long, value_name = "N", visible_alias = "tail", conflicts_with = "since")]
    pub(crate) lines: Option<usize>,
    /// Fold nothing: long texts, changes and tool output as they are
    #[arg(long, conflicts_with = "stat")]
    pub(crate) full: bool,
    /// Show of changes only how many lines they have, and no tool output
    #[arg(long)]
    pub(crate) stat: bool,
    /// Show texts as they are, not rendered as Markdown
    #[arg(long)]
    pub(crate) plain: bool,
    /// Show what was said in attempts that broke off, too
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
            format!(
                "`{text}` is neither an ordinal (12), a time ago (10m) nor a moment (2026-01-31T12:00:00Z)"
            )
        })
    }
}

/// Print all that is known about an agent
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Which agent
    pub(crate) handle: String,
    /// Print exactly what is added to the prompt of its harness, and nothing else
    #[arg(long, conflicts_with = "json")]
    pub(crate) prompt: bool,
    /// Print the secret that Paseo and an external agent know each other by, and nothing else
    #[arg(long, conflicts_with_all = ["json", "prompt"])]
    pub(crate) secret: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Wait until agents are done
///
/// An agent is done when it is neither starting nor running: exits with 4 when it waits for a permission
/// and with 1 when it failed or was interrupted.
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// Which agents
    #[arg(required = true)]
    pub(crate) handles: Vec<String>,
    /// Until one of them is done
    #[arg(long, conflicts_with = "all")]
    pub(crate) any: bool,
    /// Until all of them are done (the default)
    #[arg(long)]
    pub(crate) all: bool,
    /// How long to wait, as in 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Several agents.
#[derive(Debug, Args)]
pub(crate) struct HandlesArgs {
    /// Which agents
    #[arg(required = true)]
    pub(crate) handles: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Delete agents
///
/// Transcript, messages and name are gone for good. Files that the agent changed stay as they are.
#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// Which agents
    #[arg(required = true)]
    pub(crate) handles: Vec<String>,
    /// Also those that are in the middle of something, or for which messages wait
    #[arg(short, long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Give an agent a name
#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    /// Which agent
    pub(crate) handle: String,
    /// Its name; an empty one takes the name away
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Set and remove labels and attributes
///
/// Labels sort agents: lists can be filtered by them. Attributes are notes for people and programs, in JSON.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo label 3f2a env=ci team=infra
  paseo label 3f2a 91cc ui=true env-
  paseo label 3f2a --attr ticket=ABC-12 --attr weight=3 --attr old-")]
pub(crate) struct LabelArgs {
    /// Agents, then key=value to set a label and key- to remove one
    #[arg(required = true, value_name = "HANDLE|KEY=VALUE|KEY-")]
    pub(crate) words: Vec<String>,
    /// Set an attribute to a JSON value, or to a text that is none; NAME- removes it (repeatable)
    #[arg(long = "attr", value_name = "NAME=VALUE|NAME-")]
    pub(crate) attributes: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
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
