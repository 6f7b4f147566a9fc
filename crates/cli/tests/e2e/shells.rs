//! A person's own shell in the directory of an agent.

use std::fs;

use paseo_testkit::home::TestHome;
use paseo_wire::terminal::{ClientFrame, close};
use paseo_wire::words::{ItemKind, TerminalRole};

use crate::cast::Cast;
use crate::screens::assert_said;
use crate::terminals_viewer::{Viewer, Visitor, address, open};
use crate::workers::{until, until_seen};

/// A home in which people may open shells, with an agent in a directory of its own.
fn place() -> (Cast, String) {
    place_with(&["web_shell"])
}

fn place_with(settings: &[&str]) -> (Cast, String) {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    home.set("SHELL", "/bin/bash");
    home.set("PS1", "");
    let cast = Cast::at(home, settings);
    let agent = agent(&cast);
    (cast, agent)
}

fn agent(cast: &Cast) -> String {
    let started = cast.0.home.paseo(&["run", "--provider", "scripted", "-d", "-q", "<<say ready>>"]);
    let agent = started.ok().trim().to_owned();
    cast.0.home.paseo(&["wait", &agent]).ok();
    agent
}

/// Runs a command in a shell, and waits until it has printed this.
async fn run(viewer: &mut Viewer, command: &str, printed: &str) {
    viewer.keys(&format!("{command}\r")).await;
    viewer.until_shown(printed).await;
}

/// Returns what the transcript says of shells.
async fn notices(cast: &Cast, agent: &str) -> Vec<String> {
    let items = cast.0.items(agent).await;
    let notices = items.iter().filter(|item| item.kind() == ItemKind::Notice);
    notices
        .filter(|item| item.code().is_some_and(|code| code.starts_with("shell_")))
        .filter_map(|item| item.text.clone())
        .collect()
}

fn runs(cast: &Cast, command: &str) -> bool {
    cast.0.home.command_lines().iter().any(|line| line.starts_with(command))
}

/// Leaves programs behind in a shell: one as a job of it, one that tries to get away.
async fn leave_behind(cast: &Cast, viewer: &mut Viewer) {
    run(viewer, "sleep 4242 & (setsid sleep 4243 &) ; echo 'le''ft'", "left").await;
    until("both", async || runs(cast, "sleep 4242") && runs(cast, "sleep 4243")).await;
}

/// Says whether nothing of a shell is left.
async fn until_gone(cast: &Cast) {
    until("their end", async || !runs(cast, "sleep 424") && !runs(cast, "/bin/bash")).await;
}

#[tokio::test]
async fn a_shell_is_off_until_a_person_switches_it_on_and_never_an_agents() {
    let (cast, agent) = place_with(&[]);
    let home = &cast.0.home;
    let browser = Visitor::browser(home);
    let (code, message) = browser.shell(&agent).await.until_ended().await;
    assert_eq!(code, close::GONE);
    assert_said!(home, &message, @"shells in the web app are switched off (switch them on with `paseo settings set web_shell on`)");
    assert!(!runs(&cast, "/bin/bash") && notices(&cast, &agent).await.is_empty());

    home.paseo(&["settings", "set", "web_shell", "on"]).ok();
    assert_eq!(open(browser.shell_request("zzzz")).await.err(), None);
    assert_eq!(browser.shell("zzzz").await.until_ended().await.0, close::GONE);
    for origin in [None, Some("http://evil.example")] {
        let mut request = browser.shell_request(&agent);
        request.headers_mut().remove("origin");
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        assert_eq!(open(request).await.err(), Some(403), "{origin:?}");
    }
    home.paseo(&["send", &agent, "<<sh echo $PASEO_TOKEN \\> own>>", "--wait"]).ok();
    let own = fs::read_to_string(home.work().join("own")).unwrap().trim().to_owned();
    assert_eq!(open(Visitor::token(home, &own).shell_request(&agent)).await.err(), Some(403));
    let mut shell = browser.shell(&agent).await;
    shell.until("a screen", |viewer| viewer.role == TerminalRole::Hold).await;
}

