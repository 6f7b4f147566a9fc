//! Terminals that change hands in a browser while tmux hangs, and viewers who lose their right meanwhile. With the real tmux.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use paseo_testkit::home::TestHome;
use paseo_wire::terminal::{ClientFrame, close};
use paseo_wire::words::TerminalRole;

use crate::cast::Cast;
use crate::terminals::{idle, size, take_overs};
use crate::terminals_viewer::{Visitor, address};
use crate::workers::{red, told, until, until_seen};
use crate::workers_hang::Suspended;

const FREE: ClientFrame = ClientFrame::Take { fit: false, cols: 0, rows: 0, force: false };

async fn is_held(cast: &Cast, session: &str) -> bool {
    cast.view(session).await.terminal.unwrap().taken_over_by.is_some()
}

#[tokio::test]
async fn a_release_while_tmux_hangs_is_stored_and_the_size_is_back_later() {
    let cast = red();
    let worker = idle(&cast).await;
    let mut holder = Visitor::browser(&cast.0.home).watch("red-1").await;
    holder.until_shown("ready").await;
    holder.take(Some((90, 30)), false).await;
    let suspended = Suspended::of(&cast);
    holder.tell(&ClientFrame::Release {}).await;
    until("the end is stored", async || !is_held(&cast, &worker.session).await).await;
    assert_eq!(holder.until_ended().await.0, close::SILENT, "there is no screen to go on with");
    drop(suspended);
    until_seen("the old size", async || size(&cast, "red-1"), |size| size == "160x48").await;
    assert_eq!(told(&cast, "red-1", "#{window-size}#{@paseo_size}"), "latest");
    assert_eq!(
        take_overs(&cast, &worker).await[1..],
        ["The take-over has ended (Firefox on an unknown system): the terminal was released."]
    );
    // The keyboard is free.
    Visitor::browser(&cast.0.home).watch("red-1").await.take(None, false).await;
}

#[tokio::test]
async fn what_follows_from_a_take_over_never_happens_to_the_next() {
    let cast = red();
    let worker = idle(&cast).await;
    let (ann, bob) = (Visitor::browser(&cast.0.home), Visitor::browser(&cast.0.home));
    for next in [&ann, &bob] {
        let before = take_overs(&cast, &worker).await.len();
        let (mut first, mut second) = (ann.watch("red-1").await, next.watch("red-1").await);
        first.take(Some((90, 30)), false).await;
        second.until("the holder", |viewer| viewer.holder.is_some()).await;
        let suspended = Suspended::of(&cast);
        first.tell(&ClientFrame::Release {}).await;
        until("the end is stored", async || !is_held(&cast, &worker.session).await).await;
        second.tell(&ClientFrame::Take { fit: true, cols: 70, rows: 20, force: true }).await;
        drop(suspended);
        second.until("the keyboard", |viewer| viewer.role == TerminalRole::Hold).await;
        first.until("the old role", |viewer| viewer.role == TerminalRole::View).await;
        first
            .until("the new holder", |viewer| viewer.holder.as_ref().is_some_and(|holder| !holder.you))
            .await;
        // All that the first end was to do is done.
        first.tell(&ClientFrame::Redraw {}).await;
        first.until("its size", |viewer| viewer.size == (70, 20)).await;
        assert_eq!(told(&cast, "red-1", "#{@paseo_size}"), "160x48", "it is known what to restore");
        assert!(is_held(&cast, &worker.session).await, "the log says who types");
        second.keys("x").await;
        second.until_shown("x").await;
        let log = take_overs(&cast, &worker).await.split_off(before);
        let kinds: Vec<&str> = log.iter().map(|told| told.split(' ').nth(1).unwrap()).collect();
        assert_eq!(kinds, ["person", "take-over", "person"], "{log:?}");
        second.release().await;
        until_seen("the old size", async || size(&cast, "red-1"), |size| size == "160x48").await;
        assert!(!is_held(&cast, &worker.session).await);
        (first, second).0.vanish();
    }
}

