//! The scripted agent in a real terminal: typed to, watched, left alone and found again.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use paseo_core::id::{ItemId, TurnId};
use paseo_core::permission::{Mode, Request, Shape};
use paseo_core::time::Timestamp;
use paseo_runtime::process_table::{ancestors, mark};
use paseo_runtime::provider::{Harness, Input, Launch, Output, Provider, Terminal, TurnEnd, Underway};
use paseo_runtime::scripted::Scripted;
use paseo_runtime::terminal::socket;
use paseo_runtime::terminal::tmux::State;

use crate::support::{executable, human, within};
use crate::tmux::Server;

const NAME: &str = "worker-1";

fn turn(number: u8) -> TurnId {
    TurnId::from_parts(Timestamp::from_millis(1), [number; 10])
}

/// A worker, and what it told.
struct Worker {
    harness: Harness,
    known: HashSet<ItemId>,
}

/// What one turn brought.
#[derive(Debug, PartialEq)]
struct Heard {
    outputs: Vec<Output>,
    end: TurnEnd,
}

impl Heard {
    fn texts(&self) -> Vec<&str> {
        let items = self.outputs.iter().filter_map(|output| match output {
            Output::Item { draft, .. } => draft.text.as_deref(),
            _ => None,
        });
        items.collect()
    }
}

/// Says whether somebody is in the terminal, or was and has a turn left.
async fn is_there(server: &Server, underway: Option<Underway>) -> bool {
    let found = within(server.tmux.find(NAME)).await.unwrap();
    found.is_some_and(|found| found.exit().is_none() || underway.is_some())
}

fn launch(
    server: &Server,
    permissions: Mode,
    underway: Option<Underway>,
    known: HashSet<ItemId>,
    attach: bool,
) -> Launch {
    let (socket, name) = (socket(server.place.home()), NAME.to_owned());
    let terminal = Terminal { socket, name, underway, known, attach };
    Launch {
        session: server.place.session,
        directory: server.place.home().to_owned(),
        model: None,
        effort: None,
        permissions,
        withheld: Vec::new(),
        guarded: false,
        terminal: Some(terminal),
        prompt: String::new(),
        servers: Vec::new(),
        tools: Vec::new(),
        chain: Vec::new(),
        remote: None,
        past: Vec::new(),
        resume: None,
        turns: 0,
        executable: executable(),
        environment: server.place.environment(),
        removed: Vec::new(),
        patience: Duration::from_secs(60),
    }
}

impl Worker {
    async fn start(server: &Server) -> Self {
        Self::come(server, Mode::Full, None, HashSet::new()).await
    }

    async fn come(
        server: &Server,
        permissions: Mode,
        underway: Option<Underway>,
        known: HashSet<ItemId>,
    ) -> Self {
        let attach = is_there(server, underway).await;
        let launch = launch(server, permissions, underway, known.clone(), attach);
        Self { harness: within(Scripted.start(launch)).await.unwrap(), known }
    }

    async fn send(&self, input: Input) {
        within(self.harness.input.send(input)).await.unwrap();
    }

    async fn turn(&self, number: u8, text: &str) {
        self.send(Input::Turn { turn: turn(number), messages: vec![human(text)] }).await;
    }

    async fn next(&mut self) -> Output {
        let output = within(self.harness.output.recv()).await.expect("the worker went silent");
        if let Output::Item { id, .. } = &output {
            assert!(self.known.insert(*id), "told twice: {output:?}");
        }
        output
    }

    /// Waits for something, and returns what came before.
    async fn until(&mut self, what: impl Fn(&Output) -> bool) -> (Vec<Output>, Output) {
        let mut before = Vec::new();
        loop {
            match self.next().await {
                output if what(&output) => return (before, output),
                output => before.push(output),
            }
        }
    }

    /// Waits for the end of a turn.
    async fn finish(&mut self, number: u8) -> Heard {
        let over = |output: &Output| matches!(output, Output::TurnEnded { .. });
        let (outputs, last) = self.until(over).await;
        let Output::TurnEnded { turn: ended, end } = last else { unreachable!() };
        assert_eq!(ended, turn(number));
        Heard { outputs, end }
    }

