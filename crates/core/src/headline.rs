//! What a call of a tool does, in one line: the same words whatever the harness calls its tools.

use serde_json::{Map, Value};

use crate::cut::head;
use crate::item::{Draft, Kind, ToolCallExtra, ToolClass};
use crate::permission::script;

/// The longest headline, in characters.
const LONGEST: usize = 200;
/// The longest value that stands beside others.
const LONGEST_VALUE: usize = 60;
/// Inputs beyond this are not read: what they begin with says enough.
const READABLE_BYTES: usize = 256 * 1024;

/// What harnesses call the file that a tool is about.
const PATHS: [&str; 7] =
    ["file_path", "path", "filePath", "absolute_path", "notebook_path", "dir_path", "directory"];
/// What they call a command.
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];
/// What they call what is looked for.
const PATTERNS: [&str; 4] = ["pattern", "query", "regex", "glob"];
/// What tools that list a directory are called.
const LISTING: [&str; 5] = ["ls", "list", "list_directory", "list_dir", "listdirectory"];

/// Gives a call its headline, in place of the title that its harness made up. Other items stay as they are.
pub fn titled(mut draft: Draft, directory: &str) -> Draft {
    let Kind::ToolCall { name, class, .. } = &draft.kind else { return draft };
    let extra: ToolCallExtra =
        draft.extra.as_deref().and_then(|extra| serde_json::from_str(extra).ok()).unwrap_or_default();
    let input = draft.text.as_deref().filter(|text| text.len() <= READABLE_BYTES);
    let input: Value = input.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let title = headline(&Call { name, class: *class, extra: &extra, input: &input, directory });
    draft.extra = serde_json::to_string(&ToolCallExtra { title, ..extra }).ok();
    draft
}

/// Returns the name of a tool without that of its server.
pub fn own_name(name: &str) -> &str {
    name.rsplit("__").next().unwrap_or(name)
}

struct Call<'a> {
    name: &'a str,
    class: ToolClass,
    extra: &'a ToolCallExtra,
    input: &'a Value,
    directory: &'a str,
}

fn headline(call: &Call) -> String {
    let words = match call.class {
        ToolClass::Read if LISTING.contains(&own_name(call.name).to_lowercase().as_str()) => {
            said("List", call.paths().or(Some(".".to_owned())))
        }
        ToolClass::Read => said("Read", call.paths().or_else(|| call.title())),
        ToolClass::Edit => said("Edit", call.paths().or_else(|| call.title())),
        ToolClass::Execute => said("Run", call.command().or_else(|| call.title())),
        ToolClass::Search => {
            said("Search", call.searched().or_else(|| call.title()).or_else(|| call.paths()))
        }
        ToolClass::Fetch => said("Fetch", call.text(&["url"]).or_else(|| call.title())),
        ToolClass::Other => None,
    };
    let words = words.unwrap_or_else(|| call.used());
    cut(&one_line(&words), LONGEST)
}

/// Puts a verb in front of what it is about.
fn said(verb: &str, what: Option<String>) -> Option<String> {
    what.map(|what| format!("{verb} {what}"))
}

