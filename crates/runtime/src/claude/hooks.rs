//! What the program tells us before it uses a tool, in sessions that must ask.
//!
//! Its own rules, those of the project and those of skills may allow what a person is to be asked about. A hook comes
//! before all of them. It also says where the shell is: a `cd` lasts, and the question itself does not tell.

use std::path::{Path, PathBuf};

use paseo_core::id::TurnId;
use paseo_core::item::ToolClass;
use paseo_core::permission::Request;
use paseo_core::time::Timestamp;
use serde_json::{Value, json};

use super::adapt::Adapter;
use super::notices::Said;
use super::parse::ControlQuestion;
use super::{say, tools};
use crate::driver::Action;
use crate::provider::{Failed, FailureCode, Output, Place, TurnEnd};

/// How long a hook may take, in seconds: `paseo leave` gives up long before.
const PATIENCE: u64 = 120;

/// The name of the request that sets the hook up.
pub(super) const REQUEST: &str = "hooks";

/// Told when the hook cannot be set up.
pub(super) const NOT_SET_UP: &str = "This version of Claude Code does not report tool calls in advance, so \
                                     whatever its own settings allow runs without a permission request. \
                                     Update Claude Code to change that.";

/// Why a guarded session ends when the hook cannot be set up.
const NOT_GUARDED: &str = "This version of Claude Code does not report tool calls in advance, so it cannot \
                           be guarded. Update it, or start the agent without a guard.";

/// How far the hook of a guarded session is: nothing is handed over before it is there.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Watch {
    #[default]
    Unset,
    /// What waits for it.
    Waiting(Vec<Action>),
    Set,
    Impossible,
}

/// Commands that only read, whatever follows. The program judges by itself whether they stay in the project.
const HARMLESS: &[&str] =
    &["ls", "pwd", "cat", "head", "tail", "wc", "grep", "echo", "stat", "which", "sleep", "true"];

/// Commands that only read when nothing follows.
const HARMLESS_ALONE: &[&str] = &["git status", "git diff", "git log"];

impl Adapter {
    /// Answers before a tool is used: it must ask, or may go its usual way.
    pub(super) fn before_tool(&mut self, request: &str, about: &Value) -> Vec<Action> {
        let text = |name: &str| about.get(name).and_then(Value::as_str);
        if let (Some(call), Some(directory)) = (text("tool_use_id"), text("cwd")) {
            self.directories.insert(call.to_owned(), PathBuf::from(directory));
        }
        let input = about.get("tool_input").unwrap_or(&Value::Null);
        let name = text("tool_name").unwrap_or_default();
        // What it asks for without having the power it is refused, and told why.
        let withheld = self.session.withheld.iter().any(|power| tools::of_power(*power).contains(&name));
        let held = self.session.guarded && tools::is_unknown_or_wide(name);
        let asks = withheld || held || must_ask(name, input);
        vec![Action::Write(say::before_tool(request, asks))]
    }

    /// Hands something over as soon as the hook is there.
    pub(super) fn once_watched(&mut self, turn: TurnId, actions: Vec<Action>) -> Vec<Action> {
        if !self.session.guarded {
            return actions;
        }
        match &mut self.watch {
            Watch::Set => actions,
            Watch::Impossible => self.unguarded(turn),
            Watch::Waiting(waiting) => {
                waiting.extend(actions);
                Vec::new()
            }
            Watch::Unset => {
                self.watch = Watch::Waiting(actions);
                Vec::new()
            }
        }
    }

    /// Takes in whether the hook is there.
    pub(super) fn watched(&mut self, is_set: bool, now: Timestamp) -> Vec<Action> {
        if !self.session.guarded {
            let text = NOT_SET_UP.to_owned();
            return if is_set {
                Vec::new()
            } else {
                self.said(Said::Notice { code: "not_asked", text }, "", now)
            };
        }
        let next = if is_set { Watch::Set } else { Watch::Impossible };
        let Watch::Waiting(waiting) = std::mem::replace(&mut self.watch, next) else { return Vec::new() };
        if is_set {
            return waiting;
        }
        self.waiting_turn().map(|turn| self.unguarded(turn)).unwrap_or_default()
    }

    /// Forgets what waits for the hook, because it is not wanted any more.
    pub(super) fn called_off(&mut self) -> Option<TurnId> {
        let Watch::Waiting(waiting) = &mut self.watch else { return None };
        let waited = !std::mem::take(waiting).is_empty();
        waited.then(|| self.waiting_turn())?
    }

    fn unguarded(&mut self, turn: TurnId) -> Vec<Action> {
        let failed = Failed {
            code: FailureCode::Own("cannot_guard".to_owned()),
            text: NOT_GUARDED.to_owned(),
            until: None,
        };
        vec![Action::Tell(Output::TurnEnded { turn, end: TurnEnd::Failed(failed) }), Action::End]
    }
}

