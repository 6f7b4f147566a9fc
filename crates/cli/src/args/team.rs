//! Teams: agents that share tasks.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{Output, RunArgs};
use crate::duration;

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  paseo team create red --agent ann --agent lea:leader
  paseo team leader red \"Bring the parser up to date\"
  eval \"$(paseo team env red --agent ann)\"
  paseo team leave red --agent ann
  paseo team rm red")]
pub(crate) enum TeamCommand {
    /// Create a team
    Create {
        /// Id of the team: letters, digits, `-`, `_` and `.`
        team: String,
        /// Project directory [default: the current directory]
        #[arg(short = 'C', long, value_name = "DIR")]
        cwd: Option<PathBuf>,
        /// Add a member, with a role other than `worker` if given (repeatable)
        #[arg(long = "agent", value_name = "ID[:ROLE]")]
        agents: Vec<String>,
        #[command(flatten)]
        output: Output,
    },
    /// List teams
    Ls {
        /// Include closed teams
        #[arg(short, long)]
        all: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Show a team and its tasks
    Show {
        #[command(flatten)]
        which: WhichTeam,
        #[command(flatten)]
        output: Output,
    },
    /// Print environment variables for a member outside Paseo
    Env {
        #[command(flatten)]
        which: WhichTeam,
        /// Member id; added to the team if needed
        #[arg(long, value_name = "ID")]
        agent: String,
        /// Add the member again if it was removed from the team
        #[arg(long)]
        again: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Print a team's event history, oldest first
    Audit {
        #[command(flatten)]
        which: WhichTeam,
        /// Only events that concern this member: its inbox
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        /// Only events after this cursor: the number at the start of a line
        #[arg(long, value_name = "CURSOR", value_parser = cursor, allow_negative_numbers = true)]
        after: Option<u64>,
        #[command(flatten)]
        output: Output,
    },
    Leader(Box<LeaderArgs>),
    /// Remove a member from a team
    ///
    /// Releases its tasks, revokes its tokens and notifies it. The agent stays open. People and leaders can remove
    /// every member; other agents only themselves.
    Leave {
        #[command(flatten)]
        which: WhichTeam,
        /// Member to remove [default: the agent whose shell this is]
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Close a team permanently
    ///
    /// Releases its tasks, revokes its tokens and notifies its members, whose agents stay open. The history stays, and
    /// the id can't be used again. Only people and leaders can close a team.
    Rm {
        /// Id of the team
        #[arg(value_name = "TEAM")]
        team: String,
        #[command(flatten)]
        output: Output,
    },
}

/// Which team is meant, by the word itself or with `--team`.
#[derive(Debug, Args)]
pub(crate) struct WhichTeam {
    /// Id of the team [default: your own, or the only one]
    #[arg(value_name = "TEAM", conflicts_with = "team")]
    named: Option<String>,
    /// Same as TEAM
    #[arg(long, value_name = "ID")]
    team: Option<String>,
}

impl WhichTeam {
    /// Returns what was typed; `-` for nothing.
    pub(crate) fn typed(&self) -> &str {
        self.named.as_deref().or(self.team.as_deref()).unwrap_or("-")
    }
}

/// Start a leader for a team
///
/// The leader is told to use the tasks that you assigned, to plan the rest, to start workers and to leave the work to
/// them. Any provider can be used.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo team leader red \"Bring the parser up to date\"
  paseo team leader red -d --provider claude --prompt-file plan.md")]
#[command(mut_arg("team", |team| team.hide(true)))]
#[command(mut_arg("guard", |guard| guard.help(
    "With `lease`, allow writes only to the resources of tasks that the agent holds"
)))]
pub(crate) struct LeaderArgs {
    /// Id of the team
    #[arg(value_name = "TEAM", conflicts_with = "team")]
    pub(crate) team_id: String,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  paseo task create \"Write the parser\" --resource src/parse
  paseo task create \"Document it\" --dep task-0001 --resource docs
  paseo task claim task-0001 --ttl 10m
  paseo task complete task-0001 --summary \"done, with tests\"
  paseo task retry task-0001")]
pub(crate) enum TaskCommand {
    Create(TaskCreateArgs),
    /// List the tasks of a team
    Ls {
        /// Update the list as it changes, until ctrl-C
        #[arg(short, long)]
        watch: bool,
        #[command(flatten)]
        of: OfTeam,
    },
    /// Show a task
    Show(OneTask),
    /// Claim a task for yourself, or for the agent whose shell this is
    Claim {
        #[command(flatten)]
        one: OneTask,
        #[command(flatten)]
        time: LeaseTime,
    },
    /// Renew the lease on a task
    Renew {
        #[command(flatten)]
        one: OneTask,
        #[command(flatten)]
        epoch: Epoch,
        #[command(flatten)]
        time: LeaseTime,
    },
    /// Complete a task
    Complete(EndArgs),
    /// Mark a task as failed
    Fail(EndArgs),
    /// Give up a task, so that others can claim it
    Release {
        #[command(flatten)]
        one: OneTask,
        #[command(flatten)]
        epoch: Epoch,
    },
    /// Cancel a task
    Cancel(OneTask),
    /// Reopen a failed or canceled task
    Retry(OneTask),
    /// Reassign a task, or free it for others to claim
    Reassign {
        #[command(flatten)]
        one: OneTask,
        /// New owner [default: none]
        #[arg(long, value_name = "ID")]
        to: Option<String>,
        #[command(flatten)]
        time: LeaseTime,
    },
}

/// Create a task
#[derive(Debug, Args)]
pub(crate) struct TaskCreateArgs {
    /// Title, on one line
    pub(crate) title: String,
    /// Everything that the owner needs to know; `-` reads it from stdin
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<OsString>,
    /// Task that must be completed first (repeatable)
    #[arg(long = "dep", value_name = "TASK")]
    pub(crate) deps: Vec<String>,
    /// File or directory that the task needs exclusively (repeatable)
    ///
    /// Relative to the current directory if that is in the project, else to the project directory.
    #[arg(long = "resource", value_name = "PATH")]
    pub(crate) resources: Vec<String>,
    #[command(flatten)]
    pub(crate) of: OfTeam,
}

/// Which team is meant.
#[derive(Debug, Args)]
pub(crate) struct OfTeam {
    /// Id of the team [default: your own, or the only one]
    #[arg(long, value_name = "ID", default_value = "-", hide_default_value = true)]
    pub(crate) team: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Which task is meant.
#[derive(Debug, Args)]
pub(crate) struct OneTask {
    /// Id of the task, for example task-0001
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) of: OfTeam,
}

/// The number of a lease.
#[derive(Debug, Args)]
pub(crate) struct Epoch {
    /// Epoch of the lease [default for people: that of the current lease]
    #[arg(long, value_name = "N", value_parser = epoch, allow_negative_numbers = true)]
    pub(crate) epoch: Option<u64>,
}

fn cursor(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("`{text}` is not a cursor: use the number at the start of a line of `paseo team audit`")
    })
}

fn epoch(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("`{text}` is not an epoch: use the number of the lease that `paseo task show` prints")
    })
}

/// How long a lease lasts.
#[derive(Debug, Args)]
pub(crate) struct LeaseTime {
    /// Duration of the lease, for example 10m [default: 5m]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, allow_hyphen_values = true)]
    pub(crate) ttl: Option<Duration>,
}

/// How a task ended.
#[derive(Debug, Args)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    pub(crate) one: OneTask,
    #[command(flatten)]
    pub(crate) epoch: Epoch,
    /// Short summary of the result
    #[arg(long, value_name = "TEXT")]
    pub(crate) summary: Option<String>,
    /// Message with the full result: a thread of the team and the message's id
    #[arg(long, value_names = ["THREAD", "ID"], num_args = 2)]
    pub(crate) message: Option<Vec<String>>,
}

/// Check whether a team member may write to a path now
///
/// Exits with 6 when it may not.
#[derive(Debug, Args)]
pub(crate) struct CanWriteArgs {
    /// File or directory of the project; `.` checks whether the member may run commands
    ///
    /// Relative to the current directory if that is in the project.
    pub(crate) path: String,
    /// Member to check [default: you]
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) of: OfTeam,
}
