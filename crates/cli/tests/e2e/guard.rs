//! Guarded agents without a model: who is one, who cannot be, and that nobody gets around it by having others do the work.

use std::fs;

use paseo_testkit::home::TestHome;
use paseo_wire::worker::StartWorker;
use serde_json::{Value, json};

use crate::cast::Cast;
use crate::screens::{assert_said, assert_told};
use crate::workers::{red as red_workers, wanted};
use crate::worktrees::make_repository;
use crate::{home, inspect, json as parsed};

/// A home with the team `red`, and tasks for these resources.
pub(crate) fn red(resources: &[&str]) -> TestHome {
    let home = home();
    make_repository(&home.work());
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    for resource in resources {
        home.paseo(&["task", "create", "A task", "--resource", resource]).ok();
    }
    home
}

fn run(home: &TestHome, flags: &[&str], prompt: &str) -> String {
    let made = parsed(&home.paseo(&[&["run", "-d", "--json"], flags, &[prompt]].concat()));
    let id = made["session"]["id"].as_str().unwrap().to_owned();
    home.paseo(&["wait", &id]).ok();
    id
}

pub(crate) fn guarded(home: &TestHome, more: &[&str]) -> String {
    run(home, &[&["--team", "red", "--member", "ann", "--guard", "lease"], more].concat(), "<<say hello>>")
}

fn give(home: &TestHome, task: &str) {
    home.paseo(&["task", "reassign", task, "--to", "ann"]).ok();
}

