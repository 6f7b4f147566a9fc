//! The driver: starts the agent process.

use std::path::{Path, PathBuf};

use paseo_core::attachment::Accepts;
use paseo_core::permission::{Mode, Power, Request};
use serde_json::Value;

use super::agent::{Arguments, read_start_file};
use super::front::Front;
use super::petition::requested;
use super::resident::Resident;
use crate::fresh::Ids;
use crate::own_agent;
use crate::process::{self, Program};
use crate::process_table::HOME_VARIABLE;
use crate::provider::{
    BoxFuture, Broken, Capabilities, Check, Harness, Launch, Lifetime, Memory, Place, Provider, Readiness,
    StartError,
};
use crate::terminal::{self, resident::Boarding};

const NAME: &str = "scripted";

/// The scripted provider.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scripted;

impl Provider for Scripted {
    fn name(&self) -> &str {
        NAME
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            steer: true,
            resume: true,
            models: true,
            efforts: &[],
            permissions: &Mode::ALL,
            // It has a shell and nothing else, and asks before each command.
            withholds: &Power::ALL,
            mcp: false,
            // Its script names them.
            native_tools: false,
            memory: Memory::Own,
            thinking: true,
            cost: true,
            own_turns: false,
            answer_messages: true,
            guard: true,
            terminal: true,
            attachments: Accepts::ALL,
            lifetime: Lifetime::Pipe,
        }
    }

    fn readiness(&self) -> Readiness {
        Readiness::Ready { program: None }
    }

    fn version(&self) -> BoxFuture<'_, Result<Option<String>, Broken>> {
        Box::pin(async { Ok(None) })
    }

    fn check(&self, request: &Check) -> Result<(), StartError> {
        script_path(&request.directory, request.model.as_deref()).map(drop)
    }

    fn leave(&self, words: &Value, _place: &Place<'_>) -> Result<Option<Request>, String> {
        requested(words).map(Some)
    }

    fn start(&self, launch: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
        Box::pin(async move {
            if launch.attaches() {
                let (launch, _) = terminal::as_started(launch, None).await;
                let resident = Resident { record: record(&launch)? };
                return terminal::attach(launch, Box::new(resident)).await;
            }
            let script = script_path(&launch.directory, launch.model.as_deref())?;
            let mut arguments = Arguments { turns: launch.turns, script, front: None };
            if launch.terminal.is_some() {
                let record = record(&launch)?;
                let asks = launch.guarded || launch.permissions != Mode::Full || !launch.withheld.is_empty();
                arguments.front = Some(Front { record: record.clone(), asks });
                let boarding = Boarding {
                    program: launch.executable.clone(),
                    arguments: arguments.words(),
                    environment: Vec::new(),
                    removed: Vec::new(),
                };
                return terminal::start(launch, boarding, Box::new(Resident { record })).await;
            }
            let process = process::start(Program {
                shim: launch.executable.clone(),
                program: launch.executable.into_os_string(),
                arguments: arguments.words(),
                directory: launch.directory.clone(),
                session: launch.session,
                environment: launch.environment,
                removed: launch.removed,
            })
            .map_err(|error| StartError {
                message: format!("cannot start the scripted agent: {error}"),
                hint: Some(format!("check that {} is a directory", launch.directory.display())),
            })?;
            Ok(own_agent::carry(process, NAME, None))
        })
    }
}

/// Returns where an agent in a terminal writes its session down. The path stands in a command line, so it does not tell
/// the session's id.
fn record(launch: &Launch) -> Result<PathBuf, StartError> {
    let home = terminal::variable(launch, HOME_VARIABLE).ok_or_else(|| StartError {
        message: "the scripted agent has no home directory for its session file".to_owned(),
        hint: None,
    })?;
    let name = Ids::derived(&[NAME, &launch.session.to_string()]).uuid();
    Ok(PathBuf::from(home).join(NAME).join(format!("{name}.jsonl")))
}

/// Returns the start file that the model names, if it is one that can be run.
fn script_path(directory: &Path, model: Option<&str>) -> Result<Option<PathBuf>, StartError> {
    let Some(model) = model else { return Ok(None) };
    let path = directory.join(model);
    match read_start_file(&path) {
        Ok(_) => Ok(Some(path)),
        Err(message) => Err(StartError {
            message,
            hint: Some(
                "for this provider, the model is the path of a script file; see \"The scripted provider\" in the \
                 documentation"
                    .to_owned(),
            ),
        }),
    }
}
