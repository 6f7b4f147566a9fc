//! Teams: agents that share tasks.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{Output, PastArgs, RunArgs};
use crate::duration;

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  paseo team create red --agent ann --agent lea:leader
  paseo team leader red \"Bring the parser up to date\"
  eval \"$(paseo team env red --agent ann)\"
  paseo team show red --at 10m
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
        /// Add a member (repeatable); the role is `leader` or `worker` [default: worker]
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
    /// Show a team and its tasks, now or in the past
    Show {
        #[command(flatten)]
        which: WhichTeam,
        #[command(flatten)]
        past: PastArgs,
        #[command(flatten)]
        output: Output,
    },
    /// Print environment variables for a member that runs outside Paseo
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
        /// Only events that concern this member
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        /// Only events after this cursor: the number at the start of a line
        #[arg(long, value_name = "CURSOR", value_parser = cursor, allow_negative_numbers = true)]
        after: Option<u64>,
        /// Only the newest N events, newest first
        #[arg(long, value_name = "N", conflicts_with_all = ["after", "agent"], value_parser = clap::value_parser!(u32).range(1..))]
        newest: Option<u32>,
        #[command(flatten)]
        output: Output,
    },
    /// List recent writes that guards refused, newest first
    Refusals {
        #[command(flatten)]
        which: WhichTeam,
        /// Only those of this member
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    Leader(Box<LeaderArgs>),
    /// Remove a member from a team
    ///
    /// Releases its tasks, revokes its tokens and notifies it. The agent stays open. People and leaders can remove
    /// any member; other agents can remove only themselves.
    Leave {
        #[command(flatten)]
        which: WhichTeam,
        /// Member to remove [default: in an agent's shell, that agent]
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
    /// Id of the team [default: the calling agent's team, else the only open team]
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
/// The leader uses the tasks that exist, plans the rest, starts workers and delegates the work to them. Any provider can
/// lead.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo team leader red \"Bring the parser up to date\"
  paseo team leader red -d --provider claude --prompt-file plan.md")]
#[command(mut_arg("team", |team| team.hide(true)))]
#[command(mut_arg("guard", |guard| guard.help(
    "With `lease`, the agent may write only to files of a task that it has claimed"
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
  paseo task edit task-0002 --title \"Document the parser\"
  paseo task claim task-0001 --ttl 10m
  paseo task complete task-0001 --summary \"done, with tests\"
  paseo task retry task-0001")]
pub(crate) enum TaskCommand {
    Create(TaskCreateArgs),
    Edit(TaskEditArgs),
    /// List the tasks of a team
    Ls {
        /// Update the list as it changes, until ctrl-C
        #[arg(short, long, conflicts_with = "at")]
        watch: bool,
        #[command(flatten)]
        past: PastArgs,
        #[command(flatten)]
        of: OfTeam,
    },
    /// Show a task
    Show(OneTask),
    /// Claim a task for yourself; in an agent's shell, for that agent
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

/// Edit a task
///
/// What you leave out stays as it is. While a member owns the task, only its title and description can change; a
/// completed task can't change at all.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo task edit task-0002 --title \"Document the parser\"
  paseo task edit task-0002 --dep task-0001 --dep task-0003
  paseo task edit task-0002 --no-deps --resource docs --resource README.md")]
pub(crate) struct TaskEditArgs {
    #[command(flatten)]
    pub(crate) one: OneTask,
    /// New title, on one line
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// New description; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", conflicts_with = "no_description")]
    pub(crate) description: Option<OsString>,
    /// Remove the description
    #[arg(long)]
    pub(crate) no_description: bool,
    /// Task that must be completed first (repeatable); replaces all dependencies
    #[arg(long = "dep", value_name = "TASK", conflicts_with = "no_deps")]
    pub(crate) deps: Vec<String>,
    /// Remove all dependencies
    #[arg(long)]
    pub(crate) no_deps: bool,
    /// File or directory that the task needs exclusively (repeatable); replaces all resources
    ///
    /// Relative to the current directory if that is in the project, else to the project directory.
    #[arg(long = "resource", value_name = "PATH", conflicts_with = "no_resources")]
    pub(crate) resources: Vec<String>,
    /// Remove all resources
    #[arg(long)]
    pub(crate) no_resources: bool,
}

/// Which team is meant.
#[derive(Debug, Args)]
pub(crate) struct OfTeam {
    /// Id of the team [default: the calling agent's team, else the only open team]
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
    /// Epoch of the lease, printed by `paseo task claim`; people can omit it
    #[arg(long, value_name = "N", value_parser = epoch, allow_negative_numbers = true)]
    pub(crate) epoch: Option<u64>,
}

fn cursor(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected the number at the start of a line of `paseo team audit`".to_owned())
}

fn epoch(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a number, as shown by `paseo task show`".to_owned())
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
    /// Thread and id of the message that contains the full result
    #[arg(long, value_names = ["THREAD", "ID"], num_args = 2)]
    pub(crate) message: Option<Vec<String>>,
}

/// Check whether a team member may write to a path now
///
/// Exits with 0 if it may, and with 6 if not.
#[derive(Debug, Args)]
pub(crate) struct CanWriteArgs {
    /// File or directory of the project; `.` is the whole project
    ///
    /// Relative to the current directory if that is in the project, else to the project directory. To check whether
    /// the member may run a shell command, pass `.`: a command can change any file.
    pub(crate) path: String,
    /// Member to check [default: you]
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) of: OfTeam,
}
