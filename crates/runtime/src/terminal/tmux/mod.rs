//! The tmux server of one home: a session for each worker, which people can look at and take over.
//!
//! Everything is argv, never a shell. Everything goes over one lasting connection, so secrets in a worker's environment
//! are on no command line, and nothing is started to look at a screen.

mod connection;
mod error;
mod line;
mod panes;
mod server;
mod viewer;
mod words;

use std::collections::{BTreeMap, HashSet};
use std::env;
use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use paseo_core::terminal::Size;
use tokio::time::{Instant, sleep};

use self::line::{CONTROL, Line, Mode};
use self::panes::{FORMAT, own_panes, read_pane};
use crate::process::Program;
use crate::process_table::{HOME_VARIABLE, SESSION_VARIABLE, mark};

pub use self::error::Error;
pub use self::panes::{Screen, Session, State};
pub use self::viewer::{Role, Viewer};
pub use self::words::{free_name, is_name, pasteable};

/// How long a program may take to begin.
const START: Duration = Duration::from_secs(10);

/// How long the server may take to note how a program ended.
const NOTICE: Duration = Duration::from_secs(1);

/// How often it is looked whether a program has begun, or how it ended.
const LOOK: Duration = Duration::from_millis(2);

/// The option of a session that holds a line of ours.
const MARK: &str = "@paseo";

/// The option of a session that says whose it is.
const OWNER: &str = "@paseo_session";

/// The option of a session that says what it is called, whatever people call it.
const NAME: &str = "@paseo_name";

/// The option of a session that says which of its panes is the program's: people add others.
const PANE: &str = "@paseo_pane";

/// The option of a session that says how large it was before a person who took it over changed that.
const SIZE: &str = "@paseo_size";

/// How long to wait before something is asked again.
const AGAIN: Duration = Duration::from_millis(100);

/// How often lines are captured again because a program printed meanwhile.
const MOST_CAPTURES: u32 = 4;

/// How many lines a capture has unless it is told.
pub const CAPTURE_LINES: usize = paseo_core::limits::CAPTURE_LINES;

/// The most lines that a capture has.
pub const CAPTURE_LIMIT: usize = 10_000;

/// What of our environment would mislead a program in a terminal of its own.
pub(super) const MISLEADING: [&str; 12] = [
    "TMUX",
    "TMUX_PANE",
    "TMUX_TMPDIR",
    "TERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "COLORTERM",
    "LINES",
    "COLUMNS",
    "STY",
    "WINDOWID",
    "PWD",
];

/// The tmux server behind one socket. It is started when the first session is.
#[derive(Debug)]
pub struct Tmux {
    line: Arc<Line>,
}

/// What a screen showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Lines without control sequences, and without blanks at their end.
    pub text: String,
    /// There was more before it.
    pub cut: bool,
}

impl Capture {
    /// Returns the text, with a first line that says so when it was cut.
    pub fn marked(&self) -> String {
        let mark = if self.cut { "[… earlier lines left out …]\n" } else { "" };
        format!("{mark}{}", self.text)
    }
}

/// All servers that this process ever spoke to: callers that name the same socket share the connection.
static SERVERS: std::sync::Mutex<BTreeMap<PathBuf, Arc<Tmux>>> = std::sync::Mutex::new(BTreeMap::new());

