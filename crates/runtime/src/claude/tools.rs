//! Claude's own tools: what each does to the world, and how it is shown and asked for.

use std::path::{Path, PathBuf};

use paseo_core::item::{ToolCallExtra, ToolClass};
use paseo_core::permission::{Form, Power, Request, Shape};
use serde_json::{Map, Value, json};

use super::parse::ControlQuestion;
use crate::questions;

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

/// Tools that start others, which ask for themselves.
const SUBAGENTS: [&str; 2] = ["Task", "Agent"];
/// What they may be told and do no more than that. With `isolation` a worktree and a branch are made first.
const OF_SUBAGENTS: [&str; 6] =
    ["description", "prompt", "subagent_type", "model", "effort", "run_in_background"];

const QUESTION: &str = "AskUserQuestion";
const PLAN: &str = "ExitPlanMode";
/// The field of a plan that asks for more than the plan.
const IN_ADVANCE: &str = "allowedPrompts";

/// Returns the tools that are not there for an agent without a power, nor for its subagents. `Task` stays: it has the
/// same limits.
pub(super) fn of_power(power: Power) -> &'static [&'static str] {
    match power {
        Power::Read => &["Read", "NotebookRead", "LS", "Glob", "Grep"],
        Power::Write => &["Write", "Edit", "MultiEdit", "NotebookEdit"],
        Power::Shell => &[
            "Bash",
            "PowerShell",
            "Monitor",
            "Workflow",
            "CronCreate",
            "CronDelete",
            "EnterWorktree",
            "ExitWorktree",
            "SendMessage",
        ],
        Power::Net => &["WebFetch", "WebSearch"],
    }
}

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

/// Says whether nobody knows what a tool does, or it does what commands do without being one. Subagents have the same
/// limits as their parent.
pub(super) fn is_unknown_or_wide(name: &str) -> bool {
    match find(name) {
        Some(known) => {
            known.power == Power::Shell && known.class == ToolClass::Other && !SUBAGENTS.contains(&name)
        }
        None => true,
    }
}

/// Says whether a tool that starts a subagent does more than that, or what nobody knows.
pub(super) fn is_wide_subagent(name: &str, input: &Value) -> bool {
    let known =
        |fields: &Map<String, Value>| fields.keys().all(|field| OF_SUBAGENTS.contains(&field.as_str()));
    SUBAGENTS.contains(&name) && !input.as_object().is_some_and(known)
}

/// Returns how a call is shown.
pub(super) fn extra(name: &str, input: &Value) -> ToolCallExtra {
    let title = match find(name) {
        Some(known) => input.get(known.telling).and_then(Value::as_str).unwrap_or_default().to_owned(),
        None => foreign(name, input),
    };
    let title = title.lines().next().unwrap_or_default();
    let locations = ["file_path", "notebook_path"].iter().filter_map(|field| input.get(field)?.as_str());
    ToolCallExtra { title: shortened(title), locations: locations.map(str::to_owned).collect() }
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

/// Says whether a tool belongs to one of our own servers. Those check by themselves what an agent may do.
pub(super) fn is_ours(asked: &ControlQuestion, servers: &[String]) -> bool {
    let named = |server: &String| asked.mcp_server.as_ref().is_none_or(|found| found.name == *server);
    let tool = |server: &String| {
        asked.tool_name.strip_prefix("mcp__")?.strip_prefix(server.as_str())?.strip_prefix("__")
    };
    // A server of someone else may have a name that begins like ours.
    servers.iter().any(|server| named(server) && tool(server).is_some_and(|tool| !tool.contains("__")))
}

/// Where a call works.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The session's own directory.
    pub session: &'a Path,
    /// Where the shell is now, which moves; `None` when that is not known.
    pub now: Option<&'a Path>,
}

impl Place<'_> {
    /// Returns where the shell is, if that is not the session's own directory.
    fn elsewhere(&self) -> Option<&Path> {
        self.now.filter(|now| *now != self.session)
    }
}

/// Returns what a tool asks leave for.
pub(super) fn request(call: String, asked: &ControlQuestion, place: Place<'_>) -> Request {
    let (name, input) = (&asked.tool_name, asked.input.clone());
    let power = find(name).map_or(Power::Shell, |known| known.power);
    let mut tool = name.clone();
    if runs_commands(name) {
        // The same command is not the same thing without the sandbox, or in another place.
        if input.get("dangerouslyDisableSandbox").and_then(Value::as_bool) == Some(true) {
            tool.push_str(" outside the sandbox");
        }
        if let Some(now) = place.elsewhere() {
            tool.push_str(&format!(" in {}", now.display()));
        }
    }
    Request { call, tool, shape: shape(asked, power, place), form: form(name, &input), input, power }
}

