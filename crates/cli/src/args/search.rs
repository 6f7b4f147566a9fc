//! Searching everything that was said.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use paseo_core::limits::PAGE_ROWS;

use super::Output;
use crate::duration;

/// Search transcripts and threads
///
/// Searches the transcripts of all agents, including closed ones, and all threads. A match contains all words; case and
/// accents don't matter. Put "quotes" around a phrase. End a word with a star to find all words that begin with it:
/// `migrat*`. Newest matches come first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo search flaky test
  paseo search '\"connection refused\"' --kind tool --since 3d
  paseo search 'migrat*' --agent 3f2a
  paseo search deadline --in threads --from me --best")]
pub(crate) struct SearchArgs {
    /// Words to search for
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Only the transcript of this agent
    #[arg(long, value_name = "HANDLE", conflicts_with = "thread")]
    pub(crate) agent: Option<String>,
    /// Only this thread, by name or id
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
    /// Only agents or only threads
    #[arg(long = "in", value_name = "WHERE", conflicts_with_all = ["agent", "thread"])]
    pub(crate) within: Option<Within>,
    /// Only texts of this kind (repeatable)
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,
    /// Only texts by this author: `me` for people, the handle of an agent, or the id of a thread participant
    #[arg(long, value_name = "WHO")]
    pub(crate) from: Option<String>,
    /// Not older than this age (2h, 3d) or time (2026-01-31T12:00:00Z)
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<When>,
    /// Older than this age or time
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<When>,
    /// Only agents and threads of this directory or below it
    #[arg(short = 'C', long, visible_alias = "project", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Sort by relevance instead of time
    #[arg(long)]
    pub(crate) best: bool,
    /// Maximum number of matches
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = matches)]
    pub(crate) limit: usize,
    /// Continue after a previous page, with its `next` value
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Reads how many matches are wanted.
fn matches(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=PAGE_ROWS).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to {PAGE_ROWS}"))
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
    /// What people wrote
    Said,
    /// What agents wrote
    Answered,
    /// Tool calls and their output
    Tool,
    /// Names of agents and threads
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
        text.parse()
            .map(Self::Moment)
            .map_err(|_| "expected an age (2h, 3d) or a time (2026-01-31T12:00:00Z)".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_one_match_is_wanted() {
        assert_eq!((matches("1"), matches("500")), (Ok(1), Ok(500)));
        for bad in ["0", "501", "-1", "x", ""] {
            assert_eq!(matches(bad).unwrap_err(), "expected a whole number from 1 to 500", "{bad}");
        }
    }
}
