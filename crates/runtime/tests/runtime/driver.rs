//! The driver against programs that are slow, rude or silent.

use std::time::Duration;

use paseo_core::id::TurnId;
use paseo_core::item::{Draft, Kind};
use paseo_core::time::Timestamp;
use paseo_runtime::driver::{self, Action, Adapter};
use paseo_runtime::lines::Line;
use paseo_runtime::provider::{Harness, Input, Output, TurnEnd};

use crate::support::{Place, human, within};

/// Writes each message to the program, and each line to the daemon.
struct Echo;

impl Adapter for Echo {
    fn begin(&mut self, _: Timestamp) -> Vec<Action> {
        vec![Action::Wake(Duration::from_millis(1))]
    }

    fn line(&mut self, line: &Line, _: Timestamp) -> Vec<Action> {
        driver::unreadable(line, "echo").into_iter().map(tell).collect()
    }

    fn input(&mut self, input: Input, _: Timestamp) -> Vec<Action> {
        let Input::Turn { messages, .. } = input else { return Vec::new() };
        messages.into_iter().map(|message| Action::Write(message.text)).collect()
    }

    fn wake(&mut self, _: Timestamp) -> Vec<Action> {
        vec![Action::Tell(Output::TurnEnded { turn: turn(), end: TurnEnd::Completed })]
    }
}

fn tell(draft: Draft) -> Action {
    let id = paseo_core::id::ItemId::from_parts(Timestamp::from_millis(1), [0; 10]);
    Action::Tell(Output::Item { id, step: 0, parent: None, draft })
}

fn turn() -> TurnId {
    TurnId::from_parts(Timestamp::from_millis(1), [1; 10])
}

/// Returns the next line of the program.
async fn next(harness: &mut Harness) -> Option<String> {
    loop {
        match within(harness.output.recv()).await? {
            Output::Item { draft: Draft { kind: Kind::Raw { .. }, text, .. }, .. } => return text,
            Output::Exited(_) => return None,
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_program_that_talks_before_it_listens_does_not_get_stuck() {
    let place = Place::new();
    let script = "head -c 3000000 /dev/zero | tr '\\0' x; echo; read -r line; echo ${#line}";
    let mut harness = driver::start(place.shell(script), Echo).unwrap();
    let messages = vec![human(&"y".repeat(2_000_000))];
    within(harness.input.send(Input::Turn { turn: turn(), messages })).await.unwrap();
    assert_eq!(next(&mut harness).await.map(|line| line.len()), Some(3_000_000));
    assert_eq!(next(&mut harness).await.as_deref(), Some("2000000"));
    assert_eq!(next(&mut harness).await, None);
}

#[tokio::test]
async fn a_program_that_does_not_listen_any_more_is_watched_to_its_end() {
    let place = Place::new();
    let gate = place.home().join("gate");
    rustix::fs::mknodat(rustix::fs::CWD, &gate, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let mut harness =
        driver::start(place.shell("exec 0<&-; echo deaf; read -r _ <gate; exit 3"), Echo).unwrap();
    assert_eq!(next(&mut harness).await.as_deref(), Some("deaf"));
    for _ in 0..3 {
        let messages = vec![human(&"y".repeat(100_000))];
        within(harness.input.send(Input::Turn { turn: turn(), messages })).await.unwrap();
    }
    let open = tokio::task::spawn_blocking(move || std::fs::write(gate, "go\n"));
    within(open).await.unwrap().unwrap();
    loop {
        if let Output::Exited(exit) = within(harness.output.recv()).await.unwrap() {
            assert_eq!(exit.code, Some(3));
            return;
        }
    }
}

#[tokio::test]
async fn an_adapter_is_woken() {
    let place = Place::new();
    let mut harness = driver::start(place.shell("read -r _"), Echo).unwrap();
    let output = within(harness.output.recv()).await;
    assert_eq!(output, Some(Output::TurnEnded { turn: turn(), end: TurnEnd::Completed }));
}
