//! From a script's call to the tool that a harness offers for it.
//!
//! Harnesses name their tools and arguments differently, and codex differently by model, so both are looked up in
//! the tools that the request advertises.

use serde_json::{Map, Value, json};

use crate::script::Call;

/// The tools that a request offers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Toolbox(Vec<Tool>);

#[derive(Debug, Clone)]
struct Tool {
    /// Codex keeps the tools of an MCP server in a namespace.
    namespace: Option<String>,
    name: String,
    properties: Vec<String>,
    /// Takes text instead of JSON: codex's `apply_patch`.
    freeform: bool,
}

/// A call in the harness's words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Invocation {
    /// What it was made from.
    pub(crate) call: Call,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) input: Input,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Input {
    Json(Value),
    Text(String),
}

/// Namespace, name and input.
type Resolved = (Option<String>, String, Input);

const SHELLS: [&str; 6] = ["Bash", "exec_command", "shell_command", "shell", "bash", "run_shell_command"];
const COMMAND: [&str; 2] = ["command", "cmd"];
const PATH: [&str; 3] = ["file_path", "filePath", "path"];
const TEXT: [&str; 2] = ["content", "file_text"];
const OLD: [&str; 4] = ["old_string", "oldString", "oldText", "old_str"];
const NEW: [&str; 4] = ["new_string", "newString", "newText", "new_str"];

impl Toolbox {
    /// Reads the tools of any dialect.
    pub(crate) fn read(request: &Value) -> Self {
        let tools = request["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        Self(tools.iter().flat_map(|tool| read(tool, None)).collect())
    }

    /// Returns how this harness is told to do it. Paths become absolute where a directory is known.
    pub(crate) fn invoke(&self, call: &Call, directory: Option<&str>) -> Invocation {
        let (namespace, name, input) = self.resolve(call, directory);
        Invocation { call: call.clone(), namespace, name, input }
    }

    fn resolve(&self, call: &Call, directory: Option<&str>) -> Resolved {
        match call {
            Call::Bash(command) => self.shell(command),
            Call::Background(command) => {
                let (namespace, name, mut input) = self.shell(command);
                if let Input::Json(input) = &mut input {
                    input["run_in_background"] = json!(true);
                }
                (namespace, name, input)
            }
            Call::Read { path } => match self.named(&["Read", "read", "read_file", "view"]) {
                Some(tool) => tool.call(json!({ tool.argument(&PATH): absolute(path, directory) })),
                None => self.shell(&format!("cat -- {}", quote(path))),
            },
            Call::Write { path, text } => match self.named(&["Write", "write", "write_file", "create"]) {
                Some(tool) => tool.call(json!({
                    tool.argument(&PATH): absolute(path, directory), tool.argument(&TEXT): text,
                })),
                None => self.patch(&format!("*** Add File: {path}\n{}", prefixed('+', text))),
            },
            Call::Edit { path, old, new } => match self.named(&["Edit", "edit", "replace"]) {
                Some(tool) => {
                    let mut input = Map::new();
                    input.insert(tool.argument(&PATH).to_owned(), absolute(path, directory).into());
                    if tool.properties.iter().any(|name| name == "edits") {
                        input.insert("edits".into(), json!([{ "oldText": old, "newText": new }]));
                    } else {
                        input.insert(tool.argument(&OLD).to_owned(), old.as_str().into());
                        input.insert(tool.argument(&NEW).to_owned(), new.as_str().into());
                    }
                    // Gemini wants to be told what for.
                    if tool.properties.iter().any(|name| name == "instruction") {
                        input.insert("instruction".into(), "replaces a text".into());
                    }
                    tool.call(input.into())
                }
                None => self.patch(&format!(
                    "*** Update File: {path}\n@@\n{}{}",
                    prefixed('-', old),
                    prefixed('+', new)
                )),
            },
            Call::Tool { name, input } => self.any(name, input),
        }
    }

    fn named(&self, names: &[&str]) -> Option<&Tool> {
        names
            .iter()
            .find_map(|name| self.0.iter().find(|tool| tool.namespace.is_none() && tool.name == *name))
    }

    fn shell(&self, command: &str) -> Resolved {
        let Some(tool) = self.named(&SHELLS) else {
            return (None, "Bash".into(), Input::Json(json!({ "command": command })));
        };
        let mut input = Map::new();
        let argument = tool.argument(&COMMAND).to_owned();
        match tool.name.as_str() {
            // Only this one takes the words of a command.
            "shell" => input.insert(argument, json!(["bash", "-lc", command])),
            _ => input.insert(argument, command.into()),
        };
        for (name, value) in [("description", json!("runs a command")), ("yield_time_ms", json!(30_000))] {
            if tool.properties.iter().any(|property| property == name) {
                input.insert(name.to_owned(), value);
            }
        }
        tool.call(input.into())
    }

    /// A patch in codex's format: with its tool, or through the shell, where codex looks for it too.
    fn patch(&self, change: &str) -> Resolved {
        let patch = format!("*** Begin Patch\n{change}*** End Patch\n");
        match self.named(&["apply_patch"]) {
            Some(tool) if tool.freeform => (None, tool.name.clone(), Input::Text(patch)),
            Some(tool) => tool.call(json!({ "input": patch })),
            None => self.shell(&format!("apply_patch <<'EOF'\n{patch}EOF")),
        }
    }

    /// A tool by its name, or by the last part of it.
    fn any(&self, name: &str, input: &Value) -> Resolved {
        let exact = self.0.iter().find(|tool| tool.name == name || tool.full() == name);
        let ending = || {
            let end = format!("_{name}");
            self.0.iter().find(|tool| tool.name.ends_with(&end))
        };
        match exact.or_else(ending) {
            Some(tool) => tool.call(input.clone()),
            None => (None, name.to_owned(), Input::Json(input.clone())),
        }
    }
}

impl Tool {
    fn call(&self, input: Value) -> Resolved {
        (self.namespace.clone(), self.name.clone(), Input::Json(input))
    }

