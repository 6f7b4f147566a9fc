//! Claude Code in a terminal: how it is started there, when it listens, and where it writes down what happens.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::history::History;
use super::spawn::{self, CONFIG_VARIABLE};
use crate::fresh::Ids;
use crate::plain_file;
use crate::provider::{Launch, StartError};
use crate::terminal::resident::{Boarding, Screen, Seen};
use crate::terminal::screen;
use crate::terminal::{resident, variable};

/// What stands before what is typed, and before what is chosen from a list.
const POINTERS: [char; 2] = ['❯', '>'];

/// One conversation in a terminal.
#[derive(Debug)]
pub(super) struct Resident {
    /// Where it keeps what was said, in a folder for each directory.
    projects: PathBuf,
    conversation: String,
    history: History,
}

impl Resident {
    pub(super) fn new(launch: &Launch, isolated_home: Option<&Path>) -> Self {
        let config = isolated_home.map(Path::to_owned);
        let config = config.or_else(|| variable(launch, CONFIG_VARIABLE).map(PathBuf::from));
        let config = config.or_else(|| Some(PathBuf::from(variable(launch, "HOME")?).join(".claude")));
        let projects = config.unwrap_or_default().join("projects");
        let conversation = launch.resume.clone().unwrap_or_else(|| new_conversation(launch, &projects));
        Self { projects, conversation, history: History::new(launch.permissions) }
    }

    /// Says how it is started.
    pub(super) fn boarding(
        &self,
        launch: &Launch,
        program: &Path,
        isolated_home: Option<&Path>,
    ) -> Result<Boarding, StartError> {
        if let Some(home) = isolated_home {
            answer_beforehand(home, &launch.directory).map_err(|error| StartError {
                message: format!("cannot write Claude Code's settings in {}: {error}", home.display()),
                hint: Some("check that `isolated_home` is writable".to_owned()),
            })?;
        }
        spawn::program(launch, program, isolated_home, &self.conversation).map(Boarding::from)
    }
}

/// Chooses the id of a new conversation: the same for the same terminal, so that a later driver knows it.
fn new_conversation(launch: &Launch, projects: &Path) -> String {
    let session = launch.session.to_string();
    let comes_back = launch.terminal.as_ref().is_some_and(|terminal| terminal.underway.is_some());
    let mut ids = Ids::derived(&["claude", &session]);
    loop {
        let id = ids.uuid();
        // One that was given up has its id for ever.
        if comes_back || find(projects, &id).is_none() {
            return id;
        }
    }
}

/// Finds the file of a conversation. How the folders are called is theirs to know.
fn find(projects: &Path, conversation: &str) -> Option<PathBuf> {
    let name = format!("{conversation}.jsonl");
    let folders = fs::read_dir(projects).ok()?;
    folders.flatten().map(|folder| folder.path().join(&name)).find(|path| path.is_file())
}

/// Answers what it asks at its first start, in a home that is ours. In the user's own we write nothing.
fn answer_beforehand(home: &Path, directory: &Path) -> std::io::Result<()> {
    let path = home.join(".claude.json");
    let known = plain_file::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let mut state: serde_json::Value =
        known.filter(serde_json::Value::is_object).unwrap_or_else(|| json!({}));
    let before = state.clone();
    for answered in ["hasCompletedOnboarding", "hasSeenAutoDefaultNotice"] {
        state[answered] = true.into();
    }
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    if !state["projects"].is_object() {
        state["projects"] = json!({});
    }
    let project = &mut state["projects"][directory.to_string_lossy().as_ref()];
    if !project.is_object() {
        *project = json!({});
    }
    project["hasTrustDialogAccepted"] = true.into();
    if state == before {
        return Ok(());
    }
    fs::create_dir_all(home)?;
    // It reads and writes this file all the time: never half of it.
    let unfinished = home.join(format!(".claude.json.{}.part", std::process::id()));
    fs::write(&unfinished, state.to_string())?;
    fs::rename(unfinished, path)
}

impl resident::Resident for Resident {
    fn readiness(&self, screen: &str) -> Screen {
        let lines = screen::lines(screen);
        let points = |line: &str| line.trim_start_matches(['│', ' ']).starts_with(POINTERS);
        let Some(last) = lines.iter().rposition(|line| points(line)) else { return Screen::NotYet };
        if screen::is_framed(&lines, last) {
            return Screen::Ready;
        }
        // A list to choose from, with more below it.
        let more = lines[last + 1..].iter().any(|line| !line.trim().is_empty());
        if more { Screen::Asks(screen::words(&lines)) } else { Screen::NotYet }
    }

    fn in_line(&self, screen: &str) -> Option<String> {
        let lines = screen::lines(screen);
        let points = |line: &&str| line.trim_start_matches(['│', ' ']).starts_with(POINTERS);
        let begin = lines.iter().rposition(points).filter(|line| screen::is_framed(&lines, *line))?;
        let end = lines.iter().skip(begin + 1).position(|line| screen::is_border(line))?;
        screen::typed(&lines[begin..=begin + end], &POINTERS)
    }

    fn session_file(&self) -> Option<PathBuf> {
        find(&self.projects, &self.conversation)
    }

    fn taken_back(&self) -> &'static [&'static str] {
        // Twice would end it; once empties the line, however long it is.
        &["C-c"]
    }

    fn line(&mut self, line: &str) -> Vec<Seen> {
        self.history.line(line)
    }
}
