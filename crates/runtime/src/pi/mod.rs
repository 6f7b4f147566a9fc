//! The provider `pi`: one `pi --mode rpc` for each live session, 0.73 and newer.
//!
//! | where | what |
//! |---|---|
//! | `spawn`, `version`, `login` | command line, environment, what our extension is told; which pi it is; whether a model can be asked |
//! | `extension.js` | our extension, which runs inside of pi: our tools, the question before each tool, why a model failed |
//! | `parse` | its lines |
//! | `adapt`, `events` | the state machine: the life of turns; what is said within them |
//! | `resident`, `record` | pi in a terminal; what our extension writes down there |
//! | `speech`, `calls`, `tools`, `diffs`, `asks`, `failure`, `out` | what the state machine is made of |
//!
//! Pi itself asks nobody for leave. Our extension does, before each tool, and what it does not hear of it blocks; so
//! every mode can be kept. Without it such a session fails instead of going on.

mod adapt;
mod asks;
mod calls;
mod diffs;
mod events;
mod failure;
mod images;
mod login;
mod out;
mod parse;
mod record;
mod resident;
mod spawn;
mod speech;
#[cfg(test)]
mod tests;
mod tools;
mod version;

use std::env;
use std::path::{Path, PathBuf};

use paseo_core::attachment::Accepts;
use paseo_core::permission::{Mode, Power, Request};
use serde_json::Value;

use adapt::{Conversation, Session};
use parse::Question;
use resident::Resident;
use spawn::Ground;
use version::Generation;

use crate::fresh::Ids;
use crate::process_table::HOME_VARIABLE;
use crate::provider::{
    BoxFuture, Broken, Capabilities, Check, Harness, Launch, Lifetime, Memory, Options, Place, Provider,
    Readiness, StartError,
};
use crate::{driver, placed, programs, terminal};

/// Our extension: the source of what runs inside of pi.
const EXTENSION: &str = include_str!("extension.js");

const NAME: &str = "pi";

/// How hard it thinks, in its own words. Newer ones know `max` too, as `model:max`.
const EFFORTS: [&str; 6] = ["off", "minimal", "low", "medium", "high", "xhigh"];

const INSTALL: &str = "install it with `npm install -g @earendil-works/pi-coding-agent`, or set `program` for the \
    provider `pi` in config.toml";
const LOG_IN: &str = "run `pi` and type `/login`, or set a key such as ANTHROPIC_API_KEY for the daemon";

/// The provider `pi`.
#[derive(Debug, Clone, Default)]
pub struct Pi {
    options: Options,
}

impl Pi {
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
            let (launch, _) = terminal::as_started(launch, self.options.isolated_home.as_deref()).await;
            let resident = Resident::new(&launch)?;
            return terminal::attach(launch, Box::new(resident)).await;
        }
        let program = self.program().ok_or_else(|| self.missing())?;
        let not_started = |error: std::io::Error| StartError {
            message: format!("cannot start pi: {error}"),
            hint: Some(format!("check that {} is a directory", launch.directory.display())),
        };
        let generation = generation(&program).await;
        refuse_untrusted(generation, &launch)?;
        // It would begin a new conversation in a file that is not there, without a word.
        let (conversation, lost) = match launch.resume.clone() {
            Some(file) if Path::new(&file).is_file() => (Some(file), None),
            lost => (None, lost),
        };
        let ground = Ground {
            program,
            generation,
            isolated_home: self.options.isolated_home.as_deref(),
            extension: place_extension(&launch)?,
            conversation: conversation.as_deref(),
            record: None,
        };
        if launch.terminal.is_some() {
            return match lost {
                Some(lost) => Err(StartError {
                    message: format!("pi's session file no longer exists: {lost}"),
                    hint: Some("start a new agent".to_owned()),
                }),
                None => board(launch, ground).await,
            };
        }
        let program = spawn::program(&launch, &ground)?;
        let lacks_resizer = images::lacks_resizer(&ground.program);
        let session = Session {
            directory: launch.directory.canonicalize().unwrap_or_else(|_| launch.directory.clone()),
            needs_extension: spawn::asks(&launch) || !launch.servers.is_empty(),
            conversation,
            lost,
            patience: launch.patience,
            lacks_resizer,
        };
        let ids = Ids::fresh().map_err(not_started)?;
        driver::start(program, Conversation::new(session, ids)).map_err(not_started)
    }
}

/// Starts it in a terminal.
async fn board(launch: Launch, ground: Ground<'_>) -> Result<Harness, StartError> {
    let resident = Resident::new(&launch)?;
    let boarding = resident.boarding(&launch, ground)?;
    terminal::start(launch, boarding, Box::new(resident)).await
}

/// Refuses to ask people about an agent whose project decides what is run along with what they allow.
///
/// An older pi takes a project's settings without asking whether it is trusted, and there they can put a command before
/// each command, or name packages to install.
fn refuse_untrusted(generation: Generation, launch: &Launch) -> Result<(), StartError> {
    let settings = launch.directory.join(".pi/settings.json");
    if generation == Generation::Recent || !spawn::asks(launch) || !settings.exists() {
        return Ok(());
    }
    Err(StartError {
        message: format!("this version of pi runs the contents of {} without asking", settings.display()),
        hint: Some(
            "install pi 1.0 or newer, remove that file, or start the agent with `--permissions full`"
                .to_owned(),
        ),
    })
}

async fn generation(program: &Path) -> Generation {
    let version = match version::in_package(program) {
        Some(version) => Some(version),
        None => programs::version(program).await.ok().flatten(),
    };
    version.map_or(Generation::Early, |version| Generation::of(&version))
}

