//! Pi's own tools: what each does to the world, how it is shown and asked for, and what its results say.

use std::path::Path;

use paseo_core::item::{ToolCallExtra, ToolClass};
use paseo_core::permission::{Power, Request, Shape};
use serde_json::Value;

use super::parse::{Question, ToolResult, text_of};

/// What is known of a tool.
struct Known {
    name: &'static str,
    power: Power,
    class: ToolClass,
    /// The field of its input that says most.
    telling: &'static str,
}

const fn known(name: &'static str, power: Power, class: ToolClass, telling: &'static str) -> Known {
    Known { name, power, class, telling }
}

/// What is not here counts as a shell.
const KNOWN: &[Known] = &[
    known("read", Power::Read, ToolClass::Read, "path"),
    known("ls", Power::Read, ToolClass::Read, "path"),
    known("grep", Power::Read, ToolClass::Search, "pattern"),
    known("find", Power::Read, ToolClass::Search, "pattern"),
    known("write", Power::Write, ToolClass::Edit, "path"),
    known("edit", Power::Write, ToolClass::Edit, "path"),
    known("bash", Power::Shell, ToolClass::Execute, "command"),
    known("powershell", Power::Shell, ToolClass::Execute, "command"),
];

/// What pi writes below the output of a command that failed.
const EXITED: &str = "Command exited with code ";

/// Longest title.
const TITLE: usize = 120;

/// Returns the tools that an agent without these powers does not see.
pub(super) fn of_powers(powers: &[Power]) -> Vec<&'static str> {
    KNOWN.iter().filter(|known| powers.contains(&known.power)).map(|known| known.name).collect()
}

/// Returns what a tool does, as a person would sort it.
pub(super) fn class(name: &str) -> ToolClass {
    find(name).map_or(ToolClass::Other, |known| known.class)
}

/// Returns how a call is shown.
pub(super) fn extra(name: &str, input: &Value) -> ToolCallExtra {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let title = match find(name) {
        Some(known) => text(known.telling).unwrap_or_default().to_owned(),
        None => foreign(name, input),
    };
    let title = shortened(title.lines().next().unwrap_or_default());
    let locations = find(name).and_then(|_| text("path")).map(str::to_owned);
    ToolCallExtra { title, locations: locations.into_iter().collect() }
}

/// Returns what a tool asks leave for.
pub(super) fn request(id: String, question: Question, directory: &Path) -> Request {
    let Question { tool, input, .. } = question;
    let power = find(&tool).map_or(Power::Shell, |known| known.power);
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let shape = match power {
        // Every command starts in the session's own directory.
        Power::Shell => text("command").map(|command| Shape::Command { command: command.to_owned() }),
        Power::Write => {
            text("path").map(|path| Shape::File { path: directory.join(path).to_string_lossy().into_owned() })
        }
        Power::Read | Power::Net => None,
    };
    let shape = match shape {
        Some(shape) if find(&tool).is_some() => shape,
        _ => Shape::Tool { name: tool.clone() },
    };
    Request { call: id, tool, input, power, shape, form: None }
}

/// Returns the code that a command ended with. Older ones say it below the output only.
pub(super) fn exit_code(name: &str, result: &ToolResult) -> Option<i32> {
    if class(name) != ToolClass::Execute {
        return None;
    }
    if let Some(code) = result.structured_content.get("exit_code").and_then(Value::as_i64) {
        return i32::try_from(code).ok();
    }
    text_of(&result.content).lines().next_back()?.strip_prefix(EXITED)?.trim().parse().ok()
}

/// Names what is not known by the first thing that it gets; a tool of an MCP server by server and tool else.
fn foreign(name: &str, input: &Value) -> String {
    let telling = input.as_object().and_then(|input| input.values().find_map(Value::as_str));
    let parts = name.strip_prefix("mcp__").and_then(|name| name.split_once("__"));
    match (telling, parts) {
        (Some(telling), _) => telling.to_owned(),
        (None, Some((server, tool))) => format!("{tool} of {server}"),
        (None, None) => String::new(),
    }
}

fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(tool: &str, input: Value) -> (Power, Shape) {
        let question = Question { call: "c".into(), tool: tool.into(), input };
        let request = request("r".into(), question, Path::new("/project"));
        (request.power, request.shape)
    }

    #[test]
    fn powers_and_shapes_are_as_narrow_as_can_be() {
        let command = Shape::Command { command: "make".into() };
        assert_eq!(asked("bash", json!({ "command": "make" })), (Power::Shell, command));
        let file = Shape::File { path: "/project/a".into() };
        assert_eq!(asked("edit", json!({ "path": "a" })), (Power::Write, file));
        assert_eq!(asked("read", json!({ "path": "a" })).0, Power::Read);
    }

    #[test]
    fn what_is_not_known_counts_as_a_shell() {
        for name in ["codemode", "mcp__theirs__delete", "deploy"] {
            let (power, shape) = asked(name, json!({ "command": "x", "path": "y" }));
            assert_eq!((power, shape), (Power::Shell, Shape::Tool { name: name.into() }));
        }
    }

    #[test]
    fn both_ways_to_tell_an_exit_code_are_read_and_only_of_commands() {
        let text = |text: &str| ToolResult {
            content: json!([{ "type": "text", "text": text }]),
            ..ToolResult::default()
        };
        let structured =
            ToolResult { structured_content: json!({ "exit_code": 0 }), ..ToolResult::default() };
        assert_eq!(exit_code("bash", &text("hi\n\n\nCommand exited with code 3")), Some(3));
        assert_eq!(exit_code("bash", &structured), Some(0));
        assert_eq!(exit_code("bash", &text("Command exited with code 3\nbut not at the end")), None);
        assert_eq!(exit_code("read", &text("Command exited with code 3")), None);
    }

    #[test]
    fn without_a_power_its_tools_are_gone() {
        assert_eq!(of_powers(&[Power::Write]), ["write", "edit"]);
        assert_eq!(of_powers(&[Power::Net]), Vec::<&str>::new());
        assert_eq!(of_powers(&[Power::Shell, Power::Read]).len(), 6);
    }
}
