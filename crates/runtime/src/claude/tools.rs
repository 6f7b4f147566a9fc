//! Claude's own tools: what each does to the world, and how it is shown and asked for.

use std::path::Path;

use paseo_core::item::{ToolCallExtra, ToolClass};
use paseo_core::permission::{Power, Request, Shape};
use serde_json::Value;

use super::parse::ControlQuestion;

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
    known("Read", Power::Read, ToolClass::Read, "file_path"),
    known("NotebookRead", Power::Read, ToolClass::Read, "notebook_path"),
    known("LS", Power::Read, ToolClass::Read, "path"),
    known("Glob", Power::Read, ToolClass::Search, "pattern"),
    known("Grep", Power::Read, ToolClass::Search, "pattern"),
    known("ToolSearch", Power::Read, ToolClass::Search, "query"),
    known("TodoWrite", Power::Read, ToolClass::Other, ""),
    known("TaskCreate", Power::Read, ToolClass::Other, "subject"),
    known("TaskUpdate", Power::Read, ToolClass::Other, "subject"),
    known("TaskGet", Power::Read, ToolClass::Other, ""),
    known("TaskList", Power::Read, ToolClass::Other, ""),
    known("ListAgents", Power::Read, ToolClass::Other, ""),
    known("CronList", Power::Read, ToolClass::Other, ""),
    known("BashOutput", Power::Read, ToolClass::Read, ""),
    known("TaskOutput", Power::Read, ToolClass::Read, ""),
    known(QUESTION, Power::Read, ToolClass::Other, ""),
    known("EnterPlanMode", Power::Read, ToolClass::Other, ""),
    known(PLAN, Power::Read, ToolClass::Other, ""),
    known("Write", Power::Write, ToolClass::Edit, "file_path"),
    known("Edit", Power::Write, ToolClass::Edit, "file_path"),
    known("MultiEdit", Power::Write, ToolClass::Edit, "file_path"),
    known("NotebookEdit", Power::Write, ToolClass::Edit, "notebook_path"),
    known("Bash", Power::Shell, ToolClass::Execute, "command"),
    known("PowerShell", Power::Shell, ToolClass::Execute, "command"),
    known("Monitor", Power::Shell, ToolClass::Execute, "command"),
    known("KillShell", Power::Shell, ToolClass::Execute, ""),
    known("TaskStop", Power::Shell, ToolClass::Execute, ""),
    known("Task", Power::Shell, ToolClass::Other, "description"),
    known("Agent", Power::Shell, ToolClass::Other, "description"),
    known("Workflow", Power::Shell, ToolClass::Other, "description"),
    known("Skill", Power::Shell, ToolClass::Other, "skill"),
    known("WebFetch", Power::Net, ToolClass::Fetch, "url"),
    known("WebSearch", Power::Net, ToolClass::Fetch, "query"),
];

const QUESTION: &str = "AskUserQuestion";
const PLAN: &str = "ExitPlanMode";

/// What an agent that may only read does without, also in its subagents. `Task` stays: it has the same limits.
pub(super) const NOT_FOR_READERS: &[&str] = &[
    "Bash",
    "PowerShell",
    "Monitor",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "CronCreate",
    "CronDelete",
    "EnterWorktree",
    "ExitWorktree",
    "SendMessage",
];

/// Longest title.
const TITLE: usize = 120;

/// Returns what a tool does, as a person would sort it.
pub(super) fn class(name: &str) -> ToolClass {
    find(name).map_or(ToolClass::Other, |known| known.class)
}

/// Says whether a tool runs commands.
pub(super) fn runs_commands(name: &str) -> bool {
    class(name) == ToolClass::Execute
}

/// Returns how a call is shown.
pub(super) fn extra(name: &str, input: &Value) -> ToolCallExtra {
    let telling = find(name).and_then(|known| input.get(known.telling)).and_then(Value::as_str);
    let words = telling.unwrap_or_default().lines().next().unwrap_or_default();
    let title = if words.is_empty() { name.to_owned() } else { format!("{name}: {words}") };
    let locations = ["file_path", "notebook_path"].iter().filter_map(|field| input.get(field)?.as_str());
    ToolCallExtra { title: shortened(&title), locations: locations.map(str::to_owned).collect() }
}

/// Says whether a tool belongs to one of our own servers. Those check by themselves what an agent may do.
pub(super) fn is_ours(asked: &ControlQuestion, servers: &[String]) -> bool {
    let named = |server: &String| asked.mcp_server.as_ref().is_none_or(|found| found.name == *server);
    let tool = |server: &String| {
        asked.tool_name.strip_prefix("mcp__")?.strip_prefix(server.as_str())?.strip_prefix("__")
    };
    // A server of someone else may have a name that begins like ours.
    servers.iter().any(|server| named(server) && tool(server).is_some_and(|tool| !tool.contains("__")))
}

/// Returns what a tool asks leave for.
pub(super) fn request(call: String, asked: &ControlQuestion, directory: &Path) -> Request {
    let (tool, input) = (asked.tool_name.clone(), asked.input.clone());
    let power = find(&tool).map_or(Power::Shell, |known| known.power);
    let shape = shape(asked, power, directory);
    Request { call, tool, input, power, shape }
}

