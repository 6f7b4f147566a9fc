//! `GET /api/diagnosis`: the daemon checks its machine as `paseo doctor` does.

use std::fs;

use paseo_wire::diagnosis::{Check, Diagnosis};
use paseo_wire::words::Verdict;

use crate::watch::Watched;

fn by_doctor(watched: &Watched) -> Diagnosis {
    serde_json::from_str(&watched.home.paseo(&["doctor", "--json"]).stdout).unwrap()
}

#[tokio::test]
async fn the_daemon_finds_what_the_command_finds() {
    let watched = Watched::new();
    let of_daemon = watched.client.diagnosis().await.unwrap();
    let mut of_command = by_doctor(&watched).checks;
    let terminal = of_command.pop().unwrap();
    assert_eq!(terminal.name, "terminal", "only a command has one");
    let found = |checks: &[Check]| -> Vec<(String, Verdict)> {
        checks.iter().map(|check| (check.name.clone(), check.verdict.clone())).collect()
    };
    assert_eq!(found(&of_daemon.checks), found(&of_command));
    let of = |name: &str| of_daemon.checks.iter().find(|check| check.name == name).unwrap();
    assert!(of("socket").found.contains("daemon.sock"), "{of_daemon:#?}");
    assert_eq!((of("git").verdict.clone(), of_daemon.ok), (Verdict::Ok, true), "{of_daemon:#?}");
}

#[tokio::test]
async fn what_was_broken_since_the_daemon_started_is_found() {
    let watched = Watched::new();
    watched.client.health().await.unwrap();
    fs::write(watched.home.path().join("config.toml"), "listen = ").unwrap();
    let found = watched.client.diagnosis().await.unwrap();
    let config = found.checks.iter().find(|check| check.name == "config").unwrap();
    assert_eq!((found.ok, &config.verdict), (false, &Verdict::Fail), "{found:#?}");
    assert!(config.fix.is_some(), "{config:?}");
}

#[tokio::test]
async fn agents_cannot_examine_the_machine() {
    let watched = Watched::new();
    let socket = watched.home.path().join("daemon.sock");
    let ask = format!("<<sh curl -s --unix-socket {} http://localhost/api/diagnosis>>", socket.display());
    let ran = watched.home.paseo(&["run", &ask]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let said = watched.home.paseo(&["ls", "-q"]);
    let logs = watched.home.paseo(&["logs", said.ok().trim(), "--json"]);
    let (refused, examined) = (r#"\"code\":\"forbidden\""#, r#"\"checks\""#);
    assert!(logs.ok().contains(refused) && !logs.ok().contains(examined), "{}", logs.stdout);
}
