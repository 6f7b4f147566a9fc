//! What an agent asks leave for: its own tools, and files that it has us read and write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::{PermissionOption, PermissionOptionKind, ToolKind};
use paseo_core::permission::form::Question;
use paseo_core::permission::{Form, Power, Request, Shape};
use serde_json::{Map, Value, json};

use super::calls::{Call, is_name};
use super::parse::text;
use crate::elicitation;
use crate::files::{Access, What};
use crate::provider::Answer;
use crate::questions;

/// What a form is asked for with.
pub(super) const ELICITATION: &str = "elicitation/create";
/// How options of claude's begin that carry out a plan.
const APPROVALS: &str = "exit-plan";
/// The option of claude's that carries out a plan and asks about each change.
const PLAIN_APPROVAL: &str = "exit-plan-default";

/// What is asked and not answered yet.
#[derive(Debug, Default)]
pub(super) struct Asks {
    /// Something is kept from the agent: hard links must not lead it out of its directory.
    confined: bool,
    open: BTreeMap<u64, Open>,
    last: u64,
    /// Files that were allowed to be written as a part of a call, and their text: who has us write them then is not
    /// asked about a second time.
    covered: Vec<(PathBuf, String)>,
    /// Files on their way to or from the disk, by the call.
    accessing: BTreeMap<String, (Value, Option<Lines>)>,
}

#[derive(Debug)]
struct Open {
    /// The id of the request, as the agent wrote it.
    id: Value,
    input: Value,
    subject: Subject,
}

#[derive(Debug)]
enum Subject {
    Call {
        call: String,
        options: Vec<PermissionOption>,
        change: Option<(PathBuf, String)>,
    },
    Question {
        call: String,
        options: Vec<PermissionOption>,
    },
    Plan {
        call: String,
        options: Vec<PermissionOption>,
    },
    /// An MCP server asks a person, or the agent does in the same way.
    Elicitation(Form),
    File {
        path: PathBuf,
        what: What,
        lines: Option<Lines>,
    },
}

/// Which lines of a file are wanted: from this one on, so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) first: Option<u32>,
    pub(super) count: Option<u32>,
}

/// What an answer comes to.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// This is written.
    Result { id: Value, result: Value, denied: Option<String> },
    /// The file is read or written; the answer is what comes of it.
    Access(Access),
    /// The agent is told that it may not.
    Refusal { id: Value, message: String },
}

impl Asks {
    pub(super) fn new(confined: bool) -> Self {
        Self { confined, ..Self::default() }
    }

    /// Opens a question about a call, and returns it in our words.
    pub(super) fn call(
        &mut self,
        id: &Value,
        call: &Call,
        options: Vec<PermissionOption>,
        directory: &Path,
    ) -> Request {
        let (power, shape) = (power(call.kind), shape(call, directory));
        let mut changes = call.changes().map(|(path, _, new)| (path.to_owned(), new.to_owned()));
        // Only who may write has a write allowed along with the call; and of several files at once nobody knows
        // whether each of them is.
        let change = match (power, changes.next(), changes.next()) {
            (Power::Write, change, None) => change,
            _ => None,
        };
        let subject = Subject::Call { call: call.own.clone(), options, change };
        self.ask(id, call.name(), input(call), power, shape, subject)
    }

    /// Opens questions to a person.
    pub(super) fn question(
        &mut self,
        id: &Value,
        call: &Call,
        options: Vec<PermissionOption>,
        asked: Vec<Question>,
    ) -> Request {
        let shape = Shape::Question { text: questions::words(&asked) };
        let subject = Subject::Question { call: call.own.clone(), options };
        let request = self.ask(id, call.name(), Value::Null, Power::Read, shape, subject);
        Request { form: Some(Form::Questions { questions: asked }), ..request }
    }