#[tokio::test]
async fn a_shell_is_the_persons_own_in_the_directory_of_the_agent() {
    let (cast, agent) = place();
    let home = &cast.0.home;
    let mut shell = Visitor::browser(home).shell(&agent).await;
    shell.until("a screen", |viewer| viewer.epoch == 1).await;
    let work = home.work().canonicalize().unwrap().display().to_string();
    run(&mut shell, "pwd", &work).await;
    run(&mut shell, "echo \"[$PASEO_SESSION$PASEO_TOKEN$PASEO_URL$TMUX]\" $TERM", "[] xterm-256color").await;

    // Callers from the shell are people, with the rights of people.
    run(
        &mut shell,
        "curl -s --unix-socket $PASEO_HOME/daemon.sock http://localhost/api/whoami; echo",
        "\"human:cli\"",
    )
    .await;
    run(&mut shell, "paseo settings set perm_todo on && echo 'switch''ed'", "switched").await;
    // Also what has let go of its terminal.
    let part = home.work().join("who");
    run(&mut shell, "(setsid sh -c 'curl -s --unix-socket $PASEO_HOME/daemon.sock http://localhost/api/whoami > who.part; mv who.part who' &)", "who").await;
    let told = until_seen(
        "an answer",
        async || fs::read_to_string(&part).unwrap_or_default(),
        |told| !told.is_empty(),
    )
    .await;
    assert!(told.contains("human:cli"), "{told}");

    // It is a terminal like any other: it has a size, jobs and keys.
    shell.tell(&ClientFrame::Size { cols: 101, rows: 33 }).await;
    run(&mut shell, "stty size", "33 101").await;
    run(&mut shell, "sleep 4242", "sleep 4242").await;
    until("it runs", async || runs(&cast, "sleep 4242")).await;
    shell.keys("\u{3}").await;
    until("its end", async || !runs(&cast, "sleep 4242")).await;
    run(&mut shell, "echo 'st''ill here'", "still here").await;
    shell.tell(&ClientFrame::Paste { text: "echo 'pas''ted'\n".to_owned() }).await;
    shell.until_shown("pasted").await;

    // The agent has nothing to do with it.
    let items = cast.0.items(&agent).await;
    let said: Vec<_> = items
        .iter()
        .filter(|item| item.kind() == ItemKind::UserText)
        .filter_map(|item| item.text.clone())
        .collect();
    assert_eq!(said, ["<<say ready>>"]);
    let told = notices(&cast, &agent).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_said!(cast.0.home, &told[0], @"A person opened a shell in the agent's directory (Firefox on an unknown system). It is not the agent's.");
    run(&mut shell, "exit 3", "exit").await;
    let (code, message) = shell.until_ended().await;
    assert_eq!(code, close::GONE);
    assert_said!(cast.0.home, &message, @"the shell has ended: it exited");
    let told = until_seen("the end", async || notices(&cast, &agent).await, |told| told.len() == 2).await;
    assert_said!(cast.0.home, &told[1], @"The person's shell has ended (Firefox on an unknown system): it exited.");
}

#[tokio::test]
async fn a_shell_outlives_its_connection_and_is_shown_where_it_was_opened_last() {
    let (cast, agent) = place();
    let browser = Visitor::browser(&cast.0.home);
    let mut first = browser.shell(&agent).await;
    run(&mut first, "own=kept; echo 'be''gun'", "begun").await;
    first.vanish();
    let mut second = browser.shell(&agent).await;
    second.until_shown("begun").await;
    run(&mut second, "echo \"<$own>\"", "<kept>").await;
    // In another tab, it is the same.
    let mut third = browser.shell(&agent).await;
    let (code, message) = second.until_ended().await;
    assert_eq!(code, close::GONE);
    assert_said!(cast.0.home, &message, @"you opened this shell in another place");
    third.until_shown("<kept>").await;
    // A program that prints without end neither fills the memory, nor is it lost.
    third.keys("seq 1 200000; echo 'all prin''ted'\r").await;
    third.until_shown("all printed").await;
    third.tell(&ClientFrame::Redraw {}).await;
    third.until("another screen", |viewer| viewer.epoch == 2).await;
    third.until_shown("all printed").await;
    assert!(third.shown.len() < 128 * 1024, "{}", third.shown.len());
    // Without a viewer, the shell goes on.
    third.keys("sleep 0.2; seq 1 20000; echo gone-on > gone-on\r").await;
    third.vanish();
    until("the file", async || cast.0.home.work().join("gone-on").exists()).await;

    // Another person has another.
    let token = cast.0.home.paseo(&["token", "create", "--name", "laptop", "-q"]).ok().trim().to_owned();
    let mut other = Visitor::token(&cast.0.home, &token).shell(&agent).await;
    run(&mut other, "echo \"<$own>\"", "<>").await;
}