impl Call<'_> {
    fn text(&self, fields: &[&str]) -> Option<String> {
        let found = fields.iter().find_map(|field| self.input.get(field)?.as_str());
        found.filter(|text| !text.trim().is_empty()).map(str::to_owned)
    }

    /// Returns the files that it is about, as they are called in its directory.
    fn paths(&self) -> Option<String> {
        let one = || self.text(&PATHS).into_iter().collect();
        let all: Vec<String> =
            if self.extra.locations.is_empty() { one() } else { self.extra.locations.clone() };
        let mut shown: Vec<String> = Vec::new();
        for path in all {
            let path = relative(&path, self.directory).to_owned();
            if !shown.contains(&path) {
                shown.push(path);
            }
        }
        (!shown.is_empty()).then(|| shown.join(", "))
    }

    /// Returns the command that it runs, without the shell around it.
    fn command(&self) -> Option<String> {
        let words = |field: &&str| {
            let words = self.input.get(field)?.as_array()?.iter().map(Value::as_str);
            words.collect::<Option<Vec<_>>>().map(|words| match words.as_slice() {
                // Words need no second reading: the last one is the script.
                [_, "-c" | "-lc", script] => (*script).to_owned(),
                words => words.join(" "),
            })
        };
        let command = self.text(&COMMANDS).or_else(|| COMMANDS.iter().find_map(words))?;
        Some(script(&command).unwrap_or(command))
    }

    /// Returns what is looked for, and where.
    fn searched(&self) -> Option<String> {
        let what = self.text(&PATTERNS)?;
        let place = self.text(&PATHS).map(|path| relative(&path, self.directory).to_owned());
        Some(match place.filter(|place| place != ".") {
            Some(place) => format!("{what} in {place}"),
            None => what,
        })
    }

    /// Returns the title that the harness gave, where it says more than the tool's name.
    fn title(&self) -> Option<String> {
        let title = self.extra.title.trim().trim_matches('`');
        let tells = !title.is_empty() && title != self.name && title != own_name(self.name);
        tells.then(|| relative(title, self.directory).to_owned())
    }

    /// Names a tool, and what it is given.
    fn used(&self) -> String {
        let own = own_name(self.name);
        let server =
            self.name.strip_prefix("mcp__").and_then(|name| name.strip_suffix(own)?.strip_suffix("__"));
        let name = match server {
            Some(server) if !server.to_lowercase().starts_with("paseo") => format!("{own} ({server})"),
            _ => own.to_owned(),
        };
        // The list stands in the result.
        if own == "todo" {
            return name;
        }
        let given = self.input.as_object().map(given).unwrap_or_default();
        let title =
            self.title().filter(|title| server.is_none_or(|server| *title != format!("{server}: {own}")));
        match (given.as_str(), title) {
            ("", None) => name,
            ("", Some(title)) => format!("{name}: {title}"),
            (given, _) => format!("{name}: {given}"),
        }
    }
}

