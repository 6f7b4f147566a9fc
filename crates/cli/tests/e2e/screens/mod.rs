//! What people read, as snapshots: wording can improve without breaking other tests, and a change shows as a diff.
//!
//! Each screen is what a command prints on terminals of 80 and of 40 columns, with its exit code. Lines of stdout begin
//! with `|`, lines of stderr with `!`. After a change, `INSTA_UPDATE=always` writes the snapshots again; read the diff.

mod errors;
mod filter;
mod helps;
mod looking;
mod machine;
mod talking;
mod together;
mod why;

use std::path::Path;

use jiff::Timestamp;
use paseo_testkit::home::{Output, TestHome};

use crate::pty::on_two_terminals;
use filter::Filter;

/// A usual terminal, and one of the narrowest that people have: half of a laptop's, or a phone's.
const WIDTHS: [u16; 2] = [80, 40];

/// How often a screen is prepared again because its state was not new any more.
const ATTEMPTS: usize = 20;

/// Screens that are compared together.
struct Screens {
    home: TestHome,
    filter: Filter,
    text: String,
    /// Lines that are wider than their terminal.
    broken: Vec<String>,
}

/// What a command printed, the same in every run.
struct Shown {
    command: String,
    screen: String,
    /// It says how long ago something was, and not `now`.
    is_old: bool,
}

impl Screens {
    fn new() -> Self {
        Self::at(TestHome::below(Path::new("/tmp"), env!("CARGO_BIN_EXE_paseo")))
    }

    fn at(mut home: TestHome) -> Self {
        // Nothing is drawn twice, and it is about noon: no date stands beside a time.
        home.set("TERM", "dumb");
        home.set("TZ", noon());
        Self { filter: Filter::new(&home), home, text: String::new(), broken: Vec::new() }
    }

    /// Starts an agent, and waits until its turn is over or it waits for a person.
    fn settled(&mut self, arguments: &[&str]) -> String {
        let handle = self.home.paseo(&[&["run", "-d"], arguments].concat()).ok().to_owned();
        self.home.paseo(&["wait", &handle]);
        // Once it is deleted, no list has it.
        self.filter.know(&handle);
        handle
    }

    /// Shows what a command prints. It is run once for each width.
    fn show(&mut self, arguments: &[&str]) {
        let shown = WIDTHS.map(|width| self.look(width, arguments));
        self.add(arguments, shown);
    }

    /// Shows what a command prints that cannot be run twice, on a narrow terminal.
    fn show_once(&mut self, arguments: &[&str]) {
        let shown = self.look(40, arguments);
        self.text.push_str(&format!("$ paseo {}\n40 columns, {}\n", shown.command, shown.screen));
    }

    /// Shows what a command prints about something that has just happened. `prepare` makes it happen and returns the
    /// command; it is asked again while `now` has become seconds, which are of any width.
    fn show_fresh(&mut self, prepare: impl Fn(&mut Self) -> Vec<String>) {
        let mut asked = Vec::new();
        let shown = WIDTHS.map(|width| {
            let fresh = (0..ATTEMPTS).find_map(|_| {
                asked = prepare(self);
                let arguments: Vec<&str> = asked.iter().map(String::as_str).collect();
                let shown = self.look(width, &arguments);
                (!shown.is_old).then_some(shown)
            });
            fresh.expect("a machine that shows something within seconds")
        });
        let arguments: Vec<&str> = asked.iter().map(String::as_str).collect();
        self.add(&arguments, shown);
    }

    /// Runs a command once.
    fn look(&mut self, width: u16, arguments: &[&str]) -> Shown {
        let output = on_two_terminals(&self.home, width, arguments);
        let [out, err] = [&output.stdout, &output.stderr].map(|text| filter::settled(text));
        for line in out.lines().chain(err.lines()) {
            if !filter::fits(line, width.into()) {
                self.broken.push(format!("{arguments:?}, {width} columns: {line}"));
            }
        }
        let mut filter = self.filter.learn(&self.home);
        let command: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        let command = filter.plain(&command.join(" "));
        let marked = |text: String, mark: &str| -> String {
            text.lines().map(|line| format!("{mark} {line}").trim_end().to_owned() + "\n").collect()
        };
        let screen = [marked(filter.plain(&out), "|"), marked(filter.plain(&err), "!")].concat();
        Shown { command, screen: format!("exit {}\n{screen}", output.code), is_old: filter::is_old(&out) }
    }

    fn add(&mut self, arguments: &[&str], [wide, narrow]: [Shown; 2]) {
        assert_eq!(wide.command, narrow.command, "{arguments:?}");
        self.text.push_str(&format!("$ paseo {}\n", wide.command));
        if wide.screen == narrow.screen {
            self.text.push_str(&format!("80 and 40 columns, {}\n", wide.screen));
        } else {
            self.text.push_str(&format!("80 columns, {}\n40 columns, {}\n", wide.screen, narrow.screen));
        }
    }

    /// Compares everything that was shown with the snapshot of that name.
    fn compare(self, name: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, self.text));
        assert!(self.broken.is_empty(), "lines that do not fit: {:#?}", self.broken);
    }
}

/// Returns what a command told into a pipe, and how it ended, the same in every run.
pub(crate) fn told(home: &TestHome, output: &Output) -> String {
    let mut filter = Filter::new(home).learn(home);
    format!("exit {}\n{}", output.code, filter.plain(&output.stderr))
}

/// Compares what a command told on stderr with a snapshot: one that is named after the test, or the one given.
macro_rules! assert_told {
    ($home:expr, $output:expr) => {{
        let text = $crate::screens::told(&$home, &$output);
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(text) })
    }};
    ($home:expr, $output:expr, @$expected:literal) => {{
        let text = $crate::screens::told(&$home, &$output);
        insta::allow_duplicates! { insta::assert_snapshot!(text, @$expected) }
    }};
}
pub(crate) use assert_told;

/// Returns a text that the daemon wrote, the same in every run.
pub(crate) fn said(home: &TestHome, text: &str) -> String {
    Filter::new(home).learn(home).plain(text)
}

/// Returns a table without its layout, which depends on how long paths and times are.
pub(crate) fn squeezed(table: &str) -> String {
    table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
}

/// Compares a text that the daemon wrote with a snapshot: one that is named after the test, or the one given.
macro_rules! assert_said {
    ($home:expr, $text:expr) => {{
        let text = $crate::screens::said(&$home, $text);
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(text) })
    }};
    ($home:expr, $text:expr, @$expected:literal) => {{
        let text = $crate::screens::said(&$home, $text);
        insta::allow_duplicates! { insta::assert_snapshot!(text, @$expected) }
    }};
}
pub(crate) use assert_said;

/// Returns a time zone in which it is about noon.
pub(crate) fn noon() -> String {
    let hour = Timestamp::now().as_second().rem_euclid(86_400) / 3_600;
    // In this notation, zones that are ahead have a minus.
    format!("NOON{:+}", hour - 12)
}

/// Returns a word as it is typed.
fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "-_=./:,@%+~…".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{word}'") }
}
