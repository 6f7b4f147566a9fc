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
    /// Make a team
    Create {
        /// What it is called: letters, digits, `-`, `_` and `.`
        team: String,
        /// The project that its tasks are about [default: here]
        #[arg(short = 'C', long, value_name = "DIR")]
        cwd: Option<PathBuf>,
        /// Somebody who belongs to it; `worker` unless a role is said (repeatable)
        #[arg(long = "agent", value_name = "ID[:ROLE]")]
        agents: Vec<String>,
        #[command(flatten)]
        output: Output,
    },
    /// List teams
    Ls {
        /// Closed teams too
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
    /// Print variables for a client of teamd, with a credential that acts as one agent and as nobody else
    Env {
        #[command(flatten)]
        which: WhichTeam,
        /// As whom it acts; taken into the team if it is not in it
        #[arg(long, value_name = "ID")]
        agent: String,
        /// Take it in again if it was taken out of the team
        #[arg(long)]
        again: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Show what happened in a team, the oldest first
    Audit {
        #[command(flatten)]
        which: WhichTeam,
        /// Only what concerns this agent: its inbox
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        /// Only what came after this cursor: the number that a line begins with
        #[arg(long, value_name = "CURSOR", value_parser = cursor, allow_negative_numbers = true)]
        after: Option<u64>,
        #[command(flatten)]
        output: Output,
    },
    Leader(Box<LeaderArgs>),
    /// Take an agent out of a team: its tasks are free, its credentials end, and it is told
    ///
    /// The agent itself stays open. People and leaders take others out, and an agent itself.
    Leave {
        #[command(flatten)]
        which: WhichTeam,
        /// Who leaves [default: the agent whose shell this is]
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Close a team: its tasks are free, its credentials end, and what happened stays
    ///
    /// Its agents are told and stay open. No other team is called like it. People and leaders close a team.
    Rm {
        /// Which team
        #[arg(value_name = "TEAM")]
        team: String,
        #[command(flatten)]
        output: Output,
    },
}

/// Which team is meant, by the word itself or with `--team`.
#[derive(Debug, Args)]
pub(crate) struct WhichTeam {
    /// Which team [default: your own, or the only one]
    #[arg(value_name = "TEAM", conflicts_with = "team")]
    named: Option<String>,
    /// The same, as other commands take it
    #[arg(long, value_name = "ID")]
    team: Option<String>,
}

impl WhichTeam {
    /// Returns what was typed; `-` for nothing.
    pub(crate) fn typed(&self) -> &str {
        self.named.as_deref().or(self.team.as_deref()).unwrap_or("-")
    }
}

/// Start an agent that leads a team
///
/// It is told to follow what you assign, to break down what you leave open, to start workers and not to do their
/// work. Any provider will do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  paseo team leader red \"Bring the parser up to date\"
  paseo team leader red -d --provider claude --prompt-file plan.md")]
#[command(mut_arg("team", |team| team.hide(true)))]
#[command(mut_arg("guard", |guard| guard.help(
    "What it is held to: with `lease` it changes nothing but what a task that it holds covers"
)))]
pub(crate) struct LeaderArgs {
    /// Which team
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
        /// Show it again whenever something changes, until ctrl-C
        #[arg(short, long)]
        watch: bool,
        #[command(flatten)]
        of: OfTeam,
    },
    /// Show a task
    Show(OneTask),
    /// Take a task, for a time; as yourself, or as the agent whose shell this is
    Claim {
        #[command(flatten)]
        one: OneTask,
        #[command(flatten)]
        time: LeaseTime,
    },
    /// Keep a task longer, from now on
    Renew {
        #[command(flatten)]
        one: OneTask,
        #[command(flatten)]
        epoch: Epoch,
        #[command(flatten)]
        time: LeaseTime,
    },
    /// Say that a task is done
    Complete(EndArgs),
    /// Say that a task cannot be done
    Fail(EndArgs),
    /// Give a task back, for others to take
    Release {
        #[command(flatten)]
        one: OneTask,
        #[command(flatten)]
        epoch: Epoch,
    },
    /// Give a task up for the whole team
    Cancel(OneTask),
    /// Let what failed or was canceled be done after all
    Retry(OneTask),
    /// Take a task from whoever has it, and give it to another or to nobody
    Reassign {
        #[command(flatten)]
        one: OneTask,
        /// Who has it from now on
        #[arg(long, value_name = "ID")]
        to: Option<String>,
        #[command(flatten)]
        time: LeaseTime,
    },
}

/// Make a task
#[derive(Debug, Args)]
pub(crate) struct TaskCreateArgs {
    /// What is to be done, on one line
    pub(crate) title: String,
    /// Everything that whoever does it has to know; `-` reads it from stdin
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<OsString>,
    /// A task that must be completed before (repeatable)
    #[arg(long = "dep", value_name = "TASK")]
    pub(crate) deps: Vec<String>,
    /// A file or directory of the project that it needs for itself, with all that is in it (repeatable)
    ///
    /// It counts from the current directory if that lies in the project, else from the project's.
    #[arg(long = "resource", value_name = "PATH")]
    pub(crate) resources: Vec<String>,
    #[command(flatten)]
    pub(crate) of: OfTeam,
}

/// Which team is meant.
#[derive(Debug, Args)]
pub(crate) struct OfTeam {
    /// Which team [default: your own, or the only one]
    #[arg(long, value_name = "ID", default_value = "-", hide_default_value = true)]
    pub(crate) team: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Which task is meant.
#[derive(Debug, Args)]
pub(crate) struct OneTask {
    /// Which task, as task-0001
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) of: OfTeam,
}

/// The number of a lease.
#[derive(Debug, Args)]
pub(crate) struct Epoch {
    /// The epoch that came with the lease [default for people: that of the lease they have]
    #[arg(long, value_name = "NUMBER", value_parser = epoch, allow_negative_numbers = true)]
    pub(crate) epoch: Option<u64>,
}

fn cursor(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("`{text}` is no cursor: that is the number that a line of `paseo team audit` begins with")
    })
}

fn epoch(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!(
            "`{text}` is no epoch: that is the number that came with the lease; `paseo task show` prints it"
        )
    })
}

/// How long a lease lasts.
#[derive(Debug, Args)]
pub(crate) struct LeaseTime {
    /// For how long, as in 10m [default: 5m]
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
    /// What came of it, in few words
    #[arg(long, value_name = "TEXT")]
    pub(crate) summary: Option<String>,
    /// Where the whole is told: a thread of the team, and the id of a message there
    #[arg(long, value_names = ["THREAD", "ID"], num_args = 2)]
    pub(crate) message: Option<Vec<String>>,
}

/// Say whether an agent of a team may write to a path now
///
/// Exits with 6 when it may not.
#[derive(Debug, Args)]
pub(crate) struct CanWriteArgs {
    /// A file or directory of the project; `.` for commands, which may touch all of it
    ///
    /// It counts from the current directory if that lies in the project.
    pub(crate) path: String,
    /// Whose leases count [default: your own]
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) of: OfTeam,
}
