//! A person at the terminal of a worker: how it is come to and left.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use paseo_testkit::home::TestHome;

use crate::cast::Cast;
use crate::pty::Terminal;
use crate::screens::{assert_said, assert_told};
use crate::workers::{red_at, started, tmux, until, until_seen};

/// A tmux of a person, which ends with its test.
struct Outer(PathBuf);

impl Outer {
    fn new(home: &TestHome) -> Self {
        let outer = Self(home.work().with_file_name("outer.sock"));
        outer.run(&["new-session", "-d", "-s", "mine", "--", "sleep", "1000"]);
        outer
    }

    #[allow(clippy::disallowed_methods)] // A person's own tmux.
    fn run(&self, words: &[&str]) {
        let mut command = Command::new("tmux");
        command.args(["-f", "/dev/null", "-S"]).arg(&self.0).args(words).stdin(Stdio::null());
        assert!(command.status().unwrap().success());
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

/// Leaves a terminal as people do, one key after the other: tmux takes what comes at once for a paste. Returns the exit
/// code and what was shown.
async fn leave(cast: &Cast, mut terminal: Terminal) -> (Option<i32>, String) {
    let waits = || tmux(cast, &["list-clients", "-t", "=red-1", "-F", "#{client_prefix}"]).output().unwrap();
    let mut looks = 0;
    let press_and_look = async || {
        // A key is forgotten that comes in the very moment of attaching.
        if looks % 50 == 0 {
            terminal.type_in("\x02");
        }
        looks += 1;
        waits()
    };
    until_seen("the first key", press_and_look, |told| told.stdout == b"1\n").await;
    terminal.type_in("d");
    terminal.until("detached");
    let (code, shown, _) = terminal.finish();
    (code, shown)
}

fn at_a_terminal() -> Cast {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    home.set("TERM", "xterm");
    red_at(home)
}

#[tokio::test]
async fn a_person_attaches_a_real_terminal_and_leaves_it() {
    let mut cast = at_a_terminal();
    let worker = started(&cast, "<<say look at me>>").await;
    cast.0.settled(&worker.session).await;
    let mut terminal = Terminal::start(&cast.0.home, 100, &["worker", "attach", "red-1"]);
    terminal.until("look at me");
    until("the one who looks", async || cast.0.client.worker("red-1").await.unwrap().worker.attached == 1)
        .await;
    let (code, _) = leave(&cast, terminal).await;
    assert_eq!(code, Some(0));
    assert!(cast.0.client.worker("red-1").await.unwrap().worker.alive);
    // Without a terminal it is refused, with what else there is.
    let refused = cast.0.home.paseo(&["worker", "attach", "red-1"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert_told!(cast.0.home, refused, @r"
    exit 6
    error: cannot attach without a terminal
     hint: print the screen with `paseo worker capture red-1`, or run: /usr/bin/tmux -u -S /tmp/paseo-000000/home/tmux.sock attach-session -t '=red-1:.%1'
    ");
    cast.0.home.set("TERM", "dumb");
    let (code, shown, _) = Terminal::start(&cast.0.home, 100, &["worker", "attach", "red-1"]).finish();
    assert_eq!(code, Some(6), "{shown}");
    assert_said!(cast.0.home, &shown.split_whitespace().collect::<Vec<_>>().join(" "), @"error: this terminal can't show another one (`TERM` is `dumb`) hint: print the screen with `paseo worker capture red-1`");
}

#[tokio::test]
async fn whoever_comes_back_sees_the_worker_and_not_what_was_opened_beside_it() {
    let cast = at_a_terminal();
    let worker = started(&cast, "<<say look at me>>").await;
    cast.0.settled(&worker.session).await;
    for beside in ["split-window", "new-window"] {
        let made = tmux(&cast, &[beside, "-t", "=red-1:", "--", "sh", "-c", "env; sleep 1000"]).status();
        assert!(made.unwrap().success());
    }
    let others = "#{pane_id} #{window_active}#{pane_active} #{==:#{pane_id},#{@paseo_pane}}";
    let listed = || tmux(&cast, &["list-panes", "-s", "-t", "=red-1", "-F", others]).output().unwrap();
    assert!(!String::from_utf8_lossy(&listed().stdout).contains(" 11 1"), "{:?}", listed());
    let mut terminal = Terminal::start(&cast.0.home, 100, &["worker", "attach", "red-1"]);
    terminal.until("look at me");
    assert!(String::from_utf8_lossy(&listed().stdout).contains(" 11 1"), "{:?}", listed());
    leave(&cast, terminal).await;
    // A person who opens a window there is not the agent.
    let target = "=red-1:1";
    let seen = || tmux(&cast, &["capture-pane", "-p", "-S", "-", "-t", target]).output().unwrap().stdout;
    let seen = until_seen(
        "the environment",
        async || String::from_utf8(seen()).unwrap(),
        |text| text.contains("PATH="),
    )
    .await;
    for own in ["PASEO_SESSION", "PASEO_TOKEN", "PI_TEAMD_TOKEN", "PI_AGENT_ID"] {
        assert!(!seen.contains(own), "{seen}");
    }
}

#[tokio::test]
async fn whoever_looks_at_a_worker_when_it_ends_is_told_so() {
    let cast = at_a_terminal();
    let worker = started(&cast, "<<say look at me>>").await;
    cast.0.settled(&worker.session).await;
    let mut terminal = Terminal::start(&cast.0.home, 100, &["worker", "attach", "red-1"]);
    terminal.until("leaves it running");
    terminal.type_in("<<crash 3>>\r");
    terminal.until("has ended with 3: a message starts it again");
    assert_eq!(leave(&cast, terminal).await.0, Some(0));
}

#[tokio::test]
async fn whoever_comes_from_a_tmux_of_their_own_is_told_how_to_leave() {
    let mut cast = at_a_terminal();
    let worker = started(&cast, "<<say look at me>>").await;
    cast.0.settled(&worker.session).await;
    let outer = Outer::new(&cast.0.home);
    cast.0.home.set("TMUX", format!("{},1,0", outer.0.display()));
    let mut terminal = Terminal::start(&cast.0.home, 100, &["worker", "attach", "red-1"]);
    terminal.until("C-b C-b d detaches");
    // So says its status line for good, and nobody else's.
    terminal.type_in("x");
    terminal.until("C-b C-b d leaves it running");
    leave(&cast, terminal).await;
    // One that takes another key lets ours through.
    outer.run(&["set-option", "-g", "prefix", "C-a"]);
    let mut terminal = Terminal::start(&cast.0.home, 100, &["worker", "attach", "red-1"]);
    terminal.until("C-b d leaves it running");
    assert!(!leave(&cast, terminal).await.1.contains("C-b C-b"));
}
