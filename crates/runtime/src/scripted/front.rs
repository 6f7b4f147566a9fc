//! The scripted agent in a terminal: people see what it does and type what it shall do. The turns themselves are run by
//! the agent behind pipes, as ever.

use std::collections::VecDeque;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::id::DeliveryId;
use paseo_core::item::Kind;
use paseo_core::permission::{self, Shape};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetwinsize, tcsetattr};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::agent::Arguments;
use super::keys::{Keys, Typed};
use super::petition::{self, Leave};
use super::whose;
use crate::driver::unreadable;
use crate::fresh::{Ids, item_id, now};
use crate::lines::{Line, Lines};
use crate::own_agent::{Report, Request};
use crate::provider::{Answer, Input, Message, Output};

/// What stands before what is typed.
pub(super) const SIGN: &str = "scripted>";

/// What stands before a question to the person at the terminal.
pub(super) const QUESTION: &str = "? ";

/// How long the agent may take to end its turn, and then itself.
const GRACE: Duration = Duration::from_secs(2);

/// How much of the line is shown at least.
const SHOWN: usize = 60;

/// How the agent runs in a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Front {
    /// Where it writes its session down.
    pub record: PathBuf,
    /// Whether it needs permission for a command: the daemon's, or that of the person at the terminal.
    pub asks: bool,
}

/// A line of the session file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    Said(String),
    Report(Report),
}

/// Runs the agent in this terminal until it is told to exit.
pub(super) fn serve(arguments: Arguments, front: &Front) -> io::Result<ExitCode> {
    let mut modes = tcgetattr(io::stdin())?;
    modes.make_raw();
    modes.local_modes -= LocalModes::ISIG;
    tcsetattr(io::stdin(), OptionalActions::Now, &modes)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let code = runtime.block_on(async { Stage::set(arguments, front)?.play().await });
    // The thread that reads keys has no end of its own.
    runtime.shutdown_background();
    code
}

struct Stage {
    agent: Child,
    requests: ChildStdin,
    record: File,
    asks: bool,
    keys: Keys,
    ids: Ids,
    running: bool,
    leaving: bool,
    /// Requests without an answer yet.
    open: VecDeque<permission::Request>,
    /// What the daemon was asked answers here.
    heard: (mpsc::Sender<Heard>, mpsc::Receiver<Heard>),
}

/// What the daemon said.
enum Heard {
    /// To the agent.
    Word(Input),
    /// That a person decides.
    Ask(permission::Request),
}

