//! Every tool there is.

use crate::definition::Definition;
use crate::permission::Power;
use crate::settings::Key;

/// A tool, as far as it is decided who may use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    pub name: &'static str,
    /// Can be switched off as a whole in the configuration.
    pub plugin: Plugin,
    pub capabilities: &'static [&'static str],
    /// A power of the harness itself.
    pub power: Option<Power>,
    /// Granted only while one of these settings is on; empty: whatever the settings are.
    pub switches: &'static [Key],
    /// The same for agents of the built-in definition only; other definitions say for themselves who has it.
    pub default_switches: &'static [Key],
    /// One line for the prompt.
    pub summary: &'static str,
}

/// What a tool belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plugin {
    /// The two tools of agents in the app.
    Ui,
    /// What the harness can do by itself.
    Native,
    /// Talking to other agents by their handles.
    Tabs,
    /// Talking to other agents by their definitions.
    Agents,
    /// Starting other agents.
    Summon,
    /// A list of what is to be done.
    Todo,
    /// Conversations of several.
    Threads,
    /// Tasks and threads of a team.
    Team,
}

impl Plugin {
    /// Those that can be switched off and become skills.
    pub const OPTIONAL: [Self; 6] =
        [Self::Tabs, Self::Agents, Self::Summon, Self::Todo, Self::Threads, Self::Team];

    /// Returns its id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Ui => "ui",
            Self::Native => "native",
            Self::Tabs => "tabs",
            Self::Agents => "agents",
            Self::Summon => "summon",
            Self::Todo => "todo",
            Self::Threads => "threads",
            Self::Team => "team",
        }
    }

    /// Finds one that can be switched off by its id.
    pub fn parse(id: &str) -> Option<Self> {
        Self::OPTIONAL.into_iter().find(|plugin| plugin.id() == id)
    }
}

/// Names the session for the current task.
pub const SET_TITLE: &str = "set_title";
/// Names the branch of the session's worktree.
pub const SET_BRANCH: &str = "set_branch";
/// Sends a message to another session.
pub const SEND_TO_TAB: &str = "send_to_tab";
/// Reads another session's last answer.
pub const READ_TAB: &str = "read_tab";
/// Asks to be told when another session has nothing left to do.
pub const NOTIFY_WHEN_IDLE: &str = "notify_when_idle";
/// Sends a message to the agent of a definition.
pub const AGENTS_MESSAGE: &str = "agents_message";
/// Lists the definitions that can be talked to.
pub const AGENTS_LIST: &str = "agents_list";
/// Starts an agent.
pub const SUMMON: &str = "summon";
/// Waits for an agent that was started.
pub const RETRIEVE: &str = "retrieve";
/// Replaces the list of what is to be done.
pub const TODO: &str = "todo";
/// Lists the threads that an agent can take part in.
pub const THREADS_LIST: &str = "threads_list";
/// Reads what was said in a thread.
pub const THREADS_READ: &str = "threads_read";
/// Says something in a thread.
pub const THREADS_POST: &str = "threads_post";
/// Invites an agent into a thread.
pub const THREADS_INVITE: &str = "threads_invite";
/// Lists who is in a thread.
pub const THREADS_PARTICIPANTS: &str = "threads_participants";
/// Makes a task of the team.
pub const TASKS_CREATE: &str = "team_tasks_create";
/// Lists the tasks of the team.
pub const TASKS_LIST: &str = "team_tasks_list";
/// Takes a task.
pub const TASKS_CLAIM: &str = "team_tasks_claim";
/// Keeps a task longer.
pub const TASKS_RENEW: &str = "team_tasks_renew";
/// Says that a task is done.
pub const TASKS_COMPLETE: &str = "team_tasks_complete";
/// Says that a task cannot be done.
pub const TASKS_FAIL: &str = "team_tasks_fail";
/// Gives a task back.
pub const TASKS_RELEASE: &str = "team_tasks_release";
/// Gives a task up for the whole team.
pub const TASKS_CANCEL: &str = "team_tasks_cancel";
/// Begins a thread of the team.
pub const TEAM_THREADS_START: &str = "team_threads_start";
/// Says something in a thread of the team.
pub const TEAM_THREADS_POST: &str = "team_threads_post";
/// Reads the newest messages of a thread of the team.
pub const TEAM_THREADS_READ_TAIL: &str = "team_threads_read_tail";
/// Finds threads of the team.
pub const TEAM_THREADS_SEARCH: &str = "team_threads_search";
/// Says which task a thread is about.
pub const TEAM_THREADS_LINK: &str = "team_threads_link_to_task";

/// Starts a worker in a terminal.
pub const TMUX_START: &str = "team_tmux_start";
/// Lists the workers of the team.
pub const TMUX_LIST: &str = "team_tmux_list";
/// Says how a person attaches to a worker's terminal.
pub const TMUX_ATTACH: &str = "team_tmux_attach";
/// Reads what a worker's terminal shows.
pub const TMUX_CAPTURE: &str = "team_tmux_capture";
/// Types something into a worker's terminal.
pub const TMUX_SEND: &str = "team_tmux_send";
/// Ends a worker.
pub const TMUX_KILL: &str = "team_tmux_kill";

