//! Following a team: every change of its tasks as it happens.

use std::io::{BufRead, BufReader};

use paseo_testkit::home::finish;
use paseo_wire::error::Code;
use paseo_wire::stream::Frame;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::screens::{assert_said, assert_told};
use crate::teamd::{Team, ask};
use crate::watch::{Watched, next};

#[tokio::test]
async fn a_team_can_be_followed() {
    let watched = Watched::new();
    let home = &watched.home;
    for team in ["red", "blue"] {
        home.paseo(&["team", "create", team]).ok();
    }
    let seq = watched.client.team("red").await.unwrap().seq;
    let mut events = watched.client.events(seq, &["team:red"]);
    home.paseo(&["task", "create", "Elsewhere", "--team", "blue"]).ok();
    home.paseo(&["task", "create", "Parse", "--team", "red"]).ok();
    home.paseo(&["task", "claim", "task-0001", "--team", "red", "--ttl", "1s"]).ok();
    let mut seen = Vec::new();
    while seen.len() < 3 {
        if let Frame::Team(frame) = next(&mut events).await {
            assert_eq!((frame.team.as_str(), frame.task.as_deref()), ("red", Some("task-0001")));
            seen.push((serde_json::to_value(frame.change).unwrap(), frame.actor));
        }
    }
    let kinds: Vec<(&str, &str)> =
        seen.iter().map(|(change, by)| (change["type"].as_str().unwrap(), by.as_str())).collect();
    assert_eq!(
        kinds,
        [("task_created", "human:cli"), ("task_claimed", "human:cli"), ("task_expired", "daemon")]
    );
    assert_eq!((&seen[1].0["epoch"], &seen[2].0["epoch"]), (&json!(1), &json!(1)));
    let unknown = watched.client.events(0, &["team:green"]).next().await.unwrap_err();
    assert_eq!(unknown.code(), Some(Code::NotFound), "{unknown}");
    assert_said!(home, &unknown.to_string(), @"team `green` not found");
}

/// Whoever belongs to a team follows it, and no other.
#[test]
fn an_agent_follows_its_own_team() {
    let team = Team::new();
    team.home.paseo(&["team", "create", "blue"]).ok();
    let ann = team.agent("ann");
    let headers = format!("authorization: Bearer {}\r\n", ann.token);
    let (status, refused) = ask(&team.address, "GET", "/api/stream?topics=team:blue", "", &headers);
    assert_eq!(status, 403, "{refused}");
    let (status, refused) = ask(&team.address, "GET", "/api/stream?topics=sessions", "", &headers);
    assert_eq!(status, 403, "{refused}");
}

#[test]
fn the_tasks_are_shown_again_whenever_they_change() {
    let team = Team::new();
    let home = &team.home;
    let mut child = home.spawn(&["task", "ls", "--watch", "--json"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "it ended early");
        serde_json::from_str::<Value>(&line).unwrap()
    };
    assert_eq!(next()["tasks"], json!([]));
    home.paseo(&["task", "create", "Parse"]).ok();
    assert_eq!(next()["tasks"][0]["status"], "pending");
    home.paseo(&["task", "claim", "task-0001", "--ttl", "1s"]).ok();
    assert_eq!(next()["tasks"][0]["status"], "in_progress");
    assert_eq!(next()["tasks"][0]["status"], "pending", "the lease ran out");
    // A restart of the daemon is no reason to end.
    assert!(home.kill_daemon());
    home.paseo(&["task", "cancel", "task-0001"]).ok();
    let mut view = next();
    while view["tasks"][0]["status"] != "canceled" {
        view = next();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = finish(child);
    assert_eq!((output.code, output.stderr.as_str()), (130, ""));
}

#[test]
fn watching_ends_with_the_team() {
    let team = Team::new();
    let mut child = team.home.spawn(&["task", "ls", "--watch", "--json"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    team.home.paseo(&["team", "rm", "red"]).ok();
    let output = finish(child);
    assert_eq!(output.code, 0, "{output:?}");
    assert_told!(team.home, output, @r"
    exit 0
    Team red is closed.
    ");
    // Clients of teamd are told so as well: people read on, and do nothing.
    let person = team.home.paseo(&["token", "create", "--name", "test", "-q"]).ok().to_owned();
    let headers = format!("authorization: Bearer {person}\r\n");
    assert_eq!(ask(&team.address, "GET", "/v1/tasks?teamId=red", "", &headers).0, 200);
    let body = json!({ "teamId": "red", "title": "More" }).to_string();
    let (status, refused) = ask(&team.address, "POST", "/v1/tasks", &body, &headers);
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("TEAM_CLOSED")), "{refused}");
}
