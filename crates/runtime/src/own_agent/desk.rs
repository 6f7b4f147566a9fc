//! What an agent does in a turn, whatever tells it what to do: it reports items, asks, calls tools and runs commands,
//! and listens all the while.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::time::{Duration, Instant};

use paseo_core::id::{ItemId, TurnId};
use paseo_core::item::{Draft, Kind, ToolCallExtra, ToolClass, ToolOutcome};
use paseo_core::permission;
use rustix::process::WaitStatus;
use serde_json::Value;
use tokio::io::AsyncReadExt;

use super::line;
use super::link::Link;
use super::shell::{Shell, Transcript};
use crate::fresh::item_id;
use crate::process_table::children;
use crate::provider::{Answer, DeltaKind, Input, Message, Output, Retry};
use crate::slash::SlashCommand;

/// Why a turn cannot go on.
#[derive(Debug)]
pub(crate) enum Stop {
    Interrupted,
    /// The provider cannot be reached.
    Broken(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// The place where a turn is worked at.
pub(crate) struct Desk<'a> {
    pub(crate) link: &'a mut Link,
    turn: TurnId,
    /// Counts the model's steps: one more after each tool.
    pub(crate) step: u32,
    /// Counts tool calls and asks, to tell them apart.
    asked: u32,
    steered: VecDeque<Message>,
    /// What earlier turns left running on purpose: an interrupt leaves it alone.
    spared: Vec<u32>,
}

/// A tool call that is not answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// The item that will hold its result; deltas of its output carry the same id.
    pub(crate) result: ItemId,
    pub(crate) started: Instant,
}

/// The outcome of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    /// What it printed.
    pub(crate) text: String,
    pub(crate) exit_code: Option<i32>,
    /// It took too long, and was ended.
    pub(crate) overdue: bool,
    /// The turn was stopped meanwhile.
    pub(crate) stop: Option<Stop>,
}

/// What can happen while a command runs.
enum Event {
    Request(Input),
    Printed(usize),
    Ended(Option<WaitStatus>),
    Overdue,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(link: &'a mut Link, turn: TurnId) -> Self {
        let spared = children(std::process::id());
        Self { link, turn, step: 0, asked: 0, steered: VecDeque::new(), spared }
    }

    /// Tells of a finished item.
    pub(crate) async fn item(&mut self, draft: Draft) -> Result<(), Stop> {
        self.item_with(item_id()?, draft).await
    }

    /// Tells which commands messages can begin with.
    pub(crate) async fn offer(&mut self, commands: Vec<SlashCommand>) -> Result<(), Stop> {
        Ok(self.link.send(Output::Commands(commands)).await?)
    }

    /// Tells of a finished item that may have grown before. What is too long for a line is cut,
    /// and side information, which is worth nothing in part, is left out.
    pub(crate) async fn item_with(&mut self, id: ItemId, mut draft: Draft) -> Result<(), Stop> {
        draft.text = draft.text.map(line::fitted);
        let text = draft.text.as_deref().unwrap_or_default();
        draft.extra = draft.extra.filter(|extra| line::fits(&[text, extra]));
        Ok(self.link.send(Output::Item { id, step: self.step, parent: None, draft }).await?)
    }

    /// Tells of a piece of an item that grows.
    pub(crate) async fn delta(&mut self, item: ItemId, kind: DeltaKind, text: String) -> Result<(), Stop> {
        if text.is_empty() {
            return Ok(());
        }
        Ok(self.link.send(Output::Delta { item, kind, text: line::fitted(text) }).await?)
    }

    /// Tells what a call that runs has printed.
    async fn printed(&mut self, call: &Call, text: String) -> Result<(), Stop> {
        if text.is_empty() {
            return Ok(());
        }
        let (call, item, text) = (call.name.clone(), call.result, line::fitted(text));
        Ok(self.link.send(Output::Printed { call, item, text }).await?)
    }

    /// Tells that an attempt broke off, which showed these items.
    pub(crate) async fn broke_off(&mut self, items: Vec<ItemId>, retry: Option<Retry>) -> Result<(), Stop> {
        if items.is_empty() && retry.is_none() {
            return Ok(());
        }
        Ok(self.link.send(Output::BrokeOff { items, retry }).await?)
    }

    /// Tells of a tool call.
    pub(crate) async fn begin_call(
        &mut self,
        tool: &str,
        class: ToolClass,
        extra: ToolCallExtra,
        input: &Value,
    ) -> Result<Call, Stop> {
        let call = Call { name: self.next_name(), result: item_id()?, started: Instant::now() };
        let extra = serde_json::to_string(&extra).map_err(io::Error::from)?;
        let kind = Kind::ToolCall { call: call.name.clone(), name: tool.to_owned(), class };
        self.item(Draft { kind, text: Some(input.to_string()), extra: Some(extra) }).await?;
        Ok(call)
    }

