//! The commands that the README and the pages in `docs/` show, run as a reader would: in order, in a fresh home.
//!
//! A block that begins with ```` ```sh run ```` is run. A line that ends with `# exit code N` has to end with it; all
//! others have to succeed. A block of commands that cannot be run in a test says ```` ```sh no-run ````.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use paseo_testkit::home::{TestHome, finish};

/// After this long a page counts as stuck. A guard for the suite, not a measurement.
const SECONDS: &str = "300";
const EXIT_CODE: &str = "# exit code ";

/// Pages of `docs/` without an example that runs, and why.
const WITHOUT_EXAMPLE: [(&str, &str); 3] = [
    ("README.md", "an index: its links are the content"),
    ("design-language.md", "about how the web app looks"),
    ("participant-primer.md", "a prompt, which agents get word for word"),
];

/// Errors that no command provokes by itself, and why.
const WITHOUT_COMMAND: [(&str, &str); 15] = [
    ("answer_in_terminal", "needs an agent with a terminal of its own"),
    ("cannot_steer", "needs an agent that cannot be steered, with a turn under way"),
    ("closed", "only an agent gets it"),
    ("internal", "a defect"),
    ("lease_expired", "needs a lease that runs out first"),
    ("overloaded", "needs thousands of connections"),
    ("queue_full", "needs 500 waiting messages"),
    ("shutting_down", "lasts for an instant"),
    ("storage_unavailable", "needs a full disk"),
    ("tmux_failed", "needs a tmux that fails"),
    ("tmux_not_installed", "needs a machine without tmux"),
    ("too_many_attempts", "needs many requests within minutes"),
    ("too_many_messages", "needs many requests within a minute"),
    ("too_many_uploads", "needs many uploads at a time"),
    ("waiting_for_permission", "needs an agent that asks while a person switches back"),
];