/// Returns what the newest command of an agent printed, or why it did not run.
pub(crate) fn sh(home: &TestHome, id: &str, command: &str) -> String {
    home.paseo(&["send", id, "--wait", &format!("<<sh {command}>><<say done>>")]).ok();
    let logs = home.paseo(&["logs", "--json", id]);
    let mut items = logs.ok().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let result = items.rfind(|item| item["kind"] == "tool_result").unwrap();
    result["text"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_command_needs_all_of_the_project() {
    let home = red(&["src", "."]);
    let ann = guarded(&home, &[]);
    assert_eq!(inspect(&home, &ann)["guard"], "lease");
    let refused = sh(&home, &ann, "touch made");
    assert_said!(home, &refused, @"Not done: you may not run commands. You may change only files of tasks that you own: a command could change any file, so claim a task whose resource is `.`, or use the file tools. List tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.");
    give(&home, "task-0001");
    assert_said!(home, &sh(&home, &ann, "touch made"), @"Not done: you may not run commands. You may change only files of tasks that you own: a command could change any file, so claim a task whose resource is `.`, or use the file tools. List tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.");
    assert!(!home.work().join("made").exists());
    home.paseo(&["task", "cancel", "task-0001"]).ok();
    give(&home, "task-0002");
    assert_eq!(sh(&home, &ann, "touch made && echo ok"), "ok\n");
    home.paseo(&["task", "cancel", "task-0002"]).ok();
    assert_said!(home, &sh(&home, &ann, "touch more"));
    assert!(home.work().join("made").exists() && !home.work().join("more").exists());
}

#[test]
fn in_a_worktree_of_its_own_any_task_will_do() {
    let home = red(&["src"]);
    let ann = guarded(&home, &["--worktree"]);
    assert_said!(home, &sh(&home, &ann, "touch made"), @"Not done: you may not run commands. You may change only files of tasks that you own: you own no task: claim one first. List tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.");
    let command = || home.paseo(&["can-write", ".", "--agent", "ann"]);
    assert_eq!(command().code, 6);
    assert_said!(home, &command().stdout, @"no: ann owns no task, and needs one to run commands (no_active_lease_for_path)");
    give(&home, "task-0001");
    assert_said!(home, command().ok(), @"yes: ann owns task-0001 and runs commands in its own worktree (lease_active_for_resource)");
    assert_eq!(sh(&home, &ann, "touch made && echo ok"), "ok\n");
    let directory = inspect(&home, &ann)["directory"].as_str().unwrap().to_owned();
    // The same question, asked by command: in its own words, and in those of the project.
    let may = |path: &str| home.paseo(&["can-write", path, "--agent", "ann"]).code == 0;
    assert!(may("src/lib.rs") && may(&format!("{directory}/src/lib.rs")));
    assert!(may(&format!("{}/src/new", home.work().display())));
    fs::create_dir(format!("{directory}/doc")).unwrap();
    std::os::unix::fs::symlink("../doc", format!("{directory}/src/link")).unwrap();
    for path in ["doc/x", "src/link/x", "src/../doc/x", "/etc/passwd", &format!("{directory}/doc/x")] {
        assert!(!may(path), "{path}");
    }
}

#[tokio::test]
async fn a_worktree_that_others_work_in_is_nobodys_own() {
    let cast = red_workers();
    let home = &cast.0.home;
    make_repository(&home.work());
    for resource in ["docs", "lib", "."] {
        home.paseo(&["task", "create", "A task", "--resource", resource]).ok();
    }
    let lead = parsed(&home.paseo(&["team", "leader", "red", "-d", "--json", "--worktree", "<<say hello>>"]));
    let lead = lead["session"]["id"].as_str().unwrap().to_owned();
    home.paseo(&["wait", &lead]).ok();
    let lead_in = inspect(home, &lead)["directory"].as_str().unwrap().to_owned();
    let start = json!({ "taskPrompt": "<<say hello>>", "provider": "scripted", "guard": "lease" });
    let mut workers = Vec::new();
    for task in ["task-0001", "task-0002"] {
        let begun = cast.call(&lead, "team_tmux_start", &start).await.json();
        let name = begun["sessionName"].as_str().unwrap();
        let worker = cast.0.client.worker(name).await.unwrap().worker;
        assert_eq!(inspect(home, &worker.handle)["directory"], lead_in, "all of them work in one directory");
        cast.0.settled(&worker.session).await;
        home.paseo(&["task", "reassign", task, "--to", name]).ok();
        workers.push((name.to_owned(), worker.handle));
    }
    for (name, handle) in &workers {
        let refused = sh(home, handle, "mkdir -p src && touch src/a");
        assert_said!(home, &refused.replace(name.as_str(), "NAME"), @"Not done: you may not run commands. You may change only files of tasks that you own: a command could change any file, so claim a task whose resource is `.`, or use the file tools. List tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.");
        assert_eq!(home.paseo(&["can-write", ".", "--agent", name]).code, 6);
    }
    // A path of it is that path of the project, whoever else works there.
    home.paseo(&["can-write", &format!("{lead_in}/docs/a"), "--agent", &workers[0].0]).ok();
    home.paseo(&["task", "cancel", "task-0001"]).ok();
    home.paseo(&["task", "cancel", "task-0002"]).ok();
    home.paseo(&["task", "reassign", "task-0003", "--to", &workers[0].0]).ok();
    assert_eq!(sh(home, &workers[0].1, "echo ok"), "ok\n");
}

#[tokio::test]
async fn whom_a_worker_starts_is_guarded_as_long_as_its_own_program_is() {
    let cast = red_workers();
    let home = &cast.0.home;
    let may = "toolAllowlist = ['*']";
    cast.define("smith", &format!("{may}\nguard = 'lease'"));
    let wanted = StartWorker { agent: Some("smith".to_owned()), provider: None, ..wanted("<<say hello>>") };
    let worker = cast.0.client.start_worker(&wanted, None).await.unwrap().worker;
    cast.0.settled(&worker.session).await;
    cast.define("smith", may);
    let start = json!({ "taskPrompt": "<<say hello>>", "provider": "scripted" });
    let begun = cast.call(&worker.session, "team_tmux_start", &start).await.json();
    let other = cast.0.client.worker(begun["sessionName"].as_str().unwrap()).await.unwrap().worker;
    assert!(worker.guarded && other.guarded, "{other:?}");
    assert_eq!(inspect(home, &other.handle)["guard"], "lease");
}

#[test]
fn a_guard_needs_a_team_and_a_provider_that_asks() {
    let home = red(&[]);
    let alone = home.paseo(&["run", "-d", "--guard", "lease", "<<say hi>>"]);
    assert_told!(home, alone);
    let unknown = home.paseo(&["run", "-d", "--guard", "hard", "<<say hi>>"]);
    assert!(unknown.code != 0 && unknown.stderr.contains("lease"), "{unknown:?}");
    fs::create_dir_all(home.path().join("agents")).unwrap();
    fs::write(
        home.path().join("agents/far.toml"),
        "type = 'external'\n[external]\ninputUrl = 'http://127.0.0.1:9/in'\n",
    )
    .unwrap();
    home.trust();
    let far = home.paseo(&["run", "-d", "--agent", "far", "--team", "red", "--guard", "lease", "hi"]);
    assert_told!(home, far);
    assert!(far.stderr.contains("scripted"), "{far:?}");
}

#[test]
fn a_definition_guards_its_agents_from_the_next_turn_on() {
    let home = red(&["."]);
    fs::create_dir_all(home.path().join("agents")).unwrap();
    let file = home.path().join("agents/worker.toml");
    let write = |guard: &str| {
        fs::write(&file, format!("provider = 'scripted'\n{guard}\n")).unwrap();
        home.trust();
    };
    write("");
    let ann = run(&home, &["--agent", "worker", "--team", "red", "--member", "ann"], "<<say hello>>");
    assert_eq!(sh(&home, &ann, "echo free"), "free\n");
    write("guard = 'lease'");
    assert_said!(home, &sh(&home, &ann, "echo free"));
    assert_eq!(inspect(&home, &ann)["guard"], "lease");
    give(&home, "task-0001");
    assert_eq!(sh(&home, &ann, "echo held"), "held\n");
    write("");
    home.paseo(&["task", "cancel", "task-0001"]).ok();
    assert_eq!(sh(&home, &ann, "echo free"), "free\n");
}

#[test]
fn the_hook_of_a_terminal_stops_what_cannot_be_decided() {
    let home = red(&["."]);
    let ann = guarded(&home, &[]);
    give(&home, "task-0001");
    // This provider asks in no such words.
    let said = sh(&home, &ann, "echo '{}' | paseo leave; echo \"exit=$?\"");
    assert_said!(home, &said, @r"
    Not done: cannot ask Paseo for permission: cannot decide this request: the tool name is missing
    exit=2
    ");
    let said = sh(&home, &ann, "echo nothing | paseo leave; echo \"exit=$?\"");
    assert!(said.contains("exit=2"), "{said}");
    let said = sh(&home, &ann, "echo '{}' | PASEO_SESSION= paseo leave; echo \"exit=$?\"");
    assert!(said.contains("exit=2"), "{said}");
}

#[tokio::test]
async fn whom_a_guarded_agent_starts_is_guarded_by_the_same_tasks() {
    let cast = Cast::new(&["perm_summon", "perm_user_agent"]);
    let home = &cast.0.home;
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    home.paseo(&["task", "create", "All", "--resource", "."]).ok();
    cast.script("hand", "is_subagent = true", "<<sh touch made>><<say done>>");
    cast.define("ann", "guard = 'lease'");
    let ann = parsed(&home.paseo(&[
        "run",
        "-d",
        "--json",
        "--agent",
        "ann",
        "--team",
        "red",
        "--member",
        "ann",
        "<<say hello>>",
    ]));
    let ann = ann["session"]["id"].as_str().unwrap().to_owned();
    home.paseo(&["wait", &ann]).ok();
    let task = json!({ "agent": "hand", "task": "go" });
    let summoned = cast.call(&ann, "summon", &task).await;
    assert!(!home.work().join("made").exists());
    let children = inspect(home, &ann)["children"].clone();
    for child in children.as_array().unwrap() {
        assert_eq!(inspect(home, child.as_str().unwrap())["guard"], "lease");
    }
    assert_eq!(children.as_array().unwrap().len(), 1, "{summoned:?}");
    give(home, "task-0001");
    cast.call(&ann, "summon", &task).await;
    assert!(home.work().join("made").exists());
}

#[test]
fn whoever_lost_its_place_has_nothing_of_whom_that_place_is_now() {
    let home = red(&["."]);
    let first = guarded(&home, &[]);
    home.paseo(&["close", &first]).ok();
    guarded(&home, &[]);
    give(&home, "task-0001");
    home.paseo(&["reopen", &first]).ok();
    let refused = sh(&home, &first, "touch made");
    assert_said!(home, &refused, @"Not done: you are guarded, and `ann` is now another agent in the team. Reading needs no task.");
    assert!(!home.work().join("made").exists());
}

#[test]
fn a_link_is_no_resource_and_nobodys_credentials_are_inherited() {
    let mut home = home();
    home.set("PI_TEAMD_TOKEN", "somebody-elses");
    home.set("PI_AGENT_ID", "somebody");
    let work = home.work();
    home.paseo(&["team", "create", "red", "-C", &work.display().to_string()]).ok();
    fs::create_dir(work.join("src")).unwrap();
    for (link, target) in [("inside", "src"), ("outside", "/etc"), ("nowhere", "gone")] {
        std::os::unix::fs::symlink(target, work.join(link)).unwrap();
    }
    for (resource, why) in [
        ("inside", "is a link to `src`"),
        ("inside/deeper", "is a link to `src/deeper`"),
        ("outside/passwd", "leads outside the project"),
        ("nowhere", "cannot be a resource"),
    ] {
        let refused = home.paseo(&["task", "create", "One", "--resource", resource]);
        assert!(refused.code == 2 && refused.stderr.contains(why), "{resource}: {refused:?}");
    }
    for resource in ["src", "src/new/file", ".", "made later"] {
        home.paseo(&["task", "create", "One", "--resource", resource]).ok();
    }
    let ann = run(&home, &[], "<<say hello>>");
    assert_eq!(sh(&home, &ann, "echo \"[$PI_TEAMD_TOKEN$PI_AGENT_ID]\""), "[]\n");
}

#[test]
fn a_worker_is_guarded_from_its_next_start_on_and_says_so() {
    let home = red(&["."]);
    fs::create_dir_all(home.path().join("agents")).unwrap();
    let file = home.path().join("agents/smith.toml");
    let write = |guard: &str| {
        fs::write(&file, format!("provider = 'scripted'\n{guard}\n")).unwrap();
        home.trust();
    };
    write("");
    home.paseo(&["worker", "start", "--team", "red", "--agent", "smith", "-q", "<<say hello>>"]).ok();
    let worker = || parsed(&home.paseo(&["worker", "ls", "--json"]))["workers"][0].clone();
    let handle = worker()["handle"].as_str().unwrap().to_owned();
    home.paseo(&["wait", &handle, "--timeout", "30s"]).ok();
    assert_eq!((&worker()["guarded"], &worker()["from_next_start"]), (&false.into(), &Value::Null));
    write("guard = 'lease'");
    let told = worker();
    assert_eq!(told["guarded"], false, "its program was started before");
    let words = told["from_next_start"].as_str().unwrap();
    assert_said!(home, words, @r#"its definition makes it guarded from its next start: `paseo worker kill red-1`, then `paseo send aaa1 "…"`"#);
    assert!(home.paseo(&["worker", "ls"]).stderr.contains(words));
    assert_eq!(inspect(&home, &handle)["guard"], Value::Null);
    // The same for the next daemon.
    assert!(home.kill_daemon());
    home.paseo(&["up"]).ok();
    assert_eq!(worker()["guarded"], false);
    // As it says.
    home.paseo(&["worker", "kill", "red-1"]).ok();
    home.paseo(&["send", &handle, "--wait", "<<say back>>"]).ok();
    assert_eq!((&worker()["guarded"], &worker()["from_next_start"]), (&true.into(), &Value::Null));
    assert_eq!(inspect(&home, &handle)["guard"], "lease");
}

#[test]
fn a_guarded_worker_without_a_model_keeps_to_its_leases() {
    let home = red(&["."]);
    let start = ["worker", "start", "--team", "red", "--provider", "scripted", "--guard", "lease", "-q"];
    home.paseo(&[&start[..], &["<<say hello>>"]].concat()).ok();
    let worker = parsed(&home.paseo(&["worker", "ls", "--json"]))["workers"][0].clone();
    let handle = worker["handle"].as_str().unwrap();
    home.paseo(&["wait", handle, "--timeout", "30s"]).ok();
    let refused = sh(&home, handle, "touch made");
    assert_said!(home, &refused, @"Not done: you may not run commands. You may change only files of tasks that you own: a command could change any file, so claim a task whose resource is `.`, or use the file tools. List tasks with team_tasks_list and claim one with team_tasks_claim. Reading needs no task.");
    assert!(!home.work().join("made").exists());

    // It claims by itself, as it is told.
    let claim = r#"<<tool team_tasks_claim {"taskId":"task-0001"}>>"#;
    home.paseo(&["send", handle, "--wait", claim]).ok();
    assert_eq!(sh(&home, handle, "touch made && echo ok"), "ok\n");

    home.paseo(&["task", "reassign", "task-0001", "--to", "red-1", "--ttl", "1s"]).ok();
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !home.paseo(&["team", "audit", "red"]).ok().contains("expired") {
        assert!(std::time::Instant::now() < end, "the lease never expired");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // What the team tells it comes along with what is typed first, and is no script.
    home.paseo(&["send", handle, "--wait", "What is new?"]).ok();
    let refused = sh(&home, handle, "touch more");
    assert_said!(home, &refused);
    assert!(home.work().join("made").exists() && !home.work().join("more").exists());
}