    async fn handed(&mut self, number: u8) {
        let handed = Output::Handed { turn: turn(number) };
        self.until(|output| *output == handed).await;
    }
}

fn is_text(output: &Output, text: &str) -> bool {
    matches!(output, Output::Item { draft, .. } if draft.text.as_deref() == Some(text))
}

#[tokio::test]
async fn a_turn_is_typed_in_proven_and_followed() {
    let server = Server::new();
    let mut worker = Worker::start(&server).await;
    let started = Instant::now();
    worker.turn(1, "Please\n\n<<say é #{pane_id} ; \"x\">>\t<<sh echo $PASEO_SESSION>>").await;
    worker.handed(1).await;
    println!("typed in after {:?}", started.elapsed());
    let heard = worker.finish(1).await;
    assert_eq!(heard.end, TurnEnd::Completed);
    let texts = heard.texts();
    assert_eq!(texts[0], "é #{pane_id} ; \"x\"");
    assert_eq!(texts.last(), Some(&format!("{}\n", server.place.session).as_str()));
    // Whoever is under its first process is this session.
    let shim = worker.harness.shim.unwrap();
    assert_eq!(mark(shim).unwrap().session, server.place.session);
    worker.turn(2, "again").await;
    let heard = worker.finish(2).await;
    assert_eq!(heard.texts(), ["You said: again"]);
    assert_eq!(heard.outputs[0], Output::Handed { turn: turn(2) });
}

#[tokio::test]
async fn several_messages_become_one_paste() {
    let server = Server::new();
    let mut worker = Worker::start(&server).await;
    let messages = vec![human("<<say one>>"), human("\u{1b}[201~\r<<say two>>")];
    worker.send(Input::Turn { turn: turn(1), messages }).await;
    assert_eq!(worker.finish(1).await.texts(), ["one", "two"]);
}

#[tokio::test]
async fn what_a_person_types_is_told_as_such() {
    let server = Server::new();
    let mut worker = Worker::start(&server).await;
    worker.turn(1, "<<say hello>>").await;
    worker.finish(1).await;
    within(server.tmux.paste(NAME, "<<say mine>>")).await.unwrap();
    within(server.tmux.press(NAME, &["Enter"])).await.unwrap();
    let (_, typed) = worker.until(|output| matches!(output, Output::Typed { .. })).await;
    let Output::Typed { turn, text, .. } = typed else { unreachable!() };
    assert_eq!(text, "<<say mine>>");
    worker.until(|output| is_text(output, "mine")).await;
    worker.until(|output| *output == Output::TurnEnded { turn, end: TurnEnd::Completed }).await;
}

#[tokio::test]
async fn a_turn_can_be_steered_and_interrupted() {
    let server = Server::new();
    let mut worker = Worker::start(&server).await;
    worker.turn(1, "<<wait 1500>> <<say first>>").await;
    worker.handed(1).await;
    let message = human("<<say second>> <<hang>>");
    let delivery = message.delivery;
    worker.send(Input::Steer { message }).await;
    let steered = |output: &Output| matches!(output, Output::Steered { delivery: of, .. } if *of == delivery);
    let (_, taken) = worker.until(steered).await;
    worker.until(|output| is_text(output, "second")).await;
    // Whoever comes next does not take it for something that a person typed.
    let Output::Steered { item: Some(item), .. } = taken else { panic!("{taken:?}") };
    let mut known = worker.known.clone();
    known.insert(item);
    drop(worker);
    let underway = Some(Underway { turn: turn(1), handed: true });
    let mut worker = Worker::come(&server, Mode::Full, underway, known).await;
    worker.send(Input::Interrupt).await;
    let heard = worker.finish(1).await;
    assert_eq!(heard.end, TurnEnd::Interrupted);
    assert!(!heard.outputs.iter().any(|output| matches!(output, Output::Typed { .. })), "{heard:?}");
}

