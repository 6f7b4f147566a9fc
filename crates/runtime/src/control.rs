//! The channel between the daemon and one shim: the holder of the other end keeps the shim alive.
//!
//! The shim gets its end as stdin and the program's stdin through it. So no descriptor has to be
//! inherited by number: nothing can leak into the program, nor into a process that the daemon starts
//! at the same moment.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// Both ends of a new channel.
pub(crate) struct Channel {
    /// Stays with the daemon; closing it tells the shim to end everything.
    pub(crate) daemon: UnixStream,
    /// Becomes the shim's stdin.
    pub(crate) shim: OwnedFd,
}

/// Makes a channel that already carries the program's stdin.
pub(crate) fn open(program_stdin: impl AsFd) -> io::Result<Channel> {
    let (daemon, shim) = UnixStream::pair()?;
    let descriptors = [program_stdin.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("no room for a descriptor"));
    }
    // A descriptor travels only with at least one byte of data.
    sendmsg(&daemon, &[IoSlice::new(&[0])], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(Channel { daemon, shim: shim.into() })
}

/// Takes the shim's end from stdin, and the program's stdin from it.
pub(crate) fn accept() -> io::Result<(UnixStream, OwnedFd)> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut byte = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    recvmsg(&stream, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let program_stdin = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    program_stdin
        .map(|stdin| (stream, stdin))
        .ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "the daemon has stopped"))
}
