//! What differs from run to run, replaced by something of the same width: a screen stays as it was laid out.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use paseo_testkit::home::TestHome;
use regex::{Captures, Regex};
use unicode_width::UnicodeWidthStr;

static PLACEHOLDERS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let all = [
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "2026-01-31T12:00:00.000Z"),
        (r"\b\d\d:\d\d:\d\d\b", "12:00:00"),
        (r"until \d\d:\d\d\b", "until 12:00"),
        (r"\b(now|\d+[smh] ago)\b", "now"),
        (r"\b\d\.\d{3}s\b", "0.000s"),
        (r"127\.0\.0\.1:\d{5}\b", "127.0.0.1:40000"),
        (r"\bpid( +)\d+\b", "pid${1}1000"),
        (r"\b\d+ MB free", "1000 MB free"),
        (r"\b(process|CONT) \d+\b", "$1 1000"),
        (r"(/[\w.-]+)+/tmux ", "/usr/bin/tmux "),
    ];
    all.into_iter().map(|(pattern, word)| (Regex::new(pattern).unwrap(), word)).collect()
});
static ID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b[0-9a-f]{8}(-[0-9a-f]{1,4}){0,3}(-[0-9a-f]{1,12})?\b|\b[0-9a-f]{4,7}\b|\b[0-9a-f]{9,64}\b")
        .unwrap()
});
static SIGN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\r[^\r\n]*\x1b\[K").unwrap());
static OLD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\(\d+[smh] ago\)").unwrap());

/// Says whether something that is shown did not just happen: how long ago it was takes any number of columns.
pub(super) fn is_old(shown: &str) -> bool {
    OLD.is_match(shown)
}

/// Says whether a line fits a terminal. One that does not has to hold nothing but what cannot be broken: a word, or a
/// command in backticks, after what it is about.
pub(super) fn fits(line: &str, width: usize) -> bool {
    if line.width() <= width {
        return true;
    }
    // What programs read, and what people paste.
    let text = line.trim_start();
    let is_command = line.starts_with("  ") && !line.starts_with("   ") && line.contains("paseo ");
    let is_diff = line.starts_with(['+', '-', '@']) || (line.starts_with(' ') && !line.starts_with("  "));
    if is_diff && !line.starts_with(" hint:") {
        return true;
    }
    if text.starts_with(['{', '"', '}'])
        || text.starts_with("Usage:")
        || text.starts_with("paseo ")
        || is_command
    {
        return true;
    }
    let last = match line.trim_end_matches(['.', ',', ';', ':', ')', '`']) {
        rest if rest.len() < line.len() && rest.matches('`').count() % 2 == 1 => rest.rfind('`'),
        _ => line.rfind(' ').map(|at| at + 1),
    };
    let before = line[..last.unwrap_or_default()].trim_end();
    let begins = ["", "|", "error:", "hint:", "warning:"].contains(&before.trim_start());
    // In a list, what a value is called stands before it, and two blanks between them.
    begins || line[..last.unwrap_or_default()].ends_with("  ")
}

/// Returns what stays on a terminal, without signs of life that were taken away again.
pub(super) fn settled(shown: &str) -> String {
    SIGN.replace_all(shown, "").into_owned()
}

/// What is known of a home, and of the ids on one screen.
#[derive(Clone)]
pub(super) struct Filter {
    handles: BTreeSet<String>,
    /// What stands for an id that was shown.
    ids: HashMap<String, String>,
    binary: String,
    directory: String,
}

impl Filter {
    pub(super) fn new(home: &TestHome) -> Self {
        let binary = home.command::<&str>(&[]).get_program().to_string_lossy().into_owned();
        let directory = home.work().with_file_name("").display().to_string();
        let directory = directory.trim_end_matches('/').to_owned();
        Self { handles: BTreeSet::new(), ids: HashMap::new(), binary, directory }
    }

    /// Takes in the handles of all agents there are, and returns a filter for one screen: numbers begin at one, so that
    /// another screen before it changes nothing.
    pub(super) fn learn(&mut self, home: &TestHome) -> Self {
        if !home.path().join("daemon.sock").exists() {
            return self.clone();
        }
        for list in [&["ls", "-qag", "--no-start"][..], &["ls", "-qag", "--ui", "--no-start"]] {
            self.handles.extend(home.paseo(list).stdout.lines().map(str::to_owned));
        }
        self.clone()
    }

    /// Takes in a handle.
    pub(super) fn know(&mut self, handle: &str) {
        self.handles.insert(handle.to_owned());
    }

    /// Returns a text that is the same in every run.
    pub(super) fn plain(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (known, word) in [
            (self.binary.as_str(), "/usr/bin/paseo"),
            (&self.directory, "/tmp/paseo-000000"),
            (env!("CARGO_PKG_VERSION"), "0.0.0"),
        ] {
            text = text.replace(known, word);
        }
        for (pattern, word) in PLACEHOLDERS.iter() {
            text = pattern.replace_all(&text, *word).into_owned();
        }
        ID.replace_all(&text, |found: &Captures<'_>| self.id(&found[0])).into_owned()
    }

    /// Returns what stands for a word that looks like an id: a number of its width.
    fn id(&mut self, word: &str) -> String {
        let is_id = word.len() >= 8 || self.handles.contains(word);
        let is_date = word.starts_with("2026-01-31");
        if !is_id || is_date || word.bytes().all(|byte| b"-0".contains(&byte)) {
            return word.to_owned();
        }
        let number = self.ids.len() + 1;
        let known = self.ids.entry(word.to_owned());
        let digits = number.to_string();
        let stand_in = || {
            let blank: String =
                word.chars().map(|character| if character == '-' { '-' } else { 'a' }).collect();
            format!("{}{digits}", &blank[..blank.len() - digits.len()])
        };
        known.or_insert_with(stand_in).clone()
    }
}
