//! The driver: starts the agent process.

use std::path::{Path, PathBuf};

use paseo_core::permission::{Mode, Power};

use super::agent::{Arguments, read_start_file};
use crate::own_agent;
use crate::process::{self, Program};
use crate::provider::{
    BoxFuture, Capabilities, Check, Harness, Launch, Lifetime, Memory, Provider, Readiness, StartError,
};

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
            lifetime: Lifetime::Pipe,
        }
    }

    fn readiness(&self) -> Readiness {
        Readiness::Ready { program: None }
    }

    fn version(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async { None })
    }

    fn check(&self, request: &Check) -> Result<(), StartError> {
        script_path(&request.directory, request.model.as_deref()).map(drop)
    }

    fn start(&self, launch: Launch) -> BoxFuture<'_, Result<Harness, StartError>> {
        Box::pin(async move {
            let script = script_path(&launch.directory, launch.model.as_deref())?;
            let arguments = Arguments { session: launch.session, turns: launch.turns, script };
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
                message: format!("the scripted agent cannot be started: {error}"),
                hint: Some(format!("check that {} is a directory", launch.directory.display())),
            })?;
            Ok(own_agent::carry(process, NAME, None))
        })
    }
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
                "for this provider the model is the path of a script file, see docs/scripted.md".to_owned(),
            ),
        }),
    }
}