/// Every tool there is.
pub const REGISTRY: &[Spec] = &[
    ui(SET_TITLE, "Set the title of the current task."),
    ui(SET_BRANCH, "Name the branch of the worktree."),
    native(Power::Read, &["native.read"], "Read files."),
    native(Power::Write, &["native.write"], "Write files."),
    native(Power::Shell, &["native.shell"], "Run commands."),
    native(Power::Net, &["native.net"], "Access the network."),
    Spec {
        switches: &[Key::PermSendToTab],
        ..tool(SEND_TO_TAB, Plugin::Tabs, &["tabs.send"], "Send a message to another agent by its handle.")
    },
    Spec {
        switches: &[Key::PermReadTab],
        ..tool(READ_TAB, Plugin::Tabs, &["tabs.read"], "Read the last turn of another agent by its handle.")
    },
    Spec {
        switches: &[Key::PermSendToTab, Key::PermReadTab],
        ..tool(
            NOTIFY_WHEN_IDLE,
            Plugin::Tabs,
            &["tabs.read"],
            "Get notified when another agent has finished.",
        )
    },
    tool(AGENTS_MESSAGE, Plugin::Agents, &["agents.message"], "Ask another agent to perform a task."),
    tool(AGENTS_LIST, Plugin::Agents, &["agents.list"], "List the agents you can message."),
    Spec {
        switches: &[Key::PermSummon, Key::PermUserAgent],
        ..tool(SUMMON, Plugin::Summon, &["agents.spawn"], "Start an agent for a task.")
    },
    Spec {
        switches: &[Key::PermSummon],
        ..tool(RETRIEVE, Plugin::Summon, &["agents.spawn"], "Wait for an agent that you started.")
    },
    Spec {
        default_switches: &[Key::PermTodo],
        ..tool(TODO, Plugin::Todo, &["todo.write"], "Keep a to-do list.")
    },
    tool(THREADS_LIST, Plugin::Threads, &["threads.read"], "List the threads you can take part in."),
    tool(THREADS_READ, Plugin::Threads, &["threads.read"], "Read the messages of a thread."),
    tool(THREADS_POST, Plugin::Threads, &["threads.post"], "Post a message to a thread."),
    tool(THREADS_INVITE, Plugin::Threads, &["threads.invite"], "Invite an agent to a thread."),
    tool(THREADS_PARTICIPANTS, Plugin::Threads, &["threads.read"], "List the participants of a thread."),
    tool(TASKS_CREATE, Plugin::Team, &["team.plan"], "Create a task for the team."),
    tool(TASKS_LIST, Plugin::Team, &["team.read"], "List the team's tasks."),
    tool(TASKS_CLAIM, Plugin::Team, &["team.work"], "Claim a task for a limited time."),
    tool(TASKS_RENEW, Plugin::Team, &["team.work"], "Renew the lease on a task."),
    tool(TASKS_COMPLETE, Plugin::Team, &["team.work"], "Mark a task as completed."),
    tool(TASKS_FAIL, Plugin::Team, &["team.work"], "Mark a task as failed."),
    tool(TASKS_RELEASE, Plugin::Team, &["team.work"], "Release a task so that others can claim it."),
    tool(TASKS_CANCEL, Plugin::Team, &["team.plan"], "Cancel a task for the whole team."),
    tool(TEAM_THREADS_START, Plugin::Team, &["team.talk"], "Start a team thread."),
    tool(TEAM_THREADS_POST, Plugin::Team, &["team.talk"], "Post a message to a team thread."),
    tool(TEAM_THREADS_READ_TAIL, Plugin::Team, &["team.read"], "Read the newest messages of a team thread."),
    tool(TEAM_THREADS_SEARCH, Plugin::Team, &["team.read"], "Search the team's threads."),
    tool(TEAM_THREADS_LINK, Plugin::Team, &["team.talk"], "Link a thread to a task."),
    tool(TMUX_START, Plugin::Team, &[WORKERS], "Start a worker in its own terminal."),
    tool(TMUX_LIST, Plugin::Team, &[WORKERS], "List the team's workers."),
    tool(
        TMUX_ATTACH,
        Plugin::Team,
        &[WORKERS],
        "Get the command that attaches a person to a worker's terminal.",
    ),
    tool(TMUX_CAPTURE, Plugin::Team, &[WORKERS], "Capture the contents of a worker's terminal."),
    tool(TMUX_SEND, Plugin::Team, &[WORKERS], "Type a message into a worker's terminal."),
    tool(TMUX_KILL, Plugin::Team, &[WORKERS], "Kill a worker and its terminal."),
];

/// The capability to have workers.
const WORKERS: &str = "team.workers";

impl Spec {
    /// Returns the settings of which one must be on for agents of a definition; none: whatever the settings are.
    pub fn switches_for(&self, definition: &Definition) -> &'static [Key] {
        match self.switches {
            [] if definition.is_built_in() => self.default_switches,
            switches => switches,
        }
    }

    /// Says whether it is for those who have workers.
    pub fn is_for_workers(&self) -> bool {
        self.capabilities.contains(&WORKERS)
    }
}

/// Finds a tool by its name.
pub fn find(name: &str) -> Option<&'static Spec> {
    REGISTRY.iter().find(|spec| spec.name == name)
}

const fn tool(
    name: &'static str,
    plugin: Plugin,
    capabilities: &'static [&'static str],
    summary: &'static str,
) -> Spec {
    Spec { name, plugin, capabilities, power: None, switches: &[], default_switches: &[], summary }
}

const fn ui(name: &'static str, summary: &'static str) -> Spec {
    tool(name, Plugin::Ui, &[], summary)
}

const fn native(power: Power, capabilities: &'static [&'static str], summary: &'static str) -> Spec {
    Spec { power: Some(power), ..tool(power.tool(), Plugin::Native, capabilities, summary) }
}
