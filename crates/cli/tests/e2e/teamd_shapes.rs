//! What clients of teamd send and get, field by field.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shapes::{Shapes, documented};
use crate::teamd::{Agent, Team, ask, code};

/// A client that checks every answer.
struct Client<'a> {
    agent: Agent,
    shapes: &'a mut Shapes,
}

impl Client<'_> {
    fn get(&mut self, route: &str, path: &str) -> Value {
        let (status, answer) = self.agent.get(path);
        assert_eq!(status, 200, "{path}: {answer}");
        self.shapes.check(&format!("GET {route}"), &answer);
        answer
    }

    fn post(&mut self, expected: u16, route: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.agent.post(path, body);
        assert_eq!(status, expected, "{path}: {answer}");
        self.shapes.check(&format!("POST {route}"), &answer);
        answer
    }

    /// Does something with a task, as the original client asks for it.
    fn act(&mut self, task: &str, act: &str, epoch: Option<u64>) -> Value {
        let mut body = json!({ "teamId": "red", "agentId": self.agent.id });
        if let Some(epoch) = epoch {
            body["epoch"] = json!(epoch);
        }
        self.post(200, &format!("/v1/tasks/{{task}}/{act}"), &format!("/v1/tasks/{task}/{act}"), body)
    }

    /// Makes a task, as the original client asks for it: with every field, empty or not.
    fn task(&mut self, title: &str, deps: Value) -> String {
        let body = json!({
            "teamId": "red", "title": title, "description": "", "deps": deps, "resources": [""],
        });
        let made = self.post(201, "/v1/tasks", "/v1/tasks", body);
        assert_eq!((&made["task"]["description"], &made["task"]["resources"]), (&json!(""), &json!([])));
        made["task"]["id"].as_str().unwrap().to_owned()
    }

    /// Reads the inbox, as the original client does: the cursor is used only when it is a string.
    fn inbox(&mut self, since: &mut Option<String>) -> Vec<Value> {
        let since_query = since.as_ref().map(|since| format!("&since={since}")).unwrap_or_default();
        let path = format!("/v1/inbox?teamId=red&agentId={}{since_query}", self.agent.id);
        let page = self.get("/v1/inbox", &path);
        if let Some(next) = page["nextSince"].as_str() {
            *since = Some(next.to_owned());
        }
        page["events"].as_array().unwrap().clone()
    }
}

