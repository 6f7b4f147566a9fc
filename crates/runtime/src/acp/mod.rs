//! The provider for agents that speak the Agent Client Protocol: one process for each live session.
//!
//! | where | what |
//! |---|---|
//! | `preset`, `opencode` | what is known of some agents beyond the protocol |
//! | `setup` | what a session is opened with, and what is set in it then |
//! | `parse`, `failure` | their messages; why something failed |
//! | `adapt`, `opening`, `notes`, `requests` | the state machine: the life of turns; how the session is opened; what is said; what is wanted of us |
//! | `calls`, `own_tools`, `asks`, `out` | what the state machine is made of |

mod adapt;
mod asks;
mod calls;
mod failure;
mod notes;
mod opencode;
mod opening;
mod out;
mod own_tools;
mod parse;
mod preset;
mod requests;
mod retries;
mod setup;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use paseo_core::attachment::Accepts;
use paseo_core::definition::EFFORTS;

use adapt::Conversation;
pub use preset::{Asks, PRESETS, Preset, find};
use preset::{PLAIN, Wants, pair};
use setup::Setup;

use crate::fresh::Ids;
use crate::process::Program;
use crate::process_table::HOME_VARIABLE;
use crate::provider::{
    BoxFuture, Broken, Capabilities, Check, Harness, Launch, Lifetime, Memory, Provider, Readiness,
    StartError,
};
use crate::{claude, codex, driver, placed, programs};

/// An agent that speaks ACP, by a name of the user's or of ours.
#[derive(Debug, Clone)]
pub struct Acp {
    name: String,
    preset: &'static Preset,
    /// Program and arguments.
    command: Vec<String>,
    /// The agent's mode for full agency, instead of the preset's.
    mode: Option<String>,
    asks: Asks,
    environment: BTreeMap<String, String>,
}

/// What people say about an agent that they add.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agent {
    /// Program and arguments.
    pub command: Vec<String>,
    /// The name of what is known of it.
    pub preset: Option<String>,
    /// Its mode for full agency.
    pub mode: Option<String>,
    /// It asks before it changes anything.
    pub asks: bool,
    /// Set in its environment.
    pub environment: BTreeMap<String, String>,
}

impl Acp {
    /// Makes the provider for an agent that is known.
    pub fn known(preset: &'static Preset) -> Self {
        let command = std::iter::once(preset.program).chain(preset.arguments.iter().copied());
        Self {
            name: preset.name.to_owned(),
            preset,
            command: command.map(str::to_owned).collect(),
            mode: None,
            asks: preset.asks,
            environment: BTreeMap::new(),
        }
    }

    /// Makes the provider for an agent that someone added.
    pub fn added(name: &str, agent: Agent) -> Self {
        let preset = find(agent.preset.as_deref().unwrap_or(name)).unwrap_or(&PLAIN);
        let asks = if agent.asks && preset.asks == Asks::Never { Asks::BeforeChanges } else { preset.asks };
        let known = Self::known(preset);
        let command = if agent.command.is_empty() { known.command } else { agent.command };
        Self {
            name: name.to_owned(),
            command,
            mode: agent.mode,
            asks,
            environment: agent.environment,
            ..known
        }
    }

    fn program(&self) -> Option<PathBuf> {
        let program = self.command.first()?;
        programs::find(program, Some(Path::new(program)))
    }