/// Returns the home of the daemon.
fn our_home(launch: &Launch) -> Result<&str, StartError> {
    let home = launch.environment.iter().rfind(|(name, _)| name == HOME_VARIABLE);
    let nowhere = || StartError {
        message: "cannot write pi's extension: no home directory is set".to_owned(),
        hint: None,
    };
    home.map(|(_, home)| home.as_str()).ok_or_else(nowhere)
}

fn place_extension(launch: &Launch) -> Result<PathBuf, StartError> {
    let home = our_home(launch)?;
    placed::place(&Path::new(home).join(NAME), EXTENSION).map_err(|error| StartError {
        message: format!("cannot write Paseo's extension for pi below {home}: {error}"),
        hint: Some("check that the directory is writable and the disk is not full".to_owned()),
    })
}

/// For tests with the real program.
#[cfg(test)]
pub(crate) fn resident(launch: &Launch, program: &Path) -> Result<terminal::resident::Aboard, StartError> {
    let ground = Ground {
        program: program.to_owned(),
        generation: Generation::of(&version::in_package(program).unwrap_or_default()),
        isolated_home: None,
        extension: place_extension(launch)?,
        conversation: launch.resume.as_deref(),
        record: None,
    };
    let resident = Resident::new(launch)?;
    Ok((resident.boarding(launch, ground)?, Box::new(resident)))
}

impl Provider for Pi {
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
            cost: true,
            own_turns: true,
            answer_messages: true,
            guard: true,
            terminal: true,
            attachments: Accepts::IMAGES_AND_TEXT,
            lifetime: Lifetime::Pipe,
        }
    }

    fn readiness(&self) -> Readiness {
        let Some(program) = self.program() else { return Readiness::Missing { hint: INSTALL.to_owned() } };
        if login::is_there(self.options.isolated_home.as_deref(), |name| env::var_os(name)) {
            return Readiness::Ready { program: Some(program) };
        }
        Readiness::NoLogin { program, hint: LOG_IN.to_owned() }
    }

    fn version(&self) -> BoxFuture<'_, Result<Option<String>, Broken>> {
        Box::pin(async {
            let Some(program) = self.program() else { return Ok(None) };
            match version::in_package(&program) {
                Some(version) => Ok(Some(version)),
                None => programs::version(&program).await,
            }
        })
    }

    fn check(&self, request: &Check) -> Result<(), StartError> {
        self.program().ok_or_else(|| self.missing())?;
        if request.model.as_ref().is_some_and(|model| model.trim().is_empty()) {
            return Err(StartError {
                message: "the model name is empty".to_owned(),
                hint: Some("name a model, such as anthropic/claude-sonnet-4-5, or leave it out".to_owned()),
            });
        }
        if let Some(effort) = request.effort.as_deref().filter(|effort| !EFFORTS.contains(effort)) {
            return Err(StartError {
                message: format!("pi does not support the effort `{effort}`"),
                hint: Some(format!("choose one of {}", EFFORTS.join(", "))),
            });
        }
        Ok(())
    }

    fn leave(&self, words: &Value, place: &Place<'_>) -> Result<Option<Request>, String> {
        let question: Question = serde_json::from_value(words.clone()).map_err(|error| error.to_string())?;
        Ok(Some(tools::request(question.call.clone(), question, place.directory)))
    }

    fn start(&self, launch: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
        Box::pin(self.launch(launch))
    }
}

#[cfg(test)]
mod provider_tests {
    use super::*;

    fn check(effort: &str) -> Check {
        Check { directory: "/".into(), model: None, effort: Some(effort.into()), permissions: Mode::Ask }
    }

    fn with_program(program: &str) -> Pi {
        Pi::new(Options { program: Some(program.into()), isolated_home: None })
    }

    #[test]
    fn an_unknown_effort_or_a_model_without_a_name_is_refused() {
        let pi = with_program("/bin/sh");
        assert!(pi.check(&check("heroic")).unwrap_err().hint.unwrap().contains("minimal, low"));
        assert!(EFFORTS.iter().all(|effort| pi.check(&check(effort)).is_ok()));
        let nameless = Check { model: Some(" ".into()), effort: None, ..check("low") };
        assert!(pi.check(&nameless).unwrap_err().hint.unwrap().contains("leave it out"));
    }

    #[test]
    fn a_program_that_is_not_there_is_missing_with_a_way_to_get_it() {
        let pi = with_program("/nowhere/pi");
        assert!(matches!(pi.readiness(), Readiness::Missing { hint } if hint.contains("npm install")));
        assert!(pi.check(&check("low")).unwrap_err().message.contains("/nowhere/pi"));
    }

    #[test]
    fn what_a_project_runs_unasked_is_refused_where_people_are_to_be_asked() {
        let project = tempfile::tempdir().unwrap();
        let launch = |permissions| Launch { permissions, ..tests::launch(project.path()) };
        assert_eq!(refuse_untrusted(Generation::Early, &launch(Mode::Ask)), Ok(()));
        std::fs::create_dir(project.path().join(".pi")).unwrap();
        std::fs::write(project.path().join(".pi/settings.json"), "{}").unwrap();
        for (generation, mode, refused) in [
            (Generation::Early, Mode::Ask, true),
            (Generation::Early, Mode::ReadOnly, true),
            (Generation::Early, Mode::Full, false),
            (Generation::Recent, Mode::Ask, false),
        ] {
            assert_eq!(
                refuse_untrusted(generation, &launch(mode)).is_err(),
                refused,
                "{generation:?} {mode:?}"
            );
        }
    }
}
