//! The process between the daemon and a harness: when it goes, everything under it goes.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitStatus, ioctl_tiocsctty, kill_process, setsid};
use tokio::io::AsyncReadExt;
use tokio::signal::unix::{SignalKind, signal};

use crate::control;
use crate::process_table::{children, descendants};
use crate::reaper::Reaper;
use crate::terminal::shown::wait_until_shown;

/// How long descendants may take to end by themselves.
const GRACE: Duration = Duration::from_secs(2);

/// The signal of the key that stops a program. The shim could not be woken again.
const STOP_KEY: SignalKind = SignalKind::from_raw(Signal::TSTP.as_raw());

/// What the shim is to run.
#[derive(Debug, Clone)]
pub struct Arguments {
    pub place: Place,
    pub program: OsString,
    pub arguments: Vec<OsString>,
}

/// Where the shim runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Under the daemon: its stdin is the control channel, see [`crate::process`].
    Pipes,
    /// Under the daemon, with a terminal for the program: the control channel brings that terminal.
    Shell,
    /// In a terminal, which it leaves to the program: the end of that terminal is what stops it, not that of the daemon.
    Terminal,
}

impl Arguments {
    /// Reads `[--terminal | --shell] -- program arguments…`.
    pub fn read(words: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut words = words.peekable();
        let place = match words.next_if(|word| word == "--terminal" || word == "--shell") {
            Some(word) if word == "--shell" => Place::Shell,
            Some(_) => Place::Terminal,
            None => Place::Pipes,
        };
        let mut words = words.skip_while(|word| word == "--");
        Some(Self { place, program: words.next()?, arguments: words.collect() })
    }
}

/// Runs the program and returns its exit code (128 + signal) once none of its descendants is left.
///
/// Everything ends when the program exits, when the daemon closes the control channel or dies, and on
/// SIGTERM, SIGINT and SIGHUP. A program that cannot be started gives 127.
pub fn run(arguments: Arguments) -> ExitCode {
    match supervise(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            writeln!(io::stderr(), "paseo shim: {error}").ok();
            ExitCode::from(127)
        }
    }
}

fn supervise(arguments: Arguments) -> io::Result<u8> {
    let (control, stdin) = match arguments.place {
        Place::Pipes | Place::Shell => {
            control::accept().map(|(control, stdin)| (Some(control), Some(stdin)))?
        }
        Place::Terminal => (None, None),
    };
    if let (Place::Shell, Some(terminal)) = (arguments.place, &stdin) {
        // Signals of its keys reach whatever is in front there, and its end reaches us.
        setsid()?;
        ioctl_tiocsctty(terminal)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // Signals are caught and orphans adopted before there is anything to lose.
        let reaper = Reaper::adopt()?;
        let stop = stop_request(control, arguments.place)?;
        let main = spawn(&arguments, stdin).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", arguments.program.display()))
        })?;
        let place = arguments.place;
        let code = Supervision { reaper, main, place, status: None, asked: HashSet::new() }.run(stop).await;
        if arguments.place == Place::Terminal {
            // A terminal that is gone, or that cannot answer, keeps no process waiting.
            wait_until_shown(io::stdin()).ok();
        }
        Ok(code)
    })
}

/// Starts the program. Under the daemon it has a process group of its own, so that what it sends to its group spares
/// the shim; in a terminal it shares the shim's, which is the one that the keyboard speaks to.
#[allow(clippy::disallowed_methods)]
fn spawn(arguments: &Arguments, stdin: Option<OwnedFd>) -> io::Result<u32> {
    let mut command = Command::new(&arguments.program);
    command.args(&arguments.arguments);
    match stdin {
        // A shell makes a group of its own, and puts it in front of its terminal.
        Some(terminal) if arguments.place == Place::Shell => command.stdin(terminal),
        Some(stdin) => command.stdin(stdin).process_group(0),
        // Typing `tmux` in there must not change the server that holds it.
        None => command.env_remove("TMUX").env_remove("TMUX_PANE"),
    };
    Ok(command.spawn()?.id())
}

/// Listens at once; the future ends when the shim is told to stop.
fn stop_request(control: Option<UnixStream>, place: Place) -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    // Keys that mean the program alone are caught, and that is all.
    let in_terminal = place != Place::Pipes;
    let _caught = if in_terminal { Some((signal(SignalKind::quit())?, signal(STOP_KEY)?)) } else { None };
    let closed = closed(control)?;
    Ok(async move {
        tokio::select! {
            () = closed => {}
            _ = terminate.recv() => {}
            _ = interrupt.recv(), if !in_terminal => {}
            _ = hangup.recv() => {}
        }
    })
}

/// Listens at once; the future ends when the channel is closed.
fn closed(control: Option<UnixStream>) -> io::Result<impl Future<Output = ()>> {
    let control = control.map(|control| {
        control.set_nonblocking(true)?;
        tokio::net::UnixStream::from_std(control)
    });
    let control = control.transpose()?;
    Ok(async move {
        match control {
            // Nothing is ever written to the channel, so any answer means that it is closed.
            Some(mut control) => drop(control.read_u8().await),
            None => std::future::pending().await,
        }
    })
}

struct Supervision {
    reaper: Reaper,
    main: u32,
    place: Place,
    status: Option<WaitStatus>,
    asked: HashSet<u32>,
}

impl Supervision {
    async fn run(mut self, stop: impl Future<Output = ()>) -> u8 {
        tokio::select! {
            () = self.main_exit() => {}
            () = stop => {}
        }
        self.ask(descendants(std::process::id()).into_iter().map(|process| process.pid));
        if tokio::time::timeout(GRACE, self.last_exit()).await.is_err() {
            let Self { reaper, main, status, .. } = &mut self;
            reaper.kill_children(&[], |ended| note(*main, status, ended));
        }
        self.status.map_or(1, exit_code)
    }

    async fn main_exit(&mut self) {
        while self.status.is_none() {
            let Some(ended) = self.reaper.next().await else { return };
            note(self.main, &mut self.status, ended);
        }
    }

    async fn last_exit(&mut self) {
        while let Some(ended) = self.reaper.next().await {
            note(self.main, &mut self.status, ended);
            // One that was forked while the others were asked has just become a child of ours.
            self.ask(children(std::process::id()));
        }
    }

    /// Asks processes to end, each once; a stopped one is woken, or it could not.
    fn ask(&mut self, processes: impl IntoIterator<Item = u32>) {
        for process in processes {
            if let Some(pid) = Pid::from_raw(process.cast_signed())
                && self.asked.insert(process)
            {
                if self.place == Place::Shell {
                    // The end of its terminal is all that a shell heeds.
                    kill_process(pid, Signal::HUP).ok();
                }
                kill_process(pid, Signal::TERM).ok();
                kill_process(pid, Signal::CONT).ok();
            }
        }
    }
}

fn note(main: u32, status: &mut Option<WaitStatus>, (pid, how): (Pid, WaitStatus)) {
    if pid.as_raw_nonzero().get().cast_unsigned() == main {
        *status = Some(how);
    }
}

fn exit_code(status: WaitStatus) -> u8 {
    let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