    /// Returns the name that this tool has for an argument.
    fn argument<'a>(&self, candidates: &[&'a str]) -> &'a str {
        let known = candidates.iter().find(|candidate| self.properties.iter().any(|name| name == *candidate));
        known.unwrap_or(&candidates[0])
    }

    fn full(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}__{}", self.name),
            None => self.name.clone(),
        }
    }
}

fn read(tool: &Value, namespace: Option<&str>) -> Vec<Tool> {
    // Google keeps all of them in one.
    if let Some(all) = tool["functionDeclarations"].as_array() {
        return all.iter().flat_map(|tool| read(tool, None)).collect();
    }
    // Chat Completions keeps everything one level deeper.
    let tool = tool.get("function").unwrap_or(tool);
    let Some(name) = tool["name"].as_str() else { return Vec::new() };
    if tool["type"] == "namespace" {
        let inner = tool["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        return inner.iter().flat_map(|tool| read(tool, Some(name))).collect();
    }
    let schema =
        ["input_schema", "parameters", "parametersJsonSchema"].iter().find_map(|field| tool.get(field));
    let properties = schema.and_then(|schema| schema["properties"].as_object());
    let properties = properties.map(|all| all.keys().cloned().collect()).unwrap_or_default();
    vec![Tool {
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
        properties,
        freeform: tool["type"] == "custom",
    }]
}

fn absolute(path: &str, directory: Option<&str>) -> String {
    match directory {
        Some(directory) if !path.starts_with('/') => format!("{directory}/{path}"),
        _ => path.to_owned(),
    }
}

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn prefixed(sign: char, text: &str) -> String {
    text.lines().map(|line| format!("{sign}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claude() -> Toolbox {
        Toolbox::read(&json!({ "tools": [
            { "name": "Bash", "input_schema": { "properties": { "command": {}, "description": {} } } },
            { "name": "Write", "input_schema": { "properties": { "file_path": {}, "content": {} } } },
            { "name": "mcp__proj__whoami", "input_schema": { "properties": {} } },
        ] }))
    }

    fn codex(patch: Option<Value>) -> Toolbox {
        let mut tools = vec![
            json!({ "type": "function", "name": "exec_command", "parameters": { "properties": { "cmd": {}, "yield_time_ms": {} } } }),
            json!({ "type": "namespace", "name": "mcp__proj", "tools": [
                { "type": "function", "name": "whoami", "parameters": { "properties": {} } },
            ] }),
        ];
        tools.extend(patch);
        Toolbox::read(&json!({ "tools": tools }))
    }

    #[test]
    fn a_command_goes_to_the_shell_that_is_offered() {
        let call = Call::Bash("ls".into());
        let invocation = claude().invoke(&call, None);
        assert_eq!(invocation.name, "Bash");
        assert_eq!(
            invocation.input,
            Input::Json(json!({ "command": "ls", "description": "runs a command" }))
        );
        let invocation = codex(None).invoke(&call, None);
        assert_eq!(invocation.input, Input::Json(json!({ "cmd": "ls", "yield_time_ms": 30_000 })));
        let shell =
            json!({ "tools": [{ "name": "shell", "parameters": { "properties": { "command": {} } } }] });
        let invocation = Toolbox::read(&shell).invoke(&call, None);
        assert_eq!(invocation.input, Input::Json(json!({ "command": ["bash", "-lc", "ls"] })));
    }

    #[test]
    fn a_file_is_written_by_tool_or_by_patch() {
        let call = Call::Write { path: "f".into(), text: "a\nb".into() };
        let Input::Json(input) = claude().invoke(&call, Some("/w")).input else { panic!("JSON") };
        assert_eq!(input, json!({ "file_path": "/w/f", "content": "a\nb" }));

        let patch = "*** Begin Patch\n*** Add File: f\n+a\n+b\n*** End Patch\n";
        let custom = json!({ "type": "custom", "name": "apply_patch" });
        assert_eq!(codex(Some(custom)).invoke(&call, None).input, Input::Text(patch.into()));
        let Input::Json(input) = codex(None).invoke(&call, None).input else { panic!("JSON") };
        assert_eq!(input["cmd"], format!("apply_patch <<'EOF'\n{patch}EOF"));
    }

    #[test]
    fn a_tool_is_found_by_the_end_of_its_name() {
        let call = Call::Tool { name: "whoami".into(), input: json!({}) };
        assert_eq!(claude().invoke(&call, None).name, "mcp__proj__whoami");
        let invocation = codex(None).invoke(&call, None);
        assert_eq!(
            (invocation.namespace.as_deref(), invocation.name.as_str()),
            (Some("mcp__proj"), "whoami")
        );
        let unknown = Call::Tool { name: "nothing".into(), input: json!({}) };
        assert_eq!(claude().invoke(&unknown, None).name, "nothing");
    }
}
