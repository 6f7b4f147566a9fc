//! Claude Code: one long-lived `claude -p` for each live session, spoken to in JSON lines.

mod adapt;
#[cfg(test)]
mod adapt_tests;
mod asks;
mod background;
mod commands;
mod cost;
mod ending;
mod history;
mod hooks;
mod login;
mod notices;
mod parse;
mod resident;
#[cfg(test)]
mod resident_tests;
mod say;
mod spawn;
mod tools;
mod transcript;
mod turns;
mod user;

use std::env;
use std::path::{Path, PathBuf};

use paseo_core::attachment::Accepts;
use paseo_core::permission::{Mode, Power, Request};
use serde_json::Value;

pub(crate) use self::adapt::COMMAND_VARIABLE;
use self::adapt::{Adapter, Session};
pub use self::hooks::settings as guarding_settings;
use self::resident::Resident;
pub(crate) use self::spawn::AS_ROOT;
use crate::driver;
use crate::fresh::Ids;
use crate::programs;
use crate::provider::{
    BoxFuture, Broken, Capabilities, Check, Harness, Launch, Lifetime, Memory, Options, Place, Provider,
    Readiness, StartError,
};
use crate::terminal;

const NAME: &str = "claude";

/// How hard it thinks, in its own words.
const EFFORTS: &[&str] = &["low", "medium", "high", "xhigh", "max"];

const INSTALL: &str = "install it with `npm install -g @anthropic-ai/claude-code`, or set `program` for the provider \
    `claude` in config.toml";
const LOG_IN: &str = "run `claude` and log in, or set ANTHROPIC_API_KEY for the daemon";

/// The provider `claude`.
#[derive(Debug, Clone, Default)]
pub struct Claude {
    options: Options,
}

impl Claude {
    /// Makes a provider with what people set for it.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    fn program(&self) -> Option<PathBuf> {
        programs::find(NAME, self.options.program.as_deref())
    }

    fn missing(&self) -> StartError {
        programs::missing(NAME, self.options.program.as_deref(), INSTALL)
    }

    async fn launch(&self, launch: Launch) -> Result<Harness, StartError> {
        if launch.attaches() {
            let (launch, home) = terminal::as_started(launch, self.options.isolated_home.as_deref()).await;
            let resident = Resident::new(&launch, home);
            return terminal::attach(launch, Box::new(resident)).await;
        }
        let program = self.program().ok_or_else(|| self.missing())?;
        let not_started = |error: std::io::Error| StartError {
            message: format!("cannot start Claude Code: {error}"),
            hint: Some(format!("check that {} is a directory", launch.directory.display())),
        };
        if launch.terminal.is_some() {
            return self.board(launch, &program).await;
        }
        let mut ids = Ids::fresh().map_err(not_started)?;
        let conversation = launch.resume.clone().unwrap_or_else(|| ids.uuid());
        let home = self.options.isolated_home.as_deref();
        let program = spawn::program(&launch, &program, home, &conversation)?;
        let session = Session {
            // The program tells where it is without the links on the way.
            directory: launch.directory.canonicalize().unwrap_or_else(|_| launch.directory.clone()),
            asks: launch.permissions != Mode::Full,
            guarded: launch.guarded,
            withheld: launch.withheld.clone(),
            servers: launch.servers.iter().map(|server| server.name.clone()).collect(),
            conversation,
            resumed: launch.resume.is_some(),
        };
        driver::start(program, Adapter::new(session, ids)).map_err(not_started)
    }

    /// Starts it in a terminal.
    async fn board(&self, launch: Launch, program: &Path) -> Result<Harness, StartError> {
        let home = self.options.isolated_home.as_deref();
        let resident = Resident::new(&launch, home);
        let boarding = resident.boarding(&launch, program, home)?;
        terminal::start(launch, boarding, Box::new(resident)).await
    }
}

/// For tests with the real program.
#[cfg(test)]
pub(crate) fn resident(launch: &Launch, program: &Path) -> Result<terminal::resident::Aboard, StartError> {
    let resident = Resident::new(launch, None);
    Ok((resident.boarding(launch, program, None)?, Box::new(resident)))
}

