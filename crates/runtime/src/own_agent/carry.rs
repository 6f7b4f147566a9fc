//! The provider's side: carries requests to the agent process, and its reports back.

use std::io;

use paseo_core::item::Draft;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;

use super::protocol::{Report, Request};
use crate::driver;
use crate::fresh::item_id;
use crate::lines::Line;
use crate::process::{Process, ProcessOutput};
use crate::provider::{Harness, Input, Output};

/// How many inputs or outputs may wait.
const QUEUE: usize = 64;

/// Connects a process that was just started. `first` is a line that it gets before everything else.
pub(crate) fn carry(process: Process, provider: &'static str, first: Option<String>) -> Harness {
    let (input, inputs) = mpsc::channel(QUEUE);
    let (outputs, output) = mpsc::channel(QUEUE);
    tokio::spawn(write_requests(inputs, process.stdin, first));
    tokio::spawn(read_reports(process.output, outputs, provider));
    Harness { input, output, shim: Some(process.shim), control: process.control }
}

async fn write_requests(
    mut inputs: mpsc::Receiver<Input>,
    mut stdin: pipe::Sender,
    first: Option<String>,
) -> io::Result<()> {
    if let Some(first) = first {
        stdin.write_all(first.as_bytes()).await?;
        stdin.write_all(b"\n").await?;
    }
    while let Some(input) = inputs.recv().await {
        let mut line = serde_json::to_vec(&Request(input))?;
        line.push(b'\n');
        stdin.write_all(&line).await?;
    }
    Ok(())
}

async fn read_reports(mut process: ProcessOutput, outputs: mpsc::Sender<Output>, provider: &'static str) {
    let mut step = 0;
    while let Some(line) = process.next().await {
        for output in adapt(&line, &mut step, provider) {
            // The receiver is gone; the program still has to be watched to its end.
            if outputs.send(output).await.is_err() {
                break;
            }
        }
    }
    outputs.send(Output::Exited(process.finish().await)).await.ok();
}

/// Returns what a line means. One that is not the protocol is kept as it came.
fn adapt(line: &Line, step: &mut u32, provider: &str) -> Vec<Output> {
    if let Ok(Report(output)) = serde_json::from_str(&line.text) {
        if let Output::Item { step: current, .. } = &output {
            *step = *current;
        }
        return vec![output];
    }
    let item = |draft: Draft| Some(Output::Item { id: item_id().ok()?, step: *step, parent: None, draft });
    driver::unreadable(line, provider).into_iter().filter_map(item).collect()
}