#[tokio::test]
async fn a_shell_ends_with_all_that_is_in_it() {
    let (cast, _) = place();
    let home = &cast.0.home;
    let browser = Visitor::browser(home);
    let closed: [(&str, &[&str], &str); 4] = [
        ("closed", &[], "the person closed it"),
        ("off", &["settings", "set", "web_shell", "off"], "shells in the web app were switched off"),
        ("gone", &["close"], "the agent was closed"),
        ("deleted", &["rm", "--force"], "the agent was closed"),
    ];
    for (name, command, why) in closed {
        let agent = agent(&cast);
        home.paseo(&["settings", "set", "web_shell", "on"]).ok();
        let mut shell = browser.shell(&agent).await;
        leave_behind(&cast, &mut shell).await;
        match command {
            [] => shell.tell(&ClientFrame::Release {}).await,
            ["settings", ..] => drop(home.paseo(command).ok()),
            _ => drop(home.paseo(&[command, &[agent.as_str()]].concat()).ok()),
        }
        let (code, message) = shell.until_ended().await;
        assert_eq!((code, message), (close::GONE, format!("the shell has ended: {why}")), "{name}");
        until_gone(&cast).await;
        if name != "deleted" {
            let told =
                until_seen("the end", async || notices(&cast, &agent).await, |told| told.len() == 2).await;
            assert!(told[1].ends_with(&format!("{why}.")), "{name}: {told:?}");
        }
    }
}

#[tokio::test]
async fn a_shell_ends_with_the_right_to_have_it() {
    let (cast, agent) = place();
    let home = &cast.0.home;
    // Whether its person looks at it or not.
    for looks in [true, false] {
        let browser = Visitor::browser(home);
        let mut shell = browser.shell(&agent).await;
        leave_behind(&cast, &mut shell).await;
        let before = notices(&cast, &agent).await.len();
        let shell = if looks { Some(shell) } else { (shell.vanish(), None).1 };
        for device in cast.0.client.devices().await.unwrap().devices {
            cast.0.client.revoke_device(device.id.as_ref()).await.unwrap();
        }
        if let Some(mut shell) = shell {
            assert_eq!(shell.until_ended().await.0, close::REVOKED);
        }
        until_gone(&cast).await;
        let told =
            until_seen("the end", async || notices(&cast, &agent).await, |told| told.len() > before).await;
        assert_said!(home, told.last().unwrap(), @"The person's shell has ended (device:aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1): the browser was logged out, or its token revoked.");
    }
}

#[tokio::test]
async fn a_shell_ends_with_the_daemon_and_the_next_one_says_so() {
    let (cast, agent) = place();
    let browser = Visitor::browser(&cast.0.home);
    for crashes in [false, true] {
        let browser = Visitor { address: address(&cast.0.home), ..browser.clone() };
        let mut shell = browser.shell(&agent).await;
        leave_behind(&cast, &mut shell).await;
        let before = notices(&cast, &agent).await.len();
        match crashes {
            false => {
                assert!(cast.0.home.stop_daemon());
                assert_eq!(shell.until_ended().await.0, close::GOING_AWAY);
            }
            true => assert!(cast.0.home.kill_daemon()),
        }
        until_gone(&cast).await;
        cast.0.home.paseo(&["up"]).ok();
        let told =
            until_seen("the end", async || notices(&cast, &agent).await, |told| told.len() > before).await;
        assert_said!(cast.0.home, told.last().unwrap(), @"The person's shell has ended (Firefox on an unknown system): the daemon was stopped.");
    }
}

#[tokio::test]
async fn shells_are_limited() {
    let (cast, agent) = place();
    let browser = Visitor::browser(&cast.0.home);
    let mut shells = Vec::new();
    for number in 0..5 {
        let agent = if number == 0 { agent.clone() } else { self::agent(&cast) };
        let mut shell = browser.shell(&agent).await;
        if number < 4 {
            shell.until("a screen", |viewer| viewer.epoch == 1).await;
            shells.push(shell);
        } else {
            let (code, message) = shell.until_ended().await;
            assert_eq!(code, close::TOO_MANY);
            assert_said!(cast.0.home, &message, @"you have 4 shells open already (end a shell that you do not need)");
        }
    }
    // What ends makes room.
    shells[0].tell(&ClientFrame::Release {}).await;
    shells[0].until_ended().await;
    let last = self::agent(&cast);
    until("room", async || {
        let mut shell = browser.shell(&last).await;
        while shell.epoch == 0 && shell.step().await {}
        shell.epoch == 1
    })
    .await;
}
