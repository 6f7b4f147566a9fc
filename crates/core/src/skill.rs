//! Skills: the tools of a plugin as commands of an agent's own shell, taught by a `SKILL.md`.

use serde_json::{Map, Value, json};

use crate::definition::Exposure;
use crate::tool::arguments::{entries, kind_words, properties, required, types};
use crate::tool::{Grants, Plugin, flags};

/// Longest description of a skill, in characters.
pub const DESCRIPTION_CHARS: usize = 1024;

/// The name of the file that teaches a skill.
pub const FILE: &str = "SKILL.md";

/// A tool as a skill tells of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taught<'a> {
    pub name: &'a str,
    pub description: &'a str,
    /// JSON schema of the arguments.
    pub schema: &'a Value,
}

/// A skill, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub plugin: Plugin,
    /// Also the name of its directory.
    pub name: String,
    pub description: String,
    /// All of its `SKILL.md`.
    pub text: String,
}

/// Returns the plugins that an agent gets as skills: those with a granted tool that the definition's lists let through.
pub fn plugins(grants: &Grants) -> Vec<Plugin> {
    if grants.exposure() == Exposure::Tools {
        return Vec::new();
    }
    let granted = |plugin: Plugin| grants.specs().iter().any(|spec| spec.plugin == plugin);
    let taught = |plugin: &Plugin| granted(*plugin) && grants.allows_skill(*plugin);
    Plugin::OPTIONAL.into_iter().filter(taught).collect()
}

/// Makes the page of a plugin's granted tools. `program` is our own, by its whole path: a login shell may look for
/// programs elsewhere than the harness does.
pub fn page(plugin: Plugin, program: &str, tools: &[Taught<'_>]) -> Page {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    write(plugin, program, &format!("{} Commands: {}.", about(plugin), names.join(", ")), tools)
}

fn write(plugin: Plugin, program: &str, description: &str, tools: &[Taught<'_>]) -> Page {
    let program = word(program);
    let name = format!("paseo-{}", plugin.id());
    let description: String = folded(description).chars().take(DESCRIPTION_CHARS).collect();
    let mut text = format!(
        "---\nname: {name}\ndescription: {}\n---\n\n# {name}\n\n{}\n\nEach tool is a shell command and \
         acts as you. It prints the result and exits with 0. Exit code 1: the call failed, and stderr says \
         why. 6: you are not allowed. Run `{program} tool NAME --help` for its arguments; `--json '{{…}}'` \
         passes all arguments at once.\n",
        scalar(&description),
        about(plugin),
    );
    tools.iter().for_each(|tool| text.push_str(&section(&program, tool)));
    Page { plugin, name, description, text }
}

/// Says what a plugin is for.
pub fn about(plugin: Plugin) -> &'static str {
    match plugin {
        Plugin::Ui => "Set the title of the task and name the branch.",
        Plugin::Native => "Built-in abilities of the agent.",
        Plugin::Tabs => {
            "Talk to other running agents by their short handles. Use it when a person names another tab."
        }
        Plugin::Agents => "Ask specialised agents to do work. Use it to delegate.",
        Plugin::Summon => {
            "Start agents for tasks and wait for them. Use it for work that can run in parallel with yours."
        }
        Plugin::Threads => {
            "Take part in conversations between several people and agents. Use it to read messages and to \
             post."
        }
        Plugin::Todo => "Keep a to-do list that people can follow. Use it for anything with several steps.",
        Plugin::Team => {
            "Share tasks with the other agents in your team and talk to them. Use it before you change any \
             file."
        }
    }
}

fn section(program: &str, tool: &Taught<'_>) -> String {
    let mut text = format!("\n## {}\n\n{}\n", tool.name, tool.description.trim());
    let needed = |name: &String| required(tool.schema).any(|needed| needed == name);
    let known = properties(tool.schema);
    // What must be given comes first.
    let (must, may): (Vec<_>, Vec<_>) = known.into_iter().flatten().partition(|(name, _)| needed(name));
    if !(must.is_empty() && may.is_empty()) {
        text.push('\n');
    }
    for (name, of) in must.into_iter().chain(may) {
        let optional = if needed(name) { "" } else { ", optional" };
        let (flag, kind, about) = (flags::flag(name), kind_words(of), about_argument(of));
        text.push_str(&format!("- `{flag}` ({kind}{optional}): {about}\n"));
        for (name, kind, about) in parts(of) {
            text.push_str(&format!("  - `{name}` ({kind}): {about}\n"));
        }
    }
    text.push_str(&format!("\n```sh\n{}\n```\n", example(program, tool.name, tool.schema)));
    text
}

fn about_argument(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).map(folded).unwrap_or_default()
}

/// Returns the parts of each entry of a list: name, what it may be, what it is. What must be given comes first.
pub fn parts(list: &Value) -> Vec<(&str, String, String)> {
    let Some(entry) = entries(list) else { return Vec::new() };
    let needed = |name: &str| required(entry).any(|needed| needed == name);
    let mut parts: Vec<(&str, &Value)> =
        properties(entry).into_iter().flatten().map(|(name, of)| (name.as_str(), of)).collect();
    parts.sort_by_key(|(name, _)| !needed(name));
    let told = |(name, of)| {
        let optional = if needed(name) { "" } else { ", optional" };
        (name, format!("{}{optional}", kind_words(of)), about_argument(of))
    };
    parts.into_iter().map(told).collect()
}

