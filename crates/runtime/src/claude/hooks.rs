//! What the program tells us before it uses a tool, in sessions that must ask.
//!
//! Its own rules, those of the project and those of skills may allow what a person is to be asked about. A hook comes
//! before all of them. It also says where the shell is: a `cd` lasts, and the question itself does not tell.

use std::path::PathBuf;

use paseo_core::item::ToolClass;
use serde_json::Value;

use super::adapt::Adapter;
use super::{say, tools};
use crate::driver::Action;

/// The name of the request that sets the hook up.
pub(super) const REQUEST: &str = "hooks";

/// Told when the hook cannot be set up.
pub(super) const NOT_SET_UP: &str = "This Claude Code does not tell before it uses a tool: what its own settings \
    allow is done without asking. A newer one does tell.";

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
        let asks = withheld || must_ask(name, input);
        vec![Action::Write(say::before_tool(request, asks))]
    }
}

/// Says whether a tool must ask, whatever the settings say. Those that never ask, like subagents, use others that do.
fn must_ask(name: &str, input: &Value) -> bool {
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

    use super::*;

    #[test]
    fn what_changes_the_world_must_ask() {
        for tool in ["Write", "Edit", "NotebookEdit", "WebFetch", "WebSearch", "mcp__theirs__delete"] {
            assert!(must_ask(tool, &json!({})), "{tool}");
        }
        for tool in ["Read", "Grep", "Task", "TaskStop", "AskUserQuestion", "ExitPlanMode"] {
            assert!(!must_ask(tool, &json!({})), "{tool}");
        }
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
