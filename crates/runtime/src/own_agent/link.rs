//! The agent's side of the protocol: its stdin and stdout.

use std::io;
use std::os::fd::AsFd;

use serde::de::DeserializeOwned;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;

use super::protocol::{Report, Request};
use crate::lines::Lines;
use crate::provider::{Input, Output};
use crate::reaper::Reaper;

/// The pipes to the provider, and the children that have to be reaped while it is silent.
pub(crate) struct Link {
    pub(crate) requests: Requests,
    pub(crate) reaper: Reaper,
    writer: pipe::Sender,
}

/// What the provider sends.
pub(crate) struct Requests(Lines<pipe::Receiver>);

impl Link {
    /// Takes over stdin and stdout, which must be pipes.
    pub(crate) fn open() -> io::Result<Self> {
        let stdin = io::stdin().as_fd().try_clone_to_owned()?;
        let stdout = io::stdout().as_fd().try_clone_to_owned()?;
        Ok(Self {
            requests: Requests(Lines::new(pipe::Receiver::from_owned_fd(stdin)?)),
            reaper: Reaper::adopt()?,
            writer: pipe::Sender::from_owned_fd(stdout)?,
        })
    }

    /// Returns the next request, `None` when there will be no more. May be cancelled.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Input>> {
        tokio::select! {
            biased;
            input = self.requests.next() => input,
            () = self.reaper.reap() => Ok(None),
        }
    }

    pub(crate) async fn send(&mut self, output: Output) -> io::Result<()> {
        let mut line = serde_json::to_vec(&Report(output))?;
        line.push(b'\n');
        self.send_bytes(&line).await
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes).await
    }
}

impl Requests {
    /// Returns the first line, for agents that are told something before the first request.
    pub(crate) async fn first<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        match self.0.next().await? {
            Some(line) => Ok(Some(serde_json::from_str(&line.text)?)),
            None => Ok(None),
        }
    }

    /// Returns the next request, `None` when there will be no more. May be cancelled.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Input>> {
        match self.0.next().await? {
            Some(line) => Ok(Some(serde_json::from_str::<Request>(&line.text)?.0)),
            None => Ok(None),
        }
    }

    /// Returns the next request; waits for ever when there will be none. May be cancelled.
    pub(crate) async fn next_or_never(&mut self) -> io::Result<Input> {
        match self.next().await? {
            Some(input) => Ok(input),
            None => std::future::pending().await,
        }
    }
}
