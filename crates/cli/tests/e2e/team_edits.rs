//! What people change about tasks, what they are warned of, and what guards refused.

use serde_json::Value;

use crate::guard::{guarded, red, sh};
use crate::json as parsed;
use crate::screens::{assert_said, assert_told};

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().map(|one| one["task"].as_str().unwrap()).collect()
}

#[test]
fn a_task_is_edited_until_it_is_completed() {
    let home = red(&["src", "docs"]);
    let edit = |flags: &[&str]| home.paseo(&[&["task", "edit", "--json"], flags].concat());
    let task = parsed(&edit(&["task-0002", "--title", "Document it", "--description", "All of it"]));
    assert_eq!((&task["title"], &task["description"]), (&"Document it".into(), &"All of it".into()));
    assert_eq!(task["resources"][0], "docs", "what was not named stays");
    let task = parsed(&edit(&["task-0002", "--dep", "task-0001", "--no-description", "--no-resources"]));
    assert_eq!((&task["status"], task["deps"][0].as_str()), (&"blocked".into(), Some("task-0001")));
    assert!(task.get("description").is_none() && task["resources"].as_array().unwrap().is_empty());

    assert_told!(home, edit(&["task-0001", "--dep", "task-0002"]), @r#"
    exit 2
    {"error":{"code":"invalid_request","message":"task-0001 cannot depend on task-0002, which depends on task-0001","hint":"remove one of the dependencies"}}
    "#);
    assert_told!(home, edit(&["task-0001", "--dep", "task-0001"]), @r#"
    exit 3
    {"error":{"code":"not_found","message":"task-0001 cannot depend on itself","hint":"choose another task to depend on"}}
    "#);
    assert_told!(home, edit(&["task-0001", "--dep", "task-0009"]), @r#"
    exit 3
    {"error":{"code":"not_found","message":"dependency task-0009 not found in this team","hint":"run `paseo task ls --team red`"}}
    "#);
    assert_told!(home, edit(&["task-0001", "--resource", "../etc"]), @r#"
    exit 2
    {"error":{"code":"invalid_request","message":"`../etc` contains `..`: name a path inside the project directory","hint":null}}
    "#);
    assert_told!(home, edit(&["task-0001"]), @r#"
    exit 2
    {"error":{"code":"usage","message":"nothing to change","hint":"pass --title, --description, --dep or --resource; `paseo task edit --help` lists all"}}
    "#);

    home.paseo(&["task", "claim", "task-0001"]).ok();
    assert_told!(home, edit(&["task-0001", "--resource", "lib"]), @r#"
    exit 6
    {"error":{"code":"conflict","message":"you own task-0001: only its title and description can be edited until it is free","hint":"free it first: `paseo task reassign task-0001`"}}
    "#);
    edit(&["task-0001", "--title", "Write it"]).ok();
    home.paseo(&["task", "complete", "task-0001"]).ok();
    assert_told!(home, edit(&["task-0001", "--title", "Too late"]), @r#"
    exit 6
    {"error":{"code":"conflict","message":"task-0001 is already completed","hint":null}}
    "#);
    let audit = home.paseo(&["team", "audit", "--newest", "3", "--json"]);
    let kinds: Vec<String> = parsed(&audit)["notices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|notice| format!("{} {}", notice["type"].as_str().unwrap(), notice["task"].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, ["task_unblocked task-0002", "task_completed task-0001", "task_edited task-0001"]);
}

#[test]
fn the_audit_trail_can_be_read_from_its_end() {
    let home = red(&["a", "b", "c", "d", "e"]);
    let cursors = |flags: &[&str]| -> Vec<u64> {
        let all = parsed(&home.paseo(&[&["team", "audit", "--json"], flags].concat()));
        all["notices"].as_array().unwrap().iter().map(|one| one["cursor"].as_u64().unwrap()).collect()
    };
    let (mut whole, backwards) = (cursors(&[]), cursors(&["--newest", "600"]));
    whole.reverse();
    assert_eq!(backwards, whole);
    assert_eq!(cursors(&["--newest", "2"]), whole[..2]);
}

#[test]
fn tasks_that_need_the_same_files_say_so() {
    let home = red(&["src", "src/io", "docs"]);
    let show = |task: &str| parsed(&home.paseo(&["task", "show", task, "--json"]));
    assert_eq!(ids(&show("task-0001")["overlaps"]), ["task-0002"]);
    assert_eq!(show("task-0002")["overlaps"][0]["theirs"], "src");
    assert!(show("task-0003").get("overlaps").is_none());
    let tasks = parsed(&home.paseo(&["task", "ls", "--json"]));
    assert_eq!(ids(&tasks["tasks"][1]["overlaps"]), ["task-0001"]);
    let shown = home.paseo(&["task", "show", "task-0001"]);
    let line = shown.ok().lines().find(|line| line.starts_with("overlaps")).unwrap();
    assert_said!(home, line);
    home.paseo(&["task", "edit", "task-0002", "--dep", "task-0001"]).ok();
    assert!(show("task-0001").get("overlaps").is_none(), "one waits for the other");
}

#[test]
fn a_lease_is_told_with_the_time_that_it_runs_on() {
    let home = red(&["src"]);
    home.paseo(&["task", "claim", "task-0001", "--ttl", "1h"]).ok();
    let page = parsed(&home.paseo(&["task", "ls", "--json"]));
    let millis = |at: &Value| -> i64 {
        let at: jiff::Timestamp = at.as_str().unwrap().parse().unwrap();
        at.as_millisecond()
    };
    let left = millis(&page["tasks"][0]["lease"]["expires_at"]) - millis(&page["now"]);
    assert!((1..=3_600_000).contains(&left), "{page}");
}

#[test]
fn a_team_remembers_what_guards_refused() {
    let home = red(&["src"]);
    let ann = guarded(&home, &[]);
    let member = || parsed(&home.paseo(&["team", "show", "--json"]))["agents"][0].clone();
    assert_eq!(member()["guard"], "lease");
    assert!(member().get("refused").is_none());
    let refusals = || parsed(&home.paseo(&["team", "refusals", "--json"]))["refusals"].clone();
    let refused = sh(&home, &ann, "touch made");
    assert_said!(home, &refused);
    assert_eq!(sh(&home, &ann, "touch made"), refused);
    let all = refusals();
    assert_eq!(all.as_array().unwrap().len(), 1, "the same again tells nothing new");
    assert_eq!(member()["refused"], all[0]);
    assert_eq!(all[0]["agent"], "ann");
    assert_said!(home, all[0]["what"].as_str().unwrap(), @"run commands");
    assert_said!(home, all[0]["why"].as_str().unwrap(), @"a command could change any file, and ann owns no task whose resource is `.`");
    assert!(home.paseo(&["team", "show"]).ok().contains("lease"));
    assert!(home.paseo(&["team", "audit"]).ok().contains("write_refused ann"));
    let version = parsed(&home.paseo(&["team", "show", "--json"]))["version"].as_u64().unwrap();
    let then = |version: u64| {
        parsed(&home.paseo(&["team", "show", "red", "--at", &version.to_string(), "--json"]))["agents"][0]
            .clone()
    };
    assert_eq!(then(version)["refused"], all[0]);
    assert_eq!((&then(version - 1)["id"], then(version - 1).get("refused")), (&"ann".into(), None));

    assert!(home.kill_daemon());
    assert_eq!(refusals(), all, "also after a crash");
    assert_told!(home, home.paseo(&["team", "refusals", "--agent", "bob", "--json"]), @r#"
    exit 3
    {"error":{"code":"not_found","message":"`bob` is not in team red","hint":"members: ann"}}
    "#);
    home.paseo(&["team", "leave", "--agent", "ann"]).ok();
    assert!(refusals().as_array().unwrap().is_empty());
}