#[tokio::test]
async fn who_loses_the_right_is_out_at_once_even_if_tmux_hangs() {
    let cast = red();
    let worker = idle(&cast).await;
    let home = &cast.0.home;
    let secret = home.paseo(&["token", "create", "--name", "laptop", "-q"]).ok().trim().to_owned();
    let token = cast.0.client.tokens().await.unwrap().tokens[0].id.to_string();
    let mut typist = Visitor::token(home, &secret).watch("red-1").await;
    let browser = Visitor::browser(home);
    let device = cast.0.client.devices().await.unwrap().devices[0].id.to_string();
    let mut watcher = browser.watch("red-1").await;
    typist.take(Some((90, 30)), false).await;
    watcher.until("the size", |viewer| viewer.size == (90, 30)).await;

    let suspended = Suspended::of(&cast);
    // Each of them now waits for tmux.
    typist.tell(&ClientFrame::Paste { text: "late".to_owned() }).await;
    watcher.tell(&ClientFrame::Take { fit: false, cols: 0, rows: 0, force: true }).await;
    let mut late = browser.watch("red-1").await;
    cast.0.client.revoke_token(&token).await.unwrap();
    assert_eq!(typist.until_ended().await.0, close::REVOKED);
    cast.0.client.revoke_device(&device).await.unwrap();
    for viewer in [&mut watcher, &mut late] {
        assert_eq!(viewer.until_ended().await.0, close::REVOKED);
    }
    for viewer in [&typist, &watcher, &late] {
        assert_eq!(
            (viewer.refused.as_deref(), viewer.closed),
            (None, Some(close::REVOKED)),
            "it did not wait for tmux"
        );
    }
    drop(suspended);
    until_seen("the old size", async || size(&cast, "red-1"), |size| size == "160x48").await;
    until("nobody has it", async || !is_held(&cast, &worker.session).await).await;
    let mut next = Visitor::browser(home).watch("red-1").await;
    next.until_shown("ready").await;
    next.tell(&FREE).await;
    next.until("the keyboard", |viewer| viewer.role == TerminalRole::Hold).await;
    assert!(!next.text().contains("late"), "{}", next.text());
}

/// Opens connections of a person until the daemon refuses one.
fn fill(home: &TestHome) -> Vec<UnixStream> {
    let mut open = Vec::new();
    loop {
        let mut stream = UnixStream::connect(home.path().join("daemon.sock")).unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        match &status {
            b"HTTP/1.1 200" => open.push(stream),
            b"HTTP/1.1 503" => return open,
            other => panic!("{}", String::from_utf8_lossy(other)),
        }
    }
}

#[tokio::test]
#[allow(clippy::disallowed_methods)] // A shell that lowers the limit.
async fn a_viewer_counts_as_a_connection_for_as_long_as_it_watches() {
    const VIEWERS: usize = 6;
    let cast = red();
    idle(&cast).await;
    let home = &cast.0.home;
    assert!(home.stop_daemon());
    let up = home.command(&["up"]);
    let environment: Vec<_> =
        up.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    let mut shell = std::process::Command::new("sh");
    let script = format!("ulimit -n 240; exec {} up", env!("CARGO_BIN_EXE_paseo"));
    shell.arg("-c").arg(script).current_dir(home.work()).env_clear().envs(environment);
    assert!(shell.output().unwrap().status.success());

    let browser = Visitor { address: address(home), ..Visitor::browser(home) };
    let mut viewers = Vec::new();
    for _ in 0..VIEWERS {
        let mut viewer = browser.watch("red-1").await;
        viewer.until_shown("ready").await;
        viewers.push(viewer);
    }
    let limit = 240 / 2;
    until_seen("no room", async || fill(home).len(), |beside| *beside == limit - VIEWERS).await;
    viewers.into_iter().for_each(crate::terminals_viewer::Viewer::vanish);
    until_seen("room", async || fill(home).len(), |alone| *alone == limit).await;
}
