//! The real harnesses as workers: in terminals of our own tmux server, driven as the daemon drives them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use paseo_core::id::TurnId;
use paseo_core::item::Kind;
use paseo_core::permission::Mode;
use paseo_core::time::Timestamp;
use paseo_runtime::claude::Claude;
use paseo_runtime::codex::Codex;
use paseo_runtime::pi::Pi;
use paseo_runtime::provider::{
    Harness, Input, Launch, Options, Output, Provider, Terminal, TurnEnd, Underway,
};
use paseo_runtime::terminal::socket;
use paseo_runtime::terminal::tmux::{Session, Tmux};
use paseo_testkit::model::ModelServer;
use paseo_testkit::real::{Program, Real};

use crate::support::{Place, executable, human};
use crate::tmux::end_server;

pub(crate) const NAME: &str = "worker-1";

/// A worker on a slow machine has to start first.
const PATIENCE: Duration = Duration::from_secs(60);

/// A place where a worker can live.
pub(crate) struct Workshop {
    program: Program,
    pub(crate) real: Real,
    pub(crate) place: Place,
    pub(crate) tmux: Arc<Tmux>,
    pub(crate) model: ModelServer,
}

impl Workshop {
    pub(crate) fn new(program: Program) -> Option<Self> {
        let model = ModelServer::start();
        let real = program.with(&model)?;
        let place = Place::new();
        let tmux = Tmux::at(&socket(place.home()));
        Some(Self { program, real, place, tmux, model })
    }

    fn provider(&self) -> Box<dyn Provider> {
        let options = Options {
            program: Some(self.real.program().to_owned()),
            isolated_home: Some(self.real.config()),
        };
        match self.program {
            Program::Claude => Box::new(Claude::new(options)),
            Program::Codex => Box::new(Codex::new(options)),
            _ => Box::new(Pi::new(options)),
        }
    }

    pub(crate) fn launch(&self) -> Launch {
        let mut environment = self.place.environment();
        environment.push(("HOME".to_owned(), self.place.home().display().to_string()));
        environment
            .extend(self.real.environment().iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        let terminal = Terminal {
            socket: socket(self.place.home()),
            name: NAME.to_owned(),
            underway: None,
            known: std::collections::HashSet::new(),
            attach: false,
        };
        Launch {
            session: self.place.session,
            directory: self.place.home().to_owned(),
            model: (self.program == Program::Claude).then(|| "claude-sonnet-4-5".to_owned()),
            effort: None,
            permissions: Mode::Full,
            withheld: Vec::new(),
            guarded: false,
            terminal: Some(terminal),
            prompt: "Be kind.".into(),
            servers: Vec::new(),
            tools: Vec::new(),
            chain: Vec::new(),
            remote: None,
            past: Vec::new(),
            resume: None,
            turns: 0,
            executable: executable(),
            environment,
            removed: Vec::new(),
            patience: Duration::from_secs(60),
        }
    }

    /// Starts it, or goes to the one that is there.
    pub(crate) async fn start(&self, mut launch: Launch) -> Worker {
        let found = self.tmux.find(NAME).await.unwrap();
        if let Some(terminal) = &mut launch.terminal {
            let is_there = |found: Session| found.exit().is_none() || terminal.underway.is_some();
            terminal.attach = found.is_some_and(is_there);
        }
        let harness = self.provider().start(launch).await.unwrap();
        Worker { harness, heard: Vec::new() }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        end_server(self.place.home());
    }
}

pub(crate) struct Worker {
    harness: Harness,
    pub(crate) heard: Vec<Output>,
}

pub(crate) fn turn(number: u8) -> TurnId {
    TurnId::from_parts(Timestamp::from_millis(1), [number; 10])
}

impl Worker {
    pub(crate) async fn say(&self, number: u8, text: &str) {
        let input = Input::Turn { turn: turn(number), messages: vec![human(text)] };
        self.harness.input.send(input).await.unwrap();
    }

    pub(crate) async fn steer(&self, text: &str) {
        self.harness.input.send(Input::Steer { message: human(text) }).await.unwrap();
    }

    pub(crate) async fn until(&mut self, what: &str, is: impl Fn(&Output) -> bool) -> Output {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.harness.output.recv()).await;
            let output = next.unwrap_or_else(|_| panic!("{what} did not happen: {:#?}", self.heard));
            let output = output.unwrap_or_else(|| panic!("it went silent before {what}: {:#?}", self.heard));
            self.heard.push(output.clone());
            if is(&output) {
                return output;
            }
        }
    }

    pub(crate) async fn until_handed(&mut self, number: u8) {
        self.until("the hand-over", |output| *output == Output::Handed { turn: turn(number) }).await;
    }

    pub(crate) async fn until_ended(&mut self) -> (TurnId, TurnEnd) {
        let ended =
            self.until("the end of the turn", |output| matches!(output, Output::TurnEnded { .. })).await;
        let Output::TurnEnded { turn, end } = ended else { unreachable!() };
        (turn, end)
    }

    fn reference(&self) -> String {
        let found = self.heard.iter().rev().find_map(|output| match output {
            Output::Reference(id) => Some(id.clone()),
            _ => None,
        });
        found.expect("a reference")
    }

    pub(crate) fn said(&self) -> Vec<String> {
        let texts = self.heard.iter().filter_map(|output| match output {
            Output::Item { draft, .. } if draft.kind == Kind::AssistantText => draft.text.clone(),
            _ => None,
        });
        texts.collect()
    }
}

