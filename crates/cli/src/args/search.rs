//! Searching everything that was said.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::Output;
use crate::duration;

/// Find what was said, answered and done
///
/// Looks in the transcripts of all agents, closed ones too, and in all threads. All words must be in one text; case
/// and accents make no difference. "Quotes" around words find them one after the other, a star at the end of a word
/// finds what begins so. The newest come first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo search flaky test
  paseo search '\"connection refused\"' --kind tool --since 3d
  paseo search 'migrat*' --agent 3f2a
  paseo search deadline --in threads --from me --best")]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Only in the transcript of this agent
    #[arg(long, value_name = "HANDLE", conflicts_with = "thread")]
    pub(crate) agent: Option<String>,
    /// Only in this thread: its name or id
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
    /// Only in transcripts of agents, or only in threads
    #[arg(long = "in", value_name = "WHERE", conflicts_with_all = ["agent", "thread"])]
    pub(crate) within: Option<Within>,
    /// Only what was said to agents, what they answered, what tools did, or names (repeatable)
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,
    /// Only what this one said: `me` for people, an agent's handle, or a participant of a thread
    #[arg(long, value_name = "WHO")]
    pub(crate) from: Option<String>,
    /// From a time ago (2h, 3d) or a moment (2026-01-31T12:00:00Z) on
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<When>,
    /// Up to a time ago or a moment
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<When>,
    /// Only agents and threads that work in this directory, were started in it, or below it
    #[arg(short = 'C', long, visible_alias = "project", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// What fits best first
    #[arg(long)]
    pub(crate) best: bool,
    /// At most so many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Go on where the page before ended: its `next`
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Within {
    Agents,
    Threads,
}

/// What to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Said,
    Answered,
    Tool,
    Name,
}

/// A point in time, as people type it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Ago(Duration),
    Moment(Timestamp),
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(duration) = duration::parse(text) {
            return Ok(Self::Ago(duration));
        }
        text.parse().map(Self::Moment).map_err(|_| {
            format!("`{text}` is neither a time ago (2h, 3d) nor a moment (2026-01-31T12:00:00Z)")
        })
    }
}
