//! The tmux server of a home, with the real tmux.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use paseo_runtime::process::Program;
use paseo_runtime::process_table::{ancestors, descendants};
use paseo_runtime::sweep::{Sweep, marked, sweep};
use paseo_runtime::terminal::ending::kill;
use paseo_runtime::terminal::socket;
use paseo_runtime::terminal::tmux::{Error, State, Tmux};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{Place, executable, within};

/// A server that ends with its test.
pub(crate) struct Server {
    pub(crate) place: Place,
    pub(crate) tmux: Arc<Tmux>,
}

impl Server {
    pub(crate) fn new() -> Self {
        let place = Place::new();
        let tmux = Tmux::at(&socket(place.home()));
        Self { place, tmux }
    }

    pub(crate) fn program(&self, script: &str) -> Program {
        self.place.shell(script)
    }

    pub(crate) async fn start(&self, name: &str, script: &str) {
        within(self.tmux.start(name, &self.program(script))).await.unwrap();
    }

    /// Waits until a screen satisfies.
    pub(crate) async fn shows(&self, name: &str, what: impl Fn(&str) -> bool) -> String {
        within(async {
            loop {
                let text = self.tmux.capture(name, 1000).await.unwrap().text;
                if what(&text) {
                    return text;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await
    }

    async fn dead(&self, name: &str) -> State {
        within(async {
            loop {
                match self.tmux.get(name).await.unwrap().state {
                    State::Alive { .. } => tokio::time::sleep(Duration::from_millis(10)).await,
                    dead => return dead,
                }
            }
        })
        .await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end_server(self.place.home());
    }
}

/// Kills the server of a home. Asked kindly, it may wait for clients that wait for it.
pub(crate) fn end_server(home: &Path) {
    for pid in clients(home, "-D") {
        kill_process(pid, Signal::KILL).ok();
    }
}

/// Returns the processes that have the socket of a home and this word on their command line: `-D` is the server, `-C` is
/// a client in control mode.
pub(crate) fn clients(home: &Path, word: &str) -> Vec<Pid> {
    let socket = socket(home);
    let is_one = |entry: &std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        words.contains(&word.as_bytes()) && words.contains(&socket.as_os_str().as_encoded_bytes())
    };
    let found = std::fs::read_dir("/proc").unwrap().flatten().filter(is_one);
    let found: Vec<Pid> =
        found.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)).collect();
    // A process that tmux has just forked has the command line of its parent until it executes its program.
    let forked = |pid: &Pid| parent(*pid).is_some_and(|parent| found.contains(&parent));
    found.iter().copied().filter(|pid| !forked(pid)).collect()
}

fn parent(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    Pid::from_raw(rest.split_whitespace().nth(1)?.parse().ok()?)
}

/// Reads everything to the end of the file, and prints it with control characters made visible.
pub(crate) const READER: &str = "stty -echo; printf '\\033[?2004h'; echo ready; cat -v";

#[tokio::test]
async fn a_worker_that_dies_at_once_keeps_its_status_and_its_last_screen() {
    let server = Server::new();
    server.start("w-1", "echo the last words; exit 3").await;
    server.start("w-2", "kill -9 $$").await;
    let dead = |code, signal| State::Dead { code, signal, shim_killed: false };
    assert_eq!(server.dead("w-1").await, dead(Some(3), None));
    assert_eq!(server.dead("w-2").await, dead(None, Some(9)));
    assert!(server.tmux.capture("w-1", 10).await.unwrap().text.contains("the last words"));
    let names: Vec<_> = server.tmux.sessions().await.unwrap().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["w-1", "w-2"]);
    let again = within(server.tmux.restart("w-1", &server.program("echo again; sleep 100"))).await.unwrap();
    assert!(matches!(again.state, State::Alive { .. }));
    server.shows("w-1", |text| text.contains("again")).await;
}

#[tokio::test]
async fn a_paste_arrives_literally() {
    let server = Server::new();
    server.start("w-1", READER).await;
    server.shows("w-1", |text| text.contains("ready")).await;
    let text =
        "a #{pane_id} ; kill-server \"'$HOME ~ %end 1 2 1\n-x\tb é 漢 🙂\n\n{end} \\n \u{1b}[201~x\u{3}";
    within(server.tmux.paste("w-1", text)).await.unwrap();
    within(server.tmux.press("w-1", &["Enter"])).await.unwrap();
    let shown = server.shows("w-1", |text| text.contains("[201~x")).await;
    // `cat -v` shows bytes beyond ASCII in its own way, and the brackets of the paste.
    assert!(shown.contains("^[[200~a #{pane_id} ; kill-server \"'$HOME ~ %end 1 2 1\n-x"), "{shown}");
    assert!(shown.contains("{end} \\n M-bM-^PM-^[[201~xM-bM-^PM-^C^[[201~"), "{shown}");
    assert!(shown.contains("M-CM-)") && shown.contains("M-fM-<M-\""), "{shown}");
}

