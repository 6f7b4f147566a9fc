//! Teams of agents that run here: tools, commands, leases that keep themselves, the leader.

use paseo_wire::error::Code;
use paseo_wire::session::{CreateSession, SessionView};
use paseo_wire::team::{ClaimTask, CreateTask, EnrolAgent, NoticeQuery, ReassignTask, TaskQuery};
use serde_json::json;

use crate::cast::Cast;
use crate::json as parsed;
use crate::screens::{assert_said, assert_told, squeezed};
use crate::watch::next;

/// A home with the team `red`.
async fn red() -> Cast {
    let cast = Cast::new(&[]);
    let work = cast.0.home.work().display().to_string();
    cast.0.home.paseo(&["team", "create", "red", "-C", &work]).ok();
    cast
}

async fn member(cast: &Cast, id: &str, prompt: Option<&str>) -> SessionView {
    cast.create(CreateSession {
        provider: Some("scripted".to_owned()),
        team: Some("red".into()),
        team_agent: Some(id.into()),
        prompt: prompt.map(str::to_owned),
        ..CreateSession::default()
    })
    .await
}

#[tokio::test]
async fn agents_of_a_team_work_with_tools_of_their_own() {
    let cast = red().await;
    let (ann, ben) = (member(&cast, "ann", None).await, member(&cast, "ben", None).await);
    let made =
        cast.call(&ann.id, "team_tasks_create", &json!({ "title": "Parse", "resources": ["src"] })).await;
    assert_eq!(
        (&made.json()["task"]["id"], &made.json()["task"]["created_by"]),
        (&json!("task-0001"), &json!("ann"))
    );
    let claimed = cast.call(&ann.id, "team_tasks_claim", &json!({ "taskId": "task-0001" })).await.json();
    assert_eq!((&claimed["task"]["lease"]["holder"], &claimed["task"]["epoch"]), (&json!("ann"), &json!(1)));
    let lost = cast.call(&ben.id, "team_tasks_claim", &json!({ "taskId": "task-0001" })).await;
    assert_said!(cast.0.home, lost.error());
    let stolen =
        cast.call(&ben.id, "team_tasks_complete", &json!({ "taskId": "task-0001", "epoch": 1 })).await;
    assert_said!(cast.0.home, stolen.error());
    let renewed = cast.call(&ann.id, "team_tasks_renew", &json!({ "taskId": "task-0001", "epoch": 1 })).await;
    assert_eq!(renewed.json()["task"]["status"], "in_progress");

    let start = json!({ "title": "Parser", "participants": ["ben"], "taskId": "task-0001" });
    assert_eq!(cast.call(&ann.id, "team_threads_start", &start).await.json()["thread"]["id"], "thread-0001");
    let post = json!({ "threadId": "thread-0001", "message": "a secret plan" });
    let said = cast.call(&ann.id, "team_threads_post", &post).await.json();
    assert_eq!(said["message"]["from"], "ann");
    let tail =
        cast.call(&ben.id, "team_threads_read_tail", &json!({ "threadId": "thread-0001" })).await.json();
    assert_eq!(tail["messages"][0]["body"], "a secret plan");
    let found = cast.call(&ben.id, "team_threads_search", &json!({ "query": "parser" })).await.json();
    assert_eq!(found["threads"][0]["taskId"], "task-0001");
    let link = json!({ "threadId": "thread-0001", "taskId": "task-0001" });
    cast.call(&ben.id, "team_threads_link_to_task", &link).await.ok();
    let id = said["message"]["id"].clone();
    let done = json!({ "taskId": "task-0001", "epoch": 1, "summary": "done", "threadId": "thread-0001", "messageId": id });
    let done = cast.call(&ann.id, "team_tasks_complete", &done).await.json();
    assert_eq!((&done["task"]["status"], &done["task"]["message"]["id"]), (&json!("completed"), &id));
    let listed = cast.call(&ben.id, "team_tasks_list", &json!({})).await.json();
    assert_eq!(
        (&listed["tasks"][0]["summary"], &listed["tasks"][0]["owner"]),
        (&json!("done"), &json!("ann"))
    );

    // Ben was told in one line each, without a word of what was said; Ann of nothing that she did.
    let told = |texts: Vec<String>| -> Vec<String> {
        texts
            .iter()
            .flat_map(|text| text.lines())
            .filter(|line| line.contains("INBOX:"))
            .map(str::to_owned)
            .collect()
    };
    let lines = told(cast.heard(&ben.id).await);
    assert!(lines.iter().any(|line| line.contains("INBOX: thread_message thread-0001 by ann")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("INBOX: task_claimed task-0001 by ann")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("task_created")), "a plan is read, not told: {lines:?}");
    assert!(!lines.iter().any(|line| line.contains("secret")), "{lines:?}");
    assert_eq!(told(cast.heard(&ann.id).await), [""; 0]);
    for act in ["team_tasks_release", "team_tasks_fail"] {
        let refused = cast.call(&ann.id, act, &json!({ "taskId": "task-0001", "epoch": 1 })).await;
        assert!(refused.error().contains("completed"), "{refused:?}");
    }
}

