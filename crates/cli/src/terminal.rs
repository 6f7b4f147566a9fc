//! The terminal while a line is typed in it, and its way back.

use std::io::{self, Write};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

const PASTE_ON: &[u8] = b"\x1b[?2004h";
const PASTE_OFF: &[u8] = b"\x1b[?2004l";
/// Switches a special key off.
const NONE: u8 = 0;

/// A terminal that hands over every key. Dropping it brings the terminal back as it was, in a panic too.
#[derive(Debug)]
pub(crate) struct Keys {
    before: Termios,
}

impl Keys {
    /// Takes the terminal over. Ctrl-C stays a signal; lines and echo are ours.
    pub(crate) fn take() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut keys = before.clone();
        keys.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN;
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        // A stopped command would leave the terminal to the shell as it is now.
        keys.special_codes[SpecialCodeIndex::VSUSP] = NONE;
        tcsetattr(io::stdin(), OptionalActions::Now, &keys)?;
        let taken = Self { before };
        write(PASTE_ON)?;
        Ok(taken)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        write(PASTE_OFF).ok();
        tcsetattr(io::stdin(), OptionalActions::Now, &self.before).ok();
    }
}

/// A terminal that does not show what is typed, and still takes whole lines. Dropping it brings the terminal back.
#[derive(Debug)]
pub(crate) struct Unseen {
    before: Termios,
}

impl Unseen {
    pub(crate) fn take() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut unseen = before.clone();
        unseen.local_modes -= LocalModes::ECHO;
        // The line break is shown, as after any other answer.
        unseen.local_modes |= LocalModes::ECHONL | LocalModes::ICANON;
        unseen.special_codes[SpecialCodeIndex::VSUSP] = NONE;
        // What was typed ahead was typed in sight.
        tcsetattr(io::stdin(), OptionalActions::Flush, &unseen)?;
        Ok(Self { before })
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        tcsetattr(io::stdin(), OptionalActions::Now, &self.before).ok();
    }
}

fn write(command: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(command).and_then(|()| out.flush())
}