    /// Asks a person to approve a plan.
    pub(super) fn plan(
        &mut self,
        id: &Value,
        call: &Call,
        options: Vec<PermissionOption>,
        form: Form,
    ) -> Request {
        let words = match &form {
            Form::Plan { text, .. } => text.as_str(),
            Form::Questions { .. } | Form::Fields { .. } | Form::Link { .. } => "",
        };
        let shape = Shape::Question { text: format!("The agent asks to carry out this plan:\n{words}") };
        let subject = Subject::Plan { call: call.own.clone(), options };
        let request = self.ask(id, call.name(), Value::Null, Power::Read, shape, subject);
        Request { form: Some(form), ..request }
    }

    /// Asks a person to fill in a form, or to visit an address.
    pub(super) fn elicitation(&mut self, id: &Value, message: &str, form: Form) -> Request {
        let shape = Shape::Question { text: elicitation::words("The agent", message, &form) };
        let subject = Subject::Elicitation(form.clone());
        let tool = ELICITATION.to_owned();
        let request = self.ask(id, tool, Value::Null, Power::Read, shape, subject);
        Request { form: Some(form), ..request }
    }

    /// Opens a question about a file that we are to read or write.
    pub(super) fn file(&mut self, id: &Value, path: PathBuf, what: What, lines: Option<Lines>) -> Request {
        let shown = path.display().to_string();
        let (tool, input, power, shape) = match &what {
            What::Read => {
                let tool = "fs/read_text_file".to_owned();
                (tool.clone(), json!({ "path": shown }), Power::Read, Shape::Tool { name: tool })
            }
            What::Write(text) => {
                let input = json!({ "path": shown, "content": text });
                ("fs/write_text_file".to_owned(), input, Power::Write, Shape::File { path: shown })
            }
        };
        self.ask(id, tool, input, power, shape, Subject::File { path, what, lines })
    }

    fn ask(
        &mut self,
        id: &Value,
        tool: String,
        input: Value,
        power: Power,
        shape: Shape,
        subject: Subject,
    ) -> Request {
        self.last += 1;
        let open = Open { id: id.clone(), input: input.clone(), subject };
        self.open.insert(self.last, open);
        Request { call: self.last.to_string(), tool, input, power, shape, form: None }
    }

    /// Says whether a file with this text was allowed already. That holds once.
    pub(super) fn covers(&mut self, path: &Path, text: &str) -> bool {
        let place = self.covered.iter().position(|(known, new)| known == path && new == text);
        place.map(|place| self.covered.remove(place)).is_some()
    }

    /// Returns what an answer comes to, if the question is open.
    pub(super) fn answer(&mut self, call: &str, answer: &Answer, directory: &Path) -> Option<Reply> {
        let Open { id, input, subject } = self.open.remove(&call.parse().ok()?)?;
        let allowed = match answer {
            // An agent does what it asked for or nothing: it takes no other input.
            Answer::Allow { input: shown, .. } => *shown == input,
            Answer::Deny { .. } | Answer::Choose { .. } | Answer::Fill { .. } | Answer::Cancel => false,
        };
        let reason = match answer {
            Answer::Deny { message } => message.clone(),
            Answer::Allow { .. } | Answer::Choose { .. } | Answer::Fill { .. } | Answer::Cancel => {
                "Permission denied.".to_owned()
            }
        };
        Some(match subject {
            Subject::Question { call, options } => {
                let answers = match answer {
                    Answer::Choose { answers } => Some(answers),
                    Answer::Allow { .. } | Answer::Deny { .. } | Answer::Fill { .. } | Answer::Cancel => None,
                };
                let chosen = choose(&options, answers.is_some());
                let mut result = outcome(chosen);
                if let (Some(answers), Some(_)) = (answers, chosen) {
                    result["answers"] = numbered(answers);
                }
                let denied = (answers.is_none() || chosen.is_none()).then_some(call);
                Reply::Result { id, result, denied }
            }
            Subject::Plan { call, options } => {
                let chosen = if allowed { approval(&options) } else { choose(&options, false) };
                let denied = (!allowed || chosen.is_none()).then_some(call);
                Reply::Result { id, result: outcome(chosen), denied }
            }
            Subject::Elicitation(form) => {
                Reply::Result { id, result: elicitation::answer(answer, &form), denied: None }
            }
            Subject::Call { call, options, change } => {
                let chosen = choose(&options, allowed);
                if allowed && chosen.is_some() {
                    self.covered.extend(change);
                }
                let denied = (!allowed || chosen.is_none()).then_some(call);
                Reply::Result { id, result: outcome(chosen), denied }
            }
            Subject::File { path, what, lines } if allowed => {
                Reply::Access(self.access(id, path, what, lines, directory))
            }
            Subject::File { .. } => Reply::Refusal { id, message: reason },
        })
    }