/// Returns what a tool is given: one value as it is, several with their names.
fn given(input: &Map<String, Value>) -> String {
    let shown = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match input.len() {
        1 => input.values().map(shown).collect(),
        _ => {
            let each = input.iter().filter(|(_, value)| !value.is_null());
            let each =
                each.map(|(name, value)| format!("{name}: {}", cut(&one_line(&shown(value)), LONGEST_VALUE)));
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns a path as it is called in a directory.
fn relative<'a>(path: &'a str, directory: &str) -> &'a str {
    match path.strip_prefix(directory.trim_end_matches('/')) {
        Some("" | "/") => ".",
        Some(rest) => rest.strip_prefix('/').filter(|rest| !rest.is_empty()).unwrap_or(path),
        None => path.strip_prefix("./").filter(|rest| !rest.is_empty()).unwrap_or(path),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, longest: usize) -> String {
    match head(text, longest) {
        (head, true) => format!("{head}…"),
        (text, false) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(name: &str, class: ToolClass, title: &str, locations: &[&str], input: Value) -> String {
        let locations = locations.iter().map(|path| (*path).to_owned()).collect();
        let extra = ToolCallExtra { title: title.to_owned(), locations };
        let draft = Draft {
            kind: Kind::ToolCall { call: "c".to_owned(), name: name.to_owned(), class },
            text: Some(input.to_string()),
            extra: serde_json::to_string(&extra).ok(),
        };
        let extra: ToolCallExtra = serde_json::from_str(&titled(draft, "/p").extra.unwrap()).unwrap();
        extra.title
    }

    #[test]
    fn the_same_thing_is_called_the_same_in_every_harness() {
        use ToolClass::{Edit, Execute, Fetch, Read, Search};
        // claude, pi, gemini (which titles with the bare name), codex (which reads by commands).
        let input = json!({"file_path": "/p/src/a.rs"});
        assert_eq!(shown("Read", Read, "/p/src/a.rs", &["/p/src/a.rs"], input), "Read src/a.rs");
        assert_eq!(shown("read", Read, "src/a.rs", &[], json!({"path": "./src/a.rs"})), "Read src/a.rs");
        assert_eq!(shown("read_file", Read, "a.rs", &["/p/src/a.rs"], json!({})), "Read src/a.rs");
        let command = json!({"command": "/bin/bash -lc 'cat src/a.rs'", "cwd": "/p"});
        assert_eq!(shown("shell", Read, "cat src/a.rs", &["src/a.rs"], command), "Read src/a.rs");

        let input = json!({"file_path": "/p/src/a.rs", "old_string": "x", "new_string": "y"});
        assert_eq!(shown("Edit", Edit, "/p/src/a.rs", &["/p/src/a.rs"], input), "Edit src/a.rs");
        let both = ["/p/a.rs", "/p/b.rs", "/p/a.rs"];
        assert_eq!(
            shown("apply_patch", Edit, "a.rs, b.rs", &both, json!({"changes": []})),
            "Edit a.rs, b.rs"
        );

        for input in [
            json!({"command": "cargo test"}),
            json!({"command": "/bin/bash -lc 'cargo test'"}),
            json!({"command": ["bash", "-lc", "cargo test"]}),
            json!({"cmd": "cargo  test\n"}),
        ] {
            assert_eq!(shown("shell", Execute, "x", &[], input.clone()), "Run cargo test", "{input}");
        }
        assert_eq!(shown("execute", Execute, "`cargo test`", &[], json!({})), "Run cargo test");

        let input = json!({"pattern": "TODO", "path": "/p/src"});
        assert_eq!(shown("Grep", Search, "TODO", &[], input), "Search TODO in src");
        assert_eq!(shown("grep", Search, "TODO", &[], json!({"pattern": "TODO"})), "Search TODO");
        assert_eq!(shown("web_search", Search, "q", &[], json!({"query": "rust sse"})), "Search rust sse");
        assert_eq!(shown("WebFetch", Fetch, "u", &[], json!({"url": "http://x/"})), "Fetch http://x/");
        assert_eq!(shown("ls", Read, "", &[], json!({"path": "/p"})), "List .");
    }

    #[test]
    fn other_tools_say_what_they_are_given() {
        let other = |name: &str, title: &str, input| shown(name, ToolClass::Other, title, &[], input);
        let told = json!({"agent": "scout", "task": "look\naround"});
        for name in ["summon", "mcp__Paseo__summon", "mcp__paseo_tools__summon"] {
            assert_eq!(other(name, "scout", told.clone()), "summon: agent: scout, task: look around");
        }
        assert_eq!(other("mcp__Paseo__set_title", "Back", json!({"title": "Back"})), "set_title: Back");
        assert_eq!(other("mcp__db__query", "db: query", json!({})), "query (db)");
        assert_eq!(other("todo", "todo", json!({"todos": []})), "todo");
        assert_eq!(other("Task", "Look around", json!({})), "Task: Look around");
    }

    #[test]
    fn what_is_long_or_broken_has_a_headline_too() {
        let long = shown("shell", ToolClass::Execute, "", &[], json!({"command": "x".repeat(1000)}));
        assert_eq!(long.chars().count(), LONGEST + 1);
        assert!(long.starts_with("Run xxx") && long.ends_with('…'));
        assert_eq!(shown("shell", ToolClass::Execute, "", &[], json!("no object")), "shell");
        let draft = Draft {
            kind: Kind::ToolCall { call: "c".into(), name: "write".into(), class: ToolClass::Edit },
            text: Some(format!("{{\"content\":\"{}\"}}", "x".repeat(READABLE_BYTES))),
            extra: Some(r#"{"title":"a.rs","locations":["/p/a.rs"]}"#.to_owned()),
        };
        assert!(titled(draft, "/p").extra.unwrap().contains("Edit a.rs"));
    }

    #[test]
    fn a_directory_that_only_begins_alike_is_another() {
        assert_eq!(relative("/p2/a", "/p"), "/p2/a");
        assert_eq!(relative("/p/a", "/p/"), "a");
        assert_eq!(relative("/p", "/p"), ".");
        assert_eq!(relative("/a", "/"), "a");
    }
}