fn shape(asked: &ControlQuestion, power: Power, directory: &Path) -> Shape {
    let text = |name: &str| asked.input.get(name).and_then(Value::as_str);
    let by_name = || Shape::Tool { name: asked.tool_name.clone() };
    match asked.tool_name.as_str() {
        QUESTION => return Shape::Question { text: question(&asked.input) },
        PLAN => {
            let plan = text("plan").unwrap_or_default();
            return Shape::Question { text: format!("The agent wants to carry out this plan:\n{plan}") };
        }
        name if asked.requires_user_interaction => {
            return Shape::Question { text: format!("{name} {}", asked.input) };
        }
        _ => {}
    }
    match power {
        Power::Shell => text("command").map_or_else(by_name, |command| {
            // The same command is not the same thing without the sandbox.
            let free = asked.input.get("dangerouslyDisableSandbox").and_then(Value::as_bool) == Some(true);
            let suffix = if free { "  # outside the sandbox" } else { "" };
            Shape::Command { command: format!("{command}{suffix}") }
        }),
        Power::Write => text("file_path").or(text("notebook_path")).map_or_else(by_name, |path| {
            Shape::File { path: directory.join(path).to_string_lossy().into_owned() }
        }),
        Power::Net => {
            text("url").and_then(host).map_or_else(by_name, |host| Shape::Host { host: host.to_owned() })
        }
        Power::Read => by_name(),
    }
}

/// Returns the host of an address, with its port. `None` for what only looks like one.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    (!authority.is_empty() && !authority.contains('@')).then_some(authority)
}

fn question(input: &Value) -> String {
    let text =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lines = Vec::new();
    for asked in list(input, "questions") {
        lines.push(text(&asked, "question"));
        for option in list(&asked, "options") {
            lines.push(format!("- {}: {}", text(&option, "label"), text(&option, "description")));
        }
    }
    if lines.is_empty() { input.to_string() } else { lines.join("\n") }
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

    use super::super::parse::ServerName;
    use super::*;

    fn asked(tool: &str, input: Value) -> Request {
        let question = ControlQuestion { tool_name: tool.into(), input, ..ControlQuestion::default() };
        request("r1".into(), &question, Path::new("/project"))
    }

    #[test]
    fn powers_and_shapes_are_as_narrow_as_can_be() {
        let command = asked("Bash", json!({ "command": "make test", "timeout": 5 }));
        assert_eq!(
            (command.power, command.shape),
            (Power::Shell, Shape::Command { command: "make test".into() })
        );
        let file = asked("Write", json!({ "file_path": "a/b.txt", "content": "x" }));
        assert_eq!((file.power, file.shape), (Power::Write, Shape::File { path: "/project/a/b.txt".into() }));
        let notebook = asked("NotebookEdit", json!({ "notebook_path": "/n.ipynb" }));
        assert_eq!(notebook.shape, Shape::File { path: "/n.ipynb".into() });
        let fetch = asked("WebFetch", json!({ "url": "https://example.com:8443/a?b" }));
        assert_eq!((fetch.power, fetch.shape), (Power::Net, Shape::Host { host: "example.com:8443".into() }));
        let deceptive = asked("WebFetch", json!({ "url": "https://good.example@evil.example/" }));
        assert_eq!(deceptive.shape, Shape::Tool { name: "WebFetch".into() });
        let read = asked("Read", json!({ "file_path": "/etc/hosts" }));
        assert_eq!(read.power, Power::Read);
    }

    #[test]
    fn what_is_not_known_counts_as_a_shell() {
        for name in ["mcp__theirs__delete", "NewTool", "Task"] {
            let request = asked(name, json!({ "x": 1 }));
            assert_eq!((request.power, request.shape), (Power::Shell, Shape::Tool { name: name.into() }));
        }
    }

    #[test]
    fn leaving_the_sandbox_is_another_command() {
        let free = asked("Bash", json!({ "command": "make", "dangerouslyDisableSandbox": true }));
        assert_ne!(free.shape, asked("Bash", json!({ "command": "make" })).shape);
    }

    #[test]
    fn questions_are_for_people() {
        let input = json!({ "questions": [{ "question": "Which?", "options": [{ "label": "A", "description": "a" }] }] });
        let request = asked(QUESTION, input);
        assert_eq!(request.shape, Shape::Question { text: "Which?\n- A: a".into() });
        assert!(matches!(asked(PLAN, json!({ "plan": "p" })).shape, Shape::Question { .. }));
        let dialog = ControlQuestion { requires_user_interaction: true, ..ControlQuestion::default() };
        assert!(matches!(request_shape(&dialog), Shape::Question { .. }));
    }

    fn request_shape(question: &ControlQuestion) -> Shape {
        request("r".into(), question, Path::new("/")).shape
    }

    #[test]
    fn our_servers_are_told_by_their_whole_name() {
        let servers = ["Paseo".to_owned(), "paseo-tools".to_owned()];
        let ours = |tool: &str, server: Option<&str>| {
            let mcp_server = server.map(|name| ServerName { name: name.into() });
            let asked = ControlQuestion { tool_name: tool.into(), mcp_server, ..ControlQuestion::default() };
            is_ours(&asked, &servers)
        };
        assert!(ours("mcp__Paseo__set_title", Some("Paseo")));
        assert!(ours("mcp__paseo-tools__summon", None));
        assert!(!ours("mcp__Paseo__x__set_title", None));
        assert!(!ours("mcp__Paseo__x", Some("Paseo__x")));
        for other in ["mcp__PaseoX__set_title", "mcp__theirs__Paseo__x", "Paseo__x", "mcp__Paseo"] {
            assert!(!ours(other, None), "{other}");
        }
    }

    #[test]
    fn a_title_is_one_short_line() {
        let extra = extra("Bash", &json!({ "command": format!("{}\nsecond", "é".repeat(300)) }));
        assert!(extra.title.starts_with("Bash: é") && extra.title.ends_with('…'));
        assert_eq!(extra.title.chars().count(), TITLE + 1);
        assert_eq!(super::extra("Edit", &json!({ "file_path": "/a" })).locations, ["/a"]);
    }
}
