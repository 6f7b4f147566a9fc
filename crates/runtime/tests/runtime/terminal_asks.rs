//! Real harnesses that must ask, in terminals: whoever sits there is asked, and until then nothing is changed.

use std::fs;
use std::time::Duration;

use paseo_core::permission::{Mode, Request, Shape};
use paseo_runtime::provider::{Launch, Output, TurnEnd};
use paseo_testkit::real::Program;

use crate::terminals::{NAME, Worker, Workshop, turn};

/// Longer than it takes to type a message in and to press Enter. Only time shows that this does not happen.
const TYPED: Duration = Duration::from_millis(2500);

/// Waits until its screen asks, and returns what.
async fn asked(worker: &mut Worker) -> String {
    let asked = worker.until("the question", |output| matches!(output, Output::Ask(_))).await;
    let Output::Ask(Request { shape: Shape::Question { text }, .. }) = asked else { panic!("{asked:?}") };
    text
}

async fn a_person_is_asked(program: Program) {
    let Some(workshop) = Workshop::new(program) else { return };
    let launch = Launch { permissions: Mode::Ask, ..workshop.launch() };
    let made = workshop.place.home().join("made.txt");
    let mut worker = workshop.start(launch).await;
    worker.say(1, "Please <<write made.txt roses>> <<say written>>").await;
    worker.until_handed(1).await;
    let question = asked(&mut worker).await;
    assert!(question.contains("paseo worker attach"), "{question}");
    assert!(!made.exists());
    workshop.tmux.press(NAME, &["Enter"]).await.unwrap();
    assert_eq!(worker.until_ended().await, (turn(1), TurnEnd::Completed));
    assert!(worker.heard.iter().any(|output| matches!(output, Output::AskWithdrawn { .. })));
    assert!(made.exists(), "{:#?}", worker.heard);

    // They do not want it.
    let made = workshop.place.home().join("more.txt");
    worker.say(2, "Please <<write more.txt roses>> <<say written>>").await;
    worker.until_handed(2).await;
    asked(&mut worker).await;
    workshop.tmux.press(NAME, &["Escape"]).await.unwrap();
    worker.until_ended().await;
    assert!(!made.exists());

    // Nothing that is typed answers a question.
    worker.say(3, "Please <<write more.txt roses>> <<say written>>").await;
    worker.until_handed(3).await;
    asked(&mut worker).await;
    worker.steer("yes").await;
    let answered = |output: &Output| matches!(output, Output::AskWithdrawn { .. } | Output::TurnEnded { .. });
    let answered = tokio::time::timeout(TYPED, worker.until("an answer", answered)).await;
    assert!(answered.is_err() && !made.exists(), "{answered:?}");
}

#[tokio::test]
async fn codex_asks_whoever_sits_at_its_terminal() {
    a_person_is_asked(Program::Codex).await;
}

/// Here nobody answers the hooks: what stands in for our program does not know what they ask.
async fn nothing_is_done_without_an_answer(program: Program) {
    let Some(workshop) = Workshop::new(program) else { return };
    let launch = Launch { permissions: Mode::Ask, guarded: true, ..workshop.launch() };
    let home = workshop.place.home().to_owned();
    let rules = workshop.real.config().join("rules");
    fs::create_dir(&rules).unwrap();
    fs::write(rules.join("default.rules"), "prefix_rule(pattern=[\"touch\"], decision=\"allow\")\n").unwrap();
    let mut worker = workshop.start(launch).await;
    worker.say(1, "Please <<bash touch made>> <<write made.txt roses>> <<say written>>").await;
    worker.until_handed(1).await;
    let settled = |output: &Output| matches!(output, Output::Ask(_) | Output::TurnEnded { .. });
    worker.until("an end, or a question", settled).await;
    assert!(!home.join("made").exists() && !home.join("made.txt").exists(), "{:#?}", worker.heard);
}

#[tokio::test]
async fn codex_that_is_guarded_does_nothing_without_an_answer() {
    nothing_is_done_without_an_answer(Program::Codex).await;
}
