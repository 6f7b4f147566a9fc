//! Waits until a terminal has shown what was written to it.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::AsFd;
use rustix::io::{Errno, read, write};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Asks a terminal whether it is well, and what it answers.
const QUESTION: &[u8] = b"\x1b[5n";
const ANSWER: &[u8] = b"\x1b[0n";

/// How long a terminal may take. A busy one needs milliseconds; one that cannot answer never will.
const PATIENCE: Duration = Duration::from_millis(500);

/// Waits until the terminal has read everything that was written to it so far, if it is one that says so.
///
/// tmux closes a pane's terminal as soon as it hears that the pane's process has ended, and loses what it has not read
/// by then: often the only line that says why. A terminal answers a question after what stood before it, so the
/// process in the pane asks one and ends when the answer is there.
pub(crate) fn wait_until_shown(terminal: impl AsFd) -> io::Result<()> {
    let terminal = terminal.as_fd();
    let mut mode = tcgetattr(terminal)?;
    mode.make_raw();
    tcsetattr(terminal, OptionalActions::Now, &mode)?;
    write(terminal, QUESTION)?;
    let end = Instant::now() + PATIENCE;
    let mut seen = Vec::new();
    while !seen.windows(ANSWER.len()).any(|window| window == ANSWER) {
        let left = end.saturating_duration_since(Instant::now());
        let wait = left.try_into().map_err(|_| io::ErrorKind::InvalidInput)?;
        match poll(&mut [PollFd::new(&terminal, PollFlags::IN)], Some(&wait)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Err(Errno::INTR) => continue,
            other => other?,
        };
        let mut buffer = [0; 256];
        match read(terminal, &mut buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            // What a person typed meanwhile has no reader any more; only the end can be the beginning of an answer.
            count => {
                seen.drain(..seen.len().saturating_sub(ANSWER.len()));
                seen.extend_from_slice(&buffer[..count]);
            }
        }
    }
    Ok(())
}