fn shape(asked: &ControlQuestion, power: Power, place: Place<'_>) -> Shape {
    let text = |name: &str| asked.input.get(name).and_then(Value::as_str);
    let by_name = || Shape::Tool { name: asked.tool_name.clone() };
    match asked.tool_name.as_str() {
        QUESTION => return Shape::Question { text: question(&asked.input) },
        PLAN => return Shape::Question { text: plan(&asked.input) },
        name if asked.requires_user_interaction => {
            return Shape::Question { text: format!("{name} {}", asked.input) };
        }
        _ => {}
    }
    match power {
        Power::Shell => {
            text("command").map_or_else(by_name, |command| match (place.now, place.elsewhere()) {
                (Some(_), None) => Shape::Command { command: command.to_owned() },
                (_, Some(now)) => {
                    Shape::Command { command: format!("cd {} && {command}", quoted(&now.to_string_lossy())) }
                }
                // Nothing that could be kept: it may mean another thing the next time.
                (None, None) => {
                    let name = &asked.tool_name;
                    Shape::Unnamed { words: format!("{name} in an unknown directory: {command}") }
                }
            })
        }
        Power::Write => text("file_path").or(text("notebook_path")).map_or_else(by_name, |path| {
            let directory = place.now.unwrap_or(place.session);
            Shape::File { path: directory.join(plain(path)).to_string_lossy().into_owned() }
        }),
        Power::Net => {
            text("url").and_then(host).map_or_else(by_name, |host| Shape::Host { host: host.to_owned() })
        }
        Power::Read => by_name(),
    }
}

/// Returns a path as the program reads it: it knows `~`, and leaves out spaces around it.
fn plain(path: &str) -> PathBuf {
    let path = path.trim();
    let home = || std::env::var_os("HOME").map(PathBuf::from);
    match path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')).zip(home()) {
        Some((rest, home)) => home.join(rest.trim_start_matches('/')),
        None => PathBuf::from(path),
    }
}

/// Returns what a tool gets when a person allows it, with what they say along with it.
pub(super) fn allowed(name: &str, mut input: Value, message: Option<&str>) -> Value {
    let Some(fields) = input.as_object_mut() else { return input };
    match (name, message) {
        // Permission in advance, for commands that no person has seen.
        (PLAN, _) => drop(fields.remove(IN_ADVANCE)),
        // Questions that could not be read: the words go to all of them.
        (QUESTION, Some(message)) => {
            fields.insert("answers".to_owned(), json!({}));
            fields.insert("response".to_owned(), message.into());
        }
        _ => {}
    }
    input
}

