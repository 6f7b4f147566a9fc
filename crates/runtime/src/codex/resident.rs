//! Codex in a terminal: how it is started there, when it listens, and where it writes down what happens.

use std::cell::Cell;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use paseo_core::id::SessionId;
use serde_json::Value;

use super::login;
use super::rollout::Rollout;
use super::spawn::{self, HOME_VARIABLE};
use crate::plain_file;
use crate::process_table;
use crate::provider::{Launch, StartError};
use crate::terminal::resident::{self, Boarding, Screen, Seen};
use crate::terminal::{screen, variable};

/// The longest prompt that fits into one argument, beside its name.
const PROMPT_BYTES: usize = 120 * 1024;

/// What stands before what is typed, and before what is chosen from a list.
const POINTER: char = '›';

/// One thread in a terminal.
#[derive(Debug)]
pub(super) struct Resident {
    session: SessionId,
    /// Where it keeps what was said, in a folder for each day.
    sessions: PathBuf,
    /// The thread that is continued.
    thread: Option<String>,
    rollout: Rollout,
    /// The process, once it was seen.
    process: Cell<Option<u32>>,
}

impl Resident {
    pub(super) fn new(launch: &Launch, isolated_home: Option<&Path>) -> Self {
        let set = || variable(launch, HOME_VARIABLE).map(PathBuf::from);
        let own = || variable(launch, "HOME").map(|home| PathBuf::from(home).join(".codex"));
        let home = isolated_home.map(Path::to_owned).or_else(set).or_else(own).or_else(|| login::home(None));
        Self {
            session: launch.session,
            sessions: home.unwrap_or_default().join("sessions"),
            thread: launch.resume.clone(),
            rollout: Rollout::default(),
            process: Cell::new(None),
        }
    }

    /// Says how it is started.
    pub(super) fn boarding(
        launch: &Launch,
        program: PathBuf,
        isolated_home: Option<&Path>,
    ) -> Result<Boarding, StartError> {
        if launch.prompt.len() > PROMPT_BYTES {
            return Err(StartError {
                message: format!(
                    "the prompt has {} bytes; codex accepts at most {PROMPT_BYTES} in a terminal",
                    launch.prompt.len()
                ),
                hint: Some("shorten the agent definition".to_owned()),
            });
        }
        Ok(spawn::program(launch, program, isolated_home).into())
    }

    /// Returns the rollout that this session's process writes: nothing else names a new thread's file.
    fn open(&self) -> Option<PathBuf> {
        let is_ours = |pid: u32| process_table::mark(pid).is_some_and(|mark| mark.session == self.session);
        if let Some(pid) = self.process.get().filter(|pid| is_ours(*pid)) {
            return self.written_by(pid);
        }
        let (pid, path) = process_table::all()
            .filter(|pid| is_ours(*pid))
            .find_map(|pid| Some((pid, self.written_by(pid)?)))?;
        self.process.set(Some(pid));
        Some(path)
    }

    /// Returns the rollout that a process has open for writing. At its start, codex also reads the rollouts of other
    /// threads; taking one of those for its own would put another agent's conversation into this transcript.
    fn written_by(&self, pid: u32) -> Option<PathBuf> {
        let mut found: Vec<PathBuf> = process_table::written_files(pid)
            .into_iter()
            .filter(|path| self.is_rollout(path))
            // Subagents have threads of their own.
            .filter(|path| is_own(path))
            .collect();
        found.sort_unstable();
        found.into_iter().next()
    }

    fn is_rollout(&self, path: &Path) -> bool {
        let sessions = self.sessions.canonicalize().unwrap_or_else(|_| self.sessions.clone());
        path.starts_with(sessions) && path.extension().is_some_and(|extension| extension == "jsonl")
    }
}

/// Says whether a thread was begun by the person at the terminal.
fn is_own(path: &Path) -> bool {
    let mut first = String::new();
    let read = plain_file::open(path).and_then(|file| BufReader::new(file).read_line(&mut first));
    let meta: Value = read.ok().and_then(|_| serde_json::from_str(&first).ok()).unwrap_or_default();
    meta.pointer("/payload/source").is_some_and(Value::is_string)
}

/// Finds the file of a thread, in a folder of a folder of a folder.
fn find(folder: &Path, thread: &str, depth: usize) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    entries.flatten().map(|entry| entry.path()).find_map(|path| {
        let name = path.file_name()?.to_str()?;
        match depth {
            0 => name.strip_suffix(".jsonl")?.ends_with(thread).then_some(path),
            _ => find(&path, thread, depth - 1),
        }
    })
}

impl resident::Resident for Resident {
    fn readiness(&self, screen: &str) -> Screen {
        let lines = screen::lines(screen);
        let points = |line: &str| line.trim_start().starts_with([POINTER, '>']);
        let Some(last) = lines.iter().rposition(|line| points(line)) else { return Screen::NotYet };
        let chosen = lines[last].trim_start().trim_start_matches([POINTER, '>']).trim_start();
        // What is chosen from has a number; a task does not begin with a number and a dot in an empty line.
        let number = chosen.chars().take_while(char::is_ascii_digit).count();
        if number > 0 && chosen[number..].starts_with(". ") {
            return Screen::Asks(screen::words(&lines));
        }
        // Below it stands which model it is: until then the screen is not whole.
        let below = lines[last + 1..].iter().any(|line| line.contains(" · "));
        let own = lines[last].starts_with(POINTER);
        if below && own { Screen::Ready } else { Screen::NotYet }
    }

    fn in_line(&self, screen: &str) -> Option<String> {
        let lines = screen::lines(screen);
        let begin = lines.iter().rposition(|line| line.starts_with(POINTER))?;
        let rest = &lines[begin..];
        let end = rest.iter().position(|line| line.is_empty()).unwrap_or(rest.len());
        screen::typed(&rest[..end], &[POINTER])
    }

    fn session_file(&self) -> Option<PathBuf> {
        match &self.thread {
            Some(thread) => find(&self.sessions, thread, 3),
            None => self.open(),
        }
    }

    fn line(&mut self, line: &str) -> Vec<Seen> {
        self.rollout.line(line)
    }
}