impl Tmux {
    /// Returns the server behind a socket. Nothing is started yet.
    pub fn at(socket: &Path) -> Arc<Self> {
        let mut servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Self { line: Arc::new(Line::new(socket)) });
        Arc::clone(servers.entry(socket.to_owned()).or_insert_with(new))
    }

    /// Checks that tmux is there and new enough, without starting a server.
    pub async fn check(&self) -> Result<(), Error> {
        self.line.installed().await.map(drop)
    }

    /// Returns the process id of the server, once it was spoken to.
    pub fn server(&self) -> Option<u32> {
        self.line.server()
    }

    /// Says whether the server was asked something and does not answer.
    pub fn is_silent(&self) -> bool {
        self.line.is_silent()
    }

    /// Returns the words by which a person attaches to a session, the program first: to the pane of its program where
    /// that is known, whatever was looked at last. To be run without `TMUX` in the environment.
    pub fn attach_words(&self, name: &str, session: Option<&Session>) -> Vec<OsString> {
        let program = self.line.known_program();
        let program = program.map_or_else(|| "tmux".into(), |path| path.clone().into_os_string());
        let pane = session.filter(|session| !session.forsaken).map(|session| format!(":.{}", session.pane));
        let target = format!("={name}{}", pane.unwrap_or_default()).into();
        vec![
            program,
            "-u".into(),
            "-S".into(),
            self.line.socket().into(),
            "attach-session".into(),
            "-t".into(),
            target,
        ]
    }

    /// Returns every session of a worker, in the order of their names. None when there is no server.
    pub async fn sessions(&self) -> Result<Vec<Session>, Error> {
        let list = async || match self.list(&["list-panes", "-a"]).await {
            Err(Error::NoServer(_)) => Ok(Vec::new()),
            listed => listed,
        };
        let deadline = Instant::now() + NOTICE;
        let mut listed = list().await?;
        // How it ended was noted while the list was on its way.
        let unknown = |found: &Session| matches!(found.state, State::Dead { code: None, signal: None, .. });
        if listed.iter().any(unknown) {
            listed = list().await?;
        }
        while listed.iter().any(|found| found.unnoted) && Instant::now() < deadline {
            sleep(LOOK).await;
            listed = list().await?;
        }
        Ok(listed)
    }

    /// Returns a session.
    pub async fn find(&self, name: &str) -> Result<Option<Session>, Error> {
        Ok(self.sessions().await?.into_iter().find(|session| session.name == name))
    }

    /// Returns a session, or says which ones there are.
    pub async fn get(&self, name: &str) -> Result<Session, Error> {
        let sessions = self.sessions().await?;
        let existing = || sessions.iter().map(|session| session.name.clone()).collect();
        let found = sessions.iter().find(|session| session.name == name).cloned();
        found.ok_or_else(|| Error::NotFound { name: name.to_owned(), existing: existing() })
    }

    /// Starts a program in a session of its own, under the shim.
    pub async fn start(&self, name: &str, program: &Program) -> Result<Session, Error> {
        if !is_name(name) {
            return Err(Error::BadName(name.to_owned()));
        }
        let new = ["new-session", "-d", "-E", "-x", "160", "-y", "48", "-s", name, "-n", name];
        let made = [line::words(&new), surroundings(program)].concat();
        match self.line.run(owned(made, name, program), Mode::Start).await {
            Err(Error::Refused { stderr, .. }) if stderr.starts_with("duplicate session") => {
                Err(Error::Taken(name.to_owned()))
            }
            Err(error) => Err(error),
            Ok(_) => self.begun(name, program).await,
        }
    }

    /// Waits until the program is really run, and no longer a copy of the server: from then on it can be told by its
    /// mark whose it is.
    async fn begun(&self, name: &str, program: &Program) -> Result<Session, Error> {
        let deadline = Instant::now() + START;
        loop {
            let session = match self.get(name).await {
                Err(Error::Silent { .. }) => {
                    sleep(AGAIN).await;
                    continue;
                }
                found => found?,
            };
            let State::Alive { pid } = session.state else { return Ok(session) };
            if mark(pid).is_some_and(|mark| mark.session == program.session) || Instant::now() > deadline {
                return Ok(session);
            }
            sleep(LOOK).await;
        }
    }

    /// Starts a program again in a session whose program has ended. What it showed before stays above.
    pub async fn restart(&self, name: &str, program: &Program) -> Result<Session, Error> {
        let session = self.get(name).await?;
        let target = format!("={name}:");
        let words: &[&str] = match session.forsaken {
            false => &["respawn-pane", "-t", &session.pane],
            // Its pane was taken away.
            true => &["new-window", "-t", &target, "-n", name],
        };
        let made = [line::words(words), surroundings(program)].concat();
        let commands = match session.forsaken {
            false => [vec![made], forgotten(name, program)].concat(),
            true => owned(made, name, program),
        };
        self.line.run(commands, Mode::Once).await?;
        self.begun(name, program).await
    }

    /// Pastes a text into a session: whatever is in it, it arrives as text and presses no key. When this fails with
    /// [`Error::Silent`], it was not pasted, nor will be.
    pub async fn paste(&self, name: &str, text: &str) -> Result<(), Error> {
        let session = self.listening(name).await?;
        let (buffer, text) = (format!("paste-{name}"), pasteable(text));
        self.run(&["set-buffer", "-b", &buffer, "--", &text], Mode::Use).await?;
        self.run(&["paste-buffer", "-p", "-d", "-b", &buffer, "-t", &session.pane], Mode::Once).await?;
        Ok(())
    }

    /// Presses keys, named as tmux names them: `Enter`, `Escape`, `C-c`. When this fails with [`Error::Silent`], they
    /// were not pressed, nor will be.
    pub async fn press(&self, name: &str, keys: &[&str]) -> Result<(), Error> {
        if let Some(key) = keys.iter().find(|key| !words::is_key(key)) {
            return Err(Error::BadKey((*key).to_owned()));
        }
        let session = self.listening(name).await?;
        let words: Vec<&str> =
            ["send-keys", "-t", &session.pane, "--"].into_iter().chain(keys.iter().copied()).collect();
        self.run(&words, Mode::Once).await.map(drop)
    }

    /// Returns a session, out of the modes in which keys are tmux's own: a person who scrolls is back at the prompt.
    async fn listening(&self, name: &str) -> Result<Session, Error> {
        let session = self.get(name).await?;
        if session.in_mode {
            self.run(&["copy-mode", "-q", "-t", &session.pane], Mode::Use).await?;
        }
        Ok(session)
    }

    /// Returns the last lines of a session: at least one, at most [`CAPTURE_LIMIT`].
    pub async fn capture(&self, name: &str, lines: usize) -> Result<Capture, Error> {
        let session = self.get(name).await?;
        if session.forsaken {
            return Err(Error::NotFound { name: name.to_owned(), existing: Vec::new() });
        }
        let lines = lines.clamp(1, CAPTURE_LIMIT);
        let from = format!("-{lines}");
        let shown =
            self.run(&["capture-pane", "-p", "-J", "-S", &from, "-t", &session.pane], Mode::Use).await?;
        let mut shown: Vec<String> = shown.iter().map(|line| words::plain(line)).collect();
        while shown.last().is_some_and(String::is_empty) {
            shown.pop();
        }
        let cut = shown.len().saturating_sub(lines);
        Ok(Capture { text: shown.split_off(cut).join("\n"), cut: cut > 0 })
    }

    /// Returns what a session shows right now.
    pub(crate) async fn screen(&self, pane: &str) -> Result<String, Error> {
        let shown = self.run(&["capture-pane", "-p", "-J", "-t", pane], Mode::Use).await?;
        Ok(shown.iter().map(|line| words::plain(line)).collect::<Vec<_>>().join("\n"))
    }

    /// Keeps a line with a session, for as long as that is there.
    pub(crate) async fn mark(&self, name: &str, text: &str) -> Result<(), Error> {
        self.run(&["set-option", "-t", &format!("={name}:"), MARK, text], Mode::Use).await.map(drop)
    }

    /// Returns the line that was kept with a session.
    pub(crate) async fn marked(&self, name: &str) -> Result<Option<String>, Error> {
        let kept =
            self.run(&["show-options", "-q", "-v", "-t", &format!("={name}:"), MARK], Mode::Use).await?;
        Ok(kept.into_iter().next())
    }

    /// Takes a session away, with everyone who watches it. Its program is told by the end of its terminal; see
    /// [`super::ending`].
    pub(super) async fn close(&self, name: &str) -> Result<(), Error> {
        let session = self.get(name).await?;
        // Viewers have sessions of their own, which would keep the window alive: it is the window that has to go. Those
        // that have no other go with it, all at once.
        if !session.forsaken && !session.screen.window.is_empty() {
            self.unless_gone(&["kill-window", "-t", &session.screen.window]).await?;
        }
        loop {
            let left = self.group(name).await?;
            if left.is_empty() {
                return Ok(());
            }
            for name in left {
                self.unless_gone(&["kill-session", "-t", &format!("={name}")]).await?;
            }
        }
    }

    /// Returns a session and those of its viewers, these first.
    async fn group(&self, name: &str) -> Result<Vec<String>, Error> {
        let format = "#{session_name}|#{session_group}";
        let listed = match self.run(&["list-panes", "-a", "-F", format], Mode::Use).await {
            Err(Error::NoServer(_)) => Vec::new(),
            listed => listed?,
        };
        let mut names: Vec<String> = listed
            .iter()
            .filter_map(|line| line.split_once('|'))
            .filter(|(session, group)| *session == name || *group == name)
            .map(|(session, _)| session.to_owned())
            .collect();
        names.sort_by_key(|session| (session == name, session.clone()));
        names.dedup();
        Ok(names)
    }

    /// Runs a command whose target may be gone meanwhile.
    async fn unless_gone(&self, words: &[&str]) -> Result<(), Error> {
        match self.run(words, Mode::Use).await {
            Ok(_) | Err(Error::Refused { .. } | Error::NoServer(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Attaches a viewer of the given role, in a session of its own beside that of the program.
    pub async fn view(&self, session: &Session, role: Role, size: Size) -> Result<Viewer, Error> {
        if self.line.is_silent() {
            return Err(Error::silent("attach-session".to_owned(), line::PATIENCE, self.line.server()));
        }
        let installed = self.line.installed().await?;
        Ok(Viewer::start(installed, self.line.socket(), session, role, size)?)
    }

    /// Leaves the modes of a session in which keys are tmux's own.
    pub async fn leave_modes(&self, name: &str) -> Result<(), Error> {
        self.listening(name).await.map(drop)
    }

    /// Remembers how large a session is, for [`Self::restore_size`]. What is remembered already stays.
    pub async fn remember_size(&self, session: &Session) -> Result<(), Error> {
        if session.screen.restore.is_some() {
            return Ok(());
        }
        let (target, size) = (format!("={}:", session.name), session.screen.size.to_string());
        self.run(&["set-option", "-t", &target, SIZE, &size], Mode::Use).await.map(drop)
    }

    /// Gives a session the size back that was remembered. Clients that could type are detached: as long as one is there, tmux
    /// goes by its size.
    pub async fn restore_size(&self, session: &Session) -> Result<(), Error> {
        let Some(size) = session.screen.restore else { return Ok(()) };
        for name in self.group(&session.name).await?.iter().filter(|name| viewer::is_holders(name)) {
            self.unless_gone(&["kill-session", "-t", &format!("={name}")]).await?;
        }
        let (window, target) = (&session.screen.window, format!("={}:", session.name));
        let (columns, rows) = (size.columns.to_string(), size.rows.to_string());
        let commands = [
            line::words(&["resize-window", "-t", window, "-x", &columns, "-y", &rows]),
            // Otherwise no client that attaches could change its size.
            line::words(&["set-option", "-w", "-t", window, "-u", "window-size"]),
            line::words(&["set-option", "-t", &target, "-u", SIZE]),
        ];
        self.line.run(commands.to_vec(), Mode::Use).await.map(drop)
    }

    /// Returns up to `count` lines of a session that end before the line `before`, or before the end of the screen.
    /// Lines are numbered from the oldest that tmux keeps; wrapped ones are joined.
    ///
    /// tmux counts lines from the top of the screen, which moves while a program prints. If it moved meanwhile, the
    /// lines are captured again. A program that prints faster than that makes pages overlap; no line is left out
    /// between them.
    pub async fn lines(&self, session: &Session, before: Option<u64>, count: u64) -> Result<Lines, Error> {
        let rows = u64::from(session.screen.size.rows);
        let mut history = session.screen.history;
        let mut tries = 0;
        loop {
            let range = Lines::range(history, rows, before, count);
            let text = self.captured(session, history, &range).await?;
            let question = ["display-message", "-p", "-t", &session.pane, "#{history_size}"];
            let answer = self.run(&question, Mode::Use).await?;
            let now = answer.first().and_then(|line| line.parse().ok()).unwrap_or(history);
            tries += 1;
            if now == history || tries == MOST_CAPTURES {
                let start = (range.start + now).saturating_sub(history);
                return Ok(Lines { text, start, total: now + rows });
            }
            history = now;
        }
    }

    /// Returns lines by their numbers, if so many are above the screen.
    async fn captured(
        &self,
        session: &Session,
        history: u64,
        range: &Range<u64>,
    ) -> Result<Vec<String>, Error> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let place = |line: u64| (i128::from(line) - i128::from(history)).to_string();
        let (first, last) = (place(range.start), place(range.end.saturating_sub(1)));
        let words = ["capture-pane", "-p", "-J", "-S", &first, "-E", &last, "-t", &session.pane];
        let shown = self.run(&words, Mode::Use).await?;
        Ok(shown.iter().map(|line| words::plain(line)).collect())
    }

    /// Ends the server if there is no session but our own: the next worker starts another.
    pub async fn retire(&self) -> Result<(), Error> {
        if !self.line.socket().exists() {
            return Ok(());
        }
        let names = match self.run(&["list-panes", "-a", "-F", "#{session_name}"], Mode::Use).await {
            Err(Error::NoServer(_)) => return self.unplug().await,
            names => names?,
        };
        if names.iter().any(|name| name != CONTROL && !viewer::is_viewers(name)) {
            return Ok(());
        }
        match self.run(&["kill-server"], Mode::Use).await {
            // It does not live to answer.
            Err(Error::NoServer(_) | Error::Broken(_)) | Ok(_) => self.unplug().await,
            Err(error) => Err(error),
        }
    }

    /// Removes the socket once its server is gone.
    async fn unplug(&self) -> Result<(), Error> {
        let socket = self.line.socket();
        while server::listens(socket).await?.is_some() {
            sleep(LOOK).await;
        }
        match std::fs::remove_file(socket) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Unreachable { socket: socket.to_owned(), error })
            }
            _ => Ok(()),
        }
    }

    async fn list(&self, command: &[&str]) -> Result<Vec<Session>, Error> {
        let words: Vec<&str> = command.iter().copied().chain(["-F", FORMAT]).collect();
        let lines = self.run(&words, Mode::Use).await?;
        Ok(own_panes(lines.iter().filter_map(|line| read_pane(line)).collect()))
    }

    async fn run(&self, words: &[impl AsRef<[u8]>], mode: Mode) -> Result<Vec<String>, Error> {
        self.line.run(vec![line::words(words)], mode).await
    }
}

