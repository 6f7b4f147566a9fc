//! Running the steps of one turn.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use paseo_core::id::{ItemId, TurnId};
use paseo_core::item::{Draft, Kind, ToolCallExtra, ToolClass, ToolOutcome, Usage};
use paseo_core::permission::{self, Power, Shape};
use rustix::process::WaitStatus;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::link::Link;
use super::plan::respond;
use super::script::{Crash, Step};
use super::shell::{Shell, Transcript};
use crate::fresh::item_id;
use crate::process_table::children;
use crate::provider::{Answer, DeltaKind, Input, Message, Output};

/// The code of a turn that a malformed directive ended.
pub(super) const SCRIPT_ERROR: &str = "script_error";

/// The code of a turn that `fail` ended.
const SCRIPTED_FAILURE: &str = "scripted_failure";

/// What `spew` repeats.
const FILLER: &str = "All work and no play makes a dull agent. ";

/// Why a turn ended before its last step.
pub(super) enum Stop {
    Interrupted,
    Failed {
        code: &'static str,
        text: String,
    },
    /// A limit is reached, for so long.
    Limited(Duration),
    Crashed(Crash),
    /// The provider cannot be reached.
    Broken(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// A turn in progress.
pub(super) struct Turn<'a> {
    link: &'a mut Link,
    id: TurnId,
    /// Counts the model's steps: one more after each tool.
    step: u32,
    /// Counts tool calls and asks, to tell them apart.
    asked: u32,
    steps: VecDeque<Step>,
    steered: VecDeque<Message>,
    /// What earlier turns left running on purpose: an interrupt leaves it alone.
    spared: Vec<u32>,
}

/// A tool call that is not answered yet.
struct Call {
    name: String,
    /// The item that will hold its result; deltas of its output carry the same id.
    result: ItemId,
    started: Instant,
}

/// What can happen while a command runs.
enum Event {
    Request(Input),
    Printed(usize),
    Ended(Option<WaitStatus>),
}

impl<'a> Turn<'a> {
    pub(super) fn new(link: &'a mut Link, id: TurnId, steps: Vec<Step>) -> Self {
        let spared = children(std::process::id());
        Self { link, id, step: 0, asked: 0, steps: steps.into(), steered: VecDeque::new(), spared }
    }

    pub(super) async fn run(mut self) -> Result<(), Stop> {
        loop {
            self.look().await?;
            self.take_up_steered().await?;
            let Some(step) = self.steps.pop_front() else { return Ok(()) };
            self.perform(step).await?;
        }
    }

    async fn perform(&mut self, step: Step) -> Result<(), Stop> {
        match step {
            Step::Say(text) => self.item(Draft::text(Kind::AssistantText, text)).await,
            Step::Stream { delay, text } => self.stream(delay, text).await,
            Step::Think(text) => self.item(Draft::text(Kind::Thinking, text)).await,
            Step::Tool { name, input } => self.tool(name, input).await,
            Step::Shell(command) => self.shell(command).await,
            Step::Ask(text) => self.ask(vec![text]).await,
            Step::Asks(texts) => self.ask(texts).await,
            Step::Wait(duration) => self.pause(duration).await,
            Step::Fail(text) => Err(Stop::Failed { code: SCRIPTED_FAILURE, text }),
            Step::Limit(duration) => Err(Stop::Limited(duration)),
            Step::Hang => loop {
                self.answer().await?;
            },
            Step::Crash(crash) => Err(Stop::Crashed(crash)),
            Step::Spew(bytes) => self.spew(bytes).await,
            Step::Usage { input, output } => {
                let usage = Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
                self.item(Draft { kind: Kind::Usage(usage), text: None, extra: None }).await
            }
            Step::Garbage => Ok(self.link.send_bytes(b"\xff\xfe{ this is not the protocol\n").await?),
            Step::BigLine(bytes) => self.big_line(bytes).await,
        }
    }

    async fn stream(&mut self, delay: Duration, text: String) -> Result<(), Stop> {
        let id = item_id()?;
        for word in text.split_inclusive(' ') {
            self.delta(id, DeltaKind::AssistantText, word.to_owned()).await?;
            self.pause(delay).await?;
        }
        self.item_with(id, Draft::text(Kind::AssistantText, text)).await
    }

