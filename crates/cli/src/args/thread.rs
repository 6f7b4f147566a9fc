//! Threads: conversations of several participants.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Output, PastArgs};

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  paseo thread new planning
  paseo thread invite planning codex --nickname ada --role planner
  paseo thread post planning \"@ada what is left to do?\"
  paseo thread tail -f planning
  paseo thread pause planning")]
pub(crate) enum ThreadCommand {
    /// Create a thread
    New {
        /// Name of the thread
        name: String,
        /// Working directory of its agents [default: the current directory]
        #[arg(short = 'C', long, value_name = "DIR")]
        cwd: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// List threads
    Ls {
        #[command(flatten)]
        output: Output,
    },
    /// Show a thread and its participants, now or in the past
    Show {
        /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
        thread: String,
        #[command(flatten)]
        past: PastArgs,
        #[command(flatten)]
        output: Output,
    },
    /// Rename a thread
    Rename {
        /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
        thread: String,
        /// New name
        name: String,
        #[command(flatten)]
        output: Output,
    },
    /// Set the working directory of a thread's agents
    Cwd {
        /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
        thread: String,
        /// The directory [default: the current directory]
        directory: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Delete threads and all their messages
    ///
    /// Closes the participants' agents and revokes the threads' tokens. Transcripts and changed files stay.
    Rm {
        /// Names or ids of the threads; a team's threads can't be deleted
        #[arg(required = true, value_name = "THREAD")]
        threads: Vec<String>,
        /// First stop the threads' agents that are still running
        #[arg(short, long)]
        force: bool,
        #[command(flatten)]
        output: Output,
    },
    Post(PostArgs),
    Tail(TailArgs),
    Invite(InviteArgs),
    /// Remove participants from a thread; their messages stay
    Uninvite(SeatsArgs),
    /// Mute participants; their replies are held until you unmute them
    Mute(SeatsArgs),
    /// Unmute participants
    Unmute(SeatsArgs),
    /// Pause a thread: only people can post
    Pause(OneThread),
    /// Resume a paused thread
    Resume(OneThread),
    /// Let agents wake each other with mentions
    Discuss(ToggleArgs),
    /// Wake all participants when a message names none of them
    Auto(ToggleArgs),
    /// Print the state of a thread as JSON
    State(OneThread),
    /// Create a token for one participant
    Token {
        /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
        thread: String,
        /// Id of the participant
        #[arg(long = "as", value_name = "PARTICIPANT")]
        participant: String,
        /// Directory for threads created with this token [default: THREAD's directory, else the current one]
        #[arg(short = 'C', long, value_name = "DIR")]
        cwd: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
}

/// Post a message to a thread
#[derive(Debug, Args)]
pub(crate) struct PostArgs {
    /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
    pub(crate) thread: String,
    /// The message; `-` reads it from stdin
    pub(crate) text: String,
    /// Taken only to say what was meant.
    #[arg(hide = true)]
    pub(crate) extra: Vec<OsString>,
    /// Recipient: a participant's id, nickname or handle, or `all`
    #[arg(long, value_name = "WHO")]
    pub(crate) to: Option<String>,
    /// Id of the message to reply to
    #[arg(long, value_name = "ID")]
    pub(crate) reply_to: Option<String>,
    /// Add a tag (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Print which participants the message would wake, without posting it
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Print the messages and events of a thread
#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
    pub(crate) thread: String,
    /// Keep printing new messages until ctrl-C
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Print only the newest N messages and events; 0 for none
    #[arg(short = 'n', long, default_value_t = 50, value_name = "N", value_parser = super::count)]
    pub(crate) lines: usize,
    /// Start at the message or event with this id
    #[arg(long, value_name = "ID", conflicts_with = "lines")]
    pub(crate) from: Option<String>,
    /// Print ids, for --from and --reply-to
    #[arg(long)]
    pub(crate) ids: bool,
    /// Print one JSON object per event
    #[arg(long)]
    pub(crate) json: bool,
}

/// Invite an agent to a thread, or update a participant
#[derive(Debug, Args)]
pub(crate) struct InviteArgs {
    /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
    pub(crate) thread: String,
    /// Provider, or slug of a definition [env: PASEO_PROVIDER] [default: the default provider]
    #[arg(value_name = "PROVIDER|SLUG")]
    pub(crate) client: Option<String>,
    /// Model; `default` lets the provider choose. If omitted, a new participant gets `default` and an existing one keeps its
    /// model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Id of the participant [default: derived from the provider or definition]
    #[arg(long = "id", value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Nickname for @mentions
    #[arg(long)]
    pub(crate) nickname: Option<String>,
    /// Role of the participant (repeatable)
    #[arg(long = "role", value_name = "ROLE")]
    pub(crate) roles: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Participants of a thread.
#[derive(Debug, Args)]
pub(crate) struct SeatsArgs {
    /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
    pub(crate) thread: String,
    /// Ids or nicknames of the participants
    #[arg(required = true)]
    pub(crate) participants: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A thread.
#[derive(Debug, Args)]
pub(crate) struct OneThread {
    /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
    pub(crate) thread: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A thread, and on or off.
#[derive(Debug, Args)]
pub(crate) struct ToggleArgs {
    /// Name or id of the thread, see `paseo thread ls`; for a thread of a team, TEAM/thread-0001
    pub(crate) thread: String,
    /// Turn it on or off
    #[arg(
        value_name = "on|off",
        default_value = "on",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) switch: Switch,
    /// Turn it off
    #[arg(long, conflicts_with = "switch")]
    pub(crate) off: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A word for one of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl ToggleArgs {
    /// Says whether it is to be on.
    pub(crate) fn on(&self) -> bool {
        self.switch == Switch::On && !self.off
    }
}
