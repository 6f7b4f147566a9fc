//! What readers see of an attempt that breaks off: on the stream, on a terminal, in lists, and in the next turn.

use paseo_testkit::home::TestHome;
use paseo_testkit::model::ModelServer;
use paseo_wire::change::SessionChange;
use paseo_wire::stream::Frame;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::chat::{at, send};
use crate::inspect;
use crate::pty::{Terminal, on_terminal};
use crate::watch::{Watched, until};

/// Stands in nothing but attempts that break off, and in prompts.
const DEAD: &str = "fragmentum";

fn home(model: &ModelServer) -> TestHome {
    at(&format!("{}/v1", model.url()))
}

#[tokio::test]
async fn those_who_follow_learn_that_what_grew_does_not_count() {
    let model = ModelServer::start();
    let watched = Watched::at(home(&model));
    let gate = watched.home.work().join("gate");
    mknodat(CWD, &gate, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    // The command waits for a reader: live text is not kept for late ones.
    let prompt = format!("<<bash cat gate>><<torn times=1 {DEAD} half>><<say whole>>");
    let made = watched.create(&prompt).await;
    let mut events = watched.follow(&made.session.id, made.receipt.unwrap().seq);
    until(&mut events, |frame| matches!(frame, Frame::Item(_))).await;
    std::fs::write(gate, "").unwrap();
    let (mut grown, mut broken, mut retried) = (Vec::new(), Vec::new(), None);
    until(&mut events, |frame| {
        match frame {
            Frame::Live(live) if live.text.contains(DEAD) => grown.push(live.item.clone()),
            Frame::Item(frame) if frame.item.superseded => broken.push(frame.item.id.clone()),
            Frame::Event(event) => {
                if let SessionChange::TurnRetried { attempt, of, .. } = event.change {
                    retried = Some((attempt, of));
                }
            },
            _ => {}
        }
        matches!(frame, Frame::Item(frame) if frame.item.text.as_deref().is_some_and(|text| text.starts_with("whole")))
    })
    .await;
    assert_eq!(grown, broken);
    assert_eq!(broken.len(), 1);
    assert_eq!(retried, Some((Some(1), Some(4))));
    watched.settled(&made.session.id).await;
    // What lists show of it, and what its next process is told.
    let seen = inspect(&watched.home, &made.session.id);
    assert!(seen["last_snippet"].as_str().unwrap().starts_with("whole"), "{seen:#}");
    assert!(watched.home.stop_daemon());
    let before = model.requests().len();
    assert!(send(&watched.home, &made.session.id, "<<say on>>").ok().starts_with("on [turns=2 "));
    for request in &model.requests()[before..] {
        let said: Vec<_> = request.body["messages"].as_array().unwrap().iter().collect();
        let said = said.iter().filter(|message| message["role"] == "assistant");
        assert!(said.into_iter().all(|message| !message.to_string().contains(DEAD)), "{}", request.body);
    }
}

#[test]
fn on_a_terminal_it_says_so_and_the_answer_follows() {
    let model = ModelServer::start();
    let home = home(&model);
    let shown =
        on_terminal(&home, 100, &["run", &format!("<<slow 50>><<torn times=1 {DEAD} half>><<say whole>>")]);
    let (before, after) = shown.split_once("this attempt failed").unwrap_or_else(|| panic!("{shown}"));
    assert!(before.contains(DEAD), "{shown}");
    assert!(after.contains("whole [turns=1") && !after.contains(DEAD), "{shown}");
}

#[test]
fn in_a_conversation_it_says_so_and_the_answer_follows() {
    let model = ModelServer::start();
    let home = home(&model);
    let made = home.paseo(&["run", "-d", "-q", "<<say hello>>"]);
    let handle = made.ok().trim().to_owned();
    home.paseo(&["wait", &handle]).ok();
    let mut terminal = Terminal::start(&home, 100, &["attach", &handle]);
    terminal.until("hello [turns=1");
    terminal.type_in(&format!("<<slow 50>><<torn times=1 {DEAD} half>><<say whole>>\r"));
    terminal.until("this attempt failed");
    let rest = terminal.until("[turns=2");
    assert!(!rest.contains(DEAD), "{rest}");
    // A script has only what counts.
    let script = home
        .paseo_with(&["attach", &handle], format!("<<torn times=1 {DEAD} again>><<say last>>\n").as_bytes());
    assert!(script.ok().contains("last [turns=3"), "{script:?}");
    assert_eq!(script.stdout.matches(DEAD).count(), 2, "in the prompts alone: {script:?}");
}

#[test]
fn while_it_tries_again_it_says_which_attempt_it_is() {
    let model = ModelServer::start();
    let home = home(&model);
    // The last attempt goes on until it is stopped: however slow the machine is, there is something to see.
    let prompt = format!("<<torn times=3 {DEAD} half>><<hang>>");
    let handle = home.paseo(&["run", "-d", "-q", &prompt]).ok().trim().to_owned();
    let until = |arguments: &[&str], words: &str| loop {
        let shown = home.paseo(arguments);
        if shown.stdout.contains(words) {
            return shown.stdout;
        }
        let status = inspect(&home, &handle)["status"].clone();
        assert!(status == "starting" || status == "running", "{words} never came: {status} {}", shown.stdout);
    };
    let why = until(&["why", &handle], "of 4 since");
    assert!(why.contains("last heard"), "{why}");
    until(&["ls"], "of 4 for");
    home.paseo(&["stop", &handle]).ok();
    let over = home.paseo(&["why", &handle]);
    assert!(!over.ok().contains("attempt") && !over.ok().contains("last heard"), "{over:?}");
}
