//! What makes no sense in a team is refused with a word, whichever way it comes: commands, tools, and teamd's routes.

use paseo_wire::session::{CreateSession, SessionView};
use serde_json::{Value, json};

use crate::cast::Cast;
use crate::teamd::{Agent, Team, code};
use crate::workers::red;

async fn member(cast: &Cast, role: &str) -> SessionView {
    cast.create(CreateSession {
        provider: Some("scripted".to_owned()),
        team: Some("red".into()),
        team_role: Some(role.into()),
        ..CreateSession::default()
    })
    .await
}

fn link(work: &std::path::Path) {
    std::fs::create_dir(work.join("src")).unwrap();
    for (name, target) in [("inside", "src"), ("outside", "/etc"), ("nowhere", "gone")] {
        std::os::unix::fs::symlink(target, work.join(name)).unwrap();
    }
}

#[test]
fn commands_refuse_it() {
    let team = Team::new();
    let home = &team.home;
    link(&home.work());
    home.paseo(&["task", "create", "One"]).ok();
    let (long, mut wrong) = ("x".repeat(65), Vec::new());
    for (words, expected) in [
        // Names.
        (&["team", "create", ""][..], "for a team: use at most 64"),
        (&["team", "create", "../red"], "for a team: use at most 64"),
        (&["team", "create", "Z."], "not ending with `.`"),
        (&["team", "create", &long], "xxx…` for a team"),
        (&["team", "create", "RED"], "differs from team red only in case"),
        (&["team", "audit", "--after", "zzz"], "the number at the start of a line"),
        (&["team", "audit", "--after", "-3"], "the number at the start of a line"),
        (&["worker", "capture", "red-1", "--lines", "-3"], "a whole number from 1 to 10000"),
        (&["worker", "capture", "red-1", "--lines", "0"], "a whole number from 1 to 10000"),
        (&["team", "create", "blue", "--agent", ""], "for a member: use at most 64"),
        (&["team", "create", "blue", "--agent", "a/b"], "for a member: use at most 64"),
        (&["team", "create", "blue", "--agent", &long], "for a member: use at most 64"),
        (&["team", "create", "blue", "--agent", "ann", "--agent", "ann"], "have the id `ann`"),
        (&["team", "env", "red", "--agent", ""], ""),
        (&["team", "env", "red", "--agent", "../x"], "for a member: use at most 64"),
        (&["team", "env", "red", "--agent", "user"], "reserved"),
        (&["team", "leave", "red", "--agent", ".."], ""),
        (&["run", "-d", "--team", "red", "--member", "", "x"], "for a member: use at most 64"),
        (&["run", "-d", "--team", "red", "--member", "a b", "x"], "for a member: use at most 64"),
        (&["task", "show", "../task-0001"], "invalid task id"),
        (&["task", "claim", "task-1"], "invalid task id"),
        (&["task", "claim", "task-0099"], "task-0099 not found"),
        (&["task", "ls", "--team", "../red"], "`../red` not found"),
        // Times.
        (&["task", "claim", "task-0001", "--ttl", "0s"], "expected more than 0"),
        (&["task", "claim", "task-0001", "--ttl", "-5m"], "expected a duration"),
        (&["task", "claim", "task-0001", "--ttl", "25h"], "at most one day"),
        (&["task", "claim", "task-0001", "--ttl", "99999999999999999999h"], "too long"),
        (&["task", "release", "task-0001", "--epoch", "-1"], "expected a number, as shown by"),
        (&["task", "renew", "task-0001", "--epoch=-1"], "--epoch"),
        (
            &["task", "complete", "task-0001", "--epoch", "1", "--message", "thread-0001", "nope"],
            "`nope` is not a message id",
        ),
        // What waits for itself, for nothing, or in a circle.
        (&["task", "create", "Two", "--dep", "task-0002"], "cannot depend on itself"),
        (&["task", "create", "Two", "--dep", "task-0003"], "task-0003 not found"),
        (&["task", "create", "Two", "--dep", "../x"], "invalid task id"),
        (&["task", "create", " "], "the title of a task must be one line of 1 to 120 characters"),
        // Paths.
        (&["task", "create", "Two", "--resource", ""], "is not a path"),
        (&["task", "create", "Two", "--resource", "../x"], ".."),
        (&["task", "create", "Two", "--resource", "src/../../x"], ".."),
        (&["task", "create", "Two", "--resource", "/etc"], "/etc"),
        (&["task", "create", "Two", "--resource", "inside"], "is a link to `src`"),
        (&["task", "create", "Two", "--resource", "outside/passwd"], "leads outside the project"),
        (&["task", "create", "Two", "--resource", "nowhere"], "cannot be a resource"),
        (&["can-write", "../x"], "path_traversal_denied"),
        (&["can-write", "/etc/passwd"], "outside_project"),
        // Workers.
        (&["worker", "start", "--team", "red", "--prefix", "../x", "x"], "invalid worker name prefix"),
        (&["worker", "start", "--team", "red", "--prefix", "", "x"], "invalid worker name prefix"),
        (&["worker", "capture", "../x"], "not found"),
        (&["worker", "send", "=red-1:0", "x"], "not found"),
        (&["worker", "kill", ""], ""),
    ] {
        let refused = home.paseo(words);
        let said = format!("{}{}", refused.stdout, refused.stderr);
        if ![2, 3, 6].contains(&refused.code) || !said.contains(expected) || said.contains("panicked") {
            wrong.push(format!("{words:?} {refused:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(home.paseo(&["task", "ls", "-q"]).ok(), "task-0001", "nothing came of any of it");
    assert_eq!(home.paseo(&["team", "ls", "-q"]).ok(), "red");
}

#[tokio::test]
async fn tools_refuse_it() {
    let cast = red();
    link(&cast.0.home.work());
    let lead = member(&cast, "leader").await;
    cast.call(&lead.id, "team_tasks_create", &json!({ "title": "One" })).await.ok();
    let (one, dep) = (json!("task-0001"), |dep: Value| json!({ "title": "Two", "deps": [dep] }));
    let resource = |path: &str| json!({ "title": "Two", "resources": [path] });
    let mut wrong = Vec::new();
    for (tool, input, expected) in [
        ("team_tasks_claim", json!({ "taskId": one, "ttlMs": -1 }), "at least 1 ms"),
        ("team_tasks_claim", json!({ "taskId": one, "ttlMs": 0 }), "at least 1 ms"),
        ("team_tasks_claim", json!({ "taskId": one, "ttlMs": i64::MAX }), "at most one day"),
        ("team_tasks_claim", json!({ "taskId": one, "ttlMs": "long" }), "ttlMs"),
        ("team_tasks_claim", json!({ "taskId": one, "ttlMs": 1e30 }), "at most one day"),
        ("team_tasks_claim", json!({ "taskId": "../task-0001" }), "invalid task id"),
        ("team_tasks_claim", json!({ "taskId": "" }), "`taskId` is missing or empty"),
        ("team_tasks_complete", json!({ "taskId": one, "epoch": -1 }), "epoch"),
        ("team_tasks_create", dep(json!("task-0002")), "cannot depend on itself"),
        ("team_tasks_create", dep(json!("task-0009")), "task-0009 not found"),
        ("team_tasks_create", dep(json!("../x")), "invalid task id"),
        ("team_tasks_create", dep(json!(1)), "deps"),
        ("team_tasks_create", resource("../x"), ".."),
        ("team_tasks_create", resource("/etc/passwd"), "/etc/passwd"),
        ("team_tasks_create", resource("inside/x"), "is a link to `src/x`"),
        ("team_tasks_create", resource("outside"), "leads outside the project"),
        ("team_tasks_create", json!({ "title": "" }), "title"),
        ("team_threads_start", json!({ "participants": [""] }), "for a member: use at most 64"),
        ("team_threads_start", json!({ "participants": ["../x"] }), "for a member: use at most 64"),
        ("team_threads_read_tail", json!({ "threadId": "../x" }), "thread"),
        ("team_threads_post", json!({ "threadId": "thread-0009", "message": "x" }), "thread-0009"),
        ("team_tmux_capture", json!({ "sessionName": "../x" }), "not found"),
        ("team_tmux_send", json!({ "sessionName": "=x:0", "message": "x" }), "not found"),
        (
            "team_tmux_start",
            json!({ "taskPrompt": "x", "sessionPrefix": "../x" }),
            "invalid worker name prefix",
        ),
        (
            "team_tmux_start",
            json!({ "taskPrompt": "x", "cwd": "outside" }),
            "is outside your working directory",
        ),
    ] {
        let refused = cast.call(&lead.id, tool, &input).await;
        if refused.outcome != "error" || !refused.text.contains(expected) {
            wrong.push(format!("{tool} {input}: {refused:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let page = cast.0.client.tasks("red", &Default::default()).await.unwrap();
    assert_eq!((page.tasks.len(), page.tasks[0].status.as_str()), (1, "pending"));
}

#[test]
fn the_routes_of_teamd_refuse_it() {
    let team = Team::new();
    link(&team.home.work());
    let ann = team.agent("ann");
    let task = team.task(json!({ "teamId": "red", "title": "one" }));
    for resource in ["inside", "inside/x", "outside/passwd", "nowhere"] {
        let made = ann.post("/v1/tasks", json!({ "title": "two", "resources": [resource] }));
        assert_eq!(code(&made), (400, "INVALID_TASK"), "{resource}");
    }
    let token = team.home.paseo(&["token", "create", "--name", "test", "-q"]).ok().to_owned();
    let person = Agent { token, ..team.agent("ann") };
    let alike = person.post("/v1/teams", json!({ "teamId": "RED", "agents": [] }));
    assert_eq!(code(&alike), (409, "CONFLICT"), "{alike:?}");
    for act in ["claim", "renew", "complete", "fail", "release", "cancel", "retry"] {
        let path = format!("/v1/tasks/{task}/{act}");
        let refused = ann.post(&path, json!({ "agentId": "", "epoch": 1 }));
        assert_eq!(code(&refused), (400, "INVALID_AGENT_ID"), "{act}");
    }
    assert_eq!(code(&ann.get("/v1/inbox?agentId=")), (400, "INVALID_AGENT_ID"));
    assert_eq!(code(&ann.post("/v1/threads", json!({ "participants": ["../x"] }))), (400, "INVALID_THREAD"));
    assert_eq!(ann.on(&task, "claim", json!({})).0, 200);
    for ttl in [-1, 0, 86_400_001, i64::MAX, i64::MIN] {
        let refused = ann.on(&task, "renew", json!({ "epoch": 1, "ttlMs": ttl }));
        assert_eq!(code(&refused), (400, "INVALID_REQUEST"), "{ttl}");
    }
    for id in ["..%2Fthread-0001", "%2Fetc", "thread-1"] {
        assert_eq!(code(&ann.get(&format!("/v1/threads/{id}/tail"))), (404, "THREAD_NOT_FOUND"), "{id}");
        let said = ann.post(&format!("/v1/threads/{id}/messages"), json!({ "message": "x" }));
        assert_eq!(code(&said), (404, "THREAD_NOT_FOUND"), "{id}");
    }
}
