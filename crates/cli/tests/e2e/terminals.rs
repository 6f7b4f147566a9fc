//! Terminals of workers in a browser: watched by many, typed into by one. With the real tmux.

use std::time::Duration;

use paseo_wire::terminal::{ClientFrame, HistoryQuery, close};
use paseo_wire::words::{ItemKind, TerminalRole};
use paseo_wire::worker::WorkerView;
use tokio_tungstenite::tungstenite::Message;

use crate::cast::Cast;
use crate::json;
use crate::screens::assert_said;
use crate::terminals_viewer::{Visitor, open};
use crate::workers::{red, started, tmux, told, type_in, until, until_seen};

pub(crate) async fn idle(cast: &Cast) -> WorkerView {
    let worker = started(cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    worker
}

/// Returns the sessions of viewers that tmux has.
fn viewers(cast: &Cast) -> Vec<String> {
    let listed = tmux(cast, &["list-sessions", "-F", "#{session_name}"]).output().unwrap();
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    names
        .lines()
        .filter(|name| name.starts_with("_view") || name.starts_with("_take"))
        .map(Into::into)
        .collect()
}

/// Returns the size of a worker's window.
pub(crate) fn size(cast: &Cast, worker: &str) -> String {
    told(cast, worker, "#{window_width}x#{window_height}")
}

/// Returns the kinds of events of take-overs in the log, and what the transcript says of them.
pub(crate) async fn take_overs(cast: &Cast, worker: &WorkerView) -> Vec<String> {
    let items = cast.0.items(&worker.session).await;
    let notices = items.iter().filter(|item| item.kind() == ItemKind::Notice);
    notices
        .filter(|item| matches!(item.code(), Some("taken_over" | "released")))
        .filter_map(|item| item.text.clone())
        .collect()
}

#[tokio::test]
async fn a_viewer_sees_the_screen_and_what_happens_on_it() {
    let cast = red();
    let worker = idle(&cast).await;
    let browser = Visitor::browser(&cast.0.home);
    let mut viewer = browser.watch("red-1").await;
    viewer.until_shown("ready").await;
    assert_eq!((viewer.size, &viewer.role, viewer.epoch), ((160, 48), &TerminalRole::View, 1));
    viewer.until("the state", |viewer| viewer.state.as_ref().is_some_and(|state| state.alive)).await;
    assert_eq!(cast.0.client.worker("red-1").await.unwrap().worker.attached, 1);

    cast.0.home.paseo(&["send", &worker.handle, "<<say news for viewers>>", "--wait"]).ok();
    viewer.until_shown("news for viewers").await;
    assert_eq!(viewer.epoch, 1, "nothing was drawn anew");

    // By its handle, too, and for one who comes late.
    let mut late = browser.watch(&worker.handle).await;
    late.until_shown("news for viewers").await;
    let shown = late.shown.len();
    late.tell(&ClientFrame::Redraw {}).await;
    late.until("another screen", |viewer| viewer.epoch == 2).await;
    late.until_shown("news for viewers").await;
    assert!(shown < 10_000, "a screen has {shown} bytes");

    late.vanish();
    until("the other is alone", async || cast.0.client.worker("red-1").await.unwrap().worker.attached == 1)
        .await;
    // tmux counts a client out before its session is gone.
    until("its session is gone", async || viewers(&cast).len() == 1).await;
}

#[tokio::test]
async fn a_viewer_never_types() {
    let cast = red();
    idle(&cast).await;
    let mut viewer = Visitor::browser(&cast.0.home).watch("red-1").await;
    viewer.until_shown("ready").await;
    viewer.keys("smuggled by keys\r").await;
    viewer.tell(&ClientFrame::Paste { text: "smuggled by paste".to_owned() }).await;
    viewer.tell(&ClientFrame::Size { cols: 40, rows: 10 }).await;
    // Whoever is answered has been heard in full before.
    viewer.tell(&ClientFrame::Redraw {}).await;
    viewer.until("another screen", |viewer| viewer.epoch == 2).await;
    type_in(&cast, "red-1", &["-l", "typed by tmux"]);
    viewer.until_shown("typed by tmux").await;
    assert!(!viewer.text().contains("smuggled"), "{}", viewer.text());
    assert_eq!(size(&cast, "red-1"), "160x48");

    // tmux itself would not take it, either: its client is read-only.
    let flags =
        tmux(&cast, &["list-clients", "-F", "#{client_readonly} #{client_session}"]).output().unwrap();
    let flags = String::from_utf8_lossy(&flags.stdout).into_owned();
    assert!(flags.lines().any(|line| line.starts_with("1 _view-")), "{flags}");
}

#[tokio::test]
async fn who_takes_over_types_and_everyone_sees_it() {
    let cast = red();
    let worker = idle(&cast).await;
    let browser = Visitor::browser(&cast.0.home);
    let (mut holder, mut watcher) = (browser.watch("red-1").await, browser.watch("red-1").await);
    watcher.until_shown("ready").await;
    holder.take(Some((90, 30)), false).await;
    assert_eq!(holder.size, (90, 30));
    assert!(holder.holder.as_ref().unwrap().you);
    watcher.until("the holder", |viewer| viewer.holder.as_ref().is_some_and(|holder| !holder.you)).await;
    watcher.until("the size", |viewer| viewer.size == (90, 30)).await;
    assert_eq!(size(&cast, "red-1"), "90x30");
    assert!(cast.view(&worker.session).await.terminal.unwrap().taken_over_by.is_some());

    holder.keys("<<say typed").await;
    holder.until_shown("<<say typed").await;
    holder.tell(&ClientFrame::Paste { text: " in\tthe page>>".to_owned() }).await;
    holder.until_shown("in").await;
    holder.keys("\r").await;
    cast.until(&worker.session, |items| {
        items.iter().any(|item| item.text.as_deref().is_some_and(|text| text.contains("typed in")))
    })
    .await;
    watcher.until_shown("typed in").await;

    // It is made smaller while it is held, and has its old size afterwards.
    holder.tell(&ClientFrame::Size { cols: 5, rows: 500 }).await;
    holder.until("the nearest size", |viewer| viewer.size == (20, 120)).await;
    holder.release().await;
    until_seen("the old size", async || size(&cast, "red-1"), |size| size == "160x48").await;
    holder.until("the old size", |viewer| viewer.size == (160, 48)).await;
    watcher.until("the old size", |viewer| viewer.size == (160, 48) && viewer.holder.is_none()).await;
    assert_eq!(told(&cast, "red-1", "#{window-size}#{@paseo_size}"), "latest");
    holder.keys("no longer").await;
    assert_eq!(
        take_overs(&cast, &worker).await,
        [
            "A person took over the terminal (Firefox on an unknown system).",
            "The take-over has ended (Firefox on an unknown system): the terminal was released."
        ]
    );
    assert_eq!(cast.view(&worker.session).await.terminal.unwrap().taken_over_by, None);
}

#[tokio::test]
async fn one_person_has_the_keyboard_until_another_takes_it_by_force() {
    let cast = red();
    let worker = idle(&cast).await;
    let (ann, bob) = (Visitor::browser(&cast.0.home), Visitor::browser(&cast.0.home));
    let (mut ann, mut bob) = (ann.watch("red-1").await, bob.watch("red-1").await);
    ann.take(None, false).await;
    assert_eq!(ann.size, (160, 48), "without `fit` nothing is resized");
    bob.tell(&ClientFrame::Take { fit: false, cols: 0, rows: 0, force: false }).await;
    bob.until("the refusal", |viewer| viewer.refused.is_some()).await;
    assert_eq!(
        (bob.refused.as_deref(), &bob.role),
        (Some("Firefox on an unknown system has the keyboard"), &TerminalRole::View)
    );
    bob.take(None, true).await;
    ann.until("the loss", |viewer| viewer.role == TerminalRole::View).await;
    ann.keys("ann was here").await;
    bob.keys("bob was here").await;
    bob.until_shown("bob was here").await;
    assert!(!bob.text().contains("ann was here"));
    let told = take_overs(&cast, &worker).await;
    assert_eq!(
        told[1..2],
        ["The take-over has ended (Firefox on an unknown system): another person took over."]
    );
    assert_eq!(told.len(), 3, "{told:?}");

    // A connection that was lost may come back; then it is the same take-over.
    bob.vanish();
    ann.tell(&ClientFrame::Take { fit: false, cols: 0, rows: 0, force: false }).await;
    ann.refused = None;
    ann.until("the refusal", |viewer| viewer.refused.is_some()).await;
    until_seen(
        "the end",
        async || cast.view(&worker.session).await.terminal.unwrap().taken_over_by,
        |by| by.is_none(),
    )
    .await;
    let told = take_overs(&cast, &worker).await.pop().unwrap();
    assert_said!(cast.0.home, &told, @"The take-over has ended (Firefox on an unknown system): the connection was lost.");
}

#[tokio::test]
async fn a_socket_is_only_for_people_who_come_from_our_own_page() {
    let cast = red();
    idle(&cast).await;
    let browser = Visitor::browser(&cast.0.home);
    let with = |name: &'static str, value: Option<&str>| {
        let mut request = browser.request("red-1");
        request.headers_mut().remove(name);
        if let Some(value) = value {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        request
    };
    let port = browser.address.split_once(':').unwrap().1.to_owned();
    for origin in [
        None,
        Some("null"),
        Some("http://evil.example"),
        Some("http://127.0.0.1:1"),
        Some(format!("https://127.0.0.1:{port}").as_str()),
        Some(format!("http://localhost:{port}").as_str()),
    ] {
        assert_eq!(open(with("origin", origin)).await.err(), Some(403), "{origin:?}");
    }
    assert_eq!(open(with("cookie", None)).await.err(), Some(401));
    assert_eq!(open(with("cookie", Some("paseo=x"))).await.err(), Some(401));
    assert_eq!(open(with("sec-fetch-site", Some("same-site"))).await.err(), Some(403));
    assert_eq!(open(with("sec-websocket-protocol", Some("other"))).await.err(), Some(400));

    // A person's token will do; that of an agent will not, nor that of a team's member.
    let token = cast.0.home.paseo(&["token", "create", "--name", "laptop", "-q"]).ok().trim().to_owned();
    let mut viewer = Visitor::token(&cast.0.home, &token).watch("red-1").await;
    viewer.until_shown("ready").await;
    let file = cast.0.home.work().join("own");
    cast.0.home.paseo(&["send", "red-1", "<<sh echo $PASEO_TOKEN \\> own>>", "--wait"]).ok();
    let own = std::fs::read_to_string(file).unwrap().trim().to_owned();
    let member = json(&cast.0.home.paseo(&["team", "env", "red", "--agent", "reader", "--json"]));
    for secret in [own.as_str(), member["PI_TEAMD_TOKEN"].as_str().unwrap()] {
        let agent = Visitor::token(&cast.0.home, secret);
        assert_eq!(open(agent.request("red-1")).await.err(), Some(403));
    }

    // What is not there is told over the socket: a page cannot read the answer to an upgrade.
    let mut nobody = browser.watch("red-9").await;
    assert_eq!(nobody.until_ended().await.0, close::GONE);
    assert_eq!(nobody.closed, Some(close::GONE));
}

#[tokio::test]
async fn a_browser_that_is_logged_out_sees_and_types_nothing_more() {
    let cast = red();
    let worker = idle(&cast).await;
    let mut viewer = Visitor::browser(&cast.0.home).watch("red-1").await;
    viewer.take(Some((80, 24)), false).await;
    let devices = json(&cast.0.home.paseo(&["devices", "ls", "--json"]));
    cast.0.home.paseo(&["devices", "revoke", devices["devices"][0]["id"].as_str().unwrap()]).ok();
    assert_eq!(viewer.until_ended().await.0, close::REVOKED);
    until("no client is left", async || viewers(&cast).is_empty()).await;
    until_seen("the size", async || size(&cast, "red-1"), |size| size == "160x48").await;
    let told = take_overs(&cast, &worker).await.pop().unwrap();
    assert_said!(cast.0.home, &told, @"The take-over has ended (device:aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1): the browser was logged out, or its token revoked.");
}

#[tokio::test]
async fn viewers_are_limited_and_told_so() {
    let cast = red();
    idle(&cast).await;
    let browser = Visitor::browser(&cast.0.home);
    let mut open = Vec::new();
    for _ in 0..8 {
        let mut viewer = browser.watch("red-1").await;
        viewer.until("a screen", |viewer| viewer.epoch == 1).await;
        open.push(viewer);
    }
    let mut ninth = browser.watch("red-1").await;
    let (code, message) = ninth.until_ended().await;
    assert_eq!(code, close::TOO_MANY);
    assert_said!(cast.0.home, &message);
    open.pop().unwrap().vanish();
    until("a place", async || cast.0.client.worker("red-1").await.unwrap().worker.attached == 7).await;
    browser.watch("red-1").await.until_shown("ready").await;
}

#[tokio::test]
async fn nonsense_ends_the_socket_and_nothing_else() {
    let cast = red();
    idle(&cast).await;
    let browser = Visitor::browser(&cast.0.home);
    let mut steady = browser.watch("red-1").await;
    for nonsense in [
        Message::text("{"),
        Message::text(r#"{"t":"shout"}"#),
        Message::text(r#"{"t":"ack","epoch":1,"n":99999999}"#),
        Message::binary(vec![1_u8, 2, 3]),
        Message::binary(Vec::<u8>::new()),
        Message::binary([vec![0], vec![b'x'; 5000]].concat()),
        Message::text(serde_json::to_string(&ClientFrame::Paste { text: "x".repeat(49 * 1024) }).unwrap()),
    ] {
        let mut viewer = browser.watch("red-1").await;
        viewer.until("a screen", |viewer| viewer.epoch == 1).await;
        viewer.send(nonsense.clone()).await;
        assert_eq!(viewer.until_ended().await.0, close::PROTOCOL, "{nonsense:?}");
    }
    let mut huge = browser.watch("red-1").await;
    huge.send(Message::text(format!("\"{}\"", "x".repeat(70 * 1024)))).await;
    while huge.step().await {}
    steady.until_shown("ready").await;
    type_in(&cast, "red-1", &["-l", "still here"]);
    steady.until_shown("still here").await;
}

#[tokio::test]
async fn however_fast_people_take_over_the_workers_go_on() {
    let cast = red();
    idle(&cast).await;
    let (ann, bob) = (Visitor::browser(&cast.0.home), Visitor::browser(&cast.0.home));
    let mut watcher = ann.watch("red-1").await;
    watcher.until_shown("ready").await;
    for _ in 0..4 {
        let (mut ann, mut bob) = (ann.watch("red-1").await, bob.watch("red-1").await);
        for _ in 0..30 {
            for viewer in [&mut ann, &mut bob] {
                viewer.tell(&ClientFrame::Take { fit: false, cols: 0, rows: 0, force: true }).await;
            }
        }
    }
    type_in(&cast, "red-1", &["-l", "unharmed"]);
    watcher.until_shown("unharmed").await;
}

#[tokio::test]
async fn killing_a_worker_ends_its_viewers_and_leaves_nothing() {
    let cast = red();
    let worker = idle(&cast).await;
    let other = started(&cast, "<<say other>>").await;
    cast.0.settled(&other.session).await;
    let browser = Visitor::browser(&cast.0.home);
    let (mut viewer, mut holder) = (browser.watch("red-1").await, browser.watch("red-1").await);
    let mut beside = browser.watch("red-2").await;
    viewer.until_shown("ready").await;
    holder.take(Some((100, 30)), false).await;
    cast.0.home.paseo(&["worker", "kill", "red-1"]).ok();
    assert_eq!(viewer.until_ended().await.0, close::GONE);
    assert_eq!(holder.until_ended().await.0, close::GONE);
    assert_eq!(cast.view(&worker.session).await.terminal.unwrap().taken_over_by, None);
    type_in(&cast, "red-2", &["-l", "unharmed"]);
    beside.until_shown("unharmed").await;
    cast.0.home.paseo(&["worker", "kill", "red-2"]).ok();
    assert_eq!(beside.until_ended().await.0, close::GONE);
    assert_eq!(viewers(&cast), Vec::<String>::new());
    until_seen("their end", async || cast.0.home.left_beside_the_daemon(), Vec::is_empty).await;
}

#[tokio::test]
async fn after_a_restart_a_viewer_gets_the_screen_and_the_size_is_back() {
    let cast = red();
    let worker = idle(&cast).await;
    let browser = Visitor::browser(&cast.0.home);
    let mut viewer = browser.watch("red-1").await;
    viewer.take(Some((70, 20)), false).await;
    viewer.keys("half a line").await;
    viewer.until_shown("half a line").await;
    cast.0.crash();
    while viewer.step().await {}
    let back = Visitor { address: crate::terminals_viewer::address(&cast.0.home), ..browser };
    let mut viewer = back.watch("red-1").await;
    viewer.until_shown("half a line").await;
    until_seen("the size", async || size(&cast, "red-1"), |size| size == "160x48").await;
    viewer.until("the size", |viewer| viewer.size == (160, 48)).await;
    assert_eq!(viewers(&cast).len(), 1, "nothing is left of the viewers of the last daemon");
    let told = take_overs(&cast, &worker).await.pop().unwrap();
    assert_said!(cast.0.home, &told, @"The take-over has ended (Firefox on an unknown system): the daemon was restarted.");

    // Stopped in good order, it says so.
    assert!(cast.0.home.stop_daemon());
    assert_eq!(viewer.until_ended().await.0, close::GOING_AWAY);
    cast.0.home.paseo(&["up"]).ok();
}

#[tokio::test]
async fn a_viewer_that_does_not_read_costs_no_memory_and_sees_the_newest_screen_later() {
    let cast = red();
    idle(&cast).await;
    let mut stalled = Visitor::browser(&cast.0.home).watch("red-1").await;
    stalled.until_shown("ready").await;
    stalled.attentive = false;
    let before = memory(&cast);
    // A window of a person's own, in which something prints as fast as it can.
    let flood = "exec sh -c 'i=0; while [ $i -lt 400 ]; do i=$((i+1)); seq 1 2000; done; echo flood-is-over; exec sleep 60'";
    assert!(tmux(&cast, &["respawn-pane", "-k", "-t", "=red-1:", flood]).status().unwrap().success());
    until("the end of the flood", async || {
        told(&cast, "red-1", "#{history_size}").parse::<u64>().unwrap_or(0) > 40_000
    })
    .await;
    let grown = memory(&cast).saturating_sub(before);
    assert!(grown < 16 * 1024, "{grown} KB more than before");
    stalled.attentive = true;
    stalled.tell(&ClientFrame::Redraw {}).await;
    let began = std::time::Instant::now();
    stalled.until_shown("flood-is-over").await;
    assert!(began.elapsed() < Duration::from_secs(20) && stalled.shown.len() < 1024 * 1024);
}

/// Returns how much memory the daemon has, in KB.
fn memory(cast: &Cast) -> u64 {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", cast.0.home.daemon_pid().unwrap())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn history_comes_in_pages_from_the_newest_back() {
    let cast = red();
    idle(&cast).await;
    let flood = "exec sh -c 'seq 1 3000; exec sleep 60'";
    assert!(tmux(&cast, &["respawn-pane", "-k", "-t", "=red-1:", flood]).status().unwrap().success());
    let lines = |text: &str| text.lines().filter_map(|line| line.parse().ok()).collect::<Vec<u32>>();
    let page = async |before| {
        let query = HistoryQuery { before, lines: Some(500) };
        cast.0.client.worker_history("red-1", &query).await.unwrap()
    };
    let first =
        until_seen("all lines", async || page(None).await, |page| lines(&page.text).last() == Some(&3000))
            .await;
    let (mut all, mut next) = (lines(&first.text), first.earlier);
    while let Some(before) = next {
        let page = page(Some(before)).await;
        all.splice(0..0, lines(&page.text));
        next = page.earlier;
    }
    assert_eq!(all, (1..=3000).collect::<Vec<_>>());
    assert_eq!(page(Some(0)).await.text, "");
}

#[tokio::test]
async fn history_leaves_no_line_out_while_a_program_prints() {
    let cast = red();
    idle(&cast).await;
    let flood = "exec sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo $i; done; exec sleep 60'";
    assert!(tmux(&cast, &["respawn-pane", "-k", "-t", "=red-1:", flood]).status().unwrap().success());
    let numbers = |text: &str| text.lines().filter_map(|line| line.parse().ok()).collect::<Vec<u32>>();
    until("some lines", async || told(&cast, "red-1", "#{history_size}").parse::<u64>().unwrap_or(0) > 2_000)
        .await;
    let page = async |before| {
        let query = HistoryQuery { before, lines: Some(300) };
        cast.0.client.worker_history("red-1", &query).await.unwrap()
    };
    let newest = page(None).await;
    let (mut oldest, mut next) = (numbers(&newest.text)[0], newest.earlier);
    while let Some(before) = next {
        let page = page(Some(before)).await;
        let seen = numbers(&page.text);
        assert!(seen.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{seen:?}");
        assert!(seen.last().is_none_or(|last| last + 1 >= oldest), "{:?} before {oldest}", seen.last());
        oldest = seen.first().copied().unwrap_or(oldest).min(oldest);
        next = page.earlier;
    }
    assert_eq!(oldest, 1);
}