/// Returns a command that calls a tool with everything that must be given. `program` is a word of a shell.
pub fn example(program: &str, name: &str, schema: &Value) -> String {
    let sample = sample(schema);
    let words = sample.as_object().into_iter().flatten().map(|(name, value)| match value {
        Value::String(text) => Some(format!("{} {}", flags::flag(name), quoted(text))),
        Value::Number(number) => Some(format!("{} {number}", flags::flag(name))),
        Value::Bool(true) => Some(flags::flag(name)),
        _ => None,
    });
    let arguments = match words.collect::<Option<Vec<String>>>() {
        Some(words) => words.join(" "),
        None => format!("{} {}", flags::JSON, quoted(&sample.to_string())),
    };
    format!("{program} tool {name} {arguments}").trim_end().to_owned()
}

/// Returns a value that fits a schema: its own example, else what must be given and nothing else.
fn sample(schema: &Value) -> Value {
    if let Some(example) = schema.get("examples").and_then(Value::as_array).and_then(|all| all.first()) {
        return example.clone();
    }
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|allowed| allowed.first()) {
        return first.clone();
    }
    match types(schema).first() {
        Some(&"object") => {
            let known = properties(schema);
            let of = |name: &str| known.and_then(|known| known.get(name)).map_or(Value::Null, sample);
            required(schema).map(|name| (name.to_owned(), of(name))).collect::<Map<_, _>>().into()
        }
        Some(&"array") => schema.get("items").map_or_else(|| json!([]), |of| json!([sample(of)])),
        Some(&"number" | &"integer") => json!(1),
        Some(&"boolean") => json!(true),
        _ => json!("…"),
    }
}

