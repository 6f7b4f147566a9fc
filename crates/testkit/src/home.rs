//! The real binary in a temporary home: a clean environment, a port of its own, and nothing left behind.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use tempfile::TempDir;

/// How long a process may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// A temporary home for the real binary.
///
/// Dropping it stops the daemon and fails the test when a process of this home is left.
#[derive(Debug)]
pub struct TestHome {
    binary: PathBuf,
    directory: TempDir,
    environment: Vec<(OsString, OsString)>,
    /// What every command is started through.
    wrapper: Vec<OsString>,
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The exit code; `128 + signal` when a signal ended it.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl TestHome {
    /// Makes an empty home for a binary, `env!("CARGO_BIN_EXE_paseo")` in its own tests.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self::below(&std::env::temp_dir(), binary)
    }

    /// Makes an empty home in a directory: its path is as long on every machine.
    pub fn below(parent: &Path, binary: impl Into<PathBuf>) -> Self {
        let directory = tempfile::Builder::new().prefix("paseo-").tempdir_in(parent);
        let directory = directory.expect("a temporary directory");
        fs::create_dir(directory.path().join("work")).expect("a directory to work in");
        let mut home =
            Self { binary: binary.into(), directory, environment: Vec::new(), wrapper: Vec::new() };
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let settings: [(&str, OsString); 6] = [
            ("PATH", path),
            ("HOME", home.directory.path().into()),
            ("PASEO_HOME", home.path().into()),
            ("PASEO_LISTEN", "127.0.0.1:0".into()),
            ("PASEO_PROVIDER", "scripted".into()),
            ("NO_COLOR", "1".into()),
        ];
        settings.into_iter().for_each(|(name, value)| home.set(name, value));
        home
    }

    /// Makes an empty home whose commands have no special rights: root's are run as nobody, whoever else runs the tests
    /// has none anyway.
    pub fn unprivileged(binary: impl Into<PathBuf>) -> Self {
        let mut home = Self::new(binary);
        if rustix::process::geteuid().is_root() {
            let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
            home.wrapper = words.map(OsString::from).to_vec();
            for path in [home.directory.path().to_owned(), home.work()] {
                std::os::unix::fs::chown(path, Some(65534), Some(65534)).expect("root may give things away");
            }
            if !home.command(&["--version"]).output().is_ok_and(|output| output.status.success()) {
                // Others have no way to where it was built.
                let copy = home.directory.path().join("paseo");
                fs::copy(&home.binary, &copy).expect("a copy of the binary");
                home.binary = copy;
            }
        }
        home
    }

    /// Returns `$PASEO_HOME`. It does not exist before the first command makes it.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// Returns the directory that commands run in.
    pub fn work(&self) -> PathBuf {
        self.directory.path().join("work")
    }

    /// Sets a variable for every command that follows.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.unset(name);
        self.environment.push((name.into(), value.into()));
    }

    /// Takes a variable away.
    pub fn unset(&mut self, name: &str) {
        self.environment.retain(|(known, _)| known != name);
    }

    /// Puts `paseo` on the `PATH` of every command that follows.
    pub fn install(&mut self) {
        let directory = self.binary.parent().expect("a binary in a directory").to_owned();
        self.prepend_path(&directory);
    }

    /// Puts a directory first in `PATH`, for every command that follows.
    pub fn prepend_path(&mut self, directory: &Path) {
        let known = self.environment.iter().find(|(name, _)| name == "PATH");
        let known = known.map(|(_, value)| value.clone()).unwrap_or_default();
        let all = std::iter::once(directory.to_owned()).chain(std::env::split_paths(&known));
        self.set("PATH", std::env::join_paths(all).expect("a path"));
    }

    /// Runs a command to its end, without input.
    pub fn paseo<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Output {
        self.paseo_with(arguments, b"")
    }

    /// Runs a command to its end, with input.
    pub fn paseo_with<A: AsRef<OsStr>>(&self, arguments: &[A], stdin: &[u8]) -> Output {
        let mut child = self.spawn(arguments);
        let mut pipe = child.stdin.take().expect("a pipe to stdin");
        // A command that refuses its arguments does not read.
        pipe.write_all(stdin).ok();
        drop(pipe);
        finish(child)
    }

    /// Trusts changes of the user's own definitions that a running daemon holds back. One that is started for the first
    /// time trusts what it finds.
    pub fn trust(&self) {
        if self.daemon_pid().is_some() {
            let home = self.path();
            let home = home.as_os_str();
            // It is no failure that nothing waits.
            self.paseo(&["agents".as_ref(), "trust".as_ref(), "--yes".as_ref(), "-C".as_ref(), home]);
        }
    }

    /// Starts a command with pipes on all its streams.
    pub fn spawn<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the binary starts")
    }

    /// Returns a command that is ready to be changed and started.
    pub fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        self.program(&self.binary, arguments)
    }

    /// Returns another program, with the environment and the rights of a command.
    #[allow(clippy::disallowed_methods)] // Tests start the binary.
    pub fn program<A: AsRef<OsStr>>(&self, program: impl AsRef<OsStr>, arguments: &[A]) -> Command {
        let mut words = self.wrapper.iter().map(OsString::as_os_str).chain([program.as_ref()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).args(arguments).current_dir(self.work()).env_clear();
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Returns the daemon's process id, when it runs.
    pub fn daemon_pid(&self) -> Option<u32> {
        self.daemons().first().copied()
    }

    /// Returns the ids of all daemons of this home; more than one is a bug.
    pub fn daemons(&self) -> Vec<u32> {
        self.processes().into_iter().filter(|pid| is_daemon(*pid)).collect()
    }

    /// Returns the ids of all processes of this home: the daemon, commands, agents and what they started.
    pub fn processes(&self) -> Vec<u32> {
        let mark = [b"PASEO_HOME=", self.path().as_os_str().as_bytes()].concat();
        all().filter(|pid| has_variable(*pid, &mark)).collect()
    }

    /// Returns the command lines of everything that runs in this home, which every user of the machine can read.
    pub fn command_lines(&self) -> Vec<String> {
        let line = |pid| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let lines = self.processes().into_iter().chain(self.tmux()).map(line);
        lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " ")).collect()
    }

    /// Waits until nothing of this home runs but its daemon, and returns what did not end in time.
    pub fn left_beside_the_daemon(&self) -> Vec<String> {
        self.left(|pid| !is_daemon(pid))
    }

    /// Waits for processes to end, and returns those that did not.
    fn left(&self, counts: impl Fn(u32) -> bool) -> Vec<String> {
        left(|| self.processes().into_iter().filter(|pid| counts(*pid)).collect())
    }

    /// Returns the ids of what serves terminals and looks at them: those carry no mark.
    fn tmux(&self) -> Vec<u32> {
        let socket = self.path().join("tmux.sock").display().to_string();
        all().filter(|pid| arguments(*pid).contains(&socket)).collect()
    }

    /// Kills the daemon as a crash would, and waits until it is gone. True when there was one.
    pub fn kill_daemon(&self) -> bool {
        self.daemon_pid().is_some_and(|pid| end(pid, Signal::KILL))
    }

    /// Ends the terminals of workers, which outlive the daemon.
    #[allow(clippy::disallowed_methods)] // The one program that does.
    fn end_terminals(&self) {
        let socket = self.path().join("tmux.sock");
        if socket.exists() {
            let mut command = Command::new("tmux");
            command.arg("-S").arg(&socket).arg("kill-server").stdin(Stdio::null()).stderr(Stdio::null());
            command.status().ok();
        }
    }

    /// Stops the daemon in good order, and waits until it is gone. True when there was one.
    pub fn stop_daemon(&self) -> bool {
        self.daemon_pid().is_some_and(|pid| end(pid, Signal::TERM) || end(pid, Signal::KILL))
    }
}