    /// Reads or writes a file, to answer this request with what comes of it.
    pub(super) fn access(
        &mut self,
        id: Value,
        path: PathBuf,
        what: What,
        lines: Option<Lines>,
        directory: &Path,
    ) -> Access {
        self.last += 1;
        let call = self.last.to_string();
        self.accessing.insert(call.clone(), (id, lines));
        Access { id: call, directory: directory.to_owned(), confined: self.confined, path, what }
    }

    /// Returns the request that an access was for.
    pub(super) fn accessed(&mut self, call: &str) -> Option<(Value, Option<Lines>)> {
        self.accessing.remove(call)
    }

    /// Takes back all questions, because their turn ends or is to end. Returns each with what the agent is told.
    pub(super) fn withdraw(&mut self) -> Vec<(String, Reply)> {
        self.covered.clear();
        let all = std::mem::take(&mut self.open).into_iter();
        let reply = |open: Open| match open.subject {
            Subject::Elicitation(form) => {
                let result = elicitation::answer(&Answer::Cancel, &form);
                Reply::Result { id: open.id, result, denied: None }
            }
            Subject::Call { .. } | Subject::Question { .. } | Subject::Plan { .. } => {
                Reply::Result { id: open.id, result: outcome(None), denied: None }
            }
            Subject::File { .. } => {
                Reply::Refusal { id: open.id, message: "The turn was stopped.".to_owned() }
            }
        };
        all.map(|(call, open)| (call.to_string(), reply(open))).collect()
    }
}

/// Reads the questions that qwen puts with a call, by what it notes beside it.
pub(super) fn questions(meta: &Map<String, Value>) -> Option<Vec<Question>> {
    let asks = meta.get("qwenInteractionKind").is_some_and(|kind| kind == "user_question");
    let questions = questions::read(meta.get("qwenQuestions").filter(|_| asks)?)?;
    match (Form::Questions { questions }).checked()? {
        Form::Questions { questions } => Some(questions),
        Form::Plan { .. } | Form::Fields { .. } | Form::Link { .. } => None,
    }
}

/// Returns the plan that a call asks to carry out, if it is one that does.
pub(super) fn plan(call: &Call, options: &[PermissionOption]) -> Option<Form> {
    if call.kind != ToolKind::SwitchMode {
        return None;
    }
    let approves = options.iter().any(|option| option.option_id.0.starts_with(APPROVALS));
    let text = match text(&call.input, "plan") {
        "" if approves => call.said(),
        plan => plan.to_owned(),
    };
    Form::Plan { text, advance: call.input.get("allowedPrompts").is_some() }.checked()
}

/// Returns the option that carries out a plan and grants the least beside it.
fn approval(options: &[PermissionOption]) -> Option<&PermissionOption> {
    let plain = |option: &&PermissionOption| {
        option.kind == PermissionOptionKind::AllowOnce && option.option_id.0.as_ref() == PLAIN_APPROVAL
    };
    options.iter().find(plain).or_else(|| choose(options, true))
}

/// Returns the answers by the numbers of their questions, several as one text.
fn numbered(answers: &[Vec<String>]) -> Value {
    let numbered = answers.iter().enumerate().map(|(at, chosen)| (at.to_string(), chosen.join(", ").into()));
    Value::Object(numbered.collect())
}