impl Stage {
    #[allow(clippy::disallowed_methods)]
    fn set(arguments: Arguments, front: &Front) -> io::Result<Self> {
        let behind = Arguments { front: None, ..arguments };
        let mut command = Command::new(std::env::current_exe()?);
        command.args(behind.words()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut agent = command.kill_on_drop(true).spawn()?;
        let requests = agent.stdin.take().ok_or_else(|| io::Error::other("the agent has no stdin"))?;
        let (record, asks) = (open_record(&front.record)?, front.asks);
        let (keys, ids) = (Keys::default(), Ids::fresh()?);
        let (open, heard) = (VecDeque::new(), mpsc::channel(16));
        Ok(Self { agent, requests, record, asks, keys, ids, running: false, leaving: false, open, heard })
    }

    async fn play(mut self) -> io::Result<ExitCode> {
        let stdout = self.agent.stdout.take().ok_or_else(|| io::Error::other("the agent has no stdout"))?;
        let (mut reports, mut keyboard) = (Lines::new(stdout), keyboard());
        // Pastes come in brackets.
        show("\x1b[?2004h")?;
        self.prompt()?;
        loop {
            tokio::select! {
                line = reports.next() => match line? {
                    Some(line) => self.report(&line).await?,
                    None => break,
                },
                Some(heard) = self.heard.1.recv() => match heard {
                    Heard::Word(input) => self.tell(input).await?,
                    Heard::Ask(request) if self.running => {
                        self.open.push_back(request);
                        self.prompt()?;
                    }
                    Heard::Ask(_) => {}
                },
                bytes = keyboard.recv() => {
                    let Some(bytes) = bytes else { break };
                    if !self.typed(&bytes).await? {
                        break;
                    }
                }
            }
        }
        show("\x1b[?2004l\r\n")?;
        // A process that does not end in time is killed.
        timeout(GRACE, self.end_turn(&mut reports)).await.ok();
        drop(self.requests);
        let status = match timeout(GRACE, self.agent.wait()).await {
            Ok(status) => status?,
            Err(_) => {
                self.agent.start_kill()?;
                self.agent.wait().await?
            }
        };
        let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
        Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
    }

    /// Takes nothing any more, and shows so.
    fn leave(&mut self) -> io::Result<bool> {
        self.print("Leaving.")?;
        self.leaving = true;
        Ok(false)
    }

    /// Ends the turn that runs, and writes down how it ended.
    async fn end_turn(&mut self, reports: &mut Lines<ChildStdout>) -> io::Result<()> {
        if self.running {
            self.tell(Input::Interrupt).await?;
        }
        while self.running
            && let Some(line) = reports.next().await?
        {
            self.report(&line).await?;
        }
        Ok(())
    }

    /// Takes in what was typed. False when it was the last.
    async fn typed(&mut self, bytes: &[u8]) -> io::Result<bool> {
        if let Some(answer @ (b'y' | b'n')) = bytes.first()
            && let Some(request) = self.open.pop_front()
        {
            self.answered(request, *answer == b'y').await?;
            self.prompt()?;
            return Ok(true);
        }
        for typed in self.keys.feed(bytes) {
            match typed {
                Typed::End => return self.leave(),
                Typed::Line(line) if line.trim() == "/exit" => return self.leave(),
                Typed::Line(line) | Typed::Pasted(line) if line.trim().is_empty() => {}
                Typed::Line(line) | Typed::Pasted(line) => self.said(line).await?,
                Typed::Interrupt if self.running => self.tell(Input::Interrupt).await?,
                Typed::Interrupt => {}
            }
        }
        self.prompt()?;
        Ok(true)
    }

    async fn said(&mut self, text: String) -> io::Result<()> {
        self.print(&format!("{SIGN} {text}"))?;
        self.write(&Entry::Said(text.clone()))?;
        let mut messages = Vec::new();
        for (person, part) in whose::parts(&text) {
            let origin = if person { Actor::Human("terminal".to_owned()) } else { Actor::Daemon };
            let delivery = DeliveryId::from_parts(now(), self.ids.random());
            messages.push(Message { attachments: Vec::new(), delivery, origin, text: part.to_owned() });
        }
        if !self.running {
            self.running = true;
            let turn = self.ids.turn(now());
            return self.tell(Input::Turn { turn, messages }).await;
        }
        for message in messages {
            self.tell(Input::Steer { message }).await?;
        }
        Ok(())
    }

    async fn report(&mut self, line: &Line) -> io::Result<()> {
        let Ok(Report(output)) = serde_json::from_str(&line.text) else {
            for draft in unreadable(line, "scripted") {
                let output = Output::Item { id: item_id()?, step: 0, parent: None, draft };
                self.write(&Entry::Report(Report(output)))?;
            }
            return Ok(());
        };
        match &output {
            Output::Item { draft, .. } => {
                let text = draft.text.as_deref().unwrap_or_default();
                match &draft.kind {
                    Kind::AssistantText => self.print(text)?,
                    Kind::ToolCall { name, .. } => self.print(&format!("[tool_call] {name} {text}"))?,
                    kind => self.print(&format!("[{}] {text}", kind.word()))?,
                }
            }
            Output::TurnEnded { .. } => {
                self.running = false;
                self.open.clear();
            }
            // A question is one in any mode.
            Output::Ask(request) if matches!(request.shape, Shape::Question { .. }) => {
                self.open.push_back(request.clone());
            }
            Output::Ask(request) if !self.asks => {
                self.answer(request.call.clone(), request.input.clone(), true).await?;
            }
            Output::Ask(request) => {
                let request = request.clone();
                self.hear(async move {
                    match petition::leave(&request).await {
                        Leave::Ask => Heard::Ask(request),
                        Leave::Decided(decision) => {
                            Heard::Word(Input::Permission { call: request.call, decision })
                        }
                    }
                });
            }
            Output::ToolRequest { call, name, input } => {
                let (call, name, input) = (call.clone(), name.clone(), input.clone());
                self.hear(async move {
                    let (outcome, text) = petition::tool(&name, &input).await;
                    Heard::Word(Input::ToolResult { call, outcome, text })
                });
            }
            _ => {}
        }
        if matches!(output, Output::Item { .. } | Output::TurnEnded { .. } | Output::Reference(_)) {
            self.write(&Entry::Report(Report(output)))?;
        }
        self.prompt()
    }

    /// Asks the daemon something, while people go on typing.
    fn hear(&self, asked: impl Future<Output = Heard> + Send + 'static) {
        let heard = self.heard.0.clone();
        tokio::spawn(async move { heard.send(asked.await).await.ok() });
    }

    /// Takes in what whoever sits there answered. They may have taken their time: what was theirs to decide may be none by
    /// now.
    async fn answered(&mut self, request: permission::Request, yes: bool) -> io::Result<()> {
        if !yes || !self.asks || matches!(request.shape, Shape::Question { .. }) {
            return self.answer(request.call, request.input, yes).await;
        }
        self.hear(async move {
            let decision = match petition::leave(&request).await {
                Leave::Ask => Answer::Allow { input: request.input, message: None },
                Leave::Decided(decision) => decision,
            };
            Heard::Word(Input::Permission { call: request.call, decision })
        });
        Ok(())
    }

    async fn answer(&mut self, call: String, input: serde_json::Value, yes: bool) -> io::Result<()> {
        let decision = if yes {
            Answer::Allow { input, message: None }
        } else {
            Answer::Deny { message: "the person at the terminal denied it".to_owned() }
        };
        self.tell(Input::Permission { call, decision }).await
    }

    async fn tell(&mut self, input: Input) -> io::Result<()> {
        let mut line = serde_json::to_vec(&Request(input))?;
        line.push(b'\n');
        self.requests.write_all(&line).await
    }

    /// Writes a line of the session file, whole or not at all.
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.record.write_all(&line)
    }

