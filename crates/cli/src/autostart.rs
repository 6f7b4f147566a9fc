//! Starting the daemon in the background, exactly once however many ask for it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use paseo_runtime::plain_file;
use paseo_wire::error::Exit;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::environment::{HOME, NO_START, SESSION, TOKEN, URL};
use crate::failure::{Failure, is_out_of_files, out_of_files};
use crate::home;
use crate::printer::Printer;
use crate::settings::Settings;

/// How long a daemon may take until it answers.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a daemon that is stopping is looked after.
const LOOK: Duration = Duration::from_millis(10);
/// After this long a person is told what the command waits for.
const NOTICED: Duration = Duration::from_secs(2);

/// How long a daemon that is killed may take to let go of its home.
const DYING: Duration = Duration::from_secs(2);

/// The one line that a starting daemon prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    Ready(Ready),
    Error { message: String, hint: Option<String> },
}

/// Where a daemon that is ready can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ready {
    pub(crate) pid: u32,
    pub(crate) socket: PathBuf,
    pub(crate) url: String,
}

/// How a daemon came to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It was running.
    Running,
    /// We started it.
    Started(Ready),
}

/// Says whether a daemon answers.
pub(crate) fn is_running(settings: &Settings) -> bool {
    UnixStream::connect(settings.socket()).is_ok()
}

/// Returns with a daemon that answers, or says why there is none.
pub(crate) fn ensure(settings: &Settings) -> Result<Presence, Failure> {
    match UnixStream::connect(settings.socket()) {
        Ok(_) => return Ok(Presence::Running),
        // That says nothing about the daemon, which may well be there.
        Err(error) if is_out_of_files(&error) => return Err(out_of_files()),
        Err(_) => {}
    }
    if !settings.start {
        return Err(not_running().hint("run `paseo up`, or drop --no-start and PASEO_NO_START"));
    }
    start(settings)
}

/// Starts the daemon unless another process did so in the meantime.
pub(crate) fn start(settings: &Settings) -> Result<Presence, Failure> {
    if settings.inside.is_some() {
        return Err(not_running().hint("run `paseo up` outside the agent; agents can't start the daemon"));
    }
    settings.need_config()?;
    home::prepare(settings)?;
    // One starter at a time; one that waited finds the daemon there. Closing the file releases the lock.
    let _lock = lock(settings)?;
    if is_running(settings) || outlives_its_predecessor(settings) {
        return Ok(Presence::Running);
    }
    launch(settings)
}

/// Starts a daemon again that died. Says whether it did.
///
/// One that was stopped took its socket with it before it let go of the home: it is not restarted.
pub(crate) fn revive(settings: &Settings) -> Result<bool, Failure> {
    let died = || !is_running(settings) && settings.socket().exists();
    if !settings.start || settings.inside.is_some() || !died() {
        return Ok(false);
    }
    let _lock = lock(settings)?;
    let home = plain_file::append(&settings.home.join("daemon.lock"));
    let is_free = home.is_ok_and(|home| flock(&home, FlockOperation::NonBlockingLockExclusive).is_ok());
    if !is_free || !died() {
        return Ok(false);
    }
    settings.need_config()?;
    launch(settings).map(|_| true)
}

/// Brings a daemon back that died while a command asked it for something: one that is being killed still takes
/// connections, and lets go of its home only a moment later. Says whether one answers now.
pub(crate) fn rescue(settings: &Settings) -> bool {
    let began = Instant::now();
    while settings.socket().exists() && began.elapsed() < DYING {
        match revive(settings) {
            Ok(true) => return true,
            Ok(false) if is_running(settings) => return true,
            Ok(false) => std::thread::sleep(LOOK),
            Err(_) => return false,
        }
    }
    false
}