/// Lines of a terminal, numbered from the oldest that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    pub text: Vec<String>,
    /// The number of the first.
    pub start: u64,
    /// How many there are, the screen included.
    pub total: u64,
}

impl Lines {
    fn range(history: u64, rows: u64, before: Option<u64>, count: u64) -> Range<u64> {
        let total = history + rows;
        let end = before.unwrap_or(total).min(total);
        end.saturating_sub(count)..end
    }
}

/// Returns what makes a place for a program, and notes at once whose it is, what it is called and which pane.
fn owned(made: Vec<Vec<u8>>, name: &str, program: &Program) -> Vec<Vec<Vec<u8>>> {
    let (target, owner) = (format!("={name}:"), program.session.to_string());
    let whose = line::words(&["set-option", "-t", &target, OWNER, &owner]);
    let called = line::words(&["set-option", "-t", &target, NAME, name]);
    let which = line::words(&["set-option", "-F", "-t", &target, PANE, "#{pane_id}"]);
    [vec![made, whose, called, which], forgotten(name, program)].concat()
}

/// Returns what takes a program's own variables out of its session again: there, every window that a person opens beside
/// it would have them as well, and whoever sits at one would act as the agent. The home is everybody's.
fn forgotten(name: &str, program: &Program) -> Vec<Vec<Vec<u8>>> {
    let target = format!("={name}:");
    let own = program.environment.iter().map(|(name, _)| name.as_str()).chain([SESSION_VARIABLE]);
    let own = own.filter(|name| *name != HOME_VARIABLE);
    own.map(|variable| line::words(&["set-environment", "-t", &target, "-u", variable])).collect()
}

