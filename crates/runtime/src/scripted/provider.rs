//! The driver: starts the agent process and turns its lines into [`Output`].

use std::io;
use std::path::{Path, PathBuf};

use paseo_core::item::{Draft, Kind};
use paseo_core::permission::{Mode, Power};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;

use super::agent::{Arguments, read_start_file};
use super::protocol::{Report, Request};
use crate::fresh::item_id;
use crate::lines::{Damage, Line};
use crate::process::{self, ProcessOutput, Program};
use crate::provider::{
    BoxFuture, Capabilities, Check, Harness, Input, Launch, Lifetime, Output, Provider, Readiness, StartError,
};

const NAME: &str = "scripted";

/// How many inputs or outputs may wait.
const QUEUE: usize = 64;

/// The scripted provider.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scripted;

impl Provider for Scripted {
    fn name(&self) -> &'static str {
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
                removed: Vec::new(),
            })
            .map_err(|error| StartError {
                message: format!("the scripted agent cannot be started: {error}"),
                hint: Some(format!("check that {} is a directory", launch.directory.display())),
            })?;
            let (input, inputs) = mpsc::channel(QUEUE);
            let (outputs, output) = mpsc::channel(QUEUE);
            tokio::spawn(write_requests(inputs, process.stdin));
            tokio::spawn(read_reports(process.output, outputs));
            Ok(Harness { input, output, shim: process.shim, control: process.control })
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

async fn write_requests(mut inputs: mpsc::Receiver<Input>, mut stdin: pipe::Sender) -> io::Result<()> {
    while let Some(input) = inputs.recv().await {
        let mut line = serde_json::to_vec(&Request(input))?;
        line.push(b'\n');
        stdin.write_all(&line).await?;
    }
    Ok(())
}

async fn read_reports(mut process: ProcessOutput, outputs: mpsc::Sender<Output>) {
    let mut step = 0;
    while let Some(line) = process.next().await {
        for output in adapt(line, &mut step) {
            // Nobody listens any more; the program still has to be watched to its end.
            if outputs.send(output).await.is_err() {
                break;
            }
        }
    }
    outputs.send(Output::Exited(process.finish().await)).await.ok();
}

/// Returns what a line means. One that is not the protocol is kept as it came.
fn adapt(line: Line, step: &mut u32) -> Vec<Output> {
    if let Ok(Report(output)) = serde_json::from_str(&line.text) {
        if let Output::Item { step: current, .. } = &output {
            *step = *current;
        }
        return vec![output];
    }
    let mut drafts = Vec::new();
    if let Some(Damage::TooLong { bytes }) = line.damage {
        let text = format!("The agent wrote a line of {bytes} bytes; only its beginning was kept.");
        drafts.push(Draft::text(Kind::Notice { code: "line_too_long".to_owned() }, text));
    }
    drafts.push(Draft::text(Kind::Raw { provider: NAME.to_owned() }, line.text));
    let items = drafts.into_iter().filter_map(|draft| {
        let id = item_id().ok()?;
        Some(Output::Item { id, step: *step, parent: None, draft })
    });
    items.collect()
}
