//! Guarded agents that ask a person: what they hold counts when they are answered, not when they asked.

use std::fs;

use paseo_testkit::home::TestHome;
use paseo_wire::worker::StartWorker;
use serde_json::Value;

use crate::cast::Cast;
use crate::screens::{assert_said, assert_told};
use crate::workers::{red, type_in, until, wanted};
use crate::{Transcript, home, json};

/// Starts `ann`, who is guarded, holds `task-0001` for all of the project, and asks for a command.
fn asking(home: &TestHome) -> String {
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    home.paseo(&["task", "create", "All of it", "--resource", "."]).ok();
    let script = "<<tool team_tasks_claim {\"taskId\":\"task-0001\"}>><<sh touch made>><<say over>>";
    let made = json(&home.paseo(&[
        "run",
        "-d",
        "--json",
        "--team",
        "red",
        "--member",
        "ann",
        "--guard",
        "lease",
        "--permissions",
        "ask",
        script,
    ]));
    let ann = made["session"]["id"].as_str().unwrap().to_owned();
    assert_eq!(home.paseo(&["wait", &ann]).code, 4);
    ann
}

fn is_decided(item: &Value) -> bool {
    item["kind"] == "permission" && !item["fields"]["decision"].is_null()
}

#[test]
fn leave_is_given_for_what_is_held_when_it_is_given() {
    let home = home();
    let ann = asking(&home);
    home.paseo(&["task", "cancel", "task-0001"]).ok();
    home.paseo(&["task", "create", "All again", "--resource", "."]).ok();
    home.paseo(&["task", "claim", "task-0002"]).ok();
    let told = home.paseo(&["permit", "allow", "--yes", "--always", "-m", "go on", &ann]);
    assert_eq!(told.code, 6, "{told:?}");
    assert_told!(home, told, @r"
    exit 6
    error: the request was denied: the agent is guarded and owns no task that covers this. Your message was not delivered. The agent got this reason: Not done: you may not run commands. You may change only files of tasks that you own: user owns task-0002, which covers `.`: wait until it is done, or ask user. List tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.
     hint: run `paseo task ls` to see who owns which task, and assign one with `paseo task reassign`
    ");

    let mut transcript = Transcript::follow(&home, &ann);
    let decided = transcript.until(is_decided);
    let fields = &decided["fields"];
    assert_eq!((&fields["decision"], &fields["by"]), (&"deny".into(), &"daemon".into()), "{decided}");
    let result = transcript.until(|item| item["kind"] == "tool_result");
    assert_said!(home, result["text"].as_str().unwrap(), @"Not done: you may not run commands. You may change only files of tasks that you own: user owns task-0002, which covers `.`: wait until it is done, or ask user. List tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.");
    home.paseo(&["wait", &ann]).ok();
    assert!(!home.work().join("made").exists());
    assert!(home.paseo(&["permit", "rules", "-q"]).ok().is_empty(), "nothing was allowed for good");
    assert_eq!(home.paseo(&["permit", "allow", "--yes", &ann]).code, 6, "it asks no more");
}

#[test]
fn leave_is_given_as_ever_for_what_is_still_held() {
    let home = home();
    let ann = asking(&home);
    home.paseo(&["permit", "allow", "--yes", &ann]).ok();
    home.paseo(&["wait", &ann]).ok();
    assert!(home.work().join("made").exists());
}

#[tokio::test]
async fn whoever_sits_at_the_terminal_gives_leave_for_what_is_held_then() {
    let cast: Cast = red();
    let home = &cast.0.home;
    home.paseo(&["task", "create", "All of it", "--resource", "."]).ok();
    fs::create_dir_all(home.path().join("agents")).unwrap();
    let asker = "provider = 'scripted'\npermissions = 'ask'\nguard = 'lease'\n";
    fs::write(home.path().join("agents/asker.toml"), asker).unwrap();
    home.trust();
    let claim = "<<tool team_tasks_claim {\"taskId\":\"task-0001\"}>>";
    let task = format!("{claim}<<sh touch made>><<sh touch more>><<say over>>");
    let wanted = StartWorker { agent: Some("asker".to_owned()), provider: None, ..wanted(&task) };
    let worker = cast.0.client.start_worker(&wanted, None).await.unwrap().worker;
    let waits = async || cast.view(&worker.session).await.status.as_str() == "waiting";
    until("the question", waits).await;
    type_in(&cast, "red-1", &["y"]);
    until("what was allowed", async || home.work().join("made").exists()).await;
    until("the next question", waits).await;
    home.paseo(&["task", "cancel", "task-0001"]).ok();
    type_in(&cast, "red-1", &["y"]);
    cast.0.settled(&worker.session).await;
    assert_eq!(cast.said(&worker.session).await, ["over"]);
    let called = cast.called(&worker.session).await.pop().unwrap();
    assert_said!(home, &called.text, @"Not done: you may not run commands. You may change only files of tasks that you own: a command could change any file, so claim a task whose resource is `.`, or use the file tools. List tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.");
    assert!(!home.work().join("more").exists());
}
