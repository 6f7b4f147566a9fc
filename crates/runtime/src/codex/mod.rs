//! The provider `codex`: one `codex app-server` for each live session.
//!
//! | where | what |
//! |---|---|
//! | `spawn`, `login` | program, environment, parameters of threads and turns; whether someone is logged in |
//! | `parse` | its messages |
//! | `adapt`, `notes` | the state machine: the life of thread and turns; what is said within them |
//! | `items`, `open`, `children`, `usage`, `failure`, `out` | what the state machine is made of |
//! | `resident`, `rollout` | codex in a terminal; what it writes down there |
//! | `asks`, `hooks`, `reading` | what codex asks leave for; what it asks before each tool when it is guarded; which commands only read |

mod adapt;
mod asks;
mod calls;
mod children;
mod failure;
mod hooks;
mod items;
mod login;
mod notes;
mod open;
mod out;
mod parse;
mod reading;
mod resident;
mod rollout;
mod spawn;
#[cfg(test)]
mod tests;
mod usage;

use std::path::{Path, PathBuf};

use paseo_core::attachment::Accepts;
use paseo_core::permission::{Mode, Power, Request};
use serde_json::Value;

use adapt::Conversation;
pub use hooks::guarding_arguments;
use resident::Resident;
pub(crate) use spawn::COMMAND_VARIABLE;
use spawn::Setup;

use crate::fresh::Ids;
use crate::provider::{
    BoxFuture, Broken, Capabilities, Check, Harness, Launch, Lifetime, Memory, Options, Place, Provider,
    Readiness, StartError,
};
use crate::{driver, models, programs, terminal};

const NAME: &str = "codex";

const INSTALL: &str = "install it with `npm install -g @openai/codex`, or set `program` for the provider `codex` in config.toml";

/// The words that its models know; which of them a model takes differs.
const EFFORTS: [&str; 8] = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/// The provider for OpenAI's Codex.
#[derive(Debug, Clone, Default)]
pub struct Codex {
    options: Options,
}

impl Codex {
    /// Makes a provider.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    fn program(&self) -> Option<PathBuf> {
        programs::find(NAME, self.options.program.as_deref()).map(spawn::native)
    }

    fn missing(&self) -> StartError {
        programs::missing(NAME, self.options.program.as_deref(), INSTALL)
    }

    /// Starts it in a terminal.
    async fn board(&self, launch: Launch, program: PathBuf) -> Result<Harness, StartError> {
        let resident = Resident::new(&launch, self.isolated_home());
        let boarding = Resident::boarding(&launch, program, self.isolated_home())?;
        terminal::start(launch, boarding, Box::new(resident)).await
    }

    fn isolated_home(&self) -> Option<&Path> {
        self.options.isolated_home.as_deref()
    }
}

/// For tests with the real program.
#[cfg(test)]
pub(crate) fn resident(launch: &Launch, program: &Path) -> Result<terminal::resident::Aboard, StartError> {
    let boarding = Resident::boarding(launch, program.to_owned(), None)?;
    Ok((boarding, Box::new(Resident::new(launch, None))))
}

impl Provider for Codex {
    fn name(&self) -> &str {
        NAME
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            steer: true,
            resume: true,
            models: true,
            efforts: &EFFORTS,
            permissions: &Mode::ALL,
            withholds: &Power::ALL,
            mcp: true,
            native_tools: false,
            memory: Memory::Own,
            thinking: true,
            cost: false,
            own_turns: true,
            answer_messages: false,
            guard: true,
            terminal: true,
            attachments: Accepts::IMAGES_AND_TEXT,
            lifetime: Lifetime::Pipe,
        }
    }

    fn readiness(&self) -> Readiness {
        let Some(program) = self.program() else { return Readiness::Missing { hint: INSTALL.to_owned() } };
        let home = login::home(self.isolated_home());
        if login::is_there(home.as_deref(), |name| std::env::var_os(name)) {
            return Readiness::Ready { program: Some(program) };
        }
        let home = self.isolated_home().map(|home| format!("CODEX_HOME={} ", home.display()));
        let hint = format!("run `{}codex login`", home.unwrap_or_default());
        Readiness::NoLogin { program, hint }
    }

    fn models(&self, ask: models::Ask) -> BoxFuture<'_, Result<models::Offered, models::Error>> {
        Box::pin(async move {
            let Some(program) = self.program() else { return Err(models::Error::Unset(self.missing())) };
            let talk = spawn::listing(program, self.isolated_home(), ask.removed);
            let (models, more) = models::talk(talk, spawn::listed).await?;
            Ok(models::offered(models::Source::Harness, models, more))
        })
    }

    fn version(&self) -> BoxFuture<'_, Result<Option<String>, Broken>> {
        Box::pin(async {
            match self.program() {
                Some(program) => programs::version(&program).await,
                None => Ok(None),
            }
        })
    }

    fn check(&self, request: &Check) -> Result<(), StartError> {
        self.program().ok_or_else(|| self.missing())?;
        if let Some(effort) = request.effort.as_deref().filter(|effort| !EFFORTS.contains(effort)) {
            return Err(StartError {
                message: format!("codex does not support the effort `{effort}`"),
                hint: Some(format!("choose one of {}", EFFORTS.join(", "))),
            });
        }
        Ok(())
    }

    fn leave(&self, words: &Value, place: &Place<'_>) -> Result<Option<Request>, String> {
        hooks::leave(words, place)
    }

    fn start(&self, launch: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
        Box::pin(async move {
            if launch.attaches() {
                let (launch, home) = terminal::as_started(launch, self.isolated_home()).await;
                let resident = Resident::new(&launch, home);
                return terminal::attach(launch, Box::new(resident)).await;
            }
            let program = self.program().ok_or_else(|| self.missing())?;
            if launch.terminal.is_some() {
                return self.board(launch, program).await;
            }
            let not_started = |error: std::io::Error| StartError {
                message: format!("cannot start codex: {error}"),
                hint: Some(format!("check that {} is a directory", launch.directory.display())),
            };
            let ids = Ids::fresh().map_err(not_started)?;
            let adapter = Conversation::new(Setup::new(&launch), ids);
            let program = spawn::program(&launch, program, self.isolated_home());
            driver::start(program, adapter).map_err(not_started)
        })
    }
}
