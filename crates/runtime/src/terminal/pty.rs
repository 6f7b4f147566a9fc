//! A terminal of our own: what is printed on it is read here, and what is typed comes from here.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use paseo_core::terminal::Size;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{Errno, read, write};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tokio::io::unix::AsyncFd;

/// Our side of a terminal.
pub(crate) struct Pty(AsyncFd<OwnedFd>);

/// A new terminal, before it is used: our side, and that of the programs.
pub(crate) struct Opened {
    own: OwnedFd,
    pub(crate) side: OwnedFd,
}

/// Makes a terminal.
pub(crate) fn open(size: Size) -> io::Result<Opened> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let own = openpt(flags)?;
    unlockpt(&own)?;
    tcsetwinsize(&own, winsize(size))?;
    fcntl_setfl(&own, OFlags::NONBLOCK)?;
    let side = ioctl_tiocgptpeer(&own, flags)?;
    Ok(Opened { own, side })
}

impl Opened {
    /// Returns our side. The other one is closed here: it is for programs that were started by now.
    pub(crate) fn registered(self) -> io::Result<Pty> {
        registered(self.own).map(Pty)
    }
}

impl Pty {
    /// Returns what is printed next; 0 when no program has the terminal any more. May be cancelled.
    pub(crate) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.0.readable().await?;
            match ready.try_io(|terminal| Ok(read(terminal.get_ref(), &mut *buffer)?)) {
                // So the kernel says that nobody has the other side any more.
                Ok(Err(error)) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => return Ok(0),
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(done) => return done,
                Err(_would_block) => {}
            }
        }
    }

    /// Types bytes. When it is cancelled, some of them may have been typed.
    pub(crate) async fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let mut ready = self.0.writable().await?;
            match ready.try_io(|terminal| Ok(write(terminal.get_ref(), bytes)?)) {
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(done) => bytes = &bytes[done?..],
                Err(_would_block) => {}
            }
        }
        Ok(())
    }

    /// Makes it another size. Programs that have it as their controlling terminal are told by the kernel.
    pub(crate) fn resize(&self, size: Size) -> io::Result<()> {
        Ok(tcsetwinsize(self.0.get_ref().as_fd(), winsize(size))?)
    }
}

#[expect(
    deprecated,
    reason = "what took its place is unsafe, and a descriptor that is owned is all that it asks for"
)]
fn registered(terminal: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(terminal)
}

fn winsize(size: Size) -> Winsize {
    Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 }
}