#[tokio::test]
async fn a_worker_outlives_whoever_drives_it() {
    let server = Server::new();
    let mut worker = Worker::start(&server).await;
    let shim = worker.harness.shim;
    worker.turn(1, "<<say before>> <<wait 700>> <<say after>>").await;
    worker.until(|output| is_text(output, "before")).await;
    let known = worker.known.clone();
    drop(worker);
    let underway = Some(Underway { turn: turn(1), handed: true });
    let mut worker = Worker::come(&server, Mode::Full, underway, known).await;
    assert_eq!(worker.harness.shim, shim);
    assert_eq!(worker.finish(1).await.texts(), ["after"]);
    // What a person says while nobody looks is told later.
    let known = worker.known.clone();
    drop(worker);
    within(server.tmux.paste(NAME, "<<say alone>>")).await.unwrap();
    within(server.tmux.press(NAME, &["Enter"])).await.unwrap();
    within(async {
        while !server.tmux.capture(NAME, 100).await.unwrap().text.contains("\nalone") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let mut worker = Worker::come(&server, Mode::Full, None, known).await;
    let (before, _) = worker.until(|output| matches!(output, Output::Typed { .. })).await;
    assert!(before.iter().all(|output| matches!(output, Output::Reference(_))), "{before:?}");
    worker.until(|output| is_text(output, "alone")).await;
    worker.until(|output| matches!(output, Output::TurnEnded { .. })).await;
}

#[tokio::test]
async fn what_a_person_typed_is_told_again_until_it_is_known() {
    let server = Server::new();
    let mut worker = Worker::start(&server).await;
    worker.turn(1, "<<say hello>>").await;
    worker.finish(1).await;
    within(server.tmux.paste(NAME, "<<say mine>>")).await.unwrap();
    within(server.tmux.press(NAME, &["Enter"])).await.unwrap();
    let typed = |output: &Output| matches!(output, Output::Typed { text, .. } if text == "<<say mine>>");
    let (_, first) = worker.until(typed).await;
    // Whoever heard it ended before it was stored, in the middle of the turn or after it.
    let known = worker.known.clone();
    drop(worker);
    let mut worker = Worker::come(&server, Mode::Full, None, known.clone()).await;
    let (_, again) = worker.until(typed).await;
    let (Output::Typed { turn, item, .. }, Output::Typed { item: same, .. }) = (again, first) else {
        unreachable!()
    };
    assert_eq!(item, same);
    worker.until(|output| is_text(output, "mine")).await;
    worker.until(|output| *output == Output::TurnEnded { turn, end: TurnEnd::Completed }).await;
    // Once it is stored it is told no more.
    let mut known = worker.known.clone();
    known.insert(item);
    drop(worker);
    let mut worker = Worker::come(&server, Mode::Full, None, known).await;
    worker.turn(2, "<<say next>>").await;
    let heard = worker.finish(2).await;
    assert!(!heard.outputs.iter().any(typed), "{:?}", heard.outputs);
}

#[tokio::test]
async fn a_turn_that_was_typed_in_is_not_typed_in_again() {
    let server = Server::new();
    let mut worker = Worker::start(&server).await;
    worker.turn(1, "<<say once>>").await;
    worker.handed(1).await;
    drop(worker);
    // The one before could not tell any more that it was taken.
    let underway = Some(Underway { turn: turn(1), handed: false });
    let mut worker = Worker::come(&server, Mode::Full, underway, HashSet::new()).await;
    worker.turn(1, "<<say once>>").await;
    assert_eq!(worker.finish(1).await.texts(), ["once"]);
    let shown = server.tmux.capture(NAME, 100).await.unwrap().text;
    assert_eq!(shown.matches("\nonce").count(), 1, "{shown}");
}

#[tokio::test]
async fn an_end_is_told_with_its_status_and_the_terminal_stays() {
    let server = Server::new();
    let mut worker = Worker::start(&server).await;
    worker.turn(1, "<<say bye>> <<crash 3>>").await;
    let (_, exited) = worker.until(|output| matches!(output, Output::Exited(_))).await;
    let Output::Exited(exit) = exited else { unreachable!() };
    assert_eq!((exit.code, exit.signal, exit.shim_killed), (Some(3), None, false));
    assert!(exit.stderr.contains("bye"), "{exit:?}");
    assert!(server.tmux.capture(NAME, 100).await.unwrap().text.contains("bye"));
    // Its end is told again to whoever finds a turn under way, and else it is started again where it was.
    let known = worker.known.clone();
    let underway = Some(Underway { turn: turn(1), handed: true });
    let mut late = Worker::come(&server, Mode::Full, underway, known.clone()).await;
    late.until(|output| matches!(output, Output::Exited(exit) if exit.code == Some(3))).await;
    let mut again = Worker::come(&server, Mode::Full, None, known).await;
    again.turn(2, "<<say back>>").await;
    assert_eq!(again.finish(2).await.texts(), ["back"]);
}

#[tokio::test]
async fn a_word_ends_it_with_everything_that_it_started() {
    let server = Server::new();
    let mut witness = server.place.witness();
    let mut worker = Worker::start(&server).await;
    let script = "<<sh setsid sh -c 'exec 9\\>witness; echo ready $$ \\>&9; sleep 1000' & sleep 1000>>";
    worker.turn(1, script).await;
    let line = witness.line().await;
    let pid = line.split(' ').nth(1).unwrap().parse().unwrap();
    let shim = worker.harness.shim.unwrap();
    assert!(ancestors(pid).unwrap().iter().any(|process| process.pid == shim));
    worker.harness.control.stop();
    witness.gone().await;
    worker.until(|output| matches!(output, Output::Exited(_))).await;
    assert_eq!(server.tmux.find(NAME).await.unwrap(), None);
}

#[tokio::test]
async fn without_a_daemon_to_ask_nothing_is_allowed() {
    let server = Server::new();
    let mut worker = Worker::come(&server, Mode::Ask, None, HashSet::new()).await;
    worker.turn(1, "<<sh touch made>>").await;
    worker.finish(1).await;
    assert!(!server.place.home().join("made").exists());
}

#[tokio::test]
async fn a_question_is_left_to_a_person_in_any_mode() {
    let server = Server::new();
    let mut worker = Worker::start(&server).await;
    worker.turn(1, "<<ask Shall I go on?>><<say done>>").await;
    let (_, asked) = worker.until(|output| matches!(output, Output::Ask(_))).await;
    let Output::Ask(Request { shape: Shape::Question { text }, .. }) = asked else { panic!("{asked:?}") };
    assert!(text.contains("Shall I go on? (y/n)") && text.contains("paseo worker attach worker-1"), "{text}");
    within(server.tmux.press(NAME, &["y"])).await.unwrap();
    assert_eq!(worker.finish(1).await.texts().last(), Some(&"done"));
}

#[tokio::test]
async fn someone_elses_terminal_is_not_taken() {
    let (server, other) = (Server::new(), Server::new());
    let _worker = Worker::start(&server).await;
    let mut launch = launch(&server, Mode::Full, None, HashSet::new(), false);
    launch.session = other.place.session;
    let refused = within(Scripted.start(launch)).await.unwrap_err();
    assert!(refused.message.contains("worker `worker-1` already exists"), "{refused}");
    assert!(matches!(server.tmux.get(NAME).await.unwrap().state, State::Alive { .. }));
}

#[tokio::test]
async fn whoever_was_started_too_late_makes_room_for_the_next() {
    let server = Server::new();
    drop(Worker::start(&server).await);
    let State::Alive { pid: late } = server.tmux.get(NAME).await.unwrap().state else { panic!("it ended") };
    let launch = launch(&server, Mode::Full, None, HashSet::new(), false);
    let harness = within(Scripted.start(launch)).await.unwrap();
    let mut worker = Worker { harness, known: HashSet::new() };
    assert!(worker.harness.shim.is_some_and(|shim| shim != late) && mark(late).is_none());
    worker.turn(1, "<<say hello>>").await;
    assert_eq!(worker.finish(1).await.texts(), ["hello"]);
}
