//! Running the steps of one turn.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use paseo_core::id::TurnId;
use paseo_core::item::{Draft, Kind, ToolCallExtra, ToolClass, ToolOutcome, Usage};
use paseo_core::permission::{self, Form, Power, Shape};
use serde_json::{Value, json};

use super::plan::respond;
use super::script::{Crash, Step};
use crate::elicitation::{self, Asked};
use crate::fresh::item_id;
use crate::own_agent::{self as desk, Call, Desk, Link, Ran};
use crate::provider::{Answer, DeltaKind, Input, Output};
use crate::{questions, slash};

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

impl From<desk::Stop> for Stop {
    fn from(stop: desk::Stop) -> Self {
        match stop {
            desk::Stop::Interrupted => Self::Interrupted,
            desk::Stop::Broken(error) => Self::Broken(error),
        }
    }
}

/// A turn in progress.
pub(super) struct Turn<'a> {
    desk: Desk<'a>,
    steps: VecDeque<Step>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(link: &'a mut Link, id: TurnId, steps: Vec<Step>) -> Self {
        Self { desk: Desk::new(link, id), steps: steps.into() }
    }

    pub(super) async fn run(mut self) -> Result<(), Stop> {
        loop {
            self.desk.look().await?;
            self.take_up_steered().await?;
            let Some(step) = self.steps.pop_front() else { return Ok(()) };
            self.perform(step).await?;
        }
    }

    async fn perform(&mut self, step: Step) -> Result<(), Stop> {
        match step {
            Step::Say(text) => Ok(self.desk.item(Draft::text(Kind::AssistantText, text)).await?),
            Step::Stream { delay, text } => self.stream(delay, text).await,
            Step::Think(text) => Ok(self.desk.item(Draft::text(Kind::Thinking, text)).await?),
            Step::Tool { name, input } => self.tool(name, input).await,
            Step::Shell(command) => self.shell(command).await,
            Step::Ask(text) => self.ask(vec![(text, None)]).await,
            Step::Asks(texts) => self.ask(texts.into_iter().map(|text| (text, None)).collect()).await,
            Step::Choose(questions) => {
                let text = questions::words(&questions);
                self.ask(vec![(text, Some(Form::Questions { questions }))]).await
            }
            Step::Form(schema) => {
                let message = schema["title"].as_str().unwrap_or("Fill this in.");
                let (text, form) = match elicitation::read("form", &schema, "", &[]) {
                    Asked::Form(form) => {
                        (elicitation::words("The scripted agent", message, &form), Some(form))
                    }
                    Asked::Unsupported => (message.to_owned(), None),
                };
                self.ask(vec![(text, form)]).await
            }
            Step::Link(url) => {
                let form = Form::Link { url };
                let text = elicitation::words("The scripted agent", "Visit this page.", &form);
                self.ask(vec![(text, Some(form))]).await
            }
            Step::Plan(text) => {
                let form = Form::Plan { text: text.clone(), advance: false };
                self.ask(vec![(text, Some(form))]).await
            }
            Step::Offer(commands) => Ok(self.desk.offer(slash::offered(commands)).await?),
            Step::Wait(duration) => Ok(self.desk.pause(duration).await?),
            Step::Fail(text) => Err(Stop::Failed { code: SCRIPTED_FAILURE, text }),
            Step::Limit(duration) => Err(Stop::Limited(duration)),
            Step::Hang => loop {
                self.desk.answer().await?;
            },
            Step::Crash(crash) => Err(Stop::Crashed(crash)),
            Step::Spew(bytes) => self.spew(bytes).await,
            Step::Usage { input, output } => {
                let usage = Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
                Ok(self.desk.item(Draft { kind: Kind::Usage(usage), text: None, extra: None }).await?)
            }
            Step::Garbage => Ok(self.desk.link.send_bytes(b"\xff\xfe{ this is not the protocol\n").await?),
            Step::BigLine(bytes) => self.big_line(bytes).await,
        }
    }

    async fn stream(&mut self, delay: Duration, text: String) -> Result<(), Stop> {
        let id = item_id()?;
        for word in text.split_inclusive(' ') {
            self.desk.delta(id, DeltaKind::AssistantText, word.to_owned()).await?;
            self.desk.pause(delay).await?;
        }
        Ok(self.desk.item_with(id, Draft::text(Kind::AssistantText, text)).await?)
    }

    async fn spew(&mut self, bytes: usize) -> Result<(), Stop> {
        let id = item_id()?;
        let text: String = FILLER.chars().cycle().take(bytes).collect();
        for piece in text.as_bytes().chunks(4096) {
            self.desk
                .delta(id, DeltaKind::AssistantText, String::from_utf8_lossy(piece).into_owned())
                .await?;
            self.desk.look().await?;
        }
        Ok(self.desk.item_with(id, Draft::text(Kind::AssistantText, text)).await?)
    }

    async fn big_line(&mut self, bytes: usize) -> Result<(), Stop> {
        let piece = vec![b'x'; 64 * 1024];
        let mut left = bytes;
        while left > 0 {
            let count = left.min(piece.len());
            self.desk.link.send_bytes(&piece[..count]).await?;
            left -= count;
        }
        Ok(self.desk.link.send_bytes(b"\n").await?)
    }

    /// Puts questions, all at once, and waits until each is answered.
    async fn ask(&mut self, asked: Vec<(String, Option<Form>)>) -> Result<(), Stop> {
        let mut open = HashMap::new();
        for (text, form) in asked {
            let request = permission::Request {
                call: self.desk.next_name(),
                tool: "ask".to_owned(),
                input: Value::Null,
                power: Power::Read,
                shape: Shape::Question { text: text.clone() },
                form: form.and_then(Form::checked),
            };
            open.insert(request.call.clone(), text);
            self.desk.link.send(Output::Ask(request)).await?;
        }
        while !open.is_empty() {
            let Input::Permission { call, decision } = self.desk.answer().await? else { continue };
            let Some(text) = open.remove(&call) else { continue };
            match decision {
                Answer::Deny { message } => {
                    let reason = if message.is_empty() { String::new() } else { format!(" ({message})") };
                    let kind = Kind::Notice { code: "permission_denied".to_owned() };
                    self.desk.item(Draft::text(kind, format!("Denied: {text}{reason}"))).await?;
                }
                Answer::Allow { message: Some(answer), .. } => {
                    let kind = Kind::Notice { code: "question_answered".to_owned() };
                    self.desk.item(Draft::text(kind, format!("Answered: {text} ({answer})"))).await?;
                }
                Answer::Choose { answers } => {
                    let kind = Kind::Notice { code: "question_answered".to_owned() };
                    let each: Vec<String> = answers.iter().map(|chosen| chosen.join(", ")).collect();
                    self.desk.item(Draft::text(kind, format!("Answered: {}", each.join("; ")))).await?;
                }
                Answer::Fill { content } => {
                    let kind = Kind::Notice { code: "question_answered".to_owned() };
                    self.desk.item(Draft::text(kind, format!("Answered: {}", Value::from(content)))).await?;
                }
                Answer::Cancel => {
                    let kind = Kind::Notice { code: "permission_denied".to_owned() };
                    self.desk.item(Draft::text(kind, format!("Cancelled: {text}"))).await?;
                }
                Answer::Allow { message: None, .. } => {}
            }
        }
        Ok(())
    }

    async fn tool(&mut self, name: String, input: Value) -> Result<(), Stop> {
        let call = self.begin_call(&name, ToolClass::Other, name.clone(), &input).await?;
        match self.desk.request_tool(&call, name, input).await {
            Ok((outcome, text)) => self.end_call(&call, outcome, None, text).await,
            Err(stop) => self.abandon_call(&call, String::new(), stop).await,
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
            form: None,
        };
        match self.desk.request_permission(request).await {
            Ok(Answer::Allow { .. }) => {}
            Ok(Answer::Choose { .. } | Answer::Fill { .. } | Answer::Cancel) => {
                return self
                    .end_call(&call, ToolOutcome::Denied, None, "Permission denied.".to_owned())
                    .await;
            }
            Ok(Answer::Deny { message }) => {
                return self.end_call(&call, ToolOutcome::Denied, None, message).await;
            }
            Err(stop) => return self.abandon_call(&call, String::new(), stop).await,
        }
        call.started = Instant::now();
        let Ran { text, exit_code, stop, .. } = match self.desk.run(&command, &call, None).await {
            Ok(ran) => ran,
            Err(error) => {
                return self.end_call(&call, ToolOutcome::Error, None, format!("sh: {error}")).await;
            }
        };
        if let Some(stop) = stop {
            return self.abandon_call(&call, text, stop).await;
        }
        let outcome = if exit_code == Some(0) { ToolOutcome::Ok } else { ToolOutcome::Error };
        self.end_call(&call, outcome, exit_code, text).await
    }

    async fn begin_call(
        &mut self,
        tool: &str,
        class: ToolClass,
        title: String,
        input: &Value,
    ) -> Result<Call, Stop> {
        let extra = ToolCallExtra { title, locations: Vec::new() };
        Ok(self.desk.begin_call(tool, class, extra, input).await?)
    }

    async fn end_call(
        &mut self,
        call: &Call,
        outcome: ToolOutcome,
        exit_code: Option<i32>,
        text: String,
    ) -> Result<(), Stop> {
        self.desk.end_call(call, outcome, exit_code, text, None).await?;
        self.desk.step += 1;
        Ok(())
    }

    /// Leaves no call open behind an interrupt.
    async fn abandon_call(&mut self, call: &Call, text: String, stop: desk::Stop) -> Result<(), Stop> {
        if matches!(stop, desk::Stop::Interrupted) {
            self.end_call(call, ToolOutcome::Interrupted, None, text).await?;
        }
        Err(stop.into())
    }

    async fn take_up_steered(&mut self) -> Result<(), Stop> {
        while let Some(message) = self.desk.take_up().await? {
            let steps = respond(&message)
                .map_err(|malformed| Stop::Failed { code: SCRIPT_ERROR, text: malformed.to_string() })?;
            self.steps.extend(steps);
        }
        Ok(())
    }
}
