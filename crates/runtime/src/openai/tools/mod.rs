//! The agent's own tools: what the model reads about them, and what it means by a call.

mod files;
mod ignored;
mod search;

use std::time::Duration;

use paseo_core::item::{Diff, ToolClass};
use paseo_core::permission::{Power, Shape};
use serde_json::{Value, json};

pub(super) use crate::place::{Root, Target};

/// How long a command may take when the model does not say.
const COMMAND_SECONDS: u64 = 600;
/// The longest that a command may take.
const LONGEST_SECONDS: u64 = 3_600;

/// What the model wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    Shell { command: String, limit: Duration },
    Read { path: String, from: usize, lines: usize },
    Write { path: String, content: String },
    Edit { path: String, old: String, new: String },
    List { path: String },
    Search { text: String, path: String, files: Option<String>, ignore_case: bool },
}

/// What came of an action on files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) text: String,
    pub(super) diff: Option<Diff>,
}

/// One tool.
struct Own {
    name: &'static str,
    power: Power,
    class: ToolClass,
    description: &'static str,
    schema: fn() -> Value,
}

const TOOLS: [Own; 6] = [
    Own {
        name: "shell",
        power: Power::Shell,
        class: ToolClass::Execute,
        description: "Run a command with sh in the working directory and return its output.",
        schema: || {
            object(
                json!({
                    "command": { "type": "string" },
                    "timeout": { "type": "integer", "description": "Timeout in seconds (default 600)." },
                }),
                &["command"],
            )
        },
    },
    Own {
        name: "read",
        power: Power::Read,
        class: ToolClass::Read,
        description: "Return the text of a file, or a range of its lines.",
        schema: || {
            object(
                json!({
                    "path": { "type": "string" },
                    "from": { "type": "integer", "description": "The first line, counted from 1." },
                    "lines": { "type": "integer", "description": "The number of lines." },
                }),
                &["path"],
            )
        },
    },
    Own {
        name: "write",
        power: Power::Write,
        class: ToolClass::Edit,
        description: "Write a whole file: create it, with missing directories, or replace it.",
        schema: || {
            object(
                json!({ "path": { "type": "string" }, "content": { "type": "string" } }),
                &["path", "content"],
            )
        },
    },
    Own {
        name: "edit",
        power: Power::Write,
        class: ToolClass::Edit,
        description: "Replace text in a file. The old text must match exactly and occur exactly once.",
        schema: || {
            object(
                json!({
                    "path": { "type": "string" },
                    "old_string": { "type": "string" },
                    "new_string": { "type": "string" },
                }),
                &["path", "old_string", "new_string"],
            )
        },
    },
    Own {
        name: "list",
        power: Power::Read,
        class: ToolClass::Read,
        description: "List the contents of a directory.",
        schema: || object(json!({ "path": { "type": "string" } }), &[]),
    },
    Own {
        name: "search",
        power: Power::Read,
        class: ToolClass::Search,
        description: "Search for a literal text in the files of a directory tree. Skips .git, \
                      node_modules, target and files matched by .gitignore.",
        schema: || {
            object(
                json!({
                    "text": { "type": "string" },
                    "path": { "type": "string", "description": "A directory or file (default: the working \
                                                                directory)." },
                    "files": { "type": "string", "description": "A file name pattern, for example *.rs" },
                    "ignore_case": { "type": "boolean" },
                }),
                &["text"],
            )
        },
    },
];

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Returns what the model reads about the tools that it may use.
pub(super) fn offered(withheld: &[Power]) -> Vec<Value> {
    let granted = TOOLS.iter().filter(|tool| !withheld.contains(&tool.power));
    granted.map(|tool| described(tool.name, tool.description, &(tool.schema)())).collect()
}

/// Returns a tool in the words of the API.
pub(super) fn described(name: &str, description: &str, schema: &Value) -> Value {
    let function = json!({ "name": name, "description": description, "parameters": schema });
    json!({ "type": "function", "function": function })
}

/// Returns the power and the class of a tool of the agent's own.
pub(super) fn find(name: &str) -> Option<(Power, ToolClass)> {
    TOOLS.iter().find(|tool| tool.name == name).map(|tool| (tool.power, tool.class))
}

impl Action {
    /// Reads what a call means. `Err` says to the model what is wrong with it.
    pub(super) fn read(name: &str, input: &Value) -> Result<Self, String> {
        let optional = |field: &str| input.get(field).and_then(Value::as_str).map(str::to_owned);
        let text = |field: &str| optional(field).ok_or_else(|| format!("`{name}` needs `{field}`, a string"));
        let number = |field: &str| input.get(field).and_then(Value::as_u64);
        let count = |field: &str| number(field).and_then(|number| usize::try_from(number).ok());
        let place = || optional("path").unwrap_or_else(|| ".".to_owned());
        Ok(match name {
            "shell" => {
                let seconds = number("timeout").unwrap_or(COMMAND_SECONDS).clamp(1, LONGEST_SECONDS);
                Self::Shell { command: command(input)?, limit: Duration::from_secs(seconds) }
            }
            "read" => Self::Read {
                path: text("path")?,
                from: count("from").unwrap_or(1).max(1),
                lines: count("lines").unwrap_or(usize::MAX),
            },
            "write" => Self::Write { path: text("path")?, content: text("content")? },
            "edit" => Self::Edit { path: text("path")?, old: text("old_string")?, new: text("new_string")? },
            "list" => Self::List { path: place() },
            "search" => Self::Search {
                text: text("text")?,
                path: place(),
                files: optional("files"),
                ignore_case: input.get("ignore_case").and_then(Value::as_bool).unwrap_or_default(),
            },
            name => return Err(format!("unknown tool `{name}`")),
        })
    }