impl Provider for Claude {
    fn name(&self) -> &str {
        NAME
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            steer: true,
            resume: true,
            models: true,
            efforts: EFFORTS,
            permissions: &Mode::ALL,
            withholds: &Power::ALL,
            mcp: true,
            native_tools: false,
            memory: Memory::Own,
            thinking: true,
            cost: true,
            own_turns: true,
            answer_messages: true,
            guard: true,
            terminal: true,
            attachments: Accepts::ALL,
            lifetime: Lifetime::Pipe,
        }
    }

    fn readiness(&self) -> Readiness {
        let Some(program) = self.program() else {
            return Readiness::Missing { hint: INSTALL.to_owned() };
        };
        if login::found(self.options.isolated_home.as_deref(), |name| env::var_os(name)) {
            Readiness::Ready { program: Some(program) }
        } else {
            Readiness::NoLogin { program, hint: LOG_IN.to_owned() }
        }
    }

    fn version(&self) -> BoxFuture<'_, Result<Option<String>, Broken>> {
        Box::pin(async {
            let Some(program) = self.program() else { return Ok(None) };
            let said = programs::version(&program).await?;
            // `2.1.325 (Claude Code)`
            Ok(said.and_then(|said| said.split_whitespace().next().map(str::to_owned)))
        })
    }

    fn check(&self, request: &Check) -> Result<(), StartError> {
        if self.program().is_none() {
            return Err(self.missing());
        }
        if request.model.as_ref().is_some_and(|model| model.trim().is_empty()) {
            return Err(StartError {
                message: "the model name is empty".to_owned(),
                hint: Some("name a model, such as `opus` or `sonnet`, or leave it out".to_owned()),
            });
        }
        match &request.effort {
            Some(effort) if !EFFORTS.contains(&effort.as_str()) => Err(StartError {
                message: format!("Claude Code does not support the effort `{effort}`"),
                hint: Some(format!("use one of: {}", EFFORTS.join(", "))),
            }),
            _ => Ok(()),
        }
    }

    fn leave(&self, words: &Value, place: &Place<'_>) -> Result<Option<Request>, String> {
        hooks::leave(words, place)
    }

    fn start(&self, launch: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
        Box::pin(self.launch(launch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(effort: &str) -> Check {
        let directory = "/".into();
        Check { directory, model: None, effort: Some(effort.into()), permissions: Mode::Ask }
    }

    fn with_program(program: &str) -> Claude {
        Claude::new(Options { program: Some(program.into()), isolated_home: None })
    }

    #[test]
    fn an_unknown_effort_is_refused_with_those_that_are_known() {
        let claude = with_program("/bin/sh");
        let refused = claude.check(&check("heroic")).unwrap_err();
        assert!(refused.hint.unwrap().contains("low, medium, high, xhigh, max"));
        for effort in EFFORTS {
            assert_eq!(claude.check(&check(effort)), Ok(()));
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_missing_with_a_way_to_get_it() {
        let claude = with_program("/nowhere/claude");
        assert!(matches!(claude.readiness(), Readiness::Missing { hint } if hint.contains("npm install")));
        assert!(claude.check(&check("low")).unwrap_err().message.contains("/nowhere/claude"));
    }

    #[test]
    fn without_a_login_it_is_there_but_not_ready() {
        let home = tempfile::tempdir().unwrap();
        let options =
            Options { program: Some("/bin/sh".into()), isolated_home: Some(home.path().to_owned()) };
        let claude = Claude::new(options);
        // The person who runs the tests may be logged in by a variable.
        if !login::found(None, |name| (name != "HOME").then(|| env::var_os(name)).flatten()) {
            let expected = Readiness::NoLogin { program: "/bin/sh".into(), hint: LOG_IN.into() };
            assert_eq!(claude.readiness(), expected);
        }
        std::fs::write(home.path().join(".credentials.json"), "{}").unwrap();
        assert_eq!(claude.readiness(), Readiness::Ready { program: Some(Path::new("/bin/sh").into()) });
    }
}