async fn works(program: Program) {
    let Some(workshop) = Workshop::new(program) else { return };
    let mut worker = workshop.start(workshop.launch()).await;

    worker
        .say(1, "go #{pane_id} ; \u{1b}[201~ $(touch no)\u{3} é漢字\n\n<<bash echo hi>>\n<<say finished>>")
        .await;
    worker.until_handed(1).await;
    assert_eq!(worker.until_ended().await, (turn(1), TurnEnd::Completed));
    assert!(worker.said()[0].starts_with("finished"), "{:#?}", worker.heard);
    assert!(!workshop.place.home().join("no").exists());

    let began = Instant::now();
    worker.say(2, "next <<say quick>>").await;
    worker.until_handed(2).await;
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(worker.until_ended().await, (turn(2), TurnEnd::Completed));

    // A person takes over.
    workshop.tmux.paste(NAME, "by hand <<say seen>>").await.unwrap();
    let shown = || async { workshop.tmux.capture(NAME, 40).await.unwrap().text.contains("by hand") };
    while !shown().await {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    workshop.tmux.press(NAME, &["Enter"]).await.unwrap();
    let typed = worker.until("what was typed", |output| matches!(output, Output::Typed { .. })).await;
    assert!(matches!(typed, Output::Typed { text, .. } if text == "by hand <<say seen>>"));
    assert_eq!(worker.until_ended().await.1, TurnEnd::Completed);

    // It is stopped.
    worker.say(3, "wait <<bash touch began; tail -f /dev/null>> <<say never>>").await;
    worker.until_handed(3).await;
    while !workshop.place.home().join("began").exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    worker.harness.input.send(Input::Interrupt).await.unwrap();
    assert_eq!(worker.until_ended().await, (turn(3), TurnEnd::Interrupted));

    // What was stopped before it was answered comes back into the line, with some; it must not come along with the next.
    worker.say(5, "silent\n<<hang>>\nreally").await;
    worker.until_handed(5).await;
    worker.harness.input.send(Input::Interrupt).await.unwrap();
    assert_eq!(worker.until_ended().await, (turn(5), TurnEnd::Interrupted));
    worker.say(6, "after that <<say clean>>").await;
    assert_eq!(worker.until_ended().await, (turn(6), TurnEnd::Completed));
    assert!(worker.said().last().unwrap().starts_with("clean"), "{:?}", worker.said());

    // Whoever watched goes, and comes back in the middle of a turn: nothing is told twice.
    worker.say(4, "long <<bash sleep 1; echo x>> <<say over>>").await;
    worker.until_handed(4).await;
    let known = worker.heard.iter().filter_map(|output| match output {
        Output::Item { id, .. } => Some(*id),
        _ => None,
    });
    let mut launch = Launch { resume: Some(worker.reference()), ..workshop.launch() };
    if let Some(terminal) = &mut launch.terminal {
        terminal.known = known.collect();
        terminal.underway = Some(Underway { turn: turn(4), handed: true });
    }
    drop(worker);
    let mut worker = workshop.start(launch).await;
    assert_eq!(worker.until_ended().await, (turn(4), TurnEnd::Completed));
    assert_eq!(worker.said().len(), 1, "{:#?}", worker.heard);
    assert!(worker.said()[0].starts_with("over"));

    assert!(!worker.heard.iter().any(|output| matches!(output, Output::Reference(_))), "it was known");
    worker.harness.control.stop();
    worker.until("its end", |output| matches!(output, Output::Exited(_))).await;
}

async fn is_continued(program: Program) {
    let Some(workshop) = Workshop::new(program) else { return };
    let mut worker = workshop.start(workshop.launch()).await;
    worker.say(1, "first <<say one>>").await;
    assert_eq!(worker.until_ended().await, (turn(1), TurnEnd::Completed));
    let reference = worker.reference();
    worker.harness.control.stop();
    worker.until("its end", |output| matches!(output, Output::Exited(_))).await;
    let mut worker = workshop.start(Launch { resume: Some(reference), ..workshop.launch() }).await;
    worker.say(2, "second <<say two>>").await;
    assert_eq!(worker.until_ended().await, (turn(2), TurnEnd::Completed));
    assert_eq!(worker.said().len(), 1, "{:#?}", worker.heard);
    assert!(worker.said()[0].starts_with("two [turns=2"), "{:?}", worker.said());
}

#[tokio::test]
async fn claude_works_in_a_terminal() {
    works(Program::Claude).await;
    is_continued(Program::Claude).await;
}

#[tokio::test]
async fn codex_works_in_a_terminal() {
    works(Program::Codex).await;
    is_continued(Program::Codex).await;
}

#[tokio::test]
async fn pi_works_in_a_terminal() {
    works(Program::Pi).await;
    is_continued(Program::Pi).await;
}