    async fn spew(&mut self, bytes: usize) -> Result<(), Stop> {
        let id = item_id()?;
        let text: String = FILLER.chars().cycle().take(bytes).collect();
        for piece in text.as_bytes().chunks(4096) {
            self.delta(id, DeltaKind::AssistantText, String::from_utf8_lossy(piece).into_owned()).await?;
            self.look().await?;
        }
        self.item_with(id, Draft::text(Kind::AssistantText, text)).await
    }

    async fn big_line(&mut self, bytes: usize) -> Result<(), Stop> {
        let piece = vec![b'x'; 64 * 1024];
        let mut left = bytes;
        while left > 0 {
            let count = left.min(piece.len());
            self.link.send_bytes(&piece[..count]).await?;
            left -= count;
        }
        Ok(self.link.send_bytes(b"\n").await?)
    }

    /// Puts questions, all at once, and waits until each is answered.
    async fn ask(&mut self, texts: Vec<String>) -> Result<(), Stop> {
        let mut open = HashMap::new();
        for text in texts {
            let request = permission::Request {
                call: self.next_name(),
                tool: "ask".to_owned(),
                input: Value::Null,
                power: Power::Read,
                shape: Shape::Question { text: text.clone() },
            };
            open.insert(request.call.clone(), text);
            self.link.send(Output::Ask(request)).await?;
        }
        while !open.is_empty() {
            let Input::Permission { call, decision } = self.answer().await? else { continue };
            let Some(text) = open.remove(&call) else { continue };
            match decision {
                Answer::Deny { message } => {
                    let reason = if message.is_empty() { String::new() } else { format!(" ({message})") };
                    let kind = Kind::Notice { code: "permission_denied".to_owned() };
                    self.item(Draft::text(kind, format!("Denied: {text}{reason}"))).await?;
                }
                Answer::Allow { message: Some(answer), .. } => {
                    let kind = Kind::Notice { code: "question_answered".to_owned() };
                    self.item(Draft::text(kind, format!("Answered: {text} ({answer})"))).await?;
                }
                Answer::Allow { message: None, .. } => {}
            }
        }
        Ok(())
    }

    async fn request_permission(&mut self, request: permission::Request) -> Result<Answer, Stop> {
        let call = request.call.clone();
        self.link.send(Output::Ask(request)).await?;
        loop {
            match self.answer().await? {
                Input::Permission { call: of, decision } if of == call => return Ok(decision),
                _ => {}
            }
        }
    }

    async fn tool(&mut self, name: String, input: Value) -> Result<(), Stop> {
        let call = self.begin_call(&name, ToolClass::Other, name.clone(), &input).await?;
        match self.request_tool(&call, name, input).await {
            Ok((outcome, text)) => self.end_call(call, outcome, None, text).await,
            Err(stop) => self.abandon_call(call, String::new(), stop).await,
        }
    }

    async fn shell(&mut self, command: String) -> Result<(), Stop> {
        let input = json!({ "command": command });
        let title = command.lines().next().unwrap_or_default().to_owned();
        let mut call = self.begin_call("shell", ToolClass::Execute, title, &input).await?;
        let request = permission::Request {
            call: call.name.clone(),
            tool: "shell".to_owned(),
            input,
            power: Power::Shell,
            shape: Shape::Command { command: command.clone() },
        };
        match self.request_permission(request).await {
            Ok(Answer::Allow { .. }) => {}
            Ok(Answer::Deny { message }) => {
                return self.end_call(call, ToolOutcome::Denied, None, message).await;
            }
            Err(stop) => return self.abandon_call(call, String::new(), stop).await,
        }
        call.started = Instant::now();
        let mut shell = match Shell::start(&command) {
            Ok(shell) => shell,
            Err(error) => return self.end_call(call, ToolOutcome::Error, None, format!("sh: {error}")).await,
        };
        let mut transcript = Transcript::default();
        let end = self.watch(&mut shell, call.result, &mut transcript).await;
        let leftover = transcript.push(&shell.leftover());
        self.delta(call.result, DeltaKind::ToolOutput, leftover).await?;
        let text = transcript.finish();
        let code = match end {
            Ok(status) => status.and_then(exit_code),
            Err(stop) => return self.abandon_call(call, text, stop).await,
        };
        let outcome = if code == Some(0) { ToolOutcome::Ok } else { ToolOutcome::Error };
        self.end_call(call, outcome, code, text).await
    }