/// Pages of `docs/` that do not end with their limits, and why.
const WITHOUT_LIMITS: [(&str, &str); 8] = [
    ("README.md", "an index: its links are the content"),
    ("cli-environment.md", "a table, generated from the program"),
    ("cli.md", "a reference, generated from the program"),
    ("design-language.md", "about how the web app looks"),
    ("errors/README.md", "an index: each error has its own page"),
    ("exit-codes.md", "a table, generated from the program"),
    ("participant-primer.md", "a prompt, which agents get word for word"),
    ("tour.md", "leads to pages that name theirs"),
];
/// Titles of the section that a page ends with.
const LIMITS: [&str; 2] = ["Limits", "Not protected"];
/// A generated reference, which may follow the limits.
const REFERENCE: &str = "Operations";

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// Returns the pages for users, by their paths.
fn all_pages() -> Vec<PathBuf> {
    let folders = ["docs", "docs/errors", "docs/schemas"].map(|folder| project().join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.push(project().join("README.md"));
    pages.sort();
    pages
}

/// Returns the pages of `docs/` with a form: all but those of single errors, which have one of their own.
fn guides() -> Vec<PathBuf> {
    let (docs, errors) = (project().join("docs"), project().join("docs/errors"));
    let mut pages = all_pages();
    pages.retain(|page| page.starts_with(&docs));
    pages.retain(|page| !page.starts_with(&errors) || page.ends_with("README.md"));
    pages
}

/// Returns the pages with something to run.
fn pages() -> Vec<PathBuf> {
    let mut pages = all_pages();
    pages.retain(|page| !commands(&read(page)).trim().is_empty());
    pages
}

/// Returns the commands of a page, each on the line where the page has it.
fn commands(page: &str) -> String {
    let mut script = String::new();
    let (mut inside, mut runs) = (false, false);
    for line in page.lines() {
        if line.starts_with("```") {
            inside = !inside;
            runs = inside && line == "```sh run";
        } else if runs {
            script.push_str(&checked(line));
        }
        script.push('\n');
    }
    script
}

/// Returns a command that fails unless it ends as its comment says.
fn checked(line: &str) -> String {
    let Some((command, rest)) = line.split_once(EXIT_CODE) else { return line.to_owned() };
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let (expected, _) = rest.split_at(digits);
    format!("ended=0; {{ {command}; }} || ended=$?; test $ended = {expected}")
}

/// Runs the commands of a page and returns what went wrong.
fn run(page: &Path) -> Option<String> {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    home.install();
    if ["README.md", "docs/tour.md"].iter().any(|name| *page == project().join(name)) {
        // These choose a provider themselves.
        home.unset("PASEO_PROVIDER");
    }
    fs::create_dir(home.path()).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    symlink(home.path(), home.path().parent().unwrap().join(".paseo")).unwrap();

    let prelude = "set -eEuo pipefail; trap 'echo \"line $LINENO: $BASH_COMMAND\" >&2' ERR; ";
    let script = home.work().join("../page.sh");
    fs::write(&script, format!("{prelude}{}", commands(&read(page)))).unwrap();
    let mut bash = home.program("timeout", &[SECONDS, "bash", script.to_str().unwrap()]);
    bash.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = finish(bash.spawn().unwrap());

    // Workers outlive their daemon; their home does not.
    let workers = home.paseo(&["worker", "ls", "-q"]);
    workers.stdout.lines().for_each(|worker| drop(home.paseo(&["worker", "kill", worker])));
    if output.code != 0 {
        return Some(format!("{}: {output:#?}", page.display()));
    }
    if let Some(code) = code_of(page) {
        let told = format!("\"code\":\"{code}\"");
        if ![&output.stdout, &output.stderr].iter().any(|text| text.contains(&told)) {
            return Some(format!("{}: the example does not end with {code}: {output:#?}", page.display()));
        }
    }
    let refused = refused_tools(&home);
    (!refused.is_empty()).then(|| format!("{}: refused or failed: {refused:#?}", page.display()))
}

/// Returns the error that a page is about.
fn code_of(page: &Path) -> Option<&str> {
    let is_error = page.parent() == Some(&project().join("docs/errors")) && !page.ends_with("README.md");
    page.file_stem().and_then(|name| name.to_str()).filter(|_| is_error)
}

/// Returns the tool results of all agents that are not what the page promises: a script goes on after a refusal.
fn refused_tools(home: &TestHome) -> Vec<String> {
    let lists = [&["ls", "-a", "-g", "-q"][..], &["ls", "-a", "-g", "-q", "--ui"]];
    let agents: Vec<String> = lists
        .iter()
        .flat_map(|list| home.paseo(list).ok().lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let transcripts = agents.iter().map(|agent| home.paseo(&["logs", agent, "--json"]).ok().to_owned());
    let refused = ["\"outcome\":\"denied\"", "\"outcome\":\"error\""];
    let lines = transcripts.flat_map(|transcript| transcript.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter(|line| refused.iter().any(|outcome| line.contains(outcome))).collect()
}

#[test]
fn every_command_in_the_documentation_that_is_marked_to_run_does() {
    let pages = pages();
    assert!(pages.len() > 3, "{pages:?}");
    let failures = pages.iter().filter_map(|page| run(page)).fold(String::new(), |mut all, failure| {
        writeln!(all, "{failure}").unwrap();
        all
    });
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_block_of_commands_says_whether_it_runs() {
    for page in all_pages() {
        let text = read(&page);
        let unmarked: Vec<_> = text.lines().filter(|line| ["```sh", "```bash"].contains(line)).collect();
        assert!(unmarked.is_empty(), "{}: mark them with `run` or `no-run`: {unmarked:?}", page.display());
    }
}

#[test]
fn every_page_starts_with_a_paragraph_and_an_example_that_runs() {
    for page in &guides() {
        let text = read(page);
        let (opening, _) = text.split_once("\n## ").unwrap_or((&text, ""));
        let mut lines = opening.lines();
        assert!(lines.next().is_some_and(|title| title.starts_with("# ")), "{}: no title", page.display());
        let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let is_paragraph =
            first.starts_with(|letter: char| letter.is_alphanumeric() || "`*[".contains(letter));
        assert!(is_paragraph, "{}: starts with `{first}`, not with a paragraph", page.display());
        let name = page.strip_prefix(project().join("docs")).unwrap();
        let exempt = WITHOUT_EXAMPLE.iter().find(|(exempt, _)| Path::new(exempt) == name);
        let runs = opening.lines().any(|line| line == "```sh run");
        match exempt {
            None => assert!(runs, "{}: no `sh run` block before the first section", page.display()),
            Some((_, reason)) => assert!(!runs, "{} is exempt ({reason}), and runs", page.display()),
        }
    }
}

#[test]
fn every_error_has_a_command_that_provokes_it_or_a_reason() {
    for page in &all_pages() {
        let Some(code) = code_of(page) else { continue };
        let runs = !commands(&read(page)).trim().is_empty();
        match WITHOUT_COMMAND.iter().find(|(exempt, _)| *exempt == code) {
            None => assert!(runs, "{code}: no `sh run` block that provokes it"),
            Some((_, reason)) => assert!(!runs, "{code} is exempt ({reason}), and has an example"),
        }
    }
}

#[test]
fn every_page_ends_with_its_limits() {
    for page in &guides() {
        let text = read(page);
        let mut sections = text.lines().filter_map(|line| line.strip_prefix("## "));
        let last = sections.rfind(|title| *title != REFERENCE);
        let ends = last.is_some_and(|title| LIMITS.contains(&title));
        let name = page.strip_prefix(project().join("docs")).unwrap();
        match WITHOUT_LIMITS.iter().find(|(exempt, _)| Path::new(exempt) == name) {
            None => assert!(ends, "{} ends with {last:?}, not with its limits", page.display()),
            Some((_, reason)) => assert!(!ends, "{} is exempt ({reason}), and has limits", page.display()),
        }
    }
}

#[test]
fn a_line_that_ends_with_an_exit_code_has_to_end_with_it() {
    let page = "```sh run\ntrue\n```\ntext\n```sh\nfalse\n```\n```sh run\nfalse   # exit code 1: why\n```\n";
    let script = commands(page);
    assert_eq!(script.lines().nth(1), Some("true"));
    assert_eq!(script.lines().nth(5), Some(""));
    assert_eq!(script.lines().nth(8), Some("ended=0; { false   ; } || ended=$?; test $ended = 1"));
}