#[tokio::test]
async fn a_long_paste_arrives_whole() {
    let server = Server::new();
    server
        .start("w-1", "stty raw -echo; printf '\\033[?2004hready'; head -c 300012 | md5sum; sleep 100")
        .await;
    server.shows("w-1", |text| text.contains("ready")).await;
    let text = "0123456789abcde ".repeat(300_000 / 16);
    within(server.tmux.paste("w-1", &text)).await.unwrap();
    // md5 of `ESC [ 200 ~`, the text and `ESC [ 201 ~`.
    let shown = server.shows("w-1", |text| text.contains(" -")).await;
    let sum = shown
        .split_whitespace()
        .find_map(|word| word.strip_prefix("ready").or(Some(word)).filter(|word| word.len() == 32));
    let expected =
        std::fs::write(server.place.home().join("expected"), format!("\u{1b}[200~{text}\u{1b}[201~"));
    expected.unwrap();
    #[allow(clippy::disallowed_methods)]
    let output =
        std::process::Command::new("md5sum").arg(server.place.home().join("expected")).output().unwrap();
    assert_eq!(sum, String::from_utf8(output.stdout).unwrap().split_whitespace().next());
}

#[tokio::test]
async fn a_screen_that_speaks_the_protocol_is_only_shown() {
    let server = Server::new();
    let script = "for n in $(seq 1 400); do echo \"%end $(date +%s) $n 1\"; echo \"%begin $(date +%s) $n 1\"; done; echo done; sleep 100";
    server.start("w-1", script).await;
    server.shows("w-1", |text| text.ends_with("done")).await;
    let text = server.tmux.capture("w-1", 1000).await.unwrap().text;
    assert_eq!(text.lines().count(), 801);
    assert_eq!(server.tmux.sessions().await.unwrap().len(), 1);
}

#[tokio::test]
async fn captures_are_clamped_quick_and_plain() {
    let server = Server::new();
    let script = "for n in $(seq 1 3000); do printf '\\033[31mline\\007 %s\\033[0m  \\n' $n; done; printf '%0400d' 7; sleep 100";
    server.start("w-1", script).await;
    server.shows("w-1", |text| text.ends_with("0007")).await;
    for (asked, lines) in [(0, 1), (1, 1), (5, 5), (1000, 1000), (10_001, 3001), (usize::MAX, 3001)] {
        let capture = server.tmux.capture("w-1", asked).await.unwrap();
        assert_eq!((capture.text.lines().count(), capture.cut), (lines, lines < 3001), "{asked}");
        assert!(!capture.text.contains(|c: char| c.is_control() && c != '\n'));
        assert_eq!(capture.marked().starts_with("[… "), capture.cut);
    }
    // A wrapped line is one line.
    assert_eq!(server.tmux.capture("w-1", 1).await.unwrap().text.len(), 400);
}

#[tokio::test]
async fn names_are_checked_and_taken_once() {
    let server = Server::new();
    server.start("w-1", "sleep 100").await;
    let again = within(server.tmux.start("w-1", &server.program("sleep 100"))).await;
    assert!(matches!(again, Err(Error::Taken(name)) if name == "w-1"));
    for name in ["", "a.b", "a:1", "=w-1", "$(x)", "_control", "../x", "-d"] {
        let refused = within(server.tmux.start(name, &server.program("true"))).await;
        assert!(matches!(refused, Err(Error::BadName(_))), "{name}");
    }
    // A prefix is not the name.
    let nobody = within(server.tmux.capture("w", 1)).await.unwrap_err();
    assert_eq!(
        (nobody.code(), nobody.to_string().as_str()),
        ("session_not_found", "worker `w` not found; existing: `w-1`")
    );
    assert!(matches!(within(server.tmux.press("w-1", &["rm -rf"])).await, Err(Error::BadKey(_))));
}

#[tokio::test]
async fn the_environment_is_of_that_worker_alone() {
    let server = Server::new();
    let hostile = "a;b #{pane_id} $HOME \"'\\ \n x é %";
    let mut first = server.program("printf '%s|' \"$SECRET\"; env | grep -c '^TMUX'; echo done; sleep 100");
    first.environment.push(("SECRET".to_owned(), hostile.to_owned()));
    first.directory = server.place.home().join("a #{pane_id} ; %H");
    std::fs::create_dir(&first.directory).unwrap();
    within(server.tmux.start("w-1", &first)).await.unwrap();
    let shown = server.shows("w-1", |text| text.ends_with("done")).await;
    assert_eq!(shown, "a;b #{pane_id} $HOME \"'\\\n x é %|0\ndone");
    let mut second = server.program("echo \"[$SECRET][$HOME]\"; pwd; sleep 100");
    second.removed.push("HOME".to_owned());
    second.directory = first.directory.clone();
    within(server.tmux.start("w-2", &second)).await.unwrap();
    let shown = server.shows("w-2", |text| text.contains(";")).await;
    assert!(shown.starts_with("[]["), "{shown}");
    assert!(shown.ends_with("a #{pane_id} ; %H"), "{shown}");
    let State::Alive { pid } = server.tmux.get("w-1").await.unwrap().state else { panic!("it ended") };
    // On no command line: those are for everyone to read.
    for process in ancestors(pid).unwrap() {
        let line = std::fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&line).contains("a;b"));
    }
}