/// Starts a daemon and waits for its report. The caller has the lock.
fn launch(settings: &Settings) -> Result<Presence, Failure> {
    let log = settings.log_directory().join("daemon.stderr");
    let mut diagnostics = plain_file::append(&log).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => failed(format!("its log {} is not a regular file", log.display()))
            .hint("remove or rename that file"),
        _ => failed(format!("cannot open its log {}: {error}", log.display())),
    })?;
    let begin = diagnostics.seek(SeekFrom::End(0)).unwrap_or(0);
    let stderr = diagnostics.try_clone().map_err(|error| failed(error.to_string()))?;
    let mut child = spawn(settings, stderr).map_err(|error| failed(error.to_string()))?;
    let report = child.stdout.take().map(wait_for_report);
    match report {
        Some(Ok(Report::Ready(ready))) => Ok(Presence::Started(ready)),
        Some(Ok(Report::Error { message, hint })) => {
            child.wait().ok();
            Err(Failure { hint: hint.or_else(|| Some(see_log(settings))), ..failed(message) })
        }
        Some(Err(RecvTimeoutError::Timeout)) => {
            child.kill().ok();
            child.wait().ok();
            Err(failed(format!("no answer within {} seconds", PATIENCE.as_secs())).hint(see_log(settings)))
        }
        Some(Err(RecvTimeoutError::Disconnected)) | None => {
            let how = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
            let said = tail(diagnostics, begin);
            let said = if said.is_empty() { said } else { format!("\n{said}") };
            Err(failed(format!("it exited at once ({how}){said}")).hint(see_log(settings)))
        }
    }
}

/// Says that there is no daemon.
pub(crate) fn not_running() -> Failure {
    Failure::new(Exit::Unreachable, "the daemon is not running")
}

/// Waits while a daemon that does not answer still has the home: it is stopping, or about to answer.
///
/// True when it answers in the end. One that stays mute is left to the new daemon, which names it.
fn outlives_its_predecessor(settings: &Settings) -> bool {
    let Ok(held) = plain_file::append(&settings.home.join("daemon.lock")) else { return false };
    let (began, mut told) = (Instant::now(), false);
    while flock(&held, FlockOperation::NonBlockingLockExclusive).is_err() && began.elapsed() < PATIENCE {
        if is_running(settings) {
            return true;
        }
        if !told && began.elapsed() > NOTICED {
            told = true;
            Printer::new(false).note("Waiting for the previous daemon, which does not answer, to stop");
        }
        std::thread::sleep(LOOK);
    }
    false
}

#[allow(clippy::disallowed_methods)] // The one process that the command line starts.
fn spawn(settings: &Settings, stderr: File) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["daemon", "run", "--detached"])
        // What belongs to the caller alone would be inherited by every agent.
        .env_remove(SESSION.name)
        .env_remove(TOKEN.name)
        .env_remove(URL.name)
        .env_remove(NO_START.name)
        .env(HOME.name, &settings.home)
        // A daemon keeps no directory open that a person may want to remove.
        .current_dir(&settings.home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
}

/// Reads the report in a thread, because a pipe cannot be read with a deadline.
fn wait_for_report(stdout: ChildStdout) -> Result<Report, RecvTimeoutError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        if let (Ok(_), Ok(report)) = (read, serde_json::from_str(&line)) {
            sender.send(report).ok();
        }
    });
    receiver.recv_timeout(PATIENCE)
}

/// Waits until no other process is starting the daemon. Closing the file releases the lock.
pub(crate) fn lock(settings: &Settings) -> Result<File, Failure> {
    let path = settings.home.join("start.lock");
    let locked = plain_file::append(&path).and_then(|file| {
        loop {
            match flock(&file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(file),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    });
    locked.map_err(|error| failed(format!("cannot lock {}: {error}", path.display())))
}

/// Returns the last words of a daemon that did not live long enough to report.
fn tail(mut diagnostics: File, begin: u64) -> String {
    let mut said = Vec::new();
    if diagnostics.seek(SeekFrom::Start(begin)).is_ok() {
        diagnostics.take(4096).read_to_end(&mut said).ok();
    }
    String::from_utf8_lossy(&said).trim().to_owned()
}

fn failed(why: impl Into<String>) -> Failure {
    Failure::new(Exit::Unreachable, format!("cannot start the daemon: {}", why.into()))
}

fn see_log(settings: &Settings) -> String {
    format!("see {} and `paseo daemon logs`", settings.log_directory().join("daemon.stderr").display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_one_line_of_json() {
        let ready =
            Report::Ready(Ready { pid: 7, socket: "/h/daemon.sock".into(), url: "http://x".to_owned() });
        let line = serde_json::to_string(&ready).unwrap();
        assert_eq!(line, r#"{"ready":{"pid":7,"socket":"/h/daemon.sock","url":"http://x"}}"#);
        let error = Report::Error { message: "no".to_owned(), hint: None };
        assert_eq!(serde_json::to_string(&error).unwrap(), r#"{"error":{"message":"no","hint":null}}"#);
    }
}