impl Drop for TestHome {
    fn drop(&mut self) {
        self.stop_daemon();
        self.end_terminals();
        let told = [self.left(|_| true), left(|| self.tmux())].concat();
        self.processes().into_iter().chain(self.tmux()).for_each(|pid| {
            end(pid, Signal::KILL);
        });
        // A test that fails already says more than this would.
        if !std::thread::panicking() {
            assert!(told.is_empty(), "processes are left: {told:#?}");
        }
    }
}

impl Output {
    /// Returns stdout without the last line's end; fails when the command did.
    pub fn ok(&self) -> &str {
        assert_eq!(self.code, 0, "{self:#?}");
        self.stdout.trim_end_matches('\n')
    }
}

/// Waits for a command to end.
pub fn finish(child: Child) -> Output {
    let output = child.wait_with_output().expect("the command ends");
    Output {
        code: exit_code(output.status),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn exit_code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

/// Sends a signal and waits for the end. False when the process outlived it.
fn end(pid: u32, signal: Signal) -> bool {
    let Some(process) = Pid::from_raw(pid.cast_signed()) else { return false };
    let Ok(descriptor) = pidfd_open(process, PidfdFlags::empty()) else { return true };
    kill_process(process, signal).ok();
    ended(&descriptor, PATIENCE)
}

fn wait_for_end(pid: u32, patience: Duration) -> bool {
    let descriptor = Pid::from_raw(pid.cast_signed()).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
    match descriptor {
        Some(Ok(descriptor)) => ended(&descriptor, patience),
        Some(Err(_)) | None => true,
    }
}

fn ended(descriptor: &impl std::os::fd::AsFd, patience: Duration) -> bool {
    let deadline = Instant::now() + patience;
    loop {
        let left = Timespec::try_from(deadline.saturating_duration_since(Instant::now())).ok();
        match poll(&mut [PollFd::new(descriptor, PollFlags::IN)], left.as_ref()) {
            Ok(ready) => return ready > 0,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => panic!("cannot wait for a process: {error}"),
        }
    }
}

/// Returns the ids of all processes but this one.
fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("the table of processes");
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| *pid != std::process::id())
}

/// Waits for processes to end, and describes those that did not.
fn left(find: impl Fn() -> Vec<u32>) -> Vec<String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = find();
        if left.is_empty() || Instant::now() >= deadline {
            return left.iter().map(|pid| format!("{pid} {}", arguments(*pid).join(" "))).collect();
        }
        left.iter().for_each(|pid| {
            wait_for_end(*pid, Duration::from_millis(200));
        });
    }
}

fn has_variable(pid: u32, wanted: &[u8]) -> bool {
    let environment = fs::read(Path::new("/proc").join(pid.to_string()).join("environ"));
    environment.is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|entry| entry == wanted))
}

fn is_daemon(pid: u32) -> bool {
    let arguments = arguments(pid);
    arguments.get(1).is_some_and(|word| word == "daemon")
        && arguments.get(2).is_some_and(|word| word == "run")
}

fn arguments(pid: u32) -> Vec<String> {
    let line = fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}