#[test]
fn every_answer_of_teamds_routes_has_the_fields_of_its_table() {
    let team = Team::new();
    let mut shapes = Shapes::of("Clients of teamd");
    let is_of_teamd = |path: &str| path == "/healthz" || path.starts_with("/v1/");
    assert_eq!(shapes.routes(), documented(is_of_teamd), "each route has a table, and each table a route");
    let (status, health) = ask(&team.address, "GET", "/healthz", "", "");
    assert_eq!(status, 200);
    shapes.check("GET /healthz", &health);

    let token = team.home.paseo(&["token", "create", "--name", "person", "-q"]).ok().to_owned();
    let person = Agent { address: team.address.clone(), token, id: "user".into() };
    let mut person = Client { agent: person, shapes: &mut shapes };
    let agents = json!([{ "id": "cat", "role": "worker", "model": "m" }]);
    person.post(201, "/v1/teams", "/v1/teams", json!({ "teamId": "blue", "agents": agents }));
    person.get("/v1/teams", "/v1/teams");

    let ben = team.agent("ben");
    let mut ann = Client { agent: team.agent("ann"), shapes: &mut shapes };
    ann.get("/v1/teams", "/v1/teams");
    ann.get("/v1/teams/{team}", "/v1/teams/red");

    // A task that is completed, with all that belongs to it, and one that waited for it.
    let first = ann.task("first", json!([]));
    let second = ann.task("second", json!([first, ""]));
    let blocked = ann.get("/v1/tasks/{task}", &format!("/v1/tasks/{second}?teamId=red"));
    assert!(blocked["task"]["reason"].is_string(), "{blocked}");
    ann.act(&first, "claim", None);
    ann.act(&first, "renew", Some(1));
    // The original client sends both, empty.
    let body = json!({ "teamId": "red", "title": "", "participants": ["ben", ""], "taskId": "" });
    let started = ann.post(201, "/v1/threads", "/v1/threads", body);
    assert_eq!((&started["thread"]["title"], &started["thread"]["taskId"]), (&json!("Thread"), &Value::Null));
    assert_eq!(started["thread"]["participants"], json!(["ann", "ben"]));
    let thread = started["thread"]["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/threads/{thread}/messages");
    let said = ann.post(201, "/v1/threads/{thread}/messages", &path, json!({ "message": " done \n" }));
    assert_eq!(said["message"]["body"], "done", "as teamd trims it");
    let body = json!({
        "teamId": "red", "agentId": "ann", "epoch": 1.0, "summary": "it works",
        "threadId": thread, "messageId": said["message"]["id"],
    });
    ann.post(200, "/v1/tasks/{task}/complete", &format!("/v1/tasks/{first}/complete"), body);
    // One that fails, is tried again, given back and canceled.
    ann.act(&second, "claim", None);
    ann.act(&second, "fail", Some(1));
    ann.act(&second, "retry", None);
    ann.act(&second, "claim", None);
    ann.act(&second, "release", Some(2));
    ann.act(&second, "cancel", None);
    ann.get("/v1/tasks", "/v1/tasks?teamId=red");

    ann.get("/v1/threads/search", "/v1/threads/search?q=");
    for limit in ["", "?limit=", "?limit=0", "?limit=-1", "?limit=x", "?limit=100000"] {
        let tail = ann.get("/v1/threads/{thread}/tail", &format!("/v1/threads/{thread}/tail{limit}"));
        assert_eq!(tail["messages"].as_array().unwrap().len(), 1, "{limit}");
    }
    let path = format!("/v1/threads/{thread}/link");
    ann.post(200, "/v1/threads/{thread}/link", &path, json!({ "taskId": first }));
    for path in ["src", "."] {
        ann.get("/v1/can-write", &format!("/v1/can-write?teamId=red&agentId=ann&path={path}"));
    }

    // The cursor moves: nothing is read twice, and nothing is left out.
    let (mut ben, mut since) = (Client { agent: ben, shapes: &mut shapes }, None);
    let events = ben.inbox(&mut since);
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"task_claimed") && kinds.contains(&"thread_message"), "{kinds:?}");
    let summary = |kind: &str| {
        let event = events.iter().find(|event| event["type"] == kind).unwrap();
        event["summary"].as_str().unwrap().to_owned()
    };
    assert_eq!(summary("task_claimed"), format!("Task {first} claimed by ann"));
    assert_eq!(summary("task_completed"), format!("Task {first} completed by ann"));
    assert_eq!(summary("task_failed"), format!("Task {second} failed by ann"));
    assert_eq!(summary("thread_message"), "done");
    assert_eq!(ben.inbox(&mut since), Vec::<Value>::new());
    let path = format!("/v1/threads/{thread}/messages");
    assert_eq!(team.agent("carl").post(&path, json!({ "message": "more" })).0, 201);
    assert_eq!(ben.inbox(&mut since).len(), 1);
    assert_eq!(ben.inbox(&mut since).len(), 0);

    for refused in [
        ask(&team.address, "GET", "/v1/teams", "", ""),
        ben.agent.get("/v1/tasks/task-0099?teamId=red"),
        ben.agent.get("/v1/inbox?teamId=red&agentId="),
        ben.agent.post("/v1/tasks", json!({ "teamId": "red", "title": "" })),
    ] {
        code(&refused);
        shapes.check("teamd error", &refused.1);
    }
    shapes.assert_all_seen(&[]);
}

/// P8, with a lease as short as the original's own test has it.
#[test]
fn a_lease_of_25_milliseconds_expires() {
    let team = Team::new();
    let (ann, task) = (team.agent("ann"), team.task(json!({ "teamId": "red", "title": "one" })));
    let (status, claimed) = ann.on(&task, "claim", json!({ "ttlMs": 25 }));
    assert_eq!(status, 200, "{claimed}");
    let deadline = Instant::now() + Duration::from_secs(30);
    while ann.status(&task) == "in_progress" {
        assert!(Instant::now() < deadline, "it never expires");
    }
    assert_eq!(code(&ann.on(&task, "complete", json!({ "epoch": 1 }))), (403, "LEASE_EXPIRED"));
    let (status, again) = ann.on(&task, "claim", json!({ "ttlMs": 60_000.0 }));
    assert_eq!((status, &again["lease"]["epoch"]), (200, &json!(2)), "{again}");
}
