//! Definitions: how an agent behaves. They are read from files; a session names the one it follows.

mod access;
mod appearance;
mod change;
mod doubt;
mod engine;
mod fields;
mod json;
mod markdown;
mod models;
mod node;
mod parse;
mod peers;
mod problem;
mod reach;
mod reader;
mod route;
mod settle;
#[cfg(test)]
mod tests;
mod toml;
mod widens;
mod words;
mod yaml;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use access::{Missing, missing};
pub use appearance::{Color, ICONS, Icon, Unfit};
pub use change::{Change, changes};
pub use doubt::{Known, doubts};
pub use fields::{Keys, is_slug};
pub use models::Model;
pub use parse::{Excerpt, File, Format, Parsed, parse};
pub use peers::unknown_peers;
pub use problem::{Problem, Severity};
pub use route::Route;
pub use settle::{
    Accepted, Policy, Reading, Settled, Standing, Version, Waiting, WaitingKind, adopt, settle,
};
pub use widens::{Widening, widens};
pub use words::{EFFORTS, PROVIDERS, provider};

use crate::glob::{Glob, Lists};
use crate::permission::Mode;
use crate::tool::{self, Scope};

/// The word for agents that are held to their leases.
pub const LEASE: &str = "lease";

/// The slug of the built-in definition, which sessions follow that name none.
pub const DEFAULT: &str = "default";

/// How an agent behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its id: `agentId`, or the name of its file.
    pub slug: String,
    /// What people read.
    pub name: String,
    pub description: Option<String>,
    /// How its agents look in lists.
    pub icon: Option<Icon>,
    pub color: Option<Color>,
    pub kind: Kind,
    /// Without one: the default provider.
    pub provider: Option<String>,
    /// Models in the order in which they are tried; without any: the provider's own choice.
    pub models: Vec<Model>,
    /// How hard it thinks, where no model says otherwise.
    pub effort: Option<String>,
    /// The base prompt.
    pub prompt: Option<String>,
    /// Which tools it may use.
    pub scope: Scope,
    pub exposure: Exposure,
    /// Which plugins it gets as skills, by plugin id.
    pub skills: Lists,
    /// Which other definitions it sees and may talk to.
    pub agents: Lists,
    /// Whether people and agents find it in lists.
    pub ui_visible: bool,
    /// Kept for files that have it; nothing looks at it.
    pub api_exposed: bool,
    /// It is only ever a child of another agent.
    pub is_subagent: bool,
    /// Without one: `full`, or the parent's.
    pub permissions: Option<Mode>,
    /// Its agents change nothing but what a task that they own covers.
    pub guarded: bool,
    /// What it may pass on to agents that it starts beside its own tools.
    pub ceiling: Option<Vec<Glob>>,
    /// Where its sessions run by default.
    pub directory: Option<String>,
    /// Whether all projects share its sessions; without it, what it can do decides.
    pub route: Option<Route>,
    pub source: Source,
    /// On which lines of its file its fields stand; under no name, where it begins.
    pub lines: BTreeMap<String, usize>,
}

/// What runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Chat,
    /// An external program: messages are posted to it, answers come to a callback.
    External {
        input_url: String,
        callback_base_url: Option<String>,
        /// How long an attempt to post something may take.
        timeout_seconds: Option<u64>,
    },
}

/// How an agent gets its tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exposure {
    /// As tools.
    #[default]
    Tools,
    /// As commands of its own shell, taught by a `SKILL.md` for each plugin.
    Skills,
    /// Both.
    Mixed,
}

impl Exposure {
    /// Returns the word that definitions use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Skills => "skills",
            Self::Mixed => "mixed",
        }
    }
}

/// Where a definition comes from. A later origin beats an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub origin: Origin,
    /// The file; `None` for what is built in.
    pub file: Option<String>,
}

/// Whose a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    BuiltIn,
    Home,
    /// Counts only once the user has trusted it.
    Project,
}

impl Origin {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::Home => "home",
            Self::Project => "project",
        }
    }
}

impl Definition {
    /// A definition that says nothing but its slug.
    pub fn plain(slug: &str, source: Source) -> Self {
        Self {
            slug: slug.to_owned(),
            name: slug.to_owned(),
            description: None,
            icon: None,
            color: None,
            kind: Kind::Chat,
            provider: None,
            models: Vec::new(),
            effort: None,
            prompt: None,
            scope: Scope::default(),
            exposure: Exposure::Tools,
            skills: Lists::default(),
            agents: Lists::default(),
            ui_visible: true,
            api_exposed: false,
            is_subagent: false,
            permissions: None,
            guarded: false,
            ceiling: None,
            directory: None,
            route: None,
            source,
            lines: BTreeMap::new(),
        }
    }

    /// The built-in one: the harness as it is, and of our tools only those that a person has switched on.
    pub fn built_in() -> Self {
        let switched = |spec: &&tool::Spec| !spec.switches.is_empty() || !spec.default_switches.is_empty();
        let allow = tool::REGISTRY.iter().filter(|spec| spec.power.is_some() || switched(spec));
        Self {
            name: "Default".to_owned(),
            description: Some("The provider's agent, unmodified.".to_owned()),
            scope: Scope {
                tools: Lists {
                    allow: Some(allow.map(|spec| Glob::new(spec.name)).collect()),
                    deny: Vec::new(),
                },
                capabilities: Lists::default(),
            },
            ..Self::plain(DEFAULT, Source { origin: Origin::BuiltIn, file: None })
        }
    }

    /// Says whether it is built in.
    pub fn is_built_in(&self) -> bool {
        self.source.origin == Origin::BuiltIn
    }

    /// Says whether its agents run elsewhere: they have nothing of ours, neither tools nor a prompt.
    pub fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External { .. })
    }

    /// Returns the text that the prompt begins with, when the definition has something to say.
    pub fn base_prompt(&self) -> Option<String> {
        if let Some(prompt) = self.prompt.as_deref().filter(|prompt| !prompt.trim().is_empty()) {
            return Some(prompt.to_owned());
        }
        if self.source.origin == Origin::BuiltIn {
            return None;
        }
        Some(match &self.description {
            Some(description) => format!("You are {}. {description}", self.name),
            None => format!("You are {}.", self.name),
        })
    }

    /// Says whether agents and people read the same in it: its names and its prompt.
    pub fn says_the_same(&self, other: &Self) -> bool {
        (&self.name, &self.description, &self.prompt) == (&other.name, &other.description, &other.prompt)
    }

    /// Says whether an agent that follows this definition may talk to another one.
    pub fn sees(&self, other: &Self) -> bool {
        other.ui_visible && self.agents.pass(&other.slug)
    }

    /// Says whether `agentAllowlist` names a slug.
    pub fn names(&self, slug: &str) -> bool {
        self.agents.allow.iter().flatten().any(|glob| glob.matches(slug))
    }
}
