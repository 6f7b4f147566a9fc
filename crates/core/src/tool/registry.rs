//! Every tool there is.

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
}

impl Plugin {
    /// Those that can be switched off and become skills.
    pub const OPTIONAL: [Self; 5] = [Self::Tabs, Self::Agents, Self::Summon, Self::Todo, Self::Threads];

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

/// Every tool there is.
pub const REGISTRY: &[Spec] = &[
    ui(SET_TITLE, "Sets the title of the current task."),
    ui(SET_BRANCH, "Names the branch of the worktree."),
    native(Power::Read, &["native.read"], "Reads files."),
    native(Power::Write, &["native.write"], "Writes files."),
    native(Power::Shell, &["native.shell"], "Runs commands."),
    native(Power::Net, &["native.net"], "Reaches the network."),
    Spec {
        switches: &[Key::PermSendToTab],
        ..tool(SEND_TO_TAB, Plugin::Tabs, &["tabs.send"], "Sends a message to another agent by its handle.")
    },
    Spec {
        switches: &[Key::PermReadTab],
        ..tool(
            READ_TAB,
            Plugin::Tabs,
            &["tabs.read"],
            "Reads the last answer of another agent by its handle.",
        )
    },
    Spec {
        switches: &[Key::PermSendToTab, Key::PermReadTab],
        ..tool(NOTIFY_WHEN_IDLE, Plugin::Tabs, &["tabs.read"], "Tells you when another agent has finished.")
    },
    tool(AGENTS_MESSAGE, Plugin::Agents, &["agents.message"], "Asks another agent to do something."),
    tool(AGENTS_LIST, Plugin::Agents, &["agents.list"], "Lists the agents you can ask."),
    Spec {
        switches: &[Key::PermSummon, Key::PermUserAgent],
        ..tool(SUMMON, Plugin::Summon, &["agents.spawn"], "Starts an agent for a task.")
    },
    Spec {
        switches: &[Key::PermSummon],
        ..tool(RETRIEVE, Plugin::Summon, &["agents.spawn"], "Waits for an agent that you started.")
    },
    tool(TODO, Plugin::Todo, &["todo.write"], "Keeps the list of what is to be done."),
    tool(THREADS_LIST, Plugin::Threads, &["threads.read"], "Lists the threads you can take part in."),
    tool(THREADS_READ, Plugin::Threads, &["threads.read"], "Reads what was said in a thread."),
    tool(THREADS_POST, Plugin::Threads, &["threads.post"], "Says something in a thread."),
    tool(THREADS_INVITE, Plugin::Threads, &["threads.invite"], "Invites an agent into a thread."),
    tool(THREADS_PARTICIPANTS, Plugin::Threads, &["threads.read"], "Lists who is in a thread."),
];

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
    Spec { name, plugin, capabilities, power: None, switches: &[], summary }
}

const fn ui(name: &'static str, summary: &'static str) -> Spec {
    tool(name, Plugin::Ui, &[], summary)
}

const fn native(power: Power, capabilities: &'static [&'static str], summary: &'static str) -> Spec {
    Spec { power: Some(power), ..tool(power.tool(), Plugin::Native, capabilities, summary) }
}
