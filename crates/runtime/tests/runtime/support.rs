//! What the tests share: a stand-in for our binary, a witness of processes, a session to talk to.

use std::path::{Path, PathBuf};
use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, SessionId, TurnId};
use paseo_core::item::{Draft, Kind, ToolOutcome};
use paseo_core::permission::{Mode, Power};
use paseo_core::time::Timestamp;
use paseo_runtime::process::Program;
use paseo_runtime::process_table::{HOME_VARIABLE, SESSION_VARIABLE};
use paseo_runtime::provider::{Answer, Exit, Harness, Input, Launch, Message, Output, Provider, TurnEnd};
use paseo_runtime::scripted::Scripted;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::unix::pipe;

/// No test waits for this long unless it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Returns the stand-in, which `cargo test` builds beside the tests.
pub(crate) fn executable() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples/stand_in");
    assert!(path.exists(), "build the examples first: {}", path.display());
    path
}

/// Fails the test when the future takes too long.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("something that should happen did not")
}

/// A home with one session.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
    pub(crate) session: SessionId,
}

impl Place {
    pub(crate) fn new() -> Self {
        let mut random = [0; 16];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty()).unwrap();
        Self { directory: TempDir::new().unwrap(), session: SessionId::from_random(random) }
    }

    pub(crate) fn home(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        vec![
            (HOME_VARIABLE.to_owned(), self.home().to_str().unwrap().to_owned()),
            (SESSION_VARIABLE.to_owned(), self.session.to_string()),
        ]
    }

    pub(crate) fn shell(&self, script: &str) -> Program {
        Program {
            shim: executable(),
            program: "sh".into(),
            arguments: vec!["-c".into(), script.into()],
            directory: self.home().to_owned(),
            session: self.session,
            environment: self.environment(),
            removed: Vec::new(),
        }
    }

    /// Makes a pipe with a name: it ends when the last process that opened it is gone.
    pub(crate) fn witness(&self) -> Witness {
        let path = self.home().join("witness");
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, 0o600.into(), 0).unwrap();
        Witness(BufReader::new(pipe::OpenOptions::new().open_receiver(path).unwrap()))
    }
}

/// Tells when processes are there, and when they are all gone.
pub(crate) struct Witness(BufReader<pipe::Receiver>);

impl Witness {
    /// Waits for a process to write a line.
    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        within(self.0.read_line(&mut line)).await.unwrap();
        line.trim_end().to_owned()
    }

    /// Waits until nobody who could write is left.
    pub(crate) async fn gone(&mut self) {
        within(self.0.read_to_end(&mut Vec::new())).await.unwrap();
    }
}

/// A running scripted session.
pub(crate) struct Session {
    pub(crate) place: Place,
    pub(crate) harness: Harness,
    turns: u8,
}

/// What one turn brought.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) outputs: Vec<Output>,
    pub(crate) end: TurnEnd,
}

impl Session {
    pub(crate) async fn start() -> Self {
        Self::start_with(Place::new(), None, 0).await
    }

    pub(crate) async fn start_with(place: Place, model: Option<&str>, turns: u64) -> Self {
        let launch = Launch {
            session: place.session,
            directory: place.home().to_owned(),
            model: model.map(str::to_owned),
            effort: None,
            permissions: Mode::Full,
            withheld: Vec::new(),
            guarded: false,
            terminal: None,
            prompt: String::new(),
            servers: Vec::new(),
            tools: Vec::new(),
            chain: Vec::new(),
            remote: None,
            past: Vec::new(),
            resume: None,
            turns,
            executable: executable(),
            environment: place.environment(),
            removed: Vec::new(),
            patience: Duration::from_secs(60),
        };
        let mut harness = Scripted.start(launch).await.unwrap();
        let first = within(harness.output.recv()).await;
        assert_eq!(first, Some(Output::Reference(place.session.to_string())));
        Self { place, harness, turns: 0 }
    }

    pub(crate) async fn send(&self, input: Input) {
        within(self.harness.input.send(input)).await.unwrap();
    }

    /// Starts a turn and waits until the agent has it.
    pub(crate) async fn begin(&mut self, messages: Vec<Message>) -> TurnId {
        self.turns += 1;
        let turn = TurnId::from_parts(Timestamp::from_millis(1), [self.turns; 10]);
        self.send(Input::Turn { turn, messages }).await;
        assert_eq!(self.next().await, Output::Handed { turn });
        turn
    }

    /// Returns the next output. Shell steps are allowed on the way.
    pub(crate) async fn next(&mut self) -> Output {
        let output = within(self.harness.output.recv()).await.expect("the harness went silent");
        if let Output::Ask(request) = &output
            && request.power == Power::Shell
        {
            let (call, input) = (request.call.clone(), request.input.clone());
            self.send(Input::Permission { call, decision: Answer::Allow { input, message: None } }).await;
        }
        output
    }

    /// Reads to the end of the turn.
    pub(crate) async fn finish(&mut self) -> Outcome {
        let mut outputs = Vec::new();
        loop {
            match self.next().await {
                Output::TurnEnded { end, .. } => return Outcome { outputs, end },
                output => outputs.push(output),
            }
        }
    }

    pub(crate) async fn run(&mut self, text: &str) -> Outcome {
        self.begin(vec![human(text)]).await;
        self.finish().await
    }

    /// Reads to the end of the process.
    pub(crate) async fn exit(&mut self) -> Exit {
        loop {
            match self.next().await {
                Output::Exited(exit) => {
                    assert_eq!(within(self.harness.output.recv()).await, None);
                    return exit;
                }
                _ => continue,
            }
        }
    }
}

impl Outcome {
    /// Returns the items, without their ids.
    pub(crate) fn items(&self) -> Vec<(u32, &Draft)> {
        self.outputs
            .iter()
            .filter_map(|output| match output {
                Output::Item { step, draft, .. } => Some((*step, draft)),
                _ => None,
            })
            .collect()
    }

    /// Returns the items of one kind, as text.
    pub(crate) fn texts(&self, word: &str) -> Vec<&str> {
        let items = self.items().into_iter().filter(|(_, draft)| draft.kind.word() == word);
        items.map(|(_, draft)| draft.text.as_deref().unwrap_or_default()).collect()
    }

    /// Returns the tool results.
    pub(crate) fn results(&self) -> Vec<(ToolOutcome, Option<i32>, &str)> {
        self.items()
            .into_iter()
            .filter_map(|(_, draft)| match &draft.kind {
                Kind::ToolResult { outcome, exit_code, .. } => {
                    Some((*outcome, *exit_code, draft.text.as_deref().unwrap_or_default()))
                }
                _ => None,
            })
            .collect()
    }
}

pub(crate) fn human(text: &str) -> Message {
    message(Actor::Human("test".into()), text)
}

pub(crate) fn message(origin: Actor, text: &str) -> Message {
    let delivery = DeliveryId::from_parts(Timestamp::from_millis(1), [text.len() as u8; 10]);
    Message { attachments: Vec::new(), delivery, origin, text: text.to_owned() }
}