/// Returns the option that says exactly this, for this time: what holds for good, people tell the daemon and not the
/// agent.
fn choose(options: &[PermissionOption], allowed: bool) -> Option<&PermissionOption> {
    let wanted = if allowed { PermissionOptionKind::AllowOnce } else { PermissionOptionKind::RejectOnce };
    options.iter().find(|option| option.kind == wanted)
}

fn outcome(chosen: Option<&PermissionOption>) -> Value {
    match chosen {
        Some(option) => json!({ "outcome": { "outcome": "selected", "optionId": option.option_id } }),
        None => json!({ "outcome": { "outcome": "cancelled" } }),
    }
}

/// Returns what a call is known for. What is not known for anything less counts as a shell.
fn power(kind: ToolKind) -> Power {
    match kind {
        ToolKind::Read | ToolKind::Search => Power::Read,
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => Power::Write,
        ToolKind::Fetch => Power::Net,
        _ => Power::Shell,
    }
}

/// Returns exactly what is shown, and so allowed.
fn input(call: &Call) -> Value {
    let mut input = Map::new();
    match &call.input {
        Value::Object(fields) if !fields.is_empty() => input.clone_from(fields),
        Value::Null | Value::Object(_) => drop(input.insert("title".to_owned(), call.title.as_str().into())),
        other => drop(input.insert("input".to_owned(), other.clone())),
    }
    for (path, _, new) in call.changes() {
        // Beside whatever the agent says about it: this is what will stand there.
        let changes = input.entry("changes").or_insert_with(|| json!([]));
        if let Value::Array(changes) = changes {
            changes.push(json!({ "path": path, "newText": new }));
        }
    }
    Value::Object(input)
}

fn shape(call: &Call, directory: &Path) -> Shape {
    let paths = call.locations().into_iter().map(|path| directory.join(path).display().to_string());
    let paths: Vec<String> = paths.collect();
    let command = text(&call.input, "command");
    match (power(call.kind), &paths[..]) {
        (Power::Shell, _) if call.kind == ToolKind::Execute && !command.is_empty() => {
            let cwd = ["cwd", "directory", "workdir"].map(|field| text(&call.input, field));
            let elsewhere = cwd.into_iter().find(|cwd| !cwd.is_empty() && Path::new(cwd) != directory);
            // The same words do something else in another place.
            let command = elsewhere.map_or(command.to_owned(), |cwd| format!("cd {cwd} && {command}"));
            Shape::Command { command }
        }
        (Power::Write, [path]) => Shape::File { path: path.clone() },
        // These files together. No path begins with a bracket: they are absolute.
        (Power::Write, [_, _, ..]) => Shape::File { path: json!(paths).to_string() },
        (Power::Net, _) => match host(text(&call.input, "url")) {
            Some(host) => Shape::Host { host },
            None => named(call),
        },
        _ => named(call),
    }
}

fn named(call: &Call) -> Shape {
    let name = call.name();
    // What cannot be told apart cannot be allowed by a rule.
    if call.kind != ToolKind::Execute && power(call.kind) != Power::Write && is_name(&name) {
        return Shape::Tool { name };
    }
    Shape::Unnamed { words: if call.title.is_empty() { name } else { call.title.clone() } }
}

fn host(url: &str) -> Option<String> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

/// Cuts out the lines that were asked for.
pub(super) fn cut(text: &str, lines: Option<Lines>) -> String {
    let Some(Lines { first, count }) = lines.filter(|lines| lines.first.is_some() || lines.count.is_some())
    else {
        return text.to_owned();
    };
    let number = |wanted: u32| usize::try_from(wanted).unwrap_or(usize::MAX);
    let skipped = first.map_or(0, |first| number(first).saturating_sub(1));
    text.split_inclusive('\n').skip(skipped).take(count.map_or(usize::MAX, number)).collect()
}
