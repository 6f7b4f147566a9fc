//! A terminal of its own for a command, and somebody who types in it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::time::Duration;

use paseo_testkit::home::{Output, TestHome};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// Nothing here takes this long; a test that waits longer has found a bug.
const PATIENCE: Duration = Duration::from_secs(30);

/// A command on a terminal.
pub(crate) struct Terminal {
    controller: File,
    side: OwnedFd,
    child: Child,
    shown: Vec<u8>,
    /// Up to here it was looked at.
    seen: usize,
}

impl Terminal {
    pub(crate) fn start(home: &TestHome, columns: u16, arguments: &[&str]) -> Self {
        let (controller, side) = open(columns);
        let mut command = home.command(arguments);
        let copy = || side.try_clone().unwrap();
        command.stdin(copy()).stdout(copy()).stderr(copy());
        let child = command.spawn().unwrap();
        Self { controller, side, child, shown: Vec::new(), seen: 0 }
    }

    /// Makes the terminal wider or narrower, and tells the command, as the kernel tells whoever is in front.
    pub(crate) fn resize(&self, columns: u16) {
        set_width(&self.side, columns);
        self.send(Signal::WINCH);
    }

    /// Types.
    pub(crate) fn type_in(&mut self, keys: &str) {
        self.controller.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads until a text is there that was not there before, and returns everything up to it.
    pub(crate) fn until(&mut self, text: &str) -> String {
        loop {
            let new = String::from_utf8_lossy(&self.shown[self.seen..]).into_owned();
            if let Some(at) = new.find(text) {
                self.seen += at + text.len();
                return new[..at + text.len()].to_owned();
            }
            let timeout = Timespec::try_from(PATIENCE).unwrap();
            let ready = poll(&mut [PollFd::new(&self.controller, PollFlags::IN)], Some(&timeout)).unwrap();
            assert!(ready > 0, "`{text}` never came: {:?}", String::from_utf8_lossy(&self.shown));
            let mut chunk = [0; 4096];
            let length = self.controller.read(&mut chunk).unwrap();
            self.shown.extend_from_slice(&chunk[..length]);
        }
    }

    /// Says whether the terminal echoes and edits lines, as a shell leaves it.
    pub(crate) fn is_as_a_shell_leaves_it(&self) -> bool {
        tcgetattr(&self.side).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    pub(crate) fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end; returns the exit code, everything that was shown, and whether the terminal is as
    /// it was.
    pub(crate) fn finish(mut self) -> (Option<i32>, String, bool) {
        // Reading fails once nobody has the other side any more, so it is looked at before.
        let reader = self.controller.try_clone().unwrap();
        let shown = std::mem::take(&mut self.shown);
        let (stop, stopped) = std::sync::mpsc::channel();
        let reading = std::thread::spawn(move || {
            let (mut reader, mut shown, mut chunk) = (reader, shown, [0; 4096]);
            while let Ok(length @ 1..) = reader.read(&mut chunk) {
                shown.extend_from_slice(&chunk[..length]);
            }
            stop.send(()).ok();
            shown
        });
        let status = self.child.wait().unwrap();
        let restored = self.is_as_a_shell_leaves_it();
        drop(self.side);
        stopped.recv_timeout(PATIENCE).expect("the terminal ends");
        let shown = String::from_utf8(reading.join().unwrap()).unwrap().replace("\r\n", "\n");
        (status.code(), shown, restored)
    }
}

/// Returns the words that were shown after the last question, the answer among them. How they wrap depends on how long
/// paths are.
pub(crate) fn after_the_question(shown: &str) -> String {
    let (_, rest) = shown.rsplit_once("[y/N]").unwrap_or_else(|| panic!("no question: {shown}"));
    rest.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Opens a terminal: the end that people have, and the one that programs have.
fn open(columns: u16) -> (File, OwnedFd) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let side =
        rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    set_width(&side, columns);
    (File::from(controller), side)
}

fn set_width(side: &OwnedFd, columns: u16) {
    tcsetwinsize(side, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
}

/// Runs a command on a terminal of its own and returns what it shows.
pub(crate) fn on_terminal(home: &TestHome, columns: u16, arguments: &[&str]) -> String {
    Terminal::start(home, columns, arguments).finish().1
}

/// Runs a command whose stdout and stderr are terminals, one each, so that they can be told apart. It has no input.
pub(crate) fn on_two_terminals(home: &TestHome, columns: u16, arguments: &[&str]) -> Output {
    let [(out, out_side), (err, err_side)] = [open(columns), open(columns)];
    let mut child =
        home.command(arguments).stdin(Stdio::null()).stdout(out_side).stderr(err_side).spawn().unwrap();
    let [stdout, stderr] = [out, err].map(|mut controller| {
        std::thread::spawn(move || {
            let (mut shown, mut chunk) = (Vec::new(), [0; 4096]);
            // Reading fails once the command has closed its side.
            while let Ok(length @ 1..) = controller.read(&mut chunk) {
                shown.extend_from_slice(&chunk[..length]);
            }
            String::from_utf8(shown).unwrap().replace("\r\n", "\n")
        })
    });
    let code = child.wait().unwrap().code().unwrap_or(-1);
    Output { code, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}
