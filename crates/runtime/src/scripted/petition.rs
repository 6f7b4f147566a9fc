//! What the scripted agent in a terminal asks the daemon: leave for a command, and what tools answer. By the commands
//! that every other program in a terminal uses.

use std::process::Stdio;

use paseo_core::item::ToolOutcome;
use paseo_core::permission::{Power, Request, Shape};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::provider::Answer;

/// What the daemon says to a request.
#[derive(Debug)]
pub(super) enum Leave {
    Decided(Answer),
    /// The person at the terminal decides.
    Ask,
}

/// Asks for leave. Whatever goes wrong, there is none.
pub(super) async fn leave(request: &Request) -> Leave {
    let words = json!({
        "tool_name": request.tool,
        "tool_input": request.input,
        "tool_use_id": request.call,
    });
    let said = match paseo(&["leave"], &words).await {
        Ok(said) => said,
        Err(why) => return Leave::Decided(Answer::Deny { message: why }),
    };
    let said: Value = serde_json::from_str(&said).unwrap_or_default();
    let word = |name: &str| said["hookSpecificOutput"][name].as_str();
    match word("permissionDecision") {
        Some("allow") => Leave::Decided(Answer::Allow { input: request.input.clone(), message: None }),
        Some("ask") => Leave::Ask,
        _ => {
            let why = word("permissionDecisionReason").unwrap_or("Permission denied.");
            Leave::Decided(Answer::Deny { message: why.to_owned() })
        }
    }
}

/// Reads what [`leave`] asks for.
pub(super) fn requested(words: &Value) -> Result<Request, String> {
    let text = |name: &str| words.get(name).and_then(Value::as_str);
    let tool = text("tool_name").ok_or("the tool name is missing")?.to_owned();
    let input = words.get("tool_input").cloned().unwrap_or_default();
    let command = input.get("command").and_then(Value::as_str).ok_or("the command is missing")?;
    let shape = Shape::Command { command: command.to_owned() };
    let call = text("tool_use_id").unwrap_or_default().to_owned();
    Ok(Request { call, tool, power: Power::Shell, shape, input, form: None })
}

/// Calls a tool.
pub(super) async fn tool(name: &str, input: &Value) -> (ToolOutcome, String) {
    match paseo(&["tool", name, "--json", "-"], input).await {
        Ok(text) => (ToolOutcome::Ok, text),
        Err(why) => (ToolOutcome::Error, why),
    }
}

/// Runs a command of our own, and returns what it says; or why it did not do it.
#[allow(clippy::disallowed_methods)] // It ends by itself, and with the agent.
async fn paseo(words: &[&str], told: &Value) -> Result<String, String> {
    let run = async {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // Who does not read it says why.
            stdin.write_all(told.to_string().as_bytes()).await.ok();
        }
        child.wait_with_output().await
    };
    let ran = run.await.map_err(|error| format!("Not done: could not ask Paseo: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if ran.status.success() { Ok(text(&ran.stdout)) } else { Err(text(&ran.stderr)) }
}
