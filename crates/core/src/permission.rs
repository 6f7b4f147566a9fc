//! What an agent may do to the world by itself, what it must ask for, and what people decided once and for all.

use serde::{Deserialize, Serialize};
use serde_json::Value;

mod consent;
mod destructive;
pub mod form;
mod rule;
mod script;
mod secrets;
mod shell;

pub use consent::{TooEarly, check_shown};
pub use form::Form;
pub use rule::{Rule, Scope};
pub use script::script;
pub use secrets::Secrets;

/// How much an agent may do without asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Everything that the person who started it may do.
    #[default]
    Full,
    /// It reads freely and asks a person before anything else.
    Ask,
    /// It reads, and nothing else.
    ReadOnly,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Full, Self::Ask, Self::ReadOnly];

    /// Returns the word that people type.
    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Ask => "ask",
            Self::ReadOnly => "read-only",
        }
    }

    /// Finds a mode by its word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }

    /// Says whether it is [`Mode::Full`].
    pub fn is_full(&self) -> bool {
        *self == Self::Full
    }

    /// Says whether a power is granted at all, be it with a question.
    pub fn grants(self, power: Power) -> bool {
        self != Self::ReadOnly || power == Power::Read
    }
}

/// A power of the harness itself. What is not known for anything less counts as a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Power {
    Read,
    Write,
    Shell,
    Net,
}

impl Power {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Shell, Self::Net];

    /// Returns its name among the tools.
    pub const fn tool(self) -> &'static str {
        match self {
            Self::Read => "native_read",
            Self::Write => "native_write",
            Self::Shell => "native_shell",
            Self::Net => "native_net",
        }
    }

    /// Returns what it is good for, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Read => "read files",
            Self::Write => "write files",
            Self::Shell => "run commands",
            Self::Net => "access the network",
        }
    }
}

/// What a harness asks leave for.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The harness's own id of the request.
    pub call: String,
    /// The tool, in the harness's words.
    pub tool: String,
    /// Exactly what the tool would get.
    pub input: Value,
    pub power: Power,
    pub shape: Shape,
    /// What a question offers to choose from.
    pub form: Option<Form>,
}

/// The narrow shape of a request: what `--always` means, and no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shape {
    /// This command, to the letter.
    Command { command: String },
    /// Writing this file; or reading it, where it lies outside of the session's directory.
    File { path: String },
    /// Reaching this host.
    Host { host: String },
    /// This tool, whatever it gets.
    Tool { name: String },
    /// Something whose exact effect is unknown; the words are the harness's own.
    Unnamed { words: String },
    /// A question that only a person can answer, each time again.
    Question { text: String },
}

impl Shape {
    /// Says whether a standing answer to it can be stored.
    pub fn is_storable(&self) -> bool {
        match self {
            Self::Command { command: text } | Self::File { path: text } => text.len() <= SHAPE_BYTES,
            Self::Host { host: text } | Self::Tool { name: text } => text.len() <= SHAPE_BYTES,
            Self::Unnamed { .. } | Self::Question { .. } => false,
        }
    }

    /// Returns the files that it is about.
    pub fn files(&self) -> Option<Vec<String>> {
        let Self::File { path } = self else { return None };
        Some(files(path).unwrap_or_else(|| vec![path.clone()]))
    }

    /// Returns it in words: `the command …`.
    pub fn words(&self) -> String {
        match self {
            Self::Command { command } => format!("the command `{}`", visible(command)),
            Self::File { path } => match files(path) {
                Some(several) => format!("the files {}", visible(&several.join(", "))),
                None => format!("the file {}", visible(path)),
            },
            Self::Host { host } => format!("the host {}", visible(host)),
            Self::Tool { name } => format!("the tool {}", visible(name)),
            Self::Unnamed { words: text } | Self::Question { text } => visible(text),
        }
    }
}

/// Returns the files of a shape that is about several.
fn files(path: &str) -> Option<Vec<String>> {
    path.starts_with('[').then(|| serde_json::from_str(path).ok()).flatten()
}

/// The longest text of a shape that is stored: it stands in an event, which stays small.
const SHAPE_BYTES: usize = 2048;

/// How a request is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// Refused without asking, with words for the agent.
    Deny(String),
    /// A person decides.
    Ask,
}

/// The tool of whatever stands on the screen of a terminal: only a person who sits there can answer it.
pub const ON_SCREEN: &str = "terminal";

