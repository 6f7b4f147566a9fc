//! What is typed into the real harnesses: it is said to the model and nothing of it is done, and it leaves alone what a
//! person has half typed.

use std::fs;
use std::time::Duration;

use paseo_core::item::Kind;
use paseo_runtime::provider::{Output, TurnEnd};
use paseo_testkit::real::Program;

use crate::terminals::{NAME, Worker, Workshop, turn};

/// Types something, waits for the end of the turn, and returns what the model was told since.
async fn told(workshop: &Workshop, worker: &mut Worker, number: u8, text: &str) -> String {
    let before = workshop.model.requests().len();
    worker.say(number, text).await;
    worker.until_handed(number).await;
    assert_eq!(worker.until_ended().await, (turn(number), TurnEnd::Completed), "{text}");
    let told = workshop.model.requests().split_off(before);
    told.iter().map(|request| request.body.to_string()).collect::<Vec<_>>().join("\n")
}

async fn whatever_it_is_it_is_said(program: Program) {
    let Some(workshop) = Workshop::new(program) else { return };
    let home = workshop.place.home();
    for file in ["poem.txt", "poems.txt"] {
        fs::write(home.join(file), "roses").unwrap();
    }
    let mut worker = workshop.start(workshop.launch()).await;
    let said = [
        ("!touch hacked", r"!touch hacked"),
        (" \n !touch hacked <<say two>>", "!touch hacked"),
        ("/exit", "/exit"),
        ("/quit", "/quit"),
        ("/clear", "/clear"),
        ("/model gpt", "/model gpt"),
        ("exit", "exit"),
        ("# keep this", "# keep this"),
        ("? really", "? really"),
        ("& later", "& later"),
        ("$HOME is where", "$HOME is where"),
        ("first\n!touch hacked\n/exit\n# and\n? no", r"first\n!touch hacked\n/exit\n# and\n? no"),
        // What looks as if it could be completed is not.
        ("look at @poe", "look at @poe"),
        ("@poe", "@poe"),
        ("then do /mod", "then do /mod"),
        ("then do $ski", "then do $ski"),
        ("tabs\tin\tit @po\t", "in"),
    ];
    for (number, (text, reached)) in (1..).zip(said) {
        let told = told(&workshop, &mut worker, number, text).await;
        assert!(told.contains(reached), "{text:?}\n{told}");
    }
    let more = |output: &Output| matches!(output, Output::Typed { .. }) || notice(output).is_some();
    assert!(!worker.heard.iter().any(more), "{:#?}", worker.heard);
    assert!(!home.join("hacked").exists());
    // It is the same conversation, in the same process.
    let told = told(&workshop, &mut worker, 100, "at last <<say over>>").await;
    assert!(told.contains("!touch hacked"), "{told}");
    assert!(worker.said().last().unwrap().starts_with("over"), "{:#?}", worker.heard);
}

fn notice(output: &Output) -> Option<&str> {
    match output {
        Output::Item { draft, .. } if matches!(draft.kind, Kind::Notice { .. }) => draft.text.as_deref(),
        _ => None,
    }
}

async fn what_is_half_typed_comes_back(program: Program) {
    let Some(workshop) = Workshop::new(program) else { return };
    let mut worker = workshop.start(workshop.launch()).await;
    told(&workshop, &mut worker, 1, "begin <<say one>>").await;
    let shows = async |words: &str| {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
        loop {
            let shown = workshop.tmux.capture(NAME, 12).await.unwrap().text;
            if shown.contains(words) {
                return;
            }
            assert!(tokio::time::Instant::now() < deadline, "{words} is not there: {shown}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    for (number, half) in [(2, "half a thought"), (4, "of two\nlines and more")] {
        workshop.tmux.paste(NAME, half).await.unwrap();
        shows(half.lines().last().unwrap()).await;
        let told = told(&workshop, &mut worker, number, "in between <<say two>>").await;
        let last = told.rfind("in between").unwrap();
        assert!(!told[last..].contains(half.lines().last().unwrap()), "{told}");
        assert_eq!(worker.heard.iter().find_map(notice), None, "{:#?}", worker.heard);
        shows(half.lines().last().unwrap()).await;
        // They go on.
        workshop.tmux.press(NAME, &["Enter"]).await.unwrap();
        let typed = worker.until("what was typed", |output| matches!(output, Output::Typed { .. })).await;
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(matches!(&typed, Output::Typed { text, .. } if words(text) == words(half)), "{typed:?}");
        assert_eq!(worker.until_ended().await.1, TurnEnd::Completed);
    }
    // A command is still one.
    let command = if program == Program::Claude { "/exit" } else { "/quit" };
    workshop.tmux.paste(NAME, command).await.unwrap();
    shows(command).await;
    told(&workshop, &mut worker, 6, "in between <<say three>>").await;
    shows(command).await;
    workshop.tmux.press(NAME, &["Enter"]).await.unwrap();
    worker.until("its end", |output| matches!(output, Output::Exited(_))).await;
}

#[tokio::test]
async fn whatever_is_typed_is_said_to_claude() {
    whatever_it_is_it_is_said(Program::Claude).await;
}

#[tokio::test]
async fn whatever_is_typed_is_said_to_codex() {
    whatever_it_is_it_is_said(Program::Codex).await;
}

#[tokio::test]
async fn whatever_is_typed_is_said_to_pi() {
    whatever_it_is_it_is_said(Program::Pi).await;
}

#[tokio::test]
async fn what_is_half_typed_in_claude_comes_back() {
    what_is_half_typed_comes_back(Program::Claude).await;
}

#[tokio::test]
async fn what_is_half_typed_in_codex_comes_back() {
    what_is_half_typed_comes_back(Program::Codex).await;
}

#[tokio::test]
async fn what_is_half_typed_in_pi_comes_back() {
    what_is_half_typed_comes_back(Program::Pi).await;
}