#[tokio::test]
async fn threads_of_a_team_are_not_for_others_of_the_project() {
    let cast = red().await;
    cast.define("scribe", "tools = ['read', 'threads_*']");
    let ann = member(&cast, "ann", None).await;
    cast.call(&ann.id, "team_threads_start", &json!({ "title": "Parser" })).await.ok();
    cast.0.home.paseo(&["thread", "new", "plan"]).ok();
    let scribe = cast.idle("scribe").await;
    let listed = cast.call(&scribe.id, "threads_list", &json!({})).await;
    assert!(listed.ok().starts_with("- plan (") && listed.text.lines().count() == 1, "{}", listed.text);
    let post = json!({ "thread": "Parser", "message": "what is it about?" });
    let refused = cast.call(&scribe.id, "threads_post", &post).await;
    assert_said!(cast.0.home, refused.error());
}

#[tokio::test]
async fn who_is_in_no_team_has_no_tools_of_one() {
    let cast = red().await;
    let outside =
        cast.create(CreateSession { provider: Some("scripted".into()), ..CreateSession::default() }).await;
    assert!(cast.0.client.tools_of(&outside.id).await.unwrap().tools.is_empty());
    // A definition says which of them its agents have.
    cast.define("reader", "toolAllowlist = ['team_tasks_list', 'native_*']");
    let reader = cast
        .create(CreateSession {
            agent: Some("reader".into()),
            team: Some("red".into()),
            ..CreateSession::default()
        })
        .await;
    let granted = cast.0.client.tools_of(&reader.id).await.unwrap();
    let names: Vec<&str> = granted.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["team_tasks_list"]);
    let claim = cast.call(&reader.id, "team_tasks_claim", &json!({ "taskId": "task-0001" })).await;
    assert_eq!(claim.outcome, "denied");
    // Its shell is no way around: the command asks for the same.
    cast.0.send(&reader.id, "<<sh paseo task claim task-0001; echo \"exit=$?\">>").await;
    cast.0.settled(&reader.id).await;
    let said = cast.called(&reader.id).await.pop().unwrap();
    assert!(said.text.contains("exit=6"), "{said:?}");
    let team = cast.0.client.team("red").await.unwrap().team;
    assert_eq!(team.agents[0].id, "reader-1", "named after what it is");
    // No team, no agent.
    let lost = CreateSession { team: Some("blue".into()), ..CreateSession::default() };
    let directory = cast.0.home.work().display().to_string();
    let refused = cast.0.client.create_session(&CreateSession { directory, ..lost }, None).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::NotFound));
}

#[tokio::test]
async fn a_session_acts_in_its_shell_as_itself() {
    let cast = red().await;
    cast.0.home.paseo(&["task", "create", "Parse", "--resource", "src"]).ok();
    let prompt = "<<sh paseo task claim task-0001 --json>><<sh paseo can-write src/a -q; paseo can-write doc; echo \"exit=$?\">><<sh paseo team show; echo \"exit=$?\">>";
    let ann = member(&cast, "ann", Some(prompt)).await;
    cast.0.settled(&ann.id).await;
    let called = cast.called(&ann.id).await;
    assert!(
        called[0].text.contains("\"holder\": \"ann\"") || called[0].text.contains("\"holder\":\"ann\""),
        "{called:?}"
    );
    assert!(
        called[1].text.contains("lease_active_for_resource") && called[1].text.contains("exit=6"),
        "{called:?}"
    );
    assert!(called[2].text.contains("Parse") && called[2].text.contains("exit=0"), "{called:?}");
}

