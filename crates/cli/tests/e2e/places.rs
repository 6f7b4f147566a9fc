//! How many processes live at once: idle ones sleep first, then turns wait.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;

use paseo_client::Client;
use paseo_testkit::home::{TestHome, finish};
use paseo_wire::words::ItemKind;

use crate::screens::{assert_said, squeezed};
use crate::watch::Watched;

/// A home with a place for one process.
fn one_place() -> Watched {
    let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    fs::create_dir(home.path()).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(home.path().join("config.toml"), "[limits]\nlive_processes = 1\n").unwrap();
    home.paseo(&["up"]).ok();
    let client = Client::unix(home.path().join("daemon.sock"));
    Watched { home, client }
}

#[tokio::test]
async fn a_turn_without_a_place_waits_as_starting_and_then_runs() {
    let watched = one_place();
    let first = watched.create("<<hang>>").await;
    watched.runs(&first.session.id).await;
    let second = watched.create("<<say done>>").await.session.id;
    let view = watched.client.session(&second).await.unwrap().session;
    assert_eq!(view.status.as_str(), "starting");
    let reason = "waits for a process slot (limit 1)";
    watched.explained(&second, Some(reason)).await;
    let status = watched.client.status().await.unwrap();
    assert_eq!((status.live_processes, status.process_limit, status.waiting_turns), (1, 1, 1));
    let shown = |arguments: &[&str]| watched.home.paseo(arguments).ok().to_owned();
    let processes =
        |status: &str| squeezed(status.lines().find(|line| line.starts_with("processes")).unwrap());
    assert_said!(watched.home, &processes(&shown(&["status"])), @"processes 1 of 1; 1 turn is waiting");
    assert!(shown(&["ls"]).contains(&format!("starting: {reason}")), "{}", shown(&["ls"]));
    assert!(shown(&["inspect", &second]).contains(&format!("starting ({reason})")));
    assert_said!(watched.home, &shown(&["why", &second]));
    // Its message is on its way, and neither queued nor in the transcript. What is suggested works.
    let traced = watched.home.paseo(&["trace", &second]);
    assert!(traced.ok().contains("turn_started"), "{traced:?}");
    assert_said!(watched.home, &squeezed(traced.ok().lines().next().unwrap()), @"Message to aaa1: handing delivery aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2");
    let suggested = traced.stderr.split("paseo ").nth(1).unwrap().split_whitespace().collect::<Vec<_>>();
    watched.home.paseo(&suggested).ok();

    watched.client.stop(&first.session.id).await.unwrap();
    assert_eq!(watched.settled(&second).await, "idle");
    watched.explained(&second, None).await;
    assert!(watched.items(&second).await.iter().any(|item| item.text.as_deref() == Some("done")));
}

#[tokio::test]
async fn run_says_that_it_waits_for_a_process() {
    let watched = one_place();
    let first = watched.create("<<hang>>").await;
    watched.runs(&first.session.id).await;
    let status = watched.home.paseo(&["status"]);
    let line = status.ok().lines().find(|line| line.starts_with("processes")).unwrap();
    assert_said!(watched.home, &squeezed(line), @"processes 1 of 1; more turns will wait");
    let mut child = watched.home.spawn(&["run", "--timeout", "120s", "<<say done>>"]);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("starting") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    assert_said!(watched.home, &said, @r"
    Started aaa1 (scripted)
    aaa1 is starting: it waits for a process slot (limit 1)
    ");
    watched.client.stop(&first.session.id).await.unwrap();
    assert_eq!(finish(child).ok(), "done");
}

#[tokio::test]
async fn an_idle_process_sleeps_for_another_and_wakes_again() {
    let watched = one_place();
    let sessions =
        [watched.create("<<say one>>").await.session.id, watched.create("<<say two>>").await.session.id];
    for round in 0..3 {
        for session in &sessions {
            assert_eq!(watched.settled(session).await, "idle");
            watched.send(session, &format!("<<say round {round}>>")).await;
        }
    }
    for session in &sessions {
        watched.settled(session).await;
        let said: Vec<String> = watched
            .items(session)
            .await
            .into_iter()
            .filter(|item| item.kind() == ItemKind::AssistantText)
            .filter_map(|item| item.text)
            .collect();
        assert_eq!(said[1..], ["round 0", "round 1", "round 2"]);
    }
    assert_eq!(watched.client.status().await.unwrap().live_processes, 1);
}

#[tokio::test]
async fn a_turn_that_waits_for_a_place_can_be_stopped_and_its_message_is_kept() {
    let watched = one_place();
    let first = watched.create("<<hang>>").await.session.id;
    let second = watched.create("<<say done>>").await.session.id;
    watched.client.stop(&second).await.unwrap();
    let view = watched.client.session(&second).await.unwrap().session;
    assert_eq!((view.status.as_str(), view.hold.as_str(), view.held), ("idle", "stopped", 1));
    watched.client.close(&first).await.unwrap();
    watched.send(&second, "<<say and more>>").await;
    watched.settled(&second).await;
    let said: Vec<String> = watched
        .items(&second)
        .await
        .into_iter()
        .filter(|item| item.kind() == ItemKind::AssistantText)
        .filter_map(|item| item.text)
        .collect();
    assert_eq!(said, ["done", "and more"]);
}
