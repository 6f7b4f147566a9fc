//! The imperative shell of a provider that talks in lines: it carries lines and inputs to an [`Adapter`], and does
//! what that decides.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use paseo_core::item::{Draft, Kind};
use paseo_core::time::Timestamp;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use crate::files::{Access, Accessed};
use crate::lines::{Damage, Line};
use crate::process::{self, Process, ProcessOutput, Program};
use crate::provider::{Harness, Input, Output};
use crate::{commands, fresh, process_table};

/// How many inputs or outputs may wait.
const QUEUE: usize = 64;

/// No input is taken while this much waits for a program that does not read.
const UNWRITTEN: usize = 1024 * 1024;

/// The functional core of a provider: what lines and inputs mean. Does no I/O and knows no clock.
pub trait Adapter: Send + 'static {
    /// Returns what to do before anything was said.
    fn begin(&mut self, now: Timestamp) -> Vec<Action> {
        let _ = now;
        Vec::new()
    }

    /// Takes in a line of the program.
    fn line(&mut self, line: &Line, now: Timestamp) -> Vec<Action>;

    /// Takes in what the daemon wants.
    fn input(&mut self, input: Input, now: Timestamp) -> Vec<Action>;

    /// Takes in what came of [`Action::Access`].
    fn accessed(&mut self, accessed: Accessed, now: Timestamp) -> Vec<Action> {
        let _ = (accessed, now);
        Vec::new()
    }

    /// Is called once the time that [`Action::Wake`] named has passed.
    fn wake(&mut self, now: Timestamp) -> Vec<Action> {
        let _ = now;
        Vec::new()
    }
}

/// What an adapter decides to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Tells the daemon.
    Tell(Output),
    /// Writes a line to the program; the newline is added.
    Write(String),
    /// Calls [`Adapter::wake`] after this long. The newest wish counts.
    Wake(Duration),
    /// Notes the commands that run now: they belong to earlier turns.
    NoteCommands,
    /// Ends the commands that were started since, however far they got away. For a program that sets this
    /// variable in their environment and nowhere else.
    EndCommands { variable: &'static str },
    /// Reads or writes a file, and calls [`Adapter::accessed`] then.
    Access(Access),
    /// Ends the program, which is of no use any more: the next turn gets a new one.
    End,
}

/// Starts a program and connects it with its adapter.
pub fn start(program: Program, adapter: impl Adapter) -> io::Result<Harness> {
    let Process { shim, control, stdin, output: lines } = process::start(program)?;
    let (input, inputs) = mpsc::channel(QUEUE);
    let (outputs, output) = mpsc::channel(QUEUE);
    let driver = Driver {
        adapter,
        inputs,
        outputs,
        stdin: Some(stdin),
        unwritten: VecDeque::new(),
        shim,
        noted: Vec::new(),
        wake: None,
    };
    tokio::spawn(driver.run(lines));
    Ok(Harness { input, output, shim: Some(shim), control })
}

/// Returns a line that is not the protocol as what is stored of it.
pub fn unreadable(line: &Line, provider: &str) -> Vec<Draft> {
    let raw = Draft::text(Kind::Raw { provider: provider.to_owned() }, line.text.clone());
    let Some(Damage::TooLong { bytes }) = line.damage else { return vec![raw] };
    let text = format!("The agent wrote a line of {bytes} bytes; only the beginning was kept.");
    vec![Draft::text(Kind::Notice { code: "line_too_long".to_owned() }, text), raw]
}

struct Driver<A> {
    adapter: A,
    inputs: mpsc::Receiver<Input>,
    outputs: mpsc::Sender<Output>,
    /// `None` once the program does not read any more.
    stdin: Option<pipe::Sender>,
    unwritten: VecDeque<u8>,
    shim: u32,
    /// What ran when the turn began.
    noted: Vec<process_table::Process>,
    wake: Option<Instant>,
}

impl<A: Adapter> Driver<A> {
    async fn run(mut self, mut lines: ProcessOutput) {
        let first = self.adapter.begin(fresh::now());
        self.act(first).await;
        let mut listening = true;
        loop {
            // One task does all three: a program that waits for us to read must not keep us from reading by
            // not reading itself.
            let actions = tokio::select! {
                line = lines.next() => match line {
                    Some(line) => self.adapter.line(&line, fresh::now()),
                    None => break,
                },
                input = self.inputs.recv(), if listening && self.unwritten.len() < UNWRITTEN => match input {
                    Some(input) => self.adapter.input(input, fresh::now()),
                    None => {
                        listening = false;
                        continue;
                    }
                },
                () = at(self.wake), if self.wake.is_some() => {
                    self.wake = None;
                    self.adapter.wake(fresh::now())
                }
                written = write(self.stdin.as_mut(), &self.unwritten), if !self.unwritten.is_empty() => {
                    match written {
                        Ok(count @ 1..) => drop(self.unwritten.drain(..count)),
                        Ok(0) | Err(_) => {
                            self.stdin = None;
                            self.unwritten.clear();
                        }
                    }
                    continue;
                }
            };
            self.act(actions).await;
        }
        self.outputs.send(Output::Exited(lines.finish().await)).await.ok();
    }

    async fn act(&mut self, actions: Vec<Action>) {
        let mut actions = VecDeque::from(actions);
        while let Some(action) = actions.pop_front() {
            match action {
                // The receiver may be gone; the program still has to be watched to its end.
                Action::Tell(output) => drop(self.outputs.send(output).await),
                Action::Write(line) if self.stdin.is_some() => {
                    self.unwritten.extend(line.as_bytes());
                    self.unwritten.push_back(b'\n');
                }
                Action::Write(_) => {}
                Action::Wake(after) => self.wake = Some(Instant::now() + after),
                Action::NoteCommands => {
                    let shim = self.shim;
                    let noted = spawn_blocking(move || process_table::descendants(shim)).await;
                    self.noted = noted.unwrap_or_default();
                }
                Action::EndCommands { variable } => {
                    let (shim, noted) = (self.shim, self.noted.clone());
                    spawn_blocking(move || commands::end_new(shim, &noted, variable)).await.ok();
                }
                Action::Access(access) => {
                    if let Ok(accessed) = spawn_blocking(move || access.perform()).await {
                        actions.extend(self.adapter.accessed(accessed, fresh::now()));
                    }
                }
                Action::End => {
                    // A message from here on starts another one.
                    self.inputs.close();
                    self.stdin = None;
                    process::kill(self.shim);
                }
            }
        }
    }
}

async fn at(time: Option<Instant>) {
    if let Some(time) = time {
        sleep_until(time).await;
    }
}

/// Writes some of what waits. May be cancelled: then nothing was written.
async fn write(stdin: Option<&mut pipe::Sender>, unwritten: &VecDeque<u8>) -> io::Result<usize> {
    match stdin {
        Some(stdin) => stdin.write(unwritten.as_slices().0).await,
        None => Ok(0),
    }
}