/// While a turn runs its lease extends by itself; afterwards it ends.
#[tokio::test]
async fn the_lease_of_a_running_turn_extends_by_itself() {
    let cast = red().await;
    cast.0.home.paseo(&["task", "create", "Parse"]).ok();
    let ann = member(
        &cast,
        "ann",
        Some("<<tool team_tasks_claim {\"taskId\":\"task-0001\",\"ttlMs\":1000}>><<hang>>"),
    )
    .await;
    let until = async |kind: &str, count: usize| {
        let mut events = cast.0.client.events(0, &["team:red"]);
        loop {
            let page = cast.0.client.audit("red", &NoticeQuery::default()).await.unwrap();
            let found: Vec<_> =
                page.notices.into_iter().filter(|notice| notice.kind.as_str() == kind).collect();
            if found.len() >= count {
                return found;
            }
            next(&mut events).await;
        }
    };
    let renewed = until("task_renewed", 3).await;
    assert!(renewed.iter().all(|notice| notice.actor == "daemon"));
    assert_eq!(cast.0.client.task("red", "task-0001").await.unwrap().task.status.as_str(), "in_progress");
    cast.0.home.paseo(&["stop", &ann.handle]).ok();
    let expired = until("task_expired", 1).await;
    assert_eq!(expired[0].to.as_deref(), Some("ann"));
    assert_eq!(cast.0.client.task("red", "task-0001").await.unwrap().task.status.as_str(), "pending");
}

#[tokio::test]
async fn a_leader_is_told_to_lead_and_a_worker_to_work() {
    let cast = red().await;
    let led = cast.0.home.paseo(&["team", "leader", "red", "-d", "--member", "lea", "hello"]).ok().to_owned();
    let prompt = cast.0.home.paseo(&["inspect", "--prompt", &led]);
    let told = prompt.ok();
    assert_said!(cast.0.home, told);
    let ann = member(&cast, "ann", None).await;
    let prompt = cast.0.home.paseo(&["inspect", "--prompt", &ann.handle]);
    assert_said!(cast.0.home, prompt.ok());
    let team = cast.0.client.team("red").await.unwrap().team;
    let roles: Vec<(&str, &str)> =
        team.agents.iter().map(|agent| (agent.id.as_str(), agent.role.as_str())).collect();
    assert_eq!(roles, [("ann", "worker"), ("lea", "leader")]);
    // A name is taken as long as its agent is there.
    let twice = cast.0.home.paseo(&["run", "-d", "--team", "red", "--member", "ann", "x"]);
    assert_eq!(twice.code, 6, "{twice:?}");
    cast.0.home.paseo(&["close", &ann.handle]).ok();
    cast.0.home.paseo(&["run", "-d", "--team", "red", "--member", "ann", "x"]).ok();
}

