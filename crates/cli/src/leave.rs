//! `paseo leave`: the hook of a harness in a terminal, which must ask before it uses a tool.
//!
//! It is told on stdin what is to be done, asks the daemon and answers in the hook's words. Whatever goes wrong, the tool
//! is not used: that is what 2 means to the program that started it.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use paseo_client::Client;
use paseo_wire::permission::{CheckPermission, CheckedPermission};
use serde_json::{Map, Value, json};

/// How long the daemon may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Stops the tool.
const BLOCKED: u8 = 2;

/// The most that is read.
const LIMIT: u64 = 64 * 1024 * 1024;

/// What the daemon looks at, however long it is. Of anything else it is told how it begins.
const WHOLE: [&str; 5] = ["command", "file_path", "notebook_path", "path", "url"];
const HEAD_CHARS: usize = 2_000;

/// When a harness asks, and what it wants to hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hook {
    /// Before it uses a tool.
    Before,
    /// Then, too, by one that knows no word but no.
    Denials,
    /// In place of the person at the terminal, who is asked if we say nothing.
    Instead,
}

/// Answers one hook.
pub(crate) fn run() -> ExitCode {
    let has = |flag: &str| std::env::args_os().any(|word| word == flag);
    let hook = match () {
        () if has("--denials") => Hook::Denials,
        () if has("--instead") => Hook::Instead,
        () => Hook::Before,
    };
    let said = decide().and_then(|answer| match told(hook, answer)? {
        Some(words) => Ok(write!(std::io::stdout(), "{words}")?),
        None => Ok(()),
    });
    match said {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There may be no reader; the code says it, too.
            let _ = writeln!(std::io::stderr(), "Not done: cannot ask Paseo for permission: {error}");
            ExitCode::from(BLOCKED)
        }
    }
}

fn decide() -> Result<CheckedPermission, Box<dyn std::error::Error>> {
    let variable = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
    let (session, home) = (variable("PASEO_SESSION")?, PathBuf::from(variable("PASEO_HOME")?));
    let mut text = String::new();
    std::io::stdin().take(LIMIT).read_to_string(&mut text)?;
    let asked = CheckPermission(shortened(serde_json::from_str(&text)?));
    let client = Client::unix(home.join("daemon.sock")).with_patience(PATIENCE);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(client.ask_leave(&session, &asked))?)
}

/// Says it in the words of the hook; `None` where silence says it.
fn told(hook: Hook, answer: CheckedPermission) -> Result<Option<Value>, String> {
    let CheckedPermission { decision, reason } = answer;
    if !["allow", "deny", "ask"].contains(&decision.as_str()) {
        return Err(format!("unexpected answer: {decision}"));
    }
    let output = match (hook, decision.as_str()) {
        (Hook::Denials, "allow" | "ask") | (Hook::Instead, "ask") => return Ok(None),
        (Hook::Before | Hook::Denials, _) => {
            let mut output = json!({ "hookEventName": "PreToolUse", "permissionDecision": decision });
            if let Some(reason) = reason {
                output["permissionDecisionReason"] = reason.into();
            }
            output
        }
        (Hook::Instead, _) => {
            let mut decided = json!({ "behavior": decision });
            if let Some(reason) = reason {
                decided["message"] = reason.into();
            }
            json!({ "hookEventName": "PermissionRequest", "decision": decided })
        }
    };
    Ok(Some(json!({ "hookSpecificOutput": output })))
}

fn shortened(mut words: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(input)) = words.get_mut("tool_input") {
        for (_, value) in input.iter_mut().filter(|(name, _)| !WHOLE.contains(&name.as_str())) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if text.chars().count() > HEAD_CHARS {
                *value = text.chars().take(HEAD_CHARS).collect::<String>().into();
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_looked_at_is_told_whole() {
        let long = "x".repeat(HEAD_CHARS + 1);
        let words = json!({ "tool_input": { "command": long, "content": long, "edits": [long], "n": 1 } });
        let Value::Object(words) = words else { panic!() };
        let short = shortened(words);
        assert_eq!(short["tool_input"]["command"].as_str().unwrap().len(), HEAD_CHARS + 1);
        assert_eq!(short["tool_input"]["content"].as_str().unwrap().len(), HEAD_CHARS);
        assert_eq!(short["tool_input"]["edits"].as_str().unwrap().len(), HEAD_CHARS);
        assert_eq!(short["tool_input"]["n"], 1);
    }

    #[test]
    fn what_is_not_understood_allows_nothing() {
        let answer =
            |decision: &str| CheckedPermission { decision: decision.into(), reason: Some("why".into()) };
        for hook in [Hook::Before, Hook::Denials] {
            let said = told(hook, answer("deny")).unwrap().unwrap();
            assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
            assert_eq!(said["hookSpecificOutput"]["permissionDecisionReason"], "why");
        }
        for hook in [Hook::Before, Hook::Denials, Hook::Instead] {
            assert!(told(hook, answer("")).is_err() && told(hook, answer("yes")).is_err());
        }
    }

    #[test]
    fn whoever_sits_there_is_asked_unless_it_is_decided() {
        let said = |decision: &str| {
            told(Hook::Instead, CheckedPermission { decision: decision.into(), reason: None }).unwrap()
        };
        let behavior =
            |decision: &str| said(decision).unwrap()["hookSpecificOutput"]["decision"]["behavior"].clone();
        assert_eq!((behavior("allow"), behavior("deny"), said("ask")), ("allow".into(), "deny".into(), None));
    }
}