    /// Puts our plugin where opencode finds it; `None` for others, and while opencode would be slow to load it.
    fn place_plugin(
        &self,
        launch: &Launch,
        inherited: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<PathBuf>, StartError> {
        let home = launch.environment.iter().rfind(|(name, _)| name == HOME_VARIABLE).map(|(_, home)| home);
        let wants = self.preset.name == opencode::NAME
            && opencode::loads_plugins_at_once(&launch.directory, inherited);
        let Some(home) = home.filter(|_| wants) else { return Ok(None) };
        let placed = placed::place(&Path::new(home).join(opencode::NAME), opencode::PLUGIN);
        placed.map(Some).map_err(|error| StartError {
            message: format!("cannot write Paseo's plugin for opencode: {error}"),
            hint: None,
        })
    }

    fn missing(&self) -> StartError {
        let program = self.command.first().map_or("", String::as_str);
        programs::missing(program, Some(Path::new(program)), self.preset.install)
    }

    fn process(&self, launch: &Launch, program: PathBuf) -> Result<Program, StartError> {
        let inherited = |name: &str| {
            let own = self.environment.get(name).cloned();
            own.or_else(|| std::env::var(name).ok())
        };
        let plugin = self.place_plugin(launch, &inherited)?;
        let wants = Wants {
            permissions: launch.permissions,
            withheld: &launch.withheld,
            prompt: &launch.prompt,
            servers: &launch.servers,
            directory: &launch.directory,
            plugin: plugin.as_deref(),
            inherited: &inherited,
        };
        let own = self.environment.iter().map(|(name, value)| (name.clone(), value.clone()));
        // What marks our processes, and what holds them back, is not theirs to change.
        let as_root = self.as_root(launch).map(|(name, value)| pair(name, value));
        let environment =
            own.chain(launch.environment.clone()).chain(as_root).chain(self.preset.environment(&wants)?);
        Ok(Program {
            shim: launch.executable.clone(),
            program: program.into_os_string(),
            arguments: self.command.iter().skip(1).map(OsString::from).collect(),
            directory: launch.directory.clone(),
            session: launch.session,
            environment: environment.collect(),
            // We may run under an agent ourselves.
            removed: [
                &["CLAUDECODE", claude::COMMAND_VARIABLE, codex::COMMAND_VARIABLE].map(str::to_owned),
                &launch.removed[..],
            ]
            .concat(),
        })
    }

    /// Returns what lets an agent do everything as root that would refuse to: `full` was chosen on purpose.
    fn as_root(&self, launch: &Launch) -> Option<(&'static str, &'static str)> {
        self.preset.as_root.filter(|_| launch.permissions.is_full() && rustix::process::geteuid().is_root())
    }

    /// Refuses a project that would undo what an agent is held back from.
    async fn refuse_untrusted(&self, launch: &Launch, program: &Path) -> Result<(), StartError> {
        if self.preset.name != opencode::NAME || opencode::project_configuration(launch).is_none() {
            return Ok(());
        }
        // Of what starts it in another way nobody knows what would answer.
        let version = match program.file_name() {
            Some(name) if name == self.preset.program => programs::version(program).await.ok().flatten(),
            _ => None,
        };
        opencode::refuse_untrusted(version.as_deref(), launch)
    }
}

impl Provider for Acp {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            steer: false,
            resume: self.preset.resume,
            models: true,
            efforts: if self.preset.efforts { &EFFORTS } else { &[] },
            permissions: self.asks.modes(),
            withholds: self.asks.withholds(),
            mcp: self.preset.mcp,
            native_tools: false,
            memory: Memory::Own,
            thinking: true,
            cost: true,
            own_turns: false,
            answer_messages: false,
            // What it does not ask about, nobody can keep it from.
            guard: self.asks != Asks::Never,
            terminal: false,
            attachments: Accepts::IMAGES_AND_TEXT,
            lifetime: Lifetime::Pipe,
        }
    }

    /// Whether someone is logged in shows only when it is asked to work.
    fn readiness(&self) -> Readiness {
        match self.program() {
            Some(program) => Readiness::Ready { program: Some(program) },
            None => Readiness::Missing { hint: self.preset.install.to_owned() },
        }
    }

    fn version(&self) -> BoxFuture<'_, Result<Option<String>, Broken>> {
        Box::pin(async {
            // What a command of the user's would do with the question nobody knows.
            if self.command.first().map(String::as_str) != Some(self.preset.program) {
                return Ok(None);
            }
            match self.program() {
                Some(program) => programs::version(&program).await,
                None => Ok(None),
            }
        })
    }

    fn check(&self, _: &Check) -> Result<(), StartError> {
        self.program().map(drop).ok_or_else(|| self.missing())
    }

    fn start(&self, launch: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
        Box::pin(async move {
            let program = self.program().ok_or_else(|| self.missing())?;
            let not_started = |error: std::io::Error| StartError {
                message: format!("cannot start {}: {error}", self.name),
                hint: Some(format!("check that {} is a directory", launch.directory.display())),
            };
            self.refuse_untrusted(&launch, &program).await?;
            let process = self.process(&launch, program)?;
            let ids = Ids::fresh().map_err(not_started)?;
            let mut setup = Setup::new(&self.name, self.preset, self.mode.clone(), &launch);
            setup.as_root = self.as_root(&launch);
            let adapter = Conversation::new(setup, launch.turns, ids);
            driver::start(process, adapter).map_err(not_started)
        })
    }
}