    /// Shows a text above the line that is typed.
    fn print(&self, text: &str) -> io::Result<()> {
        let plain: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        show(&format!("\r\x1b[K{}\r\n", plain.replace('\n', "\r\n")))
    }

    fn prompt(&self) -> io::Result<()> {
        if self.leaving {
            return Ok(());
        }
        if let Some(request) = self.open.front() {
            let words = match &request.shape {
                Shape::Question { text } => text.clone(),
                _ => format!("Allow {}?", request.tool),
            };
            let shown: String = on_one_line(&words).into_iter().take(room()).collect();
            return show(&format!("\r\x1b[K{QUESTION}{shown} (y/n)"));
        }
        let text = on_one_line(&self.keys.text());
        let end: String = text[text.len().saturating_sub(room())..].iter().collect();
        show(&format!("\r\x1b[K{SIGN} {end}"))
    }
}

fn on_one_line(text: &str) -> Vec<char> {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Returns how many characters there is room for beside what stands before them.
fn room() -> usize {
    let width = tcgetwinsize(io::stdin()).map_or(0, |size| usize::from(size.ws_col));
    width.saturating_sub(SIGN.len() + 2).max(SHOWN)
}

fn open_record(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

/// Reads keys in a thread of its own: a terminal cannot be waited for otherwise.
fn keyboard() -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = io::stdin().lock().read(&mut buffer) {
            if sender.blocking_send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

fn show(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