/// Decides about a request. A denying rule wins over everything.
pub fn decide<'a>(
    mode: Mode,
    rules: impl IntoIterator<Item = &'a Rule>,
    scope: &Scope,
    request: &Request,
) -> Verdict {
    let (mut allowed, mut denials) = (false, false);
    for rule in rules {
        denials |= !rule.allow && rule.reaches(scope);
        if !rule.covers(scope, request) {
            continue;
        }
        if !rule.allow {
            return Verdict::Deny(format!(
                "A rule that a person set for this project denies {}.",
                request.shape.words()
            ));
        }
        allowed = true;
    }
    match mode {
        _ if matches!(request.shape, Shape::Question { .. }) => Verdict::Ask,
        // It may be the very thing that was denied.
        Mode::Full if denials && matches!(request.shape, Shape::Unnamed { .. }) => Verdict::Ask,
        Mode::Full => Verdict::Allow,
        _ if request.power == Power::Read && !scope.is_outside(&request.shape) => Verdict::Allow,
        Mode::Ask if allowed => Verdict::Allow,
        Mode::Ask => Verdict::Ask,
        Mode::ReadOnly if request.power == Power::Read => Verdict::Deny(
            "This agent may only read files in its own directory. Continue without it, and say in your \
             answer what is missing."
                .to_owned(),
        ),
        Mode::ReadOnly => Verdict::Deny(
            "This agent is read-only. Continue without it, and say in your answer what is left to do."
                .to_owned(),
        ),
    }
}

/// Returns the mode that a harness is to be started in. Where a standing rule denies something, a power is
/// withheld, or it is guarded, it must ask even when everything else is allowed.
pub fn asking<'a>(
    mode: Mode,
    guarded: bool,
    withheld: &[Power],
    rules: impl IntoIterator<Item = &'a Rule>,
    scope: &Scope,
) -> Mode {
    let denied = rules.into_iter().any(|rule| !rule.allow && rule.reaches(scope));
    let held = guarded || denied || !withheld.is_empty();
    if mode == Mode::Full && held { Mode::Ask } else { mode }
}

impl Request {
    /// Returns what people see: a question, or JSON of exactly what the tool would get, with nothing invisible.
    ///
    /// What is displayed is what is hashed, and what is allowed is read out of it again ([`displayed_input`]).
    pub fn display(&self) -> String {
        if let Shape::Question { text } = &self.shape {
            return visible(text);
        }
        let shown = serde_json::json!({ "tool": self.tool, "input": self.input });
        // A value with string keys always serialises.
        visible_json(&serde_json::to_string_pretty(&shown).unwrap_or_default())
    }
}

impl Request {
    /// Returns in words what would be done, for people; `directory` is where the agent works.
    ///
    /// It is derived: what an answer is bound to is the [display](Self::display).
    pub fn headline(&self, directory: &str) -> String {
        let named = |path: &str| {
            let inside = path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/'));
            visible(inside.unwrap_or(path))
        };
        let words = match (&self.shape, self.power) {
            (Shape::Command { command }, _) => {
                format!("runs `{}` in {}", visible(command), visible(directory))
            }
            (Shape::File { path }, power) => {
                let files = files(path).unwrap_or_else(|| vec![path.clone()]);
                let verb = if power == Power::Read { "reads" } else { "writes" };
                format!("{verb} {}", files.iter().map(|path| named(path)).collect::<Vec<_>>().join(", "))
            }
            (Shape::Host { host }, _) => format!("connects to {}", visible(host)),
            (Shape::Tool { name }, Power::Read) => format!("reads with the tool {}", visible(name)),
            (Shape::Tool { name }, Power::Write) => format!("writes with the tool {}", visible(name)),
            (Shape::Tool { name }, Power::Net) => format!("uses the network with the tool {}", visible(name)),
            (Shape::Tool { name }, Power::Shell) => format!("uses the tool {}", visible(name)),
            (Shape::Unnamed { words }, power) => format!("{} (wants to {})", visible(words), power.words()),
            (Shape::Question { text }, _) => return visible(text.lines().next().unwrap_or_default()),
        };
        // A headline is one line, however long the command is.
        let mut line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = line.char_indices().nth(HEADLINE_CHARS) {
            line.truncate(end);
            line.push('…');
        }
        line
    }
}

