//! Talking to a harness: lines of JSON in, lines of JSON out.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long something may take that a test waits for.
const PATIENCE: Duration = Duration::from_secs(40);

pub(crate) struct Dialogue {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    work: PathBuf,
    /// Everything that was JSON so far.
    pub(crate) heard: Vec<Value>,
    /// How many lines were not.
    pub(crate) noise: usize,
}

impl Dialogue {
    #[allow(clippy::disallowed_methods)] // A test starts harnesses.
    pub(crate) fn start<V: AsRef<str>>(
        program: &Path,
        arguments: &[&str],
        environment: &[(&'static str, V)],
        work: &Path,
    ) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(work).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", work);
        command.envs(environment.iter().map(|(name, value)| (name, value.as_ref())));
        // Both are told what only claude reads.
        command.env("IS_SANDBOX", "1").env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the harness starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, lines) = sync_channel(100_000);
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while let Ok(1..) = output.by_ref().read_until(b'\n', &mut line) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child, lines, work: work.to_owned(), heard: Vec::new(), noise: 0 }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, value: &Value) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{value}").and_then(|()| input.flush()).expect("the harness reads");
    }

    /// Returns the first line that is wanted.
    pub(crate) fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("it did not come; heard: {:#?}", self.heard.iter().rev().take(5).collect::<Vec<_>>());
            };
            let Ok(value) = serde_json::from_slice::<Value>(&line) else {
                self.noise += 1;
                continue;
            };
            self.heard.push(value.clone());
            if wanted(&value) {
                return value;
            }
        }
    }

    /// Waits until a file is there, in the directory that the harness works in.
    pub(crate) fn wait_for_file(&self, name: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.work.join(name).exists() {
            assert!(Instant::now() < deadline, "{name} did not appear");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Makes a file that a command waits for.
    pub(crate) fn open_file(&self, name: &str) {
        std::fs::write(self.work.join(name), "").expect("a file");
    }

    /// Says whether nothing comes for a while.
    pub(crate) fn is_silent(&mut self, while_: Duration) -> bool {
        self.lines.recv_timeout(while_).is_err()
    }

    /// Closes the input, and returns the exit code once everything was read.
    pub(crate) fn close(&mut self) -> i32 {
        drop(self.input.take());
        self.exit_code()
    }

    pub(crate) fn exit_code(&mut self) -> i32 {
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.heard.extend(serde_json::from_slice(&line));
        }
        let status = self.child.wait().expect("it ends");
        status.code().or(status.signal().map(|signal| 128 + signal)).expect("an exit code")
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        self.kill();
    }
}
