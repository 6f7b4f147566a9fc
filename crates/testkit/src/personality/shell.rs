//! Commands that fakes run for real.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// How long to wait for what a command's children still write after it ended, and for a busy machine to read it.
const LEFTOVERS: Duration = Duration::from_secs(1);
/// How often to look whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// A running command, in a process group of its own.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    pieces: Receiver<Vec<u8>>,
    output: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Finished {
    pub(super) output: String,
    pub(super) code: i32,
}

impl Running {
    /// Starts a command. Its standard error goes where its output goes.
    #[allow(clippy::disallowed_methods)] // A harness starts commands.
    pub(super) fn start(command: &str, directory: &Path) -> Self {
        let mut bash = Command::new("bash");
        bash.arg("-c").arg(format!("exec 2>&1\n{command}")).current_dir(directory).process_group(0);
        bash.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = bash.spawn().expect("bash starts");
        let mut pipe = child.stdout.take().expect("a pipe");
        let (sender, pieces) = sync_channel(16);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, pieces, output: Vec::new() }
    }

    /// Looks, for a short while, whether it has ended.
    pub(super) fn poll(&mut self) -> Option<Finished> {
        if let Ok(piece) = self.pieces.recv_timeout(LOOK) {
            self.output.extend(piece);
            return None;
        }
        let status = self.child.try_wait().expect("a child to wait for")?;
        while let Ok(piece) = self.pieces.recv_timeout(LEFTOVERS) {
            self.output.extend(piece);
        }
        Some(self.finished(status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(-1)))
    }

    /// Ends it, with its group.
    pub(super) fn kill(&mut self) -> Finished {
        if let Some(group) = Pid::from_raw(self.child.id().cast_signed()) {
            kill_process_group(group, Signal::KILL).ok();
        }
        self.child.wait().ok();
        while let Ok(piece) = self.pieces.recv_timeout(LEFTOVERS) {
            self.output.extend(piece);
        }
        self.finished(-1)
    }

    fn finished(&mut self, code: i32) -> Finished {
        Finished { output: String::from_utf8_lossy(&std::mem::take(&mut self.output)).into_owned(), code }
    }
}
