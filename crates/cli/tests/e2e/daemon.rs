//! Starting and stopping the daemon, and what stands in the way.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use paseo_testkit::home::finish;

use crate::screens::{assert_said, assert_told};
use crate::{assert_shown, home, json, start, start_hanging};

#[test]
fn up_and_down_can_be_repeated() {
    let home = home();
    assert_told!(home, home.paseo(&["down"]), @r"
    exit 0
    The daemon was not running.
    ");
    let up = json(&home.paseo(&["up", "--json"]));
    assert_eq!(up["pid"].as_u64().map(|pid| pid as u32), home.daemon_pid());
    let status = home.paseo(&["status"]);
    let row = status.ok().lines().find(|line| line.starts_with("providers ")).unwrap();
    assert!(row.contains("scripted") && row.contains("paseo providers") && !row.contains("gemini"), "{row}");
    let again = home.paseo(&["up"]);
    assert!(again.ok().contains(&up["pid"].to_string()), "{again:?}");
    assert_told!(home, again, @r"
    exit 0
    The daemon is already running.
    ");
    assert_told!(home, home.paseo(&["down"]), @r"
    exit 0
    Stopped the daemon.
    ");
    assert_eq!(home.daemon_pid(), None);
    assert!(!home.path().join("daemon.sock").exists());
}

#[test]
fn restart_starts_nothing_where_nothing_may_be_started() {
    let home = home();
    let refused = home.paseo(&["restart", "--no-start"]);
    assert_told!(home, refused, @r"
    exit 7
    error: the daemon is not running
     hint: run `paseo up`, or drop --no-start and PASEO_NO_START
    ");
    assert_eq!(home.daemon_pid(), None);
    home.paseo(&["up"]).ok();
    let before = home.daemon_pid();
    home.paseo(&["restart", "--no-start"]).ok();
    assert!(home.daemon_pid().is_some() && home.daemon_pid() != before);
}

#[test]
fn whoever_stops_the_daemon_is_told_what_was_interrupted() {
    let home = home();
    start_hanging(&home);
    assert_eq!(
        home.paseo(&["restart"]).stderr.lines().take(2).collect::<Vec<_>>(),
        [
            "1 agent is working and will be interrupted. To continue it later, run `paseo send`",
            "Stopped the daemon."
        ]
    );
    start_hanging(&home);
    let asking = start(&home, "<<ask may I>>");
    assert_eq!(home.paseo(&["wait", &asking]).code, 4);
    let down = home.paseo(&["down"]);
    assert_shown!(home, down.stderr, @r"
    1 agent is working and will be interrupted. To continue it later, run `paseo send`
    1 agent is waiting for your answer; its request will be withdrawn. To continue the agent later, run `paseo send`
    Stopped the daemon.
    ");
    assert_eq!(home.paseo(&["ls", "-q"]).ok().lines().count(), 3, "as they were told: nothing is lost");
}

#[test]
fn status_never_starts_anything() {
    let home = home();
    let down = home.paseo(&["status"]);
    assert_eq!((down.code, down.stdout.as_str()), (7, ""));
    assert_shown!(home, down.stderr, @r"
    error: the daemon for [DIR]/home is not running
     hint: start it with `paseo up`
    ");
    assert!(!home.path().exists());
    start(&home, "<<hang>>");
    let status = json(&home.paseo(&["status", "--json"]));
    for key in ["pid", "socket", "url", "version", "home", "sessions"] {
        assert!(!status[key].is_null(), "{key}");
    }
    assert_eq!(status["home"], home.path().to_str().unwrap());
    home.paseo(&["status"]).ok();
}

#[test]
fn restart_keeps_everything_and_changes_the_process() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let before = home.daemon_pid();
    home.paseo(&["restart"]).ok();
    assert_ne!(home.daemon_pid(), before);
    assert_eq!(home.paseo(&["ls", "-q"]).ok(), handle);
}

#[test]
fn many_commands_at_once_start_one_daemon() {
    let home = home();
    let children: Vec<_> = (0..8).map(|_| home.spawn(&["ls", "--json"])).collect();
    for child in children {
        finish(child).ok();
    }
    assert_eq!(home.daemons().len(), 1);
}

#[test]
fn a_command_right_after_the_end_of_a_daemon_starts_a_new_one() {
    let home = home();
    home.paseo(&["up"]).ok();
    let stopping = home.spawn(&["down"]);
    home.paseo(&["up"]).ok();
    finish(stopping).ok();
    home.paseo(&["ls"]).ok();
    assert!(home.kill_daemon());
    home.paseo(&["ls"]).ok();
}

#[test]
fn no_start_means_no_start() {
    let mut home = home();
    let flag = home.paseo(&["ls", "--no-start"]);
    assert_eq!(flag.code, 7);
    assert_told!(home, flag);
    home.set("PASEO_NO_START", "1");
    assert_eq!(home.paseo(&["ls"]).code, 7);
    assert_eq!(home.daemon_pid(), None);
    home.paseo(&["up"]).ok();
    home.paseo(&["ls"]).ok();
}

#[test]
fn inside_an_agent_no_daemon_is_started() {
    let mut home = home();
    home.set("PASEO_SESSION", "3f2a0000-0000-4000-8000-000000000000");
    for command in ["ls", "up", "restart"] {
        let output = home.paseo(&[command]);
        assert!(matches!(output.code, 6 | 7), "{output:?}");
        assert_told!(home, output);
    }
    assert_eq!(home.daemon_pid(), None);
    home.unset("PASEO_SESSION");
}

#[test]
fn the_home_is_private() {
    let home = home();
    home.paseo(&["up"]).ok();
    let mode = |name: &str| home.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(""), mode("log"), mode("daemon.sock"), mode("start.lock")),
        (0o700, 0o700, 0o600, 0o600)
    );
}

#[test]
fn a_home_that_cannot_be_one_is_named() {
    let mut home = home();
    std::fs::write(home.work().join("file"), "").unwrap();
    for place in ["file", "file/below", "/proc/paseo"] {
        home.set("PASEO_HOME", place);
        let output = home.paseo(&["ls"]);
        assert_eq!((output.code, output.stdout.as_str()), (7, ""), "{output:?}");
        assert_told!(home, output);
    }
    home.set("PASEO_HOME", "x".repeat(150));
    let long = home.paseo(&["ls"]);
    assert_told!(home, long);
    let path = home.path();
    home.set("PASEO_HOME", path);
}

#[test]
fn a_taken_port_is_named() {
    let mut home = home();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    home.set("PASEO_LISTEN", taken.local_addr().unwrap().to_string());
    let output = home.paseo(&["ls"]);
    assert_eq!(output.code, 7);
    assert_told!(home, output);
    assert_eq!(home.daemon_pid(), None);
    home.set("PASEO_LISTEN", "nowhere");
    assert_eq!(home.paseo(&["ls"]).code, 2);
}

#[test]
fn a_corrupt_or_newer_database_is_refused_with_words() {
    let home = home();
    start(&home, "x");
    home.paseo(&["down"]).ok();
    let database = home.path().join("paseo.sqlite3");
    let sound = std::fs::read(&database).unwrap();

    let mut newer = sound.clone();
    newer[60..64].copy_from_slice(&999_u32.to_be_bytes());
    std::fs::write(&database, &newer).unwrap();
    let output = home.paseo(&["ls"]);
    assert_eq!(output.code, 7, "{output:?}");
    assert_told!(home, output);

    std::fs::write(&database, "this is no database at all, whatever its name says").unwrap();
    let output = home.paseo(&["ls"]);
    assert_eq!(output.code, 7, "{output:?}");
    assert_told!(home, output);

    std::fs::write(&database, &sound).unwrap();
    assert_eq!(home.paseo(&["ls", "-q"]).ok().lines().count(), 1);
}

#[test]
fn a_session_that_cannot_be_read_leaves_the_others_alone() {
    let home = home();
    let [lost, kept] = ["a", "b"].map(|prompt| {
        let handle = start(&home, prompt);
        home.paseo(&["wait", &handle]).ok();
        json(&home.paseo(&["inspect", &handle, "--json"]))["id"].as_str().unwrap().to_owned()
    });
    home.paseo(&["down"]).ok();
    let database = home.path().join("paseo.sqlite3");
    let mut bytes = std::fs::read(&database).unwrap();
    let sound = format!(r#""history":{{"reference":"{lost}"#);
    let places: Vec<usize> =
        (0..bytes.len()).filter(|at| bytes[*at..].starts_with(sound.as_bytes())).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| bytes[at + r#""history":"#.len()] = b'[');
    std::fs::write(&database, bytes).unwrap();

    assert_eq!(home.paseo(&["send", &kept, "--wait", "again"]).code, 0);
    let unread =
        home.paseo(&["daemon", "logs"]).ok().lines().filter(|line| line.contains("cannot read")).count();
    assert!(unread > 0, "it is noted");
}

#[test]
fn the_log_can_be_read() {
    let home = home();
    let none = home.paseo(&["daemon", "logs"]);
    assert_eq!(none.code, 3);
    home.paseo(&["up"]).ok();
    assert!(home.paseo(&["daemon", "logs"]).ok().contains("ready"));
    assert_eq!(home.paseo(&["daemon", "logs", "-n", "1"]).ok().lines().count(), 1);
}

#[test]
fn a_daemon_in_the_foreground_says_when_it_is_ready_and_stops_on_a_signal() {
    use std::io::{BufRead, BufReader};

    let home = home();
    let mut child = home.spawn(&["daemon", "run"]);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    // Lines of the log come as well.
    let is_told = |said: &str| said.lines().any(|line| line.contains("http://") && !line.contains(" INFO "));
    while !is_told(&said) {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    assert_said!(home, said.lines().last().unwrap(), @"paseo is ready: http://127.0.0.1:40000 (pid 1000, ctrl-C stops it)");
    home.paseo(&["ls", "--no-start"]).ok();
    let second = home.paseo(&["daemon", "run"]);
    assert_eq!(second.code, 7);
    assert_told!(home, second);
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM)
        .unwrap();
    assert_eq!(finish(child).code, 0);
}