    /// Streams what the command prints until it ends.
    async fn watch(
        &mut self,
        shell: &mut Shell,
        id: ItemId,
        transcript: &mut Transcript,
    ) -> Result<Option<WaitStatus>, Stop> {
        let mut buffer = [0; 8192];
        let mut open = true;
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
            };
            match event {
                Event::Request(input) => drop(self.accept(input)?),
                Event::Printed(0) => open = false,
                Event::Printed(count) => {
                    let text = transcript.push(&buffer[..count]);
                    self.delta(id, DeltaKind::ToolOutput, text).await?;
                }
                Event::Ended(status) => return Ok(status),
            }
        }
    }

    /// Asks the daemon to run a tool and waits for its answer.
    async fn request_tool(
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

    async fn begin_call(
        &mut self,
        tool: &str,
        class: ToolClass,
        title: String,
        input: &Value,
    ) -> Result<Call, Stop> {
        let call = Call { name: self.next_name(), result: item_id()?, started: Instant::now() };
        let extra = ToolCallExtra { title, locations: Vec::new() };
        let extra = serde_json::to_string(&extra).map_err(io::Error::from)?;
        let kind = Kind::ToolCall { call: call.name.clone(), name: tool.to_owned(), class };
        self.item(Draft { kind, text: Some(input.to_string()), extra: Some(extra) }).await?;
        Ok(call)
    }

    async fn end_call(
        &mut self,
        call: Call,
        outcome: ToolOutcome,
        exit_code: Option<i32>,
        text: String,
    ) -> Result<(), Stop> {
        let duration_ms = u64::try_from(call.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let kind = Kind::ToolResult { call: call.name, outcome, exit_code, duration_ms };
        self.item_with(call.result, Draft::text(kind, text)).await?;
        self.step += 1;
        Ok(())
    }

    /// Leaves no call open behind an interrupt.
    async fn abandon_call(&mut self, call: Call, text: String, stop: Stop) -> Result<(), Stop> {
        if matches!(stop, Stop::Interrupted) {
            self.end_call(call, ToolOutcome::Interrupted, None, text).await?;
        }
        Err(stop)
    }

    async fn item(&mut self, draft: Draft) -> Result<(), Stop> {
        self.item_with(item_id()?, draft).await
    }

    async fn item_with(&mut self, id: ItemId, draft: Draft) -> Result<(), Stop> {
        Ok(self.link.send(Output::Item { id, step: self.step, parent: None, draft }).await?)
    }

    async fn delta(&mut self, item: ItemId, kind: DeltaKind, text: String) -> Result<(), Stop> {
        if text.is_empty() {
            return Ok(());
        }
        Ok(self.link.send(Output::Delta { item, kind, text }).await?)
    }

    /// Takes in what has come, without waiting.
    async fn look(&mut self) -> Result<(), Stop> {
        loop {
            let input = tokio::select! {
                biased;
                input = self.link.requests.next_or_never() => input?,
                () = tokio::task::yield_now() => return Ok(()),
            };
            self.accept(input)?;
        }
    }

    async fn pause(&mut self, duration: Duration) -> Result<(), Stop> {
        let deadline = tokio::time::Instant::now() + duration;
        while let Ok(answer) = tokio::time::timeout_at(deadline, self.answer()).await {
            answer?;
        }
        Ok(())
    }

    /// Waits for a request that answers one of ours.
    async fn answer(&mut self) -> Result<Input, Stop> {
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
            // A second turn is never confirmed, so whoever sent it knows that it did not start.
            Input::Turn { .. } => Ok(None),
            Input::Permission { .. } | Input::ToolResult { .. } => Ok(Some(input)),
        }
    }

    async fn take_up_steered(&mut self) -> Result<(), Stop> {
        while let Some(message) = self.steered.pop_front() {
            self.link.send(Output::Steered { delivery: message.delivery }).await?;
            let steps = respond(&message)
                .map_err(|malformed| Stop::Failed { code: SCRIPT_ERROR, text: malformed.to_string() })?;
            self.steps.extend(steps);
        }
        Ok(())
    }

    /// Returns a name for a call or an ask that no other turn uses.
    fn next_name(&mut self) -> String {
        self.asked += 1;
        format!("{}-{}", self.id, self.asked)
    }
}

fn exit_code(status: WaitStatus) -> Option<i32> {
    status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal))
}
