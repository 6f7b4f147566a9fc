//! Workers and people at one terminal: what only a person can answer, and what one has half typed.

use paseo_testkit::home::Output;
use paseo_wire::error::Code;
use paseo_wire::permission::AnswerPermission;
use paseo_wire::worker::StartWorker;

use crate::cast::Cast;
use crate::screens::{assert_said, assert_told};
use crate::workers::{red, started, type_in, until_seen, wanted};

async fn until_status(cast: &Cast, session: &str, status: &str) {
    until_seen(status, async || cast.view(session).await, |view| view.status.as_str() == status).await;
}

#[tokio::test]
async fn a_worker_that_asks_in_its_terminal_is_seen_to_wait() {
    let cast = red();
    let home = &cast.0.home;
    std::fs::create_dir_all(home.path().join("agents")).unwrap();
    let asker = "provider = 'scripted'\npermissions = 'ask'\n";
    std::fs::write(home.path().join("agents/asker.toml"), asker).unwrap();
    home.trust();
    let wanted = StartWorker {
        agent: Some("asker".to_owned()),
        provider: None,
        ..wanted("<<sh touch made>><<say done>>")
    };
    let worker = cast.0.client.start_worker(&wanted, None).await.unwrap().worker;
    until_status(&cast, &worker.session, "waiting").await;
    let waited = home.paseo(&["wait", &worker.handle]);
    assert_eq!(waited.code, 4, "{waited:?}");
    let why = home.paseo(&["why", &worker.handle]);
    assert_said!(home, why.ok());
    let listed = home.paseo(&["ls"]);
    assert!(listed.ok().contains("waiting"), "{listed:?}");
    let asks = home.paseo(&["permit", "ls"]);
    assert_said!(home, asks.ok(), @r"
    aaaaaaa1  aaa2 red-1  terminal  now
      Allow shell? (y/n) (answer in the terminal: `paseo worker attach red-1`)
    ");
    let allowed = home.paseo(&["permit", "allow", "--yes", &worker.handle]);
    assert_eq!(allowed.code, 6, "{allowed:?}");
    assert_told!(home, allowed);
    // Whoever would be asked to confirm first, or wants it for good, is told the same: by its code, and where.
    for flags in [&["allow"][..], &["allow", "--yes", "--always"], &["deny"]] {
        let told = home.paseo(&[&["permit"], flags, &[worker.handle.as_str()]].concat());
        assert_eq!(told.code, 6, "{flags:?}: {told:?}");
        let words =
            format!("{} is waiting for this permission in the terminal of worker red-1", worker.handle);
        assert!(told.stderr.contains(&words), "{flags:?}: {told:?}");
        assert!(told.stderr.contains("attach-session"), "{flags:?}: {told:?}");
    }
    let ask = cast.0.client.open_asks(None).await.unwrap().remove(0);
    let wanted = AnswerPermission { allow: true, ..AnswerPermission::default() };
    let refused = cast.0.client.answer_permission(&ask.session, &ask.hash, &wanted).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::AnswerInTerminal), "{refused:?}");

    // The same question stands there for the next daemon.
    assert!(home.kill_daemon());
    home.paseo(&["up"]).ok();
    until_status(&cast, &worker.session, "waiting").await;
    type_in(&cast, "red-1", &["y"]);
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    assert!(home.work().join("made").exists());
    assert_eq!(cast.said(&worker.session).await, ["done"]);
    assert_eq!(home.paseo(&["permit", "ls", "-q"]).ok(), "", "nothing is asked any more");

    // Whoever waits for the answer is told where to go, and of nothing that would not help.
    let waited = home.paseo(&["send", &worker.handle, "<<sh touch more>>", "--wait"]);
    assert_eq!(waited.code, 4, "{waited:?}");
    assert_told!(home, waited);
    let inspected = home.paseo(&["inspect", &worker.handle]);
    assert!(!format!("{inspected:?}").contains("permit allow"), "{inspected:?}");
}

#[tokio::test]
async fn a_question_is_asked_whatever_a_worker_may_do() {
    let cast = red();
    let worker = started(&cast, "<<ask May I push?>><<say pushed>>").await;
    until_status(&cast, &worker.session, "waiting").await;
    let asks = cast.0.home.paseo(&["permit", "ls"]);
    assert!(asks.ok().contains("May I push?"), "{asks:?}");
    type_in(&cast, "red-1", &["y"]);
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    assert_eq!(cast.said(&worker.session).await, ["pushed"]);
}

#[tokio::test]
async fn a_command_is_said_when_it_is_sent_and_done_when_it_is_typed() {
    let cast = red();
    let worker = started(&cast, "/exit").await;
    cast.0.settled(&worker.session).await;
    for text in [" /exit", "\n/exit\n"] {
        cast.0.home.paseo(&["send", &worker.handle, "--wait", text]).ok();
    }
    let said = cast.said(&worker.session).await;
    assert!(said.len() == 3 && said.iter().all(|said| said.starts_with("You said:")), "{said:?}");
    assert!(cast.0.client.worker("red-1").await.unwrap().worker.alive);

    // In the middle of a turn: the turn is over with it, and what waits starts it again.
    cast.0.home.paseo(&["send", &worker.handle, "<<say begun>><<hang>>"]).ok();
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("begun"))).await;
    cast.0.home.paseo(&["send", &worker.handle, "<<say next>>"]).ok();
    type_in(&cast, "red-1", &["-l", "/exit"]);
    type_in(&cast, "red-1", &["Enter"]);
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("next"))).await;
    assert_eq!(cast.0.settled(&worker.session).await, "idle");
    assert!(cast.0.client.worker("red-1").await.unwrap().worker.alive);
}

#[tokio::test]
async fn what_a_person_has_half_typed_is_neither_sent_nor_lost() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    type_in(&cast, "red-1", &["-l", "<<say half"]);
    cast.0.home.paseo(&["send", &worker.handle, "<<say whole>>", "--wait"]).ok();
    assert_eq!(cast.heard(&worker.session).await, ["<<say ready>>", "<<say whole>>"]);
    assert_eq!(cast.said(&worker.session).await, ["ready", "whole"]);
    // It is back in the line, and goes on from there.
    let shown = async || cast.0.home.paseo(&["worker", "capture", "red-1"]);
    let is_back = |shown: &Output| shown.stdout.trim_end().ends_with("scripted> <<say half");
    until_seen("their words", shown, is_back).await;
    type_in(&cast, "red-1", &["-l", " of it>>"]);
    type_in(&cast, "red-1", &["Enter"]);
    cast.until(&worker.session, |items| items.iter().any(|item| item.text.as_deref() == Some("half of it")))
        .await;
}