/// Returns the input of a question with a person's answers: by the text of each question, several as one text.
pub(super) fn answered(mut input: Value, answers: &[Vec<String>]) -> Value {
    let questions = input.get("questions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts = questions.iter().filter_map(|asked| asked.get("question").and_then(Value::as_str));
    let answers: Map<String, Value> =
        texts.zip(answers).map(|(asked, chosen)| (asked.to_owned(), chosen.join(", ").into())).collect();
    if let Value::Object(fields) = &mut input {
        fields.insert("answers".to_owned(), answers.into());
    }
    input
}

/// Returns what a request offers to choose from, or to approve.
fn form(tool: &str, input: &Value) -> Option<Form> {
    let read = match tool {
        PLAN => Form::Plan {
            text: input.get("plan").and_then(Value::as_str)?.to_owned(),
            advance: input.get(IN_ADVANCE).is_some(),
        },
        QUESTION => Form::Questions { questions: questions::read(input.get("questions")?)? },
        _ => return None,
    };
    read.checked()
}

/// Returns a path as a word for the shell.
fn quoted(path: &str) -> String {
    let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "_-./=:,@+".contains(c));
    if plain { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

fn plan(input: &Value) -> String {
    let given = allowed(PLAN, input.clone(), None);
    let words = given.get("plan").and_then(Value::as_str).unwrap_or_default();
    let mut text = format!("The agent asks to carry out this plan:\n{words}\n\n{given:#}");
    if let Some(wanted) = input.get(IN_ADVANCE) {
        text.push_str(&format!(
            "\n\nIt also asks for these permissions in advance, which are not granted:\n{wanted:#}"
        ));
    }
    text
}

/// Returns the host of an address, with its port. `None` for what only looks like one.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    (!authority.is_empty() && !authority.contains('@')).then_some(authority)
}

fn question(input: &Value) -> String {
    let read = input.get("questions").and_then(questions::read).filter(|asked| !asked.is_empty());
    read.map_or_else(|| input.to_string(), |asked| questions::words(&asked))
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
    use super::super::parse::ServerName;
    use super::*;

    fn at_home() -> Place<'static> {
        Place { session: Path::new("/project"), now: Some(Path::new("/project")) }
    }

    fn asked(tool: &str, input: Value) -> Request {
        let question = ControlQuestion { tool_name: tool.into(), input, ..ControlQuestion::default() };
        request("r1".into(), &question, at_home())
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
    fn leaving_the_sandbox_is_another_thing_and_words_in_a_command_are_not() {
        let free = asked("Bash", json!({ "command": "make", "dangerouslyDisableSandbox": true }));
        assert_eq!(free.tool, "Bash outside the sandbox");
        assert_eq!(free.shape, Shape::Command { command: "make".into() });
        assert_eq!(asked("Bash", json!({ "command": "make  # outside the sandbox" })).tool, "Bash");
    }

    #[test]
    fn the_same_command_in_another_place_is_another_command() {
        let run_in = |now: Option<&str>| {
            let input = json!({ "command": "make" });
            let asked = ControlQuestion { tool_name: "Bash".into(), input, ..ControlQuestion::default() };
            request("r".into(), &asked, Place { now: now.map(Path::new), ..at_home() })
        };
        let sub = run_in(Some("/project/sub"));
        assert_eq!(sub.tool, "Bash in /project/sub");
        assert_eq!(sub.shape, Shape::Command { command: "cd /project/sub && make".into() });
        let odd = run_in(Some("/project/a && b's"));
        assert_eq!(odd.shape, Shape::Command { command: r"cd '/project/a && b'\''s' && make".into() });
        assert!(matches!(run_in(None).shape, Shape::Unnamed { .. }));
    }

    #[test]
    fn a_plan_shows_all_of_itself_and_gets_no_leave_in_advance() {
        let input = json!({ "plan": "tidy up", "file": "/p.md", "allowedPrompts": [{ "tool": "Bash", "prompt": "rm" }] });
        let Shape::Question { text } = asked(PLAN, input.clone()).shape else { panic!("not a question") };
        assert!(text.contains("tidy up") && text.contains("/p.md") && text.contains("\"rm\""), "{text}");
        assert_eq!(allowed(PLAN, input, Some("go")), json!({ "plan": "tidy up", "file": "/p.md" }));
    }

    #[test]
    fn what_a_person_chooses_answers_the_questions() {
        let two = json!({ "questions": [{ "question": "Which?" }, { "question": "When?" }] });
        let given = answered(two.clone(), &[vec!["A".into(), "C".into()], vec!["now".into()]]);
        assert_eq!(given["answers"], json!({ "Which?": "A, C", "When?": "now" }));
        assert_eq!(given["questions"], two["questions"]);
        let said = allowed(QUESTION, two.clone(), Some("as you like"));
        assert_eq!((&said["answers"], &said["response"]), (&json!({}), &json!("as you like")));
        assert_eq!(allowed(QUESTION, two.clone(), None), two);
    }

    #[test]
    fn questions_and_plans_come_as_forms() {
        let options =
            json!([{ "label": "Blue", "description": "as the sky" }, { "label": "Red", "preview": "…" }]);
        let one =
            json!({ "question": "Which?", "header": "Color", "multiSelect": false, "options": options });
        let many = json!({ "question": "Where?", "multiSelect": true, "options": options });
        let Some(Form::Questions { questions }) = asked(QUESTION, json!({ "questions": [one, many] })).form
        else {
            panic!()
        };
        assert_eq!(questions.iter().map(|asked| asked.multiple).collect::<Vec<_>>(), [false, true]);
        assert_eq!((questions[0].header.as_str(), questions[0].open), ("Color", true));
        assert_eq!(questions[1].options[0].description, "as the sky");
        let plan = asked(PLAN, json!({ "plan": "# Do it", "allowedPrompts": [] })).form;
        assert_eq!(plan, Some(Form::Plan { text: "# Do it".into(), advance: true }));
        for (tool, input) in [
            (PLAN, json!({})),
            (QUESTION, json!({ "questions": [{ "question": "Which?" }] })),
            (QUESTION, json!({ "questions": "Which?" })),
            ("Bash", json!({ "command": "ls", "plan": "x" })),
        ] {
            assert_eq!(asked(tool, input).form, None, "{tool}");
        }
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
        request("r".into(), question, at_home()).shape
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
        assert!(extra.title.starts_with('é') && extra.title.ends_with('…'));
        assert_eq!(extra.title.chars().count(), TITLE + 1);
        assert_eq!(super::extra("Edit", &json!({ "file_path": "/a" })).locations, ["/a"]);
        assert_eq!(super::extra("Edit", &json!({ "file_path": "/a" })).title, "/a");
    }

    #[test]
    fn a_tool_of_a_server_is_titled_by_what_it_gets_or_by_its_name() {
        let title = |name: &str, input: Value| extra(name, &input).title;
        assert_eq!(title("mcp__Paseo__set_title", json!({ "title": "Back" })), "Back");
        assert_eq!(title("mcp__theirs__list", json!({ "page": 2 })), "list of theirs");
        assert_eq!(title("NewTool", json!({})), "");
    }
}
