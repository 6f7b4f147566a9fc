//! Threads: conversations of several participants.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Output;

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  paseo thread new planning
  paseo thread invite planning codex --nickname ada --role planner
  paseo thread post planning \"@ada what is left to do?\"
  paseo thread tail -f planning
  paseo thread pause planning")]
pub(crate) enum ThreadCommand {
    /// Make a thread
    New {
        /// What it is called
        name: String,
        /// Where its agents work [default: here]
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
    /// Show a thread: who is in it, and who may do what
    Show {
        /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
        thread: String,
        #[command(flatten)]
        output: Output,
    },
    /// Change the name of a thread
    Rename {
        /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
        thread: String,
        /// What it is called from now on
        name: String,
        #[command(flatten)]
        output: Output,
    },
    /// Say where the agents of a thread work
    Cwd {
        /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
        thread: String,
        /// The directory [default: here]
        directory: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Delete threads with everything that was said in them
    ///
    /// The sessions of their participants are closed; their transcripts and the files that they changed stay. Tokens that
    /// speak in them are revoked.
    Rm {
        /// Their names or ids; threads of a team stay as long as the team's history does
        #[arg(required = true, value_name = "THREAD")]
        threads: Vec<String>,
        /// Also while somebody works for them
        #[arg(short, long)]
        force: bool,
        #[command(flatten)]
        output: Output,
    },
    Post(PostArgs),
    Tail(TailArgs),
    Invite(InviteArgs),
    /// Take participants out of a thread; what they said stays
    Uninvite(SeatsArgs),
    /// Let participants not speak: what they answer is kept until they are unmuted
    Mute(SeatsArgs),
    /// Let muted participants speak again
    Unmute(SeatsArgs),
    /// Let nobody but people speak
    Pause(OneThread),
    /// Let everybody speak again
    Resume(OneThread),
    /// Let agents wake each other by mentioning them
    Discuss(ToggleArgs),
    /// Let what you say to nobody in particular wake all who are invited
    Auto(ToggleArgs),
    /// Print the state of a thread as JSON
    State(OneThread),
    /// Make a token that speaks as one participant, and as nobody else
    Token {
        /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
        thread: String,
        /// The participant
        #[arg(long = "as", value_name = "PARTICIPANT")]
        participant: String,
        /// The directory that it is for [default: the thread's, else here]
        #[arg(short = 'C', long, value_name = "DIR")]
        cwd: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
}

/// Say something in a thread
#[derive(Debug, Args)]
pub(crate) struct PostArgs {
    /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
    pub(crate) thread: String,
    /// What to say; `-` reads it from stdin
    pub(crate) text: String,
    /// For whom: a participant's id, nickname or handle, or `all`
    #[arg(long, value_name = "WHO")]
    pub(crate) to: Option<String>,
    /// The id of the message that this answers
    #[arg(long, value_name = "ID")]
    pub(crate) reply_to: Option<String>,
    /// Mark it; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Show what was said in a thread
#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
    pub(crate) thread: String,
    /// Go on with what is said from now on
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// How many of the newest events to begin with; 0 for none
    #[arg(short = 'n', long, default_value_t = 50)]
    pub(crate) lines: usize,
    /// Begin with the event that has this id
    #[arg(long, value_name = "ID", conflicts_with = "lines")]
    pub(crate) from: Option<String>,
    /// Show the ids of events, for --from and --reply-to
    #[arg(long)]
    pub(crate) ids: bool,
    /// Print JSON, one event a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Invite an agent into a thread, or change what is known of it
#[derive(Debug, Args)]
pub(crate) struct InviteArgs {
    /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
    pub(crate) thread: String,
    /// A provider, or the slug of a definition [env: PASEO_PROVIDER] [default: the default provider]
    pub(crate) client: Option<String>,
    /// The model; `default` leaves it to the provider [default: as it was, else `default`]
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// What it is called; made from the client when it is missing
    #[arg(long = "id", value_name = "ID")]
    pub(crate) id: Option<String>,
    /// What else it answers to
    #[arg(long)]
    pub(crate) nickname: Option<String>,
    /// What it is here for; may be given several times
    #[arg(long = "role", value_name = "ROLE")]
    pub(crate) roles: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Participants of a thread.
#[derive(Debug, Args)]
pub(crate) struct SeatsArgs {
    /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
    pub(crate) thread: String,
    /// Their ids or nicknames
    #[arg(required = true)]
    pub(crate) participants: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A thread.
#[derive(Debug, Args)]
pub(crate) struct OneThread {
    /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
    pub(crate) thread: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A thread, and on or off.
#[derive(Debug, Args)]
pub(crate) struct ToggleArgs {
    /// Its name or id, or what its team calls it, as thread-0001 or red/thread-0001
    pub(crate) thread: String,
    /// Switch it on or off
    #[arg(
        value_name = "on|off",
        default_value = "on",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) switch: Switch,
    /// Switch it off
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