/// Returns where and how a program is run, as tmux wants to hear it.
fn surroundings(program: &Program) -> Vec<Vec<u8>> {
    let mut words = vec![b"-c".to_vec(), words::unformatted(program.directory.as_os_str().as_bytes())];
    for (name, value) in environment(program) {
        let pair = [name.into_vec(), b"=".to_vec(), value.into_vec()].concat();
        words.extend([b"-e".to_vec(), pair]);
    }
    words.push(b"--".to_vec());
    // More than one word: tmux gives a single one to a shell.
    let shim = [program.shim.clone().into_os_string(), "shim".into(), "--terminal".into(), "--".into()];
    let run = shim.into_iter().chain([program.program.clone()]).chain(program.arguments.iter().cloned());
    words.extend(run.map(OsString::into_vec));
    words
}

/// Returns all that a program has in its environment, but for what the terminal sets: the server has next to nothing.
fn environment(program: &Program) -> BTreeMap<OsString, OsString> {
    let removed: HashSet<&str> = program.removed.iter().map(String::as_str).chain(MISLEADING).collect();
    let mut all: BTreeMap<OsString, OsString> = env::vars_os()
        .filter(|(name, _)| !name.to_str().is_some_and(|name| removed.contains(name)))
        .collect();
    all.extend(program.environment.iter().map(|(name, value)| (name.into(), value.into())));
    all.insert(SESSION_VARIABLE.into(), program.session.to_string().into());
    all
}