/// The longest headline; what is longer is read in the display.
const HEADLINE_CHARS: usize = 300;

/// Reads the input out of what was displayed; null for a question.
pub fn displayed_input(text: &str) -> Value {
    let shown = serde_json::from_str::<Value>(text).ok();
    shown.and_then(|mut shown| shown.get_mut("input").map(Value::take)).unwrap_or_default()
}

/// Escapes what would not be seen or would move what is seen. The JSON means the same afterwards.
fn visible_json(json: &str) -> String {
    escape(json, |c| {
        let mut units = [0; 2];
        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
    })
}

/// Escapes what would not be seen, for people.
fn visible(text: &str) -> String {
    escape(text, |c| c.escape_unicode().collect())
}

fn escape(text: &str, escaped: impl Fn(char) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_deceptive(c) { out.push_str(&escaped(c)) } else { out.push(c) }
    }
    out
}

/// Control and format characters, odd spaces, fillers, tags and variation selectors: what reads as nothing, or
/// turns the line around. The line breaks and spaces of pretty JSON stay.
pub(crate) fn is_deceptive(c: char) -> bool {
    (c.is_control() && c != '\n')
        || (c.is_whitespace() && c != ' ' && c != '\n')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn request(power: Power, command: &str) -> Request {
        Request {
            call: "c1".into(),
            tool: "Bash".into(),
            input: json!({ "command": command }),
            power,
            shape: Shape::Command { command: command.into() },
            form: None,
        }
    }

    fn rule(project: &str, command: &str, allow: bool) -> Rule {
        let shape = Shape::Command { command: command.into() };
        Rule { project: project.into(), tool: "Bash".into(), shape, allow }
    }

    #[test]
    fn reading_is_free_in_every_mode() {
        for mode in Mode::ALL {
            assert_eq!(decide(mode, &[], &Scope::at("/p"), &request(Power::Read, "cat x")), Verdict::Allow);
        }
    }

    #[test]
    fn a_file_outside_of_the_directory_is_not_read_freely() {
        let read = |mode, path: &str| {
            let shape = Shape::File { path: path.into() };
            let asked = Request { shape, ..request(Power::Read, "x") };
            decide(mode, &[], &Scope::at("/p"), &asked)
        };
        for path in ["/p/a", "a/../b", "/p"] {
            assert_eq!(read(Mode::ReadOnly, path), Verdict::Allow, "{path}");
        }
        for path in ["/etc/passwd", "/pp/a", "../x", "/p/../x"] {
            assert_eq!(read(Mode::Full, path), Verdict::Allow, "{path}");
            assert_eq!(read(Mode::Ask, path), Verdict::Ask, "{path}");
            assert!(matches!(read(Mode::ReadOnly, path), Verdict::Deny(_)), "{path}");
        }
    }

    #[test]
    fn a_rule_covers_exactly_what_it_says() {
        let rules = [rule("/p", "make test", true)];
        let decided = |project: &str, command: &str| {
            decide(Mode::Ask, &rules, &Scope::at(project), &request(Power::Shell, command))
        };
        assert_eq!(decided("/p", "make test"), Verdict::Allow);
        assert_eq!(decided("/p", "make test; rm -rf /"), Verdict::Ask);
        assert_eq!(decided("/p", "make  test"), Verdict::Ask);
        assert_eq!(decided("/other", "make test"), Verdict::Ask);
    }

    #[test]
    fn deny_wins_over_allow_and_over_full() {
        let rules = [rule("/p", "git push", false), rule("/p", "git push", true)];
        for mode in Mode::ALL {
            let verdict = decide(mode, &rules, &Scope::at("/p"), &request(Power::Shell, "git push"));
            assert!(matches!(verdict, Verdict::Deny(_)), "{mode:?}: {verdict:?}");
        }
    }

    #[test]
    fn a_harness_asks_where_something_is_denied() {
        let rules = [rule("/p", "git push", false), rule("/q", "make", true)];
        assert_eq!(asking(Mode::Full, false, &[], &rules, &Scope::at("/p")), Mode::Ask);
        assert_eq!(asking(Mode::Full, false, &[], &rules, &Scope::at("/q")), Mode::Full);
        assert_eq!(asking(Mode::Full, true, &[], &rules, &Scope::at("/q")), Mode::Ask);
        assert_eq!(asking(Mode::ReadOnly, true, &[], &rules, &Scope::at("/q")), Mode::ReadOnly);
        assert_eq!(asking(Mode::Full, false, &[Power::Net], &rules, &Scope::at("/q")), Mode::Ask);
        assert_eq!(asking(Mode::ReadOnly, false, &[Power::Read], &rules, &Scope::at("/p")), Mode::ReadOnly);
    }

    #[test]
    fn an_allowing_rule_does_not_lift_read_only() {
        let rules = [rule("/p", "make", true)];
        let verdict = decide(Mode::ReadOnly, &rules, &Scope::at("/p"), &request(Power::Shell, "make"));
        assert!(matches!(verdict, Verdict::Deny(_)));
    }

    #[test]
    fn nothing_in_a_display_is_invisible() {
        let shown = request(Power::Shell, "ls \u{202e}fdp.exe\u{200b} \u{e0041}\u{7}").display();
        assert!(shown.is_ascii(), "{shown}");
        assert!(shown.contains("\\u202e"));
    }

    #[test]
    fn a_headline_says_in_words_what_would_be_done() {
        let said = |power, shape| Request { shape, ..request(power, "x") }.headline("/p");
        let file = |path: &str| Shape::File { path: path.into() };
        let tool = || Shape::Tool { name: "Task".into() };
        let command = Shape::Command { command: "touch \u{202e}x.txt\ntouch y".into() };
        assert_eq!(said(Power::Shell, command), "runs `touch \\u{202e}x.txt touch y` in /p");
        assert_eq!(said(Power::Write, file("/p/guard.txt")), "writes guard.txt");
        assert_eq!(said(Power::Read, file("/etc/hosts")), "reads /etc/hosts");
        assert_eq!(said(Power::Write, file(r#"["/p/a","/pb"]"#)), "writes a, /pb");
        assert_eq!(said(Power::Net, Shape::Host { host: "example.org".into() }), "connects to example.org");
        assert_eq!(said(Power::Shell, tool()), "uses the tool Task");
        assert_eq!(said(Power::Net, tool()), "uses the network with the tool Task");
        let unnamed = Shape::Unnamed { words: "Run\nit".into() };
        assert_eq!(said(Power::Shell, unnamed), "Run it (wants to run commands)");
        assert_eq!(said(Power::Read, Shape::Question { text: "Which?\n- a".into() }), "Which?");
        let long = said(Power::Shell, Shape::Command { command: "x".repeat(1000) });
        assert_eq!(long.chars().count(), HEADLINE_CHARS + 1);
    }

    #[test]
    fn a_question_is_asked_in_every_mode() {
        let question =
            Request { shape: Shape::Question { text: "Which?".into() }, ..request(Power::Read, "x") };
        for mode in Mode::ALL {
            assert_eq!(decide(mode, &[], &Scope::at("/p"), &question), Verdict::Ask);
        }
    }

    #[test]
    fn what_is_not_named_is_free_in_full_unless_it_may_be_what_was_denied() {
        let unnamed =
            Request { shape: Shape::Unnamed { words: "Run it".into() }, ..request(Power::Shell, "x") };
        let decided = |mode, rules: &[Rule]| decide(mode, rules, &Scope::at("/p"), &unnamed);
        assert_eq!(decided(Mode::Full, &[]), Verdict::Allow);
        assert_eq!(decided(Mode::Full, &[rule("/p", "git push", true)]), Verdict::Allow);
        assert_eq!(decided(Mode::Full, &[rule("/elsewhere", "git push", false)]), Verdict::Allow);
        assert_eq!(decided(Mode::Full, &[rule("/p", "git push", false)]), Verdict::Ask);
        assert_eq!(decided(Mode::Ask, &[]), Verdict::Ask);
        assert!(matches!(decided(Mode::ReadOnly, &[]), Verdict::Deny(_)));
        // An answer holds once, and for exactly what was shown.
        assert!(!unnamed.shape.is_storable());
        assert_eq!(displayed_input(&unnamed.display()), unnamed.input);
    }

    proptest! {
        #[test]
        fn what_is_displayed_is_what_is_allowed(command in ".*", key in ".*") {
            let input = json!({ "command": command, key: [1, null, true] });
            let shown = Request { input: input.clone(), ..request(Power::Shell, "x") }.display();
            prop_assert_eq!(displayed_input(&shown), input);
            prop_assert!(!shown.chars().any(is_deceptive));
        }
    }
}