    /// Returns one line about it, for people.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Shell { command, .. } => command.lines().next().unwrap_or_default().to_owned(),
            Self::Read { path, .. } | Self::Write { path, .. } | Self::Edit { path, .. } => path.clone(),
            Self::List { path } => path.clone(),
            Self::Search { text, .. } => text.clone(),
        }
    }

    /// Returns the file or folder that it is about.
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::Shell { .. } => None,
            Self::Read { path, .. }
            | Self::Write { path, .. }
            | Self::Edit { path, .. }
            | Self::List { path }
            | Self::Search { path, .. } => Some(path),
        }
    }

    /// Returns what leave is asked for. Reading inside the directory is no more than using the tool.
    pub(super) fn shape(&self, name: &str, power: Power, target: Option<&Target>) -> Shape {
        match (self, target) {
            (Self::Shell { command, .. }, _) => Shape::Command { command: command.clone() },
            (_, Some(target)) if power != Power::Read || !target.is_inside() => {
                Shape::File { path: target.shown() }
            }
            _ => Shape::Tool { name: name.to_owned() },
        }
    }

    /// Does it, to what leave was given for. Blocks. A command is run elsewhere.
    pub(super) fn perform(&self, target: &Target) -> Result<Outcome, String> {
        match self {
            Self::Shell { .. } => Err("a command has no file".to_owned()),
            Self::Read { from, lines, .. } => files::read(target, *from, *lines),
            Self::Write { content, .. } => files::write(target, content),
            Self::Edit { old, new, .. } => files::edit(target, old, new),
            Self::List { .. } => files::list(target),
            Self::Search { text, files, ignore_case, .. } => {
                search::search(target, text, files.as_deref(), *ignore_case)
            }
        }
    }
}

/// Reads a command. Some models give its words, as they would to a program.
fn command(input: &Value) -> Result<String, String> {
    match input.get("command") {
        Some(Value::String(command)) => Ok(command.clone()),
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words[..] {
                ["sh" | "bash", "-c" | "-lc", script] => Ok(script.to_owned()),
                [] => Err("`shell` needs `command`, a string".to_owned()),
                ref words => Ok(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
            }
        }
        _ => Err("`shell` needs `command`, a string".to_owned()),
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_withheld_is_not_offered() {
        let names = |withheld: &[Power]| -> Vec<String> {
            offered(withheld)
                .iter()
                .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(names(&[]), ["shell", "read", "write", "edit", "list", "search"]);
        assert_eq!(names(&[Power::Shell, Power::Write]), ["read", "list", "search"]);
        assert!(names(&Power::ALL).is_empty());
    }

    #[test]
    fn no_tool_of_ours_has_the_name_of_an_own_one() {
        for tool in &TOOLS {
            assert!(paseo_core::tool::find(tool.name).is_none(), "{}", tool.name);
        }
    }

    #[test]
    fn a_call_that_makes_no_sense_says_what_is_missing() {
        assert_eq!(Action::read("read", &json!({})), Err("`read` needs `path`, a string".to_owned()));
        assert_eq!(
            Action::read("shell", &json!({ "command": 7 })),
            Err("`shell` needs `command`, a string".to_owned())
        );
        assert!(Action::read("edit", &json!({ "path": "a", "old_string": "b" })).is_err());
    }

    #[test]
    fn a_command_may_be_given_in_words() {
        let read = |command: Value| match Action::read("shell", &json!({ "command": command })) {
            Ok(Action::Shell { command, .. }) => command,
            other => panic!("{other:?}"),
        };
        assert_eq!(read(json!("ls -l")), "ls -l");
        assert_eq!(read(json!(["bash", "-lc", "ls -l"])), "ls -l");
        assert_eq!(read(json!(["echo", "it's"])), r"'echo' 'it'\''s'");
    }

    #[test]
    fn a_command_takes_no_longer_than_it_may() {
        let limit =
            |timeout: Value| match Action::read("shell", &json!({ "command": "x", "timeout": timeout })) {
                Ok(Action::Shell { limit, .. }) => limit.as_secs(),
                other => panic!("{other:?}"),
            };
        assert_eq!(
            (limit(json!(5)), limit(json!(0)), limit(json!(1e9 as u64)), limit(json!("x"))),
            (5, 1, 3600, 600)
        );
    }
}