/// Returns a word for a shell, quoted when it has to be.
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Puts a text on one line.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes a text as a YAML scalar that is read back as exactly that.
fn scalar(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c if c.is_alphanumeric() => out.push(c),
            // Line breaks that are none elsewhere, what does not show, what is no character.
            c => out.push_str(&format!("\\U{:08X}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use saphyr_parser::{Event, Parser};

    use super::*;
    use crate::actor::Actor;
    use crate::definition::{Definition, Origin, Source};
    use crate::glob::{Glob, Lists};
    use crate::id::SessionId;
    use crate::session::{Created, Session};
    use crate::settings::Settings;
    use crate::time::Timestamp;
    use crate::tool::arguments::check;

    /// Reads the front matter as YAML: its scalars, in order.
    fn front_matter(text: &str) -> Vec<String> {
        let rest = text.strip_prefix("---\n").unwrap();
        let (front, _) = rest.split_once("\n---\n").unwrap();
        let scalar = |event: Event<'_>| match event {
            Event::Scalar(text, ..) => Some(text.into_owned()),
            _ => None,
        };
        Parser::new_from_str(front).filter_map(|event| scalar(event.unwrap().0)).collect()
    }

    fn granted(exposure: Exposure, skills: Lists, allow: &[&str]) -> Grants {
        let source = Source { origin: Origin::Home, file: None };
        let mut definition = Definition { exposure, skills, ..Definition::plain("x", source) };
        definition.scope.tools.allow = Some(allow.iter().map(|name| Glob::new(*name)).collect());
        let created =
            Created::plain(SessionId::from_random([1; 16]), Actor::Human("cli".into()), "scripted", "/");
        let session = Session::create(created, Timestamp::default());
        Grants::of(&session, &definition, &Settings::default(), &BTreeSet::new())
    }

    fn lists(allow: Option<&[&str]>, deny: &[&str]) -> Lists {
        let globs = |names: &[&str]| names.iter().map(|name| Glob::new(*name)).collect::<Vec<_>>();
        Lists { allow: allow.map(globs), deny: globs(deny) }
    }

    const TOOLS: [&str; 3] = ["native_*", "todo", "agents_list"];

    #[test]
    fn a_plugin_becomes_a_skill_when_a_tool_of_it_is_granted_and_the_lists_let_it() {
        let grants = granted(Exposure::Mixed, Lists::default(), &TOOLS);
        assert_eq!(plugins(&grants), [Plugin::Agents, Plugin::Todo]);
        for exposure in [Exposure::Skills, Exposure::Mixed] {
            let grants = granted(exposure, lists(Some(&["*"]), &["to*"]), &TOOLS);
            assert_eq!(plugins(&grants), [Plugin::Agents]);
        }
        assert!(plugins(&granted(Exposure::Tools, Lists::default(), &TOOLS)).is_empty());
    }

    #[test]
    fn without_a_shell_tools_stay_tools() {
        for exposure in [Exposure::Skills, Exposure::Mixed] {
            let grants = granted(exposure, lists(None, &["todo"]), &["native_read", "todo"]);
            assert_eq!(grants.exposure(), Exposure::Tools);
            assert!(plugins(&grants).is_empty() && grants.has("todo"));
        }
    }

    #[test]
    fn a_denied_plugin_is_out_of_reach_as_far_as_the_exposure_says() {
        for denied in [lists(None, &["agents"]), lists(Some(&["todo"]), &[])] {
            for (exposure, as_tool) in
                [(Exposure::Skills, false), (Exposure::Mixed, true), (Exposure::Tools, true)]
            {
                let grants = granted(exposure, denied.clone(), &TOOLS);
                assert_eq!(grants.check("agents_list").is_ok(), as_tool, "{exposure:?}");
                let refused = grants.check_process("agents_list").unwrap_err();
                if as_tool {
                    let told = "the tool `agents_list` cannot be called from a shell or over HTTP: the definition does not allow the plugin `agents` as a skill";
                    assert_eq!(refused.to_string(), told);
                }
                for other in ["todo", "native_read", "native_shell"] {
                    assert_eq!((grants.check(other), grants.check_process(other)), (Ok(()), Ok(())));
                }
            }
        }
    }

    #[test]
    fn a_page_teaches_each_tool_with_an_example() {
        let schema = json!({
            "type": "object",
            "properties": {
                "tab_id": { "type": "string", "description": "Which." },
                "timeout": { "type": "number" },
            },
            "required": ["tab_id"],
        });
        let page = page(
            Plugin::Tabs,
            "/opt/my paseo",
            &[Taught { name: "read_tab", description: "Reads.", schema: &schema }],
        );
        assert_eq!(page.name, "paseo-tabs");
        let expected = "\n## read_tab\n\nReads.\n\n- `--tab-id` (string): Which.\n- `--timeout` (number, optional): \n\n\
                        ```sh\n'/opt/my paseo' tool read_tab --tab-id '…'\n```\n";
        assert!(page.text.ends_with(expected), "{}", page.text);
    }

    #[test]
    fn a_list_is_taught_with_the_parts_of_its_entries() {
        let schema = json!({
            "type": "object",
            "properties": { "todos": {
                "type": "array",
                "description": "All.",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": { "type": "string", "description": "What." },
                        "about": { "type": "string", "description": "More\nof it." },
                    },
                    "required": ["content"],
                },
                "examples": [[{ "content": "it's" }]],
            } },
            "required": ["todos"],
        });
        let page =
            page(Plugin::Todo, "paseo", &[Taught { name: "todo", description: "Plans.", schema: &schema }]);
        let expected = "- `--todos` (list of objects): All.\n  - `content` (string): What.\n  - `about` (string, optional): More of it.\n\n\
                        ```sh\npaseo tool todo --json '{\"todos\":[{\"content\":\"it'\\''s\"}]}'\n```\n";
        assert!(page.text.ends_with(expected), "{}", page.text);
    }

    fn any_schema() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!({ "type": "string" })),
            Just(json!({ "type": "integer" })),
            Just(json!({ "type": "boolean" })),
            any::<String>().prop_map(|word| json!({ "enum": [word] })),
        ];
        let nested = leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
                object(inner)
            ]
        });
        object(nested)
    }

    fn object(of: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
        proptest::collection::btree_map("[a-z]{1,4}(_[a-z]{1,3})?", (of, any::<bool>()), 0..4).prop_map(|members| {
            let required: Vec<&String> = members.iter().filter(|(_, (_, must))| *must).map(|(name, _)| name).collect();
            let properties: Map<String, Value> =
                members.iter().map(|(name, (of, _))| (name.clone(), of.clone())).collect();
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
        })
    }

    /// Splits a command like a shell does, as far as [`example`] goes.
    fn split(command: &str) -> Vec<String> {
        let (mut words, mut word, mut rest) = (Vec::new(), None::<String>, command.chars());
        while let Some(c) = rest.next() {
            match c {
                '\'' => word.get_or_insert_default().extend(rest.by_ref().take_while(|c| *c != '\'')),
                '\\' => word.get_or_insert_default().extend(rest.next()),
                ' ' => words.extend(word.take()),
                c => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        words
    }

    proptest! {
        #[test]
        fn front_matter_parses_whatever_the_descriptions_hold(
            description in any::<String>(),
            told in any::<String>(),
        ) {
            let schema = json!({ "type": "object", "properties": { "a": { "type": "string", "description": told } } });
            let tool = Taught { name: "todo", description: &told, schema: &schema };
            let page = write(Plugin::Todo, "paseo", &description, &[tool]);
            let expected = ["name", "paseo-todo", "description", page.description.as_str()];
            prop_assert_eq!(front_matter(&page.text), expected);
            prop_assert!(page.description.chars().count() <= DESCRIPTION_CHARS);
            prop_assert!(page.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        }

        #[test]
        fn an_example_is_a_call_that_fits(schema in any_schema()) {
            let command = example("paseo", "x", &schema);
            let words = split(&command);
            prop_assert_eq!(&words[..3], ["paseo", "tool", "x"]);
            let read = flags::read(&schema, &words[3..]).unwrap();
            prop_assert_eq!(check("x", &schema, &read), Ok(()), "{}", command);
        }
    }
}
