//! A disk that takes no more: clear words, nothing lost, nothing half-written.

use std::process::{Command, Stdio};

use paseo_client::Client;
use paseo_testkit::home::TestHome;
use paseo_wire::error::{Code, Exit};
use paseo_wire::message::SendMessage;
use paseo_wire::words::Stage;
use serde_json::Value;

use crate::watch::{Watched, until};

/// Starts a daemon whose files cannot grow beyond a size, as if the disk were full.
#[allow(clippy::disallowed_methods)] // Tests start processes.
fn cramped() -> (Watched, std::process::Child) {
    let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    let script = "trap '' XFSZ; ulimit -f 2000; exec \"$0\" daemon run";
    let plain = home.command(&["daemon", "run"]);
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_paseo")]).current_dir(home.work()).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let daemon = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let client = Client::unix(home.path().join("daemon.sock"));
    (Watched { home, client }, daemon)
}

#[tokio::test]
async fn what_was_acknowledged_before_the_disk_was_full_is_there_afterwards() {
    let (watched, mut daemon) = cramped();
    while watched.client.health().await.is_err() {
        tokio::task::yield_now().await;
    }
    let session = watched.create("<<hang>>").await.session.id;
    let mut acknowledged = Vec::new();
    let refusal = loop {
        let text = format!("{} {}", acknowledged.len(), "x".repeat(20_000));
        let message = SendMessage {
            text,
            verb: Default::default(),
            wait: false,
            attachments: Vec::new(),
            output_schema: None,
        };
        match watched.client.send(&session, &message, None).await {
            Ok(receipt) => acknowledged.push(receipt.delivery),
            Err(error) => break error,
        }
        assert!(acknowledged.len() < 400, "the disk never got full");
    };
    assert!(acknowledged.len() > 3, "there was room for some");
    assert_eq!(refusal.code(), Some(Code::StorageUnavailable));
    let told = watched.home.paseo(&["send", &session, &"x".repeat(20_000), "--json"]);
    assert_eq!(told.code, Exit::Unreachable as i32, "{told:?}");
    let error: Value = serde_json::from_str(&told.stderr).unwrap();
    assert_eq!(error["error"]["code"], "storage_unavailable", "{told:?}");
    // Reading goes on.
    assert!(watched.home.paseo(&["ls"]).ok().contains("running"));

    assert!(watched.home.kill_daemon());
    daemon.wait().unwrap();
    watched.home.paseo(&["up"]).ok();
    let mut events = watched.follow(&session, 0);
    until(&mut events, |frame| {
        matches!(frame, paseo_wire::stream::Frame::Event(event) if event.view.as_ref().is_some_and(|view| view.turn.is_none() && view.queued == 0))
    })
    .await;
    for delivery in acknowledged {
        assert_eq!(watched.client.delivery(&session, &delivery).await.unwrap().stage, Stage::Answered);
    }
}

#[tokio::test]
async fn a_turn_whose_words_cannot_be_stored_fails_and_says_so() {
    let (watched, mut daemon) = cramped();
    while watched.client.health().await.is_err() {
        tokio::task::yield_now().await;
    }
    let told = watched.home.paseo(&["run", "<<sh head -c 1500000 /dev/urandom | base64>><<say done>>"]);
    assert_eq!(told.code, Exit::AgentError as i32, "{}", told.stderr);
    assert!(told.stderr.contains("storage_unavailable"), "{}", told.stderr);
    assert!(watched.home.kill_daemon());
    daemon.wait().unwrap();
}