    /// Tells what came of a tool call.
    pub(crate) async fn end_call(
        &mut self,
        call: &Call,
        outcome: ToolOutcome,
        exit_code: Option<i32>,
        text: String,
        extra: Option<String>,
    ) -> Result<(), Stop> {
        let duration_ms = u64::try_from(call.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let kind = Kind::ToolResult { call: call.name.clone(), outcome, exit_code, duration_ms };
        self.item_with(call.result, Draft { kind, text: Some(text), extra }).await
    }

    /// Asks for leave, and waits for the answer.
    pub(crate) async fn request_permission(&mut self, request: permission::Request) -> Result<Answer, Stop> {
        let call = request.call.clone();
        self.link.send(Output::Ask(request)).await?;
        loop {
            match self.answer().await? {
                Input::Permission { call: of, decision } if of == call => return Ok(decision),
                _ => {}
            }
        }
    }

    /// Asks the daemon to run a tool and waits for its answer.
    pub(crate) async fn request_tool(
        &mut self,
        call: &Call,
        name: String,
        input: Value,
    ) -> Result<(ToolOutcome, String), Stop> {
        self.link.send(Output::ToolRequest { call: call.name.clone(), name, input }).await?;
        loop {
            if let Input::ToolResult { call: of, outcome, text } = self.answer().await?
                && of == call.name
            {
                return Ok((outcome, text));
            }
        }
    }

    /// Runs a command, and streams what it prints as the result of a call. It may take as long as `limit`.
    pub(crate) async fn run(
        &mut self,
        command: &str,
        call: &Call,
        limit: Option<Duration>,
    ) -> io::Result<Ran> {
        let before = children(std::process::id());
        let mut shell = Shell::start(command)?;
        let mut transcript = Transcript::default();
        let end = self.watch(&mut shell, call, &mut transcript, limit).await;
        let (status, overdue, mut stop) = match end {
            Ok(Some(status)) => (status, false, None),
            Ok(None) => {
                self.link.reaper.kill_children(&before, drop);
                (None, true, None)
            }
            Err(stop) => (None, false, Some(stop)),
        };
        let leftover = transcript.push(&shell.leftover());
        if let Err(broken) = self.printed(call, leftover).await {
            stop = Some(broken);
        }
        Ok(Ran { text: transcript.finish(), exit_code: status.and_then(exit_code), overdue, stop })
    }

    /// Streams what the command prints until it ends; `None` when it takes too long.
    async fn watch(
        &mut self,
        shell: &mut Shell,
        call: &Call,
        transcript: &mut Transcript,
        limit: Option<Duration>,
    ) -> Result<Option<Option<WaitStatus>>, Stop> {
        let mut buffer = [0; 8192];
        let mut open = true;
        let deadline = limit.map(|limit| tokio::time::Instant::now() + limit);
        loop {
            let event = tokio::select! {
                input = self.link.requests.next_or_never() => Event::Request(input?),
                count = shell.output.read(&mut buffer), if open => Event::Printed(count?),
                ended = self.link.reaper.next() => match ended {
                    Some((pid, status)) if pid.as_raw_nonzero().get().cast_unsigned() == shell.pid => {
                        Event::Ended(Some(status))
                    }
                    Some(_) => continue,
                    None => Event::Ended(None),
                },
                () = at(deadline) => Event::Overdue,
            };
            match event {
                Event::Request(input) => drop(self.accept(input)?),
                Event::Printed(0) => open = false,
                Event::Printed(count) => {
                    let text = transcript.push(&buffer[..count]);
                    self.printed(call, text).await?;
                }
                Event::Ended(status) => return Ok(Some(status)),
                Event::Overdue => return Ok(None),
            }
        }
    }

    /// Does something that takes its time, and listens meanwhile.
    pub(crate) async fn during<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::pin!(work);
        loop {
            let Link { requests, reaper, .. } = &mut *self.link;
            let input = tokio::select! {
                done = &mut work => return Ok(done),
                input = requests.next_or_never() => input?,
                () = reaper.reap() => continue,
            };
            self.accept(input)?;
        }
    }

    /// Takes in what has come, without waiting.
    pub(crate) async fn look(&mut self) -> Result<(), Stop> {
        loop {
            let input = tokio::select! {
                biased;
                input = self.link.requests.next_or_never() => input?,
                () = tokio::task::yield_now() => return Ok(()),
            };
            self.accept(input)?;
        }
    }

    /// Waits, and listens meanwhile.
    pub(crate) async fn pause(&mut self, duration: Duration) -> Result<(), Stop> {
        self.during(tokio::time::sleep(duration)).await
    }

    /// Waits for a request that answers one of ours.
    pub(crate) async fn answer(&mut self) -> Result<Input, Stop> {
        loop {
            let Link { requests, reaper, .. } = &mut *self.link;
            let input = tokio::select! {
                input = requests.next_or_never() => input?,
                () = reaper.reap() => continue,
            };
            if let Some(answer) = self.accept(input)? {
                return Ok(answer);
            }
        }
    }

    /// Takes in a request; returns it when it answers one of ours.
    fn accept(&mut self, input: Input) -> Result<Option<Input>, Stop> {
        match input {
            Input::Interrupt => {
                self.link.reaper.kill_children(&self.spared, drop);
                Err(Stop::Interrupted)
            }
            Input::Steer { message } => {
                self.steered.push_back(message);
                Ok(None)
            }
            // A second turn is never confirmed, so its sender knows that it did not start.
            Input::Turn { .. } => Ok(None),
            Input::Permission { .. } | Input::ToolResult { .. } => Ok(Some(input)),
        }
    }

    /// Takes up the next message that was put into the turn.
    pub(crate) async fn take_up(&mut self) -> Result<Option<Message>, Stop> {
        let Some(message) = self.steered.pop_front() else { return Ok(None) };
        self.link.send(Output::Steered { delivery: message.delivery, item: None }).await?;
        Ok(Some(message))
    }

    /// Returns a name for a call or an ask that no other turn uses.
    pub(crate) fn next_name(&mut self) -> String {
        self.asked += 1;
        format!("{}-{}", self.turn, self.asked)
    }
}

async fn at(time: Option<tokio::time::Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

fn exit_code(status: WaitStatus) -> Option<i32> {
    status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal))
}