/// Opens a window and a pane beside a worker's program, as a person does, and returns the environment of both.
async fn beside(server: &Server) -> String {
    for words in ["new-window", "split-window"] {
        let script = format!("env > {words}.part; mv {words}.part {words}; sleep 100");
        let home = server.place.home().to_str().unwrap();
        let command = [words, "-c", home, "-t", "=w-1:", "--", "sh", "-c", &script];
        #[allow(clippy::disallowed_methods)]
        let mut tmux = std::process::Command::new("tmux");
        tmux.arg("-S").arg(socket(server.place.home())).args(command);
        assert!(tmux.status().unwrap().success());
    }
    let mut seen = String::new();
    for file in ["new-window", "split-window"] {
        let file = server.place.home().join(file);
        let read = within(async {
            loop {
                match std::fs::read_to_string(&file) {
                    Ok(read) => return read,
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            }
        });
        seen.push_str(&read.await);
        std::fs::remove_file(&file).unwrap();
    }
    seen
}

#[tokio::test]
async fn windows_of_people_beside_a_worker_have_nothing_of_its_own() {
    let server = Server::new();
    let mut program = server.program("echo \"[$SECRET]\"; read end");
    program.directory = server.place.home().to_owned();
    program.environment.push(("SECRET".to_owned(), "its own".to_owned()));
    let is_bare = |seen: &str| {
        assert!(seen.contains("PATH=") && !seen.contains("SECRET"), "{seen}");
        assert!(!seen.contains(&server.place.session.to_string()), "{seen}");
    };
    within(server.tmux.start("w-1", &program)).await.unwrap();
    server.shows("w-1", |text| text.contains("[its own]")).await;
    is_bare(&beside(&server).await);
    // Nor when it was started again, which finds all of its own.
    within(server.tmux.press("w-1", &["Enter"])).await.unwrap();
    server.dead("w-1").await;
    program.environment.pop();
    program.environment.push(("SECRET".to_owned(), "another".to_owned()));
    within(server.tmux.restart("w-1", &program)).await.unwrap();
    server.shows("w-1", |text| text.contains("[another]")).await;
    is_bare(&beside(&server).await);
}

#[tokio::test]
async fn the_end_of_a_worker_is_the_end_of_what_it_started() {
    let server = Server::new();
    let mut witness = server.place.witness();
    let script = "trap '' HUP TERM; setsid sh -c 'trap \"\" HUP TERM; exec 9>witness; echo ready $$ >&9; sleep 1000' & wait; sleep 1000";
    server.start("w-1", script).await;
    witness.line().await;
    let home = server.place.home().to_owned();
    within(kill(&server.tmux, "w-1", home, server.place.session)).await.unwrap();
    witness.gone().await;
    assert_eq!(server.tmux.sessions().await.unwrap(), []);
    // The server is still there for the next one.
    server.start("w-1", "sleep 100").await;
}

#[tokio::test]
#[allow(clippy::disallowed_methods)]
async fn sweeps_spare_whoever_lives_in_a_terminal_and_a_killed_daemon_leaves_it() {
    let server = Server::new();
    let mut daemon = tokio::process::Command::new(executable())
        .args(["terminals", "--", "sh", "-c", "setsid sleep 1000 & sleep 1000"])
        .current_dir(server.place.home())
        .env("TEST_SESSION", server.place.session.to_string())
        // All of this would lead a tmux astray that heeds it.
        .envs([
            ("TMUX", "/nowhere,1,0"),
            ("TMUX_TMPDIR", "/nowhere"),
            ("TMUX_PANE", "%7"),
            ("TERM", "nonsense"),
        ])
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut told = BufReader::new(daemon.stdout.take().unwrap()).lines();
    assert_eq!(within(told.next_line()).await.unwrap().as_deref(), Some("1 spared, 0 ended"));
    let alive = server.tmux.get("w-1").await.unwrap().state;
    daemon.kill().await.unwrap();
    let State::Alive { pid } = alive else { panic!("it was swept") };
    within(async {
        while descendants(pid).len() < 3 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    assert_eq!(server.tmux.get("w-1").await.unwrap().state, alive);
    assert!(marked(server.place.home()).contains(&server.place.session));
    // Without a word for it, nobody is spared.
    let home = server.place.home().to_owned();
    let swept = tokio::task::spawn_blocking(move || sweep(&home, Sweep::AllBut(&[])));
    assert!(swept.await.unwrap() >= 1);
}

#[tokio::test]
async fn a_broken_connection_is_made_anew() {
    let server = Server::new();
    server.start("w-1", "sleep 1000").await;
    // Whoever ends our client in the server ends the connection.
    #[allow(clippy::disallowed_methods)]
    let detached = std::process::Command::new("tmux")
        .arg("-S")
        .arg(socket(server.place.home()))
        .args(["detach-client", "-s", "=_control"])
        .status()
        .unwrap();
    assert!(detached.success());
    within(async {
        while server.tmux.sessions().await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    end_server(server.place.home());
    within(async {
        while server.tmux.sessions().await.map_or(true, |sessions| !sessions.is_empty()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    server.start("w-1", "sleep 1000").await;
}