#[tokio::test]
async fn people_plan_and_follow_with_commands() {
    let cast = Cast::new(&[]);
    let home = &cast.0.home;
    assert_eq!(home.paseo(&["task", "ls"]).code, 3, "there is no team");
    home.paseo(&["team", "create", "red", "--agent", "ann", "--agent", "lea:leader"]).ok();
    assert_eq!(home.paseo(&["team", "create", "red"]).code, 6, "there is one");
    assert_eq!(home.paseo(&["team", "create", "a/b"]).code, 2);
    assert_eq!(home.paseo(&["team", "ls", "-q"]).ok(), "red");
    home.paseo(&["task", "create", "Parse", "--resource", "src", "--description", "all of it"]).ok();
    home.paseo(&["task", "create", "Document", "--dep", "task-0001"]).ok();
    let shown = parsed(&home.paseo(&["task", "show", "task-0002", "--json"]));
    assert_eq!(
        (&shown["status"], &shown["reason"]),
        (&json!("blocked"), &json!("task-0001 is not completed"))
    );
    let claimed = parsed(&home.paseo(&["task", "claim", "task-0001", "--ttl", "10m", "--json"]));
    assert_eq!((&claimed["lease"]["holder"], &claimed["description"]), (&json!("user"), &json!("all of it")));
    assert_eq!(home.paseo(&["can-write", "src/x"]).code, 0);
    assert_eq!(home.paseo(&["can-write", "src/x", "--agent", "ann"]).code, 6);
    home.paseo(&["task", "renew", "task-0001", "--epoch", "1"]).ok();
    let failed = home.paseo(&["task", "fail", "task-0001", "--epoch", "2"]);
    assert_eq!(failed.code, 6);
    assert_told!(home, failed);
    home.paseo(&["task", "fail", "task-0001", "--epoch", "1", "--summary", "no"]).ok();
    assert_said!(home, &squeezed(home.paseo(&["team", "show"]).ok()), @r"
    red ~/work

    MEMBER ROLE HANDLE
    ann worker -
    lea leader -

    TASK STATUS OWNER TITLE NEEDS REASON
    task-0001 failed you Parse src
    task-0002 blocked - Document task-0001 failed; retry task-0001, or cancel this task
    ");
    home.paseo(&["task", "retry", "task-0001"]).ok();
    home.paseo(&["task", "reassign", "task-0001", "--to", "ann"]).ok();
    home.paseo(&["task", "reassign", "task-0001"]).ok();
    home.paseo(&["task", "claim", "task-0001"]).ok();
    home.paseo(&["task", "release", "task-0001", "--epoch", "3"]).ok();
    home.paseo(&["task", "claim", "task-0001"]).ok();
    home.paseo(&["task", "complete", "task-0001", "--epoch", "4"]).ok();
    home.paseo(&["task", "cancel", "task-0002"]).ok();
    let audit = home.paseo(&["team", "audit", "--json"]);
    let audit = parsed(&audit)["notices"].as_array().unwrap().clone();
    let kinds: Vec<&str> = audit.iter().map(|notice| notice["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "team_created",
            "task_created",
            "task_created",
            "task_claimed",
            "task_renewed",
            "task_failed",
            "task_retried",
            "task_assigned",
            "task_taken_back",
            "task_claimed",
            "task_released",
            "task_claimed",
            "task_completed",
            "task_unblocked",
            "task_canceled",
        ]
    );
    let inbox = home.paseo(&["team", "audit", "--agent", "ann"]);
    assert_said!(home, &squeezed(inbox.ok()), @r"
    2 12:00:00 task_created task-0001 by you
    3 12:00:00 task_created task-0002 by you
    4 12:00:00 task_claimed task-0001 by you
    6 12:00:00 task_failed task-0001 by you
    7 12:00:00 task_retried task-0001 by you
    8 12:00:00 task_assigned task-0001 by you to ann
    9 12:00:00 task_taken_back task-0001 by you
    10 12:00:00 task_claimed task-0001 by you
    11 12:00:00 task_released task-0001 by you
    12 12:00:00 task_claimed task-0001 by you
    13 12:00:00 task_completed task-0001 by you
    13 12:00:00 task_unblocked task-0002 by you
    14 12:00:00 task_canceled task-0002 by you
    ");
    home.paseo(&["team", "create", "blue"]).ok();
    let which = home.paseo(&["task", "ls"]);
    assert_eq!(which.code, 3);
    assert_told!(home, which);
    assert_eq!(home.paseo(&["task", "ls", "--team", "red", "-q"]).ok().lines().count(), 2);
}

/// A leader decides about what others have; a worker does not.
#[tokio::test]
async fn roles_count() {
    let cast = red().await;
    let client = &cast.0.client;
    client
        .create_task("red", &CreateTask { title: "one".into(), ..CreateTask::default() }, None)
        .await
        .unwrap();
    let (ann, ben) = (member(&cast, "ann", None).await, member(&cast, "ben", None).await);
    let claim = json!({ "taskId": "task-0001" });
    cast.call(&ann.id, "team_tasks_claim", &claim).await.ok();
    let after_all = json!({ "after": "task-4294967295" });
    assert_eq!(cast.call(&ann.id, "team_tasks_list", &after_all).await.json()["tasks"], json!([]));
    let refused = cast.call(&ben.id, "team_tasks_cancel", &claim).await;
    assert_said!(cast.0.home, refused.error());
    let leads = EnrolAgent { id: "ben".into(), role: Some("leader".into()), model: None };
    client.enrol("red", &leads).await.unwrap();
    cast.call(&ben.id, "team_tasks_cancel", &claim).await.ok();
    let refused = client.claim_task("red", "task-0001", &ClaimTask::default()).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::TaskNotClaimable));
    let refused = client.reassign_task("red", "task-0001", &ReassignTask::default()).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::TaskNotClaimable));
    assert_said!(cast.0.home, &refused.to_string(), @"task-0001 cannot be assigned: it is canceled");
    let page = client.tasks("red", &TaskQuery { limit: Some(1), ..TaskQuery::default() }).await.unwrap();
    assert_eq!((page.tasks.len(), page.next.as_deref()), (1, Some("task-0001")));
}