/// Returns the settings by which a program in a terminal has us asked before each use of a tool. Whatever goes wrong, the
/// tool is not used: a hook that fails with anything but 2 would not stop it.
///
/// It answers what is allowed, too: started in the mode `default`, a program whose hooks are switched off asks the person
/// at the terminal.
pub fn settings(executable: &Path) -> Value {
    let program = executable.to_string_lossy().replace('\'', r"'\''");
    let hook =
        json!({ "type": "command", "command": format!("'{program}' leave || exit 2"), "timeout": PATIENCE });
    json!({ "disableAllHooks": false, "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": [hook] }] } })
}

/// Reads what such a hook is told.
pub(super) fn leave(words: &Value, place: &Place<'_>) -> Result<Option<Request>, String> {
    let text = |name: &str| words.get(name).and_then(Value::as_str);
    let name = text("tool_name").ok_or("the tool name is missing")?;
    let input = words.get("tool_input").cloned().unwrap_or_default();
    if !tools::is_unknown_or_wide(name) && !must_ask(name, &input) {
        return Ok(None);
    }
    let call = text("tool_use_id").unwrap_or_default().to_owned();
    let asked = ControlQuestion { tool_name: name.to_owned(), input, ..ControlQuestion::default() };
    if tools::is_ours(&asked, place.servers) {
        return Ok(None);
    }
    let now = text("cwd").map(Path::new);
    Ok(Some(tools::request(call, &asked, tools::Place { session: place.directory, now })))
}

/// Says whether a tool must ask, whatever the settings say. Those that never ask, like subagents, use others that do.
fn must_ask(name: &str, input: &Value) -> bool {
    if tools::is_wide_subagent(name, input) {
        return true;
    }
    match tools::class(name) {
        ToolClass::Edit | ToolClass::Fetch => true,
        ToolClass::Execute => {
            input.get("command").and_then(Value::as_str).is_some_and(|command| !is_harmless(command))
        }
        ToolClass::Read | ToolClass::Search | ToolClass::Other => name.starts_with("mcp__"),
    }
}

fn is_harmless(command: &str) -> bool {
    let plain = command.chars().all(|c| c.is_ascii_alphanumeric() || " _-./=:,@+".contains(c));
    let program = command.split(' ').next().unwrap_or_default();
    plain && (HARMLESS.contains(&program) || HARMLESS_ALONE.contains(&command))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use paseo_core::permission::{Power, Shape};

    use super::*;

    #[test]
    fn what_changes_the_world_must_ask() {
        for tool in ["Write", "Edit", "NotebookEdit", "WebFetch", "WebSearch", "mcp__theirs__delete"] {
            assert!(must_ask(tool, &json!({})), "{tool}");
        }
        let subagent = |more: Value| {
            let mut input = json!({ "description": "look", "prompt": "Look.", "subagent_type": "Explore" });
            input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            must_ask("Agent", &input) && must_ask("Task", &input)
        };
        assert!(!subagent(json!({ "model": "opus", "effort": "low", "run_in_background": true })));
        assert!(subagent(json!({ "isolation": "worktree" })) && subagent(json!({ "brandnew": 1 })));
        for tool in ["Read", "Grep", "Task", "TaskStop", "AskUserQuestion", "ExitPlanMode"] {
            assert!(!must_ask(tool, &json!({})), "{tool}");
        }
    }

    #[test]
    fn a_hook_in_a_terminal_fails_closed_and_asks_for_what_changes_something() {
        let settings = settings(Path::new("/opt/it's/paseo"));
        let hook = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
        assert_eq!(hook["command"], r"'/opt/it'\''s/paseo' leave || exit 2");
        assert_eq!(settings["disableAllHooks"], false);
        let place =
            Place { directory: Path::new("/p"), servers: &["paseo-tools".to_owned()], terminal: true };
        let asked = |name: &str, input: Value| {
            leave(&json!({ "tool_name": name, "tool_input": input, "cwd": "/p/sub" }), &place).unwrap()
        };
        assert_eq!(asked("Read", json!({ "file_path": "/x" })), None);
        assert_eq!(asked("Bash", json!({ "command": "ls" })), None);
        assert_eq!(asked("mcp__paseo-tools__team_tasks_claim", json!({})), None);
        let write = asked("Write", json!({ "file_path": " a.txt " })).unwrap();
        assert_eq!((write.power, write.shape), (Power::Write, Shape::File { path: "/p/sub/a.txt".into() }));
        assert_eq!(asked("Agent", json!({ "prompt": "x" })), None);
        let apart = asked("Agent", json!({ "prompt": "x", "isolation": "worktree" })).unwrap();
        assert_eq!(apart.power, Power::Shell);
        for name in ["mcp__theirs__x", "Brandnew", "Skill", "CronCreate"] {
            assert_eq!(asked(name, json!({})).unwrap().power, Power::Shell, "{name}");
        }
        assert!(leave(&json!({}), &place).is_err());
    }

    #[test]
    fn only_plain_reading_is_left_to_the_program() {
        let asks = |command: &str| must_ask("Bash", &json!({ "command": command }));
        for command in ["ls -la src", "cat a/b.txt", "git status", "true"] {
            assert!(!asks(command), "{command}");
        }
        let changes =
            ["touch x", "ls; rm x", "ls\nrm x", "cat a > b", "cat $(rm x)", "git log --output=x", "lsof", ""];
        for command in changes {
            assert!(asks(command), "{command}");
        }
    }
}
