//! `paseo daemon`

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use paseo_daemon::{Examiner, Options, StartError};
use paseo_runtime::plain_file;
use paseo_wire::diagnosis::{Check, Diagnosis};
use paseo_wire::error::Exit;

use crate::args::{DaemonLogsArgs, Global};
use crate::autostart::{self, Ready, Report};
use crate::context::Context;
use crate::doctor::{self, Running};
use crate::environment::Variable;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::settings::Settings;

/// How often a followed log is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How much of the end of a log is searched for its newest lines.
const TAIL_BYTES: u64 = 1024 * 1024;

/// Runs the daemon until it is told to stop. Detached: reports readiness on stdout, then leaves it.
pub(crate) fn run(settings: &Settings, detached: bool) -> Result<Exit, Failure> {
    let result = if detached { run_detached(settings) } else { run_in_foreground(settings) };
    result.map(|()| Exit::Ok)
}

fn run_in_foreground(settings: &Settings) -> Result<(), Failure> {
    crate::home::prepare(settings)?;
    // Until it answers, no other process may start one.
    let starting = autostart::lock(settings)?;
    let printer = Printer::new(false);
    serve(settings, true, move |ready| {
        drop(starting);
        printer.note(&format!("paseo is ready: {} (pid {}, ctrl-C stops it)", ready.url, ready.pid));
    })
}

fn run_detached(settings: &Settings) -> Result<(), Failure> {
    // Out of the terminal's reach: closing it or ctrl-C in it ends no agent.
    rustix::process::setsid().ok();
    let result = crate::home::prepare(settings).and_then(|()| {
        serve(settings, false, |ready| {
            let paseo_daemon::Ready { pid, socket, url } = ready;
            report(&Report::Ready(Ready { pid, socket, url }));
        })
    });
    result.map_err(|failure| {
        report(&Report::Error { message: failure.message, hint: failure.hint });
        Failure::silent(failure.exit)
    })
}

fn serve(
    settings: &Settings,
    log_to_stderr: bool,
    ready: impl FnOnce(paseo_daemon::Ready),
) -> Result<(), Failure> {
    let internal = |error: io::Error| Failure::new(Exit::AgentError, format!("cannot start: {error}"));
    let options = Options {
        home: settings.home.clone(),
        listen: settings.listen,
        public_urls: settings.public_urls.clone(),
        default_provider: settings.provider.clone(),
        providers: settings.providers.clone(),
        plugins_off: settings.plugins_off.clone(),
        external_hosts: settings.external_hosts.clone(),
        notification_contact: settings.notification_contact.clone(),
        keys: settings.keys.clone(),
        live_processes: settings.live_processes,
        workers: settings.workers,
        thread_patience: settings.thread_patience,
        start_patience: settings.start_patience,
        executable: std::env::current_exe().map_err(internal)?,
        log_filter: settings.log.clone(),
        log_to_stderr,
        examine: examiner(settings),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(internal)?;
    runtime.block_on(paseo_daemon::run(options, ready)).map_err(|error| {
        let StartError { message, hint, kind: _ } = error;
        Failure { hint, ..Failure::new(Exit::Unreachable, message) }
    })
}

/// Lets the daemon check its machine as `paseo doctor` would. Config.toml is read again: what a person has just changed
/// there is what they want to know about.
fn examiner(settings: &Settings) -> Examiner {
    let home = settings.home.clone();
    Examiner::new(move |seen| {
        let global = Global { home: Some(home.clone()), ..Global::default() };
        async move {
            match Settings::resolve(&global, Variable::value) {
                Ok(settings) => {
                    let running = Running::Yes(Box::new(seen));
                    Diagnosis::new(doctor::machine(&settings, &running).await)
                }
                Err(failure) => {
                    let fix = failure.hint.unwrap_or_default();
                    Diagnosis::new(vec![Check::fail("environment", failure.message, fix)])
                }
            }
        }
    })
}

/// Prints the one line that the starter waits for and closes the pipe behind it.
fn report(report: &Report) {
    let Ok(line) = serde_json::to_string(report) else { return };
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}").and_then(|()| stdout.flush()).ok();
    if let Ok(nowhere) = File::options().write(true).open("/dev/null") {
        rustix::stdio::dup2_stdout(nowhere).ok();
    }
}

/// Prints the daemon's log.
pub(crate) async fn logs(context: &Context, args: &DaemonLogsArgs) -> Result<Exit, Failure> {
    let path = context.settings.log_directory().join("daemon.log");
    let unreadable = |error: &io::Error| match error.kind() {
        io::ErrorKind::NotFound => Failure::new(Exit::NotFound, format!("no log at {}", path.display()))
            .hint("start the daemon with `paseo up`"),
        _ => Failure::new(Exit::AgentError, format!("cannot read {}: {error}", path.display())),
    };
    let (end, newest) = tail(&path, args.lines).map_err(|error| unreadable(&error))?;
    context.printer.bytes(&newest)?;
    if !args.follow {
        return Ok(Exit::Ok);
    }
    let mut place = end;
    loop {
        tokio::time::sleep(LOOK).await;
        let (end, new) = read_from(&path, place).map_err(|error| unreadable(&error))?;
        context.printer.bytes(&new)?;
        place = end;
    }
}

/// Returns the newest lines and the place after them.
fn tail(path: &Path, lines: usize) -> io::Result<(u64, Vec<u8>)> {
    let length = std::fs::metadata(path)?.len();
    let (end, mut bytes) = read_from(path, length.saturating_sub(TAIL_BYTES))?;
    let ends: Vec<usize> =
        (0..bytes.len().saturating_sub(1)).filter(|index| bytes[*index] == b'\n').collect();
    let cut = if lines == 0 {
        bytes.len()
    } else {
        ends.len().checked_sub(lines).and_then(|index| ends.get(index)).map_or(0, |index| index + 1)
    };
    bytes.drain(..cut);
    Ok((end, bytes))
}

/// Reads what stands after a place. A file that became shorter was rotated.
fn read_from(path: &Path, place: u64) -> io::Result<(u64, Vec<u8>)> {
    let mut file = plain_file::open(path)?;
    let length = file.metadata()?.len();
    let start = if length < place { 0 } else { place };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok((start + bytes.len() as u64, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        std::fs::write(&path, "one\ntwo\nthree\n").unwrap();
        let newest = |lines| String::from_utf8(tail(&path, lines).unwrap().1).unwrap();
        assert_eq!(newest(2), "two\nthree\n");
        assert_eq!(newest(1), "three\n");
        assert_eq!(newest(9), "one\ntwo\nthree\n");
        assert_eq!(newest(0), "");
        assert_eq!(read_from(&path, 8).unwrap(), (14, b"three\n".to_vec()));
        std::fs::write(&path, "new\n").unwrap();
        assert_eq!(read_from(&path, 14).unwrap(), (4, b"new\n".to_vec()));
    }
}
